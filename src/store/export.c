/*
 * export.c - a result as CSV: RFC 4180 quoting, lines that end with a newline alone.
 *
 * Every figure is made of integers by integer arithmetic and written without the locale, so
 * that equal results give equal bytes everywhere. A cell is empty where there is no value:
 * no request, a percentile with fewer than ten values above it, a target that cannot tell.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "store/export_fio.h"
#include "store/file.h"

enum { NS_PER_S = 1000000000, FEW_ABOVE = 10 };

struct csv {
	FILE *out;
	bool inside; /* a line */
};

/* Cells */

static void put_raw(struct csv *csv, const char *text)
{
	if (csv->inside)
		fputc(',', csv->out);
	fputs(text, csv->out);
	csv->inside = true;
}

static void put_none(struct csv *csv)
{
	put_raw(csv, "");
}

static void put_line_end(struct csv *csv)
{
	fputc('\n', csv->out);
	csv->inside = false;
}

static void put_text(struct csv *csv, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		put_raw(csv, text);
		return;
	}
	put_raw(csv, "\"");
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', csv->out);
		fputc(*text, csv->out);
	}
	fputc('"', csv->out);
}

static void put_u64(struct csv *csv, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	put_raw(csv, text);
}

static void put_bool(struct csv *csv, bool value)
{
	put_raw(csv, value ? "1" : "0");
}

static uint64_t power_of_ten(unsigned exponent)
{
	uint64_t power = 1;

	while (exponent-- > 0)
		power *= 10;
	return power;
}

/* above / below, rounded half up to so many decimals (at most 9), without idle zeros. */
static void put_ratio(struct csv *csv, unsigned __int128 above, uint64_t below, unsigned decimals)
{
	uint64_t scale = power_of_ten(decimals);
	unsigned __int128 whole, rest;
	char digits[U128_BYTES], text[U128_BYTES + 16];

	if (below == 0) {
		put_none(csv);
		return;
	}
	whole = above / below;
	rest = (above % below * scale * 2 + below) / ((unsigned __int128)below * 2);
	if (rest == scale) {
		whole++;
		rest = 0;
	}
	for (; decimals > 0 && rest % 10 == 0; decimals--)
		rest /= 10;
	u128_text(whole, digits);
	if (decimals == 0)
		snprintf(text, sizeof(text), "%s", digits);
	else
		snprintf(text, sizeof(text), "%s.%0*" PRIu64, digits, (int)decimals, (uint64_t)rest);
	put_raw(csv, text);
}

static void put_seconds(struct csv *csv, uint64_t ns)
{
	put_ratio(csv, ns, NS_PER_S, 9);
}

static void put_us(struct csv *csv, uint64_t ns)
{
	put_ratio(csv, ns, 1000, 3);
}

static void put_us_unless(struct csv *csv, bool none, uint64_t ns)
{
	if (none)
		put_none(csv);
	else
		put_us(csv, ns);
}

static void put_u64_if(struct csv *csv, bool known, uint64_t value)
{
	if (known)
		put_u64(csv, value);
	else
		put_none(csv);
}

/* To six decimals. What + - * / alone have made is the same bits everywhere, and so is this. */
static void put_real(struct csv *csv, double value)
{
	double millionths = value * 1e6;

	if (millionths < 0 || millionths > 9e15)
		put_none(csv);
	else
		put_ratio(csv, (uint64_t)(millionths + 0.5), 1000000, 6);
}

/* Latency of a whole phase */

static void put_mean(struct csv *csv, const struct latency *latency)
{
	put_ratio(csv, latency->count ? latency->sum_ns : 0,
		  latency->count > UINT64_MAX / 1000 ? 0 : latency->count * 1000, 3);
}

static void put_stddev(struct csv *csv, const struct latency *latency)
{
	double stddev = latency_stddev_ns(latency);

	if (latency->count == 0 || !(stddev >= 0 && stddev < 9e18))
		put_none(csv);
	else
		put_us(csv, (uint64_t)(stddev + 0.5));
}

static void put_quantiles(struct csv *csv, const struct latency *latency, const struct hist *hist)
{
	static const uint32_t ppm[] = { 500000, 900000, 990000, 999000, 999900, 999990 };

	for (size_t i = 0; i < sizeof(ppm) / sizeof(ppm[0]); i++) {
		uint64_t above, ns = latency_quantile(latency, hist, ppm[i], &above);

		put_us_unless(csv, hist->count == 0 || above < FEW_ABOVE, ns);
	}
}

