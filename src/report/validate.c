#include "report/validate.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "report/table.h"

/* ---- which run a figure comes from ---- */

/* The tests that the plans of workloads/plans/ have; a new one is a line here. */
enum test_family { FAMILY_CURVE, FAMILY_MIX, FAMILY_SYNTHETIC, FAMILY_APPLICATION };

static const struct test {
	const char *name;
	enum test_family family;
} tests[] = {
	{ "4k-random-read", FAMILY_CURVE },
	{ "4k-random-read-high", FAMILY_CURVE },
	{ "4k-random-write", FAMILY_CURVE },
	{ "4k-random-write-high", FAMILY_CURVE },
	{ "64k-sequential-read", FAMILY_CURVE },
	{ "64k-sequential-read-high", FAMILY_CURVE },
	{ "64k-sequential-write", FAMILY_CURVE },
	{ "64k-sequential-write-high", FAMILY_CURVE },
	{ "sql", FAMILY_MIX },
	{ "sql-90-10", FAMILY_MIX },
	{ "sql-80-20", FAMILY_MIX },
	{ "oracle", FAMILY_MIX },
	{ "oracle-90-10", FAMILY_MIX },
	{ "oracle-80-20", FAMILY_MIX },
	{ "vdi-fc-boot", FAMILY_MIX },
	{ "vdi-fc-initial-login", FAMILY_MIX },
	{ "vdi-fc-monday-login", FAMILY_MIX },
	{ "vdi-lc-boot", FAMILY_MIX },
	{ "vdi-lc-initial-login", FAMILY_MIX },
	{ "vdi-lc-monday-login", FAMILY_MIX },
	{ "crystal", FAMILY_APPLICATION },
	{ "blackmagic-like", FAMILY_APPLICATION },
	{ "precondition-4k-write", FAMILY_SYNTHETIC },
	{ "synthetic-4k-read", FAMILY_SYNTHETIC },
	{ "synthetic-4k-write", FAMILY_SYNTHETIC },
	{ "oltp", FAMILY_APPLICATION }, /* each has a plan of its own name */
	{ "tpcc", FAMILY_APPLICATION },
	{ "out-of-core", FAMILY_APPLICATION },
};

static const struct test *test_called(const char *name)
{
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		if (!strcmp(tests[i].name, name))
			return &tests[i];
	return NULL;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length >= tail && !strcmp(text + length - tail, end);
}

/* Did the laboratory test this drive over a hundredth of it, and at higher loads too? */
static bool is_client_review(const struct validation *validation, const char *drive)
{
	for (size_t i = 0; i < validation->figure_count; i++) {
		const struct figure *figure = &validation->figures[i];

		if (!strcmp(figure->drive, drive) && !strcmp(figure->statistic, "lba_span"))
			return figure->published == 1;
	}
	return false;
}

static bool has_high_loads(const struct validation *validation, const char *drive)
{
	for (size_t i = 0; i < validation->figure_count; i++)
		if (!strcmp(validation->figures[i].drive, drive) &&
		    ends_with(validation->figures[i].test, "-high"))
			return true;
	return false;
}

/* Its corners then come from the same run, which begins with them. */
static bool has_mixes(const struct validation *validation, const char *drive)
{
	for (size_t i = 0; i < validation->figure_count; i++) {
		const struct test *test = test_called(validation->figures[i].test);

		if (test && test->family == FAMILY_MIX && !strcmp(validation->figures[i].drive, drive))
			return true;
	}
	return false;
}

/* The plan to run; a mix goes on where the four corners left the drive. */
static const char *plan_of(const struct validation *validation, const struct figure *figure,
			   const struct test *test)
{
	if (test->family == FAMILY_SYNTHETIC)
		return "synthetic";
	if (test->family == FAMILY_APPLICATION)
		return test->name;
	if (test->family == FAMILY_MIX)
		return "sql-oracle-vdi";
	if (is_client_review(validation, figure->drive))
		return "four-corners-client";
	if (has_high_loads(validation, figure->drive))
		return "four-corners-high";
	return has_mixes(validation, figure->drive) ? "sql-oracle-vdi" : "four-corners";
}

/* The plan that the test is part of, which names its phases: `plan` has it, or goes on after it. */
static const char *plan_with(const char *plan, const char *name)
{
	const struct test *test = test_called(name);

	return test && test->family == FAMILY_CURVE && !strcmp(plan, "sql-oracle-vdi") ?
		       "four-corners" : plan;
}

