#include "store/result.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "base/rng.h"
#include "store/schema.h"
#include "read_all.h"
#include "tap.h"

static char dir[64]; /* of this run; removed at the end */
static char path[128];

/* A path in our directory, with nothing there yet. */
static const char *fresh(const char *name)
{
	static const char *const suffixes[] = { "", "-journal", "-wal", "-shm" };

	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%s%s", dir, name, suffixes[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static bool beside(const char *suffix)
{
	char name[160];

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	return access(name, F_OK) == 0;
}

/* A plan of four phases, two workloads */

static struct workload corner = {
	.name = (char *)"4k-random-read", .help = (char *)"reads, \"small\"\nand many",
	.source = (char *)"derived", .read_percent = 100, .pattern = PATTERN_UNIFORM,
	.random_percent = 100, .read_sizes = { 1, { { 4096, 1 } } }, .threads = 4, .depth = 32,
	.span_millipercent = 25000,
};

static struct workload mixed = {
	.name = (char *)"vdi", .help = (char *)"", .source = (char *)"ours", .read_percent = 60,
	.trim_percent = 3, .zeroes_percent = 2, .compress_percent = 40, .pattern = PATTERN_ZIPF, .random_percent = 80, .zipf_theta_milli = 1200,
	.read_sizes = { 2, { { 4096, 60 }, { 65536, 40 } } }, .write_sizes = { 1, { { 8192, 7 } } },
	.align_bytes = 512, .threads = 1, .depth = 16, .span_millipercent = 100000,
};

static struct phase phases[] = {
	{ .kind = PHASE_PURGE, .name = (char *)"purge", .group = (char *)"" },
	{ .kind = PHASE_RUN, .name = (char *)"corners/4k/max", .group = (char *)"corners/4k",
	  .workload = &corner, .duration_ns = 120000000000, .window_ns = 1000000000 },
	{ .kind = PHASE_POINT, .name = (char *)"corners/4k/020", .group = (char *)"corners/4k",
	  .workload = &corner, .duration_ns = 300000000000, .window_ns = 1000000000, .percent = 20,
	  .base = 1 },
	{ .kind = PHASE_ROUNDS, .name = (char *)"steady", .group = (char *)"steady",
	  .workload = &mixed, .duration_ns = 60000000000, .window_ns = 1000000000, .round_max = 25,
	  .min_fill_millipercent = 200000, .chain = 1 },
};

static struct workload *workloads[] = { &corner, &mixed };

static struct plan plan = {
	.name = (char *)"test", .help = (char *)"for tests", .source = (char *)"ours",
	.phase_count = 4, .phases = phases, .chain_count = 2, .workload_count = 2,
	.workloads = workloads,
};

static struct window a_window(uint64_t i)
{
	return (struct window){
		.start_ns = i * 1000000000, .elapsed_ns = 1000000000, .ios = 1000 + i,
		.read_ios = 600 + i, .bytes = (1000 + i) * 4096, .errors = i % 3, .mean_ns = 123456 + i,
		.p50_ns = 100000 + i, .p99_ns = 900000 + i, .p999_ns = 0, .max_ns = INT64_MAX - (int64_t)i,
		.stddev_ns = 5 + i, .due_p99_ns = 7 + i, .due_max_ns = 8 + i,
		.outstanding_milli = 127999 + i, .waf_milli = 3141 + i,
	};
}

static void latency_fill(struct latency *latency, struct rng *rng)
{
	latency->count = rng_next(rng) >> 1;
	latency->min_ns = rng_below(rng, 1000);
	latency->max_ns = rng_next(rng) >> 1;
	latency->sum_ns = ((unsigned __int128)rng_next(rng) << 64) | rng_next(rng);
	latency->sum_square_ns = ((unsigned __int128)rng_next(rng) << 64) | rng_next(rng);
}

/* Every member something else, and sums that need all their 128 bits. */
static struct phase_result *an_outcome(uint64_t seed)
{
	struct phase_result *outcome = xcalloc(1, sizeof(*outcome));
	struct rng rng = rng_stream(seed, "outcome");
	uint64_t *usage = (uint64_t *)&outcome->usage, *health = (uint64_t *)&outcome->health;

	outcome->status = PHASE_DONE;
	outcome->began_ns = rng_next(&rng) >> 1;
	outcome->ended_ns = rng_next(&rng) >> 1;
	outcome->offered_iops = rng_next(&rng) >> 1;
	outcome->stats.elapsed_ns = rng_next(&rng) >> 1;
	for (int op = 0; op < IO_OP_COUNT; op++) {
		outcome->stats.ios[op] = rng_next(&rng) >> 1;
		outcome->stats.bytes[op] = rng_next(&rng) >> 1;
	}
	outcome->stats.errors = rng_next(&rng) >> 1;
	latency_fill(&outcome->stats.from_submit, &rng);
	latency_fill(&outcome->stats.from_due, &rng);
	latency_fill(&outcome->stats.read_from_submit, &rng);
	outcome->stats.write_from_submit.min_ns = UINT64_MAX; /* empty */
	for (int i = 0; i < 1000; i++) {
		hist_add(&outcome->stats.hist_submit, rng_exponential(&rng, 100000));
		hist_add(&outcome->stats.hist_due, rng_next(&rng));
		hist_add(&outcome->stats.hist_not_read, rng_exponential(&rng, 50000));
	}
	outcome->stats.outstanding_ns = ~(unsigned __int128)0;
	outcome->stats.unfinished = rng_next(&rng) >> 1;
	outcome->stats.unfinished_ns = (unsigned __int128)rng_next(&rng) << 32;
	outcome->stats.unissued = rng_next(&rng) >> 1;
	outcome->stats.late_max_ns = rng_next(&rng) >> 1;
	for (size_t i = 0; i < sizeof(outcome->usage) / 8; i++)
		usage[i] = rng_next(&rng) >> 1;
	for (size_t i = 0; i < sizeof(outcome->health) / 8; i++)
		health[i] = rng_next(&rng) >> 1;
	outcome->has_usage = outcome->has_health = true;
	outcome->steady = (struct steady){ true, 7, 1.0 / 3.0, 0.2, 0x1p-1060, -1e300, 0.1 };
	outcome->sustained = true;
	return outcome;
}

static void same_latency(const struct latency *a, const struct latency *b)
{
	check(a->count == b->count);
	check(a->min_ns == b->min_ns);
	check(a->max_ns == b->max_ns);
	check(a->sum_ns == b->sum_ns);
	check(a->sum_square_ns == b->sum_square_ns);
}

static void same_hist(const struct hist *a, const struct hist *b)
{
	check(a->count == b->count);
	for (size_t i = 0; i < HIST_BUCKETS; i++)
		check(a->buckets[i] == b->buckets[i]);
}

static void same_outcome(const struct phase_result *a, const struct phase_result *b)
{
	check_equal(a->status, b->status);
	check(a->began_ns == b->began_ns && a->ended_ns == b->ended_ns);
	check(a->offered_iops == b->offered_iops);
	check(a->stats.elapsed_ns == b->stats.elapsed_ns);
	check(memcmp(a->stats.ios, b->stats.ios, sizeof(a->stats.ios)) == 0);
	check(memcmp(a->stats.bytes, b->stats.bytes, sizeof(a->stats.bytes)) == 0);
	check(a->stats.errors == b->stats.errors);
	same_latency(&a->stats.from_submit, &b->stats.from_submit);
	same_latency(&a->stats.from_due, &b->stats.from_due);
	same_latency(&a->stats.read_from_submit, &b->stats.read_from_submit);
	same_latency(&a->stats.write_from_submit, &b->stats.write_from_submit);
	same_hist(&a->stats.hist_submit, &b->stats.hist_submit);
	same_hist(&a->stats.hist_due, &b->stats.hist_due);
	same_hist(&a->stats.hist_not_read, &b->stats.hist_not_read);
	check(a->stats.outstanding_ns == b->stats.outstanding_ns);
	check(a->stats.unfinished == b->stats.unfinished);
	check(a->stats.unfinished_ns == b->stats.unfinished_ns);
	check(a->stats.unissued == b->stats.unissued);
	check(a->stats.late_max_ns == b->stats.late_max_ns);
	check(memcmp(&a->usage, &b->usage, sizeof(a->usage)) == 0);
	check(memcmp(&a->health, &b->health, sizeof(a->health)) == 0);
	check(a->has_usage == b->has_usage && a->has_health == b->has_health);
	check(a->steady.steady == b->steady.steady && a->steady.first == b->steady.first);
	check(memcmp(&a->steady.average, &b->steady.average, 5 * sizeof(double)) == 0);
	check(a->sustained == b->sustained);
	check((a->note == NULL) == (b->note == NULL));
	check(!a->note || strcmp(a->note, b->note) == 0);
}

static struct result *create(const char *name)
{
	struct result *result;
	int err = result_create(fresh(name), &plan, &result);

	if (err)
		tap_fail("result_create: %s", fail_message());
	return result;
}

static struct result *reopen(struct result *result, bool writable)
{
	result_close(result);
	if (result_open(path, writable, &result))
		tap_fail("result_open: %s", fail_message());
	return result;
}

static void ok(int err)
{
	if (err)
		tap_fail("failed with %d: %s", err, fail_message());
}

TEST(the_static_part_of_each_phase_comes_back)
{
	struct result *result = reopen(create("static"), false);
	struct result_phase *phase = xcalloc(1, sizeof(*phase));
	size_t count;

	ok(result_phase_count(result, &count));
	check_equal(count, 4);
	for (size_t i = 0; i < count; i++) {
		const struct workload *workload = phases[i].workload;

		ok(result_phase_read(result, i, phase));
		check_equal(phase->index, i);
		check_equal(phase->kind, phases[i].kind);
		check(strcmp(phase->name, phases[i].name) == 0);
		check(strcmp(phase->group, phases[i].group) == 0);
		check(strcmp(phase->workload, workload ? workload->name : "") == 0);
		check_equal(phase->chain, phases[i].chain);
		check_equal(phase->duration_ns, phases[i].duration_ns);
		check_equal(phase->window_ns, phases[i].window_ns);
		check_equal(phase->percent, phases[i].percent);
		check_equal(phase->outstanding, workload ? workload->threads * workload->depth : 0);
		check_equal(phase->base, phases[i].base);
		check_equal(phase->round_max, phases[i].round_max);
		check_equal(phase->min_fill_millipercent, phases[i].min_fill_millipercent);
		check_equal(phase->outcome.status, PHASE_PENDING);
		check(phase->outcome.stats.from_submit.min_ns == UINT64_MAX);
		result_phase_free(phase);
	}
	check_equal(result_phase_read(result, 4, phase), -ENOENT);
	free(phase);
	result_close(result);
}

static void same_workload(const struct workload *a, const struct workload *b)
{
	check(strcmp(a->name, b->name) == 0 && strcmp(a->help, b->help) == 0);
	check(strcmp(a->source, b->source) == 0);
	check_equal(a->read_percent, b->read_percent);
	check_equal(a->trim_percent, b->trim_percent);
	check_equal(a->zeroes_percent, b->zeroes_percent);
	check_equal(a->compress_percent, b->compress_percent);
	check_equal(a->pattern, b->pattern);
	check_equal(a->random_percent, b->random_percent);
	check_equal(a->zipf_theta_milli, b->zipf_theta_milli);
	check(memcmp(&a->read_sizes, &b->read_sizes, sizeof(a->read_sizes)) == 0);
	check(memcmp(&a->write_sizes, &b->write_sizes, sizeof(a->write_sizes)) == 0);
	check_equal(a->align_bytes, b->align_bytes);
	check_equal(a->threads, b->threads);
	check_equal(a->depth, b->depth);
	check_equal(a->span_millipercent, b->span_millipercent);
}

TEST(the_plan_comes_back_to_be_run_again)
{
	struct result *result = reopen(create("plan"), false);
	struct plan *read;

	ok(result_plan_read(result, &read));
	check(strcmp(read->name, plan.name) == 0 && strcmp(read->help, plan.help) == 0);
	check(strcmp(read->source, plan.source) == 0);
	check_equal(read->phase_count, plan.phase_count);
	check_equal(read->chain_count, plan.chain_count);
	check_equal(read->workload_count, plan.workload_count);
	for (size_t i = 0; i < plan.workload_count; i++)
		same_workload(read->workloads[i], plan.workloads[i]);
	for (size_t i = 0; i < plan.phase_count; i++) {
		struct phase *a = &read->phases[i], *b = &plan.phases[i];

		check(strcmp(a->name, b->name) == 0 && strcmp(a->group, b->group) == 0);
		check(b->workload ? a->workload == read->workloads[b->workload == &mixed] : !a->workload);
		check_equal(a->kind, b->kind);
		check_equal(a->duration_ns, b->duration_ns);
		check_equal(a->window_ns, b->window_ns);
		check_equal(a->percent, b->percent);
		check_equal(a->base, b->base);
		check_equal(a->passes, b->passes);
		check_equal(a->fill_bytes, b->fill_bytes);
		check_equal(a->round_max, b->round_max);
		check_equal(a->min_fill_millipercent, b->min_fill_millipercent);
		check_equal(a->chain, b->chain);
	}
	plan_free(read);
	result_close(result);
}

TEST(two_workloads_that_differ_may_not_share_a_name)
{
	struct workload same = corner, other = corner;
	struct result *result;

	phases[3].workload = &same;
	check_equal(result_create(fresh("same"), &plan, &result), 0);
	result_close(result);
	other.depth++;
	phases[3].workload = &other;
	check_equal(result_create(fresh("other"), &plan, &result), -EINVAL);
	check(strcmp(fail_message(), "plan test: two different workloads are called '4k-random-read'") == 0);
	check(access(path, F_OK) < 0);
	phases[3].workload = &mixed;
}

TEST(every_number_of_an_outcome_comes_back_as_it_was)
{
	struct result *result = create("outcome");
	struct result_phase *phase = xcalloc(1, sizeof(*phase));

	for (uint64_t seed = 1; seed < 6; seed++) {
		struct phase_result *outcome = an_outcome(seed);

		outcome->note = seed == 2 ? (char *)"with a note, \"quoted\"" : NULL;
		outcome->status = (enum phase_status)(seed % 5);
		ok(result_phase_begin(result, 1, 5));
		ok(result_phase_end(result, 1, outcome));
		if (seed > 1) /* the first is read from the file as it was created */
			result = reopen(result, true);
		ok(result_phase_read(result, 1, phase));
		same_outcome(&phase->outcome, outcome);
		result_phase_free(phase);
		free(outcome);
	}
	free(phase);
	result_close(result);
}

TEST(usage_and_health_that_a_target_cannot_tell_stay_unknown)
{
	struct result *result = create("unknown");
	struct result_phase *phase = xcalloc(1, sizeof(*phase));
	struct phase_result *outcome = an_outcome(1);

	outcome->has_usage = outcome->has_health = false;
	ok(result_phase_end(result, 0, outcome));
	ok(result_phase_read(result, 0, phase));
	check(!phase->outcome.has_usage && !phase->outcome.has_health);
	check_equal(phase->outcome.usage.dies_ns, 0);
	check_equal(phase->outcome.health.media_errors, 0);
	result_phase_free(phase);
	free(phase);
	free(outcome);
	result_close(result);
}

static void check_windows(struct result *result, size_t phase, size_t expected)
{
	struct window *windows;
	size_t count;

	ok(result_windows_read(result, phase, &windows, &count));
	check_equal(count, expected);
	for (size_t i = 0; i < count; i++) {
		struct window window = a_window(i);

		check(memcmp(&windows[i], &window, sizeof(window)) == 0);
	}
	free(windows);
}

TEST(windows_come_back_in_order_batched_or_not)
{
	for (int batch = 0; batch < 2; batch++) {
		struct result *result = create("windows");

		result_batch(result, batch);
		ok(result_phase_begin(result, 1, 0));
		for (uint64_t i = 0; i < 200; i++) {
			struct window window = a_window(i);

			ok(result_window(result, 1, i, &window));
		}
		check_windows(result, 1, 200); /* read your own writes */
		check_windows(result, 2, 0);
		result = reopen(result, false);
		check_windows(result, 1, 200);
		result_close(result);
	}
}

TEST(closing_writes_what_a_batch_holds_back)
{
	struct result *result = create("held_back");
	struct window window = a_window(0);

	result_batch(result, true);
	ok(result_window(result, 1, 0, &window));
	result = reopen(result, false);
	check_windows(result, 1, 1);
	result_close(result);
}

TEST(rounds_come_back_in_order)
{
	struct result *result = create("rounds");
	uint64_t *rounds;
	size_t count;

	ok(result_round(result, 3, 1, 200));
	ok(result_round(result, 3, 0, 100));
	ok(result_round(result, 3, 2, INT64_MAX));
	result = reopen(result, false);
	ok(result_rounds_read(result, 3, &rounds, &count));
	check_equal(count, 3);
	check_equal(rounds[0], 100);
	check_equal(rounds[1], 200);
	check_equal(rounds[2], INT64_MAX);
	free(rounds);
	result_close(result);
}

TEST(texts_come_back_and_host_texts_stay_apart)
{
	struct result *result = create("texts");
	const char *first;

	ok(result_set(result, "drive_file", "name: \"x\"\n\tvalue: µs\n"));
	ok(result_set(result, "seed", "1"));
	first = result_get(result, "seed");
	ok(result_set(result, "seed", "2"));
	ok(result_set_host(result, "kernel", "6.1\033[2J"));
	check(strcmp(first, "1") == 0); /* valid until close */
	result_close(result);
	ok(result_open(path, false, &result));
	check(strcmp(result_get(result, "drive_file"), "name: \"x\"\n\tvalue: µs\n") == 0);
	check(strcmp(result_get(result, "seed"), "2") == 0);
	check(strcmp(result_get(result, "plan"), "test") == 0);
	check(result_get(result, "kernel") == NULL);
	check(strcmp(result_get_host(result, "kernel"), "6.1?[2J") == 0);
	check(result_get_host(result, "seed") == NULL);
	result_close(result);
}


/* Export */

static char exported[1 << 16];

static const char *export_text(struct result *result, const char *table)
{
	FILE *out = fmemopen(exported, sizeof(exported), "w");
	int err = table ? result_export_csv_table(result, table, out) :
			  result_export_csv(result, out);

	fclose(out);
	ok(err);
	return exported;
}

/* 1,000 reads of 100 us to 1.099 ms in 0.1 s of 10 outstanding, and what they did. */
static struct phase_result *a_plain_outcome(void)
{
	struct phase_result *outcome = xcalloc(1, sizeof(*outcome));
	struct stats *stats = &outcome->stats;

	outcome->status = PHASE_DONE;
	outcome->offered_iops = 12345;
	outcome->sustained = true;
	stats->read_from_submit.min_ns = stats->write_from_submit.min_ns = UINT64_MAX;
	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t ns = 100000 + i * 1000;

		stats->from_submit.sum_ns += ns;
		stats->from_submit.sum_square_ns += (unsigned __int128)ns * ns;
		hist_add(&stats->hist_submit, ns);
	}
	hist_add(&stats->hist_due, 100);
	stats->from_submit.count = 1000;
	stats->from_submit.min_ns = 100000;
	stats->from_submit.max_ns = 1099000;
	stats->from_due = (struct latency){ 3, 101, 100, 301, 30201 };
	stats->ios[IO_READ] = 1000;
	stats->bytes[IO_READ] = 4096000;
	stats->elapsed_ns = 100000000;
	stats->outstanding_ns = 1000000000;
	outcome->has_usage = outcome->has_health = true;
	outcome->usage.dies_ns = 33333333;
	outcome->health.host_written_bytes = 3000;
	outcome->health.nand_written_bytes = 7000;
	return outcome;
}

