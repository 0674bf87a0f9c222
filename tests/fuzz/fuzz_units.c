/* Any text as a size, duration, ...: refused, or a value that is written and read back. */
#include "base/units.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

typedef int parser(const char *text, uint64_t *value);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static parser *const parsers[] = {
		parse_size, parse_duration, parse_rate, parse_count, parse_percent, parse_speed,
		parse_milli,
	};
	char *text = malloc(size + 1);

	assert(text);
	if (size)
		memcpy(text, bytes, size);
	text[size] = '\0';
	for (size_t i = 0; i < sizeof(parsers) / sizeof(*parsers); i++) {
		uint64_t value = 42, back;
		char out[UNITS_BYTES];
		int err = parsers[i](text, &value);

		assert(err == 0 || (err == -EINVAL && value == 42));
		if (err)
			continue;
		assert(strlen(format_size(value, out)) < UNITS_BYTES);
		assert(strlen(format_speed(value, out)) < UNITS_BYTES);
		assert(strlen(format_percent(value, out)) < UNITS_BYTES);
		format_duration(value, out);
		/* Rounded up, the last hour of 64 bits does not fit any more. */
		assert(parse_duration(out, &back) == 0 || value > UINT64_MAX - 3600000000000);
		assert(parse_count(format_count(value, out), &back) == 0 && back == value);
	}
	free(text);
	return 0;
}
