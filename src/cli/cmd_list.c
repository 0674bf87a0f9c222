/* drivebay list: what there is to name on a command line. */
#include "cli/command.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/data.h"
#include "base/fail.h"
#include "base/units.h"
#include "cli/columns.h"
#include "load/plan.h"
#include "load/workload.h"
#include "ssd/drive.h"
#include "store/result.h"
#include "target/bed.h"
#include "target/target.h"

static char *drive_filter, *plan_filter, *since;
static int modelled, measured, complete, unfinished;

static const struct poptOption filters[] = {
	{ "drive", 0, POPT_ARG_STRING, &drive_filter, 0,
	  "results: only those with this in the name of their drive or target", "NAME" },
	{ "plan", 0, POPT_ARG_STRING, &plan_filter, 0, "results: only those with this in their plan", "NAME" },
	{ "since", 0, POPT_ARG_STRING, &since, 0, "results: only those begun on this day (UTC) or later", "YYYY-MM-DD" },
	{ "modelled", 0, POPT_ARG_NONE, &modelled, 0, "results: only those of models", NULL },
	{ "measured", 0, POPT_ARG_NONE, &measured, 0, "results: only those of real drives", NULL },
	{ "complete", 0, POPT_ARG_NONE, &complete, 0, "results: only those with nothing left to run", NULL },
	{ "unfinished", 0, POPT_ARG_NONE, &unfinished, 0, "results: only those where phases failed or are left", NULL },
	POPT_TABLEEND
};

/* The worse of two exit statuses: asked wrongly, failed, fine. */
static int worse(int status, int other)
{
	return other > status ? other : status;
}

static int add_drive(struct columns *rows, const char *name)
{
	struct drive *drive;
	char size[UNITS_BYTES];
	_cleanup_buf_ struct buf aliases = BUF_INIT;
	int err = drive_load(name, &drive);

	if (err)
		return err;
	for (size_t i = 0; i < drive->alias_count; i++)
		buf_printf(&aliases, "%s%s", i ? ", " : "", drive->aliases[i]);
	columns_add(rows, name, drive->model, drive->class, format_size(drive->user_bytes, size),
		    aliases.text ? aliases.text : "", NULL);
	drive_free(drive);
	return 0;
}

static int add_bed(struct columns *rows, const char *name)
{
	struct bed *bed;
	int err = bed_load(name, &bed);

	if (err)
		return err;
	columns_add(rows, name, bed->help, NULL);
	bed_free(bed);
	return 0;
}

static void put_sizes(struct buf *out, const struct size_mix *mix)
{
	char low[UNITS_BYTES], high[UNITS_BYTES];
	uint32_t least = UINT32_MAX, most = 0;

	for (size_t i = 0; i < mix->count; i++) {
		uint32_t size = mix->shares[i].size_bytes;

		least = size < least ? size : least;
		most = size > most ? size : most;
	}
	if (mix->count == 0)
		return;
	buf_printf(out, "%s", format_size(least, low));
	if (least != most)
		buf_printf(out, "..%s", format_size(most, high));
}

static int add_workload(struct columns *rows, const char *name)
{
	struct workload *workload;
	_cleanup_buf_ struct buf sizes = BUF_INIT;
	_cleanup_free_ char *mix = NULL, *load = NULL;
	int err = workload_load(name, &workload);

	if (err)
		return err;
	put_sizes(&sizes, workload->read_sizes.count ? &workload->read_sizes :
						       &workload->write_sizes);
	mix = xasprintf("%u %% read", workload->read_percent);
	load = xasprintf("%u x %u", workload->threads, workload->depth);
	columns_add(rows, name, mix, sizes.text ? sizes.text : "", load, workload->help, NULL);
	workload_free(workload);
	return 0;
}

static int add_application(struct columns *rows, const char *name)
{
	struct app *app;
	char warm_up[UNITS_BYTES], time[UNITS_BYTES];
	_cleanup_free_ char *lengths = NULL;
	int err = app_load(name, &app);

	if (err)
		return err;
	lengths = app->time_ns ? xasprintf("%s + %s", format_duration(app->warm_up_ns, warm_up),
					   format_duration(app->time_ns, time)) :
				 xstrdup("until done");
	columns_add(rows, name, app->kind->name, lengths, app->help, NULL);
	app_free(app);
	return 0;
}

