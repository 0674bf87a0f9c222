/*
 * run.h - the load generator's loop: stream and pace in, statistics out.
 *
 * Latency is counted from the due time and from submission. Outstanding requests are
 * integrated over time at each submit and reap, independently of both.
 *
 * Closed loop (rate 0): workload_outstanding() requests in flight, each replaced when
 * it returns; due and submitted are the same moment. Open loop: request i is due at the
 * pace's i-th moment whatever the target does; while `outstanding` are in flight it
 * waits here, and its latency from the due time shows it.
 *
 * A run begins with nothing in flight and ends at its duration; a completion within
 * [0, duration] counts, what comes back later is drained and does not. But in the latency
 * from the due time, what was not back at the end and what was due before the end and never
 * went out are counted with the time they had waited by then: a target that stops answering
 * does not look well. (The windows hold completed requests only.)
 *
 * Window i of the series covers [i * window, (i + 1) * window), also when nothing happens
 * in it; the last one is shorter where the window does not divide the duration, and holds
 * what completes at the very end.
 */
#ifndef DRIVEBAY_LOAD_RUN_H
#define DRIVEBAY_LOAD_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "load/workload.h"
#include "stats/stats.h"
#include "target/target.h"

struct run_config {
	const struct workload *workload;
	uint64_t seed;
	const char *name;         /* names the random sequences: the phase's name */
	uint64_t rate;            /* IOPS offered; 0: closed loop */
	enum arrivals arrivals;
	uint64_t duration_ns;     /* UINT64_MAX: no limit but max_ios */
	uint64_t max_ios;         /* end when this many have gone out and come back; 0: no such
				     limit */
	uint64_t max_bytes;       /* end with the request that makes it so many; 0: no such limit */
	uint64_t window_ns;       /* 0: no series */
	void (*on_window)(void *context, const struct window *window); /* may be NULL */
	/* Called at least ten times a second of wall time where the target is real; on a
	   model at each window. May be NULL. Returns false to stop the run. */
	bool (*on_progress)(void *context, const struct stats *so_far, uint64_t elapsed_ns);
	void *context;
	const volatile sig_atomic_t *stop; /* non-zero: end now, cleanly; may be NULL */
};

/* Whether the workload fits the target: 0, or -EINVAL with the sentence that run() would fail
   with, without sending anything. */
int run_fits(const struct target *target, const struct workload *workload);

/*
 * Runs, in the calling thread, and fills *out. What the callbacks take is missing from the
 * load: on a real target rather use run_threads(), also for one thread. 0; -EINTR when stopped (what was measured is in *out); another
 * negative errno with a sentence in fail() when the run cannot be made (a span smaller
 * than one request, say). Request errors do not end it: they are counted.
 */
int run(struct target *target, const struct run_config *config, struct stats *out);

/*
 * The same load from `threads` threads, each with its own handle of the same device and
 * its share of the workload's threads and rate; statistics merged. No more threads than the
 * workload has are used. Windows are merged too (their histograms: the percentiles are
 * those of all requests) and reported by the calling thread, beside the load.
 * targets[0..threads-1] must not be virtual unless threads is 1; one virtual target is
 * run() as it is.
 */
int run_threads(struct target **targets, unsigned threads, const struct run_config *config,
		struct stats *out);

/*
 * `count` loads at the same time, each with a configuration and statistics of its own, as
 * independent users of one device. On a virtual target, targets[0], they take turns on its clock;
 * what is real has a handle and a load thread for each of them, targets[0..count-1], and they
 * begin within about a millisecond of each other. The callbacks come from several threads, but
 * one at a time. As run() otherwise; -EINTR when one was stopped.
 */
int run_together(struct target **targets, const struct run_config *configs, size_t count,
		 struct stats *const *outs);

/*
 * Writes the whole target once, `size_bytes` a request, from 32 writers with one request in
 * flight each. A writer walks its own 1/32 of the target sequentially; which of them is next is
 * drawn: independent writers, as a lab's fill has them. What lies together on a drive then
 * comes from everywhere, so that a test on a part of the drive finds data of the rest in every
 * block. The last request of the target is shorter where the size does not divide. Progress as
 * above.
 */
int run_fill(struct target *target, uint32_t size_bytes, const struct run_config *config,
	     struct stats *out);

#endif