TEST(windows_are_exported_one_to_a_line_with_what_was_asked_of_their_phase)
{
	struct result *result = create("export_windows");
	struct phase_result *outcome = a_plain_outcome();
	struct window first = { .elapsed_ns = 1000000000, .ios = 20, .read_ios = 20, .bytes = 81920,
				.mean_ns = 1234567, .p50_ns = 100, .max_ns = 2000000, .due_p99_ns = 7,
				.due_max_ns = 8, .outstanding_milli = 1500, .waf_milli = 1010 };
	struct window last = { .start_ns = 1000000000, .elapsed_ns = 500000001 }; /* nothing came */

	ok(result_window(result, 2, 0, &first));
	ok(result_window(result, 2, 1, &last));
	ok(result_phase_end(result, 2, outcome));
	export_text(result, "windows");
	check(strcmp(exported,
		     "phase,name,group,kind,workload,percent,offered_iops,window,start_s,elapsed_s,ios,"
		     "read_ios,errors,iops,bytes_per_s,mean_us,stddev_us,p50_us,p99_us,p999_us,max_us,"
		     "due_p99_us,due_max_us,outstanding,waf\n"
		     "2,corners/4k/020,corners/4k,point,4k-random-read,20,12345,0,0,1,20,20,0,20,81920,"
		     "1234.567,0,0.1,,,2000,0.007,0.008,1.5,1.01\n"
		     "2,corners/4k/020,corners/4k,point,4k-random-read,20,12345,1,1,0.500000001,0,0,0,0,"
		     "0,,,,,,,,,0,\n") == 0);
	free(outcome);
	result_close(result);
}