static size_t job_of(struct validation *validation, const struct figure *figure, const char *plan)
{
	for (size_t i = 0; i < validation->job_count; i++) {
		const struct validate_job *job = &validation->jobs[i];

		if (!strcmp(job->drive, figure->drive) && !strcmp(job->bed, figure->bed) &&
		    !strcmp(job->plan, plan))
			return i;
	}
	validation->jobs = xrealloc(validation->jobs,
				    (validation->job_count + 1) * sizeof(*validation->jobs));
	validation->jobs[validation->job_count] = (struct validate_job){
		.drive = figure->drive, .bed = figure->bed, .plan = plan,
	};
	return validation->job_count++;
}

static const char *const statistics[] = {
	"iops", "bytes_per_s", "latency_mean", "latency_p99", "latency_max", "latency_stddev",
	"start_iops", "start_latency_mean", "burst_iops", "cliff_time",
	"tps", "tps_per_instance", "time", "bytes_per_s_read", "bytes_per_s_write", NULL,
};

static bool is_statistic(const char *name)
{
	for (size_t i = 0; statistics[i]; i++)
		if (!strcmp(statistics[i], name))
			return true;
	return false;
}

static void map_figure(struct validation *validation, struct figure *figure,
		       const struct validate_scope *scope)
{
	const struct test *test = test_called(figure->test);

	figure->job = VALIDATE_NONE;
	if (!scope->knows_drive(figure->drive))
		figure->why = "no model of this drive";
	else if (!test)
		figure->why = "no such test yet";
	else if (!is_statistic(figure->statistic))
		figure->why = "not a figure of a run";
	else if (isnan(figure->published))
		figure->why = "not a number";
	else if (figure->published == 0)
		figure->why = "published as 0, from which nothing is a percentage off";
	else if (!scope->knows_bed(figure->bed))
		figure->why = "no such bed";
	else
		figure->job = job_of(validation, figure, plan_of(validation, figure, test));
}

/* ---- reading ---- */

static double number(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	return *text && !*end ? value : NAN;
}

static int read_judged(const struct csv *csv, size_t row, const char *word, enum judged *out)
{
	static const char *const words[] = { "no", "yes", "lab-wide" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(word, words[i]))
			continue;
		*out = (enum judged)i;
		return 0;
	}
	return fail(EINVAL, "%s:%u: judged: '%s' is none of yes, no, lab-wide", csv->path,
		    csv->lines[row], word);
}

enum { COLUMNS = 7 };

static int read_figure(const struct csv *csv, size_t row, const size_t at[static COLUMNS],
		       struct figure *figure)
{
	*figure = (struct figure){
		.drive = csv_cell(csv, row, at[0]),
		.test = csv_cell(csv, row, at[1]),
		.statistic = csv_cell(csv, row, at[2]),
		.published = number(csv_cell(csv, row, at[3])),
		.unit = csv_cell(csv, row, at[4]),
		.bed = csv_cell(csv, row, at[6]),
	};
	if (!*figure->bed)
		figure->bed = "bare-metal";
	return read_judged(csv, row, csv_cell(csv, row, at[5]), &figure->judged);
}

static int read_file(const struct csv *csv, const char *drive, struct validation *validation)
{
	static const char *const names[COLUMNS] = { "drive_id", "test_id", "statistic", "value",
						    "unit", "judged", "bed" };
	size_t at[COLUMNS];
	int err = 0;

	for (size_t i = 0; !err && i < COLUMNS; i++)
		err = csv_column(csv, names[i], &at[i]);
	for (size_t i = 0; !err && i < csv->row_count; i++) {
		if (drive && strcmp(csv_cell(csv, i, at[0]), drive))
			continue;
		err = read_figure(csv, i, at, &validation->figures[validation->figure_count++]);
	}
	return err;
}

int validate_read(struct csv *const *files, size_t file_count, const struct validate_scope *scope,
		  struct validation **out)
{
	struct validation *validation = xcalloc(1, sizeof(*validation));
	size_t rows = 0;
	int err = 0;

	for (size_t i = 0; i < file_count; i++)
		rows += files[i]->row_count;
	validation->figures = xcalloc(rows, sizeof(*validation->figures));
	for (size_t i = 0; !err && i < file_count; i++)
		err = read_file(files[i], scope->drive, validation);
	if (err) {
		validate_free(validation);
		return err;
	}
	for (size_t i = 0; i < validation->figure_count; i++)
		map_figure(validation, &validation->figures[i], scope);
	*out = validation;
	return 0;
}

