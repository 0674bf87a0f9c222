/* drivebay show: a result as tables in the terminal. */
#include "cli/command.h"

#include <errno.h>
#include <stdio.h>

#include "base/fail.h"
#include "cli/terminal.h"
#include "report/report.h"

static int columns, curves, json, csv;

static const struct poptOption options[] = {
	{ "columns", 0, POPT_ARG_INT, &columns, 0,
	  "width of the tables; 80 and more (default: the terminal's)", "N" },
	{ "curves", 0, POPT_ARG_NONE, &curves, 0, "every point of every curve as well", NULL },
	{ "json", 0, POPT_ARG_NONE, &json, 0, "the tables as one JSON object", NULL },
	{ "csv", 0, POPT_ARG_NONE, &csv, 0, "the tables as comma-separated values", NULL },
	POPT_TABLEEND
};

static int print(struct result *result, unsigned width)
{
	if (json)
		return report_print_json(result, stdout, curves);
	if (csv)
		return report_print_csv(result, stdout, curves);
	return curves ? report_print_curves(result, stdout, width) : report_print(result, stdout, width);
}

static int run(int count, const char **arguments)
{
	struct result *result;
	unsigned width;
	int err = terminal_columns(columns, &width);

	(void)count;
	if (!err && json && csv)
		err = fail(EINVAL, "show: --json and --csv contradict each other; choose one");
	if (err)
		return command_failed(err);
	err = result_open(arguments[0], false, &result);
	if (err)
		return command_failed(err);
	err = print(result, width);
	result_close(result);
	return err ? command_failed(err) : EXIT_OK;
}

const struct command command_show = {
	.name = "show",
	.arguments = "RESULT",
	.help = "the tables of a result, in the terminal",
	.example = "drivebay show samsung-983-dct-2024-05-01.drivebay",
	.options = options,
	.run = run,
};
