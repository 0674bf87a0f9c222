#include "stats/hist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "tap.h"

static struct hist hist, other;

static void fresh(void)
{
	memset(&hist, 0, sizeof(hist));
	memset(&other, 0, sizeof(other));
}

TEST(an_empty_histogram_has_no_quantile)
{
	uint64_t above = 7;

	fresh();
	check_equal(hist_quantile(&hist, 500000, &above), 0);
	check_equal(above, 0);
}

TEST(buckets_are_in_order_of_value_and_without_a_gap)
{
	uint32_t last = 0;

	for (uint64_t value = 0; value < 1 << 16; value++) {
		uint32_t bucket = hist_bucket(value);

		check(bucket == last || bucket == last + 1);
		last = bucket;
	}
	/* At each power of two, to the end of the range. */
	for (unsigned bit = 8; bit < 64; bit++)
		check_equal(hist_bucket(1ull << bit), hist_bucket((1ull << bit) - 1) + 1);
	check_equal(hist_bucket(UINT64_MAX), HIST_BUCKETS - 1);
}

TEST(a_reported_value_is_exact_below_256_and_within_0_4_percent_above)
{
	struct rng rng = rng_stream(1, "values");

	for (uint64_t value = 0; value < 256; value++)
		check_equal(hist_value(hist_bucket(value)), value);
	for (int i = 0; i < 1000000; i++) {
		uint64_t value = rng_next(&rng) >> rng_below(&rng, 56);
		uint64_t reported = hist_value(hist_bucket(value));
		uint64_t error = reported > value ? reported - value : value - reported;

		if (error > value / 256)
			tap_fail("%llu is reported as %llu", (unsigned long long)value,
				 (unsigned long long)reported);
		check_equal(hist_bucket(reported), hist_bucket(value));
	}
}

static int by_value(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x < y ? -1 : x > y;
}

/* Oracle: a sorted list. */
TEST(quantiles_are_those_of_the_sorted_list)
{
	static const uint32_t ppms[] = { 0, 1, 1000, 10000, 250000, 500000, 900000, 990000, 999000, 999900,
					 999999, 1000000 };
	enum { MOST = 5000 };
	static uint64_t list[MOST];

	for (uint64_t seed = 0; seed < 200; seed++) {
		struct rng rng = rng_stream(seed, "list");
		uint64_t count = 1 + rng_below(&rng, seed % 2 ? MOST : 30);
		uint32_t shift = (uint32_t)rng_below(&rng, 60);

		fresh();
		for (uint64_t i = 0; i < count; i++) {
			list[i] = rng_next(&rng) >> shift >> rng_below(&rng, 4);
			hist_add(&hist, list[i]);
		}
		qsort(list, count, sizeof(list[0]), by_value);
		check_equal(hist.count, count);
		for (size_t i = 0; i < sizeof(ppms) / sizeof(ppms[0]); i++) {
			uint64_t rank = 1, above;

			/* The least rank that holds at least this share; at least the first. */
			while (rank * 1000000 < count * ppms[i])
				rank++;
			check_equal(hist_bucket(hist_quantile(&hist, ppms[i], &above)),
				    hist_bucket(list[rank - 1]));
			check_equal(above, count - rank);
		}
	}
}

TEST(above_is_how_many_lie_above_the_rank)
{
	uint64_t above;

	fresh();
	for (int i = 0; i < 1000; i++)
		hist_add(&hist, (uint64_t)i % 100);
	check_equal(hist_quantile(&hist, 990000, &above), 98);
	check_equal(above, 10);
	hist_quantile(&hist, 991000, &above);
	check_equal(above, 9);
}

TEST(a_rank_is_rounded_up_also_where_the_rest_is_a_millionth)
{
	uint64_t above;

	fresh();
	hist_add(&hist, 1);
	hist_add_many(&hist, 2, 1000000);
	check_equal(hist_quantile(&hist, 1, &above), 2); /* 1.000001 of 1,000,001: the second */
	check_equal(above, 999999);
}