void validate_lose(struct validation *validation, size_t job)
{
	for (size_t i = 0; i < validation->figure_count; i++) {
		if (validation->figures[i].job != job)
			continue;
		validation->figures[i].job = VALIDATE_NONE;
		validation->figures[i].why = "its run failed";
	}
}

void validate_free(struct validation *validation)
{
	if (!validation)
		return;
	free(validation->figures);
	free(validation->jobs);
	free(validation);
}

/* ---- what a figure is in a result ---- */

/* The first point of a curve: the laboratory's 10 %. */
static const struct run_summary *first_point(const struct group_summary *group)
{
	for (size_t i = 0; i < group->run_count; i++)
		if (group->runs[i].kind == PHASE_POINT && group->runs[i].measured)
			return &group->runs[i];
	return NULL;
}

struct burst {
	double iops, mean_us, end_s;
};

/* The stretch from purged to the cliff: until the rate falls below 80 % of what it was at first. */
static bool find_burst(const struct series *series, struct burst *out)
{
	double first = 0, ios = 0, time_s = 0, latency = 0;
	size_t i;

	for (i = 0; i < series->count && i < 5; i++)
		first = series->samples[i].iops > first ? series->samples[i].iops : first;
	for (i = 0; i < series->count && series->samples[i].iops > 0.8 * first; i++) {
		const struct sample *sample = &series->samples[i];

		ios += sample->iops * sample->elapsed_s;
		latency += sample->mean_ns * sample->iops * sample->elapsed_s;
		time_s += sample->elapsed_s;
	}
	if (i == 0 || i == series->count || ios <= 0)
		return false;
	*out = (struct burst){ ios / time_s, latency / ios / 1e3, time_s };
	return true;
}

static bool of_burst(const struct group_summary *group, const char *statistic, double scale,
		     double *out)
{
	struct burst burst;

	if (!find_burst(&group->series, &burst))
		return false;
	if (!strcmp(statistic, "burst_iops"))
		*out = burst.iops;
	else if (!strcmp(statistic, "cliff_time"))
		*out = burst.end_s * scale;
	else
		*out = burst.mean_us;
	return true;
}

static bool of_run(const struct run_summary *run, const char *statistic, double *out)
{
	if (!run || !run->measured)
		return false;
	if (!strcmp(statistic, "iops"))
		*out = run->iops;
	else if (!strcmp(statistic, "bytes_per_s"))
		*out = run->mb_per_s * 1e6;
	else if (!strcmp(statistic, "latency_mean"))
		*out = run->submit.mean_ns / 1e3;
	else if (!strcmp(statistic, "latency_max"))
		*out = (double)run->submit.max_ns / 1e3;
	else if (!strcmp(statistic, "latency_stddev"))
		*out = run->submit.stddev_ns / 1e3;
	else if (!strcmp(statistic, "latency_p99") && run->submit.p99.known)
		*out = (double)run->submit.p99.ns / 1e3;
	else
		return false;
	return true;
}

static bool figure_value(const struct group_summary *group, const char *statistic, double scale,
			 double *out)
{
	if (!strcmp(statistic, "start_iops"))
		return of_run(first_point(group), "iops", out);
	if (!strcmp(statistic, "start_latency_mean") && group->has_curve)
		return of_run(first_point(group), "latency_mean", out);
	if (!strcmp(statistic, "start_latency_mean") || !strcmp(statistic, "burst_iops") ||
	    !strcmp(statistic, "cliff_time"))
		return of_burst(group, statistic, scale, out);
	return of_run(group_peak(group), statistic, out);
}

static bool application_value(const struct application_summary *application,
			      const char *statistic, double *out)
{
	const struct merit *merit = merits_find(&application->merits, statistic);

	if (merit)
		*out = merit->value;
	return merit != NULL;
}

bool validate_value(const struct summary *summary, const char *plan, const char *test,
		    const char *statistic, double *out)
{
	_cleanup_free_ char *name = xasprintf("%s/%s%s", plan_with(plan, test), test,
					      ends_with(plan, "-client") ? "-client" : "");
	const struct group_summary *group = summary_group(summary, name);
	const struct application_summary *application = summary_application(summary, test);

	if (application)
		return application_value(application, statistic, out);

	return group && figure_value(group, statistic, (double)summary->scale, out);
}

