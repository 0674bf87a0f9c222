/* drivebay run: one workload on one target. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/data.h"
#include "base/fail.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/job.h"
#include "cli/load_options.h"
#include "cli/setup.h"
#include "stats/steady.h"

enum {
	FILL_BYTES = 128 << 10,
	ROUNDS = 25, /* SNIA's limit */
	ROUNDS_MOST = 1000,
};

static char *time_text, *rate_text, *arrivals_text, *round_text, *rounds_text, *load_state, *save_state, *aged;
static char *cycle_text;
static struct job_options job_options;
static char *shelved_text;
static uint64_t shelved_ns;
static char *verify, *journal;
static int fill, until_steady, asap;

static const struct poptOption options[] = {
	{ NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)(uintptr_t)load_options, 0, NULL, NULL },
	{ "time", 0, POPT_ARG_STRING, &time_text, 0, "how long, on the target's clock (default: 10s)", "TIME" },
	{ "rate", 0, POPT_ARG_STRING, &rate_text, 0, "requests offered each second, whatever the target does (default: as fast as the workload's outstanding allow)", "RATE" },
	{ "arrivals", 0, POPT_ARG_STRING, &arrivals_text, 0, "at a rate: exponential (default) or deterministic", "HOW" },
	{ "fill", 0, POPT_ARG_NONE, &fill, 0, "write the whole target once first", NULL },
	{ "until-steady", 0, POPT_ARG_NONE, &until_steady, 0, "then the workload as fast as possible, in rounds, until five of them agree as SNIA has it", NULL },
	{ "round", 0, POPT_ARG_STRING, &round_text, 0, "how long such a round is (default: as --time)", "TIME" },
	{ "rounds", 0, POPT_ARG_STRING, &rounds_text, 0, "how many there are at most (default: 25)", "N" },
	{ "verify", 0, POPT_ARG_STRING, &verify, 0, "crc32c: check that reads give back what was written, and all of it at the end", "HOW" },
	{ "verify-journal", 0, POPT_ARG_STRING, &journal, 0, "keep in this file what was written: the next run with it finds what a power cut lost", "FILE" },
	{ "shelved", 0, POPT_ARG_STRING, &shelved_text, 0, "with --load-state: what it holds has lain without power: 90d", "TIME" },
	{ "load-state", 0, POPT_ARG_STRING, &load_state, 0, "begin with a model's drive as --save-state left it", "FILE" },
	{ "aged", 0, POPT_ARG_STRING, &aged, 0, "begin with a model's drive in the steady state of a workload", "WORKLOAD" },
	{ "save-state", 0, POPT_ARG_STRING, &save_state, 0, "keep what the model's drive is like at the end", "FILE" },
	{ "cycle-scale", 0, POPT_ARG_STRING, &cycle_text, 0, "tpcc: keying and think times as a multiple of the specification's (default: the laboratory's, 0.226)", "FACTOR" },
	{ "format", 0, POPT_ARG_STRING, &job_options.format, 0, "what a file of another program is: fio, vdbench, blkparse, iolog, msr, systor, alibaba, tencent, spc (default: told from what is in it)", "FORMAT" },
	{ "asap", 0, POPT_ARG_NONE, &asap, 0, "a trace: as fast as --depth requests in flight allow (default: at its recorded times)", NULL },
	{ "device", 0, POPT_ARG_STRING, &job_options.device, 0, "a trace: the requests of this device or volume alone", "NAME" },
	{ "scale-addresses", 0, POPT_ARG_STRING, &job_options.scaling, 0, "a trace that goes further than the target: fit (default), wrap or none", "HOW" },
	{ NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)(uintptr_t)setup_options, 0, NULL, NULL },
	POPT_TABLEEND
};

struct request {
	const char *workload; /* NULL: the options are all of it */
	uint64_t duration_ns, round_ns, round_max;
	uint64_t cycle_scale_milli; /* 0: as the application says */
};

/* Twenty points for a short run, one a second for a long one. */
static uint64_t window_for(uint64_t duration_ns)
{
	if (duration_ns >= 20000000000u)
		return 1000000000u;
	return duration_ns >= 20 ? duration_ns / 20 : 1;
}

static int make_plan(const void *context, uint32_t scale, struct plan **out)
{
	const struct request *request = context;
	struct workload *workload;
	int err = load_options_workload(request->workload, &workload);

	(void)scale; /* a time given on the command line is meant as it is */
	if (err)
		return err;
	*out = plan_for(workload, request->duration_ns, window_for(request->duration_ns));
	if (until_steady)
		plan_rounds_first(*out, request->round_ns, (uint32_t)request->round_max);
	if (fill)
		plan_fill_first(*out, FILL_BYTES);
	return 0;
}