#define QUANTILES(of) of "p50_us," of "p90_us," of "p99_us," of "p999_us," of "p9999_us," of "p99999_us,"

/* Tables */

static int export_texts(struct result *result, struct csv *csv)
{
	struct result_text *texts;
	size_t count;
	int err = result_texts_read(result, false, &texts, &count);

	for (size_t i = 0; i < count; i++) {
		put_text(csv, texts[i].key);
		put_text(csv, texts[i].value);
		put_line_end(csv);
	}
	result_texts_free(texts, count);
	return err;
}

static void put_mix(struct csv *csv, const struct size_mix *mix)
{
	_cleanup_buf_ struct buf text = BUF_INIT;

	mix_text(mix, &text);
	put_raw(csv, text.text);
}

static int export_workloads(struct result *result, struct csv *csv)
{
	struct workload *rows;
	size_t count;
	int err = file_read_rows(result, &table_workloads, PHASE_ANY, sizeof(*rows), &rows, &count);

	for (size_t i = 0; i < count; i++) {
		const struct workload *row = &rows[i];

		put_text(csv, row->name);
		put_u64(csv, row->read_percent);
		put_u64(csv, row->trim_percent);
		put_raw(csv, pattern_words[row->pattern]);
		put_u64(csv, row->random_percent);
		put_ratio(csv, row->zipf_theta_milli, 1000, 3);
		put_mix(csv, &row->read_sizes);
		put_mix(csv, &row->write_sizes);
		put_u64(csv, row->align_bytes);
		put_u64(csv, row->threads);
		put_u64(csv, row->depth);
		put_ratio(csv, row->span_millipercent, 1000, 3);
		put_u64(csv, row->zeroes_percent);
		put_u64(csv, row->compress_percent);
		put_u64(csv, row->offset_bytes);
		put_u64(csv, row->span_bytes);
		put_bool(csv, row->shares_span);
		put_u64(csv, row->thread_step_bytes);
		put_u64(csv, row->flush_writes);
		put_text(csv, row->help);
		put_text(csv, row->source);
		put_line_end(csv);
	}
	file_free_rows(&table_workloads, sizeof(*rows), rows, count);
	return err;
}

/* Not the text: like that of the drive, it is a file of its own. */
static int export_applications(struct result *result, struct csv *csv)
{
	struct application *rows;
	size_t count;
	int err = file_read_rows(result, &table_applications, PHASE_ANY, sizeof(*rows), &rows, &count);

	for (size_t i = 0; i < count; i++) {
		put_text(csv, rows[i].name);
		put_seconds(csv, rows[i].time_ns);
		put_text(csv, rows[i].help);
		put_text(csv, rows[i].source);
		put_line_end(csv);
	}
	file_free_rows(&table_applications, sizeof(*rows), rows, count);
	return err;
}

static void put_phase_head(struct csv *csv, const struct result_phase *phase)
{
	put_u64(csv, phase->index);
	put_text(csv, phase->name);
}

#define PHASE_HEAD "phase,name,"

/* What was asked for. */
static void put_phase_asked(struct csv *csv, const struct result_phase *phase)
{
	bool point = phase->kind == PHASE_POINT;

	put_text(csv, phase->group);
	put_raw(csv, phase_kind_words[phase->kind]);
	put_text(csv, phase->workload);
	put_u64_if(csv, point, phase->percent);
	put_u64_if(csv, (point || phase->kind == PHASE_RUN) && phase->outcome.offered_iops > 0,
		   phase->outcome.offered_iops);
}

#define PHASE_ASKED "group,kind,workload,percent,offered_iops,"

static void put_phase_plan(struct csv *csv, const struct result_phase *phase)
{
	bool fill = phase->kind == PHASE_FILL, rounds = phase->kind == PHASE_ROUNDS;

	put_u64(csv, phase->chain);
	put_u64_if(csv, phase->kind == PHASE_POINT, phase->base);
	put_seconds(csv, phase->duration_ns);
	put_seconds(csv, phase->window_ns);
	put_u64(csv, phase->outstanding);
	put_u64_if(csv, fill, phase->passes);
	put_u64_if(csv, fill, phase->fill_bytes);
	put_u64_if(csv, rounds, phase->round_max);
	if (rounds)
		put_ratio(csv, phase->min_fill_millipercent, 1000, 3);
	else
		put_none(csv);
	put_u64_if(csv, phase->max_bytes, phase->max_bytes);
	put_bool(csv, phase->is_beside);
}

