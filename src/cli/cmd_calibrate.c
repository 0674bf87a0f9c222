/* drivebay calibrate: every calibrated value again, from the figures that it names alone. */
#include "cli/command.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/csv.h"
#include "base/data.h"
#include "base/fail.h"
#include "base/units.h"
#include "cli/calibrate.h"
#include "report/table.h"

static char *tolerance_text, *seed_text;
static int list_only, leave_one_out, write_back;

static const struct poptOption options[] = {
	{ "list", 0, POPT_ARG_NONE, &list_only, 0, "only what is calibrated and on which figures", NULL },
	{ "leave-one-out", 0, POPT_ARG_NONE, &leave_one_out, 0,
	  "also the error of each figure when it is left out: several times as long", NULL },
	{ "write", 0, POPT_ARG_NONE, &write_back, 0, "put what was found into the files", NULL },
	{ "tolerance", 0, POPT_ARG_STRING, &tolerance_text, 0,
	  "a value this near to what was found is the same (default: 5%)", "PERCENT" },
	{ "seed", 0, POPT_ARG_STRING, &seed_text, 0, "same seed, same figures (default: 1)", "N" },
	POPT_TABLEEND
};

/* What all drives together come to. */
struct totals {
	size_t values, differing, bare; /* bare: calibrated, and no figure is named */
	size_t left_out_count;
	double *left_out; /* absolute errors */
};

static void put_share(struct table *table, double error)
{
	table_cell(table, "%+.1f %%", error * 100);
}

/* Each value with each of its figures; the value itself stands on its first line. */
static void add_value(struct table *table, const struct calibration *calibration,
		      const struct calibrate_value *value, double tolerance)
{
	bool first = true;

	for (size_t i = 0; i < calibration->row_count; i++) {
		const struct calibrate_row *row = &calibration->rows[i];

		if (!(value->rows & 1u << i))
			continue;
		table_row(table);
		table_cell(table, "%s", first ? value->fitted->name : "");
		table_cell(table, "%s", first ? value->fitted->value : "");
		table_cell(table, "%s", first ? value->fitted->prior : "");
		if (!list_only) {
			table_cell(table, "%s%s", first ? value->found : "",
				   first && !value->is_zero ? " (no zero)" : "");
			table_cell(table, "%s", !first ? "" : calibrate_differs(value, tolerance) ? "NO" :
				   "yes");
		}
		table_cell(table, "%s %s", row->figure->test, row->figure->statistic);
		table_number(table, row->figure->published);
		if (!list_only) {
			put_share(table, row->error_now);
			put_share(table, row->error_found);
		}
		first = false;
	}
}

static void print_values(const struct calibration *calibration, double tolerance)
{
	struct table *table = table_new("%s: calibrated values", calibration->drive);

	table_column(table, "Value", "", COLUMN_TEXT);
	table_column(table, "Now", "", 0);
	table_column(table, "Prior", "", COLUMN_WIDE);
	if (!list_only) {
		table_column(table, "Found", "", 0);
		table_column(table, "Same", "", COLUMN_TEXT);
	}
	table_column(table, "Fitted to", "", COLUMN_TEXT);
	table_column(table, "Published", "", COLUMN_WIDE);
	if (!list_only) {
		table_column(table, "Now", "", 0);
		table_column(table, "Found", "", 0);
	}
	for (size_t i = 0; i < calibration->value_count; i++)
		add_value(table, calibration, &calibration->values[i], tolerance);
	if (table->row_count)
		table_print(table, stdout, 120);
	table_free(table);
	for (size_t i = 0; i < calibration->value_count; i++)
		if (!calibration->values[i].rows)
			printf("%s:%u: %s is calibrated, but names no figure in 'fitted'\n",
			       calibration->values[i].file->path, calibration->values[i].fitted->line,
			       calibration->values[i].fitted->name);
}

static void print_left_out(const struct calibration *calibration)
{
	struct table *table = table_new("%s: each figure left out", calibration->drive);

	table_column(table, "Figure", "", COLUMN_TEXT);
	table_column(table, "Its values without it", "", COLUMN_TEXT);
	table_column(table, "Published", "", 0);
	table_column(table, "Modelled", "", 0);
	table_column(table, "Error", "", 0);
	for (size_t i = 0; i < calibration->row_count; i++) {
		const struct calibrate_row *row = &calibration->rows[i];

		table_row(table);
		table_cell(table, "%s %s", row->figure->test, row->figure->statistic);
		table_cell(table, "%s", row->left_out_values);
		table_number(table, row->figure->published);
		table_number(table, row->figure->published * (1 + row->error_left_out));
		put_share(table, row->error_left_out);
	}
	if (table->row_count)
		table_print(table, stdout, 120);
	table_free(table);
}

static void add_totals(const struct calibration *calibration, double tolerance, struct totals *totals)
{
	for (size_t i = 0; i < calibration->value_count; i++) {
		const struct calibrate_value *value = &calibration->values[i];

		totals->values++;
		totals->bare += !value->rows;
		totals->differing += !list_only && calibrate_differs(value, tolerance);
	}
	if (!leave_one_out)
		return;
	totals->left_out = xrealloc(totals->left_out, (totals->left_out_count + calibration->row_count) *
							      sizeof(double));
	for (size_t i = 0; i < calibration->row_count; i++)
		totals->left_out[totals->left_out_count++] = fabs(calibration->rows[i].error_left_out);
}

