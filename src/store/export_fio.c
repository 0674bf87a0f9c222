/*
 * export_fio.c - a result in the shape of fio 3.33's JSON, so that what reads that reads this.
 *
 * A job is a phase that sent requests. What fio has no name for stands in "drivebay" objects; what
 * drivebay does not keep is 0 or left out, never made up: no submission latency apart (slat_ns),
 * no processor time of the load (usr_cpu), no distribution of depths (the level that holds the
 * mean has all). Numbers are written with six decimals whatever the locale, and a model's times are
 * those of its clock, so that equal results give equal bytes.
 */
#include "store/export_fio.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "base/units.h"
#include "store/file.h"

enum { DIRECTIONS = 3, NS_PER_MS = 1000000, NS_PER_S = 1000000000, KIB = 1024 };

/* ---- values ---- */

static void put(struct json_object *object, const char *key, struct json_object *value)
{
	json_object_object_add(object, key, value);
}

static void put_number(struct json_object *object, const char *key, uint64_t value)
{
	put(object, key, json_object_new_uint64(value));
}

static struct json_object *real(double value)
{
	char text[64];

	if (!isfinite(value))
		value = 0;
	snprintf(text, sizeof(text), "%.6f", value);
	for (char *c = text; *c; c++)
		if (*c == ',') /* the locale's point */
			*c = '.';
	return json_object_new_double_s(value, text);
}

static void put_real(struct json_object *object, const char *key, double value)
{
	put(object, key, real(value));
}

static void put_text(struct json_object *object, const char *key, const char *text)
{
	put(object, key, json_object_new_string(text));
}

static struct json_object *put_object(struct json_object *object, const char *key)
{
	struct json_object *inner = json_object_new_object();

	put(object, key, inner);
	return inner;
}

