#include "stats/compare.h"

#include <math.h>
#include <unistd.h>

#include "base/rng.h"
#include "report/compare.h"
#include "report_sample.h"
#include "tap.h"

enum { WINDOWS = 240 };

static struct compare_window a[WINDOWS], b[WINDOWS];

static bool near(double got, double expected, double error)
{
	return fabs(got - expected) <= error * fabs(expected);
}

/* About normal: the sum of twelve numbers between 0 and 1, less 6. */
static double noise(struct rng *rng)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)(rng_next(rng) >> 11) / 9007199254740992.0;
	return sum;
}

/* Windows of a second: a mean, and noise of which each window keeps `memory` from the last. */
static void fill(struct compare_window *windows, struct rng *rng, double mean, double deviation,
		 double memory)
{
	double state = noise(rng);

	for (size_t i = 0; i < WINDOWS; i++) {
		windows[i] = (struct compare_window){ mean * (1 + deviation * state), 1 };
		state = memory * state + sqrt(1 - memory * memory) * noise(rng);
	}
}

/* How many of 400 comparisons say that B, `share` of A, is different. */
static int alarms(double share, double deviation, double memory)
{
	struct rng rng = rng_stream(7, "windows");
	int found = 0;

	for (int i = 0; i < 400; i++) {
		struct compare_ratio ratio;

		fill(a, &rng, 1000, deviation, memory);
		fill(b, &rng, 1000 * share, deviation, memory);
		ratio = compare_windows(a, b, WINDOWS, 1, 0.05);
		found += ratio.low > 1 || ratio.high < 1;
	}
	return found;
}

/* Tables of Student's distribution, two-sided. */
TEST(quantiles_are_those_of_the_tables)
{
	check(near(student_quantile(0.05, 1), 12.7062, 1e-5));
	check(near(student_quantile(0.05, 10), 2.22814, 1e-5));
	check(near(student_quantile(0.01, 5), 4.03214, 1e-5));
	check(near(student_quantile(0.001, 30), 3.64596, 1e-5));
	check(near(student_quantile(0.05, 1e7), 1.95996, 1e-5));
	check(near(student_quantile(0.5, 3), 0.764892, 1e-5));
}

TEST(a_ratio_is_that_of_the_sums_and_not_the_mean_of_ratios)
{
	struct compare_window of_a[] = { { 100, 1 }, { 100, 1 }, { 400, 2 }, { 200, 1 } };
	struct compare_window of_b[] = { { 50, 1 }, { 150, 1 }, { 300, 2 }, { 700, 1 } };
	struct compare_ratio ratio = compare_windows(of_a, of_b, 4, 1, 0.05);

	check(ratio.known && ratio.judged);
	check(near(ratio.ratio, (1200.0 / 5) / (800.0 / 5), 1e-12));
	check(ratio.low < ratio.ratio && ratio.ratio < ratio.high);
	ratio = compare_windows(of_b, of_a, 4, 1, 0.05);
	check(near(ratio.ratio, 800.0 / 1200, 1e-12));
}

/* Four windows, no memory: the interval is that of the paired t test on the pulls. */
TEST(the_interval_of_independent_windows_is_that_of_the_paired_t_test)
{
	struct compare_window of_a[] = { { 100, 1 }, { 100, 1 }, { 100, 1 }, { 100, 1 } };
	struct compare_window of_b[] = { { 90, 1 }, { 110, 1 }, { 95, 1 }, { 105, 1 } };
	struct compare_ratio ratio = compare_windows(of_a, of_b, 4, 1, 0.05);
	/* Pulls -.1 .1 -.05 .05: variance .025 / 3; t of 3 is 3.18245. */
	double error = 3.18245 * sqrt(0.025 / 3 / 4);

	check(near(ratio.effective, 4, 1e-12));
	check(near(ratio.high, exp(error), 1e-5));
	check(near(ratio.low, exp(-error), 1e-5));
}

TEST(three_windows_are_not_judged_and_four_are)
{
	struct rng rng = rng_stream(1, "windows");

	fill(a, &rng, 1000, .01, 0);
	fill(b, &rng, 1000, .01, 0);
	check(compare_windows(a, b, 3, 1, 0.05).known);
	check(!compare_windows(a, b, 3, 1, 0.05).judged);
	check(compare_windows(a, b, 4, 1, 0.05).judged);
}