/* The next drive follows at once, so what is known of this one goes out. */
static int calibrate_drive(const char *drive, struct csv *const *published, size_t count, uint64_t seed,
			   double tolerance, struct totals *totals)
{
	struct calibration *calibration;
	int err = calibrate_open(drive, published, count, seed, &calibration);

	if (err)
		return err;
	if (calibration->value_count && !list_only) {
		err = calibrate_find(calibration);
		if (!err && leave_one_out)
			err = calibrate_leave_out(calibration);
	}
	if (!err && calibration->value_count) {
		print_values(calibration, tolerance);
		if (leave_one_out)
			print_left_out(calibration);
		fflush(stdout);
		add_totals(calibration, tolerance, totals);
		if (write_back)
			err = calibrate_write(calibration, tolerance);
	}
	calibrate_free(calibration);
	return err;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_size);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static int judge(struct totals *totals, double tolerance)
{
	if (totals->left_out_count)
		printf("Left out: %zu figures, median absolute error %.1f %%, worst %.1f %%\n",
		       totals->left_out_count, median(totals->left_out, totals->left_out_count) * 100,
		       totals->left_out[totals->left_out_count - 1] * 100);
	if (!list_only)
		printf("%zu calibrated values, %zu %s by more than %.3g %%\n", totals->values,
		       totals->differing, write_back ? "differed" : "differ", tolerance * 100);
	if (totals->bare)
		return fail(ENODATA, "%zu calibrated values name no figure, and cannot be found again",
			    totals->bare);
	if (totals->differing && !write_back)
		return fail(ERANGE, "%zu values are not what their figures give; --write corrects them",
			    totals->differing);
	return 0;
}

static int load_published(struct csv ***out, size_t *count)
{
	_cleanup_free_ char *pattern = xasprintf("%s/published/*.csv", data_root());
	glob_t found = { 0 };
	int err = 0;

	if (glob(pattern, 0, NULL, &found) || found.gl_pathc == 0)
		return fail(ENOENT, "%s: there is no such file", pattern);
	*out = xcalloc(found.gl_pathc, sizeof(**out));
	for (; !err && *count < found.gl_pathc; (*count)++)
		err = csv_load(found.gl_pathv[*count], &(*out)[*count]);
	globfree(&found);
	return err;
}

/* The name of the file, whatever alias was given. */
static int drive_name(const char *asked, char **out)
{
	_cleanup_free_ char *path = NULL;
	const char *base;
	int err;

	if (strchr(asked, '/') || strchr(asked, ':'))
		return fail(EINVAL, "%s: a drive of 'drivebay list drives' must stand here: figures were "
			    "published of those", asked);
	err = data_find("drives", asked, &path);
	if (err)
		return err;
	base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	*out = xasprintf("%.*s", (int)(strlen(base) - strlen(".yaml")), base);
	return 0;
}

static int parse_options(double *tolerance, uint64_t *seed)
{
	uint64_t millipercent = 5000;

	if (seed_text && parse_count(seed_text, seed)) {
		_cleanup_free_ char *why = xstrdup(fail_message());

		return fail(EINVAL, "--seed: %s", why);
	}
	if (tolerance_text && parse_percent(tolerance_text, &millipercent))
		return fail(EINVAL, "--tolerance: '%s' is no percentage such as 5%%", tolerance_text);
	if (list_only && (leave_one_out || write_back || tolerance_text))
		return fail(EINVAL, "--list runs no model: it goes without --leave-one-out, --write and "
			    "--tolerance");
	*tolerance = (double)millipercent / 1e5;
	return 0;
}

static int run_all(const char *const *drives, size_t drive_count, uint64_t seed, double tolerance)
{
	struct totals totals = { 0 };
	struct csv **published = NULL;
	size_t count = 0;
	int err = load_published(&published, &count);

	for (size_t i = 0; !err && i < drive_count; i++)
		err = calibrate_drive(drives[i], published, count, seed, tolerance, &totals);
	if (!err)
		err = judge(&totals, tolerance);
	for (size_t i = 0; i < count; i++)
		csv_free(published[i]);
	free(published);
	free(totals.left_out);
	return err;
}

static int calibrate(int count, const char **arguments)
{
	char **names = NULL;
	size_t name_count = 0;
	double tolerance = 0;
	uint64_t seed = 1;
	int err = parse_options(&tolerance, &seed);

	if (!err && !count)
		err = data_list("drives", &names, &name_count);
	if (!err && count)
		names = xcalloc((size_t)count, sizeof(*names));
	for (int i = 0; !err && i < count; i++) {
		err = drive_name(arguments[i], &names[name_count]);
		name_count += !err;
	}
	if (!err)
		err = run_all((const char *const *)names, name_count, seed, tolerance);
	data_list_free(names, name_count);
	return err ? command_failed(err) : EXIT_OK;
}

const struct command command_calibrate = {
	.name = "calibrate",
	.arguments = "[DRIVE...]",
	.help = "every calibrated value again, from the published figures that it names alone",
	.example = "drivebay calibrate --leave-one-out samsung-983-dct",
	.options = options,
	.run = calibrate,
};
