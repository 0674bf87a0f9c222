/*
 * pace.h - when to send: the moments at which the requests of an open loop are due.
 *
 * Deterministic: request i is due at i / rate, rounded down to a nanosecond once, from the
 * exact value: no drift in any number of requests. Exponential: gaps with mean 1 / rate,
 * summed in 2^-20 ns.
 *
 * Several threads share a rate: share `index` of `count` has requests index, index + count,
 * ... of a deterministic pace, so that together they are the same moments; of an
 * exponential one it has a process of its own with its share of the rate, since the sum of
 * Poisson processes is one.
 */
#ifndef DRIVEBAY_LOAD_PACE_H
#define DRIVEBAY_LOAD_PACE_H

#include <stdint.h>

#include "base/rng.h"
#include "load/run.h"

struct pace {
	enum arrivals arrivals;
	uint64_t due_ns;        /* of the next request, since the run began */
	uint64_t rate, rest;    /* deterministic: the exact moment is due_ns + rest / rate */
	uint64_t step_ns, step_rest;
	double mean;            /* exponential: of a gap, in 2^-20 ns */
	uint64_t part;          /* of a nanosecond, in 2^-20 ns */
	struct rng rng;
};

/* rate > 0 */
void pace_init(struct pace *pace, uint64_t rate, enum arrivals arrivals, uint64_t seed,
	       const char *name, unsigned index, unsigned count);

/* When the next request is due, since the run began. */
static inline uint64_t pace_due(const struct pace *pace)
{
	return pace->due_ns;
}

/* On to the request after it. */
void pace_next(struct pace *pace);

#endif
