/* test_app.c - the parts of the application models, each against a closed form or a slow oracle. */
#include "app/app.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/database.h"
#include "app/flusher.h"
#include "app/loader.h"
#include "app/machine.h"
#include "app/pool.h"
#include "app/redo.h"
#include "app/tpcc_mix.h"
#include "base/cleanup.h"
#include "base/data.h"
#include "base/rng.h"
#include "app_target.h"
#include "tap.h"

static const struct app_config plain = { .seed = 1, .name = "test" };

/* ---- pool: against the order of use, kept in an array ---- */

enum { FRAMES = 40, PAGES = 100 };

struct slow_page {
	uint64_t page;
	bool dirty;
};

struct slow_pool { /* the oldest first */
	struct slow_page pages[FRAMES];
	size_t count;
};

static size_t slow_find(const struct slow_pool *slow, uint64_t page)
{
	size_t i = 0;

	while (i < slow->count && slow->pages[i].page != page)
		i++;
	return i;
}

static struct slow_page slow_remove(struct slow_pool *slow, size_t at)
{
	struct slow_page page = slow->pages[at];

	memmove(&slow->pages[at], &slow->pages[at + 1], (--slow->count - at) * sizeof(page));
	return page;
}

/* The oldest clean page goes; false: there is none. */
static bool slow_evict(struct slow_pool *slow)
{
	for (size_t i = 0; i < slow->count; i++) {
		if (slow->pages[i].dirty)
			continue;
		slow_remove(slow, i);
		return true;
	}
	return false;
}

static void slow_use(struct slow_pool *slow, struct pool *pool, uint64_t page, bool change, uint64_t lsn)
{
	size_t at = slow_find(slow, page);
	struct frame *frame = pool_find(pool, page);

	check((at < slow->count) == (frame != NULL));
	if (frame) {
		struct slow_page used = slow_remove(slow, at);

		slow->pages[slow->count++] = used;
	} else {
		bool room = slow->count < FRAMES || slow_evict(slow);

		frame = pool_take(pool, page, FRAMES);
		check(room == (frame != NULL));
		if (!frame)
			return;
		pool_arrived(pool, frame);
		slow->pages[slow->count++] = (struct slow_page){ page, false };
	}
	if (change) {
		pool_dirty(pool, frame, lsn);
		slow->pages[slow->count - 1].dirty = true;
	}
}

TEST(the_pool_keeps_what_an_array_in_order_of_use_keeps)
{
	struct rng rng = rng_stream(1, "pool");
	struct slow_pool slow = { .count = 0 };
	struct pool pool;
	uint64_t flushed = 0, full = 0;

	pool_init(&pool, FRAMES);
	for (uint64_t i = 0; i < 50000; i++) {
		uint64_t page = rng_below(&rng, PAGES) * rng_below(&rng, PAGES) / PAGES;
		struct frame *frame = pool_peek(&pool, page);

		if (rng_below(&rng, 5) == 0 && frame && frame->dirty) {
			pool_flush_begin(&pool, frame);
			pool_flush_end(&pool, frame);
			slow.pages[slow_find(&slow, page)].dirty = false;
			flushed++;
		} else {
			slow_use(&slow, &pool, page, rng_below(&rng, 3) == 0, i);
		}
		full += slow.count == FRAMES;
	}
	check(flushed > 500 && full > 40000);
	for (uint64_t page = 0; page < PAGES; page++) {
		struct frame *frame = pool_peek(&pool, page);
		size_t at = slow_find(&slow, page);

		check((frame != NULL) == (at < slow.count));
		check(!frame || frame->dirty == slow.pages[at].dirty);
	}
	pool_free(&pool);
}

