/* Any bytes as something packed: what was in it, or a sentence; it always comes to an end. */
#include "wire/unpack.h"

#include <assert.h>
#include <string.h>

#include "base/fail.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct unpack *unpack;
	uint8_t out[4096];
	const uint8_t *in = bytes;
	size_t left = size;
	uint64_t total = 0;
	int64_t got;

	if (unpack_new(bytes, size, &unpack)) {
		assert(*fail_message());
		return 0;
	}
	do {
		got = unpack_some(unpack, &in, &left, out, sizeof(out));
		assert(got <= (int64_t)sizeof(out));
		total += got > 0 ? (uint64_t)got : 0;
	} while ((got > 0 || (got == 0 && left)) && total < 1 << 20);
	assert(got >= 0 || *fail_message());
	unpack_is_whole(unpack);
	unpack_free(unpack);
	return 0;
}