/* The cell of `column` in the line that begins with `row`, of a table without quotes. */
static const char *cell(const char *column, const char *row)
{
	static char value[64];
	const char *header = exported, *line = strstr(exported, row);

	check(line != NULL);
	line += *line == '\n';
	while (strncmp(header, column, strlen(column)) || !strchr(",\n", header[strlen(column)])) {
		header += strcspn(header, ",\n");
		line += strcspn(line, ",\n");
		if (*header++ != ',' || *line++ != ',')
			tap_fail("there is no column %s", column);
	}
	snprintf(value, sizeof(value), "%.*s", (int)strcspn(line, ",\n"), line);
	return value;
}

#define check_cell(column, expected) \
	do { \
		const char *tap_cell = cell(column, "\n1,"); \
		if (strcmp(tap_cell, expected)) \
			tap_fail("%s:%d: %s is '%s', expected '%s'", __FILE__, __LINE__, column, tap_cell, \
				 expected); \
	} while (0)

TEST(a_figure_that_rounds_up_to_the_next_whole_one_carries)
{
	struct result *result = create("export_carry");
	struct window window = { .ios = 1, .elapsed_ns = 1000000001 }; /* 0.999999999 a second */

	ok(result_window(result, 0, 0, &window));
	window.elapsed_ns = 1000600361; /* 0.9993999... */
	ok(result_window(result, 0, 1, &window));
	export_text(result, "windows");
	check(strcmp(cell("iops", "\n0,purge,,purge,,,,0,"), "1") == 0);
	check(strcmp(cell("iops", "\n0,purge,,purge,,,,1,"), "0.999") == 0);
	result_close(result);
}

