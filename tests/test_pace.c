#include "load/pace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static struct pace make(uint64_t rate, enum arrivals arrivals, unsigned index, unsigned count)
{
	struct pace pace;

	pace_init(&pace, rate, arrivals, 1, "test", index, count);
	return pace;
}

TEST(deterministic_moments_are_i_over_rate_rounded_down_without_drift)
{
	static const uint64_t rates[] = { 1, 2, 3, 7, 999, 1000, 4096, 333333, 999999999, 1000000000,
					  1000000007, 3000000000 };

	for (size_t r = 0; r < sizeof(rates) / sizeof(rates[0]); r++) {
		struct pace pace = make(rates[r], ARRIVALS_DETERMINISTIC, 0, 1);

		for (uint64_t i = 0; i < 300000; i++) {
			check(pace_due(&pace) == (uint64_t)((unsigned __int128)i * 1000000000 / rates[r]));
			pace_next(&pace);
		}
	}
}

TEST(threads_share_a_deterministic_pace_without_changing_it)
{
	struct pace whole = make(7777, ARRIVALS_DETERMINISTIC, 0, 1), parts[3];

	for (unsigned i = 0; i < 3; i++)
		parts[i] = make(7777, ARRIVALS_DETERMINISTIC, i, 3);
	for (unsigned i = 0; i < 30000; i++) {
		check_equal(pace_due(&parts[i % 3]), pace_due(&whole));
		pace_next(&parts[i % 3]);
		pace_next(&whole);
	}
}

static int by_size(const void *a, const void *b)
{
	double x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x < y ? -1 : x > y;
}

/* Kolmogorov and Smirnov: the largest distance from the exponential distribution, times sqrt n. */
static double distance(uint64_t rate, unsigned index, unsigned count)
{
	enum { GAPS = 200000 };
	static double gaps[GAPS];
	struct pace pace = make(rate, ARRIVALS_EXPONENTIAL, index, count);
	double worst = 0, mean = 1e9 * count / (double)rate;
	uint64_t last_ns = 0;

	for (int i = 0; i < GAPS; i++) {
		check(pace_due(&pace) >= last_ns);
		/* The rounding to whole ns is not part of the question. */
		gaps[i] = ((double)(pace_due(&pace) - last_ns) + 0.5) / mean;
		last_ns = pace_due(&pace);
		pace_next(&pace);
	}
	qsort(gaps, GAPS, sizeof(gaps[0]), by_size);
	for (int i = 0; i < GAPS; i++) {
		double expected = 1 - exp(-gaps[i]);
		double low = fabs(expected - (double)i / GAPS), high = fabs(expected - (double)(i + 1) / GAPS);

		worst = fmax(worst, fmax(low, high));
	}
	return worst * sqrt(GAPS);
}

TEST(exponential_gaps_pass_the_kolmogorov_smirnov_test)
{
	/* 1.63 is exceeded by chance once in a hundred times; these draws are fixed. */
	check(distance(1000, 0, 1) < 1.63);
	check(distance(250000, 0, 1) < 1.63);
	check(distance(1000, 1, 4) < 1.63);
}

TEST(exponential_gaps_have_no_memory)
{
	struct pace pace = make(1000, ARRIVALS_EXPONENTIAL, 0, 1);
	double last = 0, product = 0, sum = 0, square = 0;
	uint64_t last_ns = 0;

	for (int i = 0; i < 200000; i++) {
		double gap = (double)(pace_due(&pace) - last_ns) / 1e6 - 1;

		product += gap * last;
		sum += gap;
		square += gap * gap;
		last = gap;
		last_ns = pace_due(&pace);
		pace_next(&pace);
	}
	check(fabs(sum / 200000) < 0.012);
	check(fabs(square / 200000 - 1) < 0.05);
	check(fabs(product / square) < 0.012); /* five deviations */
}

TEST(an_exponential_pace_keeps_its_rate_also_when_gaps_are_shorter_than_a_nanosecond)
{
	static const uint64_t rates[] = { 1000000, 1500000000, 4000000000 };

	for (size_t r = 0; r < 3; r++) {
		struct pace pace = make(rates[r], ARRIVALS_EXPONENTIAL, 0, 1);
		double expected_ns = 2e6 * 1e9 / (double)rates[r];

		for (int i = 0; i < 2000000; i++)
			pace_next(&pace);
		check(fabs((double)pace_due(&pace) / expected_ns - 1) < 0.004);
	}
}

TEST(a_pace_is_the_same_on_every_machine)
{
	struct pace pace = make(54321, ARRIVALS_EXPONENTIAL, 0, 1);

	for (int i = 0; i < 100000; i++)
		pace_next(&pace);
	check_equal(pace_due(&pace), 1840516648);
}

int main(void)
{
	return tap_run();
}
