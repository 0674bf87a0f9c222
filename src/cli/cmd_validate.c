/* drivebay validate: the models against every published figure. */
#include "cli/command.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/csv.h"
#include "base/data.h"
#include "base/fail.h"
#include "base/units.h"
#include "cli/setup.h"
#include "report/page.h"
#include "report/relations.h"
#include "report/report.h"
#include "report/validate.h"
#include "ssd/drive.h"
#include "store/result.h"

static char *output, *page_path, *seed_text, *drive_name;
static int sensitivity;

static const struct poptOption options[] = {
	{ "output", 'o', POPT_ARG_STRING, &output, 0,
	  "keep the results in this new directory (default: they are thrown away)", "DIR" },
	{ "html", 0, POPT_ARG_STRING, &page_path, 0, "the table and a chart as one page", "FILE" },
	{ "drive", 0, POPT_ARG_STRING, &drive_name, 0, "only the figures of this drive", "NAME" },
	{ "sensitivity", 0, POPT_ARG_NONE, &sensitivity, 0,
	  "also run with the run lengths halved and doubled: three times as long", NULL },
	{ "seed", 0, POPT_ARG_STRING, &seed_text, 0, "same seed, same figures (default: 1)", "N" },
	POPT_TABLEEND
};

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

/*
 * Every job is run once with our run lengths and, when asked, once in each variant: run
 * number job + job_count x (0: ours, 1 + variant).
 */
static size_t run_count(const struct validation *validation)
{
	return validation->job_count * (sensitivity ? 1 + VARIANTS : 1);
}

static uint32_t percent_of_run(const struct validation *validation, size_t run)
{
	size_t round = run / validation->job_count;

	return round ? variant_percent[round - 1] : 100;
}

static char *job_path(const char *directory, size_t job)
{
	return xasprintf("%s/%zu.drivebay", directory, job);
}

/* A child runs one model; what it has to say goes into a file beside the result. */
static pid_t start_job(const struct validate_job *job, const char *directory, size_t index,
		       uint64_t seed, uint32_t lengths_percent)
{
	_cleanup_free_ char *path = job_path(directory, index);
	const struct setup_model model = { .drive = job->drive, .bed = job->bed, .plan = job->plan,
					   .path = path, .seed = seed,
					   .lengths_percent = lengths_percent };
	pid_t pid;
	int err;

	fflush(stdout);
	fflush(stderr);
	pid = fork();
	if (pid != 0)
		return pid;
	err = setup_model_run(&model);
	if (err)
		fprintf(stderr, "drivebay: %s in %s: %s\n", job->drive, job->bed, fail_message());
	_exit(err ? 1 : 0);
}

/* The job of process `pid`, which has ended. */
static size_t job_of(const pid_t *pids, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (pids[i] == pid)
			return i;
	return VALIDATE_NONE;
}

/* Makes every run, as many at a time as there are cores; `lost` says which gave no result. */
static int run_jobs(const struct validation *validation, const char *directory, uint64_t seed,
		    bool *lost)
{
	_cleanup_free_ pid_t *pids = xcalloc(run_count(validation), sizeof(*pids));
	size_t runs = run_count(validation);
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	size_t started = 0, running = 0;

	while (started < runs || running) {
		size_t ended;
		pid_t pid;
		int status;

		if (started < runs && running < (size_t)(cores > 0 ? cores : 1)) {
			const struct validate_job *job =
				&validation->jobs[started % validation->job_count];
			uint32_t percent = percent_of_run(validation, started);

			fprintf(stderr, "[%zu/%zu] %s in %s: %s%s\n", started + 1, runs, job->drive,
				job->bed, job->plan, percent < 100 ? ", run lengths halved" :
				percent > 100 ? ", run lengths doubled" : "");
			pids[started] = start_job(job, directory, started, seed, percent);
			if (pids[started] < 0)
				return fail(errno, "cannot start a process: %s", strerror(errno));
			started++;
			running++;
			continue;
		}
		pid = wait(&status);
		if (pid < 0)
			return fail(errno, "waiting for a model: %s", strerror(errno));
		ended = job_of(pids, started, pid);
		if (ended == VALIDATE_NONE)
			continue;
		lost[ended] = !WIFEXITED(status) || WEXITSTATUS(status);
		running--;
	}
	return 0;
}

static void take_ours(struct validation *validation, struct relations *relations, size_t job,
		      struct result *result, const struct summary *summary)
{
	const struct validate_job *which = &validation->jobs[job];
	const char *drive_file = result_get(result, "drive_file");
	const char *bed_file = result_get(result, "bed_file");

	validate_take(validation, job, summary, drive_file ? drive_file : "",
		      bed_file ? bed_file : "");
	relations_take(relations, which->drive, which->bed, which->plan, summary);
}

static int take_run(struct validation *validation, struct relations *relations,
		    const char *directory, size_t run)
{
	_cleanup_free_ char *path = job_path(directory, run);
	size_t job = run % validation->job_count, round = run / validation->job_count;
	struct summary *summary = NULL;
	struct result *result;
	int err = result_open(path, false, &result);

	if (err)
		return err;
	err = summary_read(result, &summary);
	if (!err && round)
		validate_take_variant(validation, job, round - 1, summary);
	else if (!err)
		take_ours(validation, relations, job, result, summary);
	summary_free(summary);
	result_close(result);
	return err;
}

