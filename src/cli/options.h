/*
 * options.h - the rows of a command's popt table: parsed, and walked.
 */
#ifndef DRIVEBAY_CLI_OPTIONS_H
#define DRIVEBAY_CLI_OPTIONS_H

#include <popt.h>
#include <stdbool.h>

#include "cli/command.h"

/* What a command line came to. Arguments belong to the context. */
struct invocation {
	poptContext context;
	bool help;              /* --help was given: nothing else counts */
	int count;
	const char **arguments; /* NULL ends them; never NULL itself */
	struct poptOption rows[3]; /* the context's own */
};

/*
 * Parses argv[1..argc-1], argv[0] being the command's name: options go where the rows say,
 * the rest into *out, counted against command->arguments. -EINVAL with one sentence, which
 * names the nearest option when there is one. Ended with invocation_end().
 */
int options_parse(const struct command *command, int argc, const char **argv,
		  struct invocation *out);
void invocation_end(struct invocation *invocation); /* what the rows stored stays */

/* Calls `visit` with each row that is not hidden, included tables too, and --help last. */
void options_walk(const struct poptOption *rows,
		  void (*visit)(void *context, const struct poptOption *row), void *context);

/* What the option takes ("SIZE" in --block=SIZE), or NULL for a switch. */
const char *option_argument(const struct poptOption *row);

#endif
