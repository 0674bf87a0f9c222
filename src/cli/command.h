/*
 * command.h - the table of subcommands.
 *
 * A new subcommand is a new file cli/cmd_NAME.c and a line in cli/main.c. Options are
 * popt tables; help, man page and completion walk the same rows.
 */
#ifndef DRIVEBAY_CLI_COMMAND_H
#define DRIVEBAY_CLI_COMMAND_H

#include <popt.h>

enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1, /* tried and failed, refused, or the answer is no */
	EXIT_USAGE = 2,  /* asked wrongly */
};

struct command {
	const char *name;
	const char *arguments; /* "TARGET", "WORKLOAD TARGET" */
	const char *help;      /* one line */
	const char *example;   /* the common one */
	const struct poptOption *options;
	int (*run)(int count, const char **arguments); /* an exit status */
};

extern const struct command command_review, command_run, command_show, command_report,
	command_export, command_list;

/* Prints "drivebay: " and the sentence of fail(); the exit status that `err` asks for. */
int command_failed(int err);

#endif