#define PHASE_PLAN "chain,base,duration_s,window_s,outstanding_most,passes,fill_bytes,round_max," \
	"min_fill_percent,max_bytes,beside,"

static void put_stats(struct csv *csv, const struct stats *stats)
{
	unsigned __int128 ios = 0, bytes = 0;

	for (int op = 0; op < IO_OP_COUNT; op++) {
		ios += stats->ios[op];
		bytes += stats->bytes[op];
	}
	put_seconds(csv, stats->elapsed_ns);
	for (int op = 0; op < IO_OP_COUNT; op++)
		put_u64(csv, stats->ios[op]);
	put_u64(csv, stats->bytes[IO_READ]);
	put_u64(csv, stats->bytes[IO_WRITE]);
	put_u64(csv, stats->bytes[IO_TRIM]);
	put_u64(csv, stats->bytes[IO_WRITE_ZEROES]);
	put_u64(csv, stats->errors);
	put_u64(csv, stats->unfinished);
	put_u64(csv, stats->unissued);
	put_ratio(csv, ios * NS_PER_S, stats->elapsed_ns, 3);
	put_ratio(csv, bytes * NS_PER_S, stats->elapsed_ns, 0);
	put_ratio(csv, stats->outstanding_ns, stats->elapsed_ns, 3);
}

#define STATS "elapsed_s,read_ios,write_ios,trim_ios,flush_ios,write_zeroes_ios,read_bytes," \
	"write_bytes,trim_bytes,write_zeroes_bytes,errors,unfinished,unissued,iops,bytes_per_s,outstanding,"

static void put_latencies(struct csv *csv, const struct stats *stats)
{
	put_mean(csv, &stats->from_submit);
	put_stddev(csv, &stats->from_submit);
	put_us_unless(csv, stats->from_submit.count == 0, stats->from_submit.min_ns);
	put_quantiles(csv, &stats->from_submit, &stats->hist_submit);
	put_us_unless(csv, stats->from_submit.count == 0, stats->from_submit.max_ns);
	put_mean(csv, &stats->from_due);
	put_quantiles(csv, &stats->from_due, &stats->hist_due);
	put_us_unless(csv, stats->from_due.count == 0, stats->from_due.max_ns);
	put_us(csv, stats->late_max_ns);
	put_mean(csv, &stats->read_from_submit);
	put_us_unless(csv, stats->read_from_submit.count == 0, stats->read_from_submit.max_ns);
	put_mean(csv, &stats->write_from_submit);
	put_us_unless(csv, stats->write_from_submit.count == 0, stats->write_from_submit.max_ns);
}

#define LATENCIES "mean_us,stddev_us,min_us," QUANTILES("") "max_us," \
	"due_mean_us," QUANTILES("due_") "due_max_us,late_max_us," \
	"read_mean_us,read_max_us,write_mean_us,write_max_us,"

static void put_verdict(struct csv *csv, const struct result_phase *phase)
{
	const struct steady *steady = &phase->outcome.steady;
	bool rounds = phase->kind == PHASE_ROUNDS && phase->outcome.status == PHASE_DONE;

	put_bool(csv, phase->outcome.sustained);
	if (!rounds) {
		for (int i = 0; i < 5; i++)
			put_none(csv);
		return;
	}
	put_bool(csv, steady->steady);
	put_u64(csv, steady->first);
	put_real(csv, steady->average);
	put_real(csv, steady->range_share);
	put_real(csv, steady->slope_share);
}

#define VERDICT "sustained,steady,steady_first,steady_average,steady_range_share,steady_slope_share,"

static void put_busy(struct csv *csv, const struct phase_result *outcome)
{
	const struct usage *usage = &outcome->usage;
	const uint64_t busy_ns[] = {
		usage->dies_ns, usage->channels_ns, usage->controller_read_ns,
		usage->controller_write_ns, usage->link_read_ns, usage->link_write_ns, usage->bed_ns,
	};

	for (size_t i = 0; i < sizeof(busy_ns) / sizeof(busy_ns[0]); i++)
		put_ratio(csv, busy_ns[i], outcome->has_usage ? outcome->stats.elapsed_ns : 0, 6);
}

#define BUSY "dies_busy,channels_busy,controller_read_busy,controller_write_busy,link_read_busy," \
	"link_write_busy,bed_busy,"

