/* drivebay report: one HTML page about a result, or several side by side. */
#include "cli/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "report/report.h"

static char *output;
static int force;

static const struct poptOption options[] = {
	{ "output", 'o', POPT_ARG_STRING, &output, 0,
	  "the page to write (default: the first RESULT with .html behind it)", "PATH" },
	{ "force", 0, POPT_ARG_NONE, &force, 0,
	  "replace a file there that is no report of drivebay", NULL },
	POPT_TABLEEND
};

static int write_page(struct result *const *results, size_t count, const char *path)
{
	return force ? report_overwrite_html(results, count, path)
		     : report_write_html(results, count, path);
}

/* Not even --force may turn a result into a picture of itself. */
static int check_output(int count, const char **arguments, const char *path)
{
	struct stat page, result;

	if (stat(path, &page) < 0)
		return 0;
	for (int i = 0; i < count; i++)
		if (!stat(arguments[i], &result) && result.st_dev == page.st_dev
		    && result.st_ino == page.st_ino)
			return fail(EINVAL, "--output: %s is one of the results; name another file for "
				    "the page", path);
	return 0;
}

static int run(int count, const char **arguments)
{
	struct result **results = xcalloc((size_t)count, sizeof(*results));
	_cleanup_free_ char *beside = xasprintf("%s.html", arguments[0]);
	const char *path = output ? output : beside;
	int err = check_output(count, arguments, path);

	for (int i = 0; !err && i < count; i++)
		err = result_open(arguments[i], false, &results[i]);
	if (!err)
		err = write_page(results, (size_t)count, path);
	for (int i = 0; i < count; i++)
		result_close(results[i]);
	free(results);
	if (err)
		return command_failed(err);
	fprintf(stderr, "%s written\n", path);
	return EXIT_OK;
}

const struct command command_report = {
	.name = "report",
	.arguments = "RESULT...",
	.help = "one HTML page about a result, or several side by side",
	.example = "drivebay report one.drivebay other.drivebay -o report.html",
	.options = options,
	.run = run,
};