TEST(a_pool_of_dirty_pages_has_no_frame_until_one_is_written)
{
	struct pool pool;

	pool_init(&pool, 4);
	for (uint64_t page = 0; page < 4; page++) {
		struct frame *frame = pool_take(&pool, page, 4);

		pool_arrived(&pool, frame);
		pool_dirty(&pool, frame, 10 + page);
	}
	check_equal(pool.dirty_count, 4);
	check_equal(pool_oldest_lsn(&pool), 10);
	check(!pool_take(&pool, 9, 4));
	pool_flush_begin(&pool, pool_peek(&pool, 2));
	check(!pool_take(&pool, 9, 4)); /* its copy is not on the drive yet */
	pool_flush_end(&pool, pool_peek(&pool, 2));
	check(pool_take(&pool, 9, 4) != NULL);
	check(!pool_peek(&pool, 2));
	pool_free(&pool);
}

TEST(a_page_that_is_changed_while_it_is_written_is_dirty_again)
{
	struct pool pool;
	struct frame *frame;

	pool_init(&pool, 4);
	frame = pool_take(&pool, 7, 4);
	pool_arrived(&pool, frame);
	pool_dirty(&pool, frame, 5);
	pool_dirty(&pool, frame, 6);
	check_equal(frame->oldest_lsn, 5);
	check_equal(frame->newest_lsn, 6);
	pool_flush_begin(&pool, frame);
	pool_dirty(&pool, frame, 8);
	pool_flush_end(&pool, frame);
	check(frame->dirty);
	check_equal(pool_oldest_lsn(&pool), 8);
	pool_free(&pool);
}

/* ---- cores ---- */

struct counted_burst {
	struct burst burst;
	uint64_t done_ns;
};

static void burst_done(struct burst *burst)
{
	container_of(burst, struct counted_burst, burst)->done_ns = burst->cores->sim->now_ns;
}

TEST(cores_serve_in_order_of_arrival)
{
	static const uint64_t lengths[] = { 30, 10, 10, 10, 5 }, ends[] = { 30, 10, 20, 30, 35 };
	struct counted_burst bursts[5] = { { .done_ns = 0 } };
	struct cores cores;
	struct sim sim;

	sim_init(&sim);
	cores_init(&cores, &sim, 2);
	for (size_t i = 0; i < 5; i++) {
		bursts[i].burst.done = burst_done;
		cores_run(&cores, &bursts[i].burst, lengths[i]);
	}
	while (sim_next_ns(&sim) != UINT64_MAX)
		sim_step(&sim);
	for (size_t i = 0; i < 5; i++)
		check_equal(bursts[i].done_ns, ends[i]);
	check_equal(cores.busy_ns, 65);
	sim_free(&sim);
}

/* ---- the log ---- */

/* Somebody who commits `again` times, each time 100 bytes. */
struct committer {
	struct waiter waiter;
	struct redo *redo;
	uint64_t again, done_ns;
};

static void committed(struct waiter *waiter)
{
	struct committer *committer = container_of(waiter, struct committer, waiter);

	committer->done_ns = machine_now(committer->redo->machine);
	if (committer->again-- > 1)
		redo_commit(committer->redo, waiter, redo_append(committer->redo, 100));
}

static void commit_all(struct committer *committers, size_t count, struct redo *redo, uint64_t again)
{
	for (size_t i = 0; i < count; i++) {
		committers[i] = (struct committer){ .redo = redo, .again = again,
						    .waiter = { .ready = committed } };
		redo_commit(redo, &committers[i].waiter, redo_append(redo, 100));
	}
}

TEST(whoever_comes_during_a_write_of_the_log_shares_the_next_one)
{
	struct target *target = even_new(1 << 30, 1000);
	struct stats *stats = xcalloc(1, sizeof(*stats));
	struct committer committers[10];
	struct machine machine;
	struct redo redo;

	machine_init(&machine, target, &plain, stats);
	redo_init(&redo, &machine, 0, 1 << 20);
	commit_all(committers, 10, &redo, 1);
	check_equal(machine_run(&machine, 10000, NULL), 0);
	/* The first goes alone: a write and a flush; the other nine together after it. */
	check_equal(committers[0].done_ns, 2000);
	for (size_t i = 1; i < 10; i++)
		check_equal(committers[i].done_ns, 4000);
	check_equal(even_of(target)->writes, 2);
	check_equal(even_of(target)->flushes, 2);
	check_equal(redo.groups, 2);
	check_equal(redo.commits, 10);
	machine_free(&machine);
	target_close(target);
	free(stats);
}

