#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "tap.h"

static struct stats stats, other, all;
static struct window window;

static void add(struct stats *to, enum io_op op, uint64_t due_ns, uint64_t submitted_ns,
		uint64_t completed_ns, int error)
{
	struct io io = {
		.op = op,
		.size_bytes = 4096,
		.due_ns = due_ns,
		.submitted_ns = submitted_ns,
		.completed_ns = completed_ns,
		.error = error,
	};

	stats_add(to, &io);
}

TEST(empty_statistics_say_0_and_not_nonsense)
{
	double error = 7;

	stats_clear(&stats);
	check(stats_iops(&stats) == 0);
	check(stats_bytes_per_s(&stats) == 0);
	check(stats_outstanding(&stats) == 0);
	check(latency_mean_ns(&stats.from_submit) == 0);
	check(latency_stddev_ns(&stats.from_submit) == 0);
	check(latency_quantile(&stats.from_submit, &stats.hist_submit, 990000, NULL) == 0);
	check(stats_little_agrees(&stats, &error));
	check(error == 0);
	check(stats.from_submit.min_ns == UINT64_MAX);
	stats_window(&stats, 5, &window);
	check_equal(window.start_ns, 5);
	check_equal(window.ios, 0);
	check_equal(window.mean_ns, 0);
}

TEST(clearing_makes_an_empty_one_of_whatever_the_memory_held)
{
	memset(&stats, 0xa5, sizeof(stats));
	memset(&other, 0x5a, sizeof(other));
	stats_clear(&stats);
	stats_clear(&other);
	check(!memcmp(&stats, &other, sizeof(stats)));
	add(&stats, IO_READ, 1, 2, 3000, 0);
	stats_reset(&stats);
	check(!memcmp(&stats, &other, sizeof(stats)));
}

TEST(a_request_counts_from_its_submission_and_from_its_due_time)
{
	stats_clear(&stats);
	add(&stats, IO_READ, 100, 150, 250, 0);
	check_equal(stats.from_submit.max_ns, 100);
	check_equal(stats.from_due.max_ns, 150);
	check_equal(stats.late_max_ns, 50);
	check_equal(stats.read_from_submit.count, 1);
	check_equal(stats.write_from_submit.count, 0);
	add(&stats, IO_WRITE, 200, 200, 230, 0);
	check_equal(stats.from_submit.min_ns, 30);
	check_equal(stats.from_submit.count, 2);
	check_equal(stats.write_from_submit.max_ns, 30);
	add(&stats, IO_TRIM, 300, 300, 310, 0);
	check_equal(stats.ios[IO_TRIM], 1);
	check_equal(stats.bytes[IO_TRIM], 4096);
	check_equal(stats.read_from_submit.count + stats.write_from_submit.count, 2);
	check_equal(stats.hist_submit.count, 3);
	check_equal(stats.hist_not_read.count, 2);
	stats_reset(&stats);
	check_equal(stats.hist_not_read.count, 0);
	add(&stats, IO_READ, 100, 150, 250, 0);
	add(&stats, IO_WRITE, 200, 200, 230, 0);
	add(&stats, IO_TRIM, 300, 300, 310, 0);
	check_equal(stats.hist_due.count, 3);
}

TEST(a_failed_request_is_an_error_and_nothing_else)
{
	stats_clear(&stats);
	add(&stats, IO_READ, 100, 150, 250, -5);
	check_equal(stats.errors, 1);
	check_equal(stats.ios[IO_READ], 0);
	check_equal(stats.bytes[IO_READ], 0);
	check_equal(stats.from_submit.count, 0);
	check_equal(stats.from_due.count, 0);
	check_equal(stats.late_max_ns, 50);
}

TEST(mean_and_deviation_are_those_of_the_population)
{
	const uint64_t values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };

	stats_clear(&stats);
	for (size_t i = 0; i < 8; i++)
		add(&stats, IO_READ, 0, 0, values[i], 0);
	check(latency_mean_ns(&stats.from_submit) == 5);
	check(latency_stddev_ns(&stats.from_submit) == 2);
}