TEST(phases_are_exported_with_figures_made_of_whole_numbers)
{
	struct result *result = create("export_phases");
	struct phase_result *outcome = a_plain_outcome();

	ok(result_phase_end(result, 1, outcome));
	export_text(result, "phases");
	check_cell("phase", "1");
	check_cell("name", "corners/4k/max");
	check_cell("group", "corners/4k");
	check_cell("kind", "run");
	check_cell("workload", "4k-random-read");
	check_cell("offered_iops", "12345"); /* it was a run at a rate */
	check_cell("status", "done");
	check_cell("duration_s", "120");
	check_cell("outstanding_most", "128");
	check_cell("elapsed_s", "0.1");
	check_cell("read_ios", "1000");
	check_cell("iops", "10000");
	check_cell("bytes_per_s", "40960000");
	check_cell("outstanding", "10");
	check_cell("mean_us", "599.5");
	check_cell("stddev_us", "288.675"); /* sqrt((1000^2 - 1) / 12) */
	check_cell("min_us", "100");
	check_cell("p99_us", "1085.44"); /* of 1089, within 0.4 % */
	check_cell("p999_us", "");       /* one value lies above it */
	check_cell("max_us", "1099");
	check_cell("due_mean_us", "0.1"); /* 301 / 3 ns */
	check_cell("due_p50_us", "");
	check_cell("due_max_us", "0.101");
	check_cell("read_mean_us", "");
	check_cell("sustained", "1");
	check_cell("steady", "");
	check_cell("dies_busy", "0.333333");
	check_cell("nand_written_bytes", "7000");
	check_cell("waf", "2.333");
	check_cell("note", "");
	free(outcome);
	result_close(result);
}

TEST(the_verdict_of_rounds_is_exported)
{
	struct result *result = create("export_rounds");
	struct phase_result *outcome = a_plain_outcome();

	outcome->steady = (struct steady){ true, 3, 52800.25, 0.1234567, 0.05, 1, 2 };
	ok(result_round(result, 3, 0, 4711));
	ok(result_phase_end(result, 3, outcome));
	export_text(result, "phases");
	check(strcmp(cell("steady", "\n3,"), "1") == 0);
	check(strcmp(cell("steady_first", "\n3,"), "3") == 0);
	check(strcmp(cell("steady_average", "\n3,"), "52800.25") == 0);
	check(strcmp(cell("steady_range_share", "\n3,"), "0.123457") == 0);
	check(strcmp(cell("steady_slope_share", "\n3,"), "0.05") == 0);
	check(strcmp(export_text(result, "rounds"), "phase,name,round,value\n3,steady,0,4711\n") == 0);
	free(outcome);
	result_close(result);
}

TEST(histograms_are_exported_as_value_and_count)
{
	struct result *result = create("export_histogram");
	struct phase_result *outcome = xcalloc(1, sizeof(*outcome));

	hist_add(&outcome->stats.hist_submit, 100);
	hist_add(&outcome->stats.hist_submit, 100);
	hist_add(&outcome->stats.hist_submit, 1000000);
	hist_add(&outcome->stats.hist_due, 127);
	ok(result_phase_end(result, 0, outcome));
	check(strcmp(export_text(result, "histogram"),
		     "phase,name,from,latency_us,ios\n0,purge,submit,0.1,2\n0,purge,submit,1001.472,1\n"
		     "0,purge,due,0.127,1\n") == 0);
	free(outcome);
	result_close(result);
}

TEST(everything_is_exported_in_sections_and_host_facts_are_not)
{
	static const char *const sections[] = {
		"key,value\ndrive_file,\"a: \"\"b\"\", c\nd\"\nplan,test\nplan_help,for tests\n"
		"plan_source,ours\n\n",
		"name,read_percent,trim_percent,pattern,random_percent,zipf_theta,read_sizes,write_sizes,"
		"align_bytes,threads,depth,span_percent,zeroes_percent,compress_percent,offset_bytes,"
		"span_bytes,shares_span,thread_step_bytes,flush_writes,help,source\n"
		"4k-random-read,100,0,uniform,100,0,4096:1,,0,4,32,25,0,0,0,0,0,0,0,\"reads, \"\"small\"\"\nand many\","
		"derived\n"
		"vdi,60,3,zipf,80,1.2,4096:60 65536:40,8192:7,512,1,16,100,2,40,0,0,0,0,0,,ours\n\n",
		"\n\nphase,name,group,kind,workload,percent,offered_iops,status,",
		"\n\nname,time_s,help,source\n\nphase,name,application,figure,unit,value\n"
		"\nphase,name,round,value\n3,steady,0,4711\n\n",
		"\n\nphase,name,group,kind,workload,percent,offered_iops,window,",
		"\n\nphase,name,from,latency_us,ios\n",
	};
	struct result *result = create("export_all");
	const char *at;

	ok(result_set(result, "drive_file", "a: \"b\", c\nd"));
	ok(result_set_host(result, "hostname", "secret-host"));
	ok(result_round(result, 3, 0, 4711));
	at = export_text(result, NULL);
	check(strstr(exported, "secret-host") == NULL);
	check(strncmp(exported, sections[0], strlen(sections[0])) == 0);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		at = strstr(at, sections[i]);
		if (!at)
			tap_fail("section %zu is not there", i);
	}
	check(at[strlen(at) - 1] == '\n');
	check_equal(result_export_csv_table(result, "window", stdout), -EINVAL);
	check(strcmp(fail_message(), "there is no table 'window'; try meta, workloads, phases, "
		     "applications, figures, rounds, windows or histogram") == 0);
	result_close(result);
}

static struct application bank = {
	.name = (char *)"bank", .help = (char *)"moves money", .source = (char *)"ours",
	.text = (char *)"kind: oltp\nname: bank\n", .time_ns = 3600000000000,
};

static struct application *banks[] = { &bank };

static struct phase bank_phases[] = {
	{ .kind = PHASE_PURGE, .name = (char *)"purge", .group = (char *)"" },
	{ .kind = PHASE_APPLICATION, .name = (char *)"bank", .group = (char *)"bank",
	  .application = &bank, .duration_ns = 1000, .window_ns = 100, .cycle_scale_milli = 226 },
};

static struct plan bank_plan = {
	.name = (char *)"bank", .help = (char *)"", .source = (char *)"ours", .phase_count = 2,
	.phases = bank_phases, .chain_count = 1, .application_count = 1, .applications = banks,
};

TEST(an_application_and_its_figures_come_back_as_they_were)
{
	struct merits merits = { NULL, 0 }, read;
	struct result *result;
	struct plan *again;

	ok(result_create(fresh("bank"), &bank_plan, &result));
	merits_add(&merits, "tps", "1/s", 6159.4);
	merits_add(&merits, "latency_p99", "us", 38600);
	ok(result_phase_begin(result, 1, 0));
	ok(result_figures(result, 1, &merits));
	check_equal(result_figures(result, 1, &merits), -EEXIST);
	ok(result_figures_read(result, 1, &read));
	check_equal(read.count, 2);
	check(!strcmp(read.rows[1].name, "latency_p99") && !strcmp(read.rows[1].unit, "us"));
	check(read.rows[0].value == 6159.4);
	merits_clear(&read);
	check(strcmp(export_text(result, "figures"),
		     "phase,name,application,figure,unit,value\n1,bank,bank,tps,1/s,6159.4\n"
		     "1,bank,bank,latency_p99,us,38600\n") == 0);
	check(strcmp(export_text(result, "applications"),
		     "name,time_s,help,source\nbank,3600,moves money,ours\n") == 0);
	ok(result_plan_read(result, &again));
	check_equal(again->phase_count, 2);
	check_equal(again->phases[1].kind, PHASE_APPLICATION);
	check_equal(again->phases[1].cycle_scale_milli, 226);
	check(!strcmp(again->phases[1].application->text, bank.text));
	check_equal(again->phases[1].application->time_ns, bank.time_ns);
	plan_free(again);
	ok(result_phase_begin(result, 1, 0)); /* once more: what the first attempt left is gone */
	ok(result_figures_read(result, 1, &read));
	check_equal(read.count, 0);
	merits_clear(&merits);
	result_close(result);
}