static int make_directory(char **out)
{
	if (output) {
		if (mkdir(output, 0777) < 0)
			return fail(errno, "--output: %s: %s", output, strerror(errno));
		*out = xstrdup(output);
		return 0;
	}
	*out = xstrdup("/tmp/drivebay-validate-XXXXXX");
	return mkdtemp(*out) ? 0 : fail(errno, "%s: %s", *out, strerror(errno));
}

static void remove_directory(const char *directory, size_t jobs)
{
	for (size_t i = 0; i < jobs; i++) {
		_cleanup_free_ char *path = job_path(directory, i);

		unlink(path);
	}
	rmdir(directory);
}

static int write_page(const struct validation *validation, const struct relations *relations)
{
	_cleanup_buf_ struct buf page = BUF_INIT;

	validate_html(validation, relations, &page);
	return page_write(&page, page_path);
}

static void print_sensitivity(const struct validation *validation)
{
	struct table *table = validate_table_sensitivity(validation);

	putchar('\n');
	if (table->row_count)
		table_print(table, stdout, 100);
	table_free(table);
}

static int print_all(const struct validation *validation, const struct relations *relations)
{
	validate_print(validation, stdout, 100);
	putchar('\n');
	relations_print(relations, stdout, 100);
	if (sensitivity)
		print_sensitivity(validation);
	return page_path ? write_page(validation, relations) : 0;
}

/* A run that failed costs its own figures; the tables are printed all the same. */
static int run_and_print(struct validation *validation, struct relations *relations,
			 const char *directory, uint64_t seed)
{
	_cleanup_free_ bool *lost = xcalloc(run_count(validation), sizeof(*lost));
	size_t failed = 0;
	int err = run_jobs(validation, directory, seed, lost);

	for (size_t i = 0; !err && i < run_count(validation); i++) {
		failed += lost[i];
		if (!lost[i])
			err = take_run(validation, relations, directory, i);
		else if (i < validation->job_count)
			validate_lose(validation, i);
	}
	if (!err)
		err = print_all(validation, relations);
	if (err)
		return err;
	if (!failed && !validate_fitted_within_bounds(validation))
		return fail(ERANGE, "values are fitted to more than a third of a drive's judged figures");
	return failed ? fail(EIO, "%zu of %zu runs failed", failed, run_count(validation)) : 0;
}

static int validate_files(struct csv *const *files, size_t count, struct relations *relations,
			  uint64_t seed)
{
	const struct validate_scope scope = { knows_drive, knows_bed, drive_name };
	struct validation *validation = NULL;
	_cleanup_free_ char *directory = NULL;
	int err = validate_read(files, count, &scope, &validation);

	if (!err)
		err = make_directory(&directory);
	if (!err) {
		err = run_and_print(validation, relations, directory, seed);
		if (!output)
			remove_directory(directory, run_count(validation));
	}
	validate_free(validation);
	return err;
}

static int load_and_validate(const char **paths, size_t count, uint64_t seed)
{
	_cleanup_free_ char *path = xasprintf("%s/published/relations/relations.csv", data_root());
	struct csv **files = xcalloc(count, sizeof(struct csv *));
	struct relations *relations = NULL;
	struct csv *rows = NULL;
	int err = csv_load(path, &rows);

	if (!err)
		err = relations_read(rows, &relations);

	for (size_t i = 0; !err && i < count; i++)
		err = csv_load(paths[i], &files[i]);
	if (!err)
		err = validate_files(files, count, relations, seed);
	relations_free(relations);
	csv_free(rows);
	for (size_t i = 0; i < count; i++)
		csv_free(files[i]);
	free(files);
	return err;
}

/* Without a file: all that laboratories published. */
static int validate_own(uint64_t seed)
{
	_cleanup_free_ char *pattern = xasprintf("%s/published/*.csv", data_root());
	_cleanup_free_ const char **paths = NULL;
	glob_t found = { 0 };
	int err;

	if (glob(pattern, 0, NULL, &found) || found.gl_pathc == 0)
		return fail(ENOENT, "%s: there is no such file", pattern);
	paths = xcalloc(found.gl_pathc, sizeof(*paths));
	for (size_t i = 0; i < found.gl_pathc; i++)
		paths[i] = found.gl_pathv[i];
	err = load_and_validate(paths, found.gl_pathc, seed);
	globfree(&found);
	return err;
}

static int validate(int count, const char **arguments)
{
	uint64_t seed = 1;
	int err = 0;

	if (seed_text && parse_count(seed_text, &seed)) {
		_cleanup_free_ char *why = xstrdup(fail_message());

		err = fail(EINVAL, "--seed: %s", why);
	}
	if (!err && drive_name && !knows_drive(drive_name))
		err = fail(EINVAL, "--drive: there is no drive '%s'", drive_name);
	if (!err && page_path)
		err = report_may_write_html(page_path);
	if (!err)
		err = count ? load_and_validate(arguments, (size_t)count, seed) : validate_own(seed);
	return err ? command_failed(err) : EXIT_OK;
}

const struct command command_validate = {
	.name = "validate",
	.arguments = "[FILE.csv...]",
	.help = "the models against published figures: the error table",
	.example = "drivebay validate",
	.options = options,
	.run = validate,
};