/* As long as it says, unless --time says otherwise. */
static int make_application_plan(const void *context, uint32_t scale, struct plan **out)
{
	const struct request *request = context;

	return plan_of_application(request->workload, time_text ? request->duration_ns : 0, scale,
				   (uint32_t)request->cycle_scale_milli, out);
}

static bool names_a_workload(const char *name)
{
	_cleanup_free_ char *path = NULL;

	return data_find("workloads", name, &path) == 0 || application_exists(name);
}

/* One argument is the target, and something must say what to send to it. */
static int check_arguments(const char *workload, const char *target)
{
	if (workload && !names_a_workload(workload) && names_a_workload(target))
		return fail(EINVAL, "'%s' is a workload, and stands where the target belongs: "
				    "drivebay run WORKLOAD TARGET", target);
	if (!workload && names_a_workload(target))
		return fail(EINVAL, "'%s' is a workload, and no target says what to run it on: "
				    "drivebay run %s TARGET", target, target);
	if (!workload && !load_options_given())
		return fail(EINVAL, "nothing says what to send to %s: name a workload of 'drivebay list "
				    "workloads' before it, or give options such as --block 4k --read 70 "
				    "--random", target);
	return 0;
}

static int choose_arrivals(enum arrivals *out)
{
	*out = ARRIVALS_EXPONENTIAL;
	if (!arrivals_text || !strcmp(arrivals_text, "exponential"))
		return 0;
	*out = ARRIVALS_DETERMINISTIC;
	if (!strcmp(arrivals_text, "deterministic"))
		return 0;
	return fail(EINVAL, "--arrivals: '%s' is neither exponential nor deterministic",
		    arrivals_text);
}

static int prefix(const char *option)
{
	char *why = xstrdup(fail_message());
	int err = fail(EINVAL, "--%s: %s", option, why);

	free(why);
	return err;
}

/* A length of time other than none. */
static int choose_time(const char *option, const char *text, uint64_t *ns)
{
	if (!text)
		return 0;
	if (parse_duration(text, ns))
		return prefix(option);
	return *ns ? 0 : fail(EINVAL, "--%s: %s is no time at all", option, text);
}

static int choose_rate(uint64_t *out)
{
	if (!rate_text)
		return 0;
	if (parse_rate(rate_text, out))
		return prefix("rate");
	if (*out == 0)
		return fail(EINVAL, "--rate: 0 requests a second would never end; leave it out for "
				    "as fast as possible");
	return 0;
}

static int choose_times(struct request *request)
{
	int err = choose_time("time", time_text, &request->duration_ns);

	if (err)
		return err;
	request->round_ns = request->duration_ns;
	if ((round_text || rounds_text) && !until_steady)
		return fail(EINVAL, "--%s: is for --until-steady, which is not there",
			    round_text ? "round" : "rounds");
	err = choose_time("round", round_text, &request->round_ns);
	if (!err && rounds_text && parse_count(rounds_text, &request->round_max))
		err = prefix("rounds");
	if (!err && (request->round_max < STEADY_ROUNDS || request->round_max > ROUNDS_MOST))
		err = fail(EINVAL, "--rounds: %s is not between %d, which are judged, and %d", rounds_text,
			   STEADY_ROUNDS, ROUNDS_MOST);
	return err;
}

/* What an application does by itself. */
static int check_application(const char *name)
{
	const char *option = fill ? "--fill" : until_steady ? "--until-steady" : rate_text ? "--rate" :
			     arrivals_text ? "--arrivals" : load_state ? "--load-state" : NULL;

	if (!option && load_options_given())
		return fail(EINVAL, "%s: is an application: what it sends is its own affair; leave out the "
				    "options of a workload", name);
	if (option)
		return fail(EINVAL, "%s: is an application: it begins with a fresh drive, loads its own data "
				    "and sends as it goes; leave out %s", name, option);
	return 0;
}

static int choose_cycle(bool is_application, uint64_t *out)
{
	if (!cycle_text)
		return 0;
	if (!is_application)
		return fail(EINVAL, "--cycle-scale: is for an application with terminals, such as tpcc");
	if (parse_milli(cycle_text, out))
		return prefix("cycle-scale");
	if (*out < 1 || *out > 100000)
		return fail(EINVAL, "--cycle-scale: %s is not between 0.001 and 100", cycle_text);
	return 0;
}

/* ---- files of other programs ---- */

/* The job, which a context's const does not let one change. */
static struct job *job_of(const void *context)
{
	return *(struct job *const *)context;
}

static int make_job_plan(const void *context, uint32_t scale, struct plan **out)
{
	int err = job_plan(job_of(context), out);

	(void)scale;
	if (!err && fill)
		plan_fill_first(*out, FILL_BYTES);
	return err;
}

static int fit_job_plan(const void *context, const struct target *target, struct plan *plan)
{
	return job_fit(job_of(context), target, plan);
}