static void put_printf(struct json_object *object, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void put_printf(struct json_object *object, const char *key, const char *format, ...)
{
	char text[128];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	put_text(object, key, text);
}

/* ---- latency ---- */

/* Of one direction: `hist` is NULL where its values are not told apart from others'. */
struct direction {
	enum io_op op;
	const char *name;
	struct latency latency;
	bool has_extremes;
	const struct hist *hist;
};

static void put_percentiles(struct json_object *object, const struct direction *direction)
{
	static const uint32_t ppm[] = { 10000, 50000, 100000, 200000, 300000, 400000, 500000, 600000,
					700000, 800000, 900000, 950000, 990000, 995000, 999000, 999500,
					999900 };
	struct json_object *list = put_object(object, "percentile");

	for (size_t i = 0; i < sizeof(ppm) / sizeof(ppm[0]); i++) {
		char key[16];

		snprintf(key, sizeof(key), "%u.%06u", ppm[i] / 10000, ppm[i] % 10000 * 100);
		put_number(list, key, latency_quantile(&direction->latency, direction->hist, ppm[i], NULL));
	}
}

static void put_bins(struct json_object *object, const struct hist *hist)
{
	struct json_object *bins = put_object(object, "bins");

	for (uint32_t i = hist->low; i < hist->high; i++) {
		char key[24];

		if (!hist->buckets[i])
			continue;
		snprintf(key, sizeof(key), "%" PRIu64, hist_value(i));
		put_number(bins, key, hist->buckets[i]);
	}
}

static struct json_object *put_latency(struct json_object *object, const char *key,
				       const struct direction *direction)
{
	const struct latency *latency = &direction->latency;
	struct json_object *inner = put_object(object, key);

	if (direction->has_extremes || !latency->count) {
		put_number(inner, "min", latency->count ? latency->min_ns : 0);
		put_number(inner, "max", latency->max_ns);
	} else { /* not known apart */
		put(inner, "min", NULL);
		put(inner, "max", NULL);
	}
	put_real(inner, "mean", latency_mean_ns(latency));
	put_real(inner, "stddev", latency_stddev_ns(latency));
	put_number(inner, "N", latency->count);
	return inner;
}

/* ---- series ---- */

struct spread {
	double min, max, sum, square_sum;
	size_t count;
};

static void spread_add(struct spread *spread, double value)
{
	if (!spread->count || value < spread->min)
		spread->min = value;
	if (!spread->count || value > spread->max)
		spread->max = value;
	spread->sum += value;
	spread->square_sum += value * value;
	spread->count++;
}

static double spread_mean(const struct spread *spread)
{
	return spread->count ? spread->sum / (double)spread->count : 0;
}

static double spread_deviation(const struct spread *spread)
{
	double mean = spread_mean(spread);
	double variance = spread->count ? spread->square_sum / (double)spread->count - mean * mean : 0;

	return variance > 0 ? sqrt(variance) : 0;
}

/* The windows tell reads from the rest, whose share in them is that of the whole phase. */
static double window_ios(const struct window *window, const struct stats *stats, enum io_op op)
{
	uint64_t others = 0;

	if (op == IO_READ)
		return (double)window->read_ios;
	for (int i = 0; i < IO_OP_COUNT; i++)
		others += i == IO_READ ? 0 : stats->ios[i];
	return others ? (double)(window->ios - window->read_ios) * (double)stats->ios[op] / (double)others :
			0;
}

static void put_series(struct json_object *object, const struct stats *stats, enum io_op op,
		       const struct window *windows, size_t count)
{
	struct spread iops = { 0 }, kib = { 0 };
	double mean_kib = stats->ios[op] ? (double)stats->bytes[op] / (double)stats->ios[op] / KIB : 0;

	for (size_t i = 0; stats->ios[op] && i < count; i++) {
		double rate = windows[i].elapsed_ns ? window_ios(&windows[i], stats, op) * 1e9 /
							      (double)windows[i].elapsed_ns : 0;

		spread_add(&iops, rate);
		spread_add(&kib, rate * mean_kib);
	}
	put_number(object, "bw_min", (uint64_t)kib.min);
	put_number(object, "bw_max", (uint64_t)kib.max);
	put_real(object, "bw_agg", kib.count ? 100 : 0);
	put_real(object, "bw_mean", spread_mean(&kib));
	put_real(object, "bw_dev", spread_deviation(&kib));
	put_number(object, "bw_samples", kib.count);
	put_number(object, "iops_min", (uint64_t)iops.min);
	put_number(object, "iops_max", (uint64_t)iops.max);
	put_real(object, "iops_mean", spread_mean(&iops));
	put_real(object, "iops_stddev", spread_deviation(&iops));
	put_number(object, "iops_samples", iops.count);
}

/* ---- a direction ---- */

static void put_direction(struct json_object *job, const struct stats *stats,
			  const struct direction *direction, const struct window *windows, size_t count)
{
	uint64_t bytes = stats->bytes[direction->op], ios = stats->ios[direction->op];
	double seconds = (double)stats->elapsed_ns / 1e9;
	struct json_object *object = put_object(job, direction->name), *clat;
	const struct direction none = { .op = direction->op };

	put_number(object, "io_bytes", bytes);
	put_number(object, "io_kbytes", bytes / KIB);
	put_number(object, "bw_bytes", seconds > 0 ? (uint64_t)((double)bytes / seconds) : 0);
	put_number(object, "bw", seconds > 0 ? (uint64_t)((double)bytes / seconds / KIB) : 0);
	put_real(object, "iops", seconds > 0 ? (double)ios / seconds : 0);
	put_number(object, "runtime", ios ? stats->elapsed_ns / NS_PER_MS : 0);
	put_number(object, "total_ios", ios);
	put_number(object, "short_ios", 0);
	put_number(object, "drop_ios", 0);
	put_latency(object, "slat_ns", &none);
	clat = put_latency(object, "clat_ns", direction);
	if (direction->hist && direction->hist->count) {
		put_percentiles(clat, direction);
		put_bins(clat, direction->hist);
	}
	put_latency(object, "lat_ns", direction);
	put_series(object, stats, direction->op, windows, count);
}

/* What is in `all` and neither in `a` nor in `b`; the extremes are not known. */
static struct latency latency_rest(const struct latency *all, const struct latency *a,
				   const struct latency *b)
{
	return (struct latency){
		.count = all->count - a->count - b->count,
		.min_ns = UINT64_MAX,
		.sum_ns = all->sum_ns - a->sum_ns - b->sum_ns,
		.sum_square_ns = all->sum_square_ns - a->sum_square_ns - b->sum_square_ns,
	};
}

/* The histogram of the reads, or NULL: a file before version 4 does not have what it takes. */
static const struct hist *hist_of_reads(const struct stats *stats, struct hist *room)
{
	if (stats->hist_not_read.count + stats->ios[IO_READ] != stats->hist_submit.count)
		return NULL;
	*room = stats->hist_submit;
	room->count -= stats->hist_not_read.count;
	for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
		if (stats->hist_not_read.buckets[i] > room->buckets[i])
			return NULL;
		room->buckets[i] -= stats->hist_not_read.buckets[i];
	}
	return room;
}