TEST(batches_are_as_long_as_they_must_be)
{
	struct rng rng = rng_stream(2, "windows");

	fill(a, &rng, 1000, .01, 0);
	fill(b, &rng, 1000, .01, 0);
	check_equal(compare_windows(a, b, 60, 5, 0.05).batches, 12);
	check(compare_windows(a, b, 20, 5, 0.05).judged);
	check(!compare_windows(a, b, 19, 5, 0.05).judged);
}

TEST(nothing_is_not_divided_by)
{
	struct compare_window none[4] = { { 0, 1 }, { 0, 1 }, { 0, 1 }, { 0, 1 } };
	struct compare_window some[4] = { { 5, 1 }, { 5, 1 }, { 5, 1 }, { 5, 1 } };

	check(!compare_windows(none, some, 4, 1, 0.05).known);
	check(!compare_windows(some, none, 4, 1, 0.05).known);
	check(!compare_windows(some, some, 0, 1, 0.05).known);
	check(compare_windows(some, some, 4, 1, 0.05).known);
}

TEST(equal_series_have_an_interval_of_nothing_around_1)
{
	struct rng rng = rng_stream(3, "windows");
	struct compare_ratio ratio;

	fill(a, &rng, 1000, .2, .9);
	ratio = compare_windows(a, a, WINDOWS, 1, 0.05);
	check(near(ratio.ratio, 1, 1e-12));
	check(near(ratio.low, 1, 1e-9) && near(ratio.high, 1, 1e-9));
}

/* 5 % of 400 are 20; 35 would come once in a thousand times. */
TEST(independent_windows_alarm_as_often_as_was_asked_for)
{
	int found = alarms(1, .05, 0);

	check(found >= 5);
	check(found <= 35);
}

TEST(windows_that_resemble_their_neighbours_alarm_little_more)
{
	check(alarms(1, .05, .5) <= 40);
	check(alarms(1, .05, .8) <= 48);
	check(alarms(1, .05, .95) <= 72); /* 240 windows hold some 6 independent values */
}

TEST(five_percent_less_is_found_among_noise_of_five_percent)
{
	check(alarms(.95, .05, 0) >= 399);
	check(alarms(.95, .05, .5) >= 395);
	check(alarms(.95, .05, .8) >= 340);
}

TEST(resemblance_costs_samples)
{
	struct rng rng = rng_stream(5, "windows");
	double alone, together;

	fill(a, &rng, 1000, .05, 0);
	fill(b, &rng, 1000, .05, 0);
	alone = compare_windows(a, b, WINDOWS, 1, 0.05).effective;
	fill(a, &rng, 1000, .05, .97);
	fill(b, &rng, 1000, .05, .97);
	together = compare_windows(a, b, WINDOWS, 1, 0.05).effective;
	check(alone > 20);
	check(together < alone / 2);
}

/* What both do at the same moment is no noise: a cliff to a tenth of the rate. */
TEST(a_cliff_that_both_have_hides_no_difference)
{
	struct rng rng = rng_stream(9, "windows");
	struct compare_ratio ratio;

	fill(a, &rng, 1000, .002, 0);
	fill(b, &rng, 970, .002, 0);
	for (size_t i = 50; i < WINDOWS; i++) {
		a[i].value /= 10;
		b[i].value /= 10;
	}
	ratio = compare_windows(a, b, WINDOWS, 1, 0.05);
	check(near(ratio.ratio, .97, .002));
	check(ratio.high < .98);
}

static char path_a[64], path_b[64];

static struct result *sample(char path[64], const char *target, double speed, size_t cut_after)
{
	struct sample_options options = { .target = target, .description = "made up", .speed = speed,
					  .cut_after = cut_after };
	struct result *result;

	snprintf(path, 64, "/tmp/drivebay-compare-%d-%s.drivebay", (int)getpid(), target);
	unlink(path);
	check(sample_make(path, &options) == 0);
	check(result_open(path, true, &result) == 0);
	return result;
}

static const struct compare_options usual = { .confidence = .95, .margin = .01 };

static struct comparison *compare(struct result *of_a, struct result *of_b,
				  const struct compare_options *options)
{
	struct comparison *comparison = NULL;

	check(compare_results(of_a, of_b, options, &comparison) == 0);
	return comparison;
}