TEST(a_small_deviation_of_large_values_is_not_lost)
{
	stats_clear(&stats);
	for (int i = 0; i < 1000; i++)
		add(&stats, IO_READ, 0, 0, 3600000000000 + (i % 2 ? 1 : 3), 0); /* an hour */
	check(latency_stddev_ns(&stats.from_submit) == 1);
}

TEST(sums_do_not_overflow_with_hours_of_latency_a_billion_times)
{
	stats_clear(&stats);
	add(&stats, IO_READ, 0, 0, 1ull << 42, 0); /* more than an hour */
	for (int doubling = 0; doubling < 30; doubling++) {
		memcpy(&other, &stats, sizeof(stats));
		stats_merge(&stats, &other);
	}
	check_equal(stats.from_submit.count, 1 << 30);
	check(latency_mean_ns(&stats.from_submit) == (double)(1ull << 42));
	check(latency_stddev_ns(&stats.from_submit) == 0);
}

TEST(merging_equals_adding_everything_to_one)
{
	struct rng rng = rng_stream(1, "merge");

	stats_clear(&stats);
	stats_clear(&other);
	stats_clear(&all);
	for (int i = 0; i < 20000; i++) {
		struct stats *half = rng_next(&rng) & 1 ? &stats : &other;
		enum io_op op = (enum io_op)rng_below(&rng, 3);
		uint64_t due_ns = rng_below(&rng, 1000000), submitted_ns = due_ns + rng_below(&rng, 1000);
		uint64_t completed_ns = submitted_ns + (rng_next(&rng) >> (20 + rng_below(&rng, 44)));
		int error = rng_below(&rng, 10) ? 0 : -5;

		add(half, op, due_ns, submitted_ns, completed_ns, error);
		add(&all, op, due_ns, submitted_ns, completed_ns, error);
	}
	stats.elapsed_ns = 1000;
	other.elapsed_ns = 2000;
	all.elapsed_ns = 3000;
	stats.outstanding_ns = 10;
	other.outstanding_ns = 20;
	all.outstanding_ns = 30;
	stats_add_unfinished(&stats, 12345, 12345);
	stats_add_unfinished(&all, 12345, 12345);
	stats_add_unissued(&other, 1234567, 5);
	stats_add_unissued(&all, 1234567, 5);
	stats_merge(&stats, &other);
	check(!memcmp(&stats, &all, sizeof(stats)));
}

TEST(the_unfinished_join_the_latency_from_the_due_time_only)
{
	stats_clear(&stats);
	add(&stats, IO_READ, 0, 0, 1000, 0);
	stats_add_unfinished(&stats, 5, 5);
	stats_add_unissued(&stats, 7000, 2);
	check_equal(stats.from_submit.count, 1);
	check_equal(stats.from_due.count, 4);
	check_equal(stats.from_due.max_ns, 7000);
	check_equal(stats.from_due.min_ns, 1000); /* the five say nothing about the fastest */
	check(stats.from_due.sum_ns == 1000 + 5 + 14000);
	check_equal(stats.hist_due.count, 4);
	check_equal(stats.unfinished, 1);
	check_equal(stats.unissued, 2);
	check_equal(stats.late_max_ns, 7000);
}

TEST(where_nothing_was_completed_the_unfinished_are_all_there_is)
{
	stats_clear(&stats);
	stats_clear(&other);
	stats_add_unfinished(&other, 500, 500);
	stats_add_unissued(&other, 300, 1);
	stats_merge(&stats, &other);
	check_equal(stats.from_due.min_ns, 300);
	add(&stats, IO_READ, 0, 0, 1000, 0);
	stats_clear(&all);
	add(&all, IO_READ, 0, 0, 1000, 0);
	stats_merge(&all, &other);
	check_equal(all.from_due.min_ns, 1000);
}

/* 1,000 requests of 1 ms in a second. */
static void one_outstanding(uint64_t latency_ns)
{
	stats_clear(&stats);
	for (int i = 0; i < 1000; i++)
		add(&stats, IO_READ, 0, 0, latency_ns, 0);
	stats.elapsed_ns = 1000000000;
	stats.outstanding_ns = 1000000000;
}