static void put_directions(struct json_object *job, const struct stats *stats,
			   const struct window *windows, size_t count)
{
	_cleanup_free_ struct hist *room = xcalloc(1, sizeof(*room));
	uint64_t others = stats->ios[IO_FLUSH] + stats->ios[IO_WRITE_ZEROES];
	bool one_kind = !others && !stats->ios[IO_READ] && !stats->ios[IO_WRITE];
	const struct hist *reads = hist_of_reads(stats, room);
	const struct hist *rest = reads ? &stats->hist_not_read : NULL;
	struct direction list[DIRECTIONS] = {
		{ IO_READ, "read", stats->read_from_submit, true, reads },
		{ IO_WRITE, "write", stats->write_from_submit, true,
		  stats->ios[IO_TRIM] || others ? NULL : rest },
		{ IO_TRIM, "trim", { .min_ns = UINT64_MAX }, false,
		  stats->ios[IO_WRITE] || others ? NULL : rest },
	};

	if (one_kind) {
		list[2].latency = stats->from_submit;
		list[2].has_extremes = true;
	} else if (!others) {
		list[2].latency = latency_rest(&stats->from_submit, &stats->read_from_submit,
					       &stats->write_from_submit);
		list[2].latency.max_ns = stats->from_submit.max_ns; /* a bound for its percentiles */
		list[2].latency.min_ns = stats->from_submit.min_ns;
	}
	for (size_t i = 0; i < DIRECTIONS; i++)
		put_direction(job, stats, &list[i], windows, count);
}

static void put_sync(struct json_object *job, const struct stats *stats)
{
	struct json_object *object = put_object(job, "sync");
	const struct direction none = { .op = IO_FLUSH };

	put_number(object, "total_ios", stats->ios[IO_FLUSH]);
	put_latency(object, "lat_ns", &none);
}

/* ---- distributions ---- */

struct level {
	const char *name;
	uint64_t below; /* UINT64_MAX: all that is left */
};

static void put_levels(struct json_object *job, const char *key, const struct level *levels,
		       size_t count, double mean)
{
	struct json_object *object = put_object(job, key);
	bool found = mean <= 0;

	for (size_t i = 0; i < count; i++) {
		bool here = !found && mean < (double)levels[i].below;

		put_real(object, levels[i].name, here ? 100 : 0);
		found = found || here;
	}
}

static void put_depths(struct json_object *job, const struct stats *stats)
{
	static const struct level depth[] = { { "1", 2 }, { "2", 4 }, { "4", 8 }, { "8", 16 },
					      { "16", 32 }, { "32", 64 }, { ">=64", UINT64_MAX } };
	static const struct level batch[] = { { "0", 0 }, { "4", 8 }, { "8", 16 }, { "16", 32 },
					      { "32", 64 }, { "64", 65 }, { ">=64", UINT64_MAX } };
	double mean = stats_outstanding(stats);

	put_levels(job, "iodepth_level", depth, sizeof(depth) / sizeof(depth[0]), mean);
	put_levels(job, "iodepth_submit", batch, sizeof(batch) / sizeof(batch[0]), 0);
	put_levels(job, "iodepth_complete", batch, sizeof(batch) / sizeof(batch[0]), 0);
}