/* Does `text` contain `phrase`, whatever white space stands between the words? */
static bool mentions(const char *text, const char *phrase)
{
	for (; *text; text++) {
		const char *at = text, *want = phrase;

		while (*want && *at) {
			if (*want == ' ' && isspace((unsigned char)*at)) {
				while (isspace((unsigned char)*at))
					at++;
				want++;
			} else if (*want++ != *at++) {
				want = "x";
				break;
			}
		}
		if (!*want)
			return true;
	}
	return false;
}

/* An application is the same for all drives: its file says which drive a value was fitted to. */
static bool mentions_drive(const char *text, const char *drive, const char *name)
{
	_cleanup_free_ char *phrase = xasprintf("%s %s", drive, name);

	return mentions(text, phrase);
}

void validate_take(struct validation *validation, size_t job, const struct summary *summary,
		   const char *drive_file, const char *bed_file)
{
	for (size_t i = 0; i < validation->figure_count; i++) {
		struct figure *figure = &validation->figures[i];
		_cleanup_free_ char *name = xasprintf("%s %s", figure->test, figure->statistic);
		const struct application_summary *application;

		if (figure->why && !strcmp(figure->drive, validation->jobs[job].drive))
			figure->calibrated = figure->calibrated || mentions(drive_file, name);
		if (figure->job != job)
			continue;
		application = summary_application(summary, figure->test);
		figure->calibrated = mentions(drive_file, name) || mentions(bed_file, name) ||
				     (application && application->text &&
				      mentions_drive(application->text, figure->drive, name));
		figure->modelled_known = validate_value(summary, validation->jobs[job].plan,
							figure->test, figure->statistic,
							&figure->modelled);
		if (figure->modelled_known)
			figure->error = figure->modelled / figure->published - 1;
	}
}

const unsigned variant_percent[VARIANTS] = { 50, 200 };

void validate_take_variant(struct validation *validation, size_t job, size_t variant,
			   const struct summary *summary)
{
	for (size_t i = 0; i < validation->figure_count; i++) {
		struct figure *figure = &validation->figures[i];

		if (figure->job == job)
			figure->variant_known[variant] =
				validate_value(summary, validation->jobs[job].plan, figure->test,
					       figure->statistic, &figure->variant[variant]);
	}
}

/* ---- scores ---- */

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static struct validate_score score(const struct validation *validation,
				   bool (*counts)(const struct figure *figure))
{
	_cleanup_free_ double *errors = xcalloc(validation->figure_count, sizeof(*errors));
	struct validate_score out = { 0 };

	for (size_t i = 0; i < validation->figure_count; i++) {
		const struct figure *figure = &validation->figures[i];

		if (figure->judged == JUDGED_YES && figure->modelled_known && counts(figure))
			errors[out.count++] = fabs(figure->error);
	}
	if (!out.count)
		return out;
	qsort(errors, out.count, sizeof(*errors), by_size);
	out.median = out.count % 2 ? errors[out.count / 2] :
				     (errors[out.count / 2 - 1] + errors[out.count / 2]) / 2;
	out.worst = errors[out.count - 1];
	return out;
}

static bool is_calibrated(const struct figure *figure)
{
	return figure->calibrated;
}

static bool is_predicted(const struct figure *figure)
{
	return !figure->calibrated;
}

static bool is_any(const struct figure *figure)
{
	(void)figure;
	return true;
}

struct validate_score validate_score(const struct validation *validation, bool calibrated)
{
	return score(validation, calibrated ? is_calibrated : is_predicted);
}

struct validate_score validate_score_all(const struct validation *validation)
{
	return score(validation, is_any);
}

struct validate_tally validate_tally(const struct validation *validation)
{
	struct validate_tally tally = { 0 };

	for (size_t i = 0; i < validation->figure_count; i++) {
		const struct figure *figure = &validation->figures[i];

		if (figure->judged != JUDGED_YES)
			continue;
		tally.judged++;
		if (figure->why)
			tally.unmapped++;
		else if (figure->modelled_known)
			tally.compared++;
		else
			tally.missing++;
	}
	return tally;
}

/* ---- tables ---- */