TEST(the_order_of_arrival_does_not_show_in_an_export)
{
	static char first[sizeof(exported)];

	for (int backwards = 0; backwards < 2; backwards++) {
		struct result *result = create("order");
		struct phase_result *outcome = a_plain_outcome();

		for (size_t i = 0; i < 8; i++) {
			size_t phase = (backwards ? 7 - i : i) / 2, index = backwards ? 1 - i % 2 : i % 2;
			struct window window = a_window(index);

			ok(result_window(result, phase, index, &window));
			if (index == (backwards ? 0 : 1))
				ok(result_phase_end(result, phase, outcome));
		}
		ok(result_set(result, backwards ? "a" : "b", "x"));
		ok(result_set(result, backwards ? "b" : "a", "x"));
		export_text(result, NULL);
		if (!backwards)
			memcpy(first, exported, sizeof(first));
		free(outcome);
		result_close(result);
	}
	check(strcmp(first, exported) == 0);
}

/* Cuts, forks, full disks */

TEST(a_closed_result_is_one_file)
{
	struct result *result = create("one_file");
	struct window window = a_window(0);

	ok(result_window(result, 1, 0, &window));
	check(beside("-wal")); /* else this shows nothing */
	result_close(result);
	check(!beside("-wal") && !beside("-shm") && !beside("-journal"));
}

TEST(begin_clears_what_an_interrupted_attempt_left_of_its_phase_only)
{
	for (int batch = 0; batch < 2; batch++) {
		struct result *result = create("begin");
		struct window window = a_window(9);

		result_batch(result, batch);
		ok(result_phase_begin(result, 1, 0));
		ok(result_window(result, 1, 0, &window));
		ok(result_window(result, 1, 1, &window));
		ok(result_round(result, 1, 0, 5));
		window = a_window(0);
		ok(result_window(result, 2, 0, &window));
		ok(result_phase_begin(result, 1, 0));
		check_windows(result, 1, 0);
		ok(result_window(result, 1, 0, &window));
		check_windows(result, 1, 1);
		check_windows(result, 2, 1);
		result_close(result);
	}
}

TEST(a_window_that_is_there_already_is_refused)
{
	struct result *result = create("twice");
	struct window window = a_window(0);

	ok(result_window(result, 1, 0, &window));
	check_equal(result_window(result, 1, 0, &window), -EEXIST);
	check_windows(result, 1, 1);
	result_close(result);
}

TEST(a_number_beyond_63_bits_is_refused_and_nothing_is_written)
{
	struct result *result = create("too_large");
	struct window window = a_window(0);

	window.bytes = (uint64_t)INT64_MAX + 1;
	check_equal(result_window(result, 1, 0, &window), -ERANGE);
	check_windows(result, 1, 0);
	window = a_window(0);
	ok(result_window(result, 1, 0, &window));
	check_windows(result, 1, 1);
	result_close(result);
}

static void end_phase(struct result *result, size_t phase)
{
	struct phase_result *outcome = an_outcome(phase);

	ok(result_phase_end(result, phase, outcome));
	free(outcome);
}

/* What the child has been promised of a phase, in memory that outlives it. */
struct promise {
	bool batch, ended;
	uint32_t windows;
};

/* Writes phase after phase for ever. */
__attribute__((noreturn)) static void write_until_killed(bool batch, volatile struct promise *promises)
{
	struct result *result;

	if (result_open(path, true, &result))
		_exit(1);
	result_batch(result, batch);
	for (size_t phase = 0;; phase = (phase + 1) % 4) {
		volatile struct promise *promise = &promises[phase];

		promise->windows = 0;
		promise->ended = false;
		promise->batch = batch;
		if (result_phase_begin(result, phase, 0))
			_exit(1);
		for (uint32_t i = 0; i < 300; i++) {
			struct window window = a_window(i);

			if (result_window(result, phase, i, &window))
				_exit(1);
			promise->windows = i + 1;
		}
		end_phase(result, phase);
		promise->ended = true;
	}
}

/* What was promised is there; besides it at most what the transaction under way brought. */
static void check_promise(struct result *result, size_t phase, const struct promise *promise)
{
	static struct result_phase read;
	uint32_t sure = promise->batch && !promise->ended ? promise->windows / 64 * 64 : promise->windows;
	size_t count;
	struct window *windows;

	ok(result_phase_read(result, phase, &read));
	result_phase_free(&read);
	ok(result_windows_read(result, phase, &windows, &count));
	for (size_t i = 0; i < count; i++) {
		struct window window = a_window(i);

		check(memcmp(&windows[i], &window, sizeof(window)) == 0);
	}
	free(windows);
	check(!promise->ended || read.outcome.status == PHASE_DONE);
	check(count >= sure);
	if (promise->windows == 0) /* not begun, perhaps: then an earlier round's are there */
		return;
	check(count <= (promise->batch ? sure + 64 : sure + 1));
	if (read.outcome.status == PHASE_DONE)
		check_equal(count, 300);
}

