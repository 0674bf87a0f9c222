/*
 * trace_iolog.c - fio's log of requests: version 2, where waits stand between them, and 3, where
 * each line begins with its time in microseconds.
 */
#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "wire/trace_read.h"

static bool is_iolog(struct span line)
{
	return span_length(line) > 12 && !strncmp(line.text, "fio version ", 12);
}

static int read_header(struct trace *trace, struct span line)
{
	struct span rest = { line.text + 12, line.end }, number = span_word(&rest);
	uint64_t version;

	if (!span_u64(number, &version) || (version != 2 && version != 3))
		return span_fail(number, "fio version", "2 or 3, which are read here");
	trace->iolog_version = (unsigned)version;
	for (struct span word; word = span_word(&rest), word.text < word.end;)
		trace->iolog_in_ms |= span_is(word, "ms") || span_is(word, "msec");
	return TRACE_OTHER;
}

static bool read_action(struct span word, enum io_op *op)
{
	static const struct {
		const char *name;
		enum io_op op;
	} actions[] = {
		{ "read", IO_READ }, { "write", IO_WRITE }, { "trim", IO_TRIM }, { "sync", IO_FLUSH },
		{ "datasync", IO_FLUSH },
	};

	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (span_is(word, actions[i].name)) {
			*op = actions[i].op;
			return true;
		}
	return false;
}

static int read_wait(struct trace *trace, struct span rest)
{
	struct span word = span_word(&rest);
	uint64_t us;

	if (!span_u64(word, &us) || us > (uint64_t)INT64_MAX / 1000 - trace->waited_us)
		return span_fail(word, "wait", "a number of microseconds");
	trace->waited_us += us;
	return TRACE_OTHER;
}

static int read_times(struct trace *trace, struct span *rest, struct trace_record *out)
{
	if (trace->iolog_version == 2) {
		out->has_time = true;
		out->at_ns = (int64_t)trace->waited_us * 1000;
		return 0;
	}
	return span_stamp(trace, span_word(rest), 0, trace->iolog_in_ms ? 1000000 : 1000, out);
}

static int read_iolog(struct trace *trace, struct span line, struct trace_record *out)
{
	struct span rest = line, file, action, offset, length;
	int err;

	if (is_iolog(line))
		return read_header(trace, line);
	if (!trace->iolog_version)
		return fail(EINVAL, "the first line of an iolog says 'fio version 2 iolog', or 3");
	err = read_times(trace, &rest, out);
	if (err)
		return err;
	file = span_word(&rest);
	action = span_word(&rest);
	if (span_is(action, "add") || span_is(action, "open") || span_is(action, "close"))
		return TRACE_OTHER;
	if (span_is(action, "wait"))
		return trace->iolog_version == 2 ? read_wait(trace, rest) : TRACE_OTHER;
	if (!read_action(action, &out->op))
		return span_fail(action, "action", "read, write, trim, sync, datasync, wait, add, open or "
				 "close");
	offset = span_word(&rest);
	length = span_word(&rest);
	if (out->op != IO_FLUSH) {
		if (!span_u64(offset, &out->offset_bytes) || out->offset_bytes > INT64_MAX)
			return span_fail(offset, "offset", "a number");
		if (!span_u64(length, &out->size_bytes) || out->size_bytes > INT64_MAX)
			return span_fail(length, "length", "a number");
	}
	err = span_device(trace, file, &out->device);
	return err ? err : TRACE_REQUEST;
}

const struct trace_format trace_iolog = {
	.name = "iolog",
	.help = "fio iolog",
	.is_one = is_iolog,
	.read = read_iolog,
};