/* The share of requests up to each bound, and above the one before it. */
static void put_latencies(struct json_object *job, const struct hist *hist)
{
	static const struct {
		const char *key;
		uint64_t unit_ns;
		const char *bounds[13];
	} tables[] = {
		{ "latency_ns", 1, { "2", "4", "10", "20", "50", "100", "250", "500", "750", "1000" } },
		{ "latency_us", 1000, { "2", "4", "10", "20", "50", "100", "250", "500", "750", "1000" } },
		{ "latency_ms", 1000000, { "2", "4", "10", "20", "50", "100", "250", "500", "750", "1000",
					   "2000", ">=2000" } },
	};
	uint32_t bucket = 0;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		struct json_object *object = put_object(job, tables[i].key);

		for (size_t k = 0; tables[i].bounds[k]; k++) {
			const char *bound = tables[i].bounds[k];
			uint64_t below = *bound == '>' ? UINT64_MAX :
							 strtoull(bound, NULL, 10) * tables[i].unit_ns;
			uint64_t count = 0;

			for (; bucket < HIST_BUCKETS && hist_value(bucket) < below; bucket++)
				count += hist->buckets[bucket];
			put_real(object, bound, hist->count ? 100.0 * (double)count / (double)hist->count : 0);
		}
	}
}

/* ---- the job's options, as fio would write them ---- */

static void mix_words(const struct size_mix *mix, struct buf *out)
{
	uint64_t total = 0;

	for (size_t i = 0; i < mix->count; i++)
		total += mix->shares[i].weight;
	for (size_t i = 0; i < mix->count; i++)
		buf_printf(out, "%s%u/%" PRIu64, i ? ":" : "", mix->shares[i].size_bytes,
			   ((uint64_t)mix->shares[i].weight * 100 + total / 2) / total);
}

static void put_sizes(struct json_object *options, const struct workload *workload)
{
	const struct size_mix *read = workload->read_sizes.count ? &workload->read_sizes :
								   &workload->write_sizes;
	const struct size_mix *write = workload->write_sizes.count ? &workload->write_sizes : read;
	_cleanup_buf_ struct buf text = BUF_INIT;

	if (read->count == 1 && write->count == 1) {
		if (read->shares[0].size_bytes == write->shares[0].size_bytes)
			put_printf(options, "bs", "%u", read->shares[0].size_bytes);
		else
			put_printf(options, "bs", "%u,%u", read->shares[0].size_bytes,
				   write->shares[0].size_bytes);
		return;
	}
	mix_words(read, &text);
	buf_puts(&text, ",");
	mix_words(write, &text);
	put_text(options, "bssplit", text.text);
}

static const char *direction_word(const struct workload *workload)
{
	if (workload->read_percent == 100)
		return "read";
	if (workload->read_percent > 0)
		return "rw";
	return workload->trim_percent == 100 ? "trim" : workload->trim_percent ? "trimwrite" : "write";
}

static void put_workload(struct json_object *options, const struct workload *workload)
{
	bool is_random = workload->pattern != PATTERN_SEQUENTIAL && workload->random_percent > 0;

	put_printf(options, "rw", "%s%s", is_random ? "rand" : "", direction_word(workload));
	put_sizes(options, workload);
	put_printf(options, "iodepth", "%u", workload->depth);
	put_printf(options, "numjobs", "%u", workload->threads);
	if (workload->read_percent > 0 && workload->read_percent < 100)
		put_printf(options, "rwmixread", "%u", workload->read_percent);
	if (is_random && workload->random_percent < 100)
		put_printf(options, "percentage_random", "%u", workload->random_percent);
	if (workload->pattern == PATTERN_ZIPF)
		put_printf(options, "random_distribution", "zipf:%u.%03u", workload->zipf_theta_milli / 1000,
			   workload->zipf_theta_milli % 1000);
	if (workload->align_bytes)
		put_printf(options, "blockalign", "%u", workload->align_bytes);
	if (workload->compress_percent)
		put_printf(options, "buffer_compress_percentage", "%u", workload->compress_percent);
	put_printf(options, "size", "%" PRIu64 ".%03u%%", workload->span_millipercent / 1000,
		   (unsigned)(workload->span_millipercent % 1000));
}

