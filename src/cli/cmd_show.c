/* drivebay show: a result as tables in the terminal. */
#include "cli/command.h"

#include <stdio.h>

#include "cli/terminal.h"
#include "report/report.h"

static int columns, curves;

static const struct poptOption options[] = {
	{ "columns", 0, POPT_ARG_INT, &columns, 0,
	  "width of the tables; 80 and more (default: the terminal's)", "N" },
	{ "curves", 0, POPT_ARG_NONE, &curves, 0, "every point of every curve as well", NULL },
	POPT_TABLEEND
};

static int run(int count, const char **arguments)
{
	struct result *result;
	unsigned width;
	int err = terminal_columns(columns, &width);

	(void)count;
	if (err)
		return command_failed(err);
	err = result_open(arguments[0], false, &result);
	if (err)
		return command_failed(err);
	err = curves ? report_print_curves(result, stdout, width)
		     : report_print(result, stdout, width);
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
