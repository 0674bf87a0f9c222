/* test_search.c - zeros and least candidates of functions that are known. */
#include "stats/search.h"

#include <errno.h>
#include <math.h>

#include "tap.h"

static unsigned calls;
static double lowest, highest;

static double watched(double x)
{
	calls++;
	lowest = calls == 1 || x < lowest ? x : lowest;
	highest = calls == 1 || x > highest ? x : highest;
	return x;
}

/* A rate of 1000 / x against 250: zero at 4, falling. */
static int falling(void *context, double x, double *out)
{
	(void)context;
	*out = 1000 / watched(x) / 250 - 1;
	return 0;
}

static int rising(void *context, double x, double *out)
{
	(void)context;
	*out = watched(x) / 300 - 1;
	return 0;
}

/* A step at 7: no x has an error of 0. */
static int step(void *context, double x, double *out)
{
	(void)context;
	*out = watched(x) < 7 ? -0.3 : 0.2;
	return 0;
}

/* Never positive, least at 50. */
static int never(void *context, double x, double *out)
{
	(void)context;
	*out = -0.1 - fabs(watched(x) - 50) / 1000;
	return 0;
}

static int flat(void *context, double x, double *out)
{
	(void)context;
	watched(x);
	*out = 0.4;
	return 0;
}

static int broken(void *context, double x, double *out)
{
	(void)context;
	*out = 1;
	return watched(x) > 30 ? -EIO : 0;
}

static struct search_found zero(int (*error)(void *, double, double *), double start)
{
	const struct search search = { .error = error, .start = start, .low = 0.5, .high = 6400,
				       .enough = 0.002, .narrow = 0.002 };
	struct search_found found;

	calls = 0;
	check_equal(search_zero(&search, &found), 0);
	check_equal(found.calls, calls);
	return found;
}

TEST(a_zero_is_found_from_either_side_of_a_function_that_rises_or_falls)
{
	const double starts[] = { 0.5, 1, 3, 4, 5, 100, 6400 };

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		struct search_found found = zero(falling, starts[i]);

		check(found.is_zero);
		check(fabs(found.x / 4 - 1) <= 0.003);
		check(found.calls <= 25);
		found = zero(rising, starts[i]);
		check(found.is_zero);
		check(fabs(found.x / 300 - 1) <= 0.003);
		check(found.calls <= 25);
	}
}

TEST(a_start_that_is_good_enough_costs_one_call)
{
	struct search_found found = zero(rising, 300.5);

	check(found.is_zero);
	check(found.x == 300.5);
	check_equal(found.calls, 1);
	check(zero(rising, 301).calls > 1);
}

TEST(a_step_is_narrowed_down_and_its_better_side_taken)
{
	struct search_found found = zero(step, 1);

	check(found.is_zero);
	check(found.error == 0.2);
	check(found.x >= 7);
	check(found.x <= 7 * 1.003);
}

TEST(without_a_change_of_sign_the_best_seen_is_the_answer_and_called_no_zero)
{
	struct search_found found = zero(never, 10);

	check(!found.is_zero);
	check(found.x > 10);
	check(fabs(found.x - 50) < 35);
	found = zero(flat, 100);
	check(!found.is_zero);
	check(found.x == 100);
}

TEST(nothing_beyond_the_range_is_looked_at)
{
	zero(flat, 100);
	check(lowest == 0.5);
	check(highest == 6400);
}

TEST(an_error_of_a_call_ends_the_search)
{
	const struct search search = { .error = broken, .start = 20, .low = 1, .high = 100 };
	struct search_found found;

	calls = 0;
	check_equal(search_zero(&search, &found), -EIO);
	check_equal(calls, 2);
}

static int of_candidates(void *context, size_t candidate, double *out)
{
	const double *errors = context;

	*out = errors[candidate];
	return isnan(*out) ? -EIO : 0;
}

TEST(a_choice_is_the_candidate_of_least_absolute_error_and_the_first_of_equals)
{
	double errors[] = { 0.5, -0.2, 0.1, -0.1, 0.3 };
	size_t best = 99;

	check_equal(search_least(5, of_candidates, errors, &best), 0);
	check_equal(best, 2);
	check_equal(search_least(2, of_candidates, errors, &best), 0);
	check_equal(best, 1);
	check_equal(search_least(1, of_candidates, errors, &best), 0);
	check_equal(best, 0);
	errors[1] = NAN;
	check_equal(search_least(5, of_candidates, errors, &best), -EIO);
}

int main(void)
{
	return tap_run();
}
