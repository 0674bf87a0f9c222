#include "cli/calibrate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/data.h"
#include "base/fail.h"
#include "ssd/drive.h"
#include "target/bed.h"

/* ---- reading ---- */

static bool knows(const char *kind, const char *name)
{
	_cleanup_free_ char *path = NULL;

	return *name && !strchr(name, '/') && data_find(kind, name, &path) == 0;
}

static bool knows_drive(const char *name)
{
	return knows("drives", name);
}

static bool knows_bed(const char *name)
{
	return knows("beds", name);
}

static int no_such_figure(const struct calibration *calibration, const char *path,
			  const struct fitted_row *row)
{
	const struct validation *validation = calibration->validation;
	_cleanup_free_ char *asked = xasprintf("%s %s", row->test, row->statistic);
	char **known = xcalloc(validation->figure_count + 1, sizeof(*known));
	const char *near;
	size_t count = 0;
	int err;

	for (size_t i = 0; i < validation->figure_count; i++)
		if (validation->figures[i].job != VALIDATE_NONE)
			known[count++] = xasprintf("%s %s", validation->figures[i].test,
						   validation->figures[i].statistic);
	near = data_nearest(asked, (const char *const *)known, count);
	err = fail(EINVAL, "%s:%u: no run gives a published figure '%.80s' of %s%s%s%s", path, row->line,
		   asked, calibration->drive, near ? " (did you mean '" : "", near ? near : "",
		   near ? "'?)" : "");
	for (size_t i = 0; i < count; i++)
		free(known[i]);
	free(known);
	return err;
}

/* The index of the row for a figure, new or known. */
static int take_row(struct calibration *calibration, const char *path, const struct fitted_row *named,
		    uint32_t *rows)
{
	const struct validation *validation = calibration->validation;
	const struct figure *figure = NULL;

	for (size_t i = 0; !figure && i < validation->figure_count; i++)
		if (validation->figures[i].job != VALIDATE_NONE &&
		    !strcmp(validation->figures[i].test, named->test) &&
		    !strcmp(validation->figures[i].statistic, named->statistic))
			figure = &validation->figures[i];
	if (!figure)
		return no_such_figure(calibration, path, named);
	for (size_t i = 0; i < calibration->row_count; i++) {
		if (calibration->rows[i].figure != figure)
			continue;
		*rows |= 1u << i;
		return 0;
	}
	if (calibration->row_count == CALIBRATE_ROWS)
		return fail(EINVAL, "%s:%u: %s is fitted to more than %d figures", path, named->line,
			    calibration->drive, CALIBRATE_ROWS);
	*rows |= 1u << calibration->row_count;
	calibration->rows[calibration->row_count++] = (struct calibrate_row){ named, figure, 0, 0, 0, NULL };
	return 0;
}

/* Beds belong to several drives; a value of one is fitted to the figures of one drive. */
static int check_owner(const struct fitted_file *file, const struct fitted_value *value)
{
	for (size_t i = 1; i < value->row_count; i++)
		if (strcmp(value->rows[i].drive, value->rows[0].drive))
			return fail(EINVAL, "%s:%u: %s is fitted to figures of two drives, and is found "
				    "from those of one", file->path, value->rows[i].line, value->name);
	return 0;
}

static int take_value(struct calibration *calibration, const struct fitted_file *file,
		      const struct fitted_value *fitted, bool is_bed)
{
	struct calibrate_value value = { .file = file, .fitted = fitted };
	bool is_mine = !fitted->row_count || !strcmp(fitted->rows[0].drive, calibration->drive);
	int err = check_owner(file, fitted);

	if (err || (is_bed && (!is_mine || !fitted->row_count)))
		return err;
	if (!is_mine)
		return fail(EINVAL, "%s:%u: the figures of another drive: a value taken from there is "
			    "'assumed' here", file->path, fitted->rows[0].line);
	for (size_t i = 0; !err && i < fitted->row_count; i++)
		err = take_row(calibration, file->path, &fitted->rows[i], &value.rows);
	if (err)
		return err;
	value.text = xstrdup(fitted->value);
	calibration->values = xrealloc(calibration->values,
				       (calibration->value_count + 1) * sizeof(value));
	calibration->values[calibration->value_count++] = value;
	return 0;
}

/* Whether a file is one at all is said by its own reader. */
static int check_file(const char *path, bool is_bed)
{
	struct drive *drive = NULL;
	struct bed *bed = NULL;
	int err = is_bed ? bed_load(path, &bed) : drive_load(path, &drive);

	drive_free(drive);
	bed_free(bed);
	return err;
}

