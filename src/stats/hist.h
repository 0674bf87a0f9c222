/*
 * hist.h - latency histogram with a bounded relative error.
 *
 * Values below 256 are exact; above, each power of two is cut into 128 equal
 * parts, so a reported value (the middle of its part) is within 0.4 % of the true
 * one, from a nanosecond to centuries. Adding costs a shift and an increment;
 * merging is addition, so the order of merging does not matter. 58 KiB each.
 */
#ifndef DRIVEBAY_STATS_HIST_H
#define DRIVEBAY_STATS_HIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HIST_SUB_BITS = 7, HIST_BUCKETS = (64 - HIST_SUB_BITS + 1) << HIST_SUB_BITS };

struct hist {
	uint64_t count;
	uint32_t low, high; /* buckets in use: low <= bucket < high; empty: low == high == 0 */
	uint64_t buckets[HIST_BUCKETS];
};

static inline uint32_t hist_bucket(uint64_t value)
{
	uint32_t shift;

	if (value < (1u << HIST_SUB_BITS))
		return (uint32_t)value;
	shift = 63u - (uint32_t)__builtin_clzll(value) - HIST_SUB_BITS;
	return (shift << HIST_SUB_BITS) + (uint32_t)(value >> shift);
}

void hist_clear(struct hist *hist); /* cost: only what was in use */

/* `count` > 0 times the same value. */
static inline void hist_add_many(struct hist *hist, uint64_t value, uint64_t count)
{
	uint32_t bucket = hist_bucket(value);

	if (bucket < hist->low || hist->count == 0)
		hist->low = bucket;
	if (bucket >= hist->high)
		hist->high = bucket + 1;
	hist->count += count;
	hist->buckets[bucket] += count;
}

static inline void hist_add(struct hist *hist, uint64_t value)
{
	hist_add_many(hist, value, 1);
}

void hist_merge(struct hist *into, const struct hist *from);

/* The value that represents a bucket: its middle. */
uint64_t hist_value(uint32_t bucket);

/*
 * The value that `ppm` millionths of all values do not exceed (999000 is p99.9); 0
 * when empty. *above (may be NULL) becomes how many values lie above its rank: fewer
 * than ten make a percentile an anecdote, and printers write n/a.
 */
uint64_t hist_quantile(const struct hist *hist, uint32_t ppm, uint64_t *above);

/*
 * At rest: (bucket delta, count) pairs as LEB128 numbers; freed by the caller; an empty
 * histogram is 0 bytes. hist_decode() overwrites *hist and returns -EINVAL, with a sentence
 * in fail(), for anything that hist_encode() cannot have written.
 */
uint8_t *hist_encode(const struct hist *hist, size_t *size);
int hist_decode(struct hist *hist, const uint8_t *bytes, size_t size);

#endif
