/* drivebay doctor: what on this host would spoil a measurement, and how to mend it. */
#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/data.h"
#include "cli/doctor.h"
#include "cli/terminal.h"
#include "report/escape.h"
#include "report/table.h"

static int json, columns;

static const struct poptOption options[] = {
	{ "json", 0, POPT_ARG_NONE, &json, 0, "the findings as JSON", NULL },
	{ "columns", 0, POPT_ARG_INT, &columns, 0,
	  "width of the text; 80 and more (default: the terminal's)", "N" },
	POPT_TABLEEND
};

/* A name of drives/ or one that says so is a model: this host does not matter to it. */
static bool is_model(const char *target)
{
	_cleanup_free_ char *path = NULL;

	if (!strncmp(target, "model:", 6))
		return true;
	return !strchr(target, '/') && access(target, F_OK) != 0 && data_find("drives", target, &path) == 0;
}

static void print_finding(const struct finding *finding, unsigned width)
{
	_cleanup_buf_ struct buf line = BUF_INIT;

	buf_printf(&line, "%s: %s", finding->what, finding->found);
	text_wrap(line.text, stdout, width, finding->spoils ? "! " : "- ", "  ");
	buf_free(&line);
	buf_printf(&line, "%s. (%s)", finding->why, finding->where);
	text_wrap(line.text, stdout, width, "    ", "    ");
	if (*finding->mend)
		text_wrap(finding->mend, stdout, width, "    Mend: ", "          ");
}

static void print(const struct doctor *doctor, const char *target, unsigned width)
{
	size_t spoilers = doctor_spoilers(doctor);

	for (int spoils = 1; spoils >= 0; spoils--)
		for (size_t i = 0; i < doctor->finding_count; i++)
			if (doctor->findings[i].spoils == (bool)spoils)
				print_finding(&doctor->findings[i], width);
	printf("%s%s: %zu would spoil a measurement (!), %zu more to know of\n",
	       doctor->finding_count ? "\n" : "", target, spoilers, doctor->finding_count - spoilers);
}

static void put_text(struct buf *out, const char *name, const char *text)
{
	buf_printf(out, ", \"%s\": ", name);
	escape_json(out, text);
}

static void print_json(const struct doctor *doctor)
{
	_cleanup_buf_ struct buf out = BUF_INIT;

	buf_puts(&out, "[\n");
	for (size_t i = 0; i < doctor->finding_count; i++) {
		const struct finding *finding = &doctor->findings[i];

		buf_printf(&out, "  {\"spoils\": %s", finding->spoils ? "true" : "false");
		put_text(&out, "what", finding->what);
		put_text(&out, "where", finding->where);
		put_text(&out, "found", finding->found);
		put_text(&out, "why", finding->why);
		put_text(&out, "mend", finding->mend);
		buf_printf(&out, "}%s\n", i + 1 < doctor->finding_count ? "," : "");
	}
	buf_puts(&out, "]\n");
	fputs(out.text, stdout);
}

static int run(int count, const char **arguments)
{
	struct doctor *doctor = NULL;
	unsigned width;
	size_t spoilers;
	int err = terminal_columns(columns, &width);

	(void)count;
	if (!err && is_model(arguments[0])) {
		puts(json ? "[]" : "A modelled drive is measured in virtual time: this host does not matter to it.");
		return EXIT_OK;
	}
	if (!err)
		err = doctor_examine_path(arguments[0], &doctor);
	if (err)
		return command_failed(err);
	if (json)
		print_json(doctor);
	else
		print(doctor, arguments[0], width);
	spoilers = doctor_spoilers(doctor);
	doctor_free(doctor);
	return spoilers ? EXIT_FAILED : EXIT_OK;
}

const struct command command_doctor = {
	.name = "doctor",
	.arguments = "TARGET",
	.help = "what on this host would spoil a measurement, and how to mend it",
	.example = "drivebay doctor /dev/nvme1n1",
	.options = options,
	.run = run,
};
