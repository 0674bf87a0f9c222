/*
 * command.h - the table of subcommands.
 *
 * A new subcommand is a new file cli/cmd_NAME.c, its name in meson.build's list and a line
 * in cli/main.c. Options are popt tables whose rows store into variables of their file
 * (`val` 0: nothing is returned to the parser); help and man page walk the same rows.
 * main() parses them, counts the arguments and checks that stdout took everything, so
 * run() starts with what was asked and can print freely.
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
	const char *arguments; /* "TARGET", "[WORKLOAD] TARGET", "[WHAT [DIR]]", "RESULT..." or "":
				  main() refuses too few and too many */
	const char *help;      /* one line */
	const char *example;   /* the common one */
	const struct poptOption *options; /* ends with POPT_TABLEEND; NULL: none */
	int (*run)(int count, const char **arguments); /* an exit status; arguments[count] is NULL */
};

extern const struct command command_review, command_run, command_show, command_report,
	command_compare, command_export, command_list, command_validate, command_calibrate, command_doctor,
	command_soak;

/* Prints "drivebay: " and the sentence of fail(); the exit status that `err` asks for. */
int command_failed(int err);

#endif
