/*
 * uring.h - what the parts of the io_uring target share; for src/target/uring*.c only.
 *
 *	uring.c           the ring: requests in, completions out
 *	uring_range.c     requests without data: how the kernel is asked for trims and zeroes
 *	uring_open.c      opening and creating, with the consent that writing needs
 *	uring_purge.c     fresh again
 *	uring_describe.c  what was had, in words
 */
#ifndef DRIVEBAY_TARGET_URING_H
#define DRIVEBAY_TARGET_URING_H

#include <limits.h>
#include <liburing.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "target/blockdev.h"
#include "target/guard.h"
#include "target/target.h"

/* How a range is trimmed or made zero. At most eight: the tag of a request has room for these. */
enum range_way {
	RANGE_NONE,
	RANGE_DISCARD, /* a discard as an io_uring command: Linux 6.12 */
	RANGE_FALLOCATE_DISCARD, /* fallocate() that discards: block devices before 6.12 */
	RANGE_PUNCH,   /* punch a hole; on a device: zeroes, unmapping what it can */
	RANGE_ZERO,    /* zeroes that keep their room; on a device: its own command for that */
};

/* The ways of one kind of request. */
struct range_ways {
	const enum range_way *left; /* the one in use and those after it; RANGE_NONE ends them */
	bool works;                 /* it has succeeded: an error is an error from then on */
};

/* A request of which the kernel has done a part only. */
struct partial {
	struct io *io;
	uint32_t done_bytes;
};

struct uring_target {
	struct target base;
	char *path;
	int fd;
	struct guard_claim *claim;
	struct blockdev device; /* of a device */
	bool is_device;
	bool is_yardstick; /* /dev/zero */
	bool is_direct;
	const char *why_buffered;
	uint64_t whole_bytes; /* of which base.size_bytes are used */
	uint32_t depth;

	struct io_uring ring;
	bool has_ring;
	int ring_error;      /* why there is no ring any more */
	unsigned int owner;  /* the thread that the ring belongs to */
	const char *mode;
	bool has_fixed_file;
	char *buffers;       /* announced by target_buffers() */
	size_t buffer_bytes;
	bool has_fixed_buffers;

	enum io_op last_op;  /* of the request that was queued last, and where it lay */
	uint64_t last_begin_bytes, last_end_bytes;

	struct io *ready_first, *ready_last; /* completed, not yet reaped */
	struct partial *partials; /* `depth` of them */
	uint32_t partial_count;
	struct range_ways trim, zero;
	struct buf description;
};

static inline struct uring_target *uring_of(struct target *target)
{
	return container_of(target, struct uring_target, base);
}


/* A ring with all that belongs to it, for the calling thread; 0 or a negative errno. */
int uring_set_up_ring(struct uring_target *uring);
void uring_close_ring(struct uring_target *uring);

/* All ways are tried, the best first; what the kernel refuses is not tried again. */
void uring_range_init(struct uring_target *uring);

/* The way of a trim or of write zeroes that goes out now; RANGE_NONE: there is none (left), or
   it is another kind of request. */
enum range_way uring_range_way(const struct uring_target *uring, enum io_op op);
void uring_prepare_range(const struct uring_target *uring, struct io_uring_sqe *sqe,
			 const struct io *io);

/* What a request that went out in this way, and came back so, ends in; URING_TRY_AGAIN: it has to
   go out again, in another way. */
enum { URING_TRY_AGAIN = INT_MIN };
int uring_range_result(struct uring_target *uring, enum io_op op, enum range_way way, int result);

/* Verbs of target_uring_ops. */
int uring_open(const char *arg, const struct target_options *options, struct target **out);
void uring_close(struct target *target);
int uring_purge(struct target *target);
const char *uring_describe(struct target *target);

#endif
