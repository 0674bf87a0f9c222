#include "stats/hist.h"

#include <errno.h>
#include <string.h>

#include "base/fail.h"

void hist_clear(struct hist *hist)
{
	memset(hist->buckets + hist->low, 0, (hist->high - hist->low) * sizeof(*hist->buckets));
	hist->count = 0;
	hist->low = hist->high = 0;
}

static void widen(struct hist *hist, uint32_t low, uint32_t high)
{
	if (hist->count == 0) {
		hist->low = low;
		hist->high = high;
		return;
	}
	if (low < hist->low)
		hist->low = low;
	if (high > hist->high)
		hist->high = high;
}

void hist_merge(struct hist *into, const struct hist *from)
{
	if (from->count == 0)
		return;
	widen(into, from->low, from->high);
	for (uint32_t i = from->low; i < from->high; i++)
		into->buckets[i] += from->buckets[i];
	into->count += from->count;
}

uint64_t hist_value(uint32_t bucket)
{
	uint32_t shift;
	uint64_t low;

	if (bucket < 2u << HIST_SUB_BITS)
		return bucket;
	shift = (bucket >> HIST_SUB_BITS) - 1;
	low = (uint64_t)(bucket - (shift << HIST_SUB_BITS)) << shift;
	return low + (1ull << shift) / 2;
}

/* The rank of the quantile, from 1: the least that leaves no more than the rest above it. */
static uint64_t rank_of(uint64_t count, uint32_t ppm)
{
	uint64_t rank = (uint64_t)(((unsigned __int128)count * ppm + 999999) / 1000000);

	if (rank == 0)
		return 1;
	return rank < count ? rank : count;
}

uint64_t hist_quantile(const struct hist *hist, uint32_t ppm, uint64_t *above)
{
	uint64_t rank, seen = 0;
	uint32_t bucket = hist->low;

	if (above)
		*above = 0;
	if (hist->count == 0)
		return 0;
	rank = rank_of(hist->count, ppm);
	if (above)
		*above = hist->count - rank;
	while (bucket < hist->high && seen + hist->buckets[bucket] < rank)
		seen += hist->buckets[bucket++];
	return hist_value(bucket);
}

enum { LEB_BYTES = 10 }; /* the most that a 64-bit number takes */

static size_t leb_write(uint8_t *out, uint64_t value)
{
	size_t size = 0;

	while (value >= 0x80) {
		out[size++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	out[size++] = (uint8_t)value;
	return size;
}

/* Only what leb_write() can have written: no zero at the end, no bits beyond 64. */
static bool leb_read(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	uint32_t shift = 0;
	uint8_t byte;

	*value = 0;
	do {
		if (*at == end || shift >= 7 * LEB_BYTES)
			return false;
		byte = *(*at)++;
		if (shift == 63 && byte > 1)
			return false;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return byte != 0 || shift == 7;
}

uint8_t *hist_encode(const struct hist *hist, size_t *size)
{
	uint32_t used = 0, last = 0;
	uint8_t *bytes;

	for (uint32_t i = hist->low; i < hist->high; i++)
		used += hist->buckets[i] != 0;
	bytes = xmalloc((size_t)used * 2 * LEB_BYTES);
	*size = 0;
	for (uint32_t i = hist->low; i < hist->high; i++) {
		if (hist->buckets[i] == 0)
			continue;
		*size += leb_write(bytes + *size, i - last);
		*size += leb_write(bytes + *size, hist->buckets[i]);
		last = i;
	}
	return bytes;
}

int hist_decode(struct hist *hist, const uint8_t *bytes, size_t size)
{
	const uint8_t *at = bytes, *end = bytes + size;
	uint64_t bucket = 0, delta, count;

	memset(hist, 0, sizeof(*hist));
	while (at != end) {
		bool first = at == bytes;

		if (!leb_read(&at, end, &delta) || !leb_read(&at, end, &count))
			return fail(EINVAL, "histogram: byte %zu of %zu: not a number", (size_t)(at - bytes),
				    size);
		if (delta >= HIST_BUCKETS || (delta == 0 && !first) || count == 0 ||
		    bucket + delta >= HIST_BUCKETS || hist->count + count < count)
			return fail(EINVAL, "histogram: byte %zu of %zu: bucket %llu + %llu with %llu values "
				    "cannot be", (size_t)(at - bytes), size, (unsigned long long)bucket,
				    (unsigned long long)delta, (unsigned long long)count);
		bucket += delta;
		widen(hist, (uint32_t)bucket, (uint32_t)bucket + 1);
		hist->buckets[bucket] = count;
		hist->count += count;
	}
	return 0;
}
