/*
 * The data of the page's charts, as JSON for page.js:
 *
 *	{ "drives": ["label", ...],
 *	  "charts": {
 *	    "curve-0": { "kind": "curve", "title": "...", "series": [ {
 *	        "drive": 0,
 *	        "points": [[percent, offered, iops, mean, p99, due_p99, is_clean, is_peak], ...],
 *	        "maximum": [iops, mean, p99] or null } ] },
 *	    "percentiles-0": { "kind": "percentiles", "title": "...", "series": [ {
 *	        "drive": 0, "at": "80 %", "iops": 56070,
 *	        "points": [[millionths, latency], ...] } ] },
 *	    "series-0": { "kind": "series", "title": "...", "series": [ {
 *	        "drive": 0,
 *	        "samples": [[time_s, drive_writes, iops, mean, p99, max, waf, p50, p99.9], ...],
 *	        "steady": null or { "ok": true, "from": s, "to": s, "from_written": w, ...,
 *	                            "first": iops, "last": iops: the ends of the line } } ] } } }
 *
 * The number is that of the group among summary_groups(). Latency is in microseconds;
 * whatever is not known is null, so no NaN and no infinity ever stands in a page.
 */
#include "report/page.h"

#include <math.h>
#include <stdlib.h>

#include "report/escape.h"

static void put_real(struct buf *out, double value)
{
	if (isfinite(value))
		buf_printf(out, "%.6g", value);
	else
		buf_puts(out, "null");
}

static void put_value(struct buf *out, double value)
{
	buf_puts(out, ",");
	put_real(out, value);
}

static void put_known(struct buf *out, bool known, double value)
{
	put_value(out, known ? value : NAN);
}

static double percentile_us(const struct percentile *percentile)
{
	return percentile->known ? (double)percentile->ns / 1e3 : NAN;
}

static bool drawable(const struct run_summary *run)
{
	return run->measured && run->submit.count > 0;
}

static void put_point(struct buf *out, const struct run_summary *run, bool is_peak)
{
	buf_printf(out, "[%u", run->percent);
	put_value(out, run->offered_iops);
	put_value(out, run->iops);
	put_value(out, run->submit.mean_ns / 1e3);
	put_value(out, percentile_us(&run->submit.p99));
	put_value(out, run->unissued ? NAN : percentile_us(&run->due.p99)); /* overload */
	buf_printf(out, ",%d,%d]", is_peak || (run->sustained && !run->overloaded), is_peak);
}

static void put_curve(struct buf *out, const struct group_summary *group, size_t drive)
{
	const struct run_summary *maximum = group_maximum(group);
	const char *comma = "";

	buf_printf(out, "{\"drive\":%zu,\"points\":[", drive);
	for (size_t i = 0; i < group->run_count; i++) {
		if (group->runs[i].kind != PHASE_POINT || !drawable(&group->runs[i]))
			continue;
		buf_puts(out, comma);
		put_point(out, &group->runs[i], i == group->peak);
		comma = ",";
	}
	buf_puts(out, "],\"maximum\":");
	if (maximum && drawable(maximum)) {
		buf_puts(out, "[");
		put_real(out, maximum->iops);
		put_value(out, maximum->submit.mean_ns / 1e3);
		put_value(out, percentile_us(&maximum->submit.p99));
		buf_puts(out, "]}");
	} else {
		buf_puts(out, "null}");
	}
}

static void put_sample(struct buf *out, const struct series *series, const struct sample *sample)
{
	buf_puts(out, "[");
	put_real(out, sample->time_s);
	put_known(out, series->has_written, sample->written);
	put_value(out, sample->iops);
	put_known(out, sample->served, sample->mean_ns / 1e3);
	put_known(out, sample->has_p99, sample->p99_ns / 1e3);
	put_known(out, sample->served, sample->max_ns / 1e3);
	put_known(out, sample->has_waf, sample->waf);
	put_known(out, sample->p50_ns > 0, sample->p50_ns / 1e3);
	put_known(out, sample->p999_ns > 0, sample->p999_ns / 1e3);
	buf_puts(out, "]");
}

static void put_field(struct buf *out, const char *name, double value)
{
	buf_printf(out, ",\"%s\":", name);
	put_real(out, value);
}

static void put_steady(struct buf *out, const struct group_summary *group)
{
	const struct steady_summary *steady = &group->steady;
	const struct steady *verdict = &steady->verdict;

	if (!steady->present || !steady->judged) {
		buf_puts(out, "null");
		return;
	}
	buf_printf(out, "{\"ok\":%s", verdict->steady ? "true" : "false");
	put_field(out, "from", steady->from_s);
	put_field(out, "to", steady->to_s);
	put_field(out, "from_written", group->series.has_written ? steady->from_written : NAN);
	put_field(out, "to_written", group->series.has_written ? steady->to_written : NAN);
	put_field(out, "average", verdict->average);
	put_field(out, "first", verdict->intercept);
	put_field(out, "last", verdict->intercept + verdict->slope * (STEADY_ROUNDS - 1));
	buf_puts(out, "}");
}

