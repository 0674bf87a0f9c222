/* drivebay export: a result's tables for other programs, on stdout. */
#include "cli/command.h"

#include <stdio.h>

#include "store/result.h"

static int csv = 1; /* the only form so far; named so that scripts can say what they expect */
static char *table;

static const struct poptOption options[] = {
	{ "csv", '\0', POPT_ARG_NONE, &csv, 0, "as comma-separated values (the default)", NULL },
	{ "table", '\0', POPT_ARG_STRING, &table, 0,
	  "only this one: meta, workloads, phases, rounds, windows or histogram", "TABLE" },
	POPT_TABLEEND
};

static int run_export(int count, const char **arguments)
{
	struct result *result;
	int err = result_open(arguments[0], false, &result);

	(void)count;
	if (err)
		return command_failed(err);
	if (table)
		err = result_export_csv_table(result, table, stdout);
	else
		err = result_export_csv(result, stdout);
	result_close(result);
	return err ? command_failed(err) : EXIT_OK;
}

const struct command command_export = {
	.name = "export",
	.arguments = "RESULT",
	.help = "the tables of a result as CSV",
	.example = "drivebay export --table=windows run.drivebay > windows.csv",
	.options = options,
	.run = run_export,
};