static void end(struct result *of_a, struct result *of_b, struct comparison *comparison)
{
	comparison_free(comparison);
	result_close(of_a);
	result_close(of_b);
	unlink(path_a);
	unlink(path_b);
}

TEST(a_result_does_not_differ_from_its_like)
{
	struct result *of_a = sample(path_a, "one", 1, 0), *of_b = sample(path_b, "two", 1, 0);
	struct comparison *comparison = compare(of_a, of_b, &usual);

	check(comparison->judged_count > 0);
	check_equal(comparison->slower_count, 0);
	check_equal(comparison->faster_count, 0);
	check(!compare_failure(comparison, .999));
	end(of_a, of_b, comparison);
}

TEST(a_slower_result_fails_below_its_speed_and_not_above)
{
	struct result *of_a = sample(path_a, "one", 1, 0), *of_b = sample(path_b, "two", .94, 0);
	struct comparison *comparison = compare(of_a, of_b, &usual);

	check(comparison->slower_count > 0);
	check_equal(comparison->faster_count, 0);
	check(compare_failure(comparison, .95));
	check(!compare_failure(comparison, .92));
	check(near(compare_goodness(compare_failure(comparison, .95)), .94, .01));
	comparison_free(comparison);
	comparison = compare(of_b, of_a, &usual); /* the other way round it is faster */
	check(comparison->faster_count > 0);
	check_equal(comparison->slower_count, 0);
	check(!compare_failure(comparison, .99));
	end(of_a, of_b, comparison);
}

TEST(less_than_the_margin_is_no_difference)
{
	struct result *of_a = sample(path_a, "one", 1, 0), *of_b = sample(path_b, "two", .994, 0);
	struct comparison *comparison = compare(of_a, of_b, &usual);
	struct compare_options strict = { .confidence = .95, .margin = .001 };

	check_equal(comparison->slower_count, 0);
	comparison_free(comparison);
	comparison = compare(of_a, of_b, &strict);
	check(comparison->slower_count > 0);
	end(of_a, of_b, comparison);
}

TEST(another_bed_or_scale_is_refused_unless_it_is_wanted)
{
	static const char *const keys[] = { "bed", "scale", "model" };
	struct compare_options anyway = { .confidence = .95, .margin = .01, .anyway = true };

	for (size_t i = 0; i < 3; i++) {
		struct result *of_a = sample(path_a, "one", 1, 0), *of_b = sample(path_b, "two", 1, 0);
		struct comparison *comparison = NULL;

		check(result_set(of_b, keys[i], "7") == 0);
		check(compare_results(of_a, of_b, &usual, &comparison) == -22);
		check(strstr(fail_message(), keys[i]) || !strcmp(keys[i], "model"));
		check(strstr(fail_message(), "--anyway"));
		comparison = compare(of_a, of_b, &anyway);
		check(comparison->note_count >= 2); /* this, and the target */
		end(of_a, of_b, comparison);
	}
}

TEST(a_real_drive_is_judged_by_longer_batches)
{
	struct result *of_a = sample(path_a, "one", 1, 0), *of_b = sample(path_b, "two", 1, 0);
	struct comparison *comparison;

	comparison = compare(of_a, of_b, &usual);
	check(!comparison->measured);
	check_equal(comparison->lines[0].least_batch, 1);
	check_equal(comparison->lines[0].ratio.batches, 32);
	comparison_free(comparison);
	check(result_set(of_a, "model", "0") == 0);
	check(result_set(of_b, "model", "0") == 0);
	comparison = compare(of_a, of_b, &usual);
	check(comparison->measured);
	check_equal(comparison->lines[0].least_batch, 5);
	check_equal(comparison->lines[0].ratio.batches, 18); /* of 90 windows */
	end(of_a, of_b, comparison);
}

TEST(what_was_not_finished_is_not_judged)
{
	struct result *of_a = sample(path_a, "one", 1, 0), *of_b = sample(path_b, "two", 1, 20);
	struct comparison *comparison = compare(of_a, of_b, &usual);
	bool told = false;

	for (size_t i = 0; i < comparison->line_count; i++)
		told |= comparison->lines[i].why
			&& !strcmp(comparison->lines[i].why, "not finished in B");
	check(told);
	check_equal(comparison->slower_count, 0);
	end(of_a, of_b, comparison);
}

int main(void)
{
	return tap_run();
}
