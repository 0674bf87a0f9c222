/*
 * chain.h - one chain of a plan on one target: its phases in order, on one state of the drive.
 *
 *	chain.c  where a chain begins or goes on, its targets
 *	phase.c  one phase: load, counters, outcome
 *	state.c  what a model is like after a phase, in a file beside the result
 */
#ifndef DRIVEBAY_CLI_CHAIN_H
#define DRIVEBAY_CLI_CHAIN_H

#include <signal.h>

#include "cli/execute.h"
#include "cli/progress.h"

struct counters {
	uint64_t at_ns;
	bool has_usage, has_health;
	struct usage usage;
	struct health health;
};

/* One chain under way in this process. */
struct chain_run {
	const struct execute_config *config;
	struct progress *progress;
	struct result *result;
	struct target *target;    /* targets[0] */
	struct target **targets;  /* a real device: one handle for each load thread */
	unsigned target_count;
	unsigned chain;
	bool is_enlarged;         /* the model is larger than the others': its state is not kept */
	const volatile sig_atomic_t *stop; /* non-zero: end soon, cleanly */
	bool shows;               /* this process owns the terminal */

	/* the phase under way */
	size_t phase;
	uint64_t window_base, window_index, window_offset_ns;
	int window_err;
	uint64_t last_third_ns, last_third_ios, last_third_elapsed_ns;
	struct counters before;   /* what the outcome's usage and health are counted from */
};

/* Runs what is not done of run->chain. 0; -EINTR when stopped; or a negative errno with a sentence. */
int chain_run_all(struct chain_run *run);

/* What a phase has come to in a result, and when that was on the target's clock. */
int chain_phase_status(struct result *result, size_t index, enum phase_status *status,
		       uint64_t *ended_ns);
bool chain_phase_is_over(enum phase_status status);

/* Runs one phase, or `count` that are beside each other, and records the outcomes. As above. */
int phase_run(struct chain_run *run, size_t index);
int phase_run_together(struct chain_run *run, size_t index, size_t count);

/* How many phases run at the same time from `index` on, which is not beside one before it. */
size_t phase_company(const struct plan *plan, size_t index);

/* Saves, loads, drops the state after a phase; drops all of the chain's. */
int state_save(const struct chain_run *run, size_t phase);
int state_save_to(const struct chain_run *run, const char *path);
int state_load(const struct chain_run *run, size_t phase);
int state_load_from(const struct chain_run *run, const char *path);
void state_drop(const struct chain_run *run, size_t phase);
void state_drop_all(const struct chain_run *run);
char *state_path(const struct chain_run *run, size_t phase);

/* Does this phase leave a drive different from how it found it? */
bool state_changes(const struct phase *phase);

/* The latest phase before `phase` of this chain that does; false when there is none. */
bool state_last_change(const struct chain_run *run, size_t phase, size_t *out);

#endif
