/*
 * job.h - files that users of other programs have, as plans for `drivebay run`.
 *
 * What a file is called does not matter, only what is in it (or what --format says). The plan is
 * made without the target; job_fit() then gives it the sizes that depend on the target's.
 *
 *	job.c          which kind of file it is, its text
 *	job_fio.c      fio job files
 *	job_vdbench.c  vdbench parameter files
 *	job_trace.c    traces
 */
#ifndef DRIVEBAY_CLI_JOB_H
#define DRIVEBAY_CLI_JOB_H

#include <stdbool.h>

#include "load/plan.h"
#include "target/target.h"

struct job_ops;
struct setup_text;

/* Begins the struct of every kind. */
struct job {
	const struct job_ops *ops;
	char *path, *text;    /* text: NULL where it is not read as a whole */
	size_t size;
	struct setup_text *texts; /* for the result, a NULL key ends them; NULL: none */
};

/* What the command line says of a file; zero: nothing. */
struct job_options {
	const char *format;
	const char *device, *scaling; /* traces */
	bool asap;
	uint32_t depth;
};

struct job_ops {
	const char *formats; /* as --format has them: "fio" */
	bool is_text;        /* read as a whole; else the file may have any length */
	/* What such a file is, in words; NULL when `head`, its beginning, is of none. */
	const char *(*recognise)(const char *head, size_t size);
	/* Is it called so by --format? */
	bool (*is_called)(const char *format);
	/* `text` NULL: not is_text. Keeps no pointer into the text; options live longer than the job. */
	int (*load)(const char *path, const char *text, size_t size, const struct job_options *options,
		    struct job **out);
	int (*plan)(struct job *job, struct plan **out);
	int (*fit)(struct job *job, const struct target *target, struct plan *plan);
	void (*free)(struct job *job);
};

/* Is there a file of this name that is no workload of ours? */
bool job_names_a_file(const char *name);

/* -EINVAL with a sentence for a file that cannot be read, and for one of no known kind. */
int job_load(const char *path, const struct job_options *options, struct job **out);
void job_free(struct job *job); /* NULL is fine */

/* A text for the result; `value` is the job's from then on. */
void job_add_text(struct job *job, const char *key, char *value);

int job_plan(struct job *job, struct plan **out);
int job_fit(struct job *job, const struct target *target, struct plan *plan);

/* A plan with room for so many workloads and phases, called after the file. */
struct plan *job_plan_new(const char *path, size_t workloads, size_t phases);

/* Twenty windows for a short run, one a second for a long one. */
uint64_t job_window_ns(uint64_t duration_ns);

/* What was accepted and has no effect, on stderr. */
void job_say_notes(char *const *notes, size_t count);

extern const struct job_ops job_fio_ops, job_vdbench_ops, job_trace_ops;

#endif
