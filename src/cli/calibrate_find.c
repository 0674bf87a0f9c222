/* The runs and the search of calibrate.h. */
#include "cli/calibrate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "cli/setup.h"
#include "report/summary.h"
#include "stats/search.h"
#include "store/result.h"

/* What a search is content with: an error of a figure, and a step of a value. */
static const double ENOUGH = 0.01, NARROW = 0.01;
enum { SWEEPS_MAX = 5, RANGE = 64 };

/* ---- one run ---- */

/* The file with the texts of the moment, in our directory; NULL: as it is. */
static int write_trial(const struct calibration *calibration, const struct calibrate_file *file,
		       const char *path)
{
	_cleanup_free_ const char **texts = xcalloc(file->fitted->count, sizeof(*texts));
	_cleanup_free_ char *text = NULL;
	FILE *out;

	for (size_t i = 0; i < calibration->value_count; i++)
		if (calibration->values[i].file == file->fitted && calibration->values[i].rows)
			texts[calibration->values[i].fitted - file->fitted->values] =
				calibration->values[i].text;
	text = fitted_text(file->fitted, texts);
	out = fopen(path, "w");
	if (!out || fputs(text, out) < 0 || fclose(out))
		return fail(errno == EINVAL ? EIO : errno, "%s: %s", path, strerror(errno));
	return 0;
}

static const struct calibrate_file *file_of(const struct calibration *calibration, const char *bed)
{
	for (size_t i = 0; i < calibration->file_count; i++)
		if (bed ? calibration->files[i].bed && !strcmp(calibration->files[i].bed, bed) :
			  !calibration->files[i].bed)
			return &calibration->files[i];
	return NULL;
}

static double error_in(const struct summary *summary, const struct validate_job *job,
		       const struct figure *figure)
{
	double modelled;

	/* A run that does not come to this figure is as far off as can be. */
	if (!validate_value(summary, job->plan, figure->test, figure->statistic, &modelled))
		return -1;
	return modelled / figure->published - 1;
}

/* Runs `job` up to what `rows` need of it. */
static int run_model(struct calibration *calibration, const struct setup_model *model,
		     const struct validate_job *job, uint32_t rows, struct calibrate_run *run)
{
	struct summary *summary = NULL;
	struct result *result;
	int err = setup_model_run(model);

	if (!err)
		err = result_open(model->path, false, &result);
	if (err)
		return err;
	err = summary_read(result, &summary);
	for (size_t i = 0; !err && i < calibration->row_count; i++)
		if (rows & 1u << i)
			run->errors[i] = error_in(summary, job, calibration->rows[i].figure);
	summary_free(summary);
	result_close(result);
	run->known = rows;
	return err;
}

static int make_directory(struct calibration *calibration)
{
	if (calibration->directory)
		return 0;
	calibration->directory = xstrdup("/tmp/drivebay-calibrate-XXXXXX");
	return mkdtemp(calibration->directory) ? 0 : fail(errno, "%s: %s", calibration->directory,
							    strerror(errno));
}

/* "start_iops" of a curve is a figure of its first point. */
static struct setup_need need_of(const struct figure *figure)
{
	return (struct setup_need){ figure->test, !strncmp(figure->statistic, "start_", 6) };
}

static int run_job(struct calibration *calibration, size_t index, uint32_t rows,
		   struct calibrate_run *run)
{
	const struct validate_job *job = &calibration->validation->jobs[index];
	const struct calibrate_file *bed = file_of(calibration, job->bed);
	struct setup_need needs[CALIBRATE_ROWS];
	_cleanup_free_ char *drive_path = NULL, *bed_path = NULL, *path = NULL;
	size_t count = 0;
	int err = make_directory(calibration);

	for (size_t i = 0; i < calibration->row_count; i++)
		if (rows & 1u << i)
			needs[count++] = need_of(calibration->rows[i].figure);
	drive_path = xasprintf("%s/%s.yaml", calibration->directory, calibration->drive);
	bed_path = xasprintf("%s/bed-%s.yaml", calibration->directory, job->bed);
	path = xasprintf("%s/result.drivebay", calibration->directory);
	if (!err)
		err = write_trial(calibration, file_of(calibration, NULL), drive_path);
	if (!err && bed)
		err = write_trial(calibration, bed, bed_path);
	if (!err) {
		const struct setup_model model = { .drive = drive_path, .bed = bed ? bed_path : job->bed,
						   .plan = job->plan, .path = path,
						   .seed = calibration->seed, .needs = needs,
						   .need_count = count };

		err = run_model(calibration, &model, job, rows, run);
	}
	unlink(drive_path);
	unlink(bed_path);
	unlink(path);
	return err;
}

