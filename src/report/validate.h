/*
 * validate.h - published figures beside what the models make of them.
 *
 * Pure arithmetic on rows and summaries: which results a set of published figures needs, what
 * each figure is in a result, how far it is off. Who runs the models is cli/cmd_validate.c.
 */
#ifndef DRIVEBAY_REPORT_VALIDATE_H
#define DRIVEBAY_REPORT_VALIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/csv.h"
#include "report/relations.h"
#include "report/summary.h"
#include "report/table.h"

enum judged { JUDGED_NO, JUDGED_YES, JUDGED_LAB_WIDE };

/* Sensitivity: the laboratory's run lengths are not published; these are tried beside ours. */
enum { VARIANTS = 2 };
extern const unsigned variant_percent[VARIANTS]; /* halved, doubled */

/* One published figure. Texts belong to the csv it was read from. */
struct figure {
	const char *drive, *test, *statistic, *unit, *bed;
	enum judged judged;
	double published;
	size_t job;          /* the run that gives it; VALIDATE_NONE: not mapped */
	const char *why;     /* not mapped: the reason */
	bool modelled_known; /* and `modelled`, `error` are set */
	double modelled;
	double error;        /* modelled / published - 1 */
	bool variant_known[VARIANTS];
	double variant[VARIANTS]; /* modelled with run lengths of variant_percent */
	bool calibrated;     /* a value of the drive or bed file was fitted to it */
};

#define VALIDATE_NONE SIZE_MAX

/* One model to run: every figure of these three comes from the same result. */
struct validate_job {
	const char *drive, *bed, *plan;
};

struct validation {
	size_t figure_count;
	struct figure *figures;
	size_t job_count;
	struct validate_job *jobs;
};

/* Medians and worst of the absolute errors of judged figures. */
struct validate_score {
	size_t count;
	double median, worst;
};

/* What can be run, and what was asked for. */
struct validate_scope {
	bool (*knows_drive)(const char *name);
	bool (*knows_bed)(const char *name);
	const char *drive; /* rows of others are not read; NULL: all are */
};

/*
 * Reads the rows of all files as one set: columns drive_id, test_id, statistic, value, unit,
 * judged, bed. The files must outlive the validation. A row that cannot be mapped to a run stops
 * nothing: its `why` says why. -EINVAL when a column is missing or `judged` is no word of ours.
 */
int validate_read(struct csv *const *files, size_t file_count, const struct validate_scope *scope,
		  struct validation **out);
void validate_free(struct validation *validation); /* NULL is fine */

/* A job gave no result: its figures become ones that are not mapped. */
void validate_lose(struct validation *validation, size_t job);

/* A statistic of a test in a result of `plan`, in the units of the rows; false: not there. */
bool validate_value(const struct summary *summary, const char *plan, const char *test,
		    const char *statistic, double *out);

/*
 * Takes what a job's result came to. `drive_file` and `bed_file` are the texts that the result
 * keeps: a figure that they name ("4k-random-write iops") was an input and counts as calibrated.
 */
void validate_take(struct validation *validation, size_t job, const struct summary *summary,
		   const char *drive_file, const char *bed_file);

/* The same of a result with the run lengths of a variant. */
void validate_take_variant(struct validation *validation, size_t job, size_t variant,
			   const struct summary *summary);

/* What each judged figure is with other run lengths, beside ours. */
struct table *validate_table_sensitivity(const struct validation *validation);

/* Of the judged figures that are (not) calibrated. Lab-wide ones count in neither. */
struct validate_score validate_score(const struct validation *validation, bool calibrated);
struct validate_score validate_score_all(const struct validation *validation);

/* Where the judged figures went; they add up to `judged`. */
struct validate_tally {
	size_t judged, compared, unmapped, missing; /* missing: its run did not give it */
};
struct validate_tally validate_tally(const struct validation *validation);

/* The tables, possibly without rows. */
struct table *validate_table(const struct validation *validation, enum judged judged,
			     bool calibrated);
struct table *validate_table_unmapped(const struct validation *validation);

/*
 * How many of a drive's judged figures values were fitted to: at most a third may be. The table
 * has a row a drive; false when a drive has more.
 */
struct table *validate_table_fitted(const struct validation *validation);
bool validate_fitted_within_bounds(const struct validation *validation);

void validate_print(const struct validation *validation, FILE *out, unsigned columns);

/*
 * All of it as one self-contained page: errors as dots per drive, then the tables. The chart's
 * data is { "drives": [...], "charts": { "errors": { "kind": "errors", "title": "...", "series":
 * [ { "drive": 0, "points": [["test statistic", published, modelled, percent off, calibrated],
 * ...] } ] } } }.
 */
void validate_html(const struct validation *validation, const struct relations *relations,
		   struct buf *out);
void validate_json(const struct validation *validation, struct buf *out);

#endif
