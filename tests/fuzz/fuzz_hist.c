/*
 * fuzz_hist.c - a histogram at rest: what decodes is exactly what encodes, byte for byte, and
 * its counters agree with its buckets.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stats/hist.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct hist hist;
	uint64_t count = 0;
	size_t again_size;
	uint8_t *again;
	int err = hist_decode(&hist, bytes, size);

	if (err) {
		assert(err == -EINVAL);
		return 0;
	}
	for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
		count += hist.buckets[i];
		assert(hist.buckets[i] == 0 || (hist.low <= i && i < hist.high));
	}
	assert(count == hist.count);
	assert(hist_quantile(&hist, 0, NULL) <= hist_quantile(&hist, 1000000, NULL));
	again = hist_encode(&hist, &again_size);
	assert(again_size == size);
	assert(size == 0 || !memcmp(again, bytes, size));
	free(again);
	return 0;
}