static void add_figure(struct table *table, const struct figure *figure)
{
	table_row(table);
	table_cell(table, "%s", figure->drive);
	table_cell(table, "%s", figure->test);
	table_cell(table, "%s", figure->statistic);
	table_cell(table, "%s", figure->unit);
	table_number(table, figure->published);
	if (!figure->modelled_known) {
		table_cell(table, "n/a");
		table_cell(table, "n/a");
		return;
	}
	table_number(table, figure->modelled);
	table_cell(table, "%+.1f %%", figure->error * 100);
}

static const char *title_of(enum judged judged, bool calibrated)
{
	if (judged == JUDGED_LAB_WIDE)
		return "Lab-wide: they define the workloads";
	if (judged == JUDGED_NO)
		return "Not judged";
	return calibrated ? "Calibrated: a value was fitted to these" :
			    "Predicted: no value was fitted to these";
}

struct table *validate_table(const struct validation *validation, enum judged judged,
			     bool calibrated)
{
	struct table *table = table_new("%s", title_of(judged, calibrated));
	struct validate_score total = validate_score(validation, calibrated);

	table_column(table, "Drive", "", COLUMN_TEXT);
	table_column(table, "Test", "", COLUMN_TEXT);
	table_column(table, "Statistic", "", COLUMN_TEXT);
	table_column(table, "Unit", "", COLUMN_TEXT | COLUMN_WIDE);
	table_column(table, "Published", "", 0);
	table_column(table, "Modelled", "", 0);
	table_column(table, "Error", "", 0);
	for (size_t i = 0; i < validation->figure_count; i++) {
		const struct figure *figure = &validation->figures[i];

		if (figure->job != VALIDATE_NONE && figure->judged == judged &&
		    (judged != JUDGED_YES || figure->calibrated == calibrated))
			add_figure(table, figure);
	}
	if (judged == JUDGED_YES && total.count)
		table_note(table, "%zu figures: median absolute error %.1f %%, worst %.1f %%",
			   total.count, total.median * 100, total.worst * 100);
	return table;
}

/* Every judged figure without a run, with its reason: none goes missing in silence. */
struct table *validate_table_unmapped(const struct validation *validation)
{
	struct table *table = table_new("Judged, but not mapped to a run");

	table_column(table, "Drive", "", COLUMN_TEXT);
	table_column(table, "Test", "", COLUMN_TEXT);
	table_column(table, "Statistic", "", COLUMN_TEXT);
	table_column(table, "Not mapped", "", COLUMN_TEXT);
	for (size_t i = 0; i < validation->figure_count; i++) {
		const struct figure *figure = &validation->figures[i];

		if (figure->judged != JUDGED_YES || !figure->why)
			continue;
		table_row(table);
		table_cell(table, "%s", figure->drive);
		table_cell(table, "%s", figure->test);
		table_cell(table, "%s", figure->statistic);
		table_cell(table, "%s", figure->why);
	}
	return table;
}

static void add_variant(struct table *table, const struct figure *figure, size_t variant)
{
	double change = figure->variant[variant] / figure->modelled - 1;

	if (figure->modelled_known && figure->modelled != 0 && figure->variant_known[variant])
		table_cell(table, "%+.1f %%", change * 100);
	else
		table_cell(table, "n/a");
}

static void add_sensitivity(struct table *table, const struct figure *figure)
{
	table_row(table);
	table_cell(table, "%s", figure->drive);
	table_cell(table, "%s", figure->test);
	table_cell(table, "%s", figure->statistic);
	table_number(table, figure->published);
	if (figure->modelled_known)
		table_number(table, figure->modelled);
	else
		table_cell(table, "n/a");
	for (size_t i = 0; i < VARIANTS; i++)
		add_variant(table, figure, i);
}

struct table *validate_table_sensitivity(const struct validation *validation)
{
	struct table *table = table_new("Sensitivity: the figure modelled with run lengths other than ours");

	table_column(table, "Drive", "", COLUMN_TEXT);
	table_column(table, "Test", "", COLUMN_TEXT);
	table_column(table, "Statistic", "", COLUMN_TEXT);
	table_column(table, "Published", "", COLUMN_WIDE);
	table_column(table, "Modelled", "", 0);
	table_column(table, "Halved", "", 0);
	table_column(table, "Doubled", "", 0);
	for (size_t i = 0; i < validation->figure_count; i++)
		if (validation->figures[i].judged == JUDGED_YES && !validation->figures[i].why)
			add_sensitivity(table, &validation->figures[i]);
	return table;
}

