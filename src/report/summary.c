#include "report/summary.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fail.h"
#include "base/units.h"

/* A resource this busy is the reason for the rate; queueing makes the rest. */
#define LIMIT_SHARE 0.9

/* A point with so many of the requests it may have outstanding had the drive to the full. */
#define FULL_SHARE 0.9

#define YEAR_S (365.0 * 86400)
enum { DWPD_YEARS = 5 };

/*
 * A point that could not send one due request in a thousand was asked too much. (The rate
 * achieved is no witness: few exponential arrivals miss the rate offered by chance.)
 */
enum { UNSENT_OF = 1000 };

const char *resource_name(enum resource resource)
{
	switch (resource) {
	case RESOURCE_BED:
		return "host";
	case RESOURCE_LINK_READ:
		return "link read";
	case RESOURCE_LINK_WRITE:
		return "link write";
	case RESOURCE_CONTROLLER_READ:
		return "ctrl read";
	case RESOURCE_CONTROLLER_WRITE:
		return "ctrl write";
	case RESOURCE_CHANNELS:
		return "channels";
	case RESOURCE_DIES:
		return "dies";
	}
	abort();
}

static char *copy(const char *text)
{
	return xstrdup(text ? text : "");
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void caveat(struct summary *summary, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void caveat(struct summary *summary, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	summary->caveats = xrealloc(summary->caveats, (summary->caveat_count + 1) * sizeof(char *));
	summary->caveats[summary->caveat_count++] = xstrdup(text);
}

static struct percentile percentile(const struct hist *hist, uint32_t ppm)
{
	uint64_t above = 0;
	uint64_t ns = hist_quantile(hist, ppm, &above);

	return (struct percentile){ ns, hist->count > 0 && above >= 10 };
}

static struct latency_summary summarise_latency(const struct latency *latency,
						const struct hist *hist)
{
	return (struct latency_summary){
		.count = latency->count,
		.mean_ns = latency_mean_ns(latency),
		.stddev_ns = latency_stddev_ns(latency),
		.p50 = percentile(hist, 500000),
		.p99 = percentile(hist, 990000),
		.p999 = percentile(hist, 999000),
		.p9999 = percentile(hist, 999900),
		.max_ns = latency->count ? latency->max_ns : 0,
	};
}

static void summarise_busy(struct run_summary *run, const struct phase_result *outcome)
{
	const struct usage *usage = &outcome->usage;
	double elapsed_ns = (double)outcome->stats.elapsed_ns;

	if (!outcome->has_usage || outcome->stats.elapsed_ns == 0)
		return;
	run->has_busy = true;
	run->busy[RESOURCE_BED] = share((double)usage->bed_ns, elapsed_ns);
	run->busy[RESOURCE_LINK_READ] = share((double)usage->link_read_ns, elapsed_ns);
	run->busy[RESOURCE_LINK_WRITE] = share((double)usage->link_write_ns, elapsed_ns);
	run->busy[RESOURCE_CONTROLLER_READ] = share((double)usage->controller_read_ns, elapsed_ns);
	run->busy[RESOURCE_CONTROLLER_WRITE] = share((double)usage->controller_write_ns, elapsed_ns);
	run->busy[RESOURCE_CHANNELS] = share((double)usage->channels_ns, elapsed_ns);
	run->busy[RESOURCE_DIES] = share((double)usage->dies_ns, elapsed_ns);
	for (int i = 0; i < RESOURCE_COUNT; i++)
		if (run->busy[i] > run->busy[run->limiter])
			run->limiter = (enum resource)i;
	run->limited = run->busy[run->limiter] >= LIMIT_SHARE;
}

/* Of the drive as it was run: where that is scaled down, scale_endurance() makes up for it. */
static void summarise_endurance(struct run_summary *run, const struct phase_result *outcome)
{
	const struct health *health = &outcome->health;
	double elapsed_s = (double)outcome->stats.elapsed_ns / 1e9;

	if (!outcome->has_health || !health->endurance_bytes || !health->host_written_bytes
	    || !health->nand_written_bytes)
		return;
	run->has_endurance = true;
	run->endurance = (struct endurance){
		.lasts_bytes = (double)health->endurance_bytes
			* (double)health->host_written_bytes / (double)health->nand_written_bytes,
		.rated_bytes = (double)health->rated_bytes,
		.years = (double)health->endurance_bytes / (double)health->nand_written_bytes
			* elapsed_s / YEAR_S,
	};
}

static struct run_summary summarise_run(const struct result_phase *phase)
{
	const struct phase_result *outcome = &phase->outcome;
	const struct stats *stats = &outcome->stats;
	struct run_summary run = {
		.name = copy(phase->name),
		.kind = phase->kind,
		.status = outcome->status,
		.note = outcome->note ? xstrdup(outcome->note) : NULL,
		.percent = phase->percent,
		.offered_iops = (double)outcome->offered_iops,
		.allowed = phase->outstanding,
		.errors = stats->errors,
		.unissued = stats->unissued,
		.late_max_ns = stats->late_max_ns,
	};

	if (stats->elapsed_ns == 0)
		return run;
	run.measured = true;
	run.elapsed_s = (double)stats->elapsed_ns / 1e9;
	run.iops = stats_iops(stats);
	run.mb_per_s = stats_bytes_per_s(stats) / 1e6;
	run.submit = summarise_latency(&stats->from_submit, &stats->hist_submit);
	run.due = summarise_latency(&stats->from_due, &stats->hist_due);
	run.outstanding = stats_outstanding(stats);
	run.little_agrees = stats_little_agrees(stats, &run.little_error);
	run.sustained = outcome->sustained;
	run.overloaded = outcome->offered_iops > 0
		&& run.unissued * (UNSENT_OF - 1) > run.submit.count;
	summarise_busy(&run, outcome);
	run.flash_idle = outcome->has_health && run.has_busy && outcome->usage.dies_ns == 0
		&& outcome->health.host_read_bytes > 0 && outcome->health.nand_read_bytes == 0
		&& outcome->health.host_written_bytes == 0;
	summarise_endurance(&run, outcome);
	if (outcome->has_health && outcome->health.host_written_bytes > 0) {
		run.has_waf = true;
		run.waf = share((double)outcome->health.nand_written_bytes,
				(double)outcome->health.host_written_bytes);
	}
	return run;
}

/* One sample of `count` windows that begin at base_ns + windows[0].start_ns. */
static struct sample merge(const struct window *windows, size_t count, double base_ns,
			   double *written_bytes, uint64_t size_bytes)
{
	double ios = 0, elapsed_ns = 0, latency = 0, outstanding = 0, waf = 0, waf_bytes = 0;
	double end_ns = (double)(windows[count - 1].start_ns + windows[count - 1].elapsed_ns);
	struct sample sample = {
		.time_s = (base_ns + ((double)windows[0].start_ns + end_ns) / 2) / 1e9,
	};

	for (size_t i = 0; i < count; i++) {
		const struct window *window = &windows[i];
		double write_share = share((double)(window->ios - window->read_ios),
					   (double)window->ios);
		double written = (double)window->bytes * write_share;

		ios += (double)window->ios;
		elapsed_ns += (double)window->elapsed_ns;
		latency += (double)window->mean_ns * (double)window->ios;
		outstanding += (double)window->outstanding_milli / 1e3 * (double)window->elapsed_ns;
		*written_bytes += written;
		if (window->waf_milli) {
			waf += (double)window->waf_milli / 1e3 * written;
			waf_bytes += written;
		}
		if ((double)window->max_ns > sample.max_ns)
			sample.max_ns = (double)window->max_ns;
		if ((double)window->p99_ns > sample.p99_ns)
			sample.p99_ns = (double)window->p99_ns;
	}
	sample.elapsed_s = elapsed_ns / 1e9;
	sample.iops = share(ios, sample.elapsed_s);
	sample.outstanding = share(outstanding, elapsed_ns);
	sample.served = ios > 0;
	sample.mean_ns = share(latency, ios);
	sample.has_p99 = sample.p99_ns > 0;
	sample.has_waf = waf_bytes > 0;
	sample.waf = share(waf, waf_bytes);
	sample.written = share(*written_bytes, (double)size_bytes);
	return sample;
}

static struct series summarise_series(const struct result_phase *phase,
				      const struct window *windows, size_t count,
				      uint64_t size_bytes)
{
	size_t merged = (count + SUMMARY_SAMPLES - 1) / SUMMARY_SAMPLES;
	struct series series = { .phase = copy(phase->name), .window_count = count,
				 .merged = merged };
	double written_bytes = 0, base_ns = 0;

	if (count == 0)
		return series;
	series.samples = xcalloc(count / merged + 1, sizeof(*series.samples));
	for (size_t i = 0; i < count;) {
		size_t take = 1;

		/* The next round counts from its own beginning: it goes on where the last ended. */
		if (i > 0 && windows[i].start_ns < windows[i - 1].start_ns)
			base_ns += (double)(windows[i - 1].start_ns + windows[i - 1].elapsed_ns);
		while (take < merged && i + take < count
		       && windows[i + take].start_ns > windows[i + take - 1].start_ns)
			take++;
		if (series.count > count / merged)
			series.samples = xrealloc(series.samples,
				(series.count + 1) * sizeof(*series.samples));
		series.samples[series.count++] = merge(&windows[i], take, base_ns, &written_bytes,
						       size_bytes);
		i += take;
	}
	series.has_written = size_bytes > 0 && written_bytes > 0;
	return series;
}

/* As merge(), of samples; what was written since `written` weighs the WAF. */
static struct sample merge_samples(const struct sample *samples, size_t count, double written)
{
	const struct sample *last = &samples[count - 1];
	struct sample sum = { .written = last->written };
	double ios = 0, latency = 0, outstanding = 0, waf = 0, waf_written = 0;

	sum.time_s = (samples[0].time_s - samples[0].elapsed_s / 2
		      + last->time_s + last->elapsed_s / 2) / 2;
	for (size_t i = 0; i < count; i++) {
		const struct sample *sample = &samples[i];

		sum.elapsed_s += sample->elapsed_s;
		ios += sample->iops * sample->elapsed_s;
		latency += sample->mean_ns * sample->iops * sample->elapsed_s;
		outstanding += sample->outstanding * sample->elapsed_s;
		if (sample->has_waf) {
			waf += sample->waf * (sample->written - written);
			waf_written += sample->written - written;
			sum.waf = sample->waf;
			sum.has_waf = true;
		}
		if (sample->max_ns > sum.max_ns)
			sum.max_ns = sample->max_ns;
		if (sample->p99_ns > sum.p99_ns)
			sum.p99_ns = sample->p99_ns;
		sum.served |= sample->served;
		written = sample->written;
	}
	sum.iops = share(ios, sum.elapsed_s);
	sum.outstanding = share(outstanding, sum.elapsed_s);
	sum.mean_ns = share(latency, ios);
	sum.has_p99 = sum.p99_ns > 0;
	if (waf_written > 0)
		sum.waf = waf / waf_written;
	return sum;
}

struct series series_thin(const struct series *series, size_t most)
{
	size_t step = most ? (series->count + most - 1) / most : 1;
	struct series thin = { .phase = copy(series->phase), .window_count = series->window_count,
			       .merged = series->merged * step,
			       .has_written = series->has_written };
	double written = 0;

	if (series->count == 0)
		return thin;
	thin.samples = xcalloc(series->count / step + 1, sizeof(*thin.samples));
	for (size_t i = 0; i < series->count; i += step) {
		size_t take = series->count - i < step ? series->count - i : step;

		thin.samples[thin.count++] = merge_samples(&series->samples[i], take, written);
		written = series->samples[i + take - 1].written;
	}
	return thin;
}

void series_clear(struct series *series)
{
	free(series->samples);
	free(series->phase);
	*series = (struct series){ 0 };
}

/* How much was written by `time_s`: along the line between the samples around it. */
static double written_at(const struct series *series, double time_s)
{
	struct sample last = { 0 };

	for (size_t i = 0; i < series->count; i++) {
		const struct sample *next = &series->samples[i];

		if (next->time_s >= time_s)
			return last.written + (next->written - last.written)
				* share(time_s - last.time_s, next->time_s - last.time_s);
		last = *next;
	}
	return last.written;
}

static struct steady_summary summarise_rounds(const struct result_phase *phase,
					      const struct series *series,
					      const uint64_t *rounds, size_t count)
{
	struct steady_summary steady = {
		.present = true,
		.ended = phase->outcome.status == PHASE_DONE,
		.verdict = phase->outcome.steady,
		.judged = phase->outcome.steady.steady ||
			  (count >= STEADY_ROUNDS && phase->outcome.steady.average > 0),
		.round_count = count,
	};
	double round_s = (double)phase->duration_ns / 1e9;
	size_t last = steady.verdict.first + STEADY_ROUNDS;

	if (count) {
		steady.rounds = xcalloc(count, sizeof(*rounds));
		memcpy(steady.rounds, rounds, count * sizeof(*rounds));
	}
	if (last > count)
		last = count;
	steady.from_s = (double)steady.verdict.first * round_s;
	steady.to_s = (double)last * round_s;
	steady.from_written = written_at(series, steady.from_s);
	steady.to_written = written_at(series, steady.to_s);
	return steady;
}

/*
 * "4k-random-write" as one writes it in a heading: "4K random write". Options of the command line
 * stay as they were typed: "4K random write:depth=8".
 */
static char *title_of(const char *workload)
{
	static const char *const capitals[] = { "sql", "vdi", "fc", "lc", "vsi", "oltp", "snia" };
	char *title = copy(workload);
	size_t colon = strcspn(title, ":");
	char *options = title + (strcspn(title, "=") < colon ? 0 : colon);

	for (char *word = title; word < options;) {
		size_t length = strcspn(word, "-_ :");
		bool upper = isdigit((unsigned char)word[0]); /* 64k */

		for (size_t i = 0; i < sizeof(capitals) / sizeof(*capitals); i++)
			if (strlen(capitals[i]) == length && !strncmp(word, capitals[i], length))
				upper = true;
		for (size_t i = 0; i < length; i++)
			if (upper || (i == 0 && word == title))
				word[i] = (char)toupper((unsigned char)word[i]);
		word += length;
		if (word < options)
			*word++ = ' ';
	}
	return title;
}

static const struct group_summary *group_with_run(const struct summary *summary, const char *name)
{
	for (size_t i = 0; i < summary->group_count; i++)
		for (size_t k = 0; k < summary->groups[i].run_count; k++)
			if (!strcmp(summary->groups[i].runs[k].name, name))
				return &summary->groups[i];
	return NULL;
}

static struct group_summary *group_for(struct summary *summary, const struct result_phase *phase)
{
	const char *name = phase->group && *phase->group ? phase->group : phase->name;
	const char *workload = phase->workload && *phase->workload ? phase->workload : name;
	const char *slash = strchr(name, '/');
	struct group_summary *group;

	for (size_t i = 0; i < summary->group_count; i++)
		if (!strcmp(summary->groups[i].name, name))
			return &summary->groups[i];
	summary->groups = xrealloc(summary->groups,
				   (summary->group_count + 1) * sizeof(*summary->groups));
	group = &summary->groups[summary->group_count++];
	*group = (struct group_summary){
		.name = xstrdup(name),
		.title = title_of(workload),
		.plan = slash ? strndup(name, (size_t)(slash - name)) : xstrdup(""),
		.workload = xstrdup(workload),
		.outstanding = phase->outstanding,
		.maximum = SUMMARY_NONE,
		.peak = SUMMARY_NONE,
	};
	return group;
}

/* What the phases before this one of its chain tell about the state that it found. */
static void find_order(const struct summary *summary, const struct result_phase *phase,
		       struct group_summary *group)
{
	for (size_t i = 0; i < summary->phase_count; i++) {
		const struct phase_summary *before = &summary->phases[i];
		const struct group_summary *rounds;

		if (before->kind != PHASE_ROUNDS || before->chain != phase->chain
		    || strcmp(before->workload, phase->workload ? phase->workload : ""))
			continue;
		group->after_rounds = true;
		rounds = group_with_run(summary, before->name);
		group->after_steady = rounds && rounds->steady.verdict.steady;
	}
}

static void add_to_group(struct group_summary *group, const struct result_phase *phase,
			 const struct window *windows, size_t window_count,
			 const uint64_t *rounds, size_t round_count, uint64_t size_bytes)
{
	struct run_summary *run;
	bool wants_series = phase->kind == PHASE_ROUNDS
		|| (phase->kind == PHASE_RUN && !group->steady.present);

	group->runs = xrealloc(group->runs, (group->run_count + 1) * sizeof(*group->runs));
	run = &group->runs[group->run_count];
	*run = summarise_run(phase);
	if (phase->kind == PHASE_RUN && group->maximum == SUMMARY_NONE)
		group->maximum = group->run_count;
	if (phase->kind == PHASE_POINT) {
		group->has_curve = true;
		group->point_count += run->measured;
	}
	group->run_count++;
	if (wants_series && !group->series.count) {
		series_clear(&group->series);
		group->series = summarise_series(phase, windows, window_count, size_bytes);
	}
	if (phase->kind == PHASE_ROUNDS && !group->steady.present)
		group->steady = summarise_rounds(phase, &group->series, rounds, round_count);
}

static void add_to_log(struct summary *summary, const struct result_phase *phase)
{
	const struct phase_result *outcome = &phase->outcome;
	struct phase_summary *line;

	summary->phases = xrealloc(summary->phases,
				   (summary->phase_count + 1) * sizeof(*summary->phases));
	line = &summary->phases[summary->phase_count++];
	*line = (struct phase_summary){
		.name = copy(phase->name),
		.note = outcome->note ? xstrdup(outcome->note) : NULL,
		.kind = phase->kind,
		.status = outcome->status,
		.chain = phase->chain,
		.workload = copy(phase->workload),
		.mb_per_s = outcome->stats.elapsed_ns ? stats_bytes_per_s(&outcome->stats) / 1e6 : 0,
	};
	if (outcome->ended_ns > outcome->began_ns)
		line->elapsed_s = (double)(outcome->ended_ns - outcome->began_ns) / 1e9;
	summary->done_count += outcome->status == PHASE_DONE;
}

struct summary *summary_new(void)
{
	struct summary *summary = xcalloc(1, sizeof(*summary));

	summary->scale = 1;
	return summary;
}

void summary_add(struct summary *summary, const struct result_phase *phase,
		 const struct window *windows, size_t window_count,
		 const uint64_t *rounds, size_t round_count)
{
	struct group_summary *group;

	add_to_log(summary, phase);
	switch (phase->kind) {
	case PHASE_PURGE:
	case PHASE_FILL:
		return;
	case PHASE_RUN:
	case PHASE_POINT:
	case PHASE_ROUNDS:
		group = group_for(summary, phase);
		if (phase->kind == PHASE_RUN)
			find_order(summary, phase, group);
		add_to_group(group, phase, windows, window_count, rounds, round_count,
			     summary->size_bytes);
		return;
	}
	abort();
}

/* "4 KiB", or "4 KiB to 1004 KiB in 9 sizes". */
static void put_sizes(struct buf *out, const struct size_mix *mix)
{
	char low_text[UNITS_BYTES], high_text[UNITS_BYTES];
	uint32_t low = UINT32_MAX, high = 0;

	for (size_t i = 0; i < mix->count; i++) {
		low = mix->shares[i].size_bytes < low ? mix->shares[i].size_bytes : low;
		high = mix->shares[i].size_bytes > high ? mix->shares[i].size_bytes : high;
	}
	if (mix->count == 1)
		buf_printf(out, "%s", format_size(low, low_text));
	else if (mix->count > 1)
		buf_printf(out, "%s to %s in %zu sizes", format_size(low, low_text),
			   format_size(high, high_text), mix->count);
}

static const char *pattern_words(const struct workload *workload)
{
	switch (workload->pattern) {
	case PATTERN_UNIFORM:
		return workload->random_percent == 0 ? "sequential runs" : "random";
	case PATTERN_SEQUENTIAL:
		return "sequential in each thread";
	case PATTERN_ZIPF:
		return "Zipf-distributed";
	case PATTERN_FILL:
		return "each place once";
	}
	abort();
}

void summary_add_workload(struct summary *summary, const struct workload *workload)
{
	struct workload_summary *line;
	struct buf sends = BUF_INIT;

	if (workload->read_percent > 0) {
		buf_printf(&sends, "%u %% reads of ", workload->read_percent);
		put_sizes(&sends, &workload->read_sizes);
	}
	if (workload->read_percent < 100) {
		buf_printf(&sends, "%s%u %% writes of ", sends.size ? ", " : "",
			   100 - workload->read_percent);
		put_sizes(&sends, &workload->write_sizes);
	}
	if (workload->trim_percent)
		buf_printf(&sends, " (%u %% of them trims)", workload->trim_percent);
	if (workload->zeroes_percent)
		buf_printf(&sends, " (%u %% of them write zeroes)", workload->zeroes_percent);
	if (workload->compress_percent)
		buf_printf(&sends, " (%u %% compressible)", workload->compress_percent);
	buf_printf(&sends, ", %s", pattern_words(workload));
	if (workload->pattern == PATTERN_ZIPF)
		buf_printf(&sends, " (theta %.3g)", workload->zipf_theta_milli / 1e3);
	if (workload->pattern != PATTERN_SEQUENTIAL && workload->random_percent > 0
	    && workload->random_percent < 100)
		buf_printf(&sends, " for %u %% of the requests, else onward", workload->random_percent);
	buf_printf(&sends, ", %u threads x %u, over %g %% of the drive", workload->threads,
		   workload->depth, (double)workload->span_millipercent / 1e3);
	summary->workloads = xrealloc(summary->workloads,
				      (summary->workload_count + 1) * sizeof(*summary->workloads));
	line = &summary->workloads[summary->workload_count++];
	*line = (struct workload_summary){ copy(workload->name), copy(workload->help),
					   copy(workload->source), sends.text };
}

static size_t best_point(const struct group_summary *group)
{
	size_t best = SUMMARY_NONE;

	for (size_t i = 0; i < group->run_count; i++) {
		const struct run_summary *run = &group->runs[i];

		if (run->kind != PHASE_POINT || run->status != PHASE_DONE || !run->measured
		    || !run->sustained)
			continue;
		if (best == SUMMARY_NONE || run->iops > group->runs[best].iops)
			best = i;
	}
	return best;
}

/* The points at which the drive had all it could have, and kept it up. */
static void find_full_points(struct group_summary *group)
{
	for (size_t i = 0; i < group->run_count; i++) {
		const struct run_summary *run = &group->runs[i];

		if (run->kind != PHASE_POINT || !run->measured || !run->sustained
		    || run->outstanding < FULL_SHARE * run->allowed)
			continue;
		if (!group->full_count || run->iops < group->full_least)
			group->full_least = run->iops;
		if (!group->full_count || run->iops > group->full_most)
			group->full_most = run->iops;
		group->full_count++;
	}
}

static void scale_endurance(const struct summary *summary, struct group_summary *group)
{
	double scale = (double)summary->scale;

	for (size_t i = 0; i < group->run_count; i++) {
		struct endurance *endurance = &group->runs[i].endurance;

		endurance->lasts_bytes *= scale;
		endurance->rated_bytes *= scale;
		endurance->years *= scale;
		if (summary->size_bytes)
			endurance->dwpd = endurance->lasts_bytes / scale / (double)summary->size_bytes
				/ (DWPD_YEARS * 365);
	}
}

static void find_dirtiest(struct group_summary *group)
{
	group->dirtiest = SUMMARY_NONE;
	for (size_t i = 0; i < group->run_count; i++)
		if (group->runs[i].has_endurance)
			group->dirtiest = i;
}

static void find_peak(struct group_summary *group)
{
	const struct run_summary *maximum = group_maximum(group);

	if (group->has_curve) {
		group->peak = best_point(group);
	} else if (maximum && maximum->measured) {
		group->peak = group->maximum;
	} else {
		for (size_t i = 0; i < group->run_count; i++)
			if (group->runs[i].measured && group->peak == SUMMARY_NONE)
				group->peak = i;
	}
	if (group->has_curve && group->peak != SUMMARY_NONE && maximum && maximum->measured
	    && group->runs[group->peak].iops > 0) {
		group->has_burst = true;
		group->burst = maximum->iops / group->runs[group->peak].iops;
	}
}

static void doubt_missing(struct summary *summary)
{
	for (size_t i = 0; i < summary->phase_count; i++) {
		const struct phase_summary *phase = &summary->phases[i];
		const char *note = phase->note && *phase->note ? phase->note : "no reason recorded";

		if (phase->status == PHASE_RUNNING)
			caveat(summary, "%s was cut off before its end.", phase->name);
		else if (phase->status == PHASE_FAILED)
			caveat(summary, "%s failed: %s.", phase->name, note);
		else if (phase->status == PHASE_SKIPPED)
			caveat(summary, "%s was skipped: %s.", phase->name, note);
	}
}

static void doubt_unfinished(struct summary *summary)
{
	size_t pending = 0;
	const char *first = NULL;

	for (size_t i = 0; i < summary->phase_count; i++) {
		if (summary->phases[i].status != PHASE_PENDING)
			continue;
		if (!pending++)
			first = summary->phases[i].name;
	}
	if (pending)
		caveat(summary, "Not complete: %zu of %zu phases were not run (the first is %s); "
		       "'drivebay review --resume' goes on.", pending, summary->phase_count, first);
}

static void doubt_steady(struct summary *summary, const struct group_summary *group)
{
	const struct steady *verdict = &group->steady.verdict;

	if (!group->steady.present || verdict->steady)
		return;
	if (group->steady.round_count < STEADY_ROUNDS)
		caveat(summary, "%s: not steady: %zu rounds measured, the rule needs %d.",
		       group->name, group->steady.round_count, STEADY_ROUNDS);
	else if (!group->steady.judged)
		caveat(summary, "%s: never judged in %zu rounds: too little was written for a burst to be "
		       "told from a steady state; more rounds, or longer ones, would do.", group->name,
		       group->steady.round_count);
	else
		caveat(summary, "%s: not steady after %zu rounds: range %.1f %% of the average "
		       "(limit 20 %%), slope %.1f %% (limit 10 %%).", group->name,
		       group->steady.round_count, verdict->range_share * 100,
		       verdict->slope_share * 100);
}

/* What is wrong with single runs: one sentence a kind and group, with the worst case. */
static void doubt_runs(struct summary *summary, const struct group_summary *group)
{
	size_t little = 0;
	const struct run_summary *worst = NULL;
	uint64_t errors = 0;

	for (size_t i = 0; i < group->run_count; i++) {
		const struct run_summary *run = &group->runs[i];

		errors += run->errors;
		if (!run->measured)
			continue;
		if (run->submit.count == 0)
			caveat(summary, "%s: no request completed.", run->name);
		if (summary->modelled && run->flash_idle)
			caveat(summary, "%s: reads of %s met only places that were never written, which "
			       "need no flash: these are not the drive's figures; fill it first%s.",
			       run->name, group->workload, summary->single ? " (run --fill)" : "");
		if (!run->little_agrees && run->submit.count > 0) {
			little++;
			if (!worst || run->little_error * run->little_error
			    > worst->little_error * worst->little_error)
				worst = run;
		}
	}
	if (little)
		caveat(summary, "%s: Little's law fails in %zu run%s, worst in %s: computed and "
		       "counted outstanding differ by %.1f %% (limit 1 %%).", group->name, little,
		       little == 1 ? "" : "s", worst->name, worst->little_error * 100);
	if (errors)
		caveat(summary, "%s: %llu requests failed; they are in no latency figure.",
		       group->name, (unsigned long long)errors);
}

static void doubt_peak(struct summary *summary, const struct group_summary *group)
{
	const struct run_summary *peak = group_peak(group);

	if (!peak) {
		if (group->point_count)
			caveat(summary, "%s: no point of the curve was sustained, so it has no peak.",
			       group->name);
		return;
	}
	if (!group->has_curve && peak->kind == PHASE_RUN && !peak->sustained)
		caveat(summary, "%s: the rate fell during the run: its last third ran below 95 %% of "
		       "its mean.", group->name);
	if (peak->limited && peak->limiter == RESOURCE_BED)
		caveat(summary, "%s: bound by the host (%.0f %% busy), not by the drive.",
		       group->name, peak->busy[RESOURCE_BED] * 100);
}

/* A curve that ends above what the drive takes is meant to: one sentence for all of them. */
static void note_overload(struct summary *summary)
{
	_cleanup_buf_ struct buf where = BUF_INIT;

	for (size_t i = 0; i < summary->group_count; i++) {
		const struct group_summary *group = &summary->groups[i];
		size_t first = 0;

		while (first < group->run_count && !group->runs[first].overloaded)
			first++;
		if (first == group->run_count)
			continue;
		buf_printf(&where, "%s%s", where.size ? ", " : "", group->name);
		if (group->runs[first].kind == PHASE_POINT)
			buf_printf(&where, " from %u %%", group->runs[first].percent);
	}
	if (where.size)
		summary->overload = xasprintf("Offered more than the drive took, so that due requests were not sent and "
			"latency from the due time grows with the length of the run: %s.", where.text);
}

void summary_conclude(struct summary *summary)
{
	doubt_unfinished(summary);
	doubt_missing(summary);
	for (size_t i = 0; i < summary->group_count; i++) {
		find_peak(&summary->groups[i]);
		find_full_points(&summary->groups[i]);
		find_dirtiest(&summary->groups[i]);
		scale_endurance(summary, &summary->groups[i]);
		doubt_steady(summary, &summary->groups[i]);
		doubt_runs(summary, &summary->groups[i]);
		doubt_peak(summary, &summary->groups[i]);
	}
	note_overload(summary);
	if (!summary->phase_count)
		caveat(summary, "The result holds no phases.");
}

static uint64_t number(const char *text, uint64_t otherwise)
{
	char *end;
	unsigned long long value;

	if (!text || !isdigit((unsigned char)*text))
		return otherwise;
	value = strtoull(text, &end, 10);
	return *end ? otherwise : value;
}

/* "host, kernel 6.1.0, x86_64", of what was recorded. */
static char *read_host(struct result *result)
{
	static const char *const keys[][2] = { { "hostname", "" }, { "kernel", "kernel " },
					       { "machine", "" }, { "cpu", "" } };
	struct buf host = BUF_INIT;

	buf_puts(&host, "");
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const char *value = result_get_host(result, keys[i][0]);

		if (value && *value)
			buf_printf(&host, "%s%s%s", host.size ? ", " : "", keys[i][1], value);
	}
	return host.text;
}

/* How often this mark stands in the text of a drive file; comments do not count. */
static size_t count_marks(const char *text, const char *mark)
{
	size_t count = 0;

	for (const char *line = text; line && *line; line += strcspn(line, "\n"), line += *line != 0) {
		size_t length = strcspn(line, "\n");
		const char *first = line + strspn(line, " ");

		for (const char *at = strstr(first, mark); *first != '#' && at && at < line + length;
		     at = strstr(at + 1, mark))
			count++;
	}
	return count;
}

static void read_marks(struct result *result, struct summary *summary)
{
	const char *text = result_get(result, "drive_file");

	summary->spec_count = count_marks(text, "mark: spec");
	summary->fitted_count = count_marks(text, "mark: calibrated");
	summary->assumed_count = count_marks(text, "mark: assumed");
}

/* Older results do not say which command made them: one run without a curve is that of `run`. */
static bool is_single(struct result *result, const struct summary *summary)
{
	const char *invocation = result_get_host(result, "invocation");

	if (invocation && *invocation)
		return !strcmp(invocation, "run");
	return summary->group_count == 1 && !summary->groups->has_curve
		&& !summary->groups->steady.present;
}

static void read_identity(struct result *result, struct summary *summary)
{
	const char *target = result_get(result, "target"), *drive = result_get(result, "drive");
	const char *model = result_get(result, "drive_model");

	summary->target = copy(target);
	summary->drive = copy(drive ? drive : target);
	summary->heading = copy(model ? model : target);
	summary->arrivals = copy(result_get(result, "arrivals"));
	summary->description = copy(result_get(result, "target_description"));
	summary->bed = copy(result_get(result, "bed"));
	summary->seed = copy(result_get(result, "seed"));
	summary->version = copy(result_get(result, "version"));
	summary->plan = copy(result_get(result, "plan"));
	summary->plan_help = copy(result_get(result, "plan_help"));
	summary->plan_source = copy(result_get(result, "plan_source"));
	summary->started = copy(result_get_host(result, "started"));
	summary->host = read_host(result);
	summary->modelled = number(result_get(result, "model"), 0) != 0;
	summary->scale = number(result_get(result, "scale"), 1);
	if (summary->scale == 0)
		summary->scale = 1;
	summary->full_size_bytes = number(result_get(result, "full_size_bytes"), 0);
	summary->tail_bytes = number(result_get(result, "tail_bytes"), 0);
	summary->size_bytes = number(result_get(result, "size_bytes"),
				     summary->full_size_bytes / summary->scale);
}

static int read_phase(struct result *result, struct summary *summary, size_t index)
{
	struct result_phase phase = { 0 };
	struct window *windows = NULL;
	uint64_t *rounds = NULL;
	size_t window_count = 0, round_count = 0;
	int err = result_phase_read(result, index, &phase);

	if (err)
		return err;
	if (phase.kind == PHASE_RUN || phase.kind == PHASE_ROUNDS)
		err = result_windows_read(result, index, &windows, &window_count);
	if (!err && phase.kind == PHASE_ROUNDS)
		err = result_rounds_read(result, index, &rounds, &round_count);
	if (!err)
		summary_add(summary, &phase, windows, window_count, rounds, round_count);
	free(windows);
	free(rounds);
	result_phase_free(&phase);
	return err;
}

static int read_workloads(struct result *result, struct summary *summary)
{
	struct plan *plan;
	int err = result_plan_read(result, &plan);

	if (err)
		return err;
	for (size_t i = 0; i < plan->workload_count; i++)
		summary_add_workload(summary, plan->workloads[i]);
	plan_free(plan);
	return 0;
}

int summary_read(struct result *result, struct summary **out)
{
	struct summary *summary = summary_new();
	size_t count;
	int err = result_phase_count(result, &count);

	read_identity(result, summary);
	if (!err)
		err = read_workloads(result, summary);
	for (size_t i = 0; !err && i < count; i++)
		err = read_phase(result, summary, i);
	if (err) {
		summary_free(summary);
		return err;
	}
	read_marks(result, summary);
	summary->single = is_single(result, summary);
	summary_conclude(summary);
	*out = summary;
	return 0;
}

static void group_free(struct group_summary *group)
{
	for (size_t i = 0; i < group->run_count; i++) {
		free(group->runs[i].name);
		free(group->runs[i].note);
	}
	free(group->runs);
	free(group->steady.rounds);
	series_clear(&group->series);
	free(group->name);
	free(group->title);
	free(group->plan);
	free(group->workload);
}

void summary_free(struct summary *summary)
{
	if (!summary)
		return;
	for (size_t i = 0; i < summary->group_count; i++)
		group_free(&summary->groups[i]);
	for (size_t i = 0; i < summary->phase_count; i++) {
		free(summary->phases[i].name);
		free(summary->phases[i].note);
		free(summary->phases[i].workload);
	}
	for (size_t i = 0; i < summary->caveat_count; i++)
		free(summary->caveats[i]);
	for (size_t i = 0; i < summary->workload_count; i++) {
		free(summary->workloads[i].name);
		free(summary->workloads[i].help);
		free(summary->workloads[i].source);
		free(summary->workloads[i].sends);
	}
	free(summary->workloads);
	free(summary->arrivals);
	free(summary->drive);
	free(summary->heading);
	free(summary->plan_help);
	free(summary->overload);
	free(summary->plan_source);
	free(summary->groups);
	free(summary->phases);
	free(summary->caveats);
	free(summary->target);
	free(summary->description);
	free(summary->bed);
	free(summary->seed);
	free(summary->version);
	free(summary->plan);
	free(summary->host);
	free(summary->started);
	free(summary->label);
	free(summary);
}

static bool differ(struct summary *const *summaries, size_t count, size_t which,
		   char *(*text)(const struct summary *))
{
	bool found = false;
	char *mine = text(summaries[which]);

	for (size_t i = 0; i < count && !found; i++) {
		char *theirs = text(summaries[i]);

		found = i != which && !strcmp(summaries[i]->drive, summaries[which]->drive)
			&& strcmp(mine, theirs);
		free(theirs);
	}
	free(mine);
	return found;
}

static char *seed_text(const struct summary *summary)
{
	return xasprintf("seed %s", summary->seed);
}

static char *bed_text(const struct summary *summary)
{
	return xasprintf("bed %s", summary->bed);
}

static char *scale_text(const struct summary *summary)
{
	return xasprintf("1/%llu size", (unsigned long long)summary->scale);
}

static char *plan_text(const struct summary *summary)
{
	return xasprintf("plan %s", summary->plan);
}

static bool label_taken(struct summary *const *summaries, size_t count, const char *label)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(summaries[i]->label, label))
			return true;
	return false;
}

