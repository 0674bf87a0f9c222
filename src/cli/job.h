/*
 * job.h - files that users of other programs have, as plans for `drivebay run`.
 *
 * What a file is called does not matter, only what is in it (or what --format says). The plan is
 * made without the target; job_fit() then gives it the sizes that depend on the target's.
 *
 *	job.c          which kind of file it is, its text
 *	job_fio.c      fio job files
 *	job_vdbench.c  vdbench parameter files
 */
#ifndef DRIVEBAY_CLI_JOB_H
#define DRIVEBAY_CLI_JOB_H

#include <stdbool.h>

#include "load/plan.h"
#include "target/target.h"

struct job_ops;

/* Begins the struct of every kind. */
struct job {
	const struct job_ops *ops;
	char *path, *text;
	size_t size;
};

struct job_ops {
	const char *format; /* as --format has it */
	const char *help;   /* what such a file is */
	bool (*is_one)(const char *text, size_t size);
	int (*load)(const char *path, const char *text, size_t size, struct job **out);
	int (*plan)(const struct job *job, struct plan **out);
	int (*fit)(const struct job *job, const struct target *target, struct plan *plan);
	void (*free)(struct job *job);
};

/* Is there a file of this name that is no workload of ours? */
bool job_names_a_file(const char *name);

/* -EINVAL with a sentence for a file that cannot be read, and for one of no known kind. */
int job_load(const char *path, const char *format, struct job **out);
void job_free(struct job *job); /* NULL is fine */

int job_plan(const struct job *job, struct plan **out);
int job_fit(const struct job *job, const struct target *target, struct plan *plan);

/* A plan with room for so many workloads and phases, called after the file. */
struct plan *job_plan_new(const char *path, size_t workloads, size_t phases);

/* Twenty windows for a short run, one a second for a long one. */
uint64_t job_window_ns(uint64_t duration_ns);

/* What was accepted and has no effect, on stderr. */
void job_say_notes(char *const *notes, size_t count);

extern const struct job_ops job_fio_ops;

#endif
