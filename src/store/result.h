/*
 * result.h - one run at rest: a SQLite file, self-describing.
 *
 * Everything a report needs is in it, and everything needed to run it again: plan,
 * workloads, drive file, seed, version. Facts of the host (wall-clock times, CPU, kernel)
 * live in a table of their own, which export leaves out, so that a model's export is the
 * same bytes on any machine. Tables and columns: doc/result-format.md.
 *
 * Each window is committed as it ends: a kill loses at most the one being measured. What a
 * phase came to is on the disk, past a power cut, when result_phase_end() returns; windows
 * follow within seconds, because waiting for a disk in mid-measurement would be measured.
 * While somebody writes, PATH-wal and PATH-shm stand beside the file; closing folds them
 * in, and what rests is one file that can be read from read-only places.
 *
 * Several processes may write one result at a time (busy timeout); rows are keyed, so their
 * order of arrival does not show. A connection does not survive fork(): call
 * result_detach() first, or let the child open the file by its path.
 *
 * Errors: 0, or a negative errno with a sentence in fail(): -ENOSPC a full disk (what was
 * committed stays), -EBADMSG a file that is corrupt or not a drivebay result, -ENOTSUP one
 * of a newer version, -EEXIST, -ENOENT, -EACCES. Whatever stands in a file is checked as it
 * is read: a hostile one gives -EBADMSG, never a wild value.
 */
#ifndef DRIVEBAY_STORE_RESULT_H
#define DRIVEBAY_STORE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdint.h>

#include "load/plan.h"
#include "stats/merit.h"
#include "stats/stats.h"
#include "stats/steady.h"
#include "target/target.h"

enum { RESULT_VERSION = 4, RESULT_APPLICATION_ID = 0x44425259 /* "DBRY" */ };

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
	struct usage usage;            /* during what `stats` covers: over elapsed_ns it is a share */
	struct health health;          /* during the phase: differences; user_bytes as it is */
	bool has_usage, has_health;
	struct steady steady;          /* rounds */
	bool sustained;                /* the last third of the windows ran at >= 95 % of the mean */
	char *note;                    /* or NULL */
};

/*
 * A new file with the whole plan in it; -EEXIST (never overwritten) when there is one.
 * Leaves nothing behind when it fails. Workloads of one plan that differ must not share a
 * name (-EINVAL): a report could not tell them apart.
 */
int result_create(const char *path, const struct plan *plan, struct result **out);

/* An existing one. Checks that it is a drivebay result, of a version we know, and whole. */
int result_open(const char *path, bool writable, struct result **out);

/* The same, read only, from memory, which must stay as it is until close: for tests. */
int result_open_memory(const void *bytes, size_t size, struct result **out);

/* Commits what result_batch() held back and folds everything into one file. NULL is fine. */
void result_close(struct result *result);

/* Closes and removes, with all that stands beside it, a new result that came to nothing. */
void result_discard(struct result *result);

/*
 * Says that this process and its children write the result from here to close: -EBUSY when
 * another run does so, for two that resume one result would undo each other's work. A new
 * result is its creator's already. A run that was killed holds nothing.
 */
int result_claim(struct result *result);

/*
 * To be called before fork(): commits and lets go of the file. The next call on `result`
 * opens it again, in the parent and in each child on its own; between here and fork() there
 * must be none. A child ends with result_close() like everybody, else it loses what
 * result_batch() holds back.
 */
int result_detach(struct result *result);

/*
 * Named texts. Reproducible ones: "target", "target_description", "drive_file" (the YAML
 * itself), "bed", "seed", "scale", "version", "full_size_bytes", "model" ("1" when the target
 * is modelled) ...; result_create() itself sets "plan", "plan_help" and "plan_source". Host
 * ones, which export leaves out: "kernel", "cpu", "started", "hostname", and "invocation"
 * (arguments, for --resume), because it names the output file and the number of threads.
 * Control characters become question marks; lines and UTF-8 stay.
 */
int result_set(struct result *result, const char *key, const char *value);
int result_set_host(struct result *result, const char *key, const char *value);
const char *result_get(struct result *result, const char *key); /* NULL; valid until close */
const char *result_get_host(struct result *result, const char *key);

/* All of them, sorted by key. */
struct result_text {
	char *key, *value;
};

int result_texts_read(struct result *result, bool host, struct result_text **out, size_t *count);
void result_texts_free(struct result_text *texts, size_t count);

/*
 * Writing, phase by phase; `phase` is the index in the plan. Begin clears what an earlier,
 * interrupted attempt left of this phase. Each call is one transaction. A window or round
 * that is there already gives -EEXIST. result_phase_end() without begin records a phase
 * that was not run.
 */
int result_phase_begin(struct result *result, size_t phase, uint64_t now_ns);
int result_window(struct result *result, size_t phase, uint64_t index, const struct window *window);
int result_round(struct result *result, size_t phase, uint64_t index, uint64_t value);
/* What a test came to by name; once a phase, between begin and end. */
int result_figures(struct result *result, size_t phase, const struct merits *merits);
int result_phase_end(struct result *result, size_t phase, const struct phase_result *outcome);

/*
 * Keeps windows back and writes 64 at a time, and leaves it to the system when all this
 * reaches the disk (models, where a second is quick and a sync is not); off by default. The
 * file is not locked in the meantime.
 */
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
	size_t base;                   /* as in struct phase, like all that follow */
	uint32_t passes, fill_bytes, round_max;
	uint64_t min_fill_millipercent;
	uint64_t rate;
	enum arrivals arrivals;
	uint64_t max_bytes;
	bool is_beside;
	char *application;             /* its name, or "" (NULL in a file before version 4) */
	uint32_t cycle_scale_milli;
	struct phase_result outcome;
};

int result_phase_count(struct result *result, size_t *count);
int result_phase_read(struct result *result, size_t phase, struct result_phase *out);
void result_phase_free(struct result_phase *phase);
int result_windows_read(struct result *result, size_t phase, struct window **out, size_t *count);
/* Its figures of merit; ended with merits_clear(). None in a file before version 4. */
int result_figures_read(struct result *result, size_t phase, struct merits *out);
int result_rounds_read(struct result *result, size_t phase, uint64_t **out, size_t *count);

/* The whole plan with its workloads, as it was given to result_create(): for --resume and to
   run it again. Freed with plan_free(). */
int result_plan_read(struct result *result, struct plan **out);

/*
 * As CSV on `out` (stdout), reproducible tables only, in a fixed order: each table after an
 * empty line, with a line of column names. doc/result-format.md tells the columns.
 */
int result_export_csv(struct result *result, FILE *out);

/* One table, by its name; -EINVAL with the names that there are. */
int result_export_csv_table(struct result *result, const char *table, FILE *out);

/* In the shape of fio's JSON: doc/export.md. -ENOTSUP in a build without a JSON library. */
int result_export_fio(struct result *result, FILE *out);

#endif
