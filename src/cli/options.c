#include "cli/options.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/data.h"
#include "base/fail.h"

enum { VALUE_HELP = 1000, NAMES = 128 };

static const struct poptOption help_row = {
	"help", 'h', POPT_ARG_NONE, NULL, VALUE_HELP, "show this help", NULL,
};

static bool is_end(const struct poptOption *row)
{
	return !row->longName && !row->shortName && !row->arg;
}

static void walk_table(const struct poptOption *rows,
		       void (*visit)(void *context, const struct poptOption *row), void *context)
{
	for (; rows && !is_end(rows); rows++) {
		unsigned int type = rows->argInfo & POPT_ARG_MASK;

		if (type == POPT_ARG_INCLUDE_TABLE)
			walk_table(rows->arg, visit, context);
		else if ((rows->longName || rows->shortName) &&
			 !(rows->argInfo & POPT_ARGFLAG_DOC_HIDDEN))
			visit(context, rows);
	}
}

void options_walk(const struct poptOption *rows,
		  void (*visit)(void *context, const struct poptOption *row), void *context)
{
	walk_table(rows, visit, context);
	visit(context, &help_row);
}

const char *option_argument(const struct poptOption *row)
{
	unsigned int type = row->argInfo & POPT_ARG_MASK;

	if (type == POPT_ARG_NONE || type == POPT_ARG_VAL)
		return NULL;
	if (row->argDescrip)
		return row->argDescrip;
	return type == POPT_ARG_STRING || type == POPT_ARG_ARGV ? "TEXT" : "N";
}

struct names {
	size_t count;
	char *list[NAMES];
};

static void collect_name(void *context, const struct poptOption *row)
{
	struct names *names = context;

	if (row->longName && names->count < NAMES)
		names->list[names->count++] = xasprintf("--%s", row->longName);
}

/* "--dephts=4" is compared as "--dephts". */
static int unknown_option(const struct command *command, const char *option)
{
	_cleanup_free_ char *word = xstrdup(option);
	struct names names = { 0 };
	const char *near;
	int err;

	word[strcspn(word, "=")] = '\0';
	options_walk(command->options, collect_name, &names);
	near = data_nearest(word, (const char *const *)names.list, names.count);
	if (near)
		err = fail(EINVAL, "%s: unknown option '%s'; did you mean '%s'?", command->name,
			   word, near);
	else
		err = fail(EINVAL, "%s: unknown option '%s' (see 'drivebay %s --help')",
			   command->name, word, command->name);
	while (names.count > 0)
		free(names.list[--names.count]);
	return err;
}

static int bad_option(const struct command *command, poptContext context, int error)
{
	const char *option = poptBadOption(context, POPT_BADOPTION_NOALIAS);

	if (error == POPT_ERROR_BADOPT)
		return unknown_option(command, option);
	return fail(EINVAL, "%s: %s: %s (see 'drivebay %s --help')", command->name, option,
		    error == POPT_ERROR_NOARG ? "its value is missing" : poptStrerror(error),
		    command->name);
}

/* How many arguments "WORKLOAD TARGET [DIR]" or "RESULT..." allow; the name of each is a word. */
static void argument_limits(const char *words, int *least, int *most)
{
	int depth = 0;

	*least = *most = 0;
	while (*words) {
		size_t length;

		for (; *words == ' ' || *words == '[' || *words == ']'; words++)
			depth += (*words == '[') - (*words == ']');
		length = strcspn(words, " []");
		if (!length)
			continue;
		*least += depth == 0;
		if (*most != INT_MAX)
			*most += 1;
		if (length > 3 && !strncmp(words + length - 3, "...", 3))
			*most = INT_MAX;
		words += length;
	}
}

static int check_count(const struct command *command, int count, const char **arguments)
{
	int least, most;

	argument_limits(command->arguments, &least, &most);
	if (count < least)
		return fail(EINVAL, "%s: an argument is missing; usage: drivebay %s %s", command->name,
			    command->name, command->arguments);
	if (count > most)
		return fail(EINVAL, "%s: '%s' is one argument too many; usage: drivebay %s%s%s",
			    command->name, arguments[most], command->name,
			    *command->arguments ? " " : "", command->arguments);
	return 0;
}

int options_parse(const struct command *command, int argc, const char **argv,
		  struct invocation *out)
{
	static const char *none[] = { NULL };
	static const struct poptOption no_rows[] = { POPT_TABLEEND };
	const struct poptOption *rows = command->options ? command->options : no_rows;
	int got;

	*out = (struct invocation){
		.arguments = none,
		.rows = { { .argInfo = POPT_ARG_INCLUDE_TABLE, .arg = (void *)(uintptr_t)rows },
			  help_row },
	};
	out->context = poptGetContext("drivebay", argc, argv, out->rows, 0);
	while ((got = poptGetNextOpt(out->context)) >= 0)
		if (got == VALUE_HELP) {
			out->help = true;
			return 0;
		}
	if (got != -1)
		return bad_option(command, out->context, got);
	if (poptPeekArg(out->context))
		out->arguments = poptGetArgs(out->context);
	while (out->arguments[out->count])
		out->count++;
	return check_count(command, out->count, out->arguments);
}

void invocation_end(struct invocation *invocation)
{
	if (invocation->context)
		poptFreeContext(invocation->context);
	*invocation = (struct invocation){ 0 };
}