/* In lock step all of them commit with each write and flush. */
TEST(group_commit_makes_the_rate_grow_with_those_who_commit)
{
	for (size_t count = 2; count <= 64; count *= 2) {
		struct target *target = even_new(1 << 30, 1000);
		struct stats *stats = xcalloc(1, sizeof(*stats));
		struct committer committers[64];
		struct machine machine;
		struct redo redo;
		double expected;

		machine_init(&machine, target, &plain, stats);
		redo_init(&redo, &machine, 0, 1 << 20);
		commit_all(committers, count, &redo, UINT64_MAX);
		check_equal(machine_run(&machine, 2000000, NULL), 0);
		expected = 1000.0 * (double)count;
		check(fabs((double)redo.commits / expected - 1) < 0.01);
		machine_drain(&machine);
		machine_free(&machine);
		target_close(target);
		free(stats);
	}
}

TEST(the_log_goes_round_in_its_file_in_whole_blocks)
{
	struct target *target = even_new(1 << 30, 1000);
	struct stats *stats = xcalloc(1, sizeof(*stats));
	struct committer committer;
	struct machine machine;
	struct redo redo;

	machine_init(&machine, target, &plain, stats);
	redo_init(&redo, &machine, 1 << 20, 3 * REDO_BLOCK);
	redo_append(&redo, 2 * REDO_BLOCK + 1);
	commit_all(&committer, 1, &redo, 1); /* three blocks, the last one in part */
	check_equal(machine_run(&machine, 3000, NULL), 0);
	check_equal(even_of(target)->written_bytes, 3 * REDO_BLOCK);
	check_equal(redo.flushed_lsn, 2 * REDO_BLOCK + 101);
	redo_append(&redo, REDO_BLOCK);
	commit_all(&committer, 1, &redo, 1); /* the end of the file, then its beginning */
	check_equal(machine_run(&machine, 10000, NULL), 0);
	check_equal(even_of(target)->writes, 3);
	check_equal(even_of(target)->written_bytes, 5 * REDO_BLOCK);
	check_equal(redo.flushed_lsn, redo.lsn);
	machine_free(&machine);
	target_close(target);
	free(stats);
}

/* ---- loading ---- */

TEST(regions_are_written_once_and_to_their_end)
{
	struct target *target = even_new(1 << 30, 1000);
	struct stats *stats = xcalloc(1, sizeof(*stats));
	const struct region regions[] = { { 0, (1 << 20) + 4096 }, { 1 << 24, 4096 }, { 1 << 25, 1 << 22 } };
	struct machine machine;

	machine_init(&machine, target, &plain, stats);
	check_equal(load_regions(&machine, regions, 3), 0);
	check_equal(even_of(target)->written_bytes, (1 << 20) + 4096 + 4096 + (1 << 22));
	check_equal(even_of(target)->most_bytes, 128 << 10);
	check_equal(target->in_flight, 0);
	machine_free(&machine);
	target_close(target);
	free(stats);
}

/* ---- whole applications ---- */

/* The shipped file with some values changed: "key: {value: NEW" by its key. */
static struct app *changed(const char *name, const char *const *changes)
{
	_cleanup_free_ char *path = xasprintf("%s/workloads/apps/%s.yaml", SOURCE_ROOT, name);
	static char text[65536], line[256];
	FILE *file = fopen(path, "r");
	struct app *app;
	size_t size;