static void put_health(struct csv *csv, const struct phase_result *outcome)
{
	const struct health *health = &outcome->health;
	const uint64_t counters[] = {
#define HEALTH_VALUE(member, how, version) health->member,
		HEALTH_COUNTERS(HEALTH_VALUE)
#undef HEALTH_VALUE
	};

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		put_u64_if(csv, outcome->has_health, counters[i]);
	put_ratio(csv, health->nand_written_bytes,
		  outcome->has_health ? health->host_written_bytes : 0, 3);
}

#define HEALTH_NAME(member, how, version) #member ","
#define HEALTH HEALTH_COUNTERS(HEALTH_NAME) "waf,"

static int export_phase(struct result *result, const struct result_phase *phase, struct csv *csv)
{
	(void)result;
	put_phase_head(csv, phase);
	put_phase_asked(csv, phase);
	put_raw(csv, phase_status_words[phase->outcome.status]);
	put_phase_plan(csv, phase);
	put_stats(csv, &phase->outcome.stats);
	put_latencies(csv, &phase->outcome.stats);
	put_verdict(csv, phase);
	put_busy(csv, &phase->outcome);
	put_health(csv, &phase->outcome);
	put_text(csv, phase->outcome.note ? phase->outcome.note : "");
	put_line_end(csv);
	return 0;
}

static int export_rounds(struct result *result, const struct result_phase *phase, struct csv *csv)
{
	uint64_t *rounds;
	size_t count;
	int err = result_rounds_read(result, phase->index, &rounds, &count);

	for (size_t i = 0; i < count; i++) {
		put_phase_head(csv, phase);
		put_u64(csv, i);
		put_u64(csv, rounds[i]);
		put_line_end(csv);
	}
	free(rounds);
	return err;
}

static int export_figures(struct result *result, const struct result_phase *phase, struct csv *csv)
{
	struct merits merits;
	int err = result_figures_read(result, phase->index, &merits);

	for (size_t i = 0; i < merits.count; i++) {
		put_phase_head(csv, phase);
		put_text(csv, phase->application ? phase->application : "");
		put_text(csv, merits.rows[i].name);
		put_text(csv, merits.rows[i].unit);
		put_real(csv, merits.rows[i].value);
		put_line_end(csv);
	}
	merits_clear(&merits);
	return err;
}

static void put_window(struct csv *csv, const struct window *window)
{
	bool none = window->ios == 0;

	put_seconds(csv, window->start_ns);
	put_seconds(csv, window->elapsed_ns);
	put_u64(csv, window->ios);
	put_u64(csv, window->read_ios);
	put_u64(csv, window->errors);
	put_ratio(csv, (unsigned __int128)window->ios * NS_PER_S, window->elapsed_ns, 3);
	put_ratio(csv, (unsigned __int128)window->bytes * NS_PER_S, window->elapsed_ns, 0);
	put_us_unless(csv, none, window->mean_ns);
	put_us_unless(csv, none, window->stddev_ns);
	put_us_unless(csv, none || !window->p50_ns, window->p50_ns);
	put_us_unless(csv, none || !window->p99_ns, window->p99_ns);
	put_us_unless(csv, none || !window->p999_ns, window->p999_ns);
	put_us_unless(csv, none, window->max_ns);
	put_us_unless(csv, !window->due_p99_ns, window->due_p99_ns);
	put_us_unless(csv, !window->due_max_ns, window->due_max_ns);
	put_ratio(csv, window->outstanding_milli, 1000, 3);
	put_ratio(csv, window->waf_milli, window->waf_milli ? 1000 : 0, 3);
}

#define WINDOW "start_s,elapsed_s,ios,read_ios,errors,iops,bytes_per_s,mean_us,stddev_us,p50_us," \
	"p99_us,p999_us,max_us,due_p99_us,due_max_us,outstanding,waf"

static int export_windows(struct result *result, const struct result_phase *phase, struct csv *csv)
{
	struct window *windows;
	size_t count;
	int err = result_windows_read(result, phase->index, &windows, &count);

	for (size_t i = 0; i < count; i++) {
		put_phase_head(csv, phase);
		put_phase_asked(csv, phase);
		put_u64(csv, i);
		put_window(csv, &windows[i]);
		put_line_end(csv);
	}
	free(windows);
	return err;
}