static int add_plan(struct columns *rows, const char *name)
{
	const struct plan_options options = { 0 };
	struct plan *plan;
	_cleanup_free_ char *phases = NULL;
	int err = plan_load(&name, 1, &options, &plan);

	if (err)
		return err;
	phases = xasprintf("%zu phases", plan->phase_count);
	columns_add(rows, name, phases, plan->help ? plan->help : "", NULL);
	plan_free(plan);
	return 0;
}

/* One row for each data file of a kind; a broken one is named and costs only its own row. */
static int list_files(const char *kind, int (*add)(struct columns *rows, const char *name))
{
	_cleanup_columns_ struct columns rows = { 0 };
	char **names;
	size_t count;
	int status = EXIT_OK;
	int err = data_list(kind, &names, &count);

	if (err)
		return command_failed(err);
	for (size_t i = 0; i < count; i++) {
		err = add(&rows, names[i]);
		if (err)
			status = worse(status, command_failed(err));
	}
	columns_print(&rows, stdout);
	data_list_free(names, count);
	return status;
}

static int list_drives(const char *directory)
{
	(void)directory;
	return list_files("drives", add_drive);
}

static int list_beds(const char *directory)
{
	(void)directory;
	return list_files("beds", add_bed);
}

static int list_workloads(const char *directory)
{
	(void)directory;
	return list_files("workloads", add_workload);
}

static int list_applications(const char *directory)
{
	(void)directory;
	return list_files("workloads/apps", add_application);
}

static int list_plans(const char *directory)
{
	(void)directory;
	return list_files("workloads/plans", add_plan);
}

static int list_targets(const char *directory)
{
	_cleanup_columns_ struct columns rows = { 0 };

	(void)directory;
	for (const struct target_ops *const *kind = target_kinds(); *kind; kind++)
		columns_add(&rows, (*kind)->name, (*kind)->help, NULL);
	columns_print(&rows, stdout);
	return EXIT_OK;
}

static const char *or_unknown(const char *text)
{
	return text ? text : "?";
}

static int progress_of(struct result *result, char **out)
{
	size_t count, done = 0, failed = 0;
	int err = result_phase_count(result, &count);

	for (size_t i = 0; !err && i < count; i++) {
		struct result_phase phase;

		err = result_phase_read(result, i, &phase);
		if (err)
			break;
		done += phase.outcome.status == PHASE_DONE ||
			phase.outcome.status == PHASE_SKIPPED;
		failed += phase.outcome.status == PHASE_FAILED;
		result_phase_free(&phase);
	}
	if (err)
		return err;
	if (failed)
		*out = xasprintf("%zu of %zu phases failed", failed, count);
	else if (done == count)
		*out = xstrdup("complete");
	else
		*out = xasprintf("%zu of %zu phases", done, count);
	return 0;
}

/* Part of it, whatever the case; no filter keeps everything. */
static bool keeps_text(const char *filter, const char *text)
{
	return !filter || strcasestr(or_unknown(text), filter);
}

static bool keeps(struct result *result, const char *progress)
{
	const char *target = result_get(result, "target"), *drive = result_get(result, "drive");
	const char *started = result_get_host(result, "started"), *model = result_get(result, "model");
	bool is_model = model && !strcmp(model, "1");

	if (!keeps_text(drive_filter, target) && !(drive && keeps_text(drive_filter, drive)))
		return false;
	if (!keeps_text(plan_filter, result_get(result, "plan")))
		return false;
	if ((modelled && !is_model) || (measured && is_model))
		return false;
	if ((complete || unfinished) && (strcmp(progress, "complete") == 0) != (bool)complete)
		return false;
	/* Both are of the kind 2024-05-01T12:00:00Z, of which a beginning will do. */
	return !since || (started && strncmp(started, since, strlen(since)) >= 0);
}

static int add_result(struct columns *rows, const char *directory, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", directory, name);
	_cleanup_free_ char *progress = NULL;
	struct result *result;
	int err = result_open(strcmp(directory, ".") ? path : name, false, &result);

	if (err)
		return err;
	err = progress_of(result, &progress);
	if (!err && keeps(result, progress))
		columns_add(rows, name, or_unknown(result_get(result, "target")),
			    or_unknown(result_get(result, "plan")), progress,
			    or_unknown(result_get_host(result, "started")), NULL);
	result_close(result);
	return err;
}

