/*
 * result.h - one run at rest: a SQLite file, self-describing.
 *
 * Everything a report needs is in it, and everything needed to run it again: plan,
 * workloads, drive file, seed, version. Facts of the host (wall-clock times, CPU, kernel)
 * live in a table of their own, which export leaves out, so that a model's export is the
 * same bytes on any machine.
 *
 * Each window is committed as it ends: a cut loses at most the one being measured. Several
 * processes may write one result at a time (busy timeout); rows are keyed, so their order
 * of arrival does not show.
 *
 * Errors: 0, or a negative errno with a sentence in fail(): -ENOSPC a full disk (what was
 * committed stays), -EBADMSG a file that is corrupt or not a drivebay result, -EEXIST.
 */
#ifndef DRIVEBAY_STORE_RESULT_H
#define DRIVEBAY_STORE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdint.h>

#include "load/plan.h"
#include "stats/stats.h"
#include "stats/steady.h"
#include "target/target.h"

enum { RESULT_VERSION = 1 };

struct result; /* an open file */

enum phase_status {
	PHASE_PENDING,  /* not begun */
	PHASE_RUNNING,  /* begun and not ended: cut off, when nobody is running it */
	PHASE_DONE,
	PHASE_FAILED,   /* tried and failed; `note` says why */
	PHASE_SKIPPED,  /* not run; `note` says why */
};

/* What a phase came to. Windows, rounds and histograms are read separately. */
struct phase_result {
	enum phase_status status;
	uint64_t began_ns, ended_ns;   /* on the target's clock */
	uint64_t offered_iops;         /* points: the rate asked for; 0: closed loop */
	struct stats stats;
	struct usage usage;            /* during the phase: differences */
	struct health health;          /* during the phase: differences; user_bytes as it is */
	bool has_usage, has_health;
	struct steady steady;          /* rounds */
	bool sustained;                /* the last third of the windows ran at >= 95 % of the mean */
	char *note;                    /* or NULL */
};

/*
 * A new file; -EEXIST (never overwritten) when there is one. `meta` texts are kept as they
 * are: see result_set().
 */
int result_create(const char *path, const struct plan *plan, struct result **out);

/* An existing one. Checks that it is a drivebay result, of a version we know, and whole. */
int result_open(const char *path, bool writable, struct result **out);
void result_close(struct result *result); /* NULL is fine */

/*
 * Named texts. Reproducible ones: "target", "target_description", "drive_file" (the YAML
 * itself), "bed", "seed", "scale", "version", "plan", "full_size_bytes", "model" ("1" when
 * the target is modelled), "invocation" (arguments, for --resume) ... and host ones
 * ("kernel", "cpu", "started", "hostname"), which export leaves out.
 */
int result_set(struct result *result, const char *key, const char *value);
int result_set_host(struct result *result, const char *key, const char *value);
const char *result_get(struct result *result, const char *key); /* NULL; valid until close */
const char *result_get_host(struct result *result, const char *key);

/* Writing, phase by phase; `phase` is the index in the plan. Begin clears what an earlier,
   interrupted attempt left of this phase. Each call is one transaction. */
int result_phase_begin(struct result *result, size_t phase, uint64_t now_ns);
int result_window(struct result *result, size_t phase, uint64_t index, const struct window *window);
int result_round(struct result *result, size_t phase, uint64_t index, uint64_t value);
int result_phase_end(struct result *result, size_t phase, const struct phase_result *outcome);

/* Groups the windows that follow into one transaction per 64 (models, where a second is
   quick and a sync is not); off by default. */
void result_batch(struct result *result, bool on);

/* Reading. A report needs no plan file: phases come back with names, kinds, groups and
   parameters, and their workloads by name. */
struct result_phase {
	size_t index;
	enum phase_kind kind;
	char *name, *group, *workload; /* workload: its name, or "" */
	unsigned chain;
	uint64_t duration_ns, window_ns;
	uint32_t percent;
	uint32_t outstanding;          /* of its workload; 0 for purge and fill */
	struct phase_result outcome;
};

int result_phase_count(struct result *result, size_t *count);
int result_phase_read(struct result *result, size_t phase, struct result_phase *out);
void result_phase_free(struct result_phase *phase);
int result_windows_read(struct result *result, size_t phase, struct window **out, size_t *count);
int result_rounds_read(struct result *result, size_t phase, uint64_t **out, size_t *count);

/* The whole result as CSV on `out` (stdout): reproducible tables only, in a fixed order. */
int result_export_csv(struct result *result, FILE *out);

#endif
