#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/fail.h"
#include "load/run.h"
#include "tap.h"
#include "target/target.h"

static const uint64_t us = 1000, ms = 1000000;

static struct stats stats;

static struct target *open_null(const char *arg)
{
	const struct target_options options = { 0 };
	struct target *target;

	if (target_null_ops.open(arg, &options, &target))
		tap_fail("%s", fail_message());
	return target;
}

static struct workload reads(uint32_t threads, uint32_t depth)
{
	static char name[] = "reads";

	return (struct workload){
		.name = name,
		.read_percent = 50,
		.pattern = PATTERN_UNIFORM,
		.random_percent = 100,
		.read_sizes = { 1, { { 4096, 1 } } },
		.write_sizes = { 1, { { 8192, 1 } } },
		.threads = threads,
		.depth = depth,
		.span_millipercent = 100000,
	};
}

static struct run_config config_of(const struct workload *workload, uint64_t rate, uint64_t duration_ns)
{
	return (struct run_config){
		.workload = workload,
		.seed = 1,
		.name = "test",
		.rate = rate,
		.duration_ns = duration_ns,
	};
}

TEST(it_has_the_size_it_was_asked_for_in_whole_blocks)
{
	struct target *target = open_null("1M");

	check_equal(target->size_bytes, 1 << 20);
	check(!target->is_virtual);
	check(!target->moves_data);
	target_close(target);
	target = open_null("1000");
	check_equal(target->size_bytes, 512);
	check_equal(target->tail_bytes, 488);
	target_close(target);
}

TEST(a_size_that_is_none_is_refused)
{
	const struct target_options options = { 0 };
	struct target *target;

	check_equal(target_null_ops.open("", &options, &target), -EINVAL);
	check_equal(target_null_ops.open("much", &options, &target), -EINVAL);
	check(!strcmp(fail_message(), "null:much: 'much' is not a size; null:1G would do"));
	check_equal(target_null_ops.open("100", &options, &target), -EINVAL);
}

TEST(requests_come_back_in_order_and_the_clock_does_not_run_backwards)
{
	struct target *target = open_null("1M");
	struct io ios[3] = { { .size_bytes = 512 }, { .size_bytes = 512 }, { .size_bytes = 512 } };
	uint64_t last_ns = target_now(target);

	for (int i = 0; i < 3; i++)
		target_submit(target, &ios[i]);
	for (int i = 0; i < 3; i++) {
		check(target_reap(target, 0) == &ios[i]);
		check(ios[i].completed_ns >= ios[i].submitted_ns);
		check(target_now(target) >= last_ns);
		last_ns = target_now(target);
	}
	check(!target_reap(target, 0));
	check(target_now(target) >= last_ns);
	target_close(target);
}

TEST(the_clock_goes_on_while_a_completion_waits_to_be_taken)
{
	struct target *target = open_null("1M");
	struct io ios[2] = { { .size_bytes = 512 }, { .size_bytes = 512 } };
	const struct timespec a_while = { .tv_nsec = 2000000 };

	target_submit(target, &ios[0]);
	target_submit(target, &ios[1]);
	check(target_reap(target, 0) == &ios[0]);
	nanosleep(&a_while, NULL);
	check(target_reap(target, 0) == &ios[1]);
	check(target_now(target) >= ios[1].completed_ns + 2 * ms);
	target_close(target);
}

TEST(an_overload_of_several_threads_counts_what_none_of_them_sent)
{
	struct workload workload = reads(2, 1);
	struct run_config config = config_of(&workload, 1000000000, 2 * ms);
	struct target *targets[2] = { open_null("1G"), open_null("1G") };

	check_equal(run_threads(targets, 2, &config, &stats), 0);
	check_equal(stats.from_due.count, 2000000);
	check(stats.unissued > 0);
	target_close(targets[0]);
	target_close(targets[1]);
}