static void put_options(struct json_object *job, const struct result_phase *phase,
			const struct workload *workload)
{
	struct json_object *options = put_object(job, "job options");

	put_text(options, "name", phase->name);
	if (phase->kind == PHASE_FILL) {
		put_text(options, "rw", "write");
		put_printf(options, "bs", "%u", phase->fill_bytes);
		put_printf(options, "loops", "%u", phase->passes);
		put_text(options, "iodepth", "1");
		put_text(options, "numjobs", "32"); /* see run_fill() */
		return;
	}
	if (workload)
		put_workload(options, workload);
	put_printf(options, "runtime", "%" PRIu64 ".%03" PRIu64 "s", phase->duration_ns / NS_PER_S,
		   phase->duration_ns % NS_PER_S / NS_PER_MS);
	if (phase->outcome.offered_iops)
		put_printf(options, "rate_iops", "%" PRIu64, phase->outcome.offered_iops);
}

/* ---- what fio has no name for ---- */

static void put_due(struct json_object *object, const struct stats *stats)
{
	const struct direction due = { IO_READ, "", stats->from_due, true, &stats->hist_due };
	struct json_object *inner = put_latency(object, "due_ns", &due);

	if (stats->hist_due.count)
		put_percentiles(inner, &due);
}

static void put_own(struct json_object *job, const struct result_phase *phase)
{
	const struct stats *stats = &phase->outcome.stats;
	struct json_object *own = put_object(job, "drivebay");

	put_text(own, "kind", phase_kind_words[phase->kind]);
	put_text(own, "status", phase_status_words[phase->outcome.status]);
	put_real(own, "outstanding", stats_outstanding(stats));
	put_number(own, "errors", stats->errors);
	put_number(own, "unfinished", stats->unfinished);
	put_number(own, "unissued", stats->unissued);
	put_number(own, "write_zeroes_ios", stats->ios[IO_WRITE_ZEROES]);
	put_number(own, "write_zeroes_bytes", stats->bytes[IO_WRITE_ZEROES]);
	put_due(own, stats);
	if (phase->outcome.note)
		put_text(own, "note", phase->outcome.note);
}

static void put_steady(struct json_object *job, const struct result_phase *phase,
		       const uint64_t *rounds, size_t count)
{
	const struct steady *steady = &phase->outcome.steady;
	struct json_object *object = put_object(job, "steadystate"), *data;
	struct json_object *values = json_object_new_array();

	put_text(object, "ss", "iops");
	put_number(object, "duration", phase->duration_ns / NS_PER_S * STEADY_ROUNDS);
	put_number(object, "attained", steady->steady);
	put_text(object, "criterion", "range 20%, slope 10% of five rounds");
	put_real(object, "max_deviation", steady->range_share * 100);
	put_real(object, "slope", steady->slope);
	data = put_object(object, "data");
	put_real(data, "iops_mean", steady->average);
	for (size_t i = 0; i < count; i++)
		json_object_array_add(values, json_object_new_uint64(rounds[i]));
	put(data, "iops", values);
}

/* ---- jobs ---- */

struct context {
	struct result *result;
	struct json_object *jobs;
	const struct workload *workloads;
	size_t workload_count;
	uint64_t ended_ns; /* of the last job, on the target's clock */
};

static const struct workload *workload_called(const struct context *context, const char *name)
{
	for (size_t i = 0; i < context->workload_count; i++)
		if (!strcmp(context->workloads[i].name, name))
			return &context->workloads[i];
	return NULL;
}

static bool sent_requests(const struct result_phase *phase)
{
	uint64_t ios = phase->outcome.stats.errors + phase->outcome.stats.unfinished;

	for (int op = 0; op < IO_OP_COUNT; op++)
		ios += phase->outcome.stats.ios[op];
	return phase->kind != PHASE_PURGE && ios > 0;
}

static void put_run(struct json_object *job, const struct stats *stats)
{
	put_number(job, "job_runtime", stats->elapsed_ns / NS_PER_MS);
	put_real(job, "usr_cpu", 0);
	put_real(job, "sys_cpu", 0);
	put_number(job, "ctx", 0);
	put_number(job, "majf", 0);
	put_number(job, "minf", 0);
	put_depths(job, stats);
	put_latencies(job, &stats->hist_submit);
}

