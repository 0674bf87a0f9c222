/*
 * completion.h - what a shell offers when one presses Tab, from the table of commands.
 *
 * What must be asked for at that moment (the names of drives, beds, workloads, plans) is asked of
 * `drivebay list`; all else is in the script.
 */
#ifndef DRIVEBAY_CLI_COMPLETION_H
#define DRIVEBAY_CLI_COMPLETION_H

#include <stdio.h>

#include "cli/command.h"

/* The script for "bash", "zsh" or "fish"; -EINVAL with a sentence for another shell. */
int completion_print(FILE *out, const char *shell, const struct command *const *commands);

#endif
