/*
 * trace_blkparse.c - `maj,min cpu seq sec.nsec pid action rwbs sector + sectors [process]`.
 */
#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "wire/trace_read.h"

enum { SECTOR_BYTES = 512 };

/* "8,0" */
static bool is_device(struct span word)
{
	const char *comma = memchr(word.text, ',', span_length(word));
	uint64_t number;

	return comma && span_u64((struct span){ word.text, comma }, &number) &&
	       span_u64((struct span){ comma + 1, word.end }, &number);
}

/* The words before the action; false: this is no event. */
static bool read_head(struct span *rest, struct span *device, struct span *time, struct span *action)
{
	uint64_t number;
	int64_t stamp;

	*device = span_word(rest);
	if (!is_device(*device) || !span_u64(span_word(rest), &number) ||
	    !span_u64(span_word(rest), &number))
		return false;
	*time = span_word(rest);
	span_word(rest); /* the process' number */
	*action = span_word(rest);
	return span_decimal(*time, 9, &stamp) && action->text < action->end;
}

static bool is_blkparse(struct span line)
{
	struct span device, time, action;

	return read_head(&line, &device, &time, &action);
}

/* False: a message of a driver, which moves nothing. */
static bool read_kind(struct span rwbs, enum io_op *op)
{
	size_t length = span_length(rwbs);

	if (memchr(rwbs.text, 'R', length))
		*op = IO_READ;
	else if (memchr(rwbs.text, 'D', length))
		*op = IO_TRIM;
	else if (memchr(rwbs.text, 'W', length))
		*op = IO_WRITE;
	else if (memchr(rwbs.text, 'F', length))
		*op = IO_FLUSH;
	else
		return false;
	return true;
}

/* "sector + sectors"; a flush has none, or a 0. */
static int read_place(struct span rest, struct trace_record *out)
{
	struct span sector = span_word(&rest), plus = span_word(&rest), sectors = span_word(&rest);
	uint64_t first, count;

	if (out->op == IO_FLUSH)
		return TRACE_REQUEST;
	if (!span_is(plus, "+"))
		return TRACE_OTHER; /* a command of its own, in brackets */
	if (!span_u64(sector, &first) || first > INT64_MAX / SECTOR_BYTES)
		return span_fail(sector, "sector", "a number");
	if (!span_u64(sectors, &count) || count > INT64_MAX / SECTOR_BYTES)
		return span_fail(sectors, "sectors", "a number");
	out->offset_bytes = first * SECTOR_BYTES;
	out->size_bytes = count * SECTOR_BYTES;
	return TRACE_REQUEST;
}

static int read_blkparse(struct trace *trace, struct span line, struct trace_record *out)
{
	struct span rest = line, device, time, action;
	int kind, err;

	if (!read_head(&rest, &device, &time, &action) || !span_is(action, "D") ||
	    !read_kind(span_word(&rest), &out->op))
		return TRACE_OTHER;
	kind = read_place(rest, out);
	if (kind != TRACE_REQUEST)
		return kind;
	out->has_time = span_decimal(time, 9, &out->at_ns);
	err = span_device(trace, device, &out->device);
	return err ? err : TRACE_REQUEST;
}

const struct trace_format trace_blkparse = {
	.name = "blkparse",
	.help = "text of blkparse",
	.is_one = is_blkparse,
	.read = read_blkparse,
};