TEST(loads_at_the_same_time_on_a_real_target_have_a_thread_and_a_handle_each)
{
	static struct stats others;
	struct workload workload = reads(1, 1);
	struct run_config configs[2] = { config_of(&workload, 0, UINT64_MAX),
					 config_of(&workload, 1000, 30 * ms) };
	struct target *targets[2] = { open_null("1G"), open_null("1G") };
	struct stats *outs[2] = { &stats, &others };

	configs[0].max_ios = 5000;
	check_equal(run_together(targets, configs, 2, outs), 0);
	check_equal(stats.from_submit.count, 5000);
	check_equal(others.from_due.count, 30);
	target_close(targets[0]);
	target_close(targets[1]);
}

TEST(waiting_lasts_until_the_moment)
{
	struct target *target = open_null("1M");
	uint64_t until_ns = target_now(target) + 3 * ms;

	check(!target_reap(target, until_ns));
	check(target_now(target) >= until_ns);
	target_close(target);
}

TEST(a_closed_loop_on_the_wall_clock_obeys_littles_law)
{
	struct workload workload = reads(1, 32);
	struct run_config config = config_of(&workload, 0, 50 * ms);
	struct target *target = open_null("1G");

	check_equal(run(target, &config, &stats), 0);
	check(stats.ios[IO_READ] > 100);
	check(stats.ios[IO_WRITE] > 100);
	check_equal(stats.bytes[IO_WRITE], stats.ios[IO_WRITE] * 8192);
	check_equal(stats.elapsed_ns, 50 * ms);
	check(stats.from_submit.count == stats.ios[IO_READ] + stats.ios[IO_WRITE]);
	/* Exactly, since null's clock answers with the stamp: what was outstanding is the sum
	   of all latencies, those of the unfinished included. */
	check(stats.outstanding_ns == stats.from_due.sum_ns);
	check_equal(target->in_flight, 0);
	target_close(target);
}

/* The stamp of the last completion is not what a later run begins at. */
TEST(after_a_run_the_clock_has_gone_on)
{
	struct workload workload = reads(1, 1);
	struct run_config config = config_of(&workload, 0, ms);
	struct target *target = open_null("1G");
	uint64_t before_ns;

	check_equal(run(target, &config, &stats), 0);
	before_ns = clock_ns();
	check(target_now(target) >= before_ns);
	target_close(target);
}

TEST(an_open_loop_on_the_wall_clock_sends_everything_that_is_due)
{
	struct workload workload = reads(1, 64);
	struct run_config config = config_of(&workload, 2000, 100 * ms);
	struct target *target = open_null("1G");

	check_equal(run(target, &config, &stats), 0);
	check_equal(stats.from_due.count, 200); /* done, or counted as waiting */
	target_close(target);
}

/* --- several threads --- */

enum { THREADS = 4, WINDOWS_MAX = 1000 };

static struct window windows[WINDOWS_MAX];
static size_t window_count;

static void keep_window(void *context, const struct window *window)
{
	(void)context;
	if (window_count < WINDOWS_MAX)
		windows[window_count++] = *window;
}

/* Hears nothing until the rings of the threads are full. */
static void keep_window_late(void *context, const struct window *window)
{
	const struct timespec a_while = { .tv_nsec = 80000000 };

	if (window_count == 0)
		nanosleep(&a_while, NULL);
	keep_window(context, window);
}

static size_t progress_calls, progress_allowed;

static bool count_progress(void *context, const struct stats *so_far, uint64_t elapsed_ns)
{
	(void)context;
	(void)so_far;
	(void)elapsed_ns;
	return ++progress_calls < progress_allowed;
}

static void open_all(struct target *targets[THREADS])
{
	for (int i = 0; i < THREADS; i++)
		targets[i] = open_null("1G");
}

static void close_all(struct target *targets[THREADS])
{
	for (int i = 0; i < THREADS; i++) {
		check_equal(targets[i]->in_flight, 0);
		target_close(targets[i]);
	}
}

