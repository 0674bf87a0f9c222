#include "load/pace.h"

#include <assert.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/fail.h"

enum { PART_BITS = 20 };

static const uint64_t second_ns = 1000000000;

static void exponential_next(struct pace *pace)
{
	/* At most 36.8 means of a gap, that of 1 - unit = 2^-53: it fits for any mean below
	   7 minutes. */
	double gap = -rng_log(1 - rng_unit(&pace->rng)) * pace->mean;

	pace->part += (uint64_t)gap;
	pace->due_ns += pace->part >> PART_BITS;
	pace->part &= (1u << PART_BITS) - 1;
}

void pace_init(struct pace *pace, uint64_t rate, enum arrivals arrivals, uint64_t seed,
	       const char *name, unsigned index, unsigned count)
{
	_cleanup_free_ char *full = count == 1 ? xasprintf("%s/due", name) :
						 xasprintf("%s/due/%u", name, index);

	assert(rate > 0);
	assert(index < count);
	*pace = (struct pace){
		.arrivals = arrivals,
		.rate = rate,
		.due_ns = index * second_ns / rate,
		.rest = index * second_ns % rate,
		.step_ns = count * second_ns / rate,
		.step_rest = count * second_ns % rate,
		.mean = (double)count * 1e9 * (1u << PART_BITS) / (double)rate,
		.rng = rng_stream(seed, full),
	};
	if (arrivals == ARRIVALS_EXPONENTIAL) {
		pace->due_ns = 0;
		exponential_next(pace);
	}
}

void pace_next(struct pace *pace)
{
	if (pace->arrivals == ARRIVALS_EXPONENTIAL) {
		exponential_next(pace);
		return;
	}
	pace->due_ns += pace->step_ns;
	pace->rest += pace->step_rest;
	if (pace->rest >= pace->rate) {
		pace->rest -= pace->rate;
		pace->due_ns++;
	}
}