	check(file != NULL);
	size = fread(text, 1, sizeof(text) / 2, file);
	text[size] = '\0';
	fclose(file);
	for (; *changes; changes += 2) {
		char *at, *end;

		snprintf(line, sizeof(line), "\n%s:", changes[0]);
		at = strstr(text, line);
		if (!at)
			tap_fail("%s has no %s", path, changes[0]);
		at = strstr(at, "value: ") + strlen("value: ");
		end = at + strcspn(at, ",\n}");
		memmove(at + strlen(changes[1]), end, strlen(end) + 1);
		memcpy(at, changes[1], strlen(changes[1]));
	}
	if (app_parse("changed.yaml", text, strlen(text), &app))
		tap_fail("%s", fail_message());
	return app;
}

struct outcome {
	struct stats stats;
	struct merits merits;
};

static double value(const struct outcome *outcome, const char *name)
{
	const struct merit *merit = merits_find(&outcome->merits, name);

	if (!merit)
		tap_fail("there is no figure %s", name);
	return merit->value;
}

static struct outcome *run_app_for(struct app *app, uint64_t each_ns, const struct app_config *config)
{
	struct outcome *outcome = xcalloc(1, sizeof(*outcome));
	struct target *target = even_new(1ull << 44, each_ns);

	if (app_run(app, target, config, &outcome->stats, &outcome->merits))
		tap_fail("%s", fail_message());
	check(stats_little_agrees(&outcome->stats, NULL));
	check_equal(target->in_flight, 0);
	target_close(target);
	app_free(app);
	return outcome;
}

static struct outcome *run_app(struct app *app, uint64_t each_ns)
{
	return run_app_for(app, each_ns, &plain);
}

static void drop(struct outcome *outcome)
{
	merits_clear(&outcome->merits);
	free(outcome);
}

static bool within(double value, double expected, double share)
{
	return fabs(value / expected - 1) <= share;
}

#define SMALL_OLTP "instances", "2", "tables", "2", "rows", "20k", "pool", "8M", "log", "16M", \
	"warm_up", "1s", "time", "4s"

TEST(with_a_drive_that_costs_nothing_the_processors_set_the_rate)
{
	const char *const changes[] = { SMALL_OLTP, "threads", "32", "cores", "4", "cpu", "2ms", NULL };
	struct outcome *outcome = run_app(changed("oltp", changes), 1);

	check(within(value(outcome, "tps"), 2 * 4 / 0.002, 0.01));
	check(within(value(outcome, "latency_mean"), 32 / 4 * 2000, 0.01));
	check(within(value(outcome, "tps_x_latency"), 64, 0.01));
	check(value(outcome, "processor_busy") > 99.9);
	drop(outcome);
}

TEST(with_a_core_for_each_session_nobody_waits_for_one)
{
	const char *const changes[] = { SMALL_OLTP, "threads", "8", "cores", "8", "cpu", "2ms", NULL };
	struct outcome *outcome = run_app(changed("oltp", changes), 1);

	check(within(value(outcome, "tps"), 2 * 8 / 0.002, 0.01));
	check(within(value(outcome, "latency_mean"), 2000, 0.01));
	drop(outcome);
}

/* Each page read for 100 us; a commit: a write and a flush, at most two of each; and now and then
   a page that another session is reading. */
TEST(with_processors_that_cost_nothing_reads_and_the_commit_set_the_rate)
{
	const char *const changes[] = { SMALL_OLTP, "threads", "4", "cores", "4", "cpu", "1ns",
					"pool", "4M", NULL };
	struct outcome *outcome = run_app(changed("oltp", changes), 100000);
	double reads = value(outcome, "reads_per_transaction"), mean = value(outcome, "latency_mean");

	check(reads > 5);
	check(mean >= 100 * reads + 200);
	check(mean <= 100 * reads + 400 + 100);
	check(within(value(outcome, "tps_x_latency"), 8, 0.01));
	drop(outcome);
}

