/*
 * setup.h - what `review` and `run` share: options, a target, a plan, a new result or an
 * interrupted one, the run itself, tables and page at the end.
 */
#ifndef DRIVEBAY_CLI_SETUP_H
#define DRIVEBAY_CLI_SETUP_H

#include <popt.h>
#include <stdbool.h>
#include <stdint.h>

#include "load/plan.h"
#include "load/run.h"
#include "target/target.h"

/* Rows for a command's own table to include; they store into setup.c's variables. */
extern const struct poptOption setup_options[];

struct setup_text {
	const char *key, *value;
};

/* What a command decides before the options of setup.c are looked at. */
struct setup {
	const char *target;
	/* Makes the plan once the target is known; `scale` divides durations. */
	int (*make_plan)(const void *context, uint32_t scale, struct plan **out);
	/* Gives a plan what depends on the target; NULL: nothing does. */
	int (*fit_plan)(const void *context, const struct target *target, struct plan *plan);
	const void *context;
	/* Texts for the result, once the plan fits; a NULL key ends them. NULL: there are none. */
	const struct setup_text *(*texts)(const void *context);
	const char *invocation;  /* "review" or "run", for the result */
	uint64_t rate;
	enum arrivals arrivals;
	bool skips_misfits;      /* what does not fit the target is not run, and the rest is */
	bool keep_states;        /* an interrupted run can be resumed */
	uint64_t shelved_ns;     /* and how long that has lain without power */
	const char *load_state;  /* what the model is like at the beginning: a file, or NULL: fresh */
	const char *aged;        /* by this workload before the beginning; NULL: it is not */
	const char *save_state;  /* where its state at the end goes; NULL: nowhere */
};

/* Opens, plans, runs, prints and writes the page. An exit status. */
int setup_run(const struct setup *setup);

/* Goes on with the interrupted run in `path`. An exit status. */
int setup_resume(const char *path);

/*
 * One plan on one model into a new result at `path`, without a word: for commands that need many
 * of them. 0, or a negative errno with a sentence in fail().
 */
struct setup_model {
	const char *drive, *bed, *plan, *path;
	uint64_t seed;
	uint32_t scale; /* TARGET_SCALE_AUTO: as a review does */
	uint32_t lengths_percent; /* of the plan's run lengths; 0: 100 */
	const struct setup_need *needs; /* phases after all of these are left out; NULL: none is */
	size_t need_count;
};

/*
 * A test whose figures are wanted, all or only those of its first point. What comes after it in
 * the plan does not concern it; what comes before, reads too, does: a drive uses the time.
 */
struct setup_need {
	const char *test;
	bool first_point;
};

int setup_model_run(const struct setup_model *model);

#endif
