/*
 * io.h - one request, from the generator to a target and back.
 *
 * Owner: whoever filled it in, until target_submit(); then the target, until
 * target_reap() hands it back. Nobody else may touch it in between. All times
 * are in ns on the clock of the target that serves the request.
 */
#ifndef DRIVEBAY_IO_H
#define DRIVEBAY_IO_H

#include <stddef.h>
#include <stdint.h>

enum io_op {
	IO_READ,
	IO_WRITE,
	IO_TRIM,
	IO_FLUSH, /* size_bytes and offset_bytes are 0 */
	IO_WRITE_ZEROES, /* reads as zeroes afterwards; no data cross the link */
};

enum { IO_OP_COUNT = IO_WRITE_ZEROES + 1 };

struct io {
	enum io_op op;
	uint32_t size_bytes;   /* a multiple of the target's block size */
	uint64_t offset_bytes; /* likewise; offset + size fit the target */
	void *data;            /* size_bytes, page-aligned; NULL where the target moves no data */
	uint64_t due_ns;       /* when it should have gone out; set by the pace */
	uint64_t submitted_ns; /* when it went out; set by target_submit() */
	uint64_t completed_ns; /* when it came back; set by the target */
	int error;             /* 0 or a negative errno; set by the target */
	uint32_t tag;          /* the submitter's own: never read by a target */
	struct io *next;       /* for whoever owns it at the moment */
};

#define container_of(pointer, type, member) \
	((type *)((char *)(pointer) - offsetof(type, member)))

#endif