static void put_buckets(struct csv *csv, const struct result_phase *phase, const char *from,
			const struct hist *hist)
{
	for (uint32_t i = hist->low; i < hist->high; i++) {
		if (hist->buckets[i] == 0)
			continue;
		put_phase_head(csv, phase);
		put_raw(csv, from);
		put_us(csv, hist_value(i));
		put_u64(csv, hist->buckets[i]);
		put_line_end(csv);
	}
}

static int export_histogram(struct result *result, const struct result_phase *phase,
			    struct csv *csv)
{
	(void)result;
	put_buckets(csv, phase, "submit", &phase->outcome.stats.hist_submit);
	put_buckets(csv, phase, "due", &phase->outcome.stats.hist_due);
	return 0;
}

struct export {
	const char *name, *header;
	int (*whole)(struct result *result, struct csv *csv);
	int (*by_phase)(struct result *result, const struct result_phase *phase, struct csv *csv);
};

static const struct export exports[] = {
	{ "meta", "key,value", export_texts, NULL },
	{ "workloads", "name,read_percent,trim_percent,pattern,random_percent,zipf_theta,read_sizes,"
	  "write_sizes,align_bytes,threads,depth,span_percent,zeroes_percent,compress_percent,"
	  "offset_bytes,span_bytes,shares_span,thread_step_bytes,flush_writes,help,source",
	  export_workloads, NULL },
	{ "phases", PHASE_HEAD PHASE_ASKED "status," PHASE_PLAN STATS LATENCIES VERDICT BUSY HEALTH
	  "note", NULL, export_phase },
	{ "applications", "name,time_s,help,source", export_applications, NULL },
	{ "figures", PHASE_HEAD "application,figure,unit,value", NULL, export_figures },
	{ "rounds", PHASE_HEAD "round,value", NULL, export_rounds },
	{ "windows", PHASE_HEAD PHASE_ASKED "window," WINDOW, NULL, export_windows },
	{ "histogram", PHASE_HEAD "from,latency_us,ios", NULL, export_histogram },
};

enum { EXPORTS = sizeof(exports) / sizeof(exports[0]) };

static int each_phase(struct result *result, const struct export *export, struct csv *csv)
{
	struct result_phase *phase = xcalloc(1, sizeof(*phase));
	size_t count;
	int err = result_phase_count(result, &count);

	for (size_t i = 0; !err && i < count; i++) {
		err = result_phase_read(result, i, phase);
		if (!err) {
			err = export->by_phase(result, phase, csv);
			result_phase_free(phase);
		}
	}
	free(phase);
	return err;
}

static int export_one(struct result *result, const struct export *export, struct csv *csv)
{
	put_raw(csv, export->header);
	put_line_end(csv);
	return export->whole ? export->whole(result, csv) : each_phase(result, export, csv);
}

/* What is read until snapshot_end() is as of one moment, also while somebody writes. */
static int snapshot_begin(struct result *result)
{
	int err = file_flush(result);

	if (!err)
		err = file_attach(result);
	return err ? err : file_exec(result, "BEGIN");
}

static void snapshot_end(struct result *result)
{
	sqlite3_exec(result->db, "ROLLBACK", NULL, NULL, NULL); /* it only read */
}

static int export_some(struct result *result, const struct export *first,
		       const struct export *end, FILE *out)
{
	struct csv csv = { .out = out };
	int err = snapshot_begin(result);

	if (err)
		return err;
	for (const struct export *export = first; !err && export < end; export++) {
		if (export > first)
			put_line_end(&csv);
		err = export_one(result, export, &csv);
	}
	snapshot_end(result);
	return err;
}

int result_export_fio(struct result *result, FILE *out)
{
	int err = snapshot_begin(result);

	if (err)
		return err;
	err = export_fio(result, out);
	snapshot_end(result);
	return err;
}

int result_export_csv(struct result *result, FILE *out)
{
	return export_some(result, exports, exports + EXPORTS, out);
}

int result_export_csv_table(struct result *result, const char *table, FILE *out)
{
	_cleanup_buf_ struct buf names = BUF_INIT;

	for (size_t i = 0; i < EXPORTS; i++) {
		if (strcmp(exports[i].name, table) == 0)
			return export_some(result, &exports[i], &exports[i] + 1, out);
		buf_printf(&names, "%s%s", i == 0 ? "" : i == EXPORTS - 1 ? " or " : ", ",
			   exports[i].name);
	}
	return fail(EINVAL, "there is no table '%s'; try %s", table, names.text);
}
