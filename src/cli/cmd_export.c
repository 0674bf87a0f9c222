/* drivebay export: a result for other programs, on stdout. */
#include "cli/command.h"

#include <errno.h>
#include <stdio.h>

#include "base/fail.h"
#include "store/result.h"

static int csv, json;
static char *table;

static const struct poptOption options[] = {
	{ "csv", '\0', POPT_ARG_NONE, &csv, 0, "as comma-separated values (the default)", NULL },
	{ "table", '\0', POPT_ARG_STRING, &table, 0,
	  "only this one: meta, workloads, phases, rounds, windows or histogram", "TABLE" },
	{ "json", '\0', POPT_ARG_NONE, &json, 0, "in the shape of fio's JSON, for what reads that", NULL },
	POPT_TABLEEND
};

static int print(struct result *result)
{
	if (json)
		return result_export_fio(result, stdout);
	return table ? result_export_csv_table(result, table, stdout) : result_export_csv(result, stdout);
}

static int run_export(int count, const char **arguments)
{
	struct result *result;
	int err;

	(void)count;
	if (json && (csv || table))
		return command_failed(fail(EINVAL, "--json and --%s contradict each other: JSON is one "
						   "whole", csv ? "csv" : "table"));
	err = result_open(arguments[0], false, &result);
	if (err)
		return command_failed(err);
	err = print(result);
	result_close(result);
	return err ? command_failed(err) : EXIT_OK;
}

const struct command command_export = {
	.name = "export",
	.arguments = "RESULT",
	.help = "the tables of a result as CSV, or all of it as JSON",
	.example = "drivebay export --table=windows run.drivebay > windows.csv",
	.options = options,
	.run = run_export,
};