static int is_result(const struct dirent *entry)
{
	return fnmatch("*.drivebay", entry->d_name, 0) == 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int list_results(const char *directory)
{
	_cleanup_columns_ struct columns rows = { 0 };
	struct dirent **entries;
	int status = EXIT_OK;
	int count = scandir(directory, &entries, is_result, by_bytes);

	if (count < 0)
		return command_failed(fail(errno == ENOENT || errno == ENOTDIR ? EINVAL : errno,
					   "list results: %s: %s", directory, strerror(errno)));
	for (int i = 0; i < count; i++) {
		int err = add_result(&rows, directory, entries[i]->d_name);

		if (err)
			status = worse(status, command_failed(err));
		free(entries[i]);
	}
	free(entries);
	columns_print(&rows, stdout);
	return status;
}

/* A new thing to list is a line here. */
static const struct lister {
	const char *name, *title;
	int (*list)(const char *directory);
} listers[] = {
	{ "drives", "Drives, as models (review DRIVE, run WORKLOAD DRIVE)", list_drives },
	{ "beds", "Beds: the host of a modelled drive (--bed)", list_beds },
	{ "workloads", "Workloads (run WORKLOAD TARGET)", list_workloads },
	{ "applications", "Applications, as models (run APPLICATION DRIVE)", list_applications },
	{ "plans", "Plans of a review (review --only)", list_plans },
	{ "targets", "Kinds of target (KIND:ARGUMENT)", list_targets },
	{ "results", "Results in this directory", list_results },
};

enum { LISTERS = sizeof(listers) / sizeof(listers[0]) };

static bool any_result(void)
{
	struct dirent **entries;
	int count = scandir(".", &entries, is_result, NULL);

	for (int i = 0; i < count; i++)
		free(entries[i]);
	if (count >= 0)
		free(entries);
	return count > 0;
}

static int list_everything(void)
{
	int status = EXIT_OK;

	for (size_t i = 0; i < LISTERS; i++) {
		if (listers[i].list == list_results && !any_result())
			continue;
		printf("%s%s:\n", i ? "\n" : "", listers[i].title);
		status = worse(status, listers[i].list("."));
	}
	return status;
}

static int unknown_thing(const char *word)
{
	const char *names[LISTERS];
	const char *near;

	for (size_t i = 0; i < LISTERS; i++)
		names[i] = listers[i].name;
	near = data_nearest(word, names, LISTERS);
	if (near)
		return fail(EINVAL, "list: unknown kind '%s'; did you mean '%s'?", word, near);
	return fail(EINVAL, "list: unknown kind '%s'; drives, beds, workloads, applications, plans, targets or results",
		    word);
}

/* "2024", "2024-05" or "2024-05-01". */
static bool is_day(const char *text)
{
	static const char *const shapes[] = { "[0-9][0-9][0-9][0-9]", "[0-9][0-9][0-9][0-9]-[0-1][0-9]",
					      "[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]" };

	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		if (fnmatch(shapes[i], text, 0) == 0)
			return true;
	return false;
}

static int check_filters(int count, const char **arguments)
{
	bool any_filter = drive_filter || plan_filter || since || modelled || measured || complete ||
			  unfinished;

	if (any_filter && (count == 0 || strcmp(arguments[0], "results")))
		return fail(EINVAL, "list: filters are for results: drivebay list results%s",
			    drive_filter ? " --drive NAME" : "");
	if (modelled && measured)
		return fail(EINVAL, "list results: --modelled and --measured leave nothing; choose one");
	if (complete && unfinished)
		return fail(EINVAL, "list results: --complete and --unfinished leave nothing; choose one");
	if (since && !is_day(since))
		return fail(EINVAL, "list results: --since: '%s' is no day such as 2024-05-01", since);
	return 0;
}

static int run_list(int count, const char **arguments)
{
	int err = check_filters(count, arguments);

	if (err)
		return command_failed(err);
	if (count == 0)
		return list_everything();
	for (size_t i = 0; i < LISTERS; i++) {
		if (strcmp(arguments[0], listers[i].name))
			continue;
		if (count > 1 && listers[i].list != list_results)
			return command_failed(fail(EINVAL, "list %s: takes no directory ('%s')",
						   arguments[0], arguments[1]));
		return listers[i].list(count > 1 ? arguments[1] : ".");
	}
	return command_failed(unknown_thing(arguments[0]));
}

const struct command command_list = {
	.name = "list",
	.arguments = "[drives|beds|workloads|applications|plans|targets|results [DIR]]",
	.help = "what there is to name: drives, workloads, kinds of target, results",
	.example = "drivebay list drives",
	.options = filters,
	.run = run_list,
};
