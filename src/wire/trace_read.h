/*
 * trace_read.h - what the readers of traces share; private to wire/trace*.c.
 */
#ifndef DRIVEBAY_WIRE_TRACE_READ_H
#define DRIVEBAY_WIRE_TRACE_READ_H

#include "wire/trace.h"

/* Text between two pointers: fields are not copied. */
struct span {
	const char *text, *end;
};

struct trace_format {
	const char *name, *help;
	/* Does a line look like one of a request of this format? For the guess; NULL: see iolog. */
	bool (*is_one)(struct span line);
	int (*read)(struct trace *trace, struct span line, struct trace_record *out);
	const struct csv_columns *columns; /* of what trace_csv.c reads */
};

struct trace {
	const struct trace_format *format;
	uint64_t line_count;
	int64_t base;              /* the first stamp, of formats that count from long ago */
	bool has_base;
	uint64_t waited_us;        /* iolog 2: the sum of its waits */
	unsigned iolog_version;
	bool iolog_in_ms;
	char **devices;
	size_t device_count, slot_count;
	uint32_t *slots;           /* a hash table of device + 1; 0: empty */
};

extern const struct trace_format trace_blkparse, trace_iolog, trace_msr, trace_systor, trace_alibaba,
	trace_tencent, trace_spc;

/* The device of this name, a new one where there was none. */
int span_device(struct trace *trace, struct span name, size_t *out);

struct span span_trim(struct span span);
size_t span_length(struct span span);
bool span_is(struct span span, const char *word);

/* The next word between blanks, taken off *rest; empty at the end. */
struct span span_word(struct span *rest);

/* All of it must be a number. False: it is none, or does not fit. */
bool span_u64(struct span span, uint64_t *out);
/* Decimals, in parts of 10^-`decimals`; further digits are cut off. With a sign. */
bool span_decimal(struct span span, int decimals, int64_t *out);

/* -EINVAL: "WHAT: 'TEXT' is not ..." */
int span_fail(struct span span, const char *what, const char *is_not);

/* A stamp in units of `unit_ns`, from the first one on. */
int span_stamp(struct trace *trace, struct span span, int decimals, int64_t unit_ns,
	       struct trace_record *out);

#endif
