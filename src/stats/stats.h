/*
 * stats.h - what was measured, in integers, mergeable by addition.
 *
 * `struct window` is one interval of a series, `struct stats` a whole run. Latency is
 * kept twice: from the due time (free of coordinated omission) and from submission
 * (what laboratories publish). Both count successful requests only; failed ones are
 * counted in `errors`.
 */
#ifndef DRIVEBAY_STATS_STATS_H
#define DRIVEBAY_STATS_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "io.h"
#include "stats/hist.h"

struct latency {
	uint64_t count, max_ns, min_ns; /* min_ns: UINT64_MAX when empty */
	unsigned __int128 sum_ns, sum_square_ns;
};

struct stats {
	uint64_t elapsed_ns;                 /* from the first submission allowed to the end of the
						run: its duration, unless it ended sooner */
	uint64_t ios[IO_OP_COUNT], bytes[IO_OP_COUNT], errors;
	struct latency from_submit, from_due; /* from_due also holds the unfinished: see below */
	struct latency read_from_submit, write_from_submit;
	struct hist hist_submit, hist_due;
	struct hist hist_not_read;           /* of hist_submit, those that are no reads: the rest
						are reads */
	unsigned __int128 outstanding_ns;    /* integral over time of requests outstanding, kept
						by the run loop at submit and reap */
	uint64_t unfinished;                 /* submitted and not back at the end */
	unsigned __int128 unfinished_ns;     /* what these, and those that failed, had been
						outstanding: the rest of the integral */
	uint64_t unissued;                   /* due within the run and never submitted */
	uint64_t late_max_ns;                /* the longest a request waited for its turn */
};

/* One interval of a series. Percentiles are 0 where fewer than 10 values lie above. */
struct window {
	uint64_t start_ns, elapsed_ns;       /* since the run began */
	uint64_t ios, read_ios, bytes, errors;
	uint64_t mean_ns, p50_ns, p99_ns, p999_ns, max_ns, stddev_ns; /* from submission */
	uint64_t due_p99_ns, due_max_ns;     /* from the due time */
	uint64_t outstanding_milli;          /* mean outstanding x 1000 */
	uint64_t waf_milli;                  /* NAND written / host written x 1000; 0 unknown */
};

/*
 * stats_clear() makes an empty one of whatever the memory held; stats_reset() empties one
 * that is in use at the cost of what was in use.
 */
void stats_clear(struct stats *stats);
void stats_reset(struct stats *stats);

void stats_add(struct stats *stats, const struct io *io); /* a completed request */

/*
 * Requests that had not come back, or not even gone out, at the end of the run, after they
 * had waited this long since they were due (and been outstanding since they went out). They join the latency from the due time, as the
 * least it can have been: were they left out, a target that stops answering would look
 * well. They do not touch min_ns while anything was completed (a request that went out just
 * before the end says nothing about the fastest).
 */
void stats_add_unfinished(struct stats *stats, uint64_t waited_ns, uint64_t outstanding_ns);
void stats_add_unissued(struct stats *stats, uint64_t waited_ns, uint64_t count);

/*
 * Adds everything up, elapsed time too: stretches that follow one another. Who merges what
 * ran side by side sets elapsed_ns afterwards.
 */
void stats_merge(struct stats *into, const struct stats *from);

/*
 * The figures of an interval of which *stats holds the requests, the outstanding integral
 * and the elapsed time; waf_milli is left 0.
 */
void stats_window(const struct stats *stats, uint64_t start_ns, struct window *out);

/*
 * hist_quantile() of the histogram that was kept beside this latency, and never outside of
 * what was seen: the middle of the highest part may be above the maximum.
 */
uint64_t latency_quantile(const struct latency *latency, const struct hist *hist, uint32_t ppm,
			  uint64_t *above);

double latency_mean_ns(const struct latency *latency);   /* 0 when empty */
double latency_stddev_ns(const struct latency *latency); /* of the population; 0 when empty */

double stats_iops(const struct stats *stats);
double stats_bytes_per_s(const struct stats *stats);
double stats_outstanding(const struct stats *stats); /* time-weighted, counted */

/*
 * Little's law: outstanding = IOPS x mean latency from submission, plus the share of those that
 * were not back at the end or failed. True when counted and computed agree within 1 %, or when both are below half a request (a nearly idle
 * run, where a request at the edge is a large share). *error (may be NULL) is
 * computed / counted - 1; 0 when nothing was outstanding.
 */
bool stats_little_agrees(const struct stats *stats, double *error);

#endif
