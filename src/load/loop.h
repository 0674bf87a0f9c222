/*
 * loop.h - one thread's part of a run; for run.c and threads.c only.
 *
 * The loop keeps the statistics of one interval at a time and hands each over as it ends;
 * whoever takes them adds them up.
 */
#ifndef DRIVEBAY_LOAD_LOOP_H
#define DRIVEBAY_LOAD_LOOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "load/pace.h"
#include "load/replay.h"
#include "load/run.h"
#include "load/stream.h"
#include "stats/stats.h"
#include "target/target.h"

struct loop;

/* Where a loop's figures go. Each returns false to stop the run. */
struct loop_sink {
	/* An interval of the series has ended; loop->interval is emptied afterwards. */
	bool (*interval)(void *context, const struct loop *loop);
	/* Now and then (see run.h); NULL: nobody asks. */
	bool (*progress)(void *context, const struct loop *loop, uint64_t elapsed_ns);
	void *context;
};

struct loop {
	struct target *target;
	const struct run_config *config;
	struct loop_sink sink;
	unsigned index, count;            /* which share of the workload; 0 of 1: all of it */
	const atomic_bool *cancel;        /* another thread wants an end; may be NULL */

	struct stream stream;
	struct pace pace;
	struct replay *replay;            /* in the place of what stream and pace draw; or NULL */
	struct replay_request coming;     /* its next one */
	bool is_open;                     /* an open loop */
	struct io *ios, *free_ios;
	uint32_t io_count;
	uint8_t *pool, *writes;           /* NULL where the target moves no data */
	uint64_t pool_bytes, slot_bytes, write_at_bytes;
	uint64_t issued, issue_max;
	uint64_t issued_bytes, bytes_max;

	uint64_t start_ns, end_ns;        /* on the target's clock, as all that follows */
	uint64_t window_start_ns;
	uint64_t window_end_ns;           /* UINT64_MAX: the last one, which lasts until the end */
	uint64_t counted_ns;              /* up to here outstanding_ns is counted */
	uint64_t progress_ns;             /* when progress is due again (real targets) */
	uint32_t in_flight;
	bool is_stopped;                  /* somebody wanted an end before the end */
	struct health health;             /* at the start of the window */
	bool has_health;

	uint64_t waf_milli;               /* of the interval handed over */
	struct stats interval;
	struct stats rest;                /* the unfinished: they belong to the run, to no window */
};

/* Everything is allocated here. -EINVAL with a sentence when the run cannot be made. */
int loop_init(struct loop *loop, struct target *target, const struct run_config *config,
	      unsigned index, unsigned count);
void loop_free(struct loop *loop);

/* From start_ns, a moment that has not passed, to the end; 0 or -EINTR. */
int loop_run(struct loop *loop, uint64_t start_ns);

/*
 * The same for `count` loops on one virtual target, together: what is due first goes out first,
 * at one moment in the order of the loops. -EINTR when one of them was stopped: then all are.
 */
int loops_run(struct loop *const *loops, size_t count, uint64_t start_ns);

#endif
