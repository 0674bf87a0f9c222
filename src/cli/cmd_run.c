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
#include "cli/setup.h"

enum { FILL_BYTES = 128 << 10 };

static char *time_text, *rate_text, *arrivals_text, *load_state, *save_state;
static int fill;

static const struct poptOption options[] = {
	{ "time", 0, POPT_ARG_STRING, &time_text, 0, "how long, on the target's clock (default: 10s)", "TIME" },
	{ "rate", 0, POPT_ARG_STRING, &rate_text, 0, "requests offered each second, whatever the target does (default: as fast as the workload's outstanding allow)", "RATE" },
	{ "arrivals", 0, POPT_ARG_STRING, &arrivals_text, 0, "at a rate: exponential (default) or deterministic", "HOW" },
	{ "fill", 0, POPT_ARG_NONE, &fill, 0, "write the whole target once first", NULL },
	{ "load-state", 0, POPT_ARG_STRING, &load_state, 0, "begin with a model's drive as --save-state left it", "FILE" },
	{ "save-state", 0, POPT_ARG_STRING, &save_state, 0, "keep what the model's drive is like at the end", "FILE" },
	{ NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)(uintptr_t)setup_options, 0, NULL, NULL },
	POPT_TABLEEND
};

struct request {
	const char *workload;
	uint64_t duration_ns;
};

static int make_plan(const void *context, uint32_t scale, struct plan **out)
{
	const struct request *request = context;
	uint64_t window_ns = request->duration_ns < 20000000000u ? request->duration_ns / 20 :
								   1000000000u;

	int err;

	(void)scale; /* a time given on the command line is meant as it is */
	err = plan_of_workload(request->workload, request->duration_ns, window_ns ? window_ns : 1,
			       out);
	if (!err && fill)
		plan_fill_first(*out, FILL_BYTES);
	return err;
}

static bool names_a_workload(const char *name)
{
	_cleanup_free_ char *path = NULL;

	return data_find("workloads", name, &path) == 0;
}

static int check_order(const char *workload, const char *target)
{
	if (!names_a_workload(workload) && names_a_workload(target))
		return fail(EINVAL, "'%s' is a workload, and stands where the target belongs: "
				    "drivebay run WORKLOAD TARGET", target);
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

static int run_workload(int count, const char **arguments)
{
	struct request request = { .workload = arguments[0], .duration_ns = 10000000000u };
	struct setup setup = {
		.target = arguments[1],
		.make_plan = make_plan,
		.context = &request,
		.invocation = "run",
		.load_state = load_state,
		.save_state = save_state,
	};
	int err = check_order(arguments[0], arguments[1]);

	(void)count;
	if (!err)
		err = choose_arrivals(&setup.arrivals);
	if (!err && time_text && parse_duration(time_text, &request.duration_ns))
		err = prefix("time");
	if (!err && request.duration_ns == 0)
		err = fail(EINVAL, "--time: %s is no time at all", time_text);
	if (!err && rate_text && parse_rate(rate_text, &setup.rate))
		err = prefix("rate");
	if (!err && rate_text && setup.rate == 0)
		err = fail(EINVAL, "--rate: 0 requests a second would never end; leave it out for "
				   "as fast as possible");
	return err ? command_failed(err) : setup_run(&setup);
}

const struct command command_run = {
	.name = "run",
	.arguments = "WORKLOAD TARGET",
	.help = "one workload on one target",
	.example = "drivebay run 4k-random-read samsung-983-dct --fill --time 2s",
	.options = options,
	.run = run_workload,
};
