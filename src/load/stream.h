/*
 * stream.h - what to send: the requests of a workload, one after another.
 *
 * A stream has lanes, one for each thread of the workload: a lane has an address at which
 * its sequential requests go on. All other draws come from sequences that the lanes share,
 * so the n-th request of a random workload is the same whichever lane asks for it.
 *
 * The same seed and name give the same sequence on every machine. A draw is O(1) and
 * allocates nothing.
 *
 * Nothing of the span is lost: where sizes and alignment do not divide it (or the part of a
 * lane), the request at the very end is cut short, and everything can be reached.
 */
#ifndef DRIVEBAY_LOAD_STREAM_H
#define DRIVEBAY_LOAD_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "io.h"
#include "load/workload.h"
#include "load/zipf.h"

/* What is addressed, and which of the workload's lanes: share `index` of `count` gets the
   lanes index, index + count, ... Whoever runs it alone says 0 of 1. */
struct stream_space {
	uint64_t size_bytes;  /* of the target */
	uint32_t block_bytes; /* its logical block */
	unsigned index, count;
};

struct stream_size {
	uint32_t size_bytes;
	uint64_t places; /* how many addresses a uniform draw chooses from */
};

/* Walker's alias method: a column is one size up to `cut` (of 2^64), the other above. */
struct stream_mix {
	uint32_t count;
	struct stream_column {
		uint64_t cut;
		struct stream_size below, above;
	} columns[WORKLOAD_SIZES];
};

struct stream_lane {
	uint64_t begin_bytes, end_bytes; /* its part of the span, or its span, on the target */
	uint64_t cursor_bytes;           /* where its last request ended; UINT64_MAX: no request yet */
	uint32_t unflushed;              /* writes since its last flush */
};

struct stream {
	enum pattern pattern;
	uint32_t read_percent, trim_percent, zeroes_percent, random_percent;
	uint32_t min_bytes;  /* its smallest request */
	uint64_t span_bytes, align_bytes;
	uint32_t flush_writes;
	bool is_aligned;     /* every size is a multiple of align_bytes */
	struct stream_mix reads, writes; /* trims and zeroes have the sizes of writes */
	struct rng op, size, address, order;
	struct zipf zipf;
	uint32_t lane_count;
	uint32_t open_lanes; /* PATTERN_FILL: the first of lanes[], those that are not through */
	struct stream_lane *lanes;
};

/*
 * -EINVAL with a sentence when the workload does not fit: sizes or alignment that are no
 * multiple of the block, a span or a lane's part smaller than the largest request.
 */
int stream_init(struct stream *stream, const struct workload *workload,
		const struct stream_space *space, uint64_t seed, const char *name);
void stream_free(struct stream *stream);

/*
 * The next request of this lane: op, size and offset of *io. With PATTERN_FILL the lane is
 * drawn, and there must be something left: stream_fill_requests() are all.
 */
void stream_next(struct stream *stream, uint32_t lane, struct io *io);

/* How many requests of this size write each place of a target once, from `writers` lanes. */
uint64_t stream_fill_requests(uint64_t size_bytes, uint32_t request_bytes, uint32_t writers);

#endif