TEST(a_pool_that_holds_all_reads_nothing)
{
	const char *const changes[] = { SMALL_OLTP, "threads", "4", "cores", "4", "cpu", "1ms",
					"pool", "64M", NULL };
	struct outcome *outcome = run_app(changed("oltp", changes), 1000);

	check(value(outcome, "reads_per_transaction") == 0);
	check(value(outcome, "pool_hits") == 100);
	drop(outcome);
}

/* Even access, and a pool of a fourth of the data: three visits in four miss. */
TEST(the_pool_hits_as_often_as_it_holds_the_data)
{
	const char *const changes[] = { SMALL_OLTP, "rows", "200k", "rows_per_leaf", "50",
					"entries_per_leaf", "200", "pool", "39M", "points", "30",
					"ranges", "0", "threads", "4", "cpu", "1ms", NULL };
	struct outcome *outcome = run_app(changed("oltp", changes), 1000);
	double hits = value(outcome, "pool_hits") / 100;

	/* 10,000 pages; leaves are visited more often than entries, so that they do better than 1/4;
	   of 36 visits one finds the page that the same transaction has just changed. */
	check(hits > 0.24 && hits < 0.31);
	drop(outcome);
}

TEST(doublewrite_writes_each_page_twice)
{
	const char *const changes[] = { SMALL_OLTP, "threads", "4", "cores", "4", "cpu", "1ms", NULL };
	struct outcome *outcome = run_app(changed("oltp", changes), 10000);
	double pages = value(outcome, "pages_flushed_per_transaction");
	double log = value(outcome, "written_per_transaction") - 2 * 16384 * pages;

	check(pages > 0.5 && pages <= 6.1);
	check(log > 7 * 600 && log < 7 * 600 + 2 * 4096 + 100);
	drop(outcome);
}

TEST(a_log_that_is_too_small_makes_sessions_wait_for_the_cleaner)
{
	const char *const changes[] = { SMALL_OLTP, "threads", "32", "cores", "32", "cpu", "1ms",
					"log", "1M", "pool", "64M", NULL };
	const char *const roomy[] = { SMALL_OLTP, "threads", "32", "cores", "32", "cpu", "1ms",
				      "log", "1G", "pool", "64M", NULL };
	struct outcome *tight = run_app(changed("oltp", changes), 300000);
	struct outcome *wide = run_app(changed("oltp", roomy), 300000);

	check(value(tight, "waits_for_log_space_per_transaction") > 0);
	check(value(wide, "waits_for_log_space_per_transaction") == 0);
	check(value(tight, "pages_flushed_per_transaction") >
	      value(wide, "pages_flushed_per_transaction"));
	check(value(tight, "tps") < value(wide, "tps"));
	drop(tight);
	drop(wide);
}

TEST(a_slower_drive_gives_fewer_transactions)
{
	const char *const changes[] = { SMALL_OLTP, "cpu", "1ms", NULL };
	double last = 1e12;

	for (uint64_t each_ns = 10000; each_ns < 10000000; each_ns *= 4) {
		struct outcome *outcome = run_app(changed("oltp", changes), each_ns);

		check(value(outcome, "tps") < last);
		last = value(outcome, "tps");
		drop(outcome);
	}
}

TEST(the_same_seed_gives_the_same_figures_and_another_seed_others)
{
	const char *const changes[] = { SMALL_OLTP, "time", "1s", NULL };
	struct app_config other = plain;
	struct outcome *a = run_app(changed("oltp", changes), 100000);
	struct outcome *b = run_app(changed("oltp", changes), 100000);
	struct outcome *c;

	other.seed = 2;
	c = run_app_for(changed("oltp", changes), 100000, &other);
	check_equal(a->merits.count, b->merits.count);
	for (size_t i = 0; i < a->merits.count; i++)
		check(a->merits.rows[i].value == b->merits.rows[i].value);
	check(memcmp(&a->stats, &b->stats, sizeof(a->stats)) == 0);
	check(value(a, "latency_mean") != value(c, "latency_mean"));
	drop(a);
	drop(b);
	drop(c);
}

