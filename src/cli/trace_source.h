/*
 * trace_source.h - a trace as requests for a target: streamed, in order of time, filtered, scaled.
 *
 * The file is read twice: once to count and to see how far it goes (trace_scan()), once while it is
 * replayed. Stamps that go back are put in order within a window of WINDOW requests; one that comes
 * later than that goes out with those that it missed.
 */
#ifndef DRIVEBAY_CLI_TRACE_SOURCE_H
#define DRIVEBAY_CLI_TRACE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "load/replay.h"
#include "target/target.h"
#include "wire/trace.h"

enum { TRACE_WINDOW = 16384 };

/* How addresses of a trace become those of a target. */
enum trace_scaling {
	TRACE_FIT,  /* regions of 1 MiB are moved together in proportion where the trace goes further
		       than the target; within a region nothing moves */
	TRACE_WRAP, /* the rest of a division by the target's size */
	TRACE_NONE, /* as they are: a trace that goes further is refused */
};

struct trace_counts {
	uint64_t lines, empty, other;
	uint64_t other_devices; /* requests that --device leaves out */
	uint64_t no_size;       /* requests of no bytes, which no drive sees */
	uint64_t requests[IO_OP_COUNT], bytes[IO_OP_COUNT];
	uint64_t negative;      /* stamps below 0 */
	uint64_t unordered;     /* stamps before that of the request before */
	uint64_t missed;        /* of these, by more than the window */
	uint64_t rounded;       /* to whole blocks of the target */
	uint64_t cut;           /* into several requests */
	uint64_t sent;          /* requests that go out */
	uint64_t sent_bytes, read_max_bytes, write_max_bytes;
	uint64_t end_bytes;     /* the trace goes so far */
	uint64_t length_ns;     /* from the first request to the last */
	bool has_times;
	size_t devices;         /* seen, with those left out */
};

struct trace_source {
	struct replay base;
	const char *path, *device; /* device: NULL: all of them */
	const struct trace_format *format;
	enum trace_scaling scaling;
	uint64_t target_bytes;
	uint32_t block_bytes;
	struct trace_counts counts; /* of the last scan */
	struct trace_reading *reading;
};

/* Not yet with a target: sizes and addresses are as in the file. */
void trace_source_init(struct trace_source *source, const char *path,
		       const struct trace_format *format, const char *device);
void trace_source_clear(struct trace_source *source);

/* Reads all of it and counts. -EINVAL with a sentence that names the line. */
int trace_scan(struct trace_source *source);

/* From here on for this target; counts anew what depends on it. */
int trace_fit(struct trace_source *source, const struct target *target, enum trace_scaling scaling);

#endif
