/* Any bytes as a bed file: refused with a sentence, or a bed. */
#include "target/bed.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/fail.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct bed *bed = NULL;
	int err = bed_parse("fuzz.yaml", (const char *)bytes, size, &bed);

	if (err) {
		assert(err == -EINVAL && !bed);
		assert(strncmp(fail_message(), "fuzz.yaml:", 10) == 0);
		return 0;
	}
	assert(bed->submit_ns <= 1000000000 && bed->complete_ns <= 1000000000);
	bed_free(bed);
	return 0;
}
