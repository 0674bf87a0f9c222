#include "load/zipf.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static struct zipf make(uint64_t count, uint32_t theta_milli)
{
	struct rng rng = rng_stream(1, "zipf");
	struct zipf zipf;

	zipf_init(&zipf, count, theta_milli, &rng);
	return zipf;
}

/* Oracle: the law itself, summed; chi-square over all ranks but those too rare to count. */
static void check_law(uint64_t count, uint32_t theta_milli)
{
	enum { DRAWS = 2000000 };
	struct zipf zipf = make(count, theta_milli);
	uint64_t *seen = calloc(count + 1, sizeof(*seen));
	double theta = theta_milli / 1000.0, total = 0, chi = 0, rest = 0, rest_seen = 0, cells = 0;

	for (uint64_t rank = 1; rank <= count; rank++)
		total += pow((double)rank, -theta);
	for (int i = 0; i < DRAWS; i++) {
		uint64_t rank = zipf_rank(&zipf);

		if (rank < 1 || rank > count)
			tap_fail("rank %llu of %llu", (unsigned long long)rank, (unsigned long long)count);
		seen[rank]++;
	}
	for (uint64_t rank = 1; rank <= count; rank++) {
		double expected = DRAWS * pow((double)rank, -theta) / total;

		if (expected < 50) {
			rest += expected;
			rest_seen += (double)seen[rank];
			continue;
		}
		chi += ((double)seen[rank] - expected) * ((double)seen[rank] - expected) / expected;
		cells++;
	}
	if (rest > 50) {
		chi += (rest_seen - rest) * (rest_seen - rest) / rest;
		cells++;
	}
	free(seen);
	/* Mean cells - 1, deviation sqrt(2 cells): five of them. */
	if (cells > 1 && !(chi <= cells - 1 + 5 * sqrt(2 * cells))) /* nor if it is no number */
		tap_fail("count %llu, theta %u: chi-square %.1f over %.0f cells",
			 (unsigned long long)count, theta_milli, chi, cells);
}

TEST(frequencies_follow_the_law)
{
	check_law(100, 500);
	check_law(1000, 990);
	check_law(1000, 1000);
	check_law(1000, 1200);
	check_law(50, 2000);
	check_law(300, 1);
}

TEST(frequencies_follow_the_law_over_many_ranks)
{
	check_law(1000000, 900);
	check_law(1000000, 1200);
}

TEST(one_rank_and_two_ranks_work)
{
	struct zipf zipf = make(1, 1200);

	for (int i = 0; i < 1000; i++)
		check_equal(zipf_rank(&zipf), 1);
	check_equal(zipf_place(&zipf, 1), 0);
	check_law(2, 1000);
}

TEST(ranks_of_a_petabyte_are_drawn_and_placed)
{
	struct zipf zipf = make(1ull << 40, 1100);

	for (int i = 0; i < 100000; i++) {
		uint64_t rank = zipf_rank(&zipf);

		check(rank >= 1 && rank <= 1ull << 40);
		check(zipf_place(&zipf, rank) < 1ull << 40);
	}
}

TEST(places_are_a_bijection_whatever_the_count)
{
	static bool taken[5000];
	static const uint64_t counts[] = { 1, 2, 3, 5, 7, 8, 9, 63, 64, 65, 1000, 4095, 4096, 4097 };

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct zipf zipf = make(counts[i], 1000);

		memset(taken, 0, sizeof(taken));
		for (uint64_t rank = 1; rank <= counts[i]; rank++) {
			uint64_t place = zipf_place(&zipf, rank);

			check(place < counts[i]);
			check(!taken[place]);
			taken[place] = true;
		}
	}
}

TEST(popular_ranks_are_scattered_over_all_places)
{
	struct zipf zipf = make(1000000, 1000);
	uint64_t tenths[10] = { 0 };

	for (uint64_t rank = 1; rank <= 1000; rank++)
		tenths[zipf_place(&zipf, rank) / 100000]++;
	for (int i = 0; i < 10; i++)
		check(tenths[i] > 50 && tenths[i] < 150);
}

int main(void)
{
	return tap_run();
}
