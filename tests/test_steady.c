#include "stats/steady.h"

#include <math.h>

#include "base/rng.h"
#include "tap.h"

static struct steady judge(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
	return steady_judge((uint64_t[]){ a, b, c, d, e }, 5);
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-12;
}

TEST(exactly_20_percent_of_range_is_steady_and_one_more_is_not)
{
	/* Average 1000, range 200, and no slope: 110 and 90 lie symmetrically. */
	struct steady verdict = judge(900, 1100, 1000, 1100, 900);

	check(verdict.steady);
	check(near(verdict.range_share, 0.2));
	check(near(verdict.slope_share, 0));
	check(near(verdict.average, 1000));
	check(!judge(899, 1101, 1000, 1101, 899).steady);
}

TEST(exactly_10_percent_of_slope_is_steady_and_one_more_is_not)
{
	/* 25 a round over four steps: 100 of an average of 1000. */
	struct steady verdict = judge(950, 975, 1000, 1025, 1050);

	check(verdict.steady);
	check(near(verdict.slope, 25));
	check(near(verdict.slope_share, 0.1));
	check(near(verdict.intercept, 950));
	check(near(verdict.range_share, 0.1));
	verdict = judge(949, 975, 1000, 1025, 1051);
	check(!verdict.steady);
	check(verdict.range_share < 0.2);
	/* Downwards too. */
	check(judge(1050, 1025, 1000, 975, 950).steady);
	check(!judge(1051, 1025, 1000, 975, 949).steady);
	check(near(judge(1050, 1025, 1000, 975, 950).slope, -25));
	check(near(judge(1050, 1025, 1000, 975, 950).slope_share, 0.1));
}

TEST(the_line_is_the_least_squares_line)
{
	/* By hand: sum (x - 2) y = -20 - 40 + 0 + 20 + 120 = 80; / 10. */
	struct steady verdict = judge(10, 40, 20, 20, 60);

	check(near(verdict.average, 30));
	check(near(verdict.slope, 8));
	check(near(verdict.intercept, 14));
	check(near(verdict.slope_share, 32.0 / 30));
	check(near(verdict.range_share, 50.0 / 30));
	check(!verdict.steady);
}

TEST(fewer_than_five_rounds_are_not_steady)
{
	const uint64_t rounds[] = { 100, 100, 100, 100 };
	struct steady verdict = steady_judge(rounds, 4);

	check(!verdict.steady);
	check(verdict.range_share == 0 && verdict.slope_share == 0);
	check(!steady_judge(NULL, 0).steady);
}

TEST(only_the_last_five_rounds_count)
{
	const uint64_t rounds[] = { 9000, 5000, 100, 100, 100, 100, 100 };
	struct steady verdict = steady_judge(rounds, 7);

	check(verdict.steady);
	check_equal(verdict.first, 2);
	check(!steady_judge(rounds, 6).steady);
	check_equal(steady_judge(rounds, 6).first, 1);
}

TEST(rounds_of_nothing_are_not_steady)
{
	struct steady verdict = judge(0, 0, 0, 0, 0);

	check(!verdict.steady);
	check(verdict.average == 0);
}

TEST(the_largest_numbers_do_not_overflow)
{
	check(judge(UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX).steady);
	check(!judge(0, 0, 0, 0, UINT64_MAX).steady);
	check(!judge(UINT64_MAX, 0, 0, 0, 0).steady);
}

/* Oracle: the rule as the specification words it, in floating point, away from the edges. */
TEST(verdicts_agree_with_the_rule_as_it_is_worded)
{
	struct rng rng = rng_stream(1, "rounds");
	unsigned steady = 0;

	for (int i = 0; i < 100000; i++) {
		uint64_t rounds[5], low = UINT64_MAX, high = 0;
		double average = 0, slope = 0, range, movement;
		struct steady verdict;

		for (int j = 0; j < 5; j++) {
			rounds[j] = 100000 + rng_below(&rng, 25000);
			average += (double)rounds[j] / 5;
			low = rounds[j] < low ? rounds[j] : low;
			high = rounds[j] > high ? rounds[j] : high;
		}
		for (int j = 0; j < 5; j++)
			slope += (j - 2) * ((double)rounds[j] - average) / 10;
		range = (double)(high - low) / average;
		movement = fabs(slope * 4) / average;
		if (fabs(range - 0.2) < 1e-9 || fabs(movement - 0.1) < 1e-9)
			continue;
		verdict = steady_judge(rounds, 5);
		check(verdict.steady == (range < 0.2 && movement < 0.1));
		check(fabs(verdict.range_share - range) < 1e-9);
		check(fabs(verdict.slope_share - movement) < 1e-9);
		steady += verdict.steady;
	}
	check(steady > 10000 && steady < 90000); /* both verdicts were tried */
}

int main(void)
{
	return tap_run();
}