TEST(merging_equals_adding_everything_to_one_in_any_order)
{
	struct rng rng = rng_stream(1, "merge");
	static struct hist all, reversed;

	fresh();
	memset(&all, 0, sizeof(all));
	memset(&reversed, 0, sizeof(reversed));
	for (int i = 0; i < 10000; i++) {
		uint64_t value = rng_next(&rng) >> rng_below(&rng, 64);

		hist_add(&all, value);
		hist_add(i % 3 ? &hist : &other, value);
	}
	hist_merge(&reversed, &other);
	hist_merge(&reversed, &hist);
	hist_merge(&hist, &other);
	check(!memcmp(&hist, &all, sizeof(all)));
	check(!memcmp(&reversed, &all, sizeof(all)));
}

TEST(merging_an_empty_one_changes_nothing)
{
	fresh();
	hist_add(&hist, 1000);
	hist_merge(&hist, &other);
	check_equal(hist.count, 1);
	check_equal(hist.low, hist_bucket(1000));
	check_equal(hist.high, hist_bucket(1000) + 1);
	hist_merge(&other, &hist);
	check(!memcmp(&hist, &other, sizeof(hist)));
}

TEST(clearing_leaves_nothing_behind)
{
	struct rng rng = rng_stream(1, "clear");

	fresh();
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 1000; i++)
			hist_add(&hist, rng_next(&rng) >> rng_below(&rng, 64));
		hist_clear(&hist);
		check(!memcmp(&hist, &other, sizeof(hist)));
	}
}

TEST(adding_many_is_adding_one_many_times)
{
	fresh();
	hist_add_many(&hist, 5000, 3);
	hist_add_many(&hist, 10, 2);
	for (int i = 0; i < 3; i++)
		hist_add(&other, 5000);
	for (int i = 0; i < 2; i++)
		hist_add(&other, 10);
	check(!memcmp(&hist, &other, sizeof(hist)));
}

/* --- at rest --- */

TEST(what_is_encoded_comes_back_the_same)
{
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct rng rng = rng_stream(seed, "encode");
		uint64_t count = rng_below(&rng, 3000);
		uint8_t *bytes;
		size_t size;

		fresh();
		for (uint64_t i = 0; i < count; i++)
			hist_add_many(&hist, rng_next(&rng) >> rng_below(&rng, 64),
				      1 + (rng_next(&rng) >> (20 + rng_below(&rng, 44))));
		bytes = hist_encode(&hist, &size);
		check_equal(hist_decode(&other, bytes, size), 0);
		free(bytes);
		check(!memcmp(&hist, &other, sizeof(hist)));
	}
}

TEST(an_empty_histogram_is_encoded_in_no_bytes)
{
	uint8_t *bytes;
	size_t size = 7;

	fresh();
	bytes = hist_encode(&hist, &size);
	check_equal(size, 0);
	check_equal(hist_decode(&other, bytes, 0), 0);
	check_equal(other.count, 0);
	free(bytes);
}

#define DECODE(...) \
	hist_decode(&hist, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

TEST(what_cannot_have_been_written_is_refused)
{
	check_equal(DECODE(5, 1), 0);
	check_equal(DECODE(0, 1), 0);                /* bucket 0 */
	check_equal(DECODE(5), -EINVAL);             /* half a pair */
	check_equal(DECODE(0x85), -EINVAL);          /* half a number */
	check_equal(DECODE(5, 0), -EINVAL);          /* a bucket with nothing in it */
	check_equal(DECODE(5, 1, 0, 1), -EINVAL);    /* the same bucket again */
	check_equal(DECODE(0x85, 0x00, 1), -EINVAL); /* a number longer than it needs to be */
	check_equal(DECODE(0xff, 0x39, 1), 0);       /* 7423: the last bucket */
	check_equal(hist.high, HIST_BUCKETS);
	check_equal(DECODE(0x80, 0x3a, 1), -EINVAL); /* 7424 */
	check_equal(DECODE(0xff, 0x39, 1, 1, 1), -EINVAL);
	check_equal(DECODE(5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01), 0);
	check(hist.count == UINT64_MAX);
	check_equal(DECODE(5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02), -EINVAL);
	check_equal(DECODE(5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1), -EINVAL);
	/* Together more than fits. */
	check_equal(DECODE(5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 1, 1), -EINVAL);
}

int main(void)
{
	return tap_run();
}
