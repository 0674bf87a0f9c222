/*
 * trace.h - recorded block I/O: lines in, requests out.
 *
 * A format is recognised by its lines, or told. Whoever reads the file feeds line by line, so a
 * trace of any length takes the same memory; only the names of its devices are kept.
 *
 *	blkparse  text of blkparse(1): what was issued to a device (action D)
 *	iolog     fio's, version 2 and 3
 *	msr       MSR Cambridge: Timestamp,Host,Disk,Type,Offset,Size,ResponseTime
 *	systor    SYSTOR '17: Timestamp,Response,IOType,LUN,Offset,Size
 *	alibaba   device_id,opcode,offset,length,timestamp
 *	tencent   Timestamp,Offset,Size,IOType,VolumeID
 *	spc       ASU,LBA,Size,Opcode,Timestamp (SPC, UMass)
 */
#ifndef DRIVEBAY_WIRE_TRACE_H
#define DRIVEBAY_WIRE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io.h"

struct trace_format;

struct trace_record {
	int64_t at_ns;         /* since a moment that is the same for the whole trace */
	bool has_time;
	enum io_op op;
	uint64_t offset_bytes, size_bytes;
	size_t device;         /* see trace_device() */
};

enum trace_line {
	TRACE_REQUEST, /* *out has it */
	TRACE_EMPTY,   /* nothing on it, or a comment */
	TRACE_OTHER,   /* something that is no request: another event, a heading, a sum */
};

struct trace;

/* Where a format is told by --format or by trace_guess(). */
const struct trace_format *trace_format_by_name(const char *name); /* NULL: none */
const char *trace_format_name(const struct trace_format *format);
const char *trace_format_help(const struct trace_format *format);
const struct trace_format *const *trace_formats(void); /* NULL ends them */

/*
 * The one format that the first lines of a file are in; NULL when it is none or could be several.
 * A line that `size` cuts off is not looked at.
 */
const struct trace_format *trace_guess(const char *text, size_t size);

/* A reader at the beginning of a file. */
struct trace *trace_new(const struct trace_format *format);
void trace_free(struct trace *trace); /* NULL is fine */

/*
 * Takes one line, without its end. An enum trace_line, or -EINVAL with a sentence (about the line:
 * the caller says which it was).
 */
int trace_read(struct trace *trace, const char *line, size_t length, struct trace_record *out);

/* The devices so far, in the order in which they came. */
size_t trace_device_count(const struct trace *trace);
const char *trace_device(const struct trace *trace, size_t index);

#endif
