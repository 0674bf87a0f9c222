#include "base/rng.h"

#include <math.h>

#include "tap.h"

TEST(a_sequence_is_the_same_on_every_machine)
{
	struct rng rng = rng_stream(1, "address");

	check(rng_next(&rng) == 0x1c56bdd414a81bacu);
	check(rng_next(&rng) == 0x17bd0bd2314c7257u);
}

TEST(exponential_draws_are_the_same_bits_on_every_machine)
{
	struct rng rng = rng_stream(1, "exponential");
	uint64_t hash = 0;

	for (int i = 0; i < 100000; i++)
		hash = hash * 31 + rng_exponential(&rng, 123456789);
	check(hash == 0x0bef531c7378773au);
}

TEST(the_generator_is_xoshiro256_star_star)
{
	/* The authors' test vector. */
	struct rng rng = { { 1, 2, 3, 4 } };

	check_equal(rng_next(&rng), 11520);
	check_equal(rng_next(&rng), 0);
	check_equal(rng_next(&rng), 1509978240);
	check_equal(rng_next(&rng), 1215971899390074240);
}

TEST(seeds_and_names_give_sequences_of_their_own)
{
	const char *names[] = { "", "a", "b", "ab", "ba", "address", "size" };
	uint64_t firsts[7 * 50];
	size_t count = 0;

	for (uint64_t seed = 0; seed < 50; seed++) {
		for (size_t i = 0; i < 7; i++) {
			struct rng rng = rng_stream(seed, names[i]);

			firsts[count++] = rng_next(&rng);
		}
	}
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			check(firsts[i] != firsts[j]);
}

TEST(below_reaches_every_number_equally_often_and_never_the_limit)
{
	struct rng rng = rng_stream(1, "below");
	uint64_t seen[7] = { 0 };

	for (int i = 0; i < 700000; i++) {
		uint64_t value = rng_below(&rng, 7);

		check(value < 7);
		seen[value]++;
	}
	for (int i = 0; i < 7; i++)
		check(seen[i] > 98500 && seen[i] < 101500); /* five standard deviations */
	check_equal(rng_below(&rng, 1), 0);
}

TEST(unit_is_in_0_to_1_and_in_the_middle_on_average)
{
	struct rng rng = rng_stream(1, "unit");
	double sum = 0;

	for (int i = 0; i < 1000000; i++) {
		double value = rng_unit(&rng);

		check(value >= 0 && value < 1);
		sum += value;
	}
	check(fabs(sum / 1e6 - 0.5) < 0.0015);
}

/* Oracle: the C library's, which is right to the last bit or nearly so. */
TEST(log_agrees_with_the_library_to_1e_15)
{
	struct rng rng = rng_stream(1, "log");

	for (int i = 0; i < 1000000; i++) {
		double x = ldexp(1 + rng_unit(&rng), (int)rng_below(&rng, 2040) - 1020);
		double expected = log(x), got = rng_log(x);

		if (fabs(got - expected) > 1e-15 * fabs(expected))
			tap_fail("log(%a) is %.17g, expected %.17g", x, got, expected);
	}
}

TEST(log_is_as_good_near_1_where_it_is_small)
{
	struct rng rng = rng_stream(1, "log near 1");

	for (int i = 0; i < 1000000; i++) {
		double x = 1 + (rng_unit(&rng) - 0.5) * ldexp(1, -(int)rng_below(&rng, 50));
		double expected = log(x), got = rng_log(x);

		if (fabs(got - expected) > 1e-15 * fabs(expected))
			tap_fail("log(%a) is %.17g, expected %.17g", x, got, expected);
	}
	check(rng_log(1) == 0);
	check(fabs(rng_log(0x1p-1074) / log(0x1p-1074) - 1) < 1e-15);
}

TEST(exp_agrees_with_the_library_to_1e_15)
{
	struct rng rng = rng_stream(1, "exp");

	for (int i = 0; i < 1000000; i++) {
		double x = (rng_unit(&rng) - 0.5) * (i % 2 ? 2 : 1416);
		double expected = exp(x), got = rng_exp(x);

		if (fabs(got - expected) > 1e-15 * expected)
			tap_fail("exp(%a) is %.17g, expected %.17g", x, got, expected);
	}
	check(rng_exp(0) == 1);
	check(rng_exp(-1000) == 0);
	check(isinf(rng_exp(1000)));
	check(!isinf(rng_exp(709.7)));
}

TEST(exponential_has_its_mean_and_its_tail)
{
	struct rng rng = rng_stream(1, "exponential");
	uint64_t beyond = 0;
	double sum = 0;

	for (int i = 0; i < 1000000; i++) {
		uint64_t value = rng_exponential(&rng, 1000000);

		sum += (double)value;
		beyond += value > 3000000;
	}
	check(fabs(sum / 1e12 - 1) < 0.005);
	check(fabs((double)beyond / 1e6 - exp(-3)) < 0.001);
	check_equal(rng_exponential(&rng, 0), 0);
}

int main(void)
{
	return tap_run();
}