void summary_label(struct summary *const *summaries, size_t count)
{
	char *(*const texts[])(const struct summary *) = { bed_text, scale_text, seed_text,
							   plan_text };

	for (size_t i = 0; i < count; i++) {
		char *label = xstrdup(*summaries[i]->drive ? summaries[i]->drive : "unnamed");

		for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++) {
			char *detail, *longer;

			if (!differ(summaries, count, i, texts[k]))
				continue;
			detail = texts[k](summaries[i]);
			longer = xasprintf("%s, %s", label, detail);
			free(detail);
			free(label);
			label = longer;
		}
		if (label_taken(summaries, i, label)) {
			char *longer = xasprintf("%s (%zu)", label, i + 1);

			free(label);
			label = longer;
		}
		free(summaries[i]->label);
		summaries[i]->label = label;
	}
}

const char *summary_order(const struct summary *summary)
{
	size_t maxima = 0, after_rounds = 0, after_steady = 0;

	for (size_t i = 0; i < summary->group_count; i++) {
		if (!summary->groups[i].has_curve || summary->groups[i].maximum == SUMMARY_NONE)
			continue;
		maxima++;
		after_rounds += summary->groups[i].after_rounds;
		after_steady += summary->groups[i].after_steady;
	}
	if (!maxima)
		return NULL;
	if (after_steady == maxima)
		return "in steady state (the stricter order)";
	if (!after_rounds)
		return "before steady state (the published order)";
	return after_rounds == maxima ? "after preconditioning that did not always become steady"
				      : "some before steady state, some after preconditioning";
}

const struct group_summary *summary_group(const struct summary *summary, const char *name)
{
	for (size_t i = 0; i < summary->group_count; i++)
		if (!strcmp(summary->groups[i].name, name))
			return &summary->groups[i];
	return NULL;
}

static bool listed(const char **names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

const char **summary_groups(struct summary *const *summaries, size_t count, size_t *group_count)
{
	const char **names = NULL;
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < summaries[i]->group_count; k++) {
			const char *name = summaries[i]->groups[k].name;

			if (listed(names, found, name))
				continue;
			names = xrealloc(names, (found + 1) * sizeof(*names));
			names[found++] = name;
		}
	}
	*group_count = found;
	return names;
}

const struct run_summary *group_peak(const struct group_summary *group)
{
	return group->peak == SUMMARY_NONE ? NULL : &group->runs[group->peak];
}

const struct run_summary *group_maximum(const struct group_summary *group)
{
	return group->maximum == SUMMARY_NONE ? NULL : &group->runs[group->maximum];
}
