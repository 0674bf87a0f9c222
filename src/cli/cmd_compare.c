/* drivebay compare: whether one result is any different from another; a gate for CI. */
#include "cli/command.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/units.h"
#include "cli/terminal.h"
#include "report/compare.h"

static char *fail_below, *confidence, *margin;
static int json, all, anyway, columns;

static const struct poptOption options[] = {
	{ "fail-below", 0, POPT_ARG_STRING, &fail_below, 0,
	  "exit status 1 when a figure of B is slower beyond doubt and reaches less than this of A",
	  "PERCENT" },
	{ "confidence", 0, POPT_ARG_STRING, &confidence, 0,
	  "of all intervals together (default: 95%)", "PERCENT" },
	{ "margin", 0, POPT_ARG_STRING, &margin, 0,
	  "differences up to this are of no account (default: 1%)", "PERCENT" },
	{ "all", 0, POPT_ARG_NONE, &all, 0, "points of curves that do not differ as well", NULL },
	{ "anyway", 0, POPT_ARG_NONE, &anyway, 0,
	  "compare what is common to results of different plans, beds or scales", NULL },
	{ "json", 0, POPT_ARG_NONE, &json, 0, "all figures as one JSON object", NULL },
	{ "columns", 0, POPT_ARG_INT, &columns, 0,
	  "width of the table; 80 and more (default: the terminal's)", "N" },
	POPT_TABLEEND
};

/* A share like "95%", between `least` and `most` percent, as 0.95. */
static int parse_share(const char *name, const char *text, double least, double most, double *out)
{
	uint64_t millipercent;
	int err;

	if (!text)
		return 0;
	err = parse_percent(text, &millipercent);
	if (err)
		return fail(EINVAL, "--%s: '%s' is no percentage such as 95%%", name, text);
	*out = (double)millipercent / 1e5;
	if (*out < least / 100 || *out > most / 100)
		return fail(EINVAL, "--%s: %s is not between %g%% and %g%%", name, text, least, most);
	return 0;
}

static void print(const struct comparison *comparison, unsigned width)
{
	struct buf text = BUF_INIT;

	if (json) {
		compare_json(comparison, &text);
		fputs(text.text, stdout);
	} else {
		compare_print(comparison, stdout, width, all);
	}
	buf_free(&text);
}

static int gate(const struct comparison *comparison, double least)
{
	const struct compare_line *line = compare_failure(comparison, least);

	if (!comparison->judged_count)
		return command_failed(fail(ENODATA, "compare: nothing could be judged, so nothing is passed"));
	if (!line)
		return EXIT_OK;
	return command_failed(fail(ERANGE, "compare: %s, %s: B reaches %.1f %% of A, and --fail-below is %s",
				   line->phase, compare_figure_name(line->figure),
				   compare_goodness(line) * 100, fail_below));
}

static int run(int count, const char **arguments)
{
	struct compare_options how = { .confidence = .95, .margin = .01, .anyway = anyway };
	struct result *results[2] = { NULL, NULL };
	struct comparison *comparison = NULL;
	double least = 0;
	unsigned width = 0;
	int err = parse_share("fail-below", fail_below, 1, 100, &least), status = EXIT_OK;

	if (!err)
		err = parse_share("confidence", confidence, 50, 99.999, &how.confidence);
	if (!err)
		err = parse_share("margin", margin, 0, 50, &how.margin);
	if (!err)
		err = terminal_columns(columns, &width);
	for (int i = 0; !err && i < count; i++)
		err = result_open(arguments[i], false, &results[i]);
	if (!err)
		err = compare_results(results[0], results[1], &how, &comparison);
	if (!err) {
		print(comparison, width);
		status = fail_below ? gate(comparison, least) : EXIT_OK;
	}
	comparison_free(comparison);
	result_close(results[0]);
	result_close(results[1]);
	return err ? command_failed(err) : status;
}

const struct command command_compare = {
	.name = "compare",
	.arguments = "A B",
	.help = "whether one result differs from another: ratios with confidence, a gate for CI",
	.example = "drivebay compare --fail-below 95% before.drivebay after.drivebay",
	.options = options,
	.run = run,
};