/* ---- terminals ---- */

#define SMALL_TPCC "instances", "1", "terminals", "1000", "workers", "100", "warehouses", "4", \
	"data", "900MB", "pool", "64M", "log", "16M", "warm_up", "1s", "time", "100s", "cpu", "1us"

TEST(the_mean_cycle_is_that_of_the_specification)
{
	uint64_t counts[TPCC_KINDS] = { 0 }, thinking = 0;
	struct rng rng = rng_stream(1, "mix");
	enum tpcc_kind kind;

	check_equal(tpcc_cycle_us(), 20990000);
	for (int i = 0; i < 100000; i++)
		counts[tpcc_draw_kind(&rng)]++;
	check(counts[TPCC_NEW_ORDER] > 44000 && counts[TPCC_NEW_ORDER] < 46000);
	check(counts[TPCC_PAYMENT] > 42000 && counts[TPCC_PAYMENT] < 44000);
	check(counts[TPCC_STOCK_LEVEL] > 3700 && counts[TPCC_STOCK_LEVEL] < 4300);
	for (int i = 0; i < 100000; i++)
		thinking += tpcc_draw_moment(&rng, &kind);
	check(thinking > 53500 && thinking < 54800); /* 11.36 of 20.99 s */
}

TEST(without_a_response_time_the_delays_alone_set_the_rate)
{
	const char *const changes[] = { SMALL_TPCC, "round_trip", "1ns", NULL };
	struct app_config slow = plain;
	struct outcome *outcome = run_app(changed("tpcc", changes), 1);

	check(within(value(outcome, "delays_of_a_cycle"), 4.74374, 0.00001));
	check(within(value(outcome, "tps"), 1000 / 4.74374, 0.015));
	drop(outcome);
	slow.cycle_scale_milli = 1000;
	outcome = run_app_for(changed("tpcc", changes), 1, &slow);
	check(within(value(outcome, "tps"), 1000 / 20.99, 0.03));
	drop(outcome);
}

TEST(the_rate_is_terminals_over_delays_and_response)
{
	const char *const changes[] = { SMALL_TPCC, "round_trip", "1ns", "cpu", "2ms", "terminals", "200",
					"time", "10s", NULL };
	struct app_config quick = plain;

	quick.cycle_scale_milli = 5; /* about 105 ms of delays */
	for (uint64_t each_ns = 100000; each_ns <= 3200000; each_ns *= 2) {
		struct outcome *outcome = run_app_for(changed("tpcc", changes), each_ns, &quick);

		check(within(value(outcome, "tps"), value(outcome, "terminals_over_delays_and_response"),
			     0.015));
		drop(outcome);
	}
}

TEST(fewer_workers_than_transactions_make_terminals_wait)
{
	const char *const few[] = { SMALL_TPCC, "round_trip", "1ms", "workers", "4", "time", "10s", NULL };
	const char *const many[] = { SMALL_TPCC, "round_trip", "1ms", "workers", "100", "time", "10s", NULL };
	struct outcome *waits = run_app(changed("tpcc", few), 1000);
	struct outcome *runs = run_app(changed("tpcc", many), 1000);

	check(value(waits, "latency_mean") > 2 * value(runs, "latency_mean"));
	check(value(waits, "tps") < value(runs, "tps"));
	drop(waits);
	drop(runs);
}

TEST(the_tables_take_the_size_that_was_published)
{
	struct tpcc_layout layout = tpcc_layout_of(1500, 8192, 333000000000);
	struct tpcc_layout small = tpcc_layout_of(3, 8192, 666000000);

	check(within((double)layout.page_count * 8192, 333e9, 0.06));
	check(within((double)small.page_count * 8192, 666e6, 0.06));
}

/* The shipped drive with tR and twice that. */
static struct target *open_983(const char *read)
{
	char path[] = "test_app_XXXXXX.yaml";
	static char text[65536];
	struct target_options options = { .scale = 256, .seed = 1 };
	FILE *file = fopen(SOURCE_ROOT "/drives/samsung-983-dct-1.92tb.yaml", "r");
	struct target *target;
	size_t size;
	char *at;
	int fd, err;