TEST(a_kill_at_any_moment_loses_at_most_the_transaction_under_way)
{
	struct promise *promises = mmap(NULL, 4 * sizeof(*promises), PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct rng rng = { { 1, 2, 3, 4 } };

	check(promises != MAP_FAILED);
	result_close(create("killed"));
	for (int round = 0; round < 60; round++) {
		struct result *result;
		pid_t child = fork();
		int status;

		if (child == 0)
			write_until_killed(round % 2, promises);
		usleep((useconds_t)rng_below(&rng, 20000));
		kill(child, SIGKILL);
		check(waitpid(child, &status, 0) == child);
		check(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		ok(result_open(path, false, &result)); /* which checks that it is whole */
		for (size_t phase = 0; phase < 4; phase++)
			check_promise(result, phase, &promises[phase]);
		result_close(result);
	}
	munmap(promises, 4 * sizeof(*promises));
}

static void write_in_child(struct result *result, size_t phase, bool batch)
{
	result_batch(result, batch);
	ok(result_phase_begin(result, phase, 0));
	for (uint64_t i = 0; i < 300; i++) {
		struct window window = a_window(i);

		ok(result_window(result, phase, i, &window));
	}
	end_phase(result, phase);
	result_close(result);
}

/* A child that is a test of its own: the exit status says how it went. */
static pid_t fork_writer(struct result *result, size_t phase, bool batch)
{
	pid_t child = fork();

	if (child)
		return child;
	if (setjmp(tap_escape)) {
		fprintf(stderr, "child: %s\n", tap_reason);
		_exit(1);
	}
	write_in_child(result, phase, batch);
	_exit(0);
}

static void fork_and_write(bool batch)
{
	struct result *result = create("forked");
	pid_t children[3];

	ok(result_detach(result));
	for (size_t i = 0; i < 3; i++)
		children[i] = fork_writer(result, i, batch);
	ok(result_round(result, 3, 0, 42)); /* the parent goes on with it too */
	end_phase(result, 3);
	for (size_t i = 0; i < 3; i++) {
		int status;

		check(waitpid(children[i], &status, 0) == children[i]);
		check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	result_close(result);
	check(!beside("-wal"));
	ok(result_open(path, false, &result));
	for (size_t i = 0; i < 3; i++)
		check_windows(result, i, 300);
	result_close(result);
}

TEST(children_of_a_fork_write_at_the_same_time_as_their_parent)
{
	fork_and_write(false);
	fork_and_write(true);
}

TEST(a_result_is_claimed_by_one_run_at_a_time)
{
	struct result *result = create("claimed"), *second;
	int pipes[2], status;
	pid_t child;
	char byte;

	ok(result_claim(result)); /* its creator's: no news */
	ok(result_open(path, true, &second));
	check_equal(result_claim(second), -EBUSY);
	check(strstr(fail_message(), "another drivebay is writing it") != NULL);
	result_close(second);
	ok(result_detach(result));
	check(pipe(pipes) == 0);
	child = fork();
	if (child == 0) { /* goes on with the run when its parent is gone */
		close(pipes[1]);
		_exit(read(pipes[0], &byte, 1) != 0 || result_round(result, 3, 0, 1));
	}
	close(pipes[0]);
	result_close(result);
	ok(result_open(path, true, &second));
	check_equal(result_claim(second), -EBUSY);
	result_close(second);
	close(pipes[1]);
	check(waitpid(child, &status, 0) == child && status == 0);
	ok(result_open(path, true, &second));
	ok(result_claim(second));
	result_close(second);
}

TEST(where_there_is_no_shared_memory_it_works_all_the_same)
{
	struct result *result;
	struct window window = a_window(0);
	char shared[160];

	fresh("no_memory");
	snprintf(shared, sizeof(shared), "%s-shm", path);
	check(mkdir(shared, 0755) == 0); /* in the place of the file that SQLite would map */
	ok(result_create(path, &plan, &result));
	ok(result_window(result, 1, 0, &window));
	ok(result_detach(result));
	end_phase(result, 1);
	check(!beside("-wal"));
	result = reopen(result, true);
	check_windows(result, 1, 1);
	result_close(result);
	rmdir(shared);
}

/* A file system of 1 MiB at `dir`/full, in a mount namespace of our own. */
static void mount_small(void)
{
	char at[128];

	snprintf(at, sizeof(at), "%s/full", dir);
	if (mkdir(at, 0755) < 0 && errno != EEXIST)
		tap_fail("%s: %s", at, strerror(errno));
	if (geteuid() != 0 || unshare(CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", at, "tmpfs", 0, "size=1m") < 0)
		tap_skip("needs root, to mount a small file system");
}

static void unmount_small(void)
{
	char at[128];

	snprintf(at, sizeof(at), "%s/full", dir);
	umount(at);
}

/* Fills what is left, to the last byte. */
static void fill_disk(void)
{
	static char block[4096];
	char name[128];
	int fd;

	snprintf(name, sizeof(name), "%s/full/filler", dir);
	fd = open(name, O_CREAT | O_WRONLY | O_APPEND, 0600);
	check(fd >= 0);
	while (write(fd, block, sizeof(block)) > 0)
		;
	close(fd);
}

TEST(a_full_disk_is_told_in_a_sentence_and_what_was_committed_stays_readable)
{
	mount_small();
	for (int batch = 0; batch < 2; batch++) {
		struct result *result = create("full/result");
		struct window *windows;
		size_t count;
		uint64_t written;
		int err = 0;

		result_batch(result, batch);
		ok(result_phase_begin(result, 1, 0));
		for (written = 0; !err; written++) {
			struct window window = a_window(written);

			err = result_window(result, 1, written, &window);
		}
		check_equal(err, -ENOSPC);
		check(strstr(fail_message(), "disk is full") != NULL);
		written--; /* the last was refused */
		if (batch)
			written = written / 64 * 64;
		check(written > 100);
		result_close(result);
		fill_disk();
		ok(result_open(path, false, &result));
		ok(result_windows_read(result, 1, &windows, &count));
		check_equal(count, written);
		free(windows);
		result_close(result);
		check_equal(result_create(path, &plan, &result), -EEXIST);
		ok(result_open(path, true, &result)); /* and it can be gone on with, once there is space */
		result_close(result);
		snprintf(exported, sizeof(exported), "%s/full/filler", dir);
		unlink(exported);
		unlink(path);
	}
	unmount_small();
}

TEST(a_result_that_does_not_fit_leaves_nothing_behind)
{
	struct result *result;

	mount_small();
	fill_disk();
	check_equal(result_create(fresh("full/none"), &plan, &result), -ENOSPC);
	check(result == NULL);
	check(access(path, F_OK) < 0 && !beside("-journal") && !beside("-wal") && !beside("-shm"));
	unmount_small();
}

/* What is no result */

static void write_file(const char *name, const void *bytes, size_t size)
{
	int fd = open(fresh(name), O_CREAT | O_WRONLY | O_TRUNC, 0600);

	check(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	close(fd);
}

static void refused(const char *name, int code, const char *words)
{
	struct result *result = (void *)1;
	char place[128];

	snprintf(place, sizeof(place), "%s/%s", dir, name);
	for (int writable = 0; writable < 2; writable++) {
		int err = result_open(place, writable, &result);

		if (err != -code)
			tap_fail("%s: %d instead of %d: %s", name, err, -code, fail_message());
		check(result == NULL);
		if (strstr(fail_message(), words) == NULL)
			tap_fail("%s: '%s' lacks '%s'", name, fail_message(), words);
		check(strstr(fail_message(), place) == fail_message());
		check(strchr(fail_message(), '\n') == NULL);
	}
}

/* Changes the file with SQL of its own. */
static void alter(const char *sql)
{
	sqlite3 *db;
	char *why = NULL;

	check(sqlite3_open(path, &db) == SQLITE_OK);
	sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
	if (sqlite3_exec(db, sql, NULL, NULL, &why))
		tap_fail("%s: %s", sql, why);
	sqlite3_close(db);
}

TEST(what_is_no_result_is_refused_in_one_sentence)
{
	char name[128];

	fresh("nothing");
	refused("nothing", EINVAL, "No such file");
	write_file("empty", "", 0);
	refused("empty", EBADMSG, "empty");
	write_file("text", "a text that is long enough to be taken for a page of a data base, or not", 60);
	refused("text", EBADMSG, "not a drivebay result");
	snprintf(name, sizeof(name), "%s/directory", dir);
	mkdir(name, 0755);
	refused("directory", EISDIR, "a directory");
	refused("text/below", ENOTDIR, "Not a directory");
	fresh("pipe");
	check(mkfifo(path, 0600) == 0);
	refused("pipe", EBADMSG, "no regular file");
	fresh("foreign");
	alter("CREATE TABLE recipes (cake TEXT)");
	refused("foreign", EBADMSG, "SQLite file of another program");
	result_close(create("newer"));
	alter("PRAGMA user_version = 5");
	refused("newer", ENOTSUP, "made by a newer drivebay, version 5; this one reads up to 4");
	result_close(create("older"));
	alter("PRAGMA user_version = 0");
	refused("older", EBADMSG, "no version 0");
	result_close(create("lacking"));
	alter("DROP TABLE rounds");
	refused("lacking", EBADMSG, "no table 'rounds'");
	result_close(create("other"));
	alter("ALTER TABLE rounds RENAME COLUMN value TO worth");
	refused("other", EBADMSG, "table 'rounds' is not as version 4 has it");
}

TEST(a_foreign_file_opened_for_writing_is_not_touched)
{
	struct stat before, after;

	fresh("untouched");
	alter("CREATE TABLE recipes (cake TEXT)");
	check(stat(path, &before) == 0);
	refused("untouched", EBADMSG, "another program");
	check(stat(path, &after) == 0);
	check(before.st_size == after.st_size && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
	check(!beside("-wal"));
}

TEST(an_existing_file_is_never_overwritten)
{
	struct result *result;
	struct stat st;

	write_file("existing", "precious", 8);
	check_equal(result_create(path, &plan, &result), -EEXIST);
	check(stat(path, &st) == 0 && st.st_size == 8);
}

static int as_nobody(int (*body)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(setgid(65534) || setuid(65534) ? 1 : body());
	check(waitpid(child, &status, 0) == child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static int find_it_closed(void)
{
	struct result *result;

	if (result_open(path, false, &result) != -EACCES)
		return 2;
	return strstr(fail_message(), "cannot be read: Permission denied") ? 0 : 3;
}

static int read_it_only(void)
{
	struct result *result;

	if (result_open(path, true, &result) != -EACCES)
		return 2;
	if (result_open(path, false, &result)) {
		fprintf(stderr, "%s\n", fail_message());
		return 3;
	}
	result_close(result);
	return 0;
}

static int meet_a_cut(void)
{
	struct result *result;

	if (result_open(path, false, &result) != -EACCES)
		return 2;
	return strstr(fail_message(), "was cut off while it was written") ? 0 : 3;
}

/* As a process leaves it that ends without closing. */
static void leave_open(const char *name)
{
	struct window window = a_window(0);
	pid_t child;
	int status;

	fresh(name);
	child = fork();
	if (child == 0) {
		struct result *result;

		_exit(result_create(path, &plan, &result) || result_window(result, 1, 0, &window));
	}
	check(waitpid(child, &status, 0) == child);
	check_equal(status, 0);
	check(beside("-wal"));
}

TEST(who_may_not_read_is_told_so_and_who_may_only_read_can)
{
	struct result *result;
	char shared[160];

	if (geteuid() != 0)
		tap_skip("needs root, to be somebody else");
	check(chmod(dir, 0755) == 0);
	result_close(create("private"));
	check(chmod(path, 0600) == 0);
	check_equal(as_nobody(find_it_closed), 0);
	check(chmod(path, 0644) == 0); /* the directory is not theirs to write */
	check_equal(as_nobody(read_it_only), 0);
	leave_open("private");
	check(chmod(path, 0644) == 0);
	check_equal(as_nobody(read_it_only), 0);
	snprintf(shared, sizeof(shared), "%s-shm", path);
	check(unlink(shared) == 0); /* copied without it, say */
	check_equal(as_nobody(meet_a_cut), 0);
	result = reopen(NULL, false); /* who may write puts it right by reading */
	check_windows(result, 1, 1);
	result_close(result);
	check(!beside("-wal"));
	check_equal(as_nobody(read_it_only), 0);
	alter("PRAGMA journal_mode = WAL"); /* ended without closing, with nothing in the log */
	check(!beside("-wal"));
	check_equal(as_nobody(read_it_only), 0);
}

/* Hostile files */

/* A small result with something in every table, as bytes; freed by the caller. */
static uint8_t *make_small_file(size_t *size)
{
	struct result *result = create("small");
	struct window window = a_window(0);
	struct phase_result *outcome = a_plain_outcome();
	uint8_t *bytes;
	int fd;

	ok(result_set(result, "drive_file", "name: x"));
	ok(result_set_host(result, "kernel", "6.1"));
	ok(result_window(result, 1, 0, &window));
	ok(result_round(result, 3, 0, 1000));
	outcome->note = (char *)"a note";
	ok(result_phase_end(result, 1, outcome));
	outcome->note = NULL;
	free(outcome);
	result_close(result);
	alter("PRAGMA page_size = 512; VACUUM");
	fd = open(path, O_RDONLY);
	*size = (size_t)lseek(fd, 0, SEEK_END);
	bytes = xmalloc(*size);
	check(pread(fd, bytes, *size, 0) == (ssize_t)*size);
	close(fd);
	return bytes;
}

/* The same, made once: each making waits for the disk a dozen times. */
static uint8_t *a_small_file(size_t *size)
{
	static uint8_t *made;
	static size_t made_size;
	uint8_t *copy;

	if (!made)
		made = make_small_file(&made_size);
	copy = xmalloc(made_size);
	memcpy(copy, made, made_size);
	*size = made_size;
	return copy;
}

static int read_bytes(const uint8_t *bytes, size_t size)
{
	FILE *out = fmemopen(exported, sizeof(exported), "w");
	struct result *result;
	int err = result_open_memory(bytes, size, &result);

	if (!err)
		err = read_all(result, out);
	result_close(result);
	fclose(out);
	return err;
}

TEST(no_flipped_byte_makes_it_crash_and_most_are_noticed)
{
	size_t size, noticed = 0, tried = 0;
	uint8_t *bytes = a_small_file(&size);

	ok(read_bytes(bytes, size));
	for (size_t at = 0; at < size; at += 37, tried++) {
		int err;

		bytes[at] ^= (uint8_t)(1u << (at / 37 % 8));
		err = read_bytes(bytes, size);
		check(err <= 0);
		noticed += err != 0;
		bytes[at] ^= (uint8_t)(1u << (at / 37 % 8));
	}
	check(noticed > tried / 10);
	free(bytes);
}

TEST(a_truncated_file_is_refused)
{
	size_t size;
	uint8_t *bytes = a_small_file(&size);

	for (size_t length = 1; length < size - 512; length += 211) { /* a page or more is missing */
		int err = read_bytes(bytes, length);

		if (err != -EBADMSG)
			tap_fail("%zu of %zu bytes: %d, %s", length, size, err, fail_message());
	}
	write_file("cut", bytes, size / 2);
	refused("cut", EBADMSG, "corrupt");
	free(bytes);
}

TEST(every_value_is_checked_as_it_is_read)
{
	static const struct {
		const char *sql, *words;
	} cases[] = {
		{ "UPDATE windows SET ios = -1", "windows.ios (phase 1) is negative" },
		{ "UPDATE windows SET idx = -1", "windows.idx (phase 1) is negative" },
		{ "UPDATE rounds SET value = -5", "rounds.value (phase 3) is negative" },
		{ "UPDATE outcomes SET status = 'great'", "outcomes.status (phase 1) is a word" },
		{ "UPDATE phases SET kind = 'nap' WHERE phase = 1", "phases.kind (phase 1) is a word" },
		{ "UPDATE phases SET percent = 4294967296 WHERE phase = 1", "phases.percent (phase 1) is too large" },
		{ "UPDATE phases SET name = 'a' || char(10) || 'b' WHERE phase = 1", "more than one line" },
		{ "UPDATE phases SET name = 'a' || char(27) || 'b' WHERE phase = 1", "a control character" },
		{ "UPDATE phases SET name = 'a' || char(0) || 'b' WHERE phase = 1", "holds a NUL" },
		{ "UPDATE phases SET base = 2 WHERE phase = 2", "a percentage of phase 2, which comes later" },
		{ "UPDATE phases SET phase = 7 WHERE phase = 3", "4 phases, and the last has number 7" },
		{ "UPDATE phases SET phase = 9223372036854775807 WHERE phase = 3", "phases" },
		{ "DELETE FROM phases WHERE phase = 0", "3 phases, and the last has number 3" },
		{ "UPDATE outcomes SET submit_sum_ns = '12x'", "outcomes.submit_sum_ns (phase 1) is no whole" },
		{ "UPDATE outcomes SET submit_sum_ns = ''", "outcomes.submit_sum_ns (phase 1) is no whole" },
		{ "UPDATE outcomes SET outstanding_ns = '340282366920938463463374607431768211456'",
		  "outcomes.outstanding_ns (phase 1) is no whole" },
		{ "UPDATE outcomes SET steady_slope = 9e999", "outcomes.steady_slope (phase 1) is not finite" },
		{ "UPDATE outcomes SET sustained = 2", "outcomes.sustained (phase 1) is too large" },
		{ "UPDATE outcomes SET has_usage = 0", "outcomes.dies_ns (phase 1) has a value" },
		{ "UPDATE outcomes SET dies_ns = NULL", "outcomes.dies_ns (phase 1) is no whole number" },
		{ "UPDATE outcomes SET submit_hist = x'ff'", "outcomes.submit_hist (phase 1) is a damaged" },
		{ "UPDATE workloads SET pattern = 'plaid' WHERE idx = 1", "workloads.pattern (idx 1) is a word" },
		{ "UPDATE workloads SET read_sizes = '4096'", "workloads.read_sizes (idx 0) is no list" },
		{ "UPDATE workloads SET read_sizes = '4096:1 :2'", "workloads.read_sizes (idx 0) is no list" },
		{ "UPDATE workloads SET read_sizes = '4294967296:1'", "workloads.read_sizes (idx 0) is no list" },
		{ "UPDATE workloads SET read_sizes = '1:1' || replace(hex(zeroblob(16)), '00', ' 1:1') || "
		  "replace(hex(zeroblob(16)), '00', ' 1:1')", "too many sizes" },
		{ "UPDATE workloads SET read_percent = 101 WHERE idx = 0", "a share above 100 %" },
		{ "UPDATE workloads SET zipf_theta_milli = 0", "'vdi' has a theta" },
		{ "UPDATE workloads SET threads = 0", "nothing, or too much, outstanding" },
		{ "UPDATE workloads SET threads = 65536, depth = 65536", "nothing, or too much, outstanding" },
		{ "UPDATE workloads SET read_sizes = '' WHERE idx = 0", "lacks the sizes" },
		{ "UPDATE workloads SET read_sizes = '513:1'", "no multiple of 512" },
		{ "UPDATE workloads SET read_sizes = '512:0'", "a weight that is none" },
		{ "UPDATE workloads SET span_millipercent = 0", "has a span" },
		{ "UPDATE workloads SET align_bytes = 100", "has an alignment" },
		{ "UPDATE workloads SET name = 'x' WHERE idx = 1", "phase 3 runs workload 'vdi', which is not" },
		{ "UPDATE phases SET workload = '' WHERE phase = 1", "phase 1 lacks its workload" },
		{ "UPDATE phases SET kind = 'fill' WHERE phase = 0", "phase 0 fills with a size" },
		{ "UPDATE phases SET kind = 'fill', fill_bytes = 512 WHERE phase = 0", "fills never" },
		{ "UPDATE phases SET percent = 0", "phase 2 asks for a percentage that is none" },
		{ "UPDATE phases SET base = 0", "phase 2 is a percentage of a phase that is no maximum run" },
		{ "UPDATE phases SET round_max = 4", "phase 3 has too few rounds" },
		{ "UPDATE phases SET duration_ns = 0", "phase 1 takes no time" },
		{ "UPDATE phases SET chain = 2 WHERE phase = 3", "phase 3 is of chain 2, and there are 1" },
		{ "UPDATE meta SET value = char(7)", "a named text holds a control character" },
		{ "UPDATE outcomes SET note = hex(zeroblob(8400000))", "too big" },
		{ "CREATE TRIGGER t AFTER INSERT ON windows BEGIN DELETE FROM phases; END", NULL },
		{ "CREATE INDEX i ON windows (ios); CREATE TABLE x (a); ANALYZE", NULL },
	};

	size_t size;
	uint8_t *bytes = a_small_file(&size);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct result *result;
		int err;

		write_file("value", bytes, size);
		alter(cases[i].sql);
		err = result_open(path, false, &result);
		if (!err) {
			FILE *out = fmemopen(exported, sizeof(exported), "w");

			err = read_all(result, out);
			fclose(out);
		}
		result_close(result);
		if (err != (cases[i].words ? -EBADMSG : 0))
			tap_fail("%s: %d %s", cases[i].sql, err, fail_message());
		if (cases[i].words && !strstr(fail_message(), cases[i].words))
			tap_fail("%s: '%s' lacks '%s'", cases[i].sql, fail_message(), cases[i].words);
	}
	free(bytes);
}

TEST(a_trigger_in_a_foreign_file_does_not_run)
{
	struct result *result;
	struct window window = a_window(1);
	size_t count;

	result_close(create("trigger"));
	alter("CREATE TRIGGER t AFTER INSERT ON windows BEGIN DELETE FROM phases; END");
	ok(result_open(path, true, &result));
	ok(result_window(result, 1, 0, &window));
	ok(result_phase_count(result, &count));
	check_equal(count, 4);
	result_close(result);
}

/* The page about the format */

static void check_documented(const char *page, const char *name)
{
	char quoted[80];

	snprintf(quoted, sizeof(quoted), "`%s`", name);
	if (!strstr(page, quoted))
		tap_fail("doc/result-format.md does not tell of %s", quoted);
}

TEST(each_table_and_column_is_told_of_on_the_page_about_the_format)
{
	static const struct table *const tables[] = { &table_workloads, &table_phases, &table_outcomes,
						      &table_windows, &table_rounds,
						      &table_applications, &table_figures };
	static char page[65536];
	_cleanup_file_ FILE *file = fopen(SOURCE_ROOT "/doc/result-format.md", "r");
	struct result *result = create("documented");
	char *at;

	check(file != NULL);
	page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		check_documented(page, tables[i]->name);
		for (size_t c = 0; c < tables[i]->column_count; c++)
			check_documented(page, tables[i]->columns[c].name);
	}
	export_text(result, "phases");
	exported[strcspn(exported, "\n")] = '\0';
	for (const char *name = strtok_r(exported, ",", &at); name; name = strtok_r(NULL, ",", &at))
		check_documented(page, name);
	result_close(result);
}

/* The seeds of the fuzz target: a new result, one of a phase, a complete one. */

static void keep(const char *corpus, const char *name)
{
	char command[512];

	alter("PRAGMA page_size = 512; VACUUM");
	snprintf(command, sizeof(command), "cp '%s' '%s/%s.drivebay'", path, corpus, name);
	check(system(command) == 0);
}

static void make_corpus(const char *corpus)
{
	struct result *result = create("created");
	struct phase_result *outcome = a_plain_outcome();
	size_t size;

	result_close(result);
	keep(corpus, "created");
	free(make_small_file(&size));
	keep(corpus, "small");
	result = create("complete");
	ok(result_set(result, "target", "samsung-983-dct-1.92tb"));
	ok(result_set_host(result, "started", "2024-01-01T00:00:00Z"));
	for (size_t phase = 0; phase < 4; phase++) {
		ok(result_phase_begin(result, phase, phase));
		for (uint64_t i = 0; i < 3; i++) {
			struct window window = a_window(i);

			ok(result_window(result, phase, i, &window));
			if (phase == 3)
				ok(result_round(result, phase, i, 52800 + i));
		}
		hist_clear(&outcome->stats.hist_submit);
		hist_add(&outcome->stats.hist_submit, 100000);
		outcome->steady = (struct steady){ phase == 3, 0, 52801, 0.01, 0.02, 1, 52800 };
		outcome->note = phase == 2 ? (char *)"not what was asked for" : NULL;
		ok(result_phase_end(result, phase, outcome));
	}
	free(outcome);
	result_close(result);
	keep(corpus, "complete");
}

TEST(the_seeds_of_the_fuzz_target_are_results_of_today)
{
	static const char *const seeds[] = { "created", "small", "complete" };

	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		char name[512];
		uint8_t bytes[32768];
		_cleanup_file_ FILE *file = NULL;

		snprintf(name, sizeof(name), SOURCE_ROOT "/tests/fuzz/corpus/result/%s.drivebay", seeds[i]);
		file = fopen(name, "rb");
		check(file != NULL);
		ok(read_bytes(bytes, fread(bytes, 1, sizeof(bytes), file)));
	}
}

static int remove_dir(int status)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) == 0 ? status : 1;
}

/* Without arguments the tests; `--corpus DIR` makes the seeds of tests/fuzz/fuzz_result.c. */
int main(int argc, char **argv)
{
	/* Memory, where there is some: no test here wants to wait for a disk. */
	const char *tmp = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

	snprintf(dir, sizeof(dir), "%s/test_result.XXXXXX", tmp);
	if (!mkdtemp(dir)) {
		printf("Bail out! %s: %s\n", dir, strerror(errno));
		return 1;
	}
	if (argc == 3 && strcmp(argv[1], "--corpus") == 0) {
		if (setjmp(tap_escape)) {
			fprintf(stderr, "%s\n", tap_reason);
			return remove_dir(1);
		}
		make_corpus(argv[2]);
		return remove_dir(0);
	}
	return remove_dir(tap_run());
}