static int put_job(struct context *context, const struct result_phase *phase)
{
	_cleanup_free_ struct window *windows = NULL;
	_cleanup_free_ uint64_t *rounds = NULL;
	const struct workload *workload = workload_called(context, phase->workload);
	const struct stats *stats = &phase->outcome.stats;
	size_t window_count, round_count;
	struct json_object *job;
	int err = result_windows_read(context->result, phase->index, &windows, &window_count);

	if (!err)
		err = result_rounds_read(context->result, phase->index, &rounds, &round_count);
	if (err)
		return err;
	job = json_object_new_object();
	json_object_array_add(context->jobs, job);
	put_text(job, "jobname", phase->name);
	put_number(job, "groupid", phase->chain);
	put_number(job, "job_start", phase->outcome.began_ns / NS_PER_MS);
	put_number(job, "error", phase->outcome.status == PHASE_FAILED ? EIO : 0);
	put_number(job, "eta", 0);
	put_number(job, "elapsed", (stats->elapsed_ns + NS_PER_S - 1) / NS_PER_S);
	put_options(job, phase, workload);
	put_directions(job, stats, windows, window_count);
	put_sync(job, stats);
	put_run(job, stats);
	put_number(job, "latency_depth", phase->outstanding);
	put_number(job, "latency_target", 0);
	put_real(job, "latency_percentile", 100);
	put_number(job, "latency_window", 0);
	if (round_count)
		put_steady(job, phase, rounds, round_count);
	put_own(job, phase);
	if (phase->outcome.ended_ns > context->ended_ns)
		context->ended_ns = phase->outcome.ended_ns;
	return 0;
}

static int put_jobs(struct context *context)
{
	_cleanup_free_ struct result_phase *phase = xcalloc(1, sizeof(*phase));
	size_t count;
	int err = result_phase_count(context->result, &count);

	for (size_t i = 0; !err && i < count; i++) {
		err = result_phase_read(context->result, i, phase);
		if (err)
			break;
		if (sent_requests(phase))
			err = put_job(context, phase);
		result_phase_free(phase);
	}
	return err;
}

/* ---- the whole ---- */

/* When the run ended: on a model's own clock, which began at 0, or by the host's. */
static uint64_t end_ms(struct result *result, uint64_t ended_ns)
{
	const char *is_model = result_get(result, "model");
	const char *started = result_get_host(result, "started");
	struct tm utc = { 0 };

	if (!is_model || strcmp(is_model, "0") || !started ||
	    !strptime(started, "%Y-%m-%dT%H:%M:%SZ", &utc))
		return ended_ns / NS_PER_MS;
	return (uint64_t)timegm(&utc) * 1000;
}

static void put_time(struct json_object *root, uint64_t ms)
{
	time_t seconds = (time_t)(ms / 1000);
	struct tm utc;
	char text[32];

	gmtime_r(&seconds, &utc);
	asctime_r(&utc, text);
	text[strcspn(text, "\n")] = '\0';
	put_number(root, "timestamp", ms / 1000);
	put_number(root, "timestamp_ms", ms);
	put_text(root, "time", text);
}

static struct json_object *root_of(const struct context *context)
{
	struct json_object *root = json_object_new_object(), *global;
	const char *target = result_get(context->result, "target");
	const char *version = result_get(context->result, "version");

	put_printf(root, "fio version", "drivebay-%s, in the shape of fio-3.33", version ? version : "");
	put_time(root, end_ms(context->result, context->ended_ns));
	global = put_object(root, "global options");
	put_text(global, "filename", target ? target : "");
	put_text(global, "ioengine", "drivebay");
	put(root, "jobs", json_object_get(context->jobs));
	put(root, "disk_util", json_object_new_array());
	return root;
}

int export_fio(struct result *result, FILE *out)
{
	struct context context = { .result = result, .jobs = json_object_new_array() };
	struct workload *workloads = NULL;
	int err = file_read_rows(result, &table_workloads, PHASE_ANY, sizeof(*workloads), &workloads,
				 &context.workload_count);

	context.workloads = workloads;
	if (!err)
		err = put_jobs(&context);
	if (!err) {
		struct json_object *root = root_of(&context);

		fprintf(out, "%s\n", json_object_to_json_string_ext(
					     root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
							   JSON_C_TO_STRING_NOSLASHESCAPE));
		json_object_put(root);
	}
	json_object_put(context.jobs);
	file_free_rows(&table_workloads, sizeof(*workloads), workloads, context.workload_count);
	return err;
}
