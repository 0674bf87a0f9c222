/* Any bytes as the lines of a trace of each format: requests, or a sentence. */
#include "wire/trace.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/fail.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void read_all(const struct trace_format *format, const char *text, size_t size)
{
	const char *end = text + size, *stop;
	struct trace *trace = trace_new(format);
	struct trace_record record;

	for (; text < end; text = stop + 1) {
		int kind;

		stop = memchr(text, '\n', (size_t)(end - text));
		stop = stop ? stop : end;
		kind = trace_read(trace, text, (size_t)(stop - text), &record);
		assert(kind >= 0 || (kind == -EINVAL && *fail_message()));
		if (kind != TRACE_REQUEST)
			continue;
		assert(record.offset_bytes <= INT64_MAX && record.size_bytes <= INT64_MAX);
		assert(record.device < trace_device_count(trace));
		assert(strlen(trace_device(trace, record.device)) <= 256);
	}
	trace_free(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct trace_format *const *format = trace_formats();

	trace_guess((const char *)bytes, size);
	for (; *format; format++)
		read_all(*format, (const char *)bytes, size);
	return 0;
}