static int take_file(struct calibration *calibration, const char *path, const char *bed)
{
	struct fitted_file *file;
	int err = check_file(path, bed);

	if (!err)
		err = fitted_load(path, bed ? NULL : calibration->drive, &file);
	if (err)
		return err;
	calibration->files = xrealloc(calibration->files,
				      (calibration->file_count + 1) * sizeof(*calibration->files));
	calibration->files[calibration->file_count++] =
		(struct calibrate_file){ file, bed ? xstrdup(bed) : NULL };
	for (size_t i = 0; !err && i < file->count; i++)
		err = take_value(calibration, file, &file->values[i], bed);
	return err;
}

/* Beds first: what the host takes is no part of the drive. */
static int take_files(struct calibration *calibration)
{
	char **beds = NULL;
	size_t count = 0;
	int err = data_list("beds", &beds, &count);

	for (size_t i = 0; !err && i < count; i++) {
		_cleanup_free_ char *path = NULL;

		err = data_find("beds", beds[i], &path);
		if (!err)
			err = take_file(calibration, path, beds[i]);
	}
	data_list_free(beds, count);
	if (!err) {
		_cleanup_free_ char *path = NULL;

		err = data_find("drives", calibration->drive, &path);
		if (!err)
			err = take_file(calibration, path, NULL);
	}
	return err;
}

/* What no value names is not there for what follows. */
static void strike_out(struct calibration *calibration)
{
	for (size_t i = 0; i < calibration->validation->figure_count; i++) {
		struct figure *figure = &calibration->validation->figures[i];
		bool named = false;

		for (size_t r = 0; r < calibration->row_count; r++)
			named = named || calibration->rows[r].figure == figure;
		if (!named)
			figure->published = NAN;
	}
}

int calibrate_open(const char *drive, struct csv *const *published, size_t count, uint64_t seed,
		   struct calibration **out)
{
	const struct validate_scope scope = { knows_drive, knows_bed, drive };
	struct calibration *calibration = xcalloc(1, sizeof(*calibration));
	int err;

	calibration->drive = drive;
	calibration->seed = seed;
	err = validate_read(published, count, &scope, &calibration->validation);
	if (!err)
		err = take_files(calibration);
	if (err) {
		calibrate_free(calibration);
		return err;
	}
	strike_out(calibration);
	*out = calibration;
	return 0;
}

void calibrate_free(struct calibration *calibration)
{
	if (!calibration)
		return;
	for (size_t i = 0; i < calibration->value_count; i++) {
		free(calibration->values[i].text);
		free(calibration->values[i].found);
	}
	for (size_t i = 0; i < calibration->row_count; i++)
		free(calibration->rows[i].left_out_values);
	for (size_t i = 0; i < calibration->run_count; i++)
		free(calibration->runs[i].key);
	for (size_t i = 0; i < calibration->file_count; i++) {
		fitted_free(calibration->files[i].fitted);
		free(calibration->files[i].bed);
	}
	if (calibration->directory)
		rmdir(calibration->directory);
	free(calibration->directory);
	free(calibration->values);
	free(calibration->files);
	free(calibration->runs);
	validate_free(calibration->validation);
	free(calibration);
}

/* ---- what came out ---- */

bool calibrate_differs(const struct calibrate_value *value, double tolerance)
{
	enum fitted_kind kind = value->fitted->kind;

	if (!value->rows)
		return false;
	if (kind == FITTED_CHOICE)
		return strcmp(value->found, value->fitted->value) != 0;
	return fabs(fitted_number(kind, value->found) / fitted_number(kind, value->fitted->value) - 1) >
	       tolerance;
}

int calibrate_write(const struct calibration *calibration, double tolerance)
{
	int err = 0;

	for (size_t f = 0; !err && f < calibration->file_count; f++) {
		const struct fitted_file *file = calibration->files[f].fitted;
		_cleanup_free_ const char **texts = xcalloc(file->count, sizeof(*texts));
		bool changed = false;

		for (size_t i = 0; i < calibration->value_count; i++) {
			const struct calibrate_value *value = &calibration->values[i];

			if (value->file != file || !calibrate_differs(value, tolerance))
				continue;
			texts[value->fitted - file->values] = value->found;
			changed = true;
		}
		if (changed)
			err = fitted_write(file, texts);
	}
	return err;
}
