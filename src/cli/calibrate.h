/*
 * calibrate.h - the calibrated values of one drive, found again.
 *
 * What belongs to a drive: the calibrated values of its file, and those of beds that were fitted
 * to its figures. Only the figures that these values name are kept; all others are struck out
 * before the first run. Every value starts at its prior, so that what the files say now is not
 * looked at either; then one after another is searched (or chosen) so that the mean of the errors
 * of its figures is nearest to 0, until none has to move for the others' sake.
 *
 * A run is the plan of the review, as `validate` runs it, up to the last figure in question: it
 * comes to the same figures, to the last digit.
 */
#ifndef DRIVEBAY_CLI_CALIBRATE_H
#define DRIVEBAY_CLI_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/csv.h"
#include "cli/fitted.h"
#include "report/table.h"
#include "report/validate.h"

enum { CALIBRATE_ROWS = 32 }; /* of one drive: they are a mask */

struct calibrate_row {
	const struct fitted_row *named;
	const struct figure *figure;
	double error_now, error_found; /* modelled / published - 1 */
	double error_left_out;         /* with all values found without it */
	char *left_out_values;         /* what those that are fitted to it were then */
};

struct calibrate_value {
	const struct fitted_file *file;
	const struct fitted_value *fitted;
	uint32_t rows;    /* mask of calibration.rows */
	char *text;       /* what it is in the runs under way */
	char *found;
	bool is_zero;     /* searched: the error could be brought to 0 */
	bool stale;       /* another value has moved since it was found */
};

struct calibrate_file {
	struct fitted_file *fitted;
	char *bed;        /* NULL: the drive's */
};

/* The errors of one run, with certain texts of all values. */
struct calibrate_run {
	char *key;      /* those texts */
	uint32_t known; /* mask of the rows that it was made for */
	double errors[CALIBRATE_ROWS];
};

struct calibration {
	const char *drive;
	uint64_t seed;
	size_t file_count, value_count, row_count;
	struct calibrate_file *files;
	struct calibrate_value *values;
	struct calibrate_row rows[CALIBRATE_ROWS];
	struct validation *validation;
	struct calibrate_run *runs; /* those made so far: none is made twice */
	size_t run_count;
	char *directory;
};

/*
 * Reads what there is to find; no model runs. *out may have no values. -EINVAL with file and line
 * when a value names a figure that was not published or that no run gives.
 */
int calibrate_open(const char *drive, struct csv *const *published, size_t count, uint64_t seed,
		   struct calibration **out);
void calibrate_free(struct calibration *calibration); /* NULL is fine */

/* Runs models; says on stderr what it tries. Sets found, is_zero, error_now, error_found. */
int calibrate_find(struct calibration *calibration);

/*
 * After that: each figure left out in turn. The values fitted to it are found without it where
 * they have other figures, and are their priors where they have none; the others follow. Sets
 * error_left_out and left_out_values.
 */
int calibrate_leave_out(struct calibration *calibration);

/* Is what the file says further from what was found than `tolerance` (a share)? */
bool calibrate_differs(const struct calibrate_value *value, double tolerance);

/* Writes what differs into the files. */
int calibrate_write(const struct calibration *calibration, double tolerance);

#endif
