/*
 * help.h - what the program says about itself, from the table of commands.
 */
#ifndef DRIVEBAY_CLI_HELP_H
#define DRIVEBAY_CLI_HELP_H

#include <stdio.h>

#include "cli/command.h"

/* All commands, on one screen. `commands` ends with NULL, here and below. */
void help_overview(FILE *out, const struct command *const *commands);

/* One command: usage, what it does, options, the common example. */
void help_command(FILE *out, const struct command *command);

/*
 * The manual page of `command`, or of the whole program when that is NULL, as man(7)
 * source. `path` is its hand-written part (may be NULL), in the little Markdown of
 * doc/: paragraphs, "## headings", "- lists", indented or fenced examples, `code`, *words*.
 * Text before the first heading becomes the DESCRIPTION, "## Examples" follow the table's
 * own example, other headings come after the options. 0, or a negative errno.
 */
int help_man_page(FILE *out, const struct command *const *commands,
		  const struct command *command, const char *path);

/* The manual page of a file format, drivebay-NAME(5): all of it is in the page of doc/ at `path`. */
int help_man_format(FILE *out, const char *name, const char *path);

#endif