static const struct setup_text *texts_of_job(const void *context)
{
	return job_of(context)->texts;
}

/* The file says all that these would say. */
static int check_job_options(const char *path)
{
	const struct {
		const char *name;
		bool is_given;
	} others[] = {
		{ "time", time_text }, { "rate", rate_text }, { "arrivals", arrivals_text },
		{ "until-steady", until_steady }, { "round", round_text }, { "rounds", rounds_text },
		{ "cycle-scale", cycle_text },
	};

	if (load_options_given())
		return fail(EINVAL, "%s: says itself what is sent: the options of a workload do not go with "
			    "it", path);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].is_given)
			return fail(EINVAL, "--%s: %s says that itself; change it there", others[i].name,
				    path);
	return 0;
}

static int run_job(const char *path, const char *target)
{
	struct setup setup = {
		.target = target,
		.make_plan = make_job_plan,
		.fit_plan = fit_job_plan,
		.invocation = "run",
		.load_state = load_state,
		.shelved_ns = shelved_ns,
		.save_state = save_state,
		.aged = aged,
	};
	struct job *job = NULL;
	int status, err = load_options_take_depth(&job_options.depth);

	job_options.asap = asap;
	if (!err)
		err = check_job_options(path);
	if (!err)
		err = job_load(path, &job_options, &job);
	if (err)
		return command_failed(err);
	setup.context = &job;
	setup.texts = texts_of_job;
	status = setup_run(&setup);
	job_free(job);
	return status;
}

/* The target as it was named, or with another around it that verifies. To be freed. */
static int choose_target(const char *name, char **out)
{
	if (journal && !verify)
		return fail(EINVAL, "--verify-journal: is for --verify crc32c, which is not there");
	if (verify && strcmp(verify, "crc32c"))
		return fail(EINVAL, "--verify: '%s' is not known (crc32c is)", verify);
	if (journal && (!*journal || journal[strcspn(journal, ",:")]))
		return fail(EINVAL, "--verify-journal: '%s' cannot be the name: it is empty, or has a comma "
				    "or a colon", journal);
	if (!verify)
		*out = xstrdup(name);
	else
		*out = xasprintf("verify:%s%s:%s", journal ? "journal=" : "", journal ? journal : "", name);
	return 0;
}

static int choose_shelf(void)
{
	_cleanup_free_ char *why = NULL;

	if (!shelved_text)
		return 0;
	if (!load_state)
		return fail(EINVAL, "--shelved: a fresh drive has nothing that could lie without power; "
				    "--load-state FILE gives one that has");
	if (parse_duration(shelved_text, &shelved_ns) == 0)
		return 0;
	why = xstrdup(fail_message());
	return fail(EINVAL, "--shelved: %s", why);
}

static int run_workload(int count, const char **arguments)
{
	struct request request = { .duration_ns = 10000000000u, .round_max = ROUNDS };
	struct setup setup = {
		.make_plan = make_plan,
		.context = &request,
		.invocation = "run",
		.load_state = load_state,
		.save_state = save_state,
		.aged = aged,
	};
	bool is_application;
	_cleanup_free_ char *target = NULL;
	int err = choose_shelf();

	if (err)
		return command_failed(err);
	setup.shelved_ns = shelved_ns;

	err = choose_target(arguments[count - 1], &target);
	if (err)
		return command_failed(err);
	setup.target = target;
	if (count > 1 && (job_options.format || job_names_a_file(arguments[0])))
		return run_job(arguments[0], setup.target);
	if (job_options.format || job_options.device || job_options.scaling || asap)
		return command_failed(fail(EINVAL, "--format, --device, --scale-addresses and --asap are for a "
						   "file of another program: drivebay run FILE TARGET"));
	if (count > 1)
		request.workload = arguments[0];
	err = check_arguments(request.workload, arguments[count - 1]);
	is_application = !err && request.workload && application_exists(request.workload);
	if (is_application) {
		setup.make_plan = make_application_plan;
		err = check_application(request.workload);
	}
	if (!err)
		err = choose_cycle(is_application, &request.cycle_scale_milli);
	if (!err && aged && fill)
		err = fail(EINVAL, "--aged and --fill contradict each other: an aged drive is full");
	if (!err)
		err = choose_arrivals(&setup.arrivals);
	if (!err)
		err = choose_times(&request);
	if (!err)
		err = choose_rate(&setup.rate);
	return err ? command_failed(err) : setup_run(&setup);
}

const struct command command_run = {
	.name = "run",
	.arguments = "[WORKLOAD|APPLICATION|FILE] TARGET",
	.help = "one workload or application on one target",
	.example = "drivebay run samsung-983-dct --block 4k --random --depth 32 --fill --time 2s",
	.options = options,
	.run = run_workload,
};