static void put_series(struct buf *out, const struct group_summary *group, size_t drive)
{
	buf_printf(out, "{\"drive\":%zu,\"samples\":[", drive);
	for (size_t i = 0; i < group->series.count; i++) {
		buf_puts(out, i ? "," : "");
		put_sample(out, &group->series, &group->series.samples[i]);
	}
	buf_puts(out, "],\"steady\":");
	put_steady(out, group);
	buf_puts(out, "}");
}

static bool has_curve(const struct group_summary *group)
{
	for (size_t i = 0; group && i < group->run_count; i++)
		if (group->runs[i].kind == PHASE_POINT && drawable(&group->runs[i]))
			return true;
	return false;
}

/* The run whose percentiles are drawn: the peak, where two of them are known at least. */
static const struct run_summary *percentile_run(const struct group_summary *group)
{
	const struct run_summary *run = group ? group_peak(group) : NULL;

	return run && drawable(run) && run->submit.levels[1].known ? run : NULL;
}

static bool has_percentiles(const struct group_summary *group)
{
	return percentile_run(group) != NULL;
}

static void put_percentiles(struct buf *out, const struct group_summary *group, size_t drive)
{
	const struct run_summary *run = percentile_run(group);

	buf_printf(out, "{\"drive\":%zu,\"at\":", drive);
	if (run->kind == PHASE_POINT)
		buf_printf(out, "\"%u %%\"", run->percent);
	else
		buf_puts(out, run->kind == PHASE_ROUNDS ? "\"rounds\"" : "\"run\"");
	put_field(out, "iops", run->iops);
	buf_puts(out, ",\"points\":[");
	for (size_t i = 0; i < SUMMARY_LEVELS && run->submit.levels[i].known; i++) {
		buf_printf(out, "%s[%u", i ? "," : "", summary_levels_ppm[i]);
		put_value(out, percentile_us(&run->submit.levels[i]));
		buf_puts(out, "]");
	}
	buf_puts(out, "]}");
}

static bool has_series(const struct group_summary *group)
{
	return group && group->series.count > 0;
}

static bool any(struct summary *const *summaries, size_t count, const char *name,
		bool (*has)(const struct group_summary *))
{
	for (size_t i = 0; i < count; i++)
		if (has(summary_group(summaries[i], name)))
			return true;
	return false;
}

bool charts_has_curve(struct summary *const *summaries, size_t count, const char *name)
{
	return any(summaries, count, name, has_curve);
}

bool charts_has_series(struct summary *const *summaries, size_t count, const char *name)
{
	return any(summaries, count, name, has_series);
}

bool charts_has_percentiles(struct summary *const *summaries, size_t count, const char *name)
{
	return any(summaries, count, name, has_percentiles);
}

static void put_chart(struct buf *out, struct summary *const *summaries, size_t count,
		      const char *name, bool (*has)(const struct group_summary *),
		      void (*put)(struct buf *, const struct group_summary *, size_t))
{
	const char *comma = "";

	for (size_t i = 0; i < count; i++) {
		const struct group_summary *group = summary_group(summaries[i], name);

		if (!has(group))
			continue;
		if (!*comma) {
			buf_puts(out, "\"title\":");
			escape_json(out, group->title);
			buf_puts(out, ",\"series\":[");
		}
		buf_puts(out, comma);
		put(out, group, i);
		comma = ",";
	}
	buf_puts(out, "]}");
}

void charts_json(struct summary *const *summaries, size_t count, struct buf *out)
{
	size_t group_count;
	const char **names = summary_groups(summaries, count, &group_count);
	const char *comma = "\n";

	buf_puts(out, "{\"drives\":[");
	for (size_t i = 0; i < count; i++) {
		buf_puts(out, i ? "," : "");
		escape_json(out, summaries[i]->label);
	}
	buf_puts(out, "],\"charts\":{");
	for (size_t g = 0; g < group_count; g++) {
		if (charts_has_curve(summaries, count, names[g])) {
			buf_printf(out, "%s\"curve-%zu\":{\"kind\":\"curve\",", comma, g);
			put_chart(out, summaries, count, names[g], has_curve, put_curve);
			comma = ",\n";
		}
		if (charts_has_percentiles(summaries, count, names[g])) {
			buf_printf(out, "%s\"percentiles-%zu\":{\"kind\":\"percentiles\",", comma, g);
			put_chart(out, summaries, count, names[g], has_percentiles, put_percentiles);
			comma = ",\n";
		}
		if (charts_has_series(summaries, count, names[g])) {
			buf_printf(out, "%s\"series-%zu\":{\"kind\":\"series\",", comma, g);
			put_chart(out, summaries, count, names[g], has_series, put_series);
			comma = ",\n";
		}
	}
	buf_puts(out, "}}\n");
	free(names);
}