	check(file != NULL);
	size = fread(text, 1, sizeof(text) - 16, file);
	text[size] = '\0';
	fclose(file);
	at = strstr(text, "  read: {value: 60us");
	check(at != NULL);
	memmove(at + strlen("  read: {value: ") + strlen(read), at + strlen("  read: {value: 60us"),
		strlen(at + strlen("  read: {value: 60us")) + 1);
	memcpy(at + strlen("  read: {value: "), read, strlen(read));
	fd = mkstemps(path, 5);
	check(fd >= 0);
	check(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	err = target_open(path, &options, &target);
	unlink(path);
	if (err)
		tap_fail("%s", fail_message());
	return target;
}

static struct outcome *tpcc_on(const char *read, uint32_t cycle_scale_milli, const char *terminals)
{
	const char *const changes[] = { "terminals", terminals, "warm_up", "10s", "time", "100s", NULL };
	struct app_config config = { .seed = 1, .name = "test", .duration_ns = 400000000,
				     .cycle_scale_milli = cycle_scale_milli };
	struct outcome *outcome = xcalloc(1, sizeof(*outcome));
	struct app *app = changed("tpcc", changes);
	struct target *target = open_983(read);

	if (app_run(app, target, &config, &outcome->stats, &outcome->merits))
		tap_fail("%s", fail_message());
	target_close(target);
	app_free(app);
	return outcome;
}

/* With delays of 21 ms instead of seconds, so that the rate shows it in a moment too. */
TEST(a_drive_with_twice_the_read_time_has_a_longer_response_and_a_lower_rate)
{
	struct outcome *fast = tpcc_on("60us", 1, "50"), *slow = tpcc_on("120us", 1, "50");
	double fast_ms = value(fast, "latency_mean") / 1e3, slow_ms = value(slow, "latency_mean") / 1e3;
	double reads = value(fast, "reads_per_transaction");

	/* About 60 us more for each read, one after another. */
	check(slow_ms > fast_ms + 0.045 * reads);
	check(slow_ms < fast_ms + 0.12 * reads);
	check(value(slow, "tps") < value(fast, "tps"));
	check(within(value(slow, "tps") / value(fast, "tps"), (20.99 + fast_ms) / (20.99 + slow_ms), 0.03));
	drop(fast);
	drop(slow);
}

/* ---- out of core ---- */

#define SMALL_CORE "packed", "64M", "unpacked", "3.0", "repacked", "1.0", "threads", "8", "cores", "8", \
	"buckets", "4", "fault", "40us", "load", "100us", "unpack", "20us", "repack", "20us"

TEST(what_fits_into_memory_is_never_swapped)
{
	const char *const changes[] = { SMALL_CORE, "memory", "1G", NULL };
	struct outcome *outcome = run_app(changed("out-of-core", changes), 1000);

	check(value(outcome, "swapped_out") == 0);
	check(value(outcome, "swapped_in") == 0);
	/* 2,048 clusters, each a fault and its work in one thread, which reads ahead; then 6,144 faults,
	   one after another; then as many clusters in 8 threads, and 2,048 faults beside it. */
	check(within(value(outcome, "phase_1_load"), 2048 * 140e-6, 0.02));
	check(within(value(outcome, "phase_2_unpack"), 6144 * 40e-6, 0.02));
	check(value(outcome, "phase_4_repack") >= 2048 * 40e-6);
	check(value(outcome, "phase_4_repack") <= 2048 * 40e-6 + 6144 * 20e-6 / 8 + 0.01);
	check(within(value(outcome, "time"), value(outcome, "phase_1_load") +
		     value(outcome, "phase_2_unpack") + value(outcome, "phase_4_repack"), 1e-9));
	drop(outcome);
}

TEST(what_does_not_fit_goes_out_once_and_comes_back_when_it_is_wanted)
{
	const char *const changes[] = { SMALL_CORE, "memory", "32M", NULL };
	struct outcome *outcome = run_app(changed("out-of-core", changes), 10000);
	double all = 5 * 64 * 1048576.0;

	check(value(outcome, "swapped_out") > all - 40 * 1048576.0);
	check(value(outcome, "swapped_out") < 1.2 * all);
	/* Packed points and the flat array, less what was still in memory. */
	check(value(outcome, "swapped_in") > 0.8 * 4 * 64 * 1048576.0);
	drop(outcome);
}

TEST(a_slower_drive_takes_longer_for_a_working_set_out_of_core)
{
	const char *const changes[] = { SMALL_CORE, "memory", "32M", NULL };
	double last = 0;

	for (uint64_t each_ns = 10000; each_ns <= 10000000; each_ns *= 10) {
		struct outcome *outcome = run_app(changed("out-of-core", changes), each_ns);

		check(value(outcome, "time") >= last);
		last = value(outcome, "time");
		drop(outcome);
	}
	check(last > 10 * 2048 * 140e-6);
}

TEST(out_of_core_is_the_same_again)
{
	const char *const changes[] = { SMALL_CORE, "memory", "32M", NULL };
	struct outcome *a = run_app(changed("out-of-core", changes), 100000);
	struct outcome *b = run_app(changed("out-of-core", changes), 100000);

	for (size_t i = 0; i < a->merits.count; i++)
		check(a->merits.rows[i].value == b->merits.rows[i].value);
	check(memcmp(&a->stats, &b->stats, sizeof(a->stats)) == 0);
	drop(a);
	drop(b);
}

TEST(a_request_that_fails_ends_the_application_with_a_sentence)
{
	const char *const changes[] = { SMALL_OLTP, NULL };
	struct app *app = changed("oltp", changes);
	struct target *target = even_new(1ull << 40, 1000);
	struct stats *stats = xcalloc(1, sizeof(*stats));
	struct merits merits = { NULL, 0 };

	even_of(target)->fail_after = 5000;
	check_equal(app_run(app, target, &plain, stats, &merits), -EIO);
	check(strstr(fail_message(), "a request of the application failed: Input/output error"));
	check_equal(merits.count, 0);
	check_equal(target->in_flight, 0);
	target_close(target);
	app_free(app);
	free(stats);
}

TEST(data_that_do_not_fit_are_said_with_both_sizes)
{
	const char *const changes[] = { SMALL_OLTP, NULL };
	struct app *app = changed("oltp", changes);
	struct target *target = even_new(1 << 20, 1000);
	_cleanup_free_ char *why = app_misfit(app, target);

	check(why && strstr(why, "its data take ") && strstr(why, "the drive has 1 MiB"));
	target->is_virtual = false;
	free(why);
	why = app_misfit(app, target);
	check(why && strstr(why, "modelled drives only"));
	target_close(target);
	app_free(app);
}

TEST(a_file_is_refused_with_line_and_reason)
{
	static const struct {
		const char *text, *says;
	} files[] = {
		{ "name: x\n", "kind is missing" },
		{ "kind: oltq\n", "'oltq' is not one of: oltp" },
		{ "kind: oltp\nnmae: x\n", "nmae" },
		{ "kind: oltp\nname: x\nhelp: y\nsource: z\n", "missing key 'warm_up'" },
		{ "kind: oltp\nname: x\nhelp: y\nsource: z\nwarm_up: 1h\n", "x.yaml:5: warm_up" },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct app *app;

		check_equal(app_parse("x.yaml", files[i].text, strlen(files[i].text), &app), -EINVAL);
		if (!strstr(fail_message(), files[i].says))
			tap_fail("says: %s", fail_message());
	}
}

int main(void)
{
	data_set_root(SOURCE_ROOT);
	return tap_run();
}