TEST(threads_share_a_rate_and_their_windows_are_merged)
{
	struct workload workload = reads(4, 16);
	struct run_config config = config_of(&workload, 4000, 100 * ms);
	struct target *targets[THREADS];
	uint64_t ios = 0, at_ns = 0;

	config.window_ns = 10 * ms;
	config.on_window = keep_window;
	window_count = 0;
	open_all(targets);
	check_equal(run_threads(targets, THREADS, &config, &stats), 0);
	close_all(targets);
	check_equal(stats.from_due.count, 400);
	check_equal(stats.elapsed_ns, 100 * ms);
	check_equal(window_count, 10);
	for (size_t i = 0; i < window_count; i++) {
		check_equal(windows[i].start_ns, at_ns);
		at_ns += windows[i].elapsed_ns;
		ios += windows[i].ios;
	}
	check_equal(at_ns, 100 * ms);
	check_equal(ios, stats.ios[IO_READ] + stats.ios[IO_WRITE]);
}

TEST(threads_together_send_no_more_than_max_ios)
{
	struct workload workload = reads(4, 4);
	struct run_config config = config_of(&workload, 0, UINT64_MAX);
	struct target *targets[THREADS];

	config.max_ios = 1003;
	open_all(targets);
	check_equal(run_threads(targets, THREADS, &config, &stats), 0);
	close_all(targets);
	check_equal(stats.ios[IO_READ] + stats.ios[IO_WRITE], 1003);
}

TEST(a_workload_of_two_threads_runs_on_two)
{
	struct workload workload = reads(2, 4);
	struct run_config config = config_of(&workload, 0, 5 * ms);
	struct target *targets[THREADS];

	open_all(targets);
	check_equal(run_threads(targets, THREADS, &config, &stats), 0);
	close_all(targets);
	check(stats.outstanding_ns <= (unsigned __int128)8 * 5 * ms);
}

TEST(progress_ends_a_run_of_several_threads)
{
	struct workload workload = reads(4, 4);
	struct run_config config = config_of(&workload, 0, UINT64_MAX);
	struct target *targets[THREADS];

	config.on_progress = count_progress;
	progress_calls = 0;
	progress_allowed = 2;
	open_all(targets);
	check_equal(run_threads(targets, THREADS, &config, &stats), -EINTR);
	close_all(targets);
	check_equal(progress_calls, 2);
	check(stats.ios[IO_READ] > 0);
}

TEST(a_stop_ends_a_run_of_several_threads)
{
	volatile sig_atomic_t stop = 1;
	struct workload workload = reads(4, 4);
	struct run_config config = config_of(&workload, 1000, UINT64_MAX);
	struct target *targets[THREADS];

	config.stop = &stop;
	open_all(targets);
	check_equal(run_threads(targets, THREADS, &config, &stats), -EINTR);
	close_all(targets);
}

TEST(a_run_that_cannot_be_made_is_refused_before_a_thread_starts)
{
	struct workload workload = reads(4, 4);
	struct run_config config = config_of(&workload, 0, 5 * ms);
	struct target *targets[THREADS];

	workload.read_sizes.shares[0].size_bytes = 100;
	open_all(targets);
	check_equal(run_threads(targets, THREADS, &config, &stats), -EINVAL);
	close_all(targets);
	check(!strcmp(fail_message(), "reads: a request of 100 bytes is not a multiple of the target's "
		      "logical block of 512"));
}

TEST(a_slow_listener_loses_no_window)
{
	struct workload workload = reads(4, 1);
	struct run_config config = config_of(&workload, 20000, 60 * ms);
	struct target *targets[THREADS];
	uint64_t ios = 0;

	config.window_ns = 200 * us; /* 300 windows: more than a ring holds */
	config.on_window = keep_window_late;
	window_count = 0;
	open_all(targets);
	check_equal(run_threads(targets, THREADS, &config, &stats), 0);
	close_all(targets);
	check_equal(window_count, 300);
	for (size_t i = 0; i < window_count; i++)
		ios += windows[i].ios;
	check_equal(ios, stats.ios[IO_READ] + stats.ios[IO_WRITE]);
}

TEST(a_fill_runs_beside_its_listener)
{
	struct run_config config = { .seed = 1, .name = "fill", .window_ns = ms, .on_window = keep_window };
	struct target *target = open_null("10M");

	check_equal(run_fill(target, 65536, &config, &stats), 0);
	check_equal(stats.bytes[IO_WRITE], 10 << 20);
	check_equal(stats.ios[IO_WRITE], 160);
	target_close(target);
}

int main(void)
{
	return tap_run();
}
