/*
 * plan.h - the phases of a run, fixed before the first request.
 *
 * Plain data: a plan file (workloads/plans/NAME.yaml, format: doc/plan-format.md)
 * is a list of steps; plan_load() makes the phases of it, with durations already
 * scaled. The only thing decided later is the absolute rate of a point, which is a
 * percentage of what an earlier phase reached.
 */
#ifndef DRIVEBAY_LOAD_PLAN_H
#define DRIVEBAY_LOAD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/application.h"
#include "load/workload.h"

enum phase_kind {
	PHASE_PURGE,  /* the whole target back to fresh */
	PHASE_FILL,   /* the whole target written sequentially, `passes` times */
	PHASE_RUN,    /* the workload, closed loop at its full outstanding, for duration_ns */
	PHASE_POINT,  /* open loop at `percent` of the IOPS of phase `base`, at most the
			 workload's outstanding in flight, for duration_ns */
	PHASE_ROUNDS, /* the workload in rounds of duration_ns until steady */
	PHASE_APPLICATION, /* an application, from the loading of its data on; duration_ns is what is
			 measured, or 0: until its work is done */
};

struct phase {
	enum phase_kind kind;
	char *name;            /* unique in the plan: "corners/4k-random-write/max", ".../020" */
	char *group;           /* what belongs into one chart: "corners/4k-random-write"; "" for
				  purge and fill; a curve has one of its own, and so have the
				  rounds before it ("corners/4k-random-write/precondition") */
	const struct workload *workload; /* NULL for purge, fill and application */
	const struct application *application; /* NULL for all others */
	uint32_t cycle_scale_milli; /* application: of its terminals' delays; 0: as it says */
	uint64_t duration_ns;  /* run, point: the run; rounds: one round */
	uint64_t window_ns;    /* of the series */
	uint32_t percent;      /* point */
	size_t base;           /* point: index of the phase that is 100 % */
	uint32_t passes;       /* fill */
	uint32_t fill_bytes;   /* fill: request size; 32 outstanding */
	uint32_t round_max;    /* rounds: give up after this many */
	uint64_t min_fill_millipercent; /* rounds: not judged before this much of the target's
				  size was written (a burst that is flat is not steady) */
	uint64_t rate;         /* run: IOPS offered, whatever the target does; 0: closed loop, or
				  what the command line says */
	enum arrivals arrivals; /* at this rate */
	uint64_t max_bytes;    /* run: ends when it has moved so much; 0: by its time alone */
	bool is_beside;        /* run, point: at the same time as the phase before it */
	unsigned chain;        /* phases of one chain run in order on one state of the drive; a
				  chain begins with a purge and owes nothing to the others */
};

struct plan {
	char *name, *help, *source;
	size_t phase_count;
	struct phase *phases;
	unsigned chain_count;
	size_t workload_count;
	struct workload **workloads; /* owned */
	size_t application_count;
	struct application **applications; /* owned */
};

struct plan_options {
	uint32_t scale;        /* durations of the file are divided by it; 0 or 1: as written */
	bool quick;            /* the file's quick durations (real targets: minutes, not days) */
	bool precondition_steady; /* before the first maximum run of a chain: fill twice; before
				  every maximum run: rounds of its workload until steady */
};

/*
 * Reads the plan files called `names` and lays their chains one after another. What one of them
 * goes on after (`after:`) is laid before it, once.
 * -EINVAL with file, line and suggestion. Freed with plan_free(); NULL is fine.
 */
int plan_load(const char *const *names, size_t count, const struct plan_options *options,
	      struct plan **out);

/* One plan file from memory: `size` bytes, which messages call `path`. */
int plan_parse(const char *path, const char *text, size_t size,
	       const struct plan_options *options, struct plan **out);

/* One workload, closed loop or (rate > 0) open loop, as a plan of one phase. The workload is the
   plan's from then on. */
struct plan *plan_for(struct workload *workload, uint64_t duration_ns, uint64_t window_ns);

/*
 * One application on a fresh target, as a plan of a purge and itself. duration_ns 0: as long as
 * it says, divided by `scale`.
 */
int plan_of_application(const char *name, uint64_t duration_ns, uint32_t scale,
			uint32_t cycle_scale_milli, struct plan **out);

/*
 * What such a plan does before its run, the last of these calls first: rounds of the workload,
 * each of round_ns and at most round_max, until it is steady, as SNIA has it (a workload that writes is not judged
 * before it has written its span once); the whole target written once, `fill_bytes` a request.
 */
void plan_rounds_first(struct plan *plan, uint64_t round_ns, uint32_t round_max);
void plan_fill_first(struct plan *plan, uint32_t fill_bytes);

void plan_free(struct plan *plan);

const char *phase_kind_name(enum phase_kind kind);

/* Run time of a phase on the target's clock as far as it is known in advance, in ns;
   0 for purge and fill. Rounds count as round_max. */
uint64_t phase_planned_ns(const struct phase *phase);

#endif