TEST(littles_law_agrees_up_to_exactly_1_percent)
{
	double error;

	one_outstanding(1000000);
	check(stats_iops(&stats) == 1000);
	check(stats_bytes_per_s(&stats) == 4096000);
	check(stats_outstanding(&stats) == 1);
	check(stats_little_agrees(&stats, &error));
	check(fabs(error) < 1e-9);

	one_outstanding(1009900);
	check(stats_little_agrees(&stats, &error));
	check(fabs(error - 0.0099) < 1e-9);
	one_outstanding(1010100);
	check(!stats_little_agrees(&stats, &error));
	one_outstanding(990100);
	check(stats_little_agrees(&stats, NULL));
	one_outstanding(989900);
	check(!stats_little_agrees(&stats, &error));
	check(error < -0.01);
}

/* Frozen from the middle on: one request was served, the next one never came back. */
TEST(littles_law_holds_with_those_that_did_not_come_back_or_failed)
{
	struct io failed = { .op = IO_READ, .error = -EIO, .submitted_ns = 300, .due_ns = 300,
			     .completed_ns = 500 };
	double error;

	stats_clear(&stats);
	stats.elapsed_ns = 1000;
	stats.outstanding_ns = 300 + 200 + 500;
	add(&stats, IO_READ, 0, 0, 300, 0);
	check(!stats_little_agrees(&stats, &error));
	stats_add(&stats, &failed);
	check(!stats_little_agrees(&stats, &error));
	stats_add_unfinished(&stats, 900, 500);
	check(stats_little_agrees(&stats, &error));
	check(error == 0);
}

TEST(littles_law_is_not_asked_of_a_nearly_idle_run)
{
	one_outstanding(1000000);
	stats.outstanding_ns = 499999999; /* counted below a half, computed 1 */
	check(!stats_little_agrees(&stats, NULL));
	one_outstanding(400000);
	stats.outstanding_ns = 300000000;
	check(stats_little_agrees(&stats, NULL));
}

TEST(percentiles_of_a_window_with_fewer_than_ten_above_are_0)
{
	stats_clear(&stats);
	for (uint64_t i = 1; i <= 1000; i++)
		add(&stats, IO_READ, 0, 0, i * 1000, 0);
	stats.elapsed_ns = 500000000;
	stats.outstanding_ns = (unsigned __int128)1234567 * 500000;
	stats_window(&stats, 42, &window);
	check_equal(window.ios, 1000);
	check_equal(window.read_ios, 1000);
	check_equal(window.mean_ns, 500500);
	check_equal(window.max_ns, 1000000);
	check_equal(window.outstanding_milli, 1234567);
	check(window.p50_ns > 498000 && window.p50_ns < 502000);
	check(window.p99_ns > 986000 && window.p99_ns < 994000); /* exactly ten above */
	check_equal(window.p999_ns, 0);
	check_equal(window.stddev_ns, 288675);
	check_equal(window.due_max_ns, 1000000);
	add(&stats, IO_READ, 0, 0, 1, 0);
	stats_window(&stats, 42, &window);
	check(window.p99_ns > 0);
	stats_clear(&stats);
	for (uint64_t i = 1; i <= 999; i++)
		add(&stats, IO_READ, 0, 0, i * 1000, 0);
	stats_window(&stats, 42, &window);
	check_equal(window.p99_ns, 0); /* nine above */
}

TEST(a_quantile_is_never_outside_of_what_was_seen)
{
	stats_clear(&stats);
	for (int i = 0; i < 100; i++)
		add(&stats, IO_READ, 0, 0, 1 << 20, 0); /* the lowest of its part: the middle is higher */
	check(hist_quantile(&stats.hist_submit, 500000, NULL) > 1 << 20);
	check_equal(latency_quantile(&stats.from_submit, &stats.hist_submit, 500000, NULL), 1 << 20);
}

int main(void)
{
	return tap_run();
}