/* The run of `job` with the texts of the moment, made or remembered. */
static int run_for(struct calibration *calibration, size_t job, uint32_t rows,
		   const struct calibrate_run **out)
{
	_cleanup_buf_ struct buf key = BUF_INIT;
	struct calibrate_run run = { NULL };
	int err;

	buf_printf(&key, "%zu", job);
	for (size_t i = 0; i < calibration->value_count; i++)
		buf_printf(&key, "|%s", calibration->values[i].text);
	for (size_t i = 0; i < calibration->run_count; i++) {
		const struct calibrate_run *known = &calibration->runs[i];

		if (strcmp(known->key, key.text) || (known->known & rows) != rows)
			continue;
		*out = known;
		return 0;
	}
	err = run_job(calibration, job, rows, &run);
	if (err)
		return err;
	run.key = xstrdup(key.text);
	calibration->runs = xrealloc(calibration->runs,
				     (calibration->run_count + 1) * sizeof(*calibration->runs));
	calibration->runs[calibration->run_count] = run;
	*out = &calibration->runs[calibration->run_count++];
	return 0;
}

/* The errors of `rows` with the texts of the moment. */
static int errors_of(struct calibration *calibration, uint32_t rows, double *errors)
{
	for (size_t job = 0; job < calibration->validation->job_count; job++) {
		const struct calibrate_run *run;
		uint32_t here = 0;
		int err;

		for (size_t i = 0; i < calibration->row_count; i++)
			if (rows & 1u << i && calibration->rows[i].figure->job == job)
				here |= 1u << i;
		err = here ? run_for(calibration, job, here, &run) : 0;
		if (err)
			return err;
		for (size_t i = 0; i < calibration->row_count; i++)
			if (here & 1u << i)
				errors[i] = run->errors[i];
	}
	return 0;
}

/* ---- one value ---- */

struct trial {
	struct calibration *calibration;
	struct calibrate_value *value;
	uint32_t rows; /* that it is fitted to here */
};

static void set_text(struct calibrate_value *value, const char *text)
{
	char *copy = xstrdup(text); /* `text` may be the old one */

	free(value->text);
	value->text = copy;
}

static int try_text(const struct trial *trial, const char *text, double *out)
{
	double errors[CALIBRATE_ROWS] = { 0 }, sum = 0;
	unsigned count = 0;
	int err;

	set_text(trial->value, text);
	err = errors_of(trial->calibration, trial->rows, errors);
	for (size_t i = 0; i < trial->calibration->row_count; i++) {
		if (!(trial->rows & 1u << i))
			continue;
		sum += trial->value->fitted->kind == FITTED_CHOICE ? fabs(errors[i]) : errors[i];
		count++;
	}
	if (err)
		return err;
	*out = sum / count;
	fprintf(stderr, "%s: %s %s: %+.1f %%\n", trial->calibration->drive, trial->value->fitted->name,
		text, *out * 100);
	return 0;
}

static int try_number(void *context, double x, double *out)
{
	const struct trial *trial = context;
	_cleanup_free_ char *text = fitted_format(trial->value->fitted->kind, x);

	return try_text(trial, text, out);
}

static int try_candidate(void *context, size_t candidate, double *out)
{
	const struct trial *trial = context;

	return try_text(trial, trial->value->fitted->among[candidate], out);
}

static int choose(struct trial *trial)
{
	const struct fitted_value *fitted = trial->value->fitted;
	size_t best = 0;
	int err = search_least(fitted->among_count, try_candidate, trial, &best);

	if (!err)
		set_text(trial->value, fitted->among[best]);
	trial->value->is_zero = true;
	return err;
}

