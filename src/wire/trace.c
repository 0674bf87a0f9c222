/* trace.c - the formats, the guess, and what all readers need. */
#include "wire/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "wire/trace_read.h"

enum {
	DEVICES_MAX = 1 << 20,
	DEVICE_NAME_MAX = 256,
	GUESS_LINES = 64,
};

/* A new format is a new reader and a line here. */
static const struct trace_format *const formats[] = {
	&trace_blkparse, &trace_iolog, &trace_msr, &trace_systor, &trace_alibaba, &trace_tencent,
	&trace_spc, NULL,
};

const struct trace_format *const *trace_formats(void)
{
	return formats;
}

const struct trace_format *trace_format_by_name(const char *name)
{
	for (size_t i = 0; formats[i]; i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}

const char *trace_format_name(const struct trace_format *format)
{
	return format->name;
}

const char *trace_format_help(const struct trace_format *format)
{
	return format->help;
}

/* ---- spans ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

struct span span_trim(struct span span)
{
	while (span.text < span.end && is_blank(*span.text))
		span.text++;
	while (span.end > span.text && is_blank(span.end[-1]))
		span.end--;
	return span;
}

size_t span_length(struct span span)
{
	return (size_t)(span.end - span.text);
}

bool span_is(struct span span, const char *word)
{
	return span_length(span) == strlen(word) && !strncasecmp(span.text, word, span_length(span));
}

struct span span_word(struct span *rest)
{
	struct span word;

	*rest = span_trim(*rest);
	word = (struct span){ rest->text, rest->text };
	while (word.end < rest->end && !is_blank(*word.end))
		word.end++;
	rest->text = word.end;
	return word;
}

bool span_u64(struct span span, uint64_t *out)
{
	*out = 0;
	if (span.text == span.end)
		return false;
	for (; span.text < span.end; span.text++) {
		unsigned digit = (unsigned)(*span.text - '0');

		if (digit > 9 || *out > (UINT64_MAX - digit) / 10)
			return false;
		*out = *out * 10 + digit;
	}
	return true;
}

bool span_decimal(struct span span, int decimals, int64_t *out)
{
	bool is_negative = span.text < span.end && *span.text == '-', has_point = false;
	bool has_digit = false;
	uint64_t value = 0;

	for (span.text += is_negative; span.text < span.end; span.text++) {
		unsigned digit = (unsigned)(*span.text - '0');

		if (*span.text == '.' && !has_point) {
			has_point = true;
			continue;
		}
		if (digit > 9)
			return false;
		has_digit = true;
		if (has_point && decimals-- <= 0)
			continue;
		if (value > ((uint64_t)INT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	for (; decimals > 0; decimals--) {
		if (value > INT64_MAX / 10)
			return false;
		value *= 10;
	}
	*out = is_negative ? -(int64_t)value : (int64_t)value;
	return has_digit;
}

int span_fail(struct span span, const char *what, const char *is_not)
{
	int length = span_length(span) > 60 ? 60 : (int)span_length(span);

	return fail(EINVAL, "%s: '%.*s' is not %s", what, length, span.text, is_not);
}

int span_stamp(struct trace *trace, struct span span, int decimals, int64_t unit_ns,
	       struct trace_record *out)
{
	int64_t stamp;

	if (!span_decimal(span, decimals, &stamp))
		return span_fail(span, "time", "a number");
	if (!trace->has_base) {
		trace->has_base = true;
		trace->base = stamp;
	}
	if (__builtin_sub_overflow(stamp, trace->base, &stamp) ||
	    __builtin_mul_overflow(stamp, unit_ns, &stamp))
		return span_fail(span, "time", "near that of the first line");
	out->at_ns = stamp;
	out->has_time = true;
	return 0;
}

/* ---- devices ---- */

static uint32_t hash_of(struct span name)
{
	uint32_t hash = 2166136261u;

	for (; name.text < name.end; name.text++)
		hash = (hash ^ (uint8_t)*name.text) * 16777619u;
	return hash;
}

static uint32_t *slot_of(struct trace *trace, struct span name)
{
	for (uint32_t at = hash_of(name);; at++) {
		uint32_t *slot = &trace->slots[at & (trace->slot_count - 1)];
		const char *known = *slot ? trace->devices[*slot - 1] : NULL;

		if (!known || (strlen(known) == span_length(name) &&
			       !memcmp(known, name.text, span_length(name))))
			return slot;
	}
}

/* Never more than half full. */
static void grow(struct trace *trace)
{
	if (trace->slot_count > 2 * trace->device_count)
		return;
	trace->slot_count = trace->slot_count ? 2 * trace->slot_count : 16;
	free(trace->slots);
	trace->slots = xcalloc(trace->slot_count, sizeof(*trace->slots));
	for (size_t i = 0; i < trace->device_count; i++) {
		const char *name = trace->devices[i];

		*slot_of(trace, (struct span){ name, name + strlen(name) }) = (uint32_t)i + 1;
	}
	trace->devices = xrealloc(trace->devices, trace->slot_count * sizeof(*trace->devices));
}

int span_device(struct trace *trace, struct span name, size_t *out)
{
	uint32_t *slot;

	if (span_length(name) > DEVICE_NAME_MAX || memchr(name.text, '\0', span_length(name)))
		return span_fail(name, "device", "a name");
	grow(trace);
	slot = slot_of(trace, name);
	if (!*slot) {
		if (trace->device_count == DEVICES_MAX)
			return fail(EINVAL, "more than %d devices", DEVICES_MAX);
		trace->devices[trace->device_count++] = xasprintf("%.*s", (int)span_length(name), name.text);
		*slot = (uint32_t)trace->device_count;
	}
	*out = *slot - 1;
	return 0;
}

size_t trace_device_count(const struct trace *trace)
{
	return trace->device_count;
}

const char *trace_device(const struct trace *trace, size_t index)
{
	return trace->devices[index];
}

/* ---- reading ---- */

struct trace *trace_new(const struct trace_format *format)
{
	struct trace *trace = xcalloc(1, sizeof(*trace));

	trace->format = format;
	return trace;
}

void trace_free(struct trace *trace)
{
	if (!trace)
		return;
	for (size_t i = 0; i < trace->device_count; i++)
		free(trace->devices[i]);
	free(trace->devices);
	free(trace->slots);
	free(trace);
}

int trace_read(struct trace *trace, const char *line, size_t length, struct trace_record *out)
{
	struct span span = span_trim((struct span){ line, line + length });

	*out = (struct trace_record){ 0 };
	trace->line_count++;
	if (span.text == span.end || *span.text == '#')
		return TRACE_EMPTY;
	return trace->format->read(trace, span, out);
}

/* How many of the first lines look like requests of this format. */
static unsigned likeness(const struct trace_format *format, const char *text, size_t size)
{
	const char *end = text + size;
	unsigned like = 0;

	for (unsigned i = 0; i < GUESS_LINES && text < end; i++) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		struct span line;

		if (!stop && i > 0)
			break;
		line = span_trim((struct span){ text, stop ? stop : end });
		like += line.text < line.end && format->is_one(line);
		text = stop ? stop + 1 : end;
	}
	return like;
}

const struct trace_format *trace_guess(const char *text, size_t size)
{
	const struct trace_format *found = NULL;

	for (size_t i = 0; formats[i]; i++) {
		if (!likeness(formats[i], text, size))
			continue;
		if (found)
			return NULL;
		found = formats[i];
	}
	return found;
}
