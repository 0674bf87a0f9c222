/*
 * execute.h - a plan run on a target, into a result.
 *
 * The chains of a plan owe each other nothing. On a model each runs in a process of its own
 * with its own copy of the drive, up to `workers` at a time; what is measured does not depend
 * on how many. On a real device they run one after another, with `workers` load threads.
 *
 * After each phase that writes, a model is settled and its state saved beside the result
 * (RESULT-state-CHAIN-PHASE, gone when the chain is complete), so that an interrupted run goes on
 * where it stopped and comes to the same bytes.
 */
#ifndef DRIVEBAY_CLI_EXECUTE_H
#define DRIVEBAY_CLI_EXECUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "load/plan.h"
#include "load/run.h"
#include "store/result.h"
#include "target/target.h"

struct execute_config {
	const char *target;
	struct target_options options;
	const struct plan *plan;
	const char *path;       /* of the result */
	uint64_t seed;
	unsigned workers;       /* at least 1 */
	uint64_t rate;          /* PHASE_RUN: IOPS offered; 0: closed loop */
	enum arrivals arrivals; /* of points, and of runs at a rate */
	bool keep_states;       /* false: nothing beside the result, no resume */
	const char *load_state; /* plans of one chain: what a model begins with; NULL: fresh */
	const char *aged;       /* likewise: in the steady state of this workload, see aged.h */
	uint64_t shelved_ns;    /* and how long that has lain without power */
	const char *save_state; /* and where its state at the end goes; NULL: nowhere */
	bool quiet;
};

/*
 * Runs what is not done yet. 0; -EINTR when interrupted by SIGINT or SIGTERM (the result can be
 * resumed); another negative errno with a sentence in fail(). `result` is let go of while
 * children write and reads what they wrote afterwards.
 */
int execute(const struct execute_config *config, struct result *result);

/* Whether nothing of the plan is left to be run. */
int execute_is_complete(const struct plan *plan, struct result *result, bool *out);

#endif