static int search(struct trial *trial)
{
	enum fitted_kind kind = trial->value->fitted->kind;
	double start = fitted_number(kind, trial->value->text), most = kind == FITTED_SPEED ? 9e11 : 9e8;
	const struct search search = {
		.error = try_number, .context = trial, .start = start,
		.low = start / RANGE > 1 ? start / RANGE : 1,
		.high = start * RANGE < most ? start * RANGE : most,
		.enough = ENOUGH, .narrow = NARROW,
	};
	_cleanup_free_ char *text = NULL;
	struct search_found found;
	int err = search_zero(&search, &found);

	if (err)
		return err;
	text = fitted_format(kind, found.x);
	set_text(trial->value, text);
	trial->value->is_zero = found.is_zero;
	return 0;
}

/* ---- all values ---- */

static bool moved(const struct calibrate_value *value, const char *before, double share)
{
	enum fitted_kind kind = value->fitted->kind;

	if (kind == FITTED_CHOICE)
		return strcmp(value->text, before) != 0;
	return fabs(fitted_number(kind, value->text) / fitted_number(kind, before) - 1) > share;
}

/* Finds the values that are stale from the figures `rows`, until none moves. */
static int settle(struct calibration *calibration, uint32_t rows)
{
	bool again = true;

	for (unsigned sweep = 0; again && sweep < SWEEPS_MAX; sweep++) {
		again = false;
		for (size_t i = 0; i < calibration->value_count; i++) {
			struct calibrate_value *value = &calibration->values[i];
			struct trial trial = { calibration, value, value->rows & rows };
			_cleanup_free_ char *before = xstrdup(value->text);
			int err;

			if (!value->stale || !trial.rows)
				continue;
			err = value->fitted->kind == FITTED_CHOICE ? choose(&trial) : search(&trial);
			if (err)
				return err;
			value->stale = false;
			again = true;
			for (size_t j = 0; j < calibration->value_count; j++)
				if (j != i && moved(value, before, NARROW))
					calibration->values[j].stale = true;
		}
	}
	return 0;
}

static uint32_t all_rows(const struct calibration *calibration)
{
	return (uint32_t)((1ull << calibration->row_count) - 1);
}

int calibrate_find(struct calibration *calibration)
{
	double errors[CALIBRATE_ROWS] = { 0 };
	int err = errors_of(calibration, all_rows(calibration), errors);

	for (size_t i = 0; i < calibration->row_count; i++)
		calibration->rows[i].error_now = errors[i];
	for (size_t i = 0; i < calibration->value_count; i++) {
		struct calibrate_value *value = &calibration->values[i];

		if (value->rows)
			set_text(value, value->fitted->prior);
		value->stale = true;
	}
	if (!err)
		err = settle(calibration, all_rows(calibration));
	if (!err)
		err = errors_of(calibration, all_rows(calibration), errors);
	for (size_t i = 0; !err && i < calibration->row_count; i++)
		calibration->rows[i].error_found = errors[i];
	for (size_t i = 0; !err && i < calibration->value_count; i++)
		calibration->values[i].found = xstrdup(calibration->values[i].text);
	return err;
}

static int leave_out(struct calibration *calibration, size_t row)
{
	uint32_t rows = all_rows(calibration) & ~(1u << row);
	_cleanup_buf_ struct buf names = BUF_INIT;
	double errors[CALIBRATE_ROWS] = { 0 };
	int err;

	for (size_t i = 0; i < calibration->value_count; i++) {
		struct calibrate_value *value = &calibration->values[i];
		bool is_free = value->rows && !(value->rows & rows);

		set_text(value, is_free ? value->fitted->prior : value->found);
		value->stale = true;
	}
	fprintf(stderr, "%s: without %s %s\n", calibration->drive, calibration->rows[row].figure->test,
		calibration->rows[row].figure->statistic);
	err = settle(calibration, rows);
	if (!err)
		err = errors_of(calibration, 1u << row, errors);
	for (size_t i = 0; i < calibration->value_count; i++)
		if (calibration->values[i].rows & 1u << row)
			buf_printf(&names, "%s%s %s", names.size ? ", " : "",
				   calibration->values[i].fitted->name, calibration->values[i].text);
	calibration->rows[row].error_left_out = errors[row];
	calibration->rows[row].left_out_values = xstrdup(names.text);
	return err;
}

int calibrate_leave_out(struct calibration *calibration)
{
	int err = 0;

	for (size_t i = 0; !err && i < calibration->row_count; i++)
		err = leave_out(calibration, i);
	return err;
}