/* Judged figures of a drive, and how many of them were fitted to. */
static void count_fitted(const struct validation *validation, const char *drive, size_t *judged,
			 size_t *fitted)
{
	*judged = *fitted = 0;
	for (size_t i = 0; i < validation->figure_count; i++) {
		const struct figure *figure = &validation->figures[i];

		if (figure->judged != JUDGED_YES || strcmp(figure->drive, drive))
			continue;
		(*judged)++;
		*fitted += figure->calibrated;
	}
}

/* The first job of its drive stands for the drive. */
static bool is_first_job(const struct validation *validation, size_t job)
{
	for (size_t i = 0; i < job; i++)
		if (!strcmp(validation->jobs[i].drive, validation->jobs[job].drive))
			return false;
	return true;
}

struct table *validate_table_fitted(const struct validation *validation)
{
	struct table *table = table_new("Judged figures that values were fitted to: at most a third");
	size_t judged, fitted;

	table_column(table, "Drive", "", COLUMN_TEXT);
	table_column(table, "Judged", "", 0);
	table_column(table, "Fitted to", "", 0);
	table_column(table, "Holds", "", COLUMN_TEXT);
	for (size_t i = 0; i < validation->job_count; i++) {
		if (!is_first_job(validation, i))
			continue;
		count_fitted(validation, validation->jobs[i].drive, &judged, &fitted);
		table_row(table);
		table_cell(table, "%s", validation->jobs[i].drive);
		table_cell(table, "%zu", judged);
		table_cell(table, "%zu", fitted);
		table_cell(table, "%s", fitted * 3 <= judged ? "yes" : "NO");
	}
	return table;
}

bool validate_fitted_within_bounds(const struct validation *validation)
{
	size_t judged, fitted;

	for (size_t i = 0; i < validation->job_count; i++) {
		count_fitted(validation, validation->jobs[i].drive, &judged, &fitted);
		if (fitted * 3 > judged)
			return false;
	}
	return true;
}

static void print_table(struct table *table, FILE *out, unsigned columns)
{
	if (table->row_count)
		table_print(table, out, columns);
	table_free(table);
}

/* How many figures are not mapped, by reason; those that are judged count separately. */
static void print_reasons(const struct validation *validation, FILE *out)
{
	for (size_t i = 0; i < validation->figure_count; i++) {
		const char *why = validation->figures[i].why;
		size_t count = 0, judged = 0;
		bool said = false;

		for (size_t j = 0; why && j < validation->figure_count; j++) {
			const struct figure *figure = &validation->figures[j];

			if (!figure->why || strcmp(figure->why, why))
				continue;
			said = said || j < i;
			count++;
			judged += figure->judged == JUDGED_YES;
		}
		if (why && !said)
			fprintf(out, "not mapped: %s: %zu figures, %zu of them judged\n", why, count,
				judged);
	}
}

static void print_missing(const struct validation *validation, FILE *out)
{
	for (size_t i = 0; i < validation->figure_count; i++) {
		const struct figure *figure = &validation->figures[i];

		if (figure->judged == JUDGED_YES && !figure->why && !figure->modelled_known)
			fprintf(out, "not given by its run: %s %s %s\n", figure->drive, figure->test,
				figure->statistic);
	}
}

static void print_tally(const struct validation *validation, FILE *out)
{
	struct validate_tally tally = validate_tally(validation);
	struct validate_score all = validate_score_all(validation);

	fprintf(out, "Judged figures: %zu, of which %zu compared, %zu not mapped, %zu not given by "
		"their run\n", tally.judged, tally.compared, tally.unmapped, tally.missing);
	if (all.count)
		fprintf(out, "All compared: median absolute error %.1f %%, worst %.1f %%\n",
			all.median * 100, all.worst * 100);
}

void validate_print(const struct validation *validation, FILE *out, unsigned columns)
{
	print_table(validate_table(validation, JUDGED_YES, false), out, columns);
	print_table(validate_table(validation, JUDGED_YES, true), out, columns);
	print_table(validate_table(validation, JUDGED_LAB_WIDE, false), out, columns);
	print_table(validate_table_unmapped(validation), out, columns);
	print_table(validate_table_fitted(validation), out, columns);
	print_tally(validation, out);
	print_missing(validation, out);
	print_reasons(validation, out);
}
