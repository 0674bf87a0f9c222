/* Any bytes as a workload file: refused with a sentence, or a workload that can be run. */
#include "load/workload.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/fail.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_mix(const struct size_mix *mix, int wanted)
{
	assert((mix->count > 0) == wanted);
	assert(mix->count <= WORKLOAD_SIZES);
	for (size_t i = 0; i < mix->count; i++) {
		assert(mix->shares[i].weight > 0);
		assert(mix->shares[i].size_bytes > 0 && mix->shares[i].size_bytes % 512 == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct workload *workload = NULL;
	int err = workload_parse("fuzz.yaml", (const char *)bytes, size, &workload);

	if (err) {
		assert(err == -EINVAL && !workload);
		assert(strncmp(fail_message(), "fuzz.yaml:", 10) == 0);
		return 0;
	}
	assert(workload->read_percent <= 100 && workload->trim_percent <= 100);
	assert(workload->trim_percent + workload->zeroes_percent <= 100 && workload->compress_percent <= 100);
	assert(workload->random_percent <= 100 && workload->span_millipercent <= 100000);
	assert(workload_outstanding(workload) >= 1 && workload_outstanding(workload) <= 65536);
	assert(workload_max_bytes(workload) >= 512);
	check_mix(&workload->read_sizes, workload->read_percent > 0);
	check_mix(&workload->write_sizes, workload->read_percent < 100);
	workload_free(workload);
	return 0;
}
