/* drivebay review: the whole lab on one drive. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/data.h"
#include "base/fail.h"
#include "cli/command.h"
#include "cli/setup.h"
#include "ssd/drive.h"

static int quick, all;
static char *resume, *precondition, *only;

enum { PLANS_MAX = 64 };

static const struct poptOption options[] = {
	{ "quick", 0, POPT_ARG_NONE, &quick, 0, "minutes instead of hours on a real drive: short points, few rounds", NULL },
	{ "precondition", 0, POPT_ARG_STRING, &precondition, 0, "steady: SNIA's steady state before the first maximum run", "HOW" },
	{ "only", 0, POPT_ARG_STRING, &only, 0, "these plans of 'drivebay list plans', separated by commas (default: those of the drive's class)", "PLANS" },
	{ "all", 0, POPT_ARG_NONE, &all, 0, "every test of the lab: what a drive cannot carry is not run, and says why", NULL },
	{ "resume", 0, POPT_ARG_STRING, &resume, 0, "go on with an interrupted review", "RESULT" },
	{ NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)(uintptr_t)setup_options, 0, NULL, NULL },
	POPT_TABLEEND
};

/* Cuts `list` at its commas into names[]; how many, or a negative errno. */
static int split(char *list, const char **names)
{
	int count = 0;

	for (char *name = list; name; count++) {
		char *comma = strchr(name, ',');

		if (count == PLANS_MAX)
			return fail(EINVAL, "--only: more than %d plans", PLANS_MAX);
		if (comma)
			*comma++ = '\0';
		if (!*name)
			return fail(EINVAL, "--only: an empty name; plans are separated by single commas");
		names[count] = name;
		name = comma;
	}
	return count;
}

/* What a laboratory does with a drive of this class. */
static const char enterprise_plans[] = "four-corners,sql-oracle-vdi,write-saturation";
static const char client_plans[] = "four-corners-client,crystal,blackmagic-like,boot,write-saturation";

/* The plans of the class, then all others that there are. */
static int plan_all(const char *const *first, size_t first_count, const struct plan_options *how,
		    struct plan **out)
{
	_cleanup_free_ const char **names = NULL;
	char **there;
	size_t there_count, count = 0;
	int err = data_list("workloads/plans", &there, &there_count);

	if (err)
		return err;
	names = xcalloc(first_count + there_count, sizeof(*names));
	for (; count < first_count; count++)
		names[count] = first[count];
	for (size_t i = 0; i < there_count; i++) {
		bool is_first = false;

		for (size_t k = 0; k < first_count; k++)
			is_first = is_first || !strcmp(first[k], there[i]);
		if (!is_first)
			names[count++] = there[i];
	}
	err = plan_load(names, count, how, out);
	data_list_free(there, there_count);
	return err;
}

static int make_plan(const void *context, uint32_t scale, struct plan **out)
{
	const struct plan_options plan_options = {
		.scale = quick ? 1 : scale, /* quick times are short as they are */
		.quick = quick,
		.precondition_steady = precondition != NULL,
	};
	_cleanup_free_ char *list = xstrdup(only ? only : context);
	const char *names[PLANS_MAX];
	int count = split(list, names);

	if (count < 0)
		return count;
	if (all)
		return plan_all(names, (size_t)count, &plan_options, out);
	return plan_load(names, (size_t)count, &plan_options, out);
}

/* A device does not say what it was made for, so it gets what is asked of the better ones. */
static bool is_client(const char *target)
{
	const char *colon = strrchr(target, ':');
	struct drive *drive;
	bool client;

	if (drive_load(colon ? colon + 1 : target, &drive))
		return false;
	client = !strcmp(drive->class, "client");
	drive_free(drive);
	return client;
}

static int review(int count, const char **arguments)
{
	struct setup setup = {
		.make_plan = make_plan,
		.invocation = "review",
		.arrivals = ARRIVALS_EXPONENTIAL,
		.keep_states = true,
	};

	if (resume) {
		if (quick || precondition || only || all)
			return command_failed(fail(EINVAL, "--resume takes the plan from the "
						   "result: leave out --quick, --precondition, "
						   "--only and --all"));
		if (count)
			return command_failed(fail(EINVAL, "--resume takes the target from the "
							   "result: leave out '%s'", arguments[0]));
		return setup_resume(resume);
	}
	if (!count)
		return command_failed(fail(EINVAL, "review needs a TARGET: a drive of 'drivebay "
						   "list drives', a device or a file"));
	if (all && only)
		return command_failed(fail(EINVAL, "--all and --only contradict each other"));
	if (precondition && strcmp(precondition, "steady"))
		return command_failed(fail(EINVAL, "--precondition: '%s' is not known (steady is)",
					   precondition));
	setup.target = arguments[0];
	setup.skips_misfits = !only;
	setup.context = is_client(setup.target) ? client_plans : enterprise_plans;
	return setup_run(&setup);
}

const struct command command_review = {
	.name = "review",
	.arguments = "[TARGET]",
	.help = "the whole lab on one drive, modelled or real",
	.example = "drivebay review samsung-983-dct",
	.options = options,
	.run = review,
};
