#include "cli/help.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "cli/options.h"

enum { COLUMN = 30, SCREEN = 80 }; /* where the explanation of a row begins; where lines end */

/* Words from COLUMN on, wrapped before the screen ends; the first line has begun already. */
static void explain(FILE *out, const char *words)
{
	size_t room = SCREEN - COLUMN;

	while (strlen(words) > room) {
		size_t cut = room;

		while (cut > 0 && words[cut] != ' ')
			cut--;
		if (cut == 0) /* one long word */
			cut = strcspn(words, " ");
		fprintf(out, "%.*s\n", (int)cut, words);
		words += cut + strspn(words + cut, " ");
		if (!*words)
			return;
		fprintf(out, "%*s", COLUMN, "");
	}
	fprintf(out, "%s\n", words);
}

/* "  left        right", the right part begins a line of its own where the left is long. */
static void row(FILE *out, const char *left, const char *right)
{
	if (strlen(left) + 4 > COLUMN)
		fprintf(out, "  %s\n%*s", left, COLUMN, "");
	else
		fprintf(out, "  %-*s", COLUMN - 2, left);
	explain(out, right);
}

void help_overview(FILE *out, const struct command *const *commands)
{
	fputs("drivebay measures SSDs as a storage laboratory does, and models the ones you do not have.\n"
	      "\n"
	      "Usage: drivebay COMMAND [OPTION...] [ARGUMENT...]\n"
	      "\n"
	      "Commands:\n",
	      out);
	for (; *commands; commands++) {
		_cleanup_buf_ struct buf left = BUF_INIT;

		buf_printf(&left, "%s %s", (*commands)->name, (*commands)->arguments);
		row(out, left.text, (*commands)->help);
	}
	row(out, "help [COMMAND]", "this page, or all about one command");
	fputs("\n"
	      "A TARGET is a drive to model (samsung-983-dct), a device or file (/dev/nvme1n1,\n"
	      "scratch.img), or KIND:ARGUMENT; 'drivebay list' shows drives, workloads and kinds.\n"
	      "Models need no hardware and harm nothing. A real drive is only written when\n"
	      "--destroy-data says so.\n"
	      "\n"
	      "More: man drivebay, man drivebay-COMMAND. In the source tree: doc/model.md (what a\n"
	      "model does), doc/devices.md (real drives), and the format of each kind of file:\n"
	      "doc/drive-format.md, bed-format.md, workload-format.md, plan-format.md,\n"
	      "result-format.md.\n",
	      out);
}

static void option_row(void *context, const struct poptOption *option)
{
	const char *argument = option_argument(option);
	_cleanup_buf_ struct buf left = BUF_INIT;

	if (option->shortName)
		buf_printf(&left, "-%c%s", option->shortName, option->longName ? ", " : "");
	else
		buf_puts(&left, "    ");
	if (option->longName)
		buf_printf(&left, "--%s", option->longName);
	if (argument)
		buf_printf(&left, "%s%s", option->longName ? "=" : " ", argument);
	row(context, left.text, option->descrip ? option->descrip : "");
}

void help_command(FILE *out, const struct command *command)
{
	fprintf(out, "Usage: drivebay %s [OPTION...] %s\n\n", command->name, command->arguments);
	fprintf(out, "%c%s.\n\nOptions:\n", toupper((unsigned char)*command->help),
		command->help + 1);
	options_walk(command->options, option_row, out);
	if (command->example)
		fprintf(out, "\nExample:\n  %s\n", command->example);
	fprintf(out, "\nMore: man drivebay-%s\n", command->name);
}
