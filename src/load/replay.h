/*
 * replay.h - requests that somebody recorded, in the place of drawn ones.
 *
 * Whoever knows where they come from begins its struct with this one (see PATTERN_TRACE in
 * workload.h). One run at a time takes them, from the first to the last.
 */
#ifndef DRIVEBAY_LOAD_REPLAY_H
#define DRIVEBAY_LOAD_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "io.h"

struct replay_request {
	uint64_t due_ns;       /* since the first one; never before that of an earlier one */
	enum io_op op;
	uint64_t offset_bytes; /* within the target, multiples of its block */
	uint32_t size_bytes;
};

struct replay {
	bool is_timed; /* they go out when they are due; else as fast as the depth allows */
	/* Back to the first one. 0 or a negative errno with a sentence. */
	int (*rewind)(struct replay *replay);
	/* False: that was the last one. */
	bool (*next)(struct replay *replay, struct replay_request *out);
};

#endif
