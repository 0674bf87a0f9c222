/*
 * load_options.h - a workload as options of the command line: alone, or on top of a named one.
 */
#ifndef DRIVEBAY_CLI_LOAD_OPTIONS_H
#define DRIVEBAY_CLI_LOAD_OPTIONS_H

#include <popt.h>
#include <stdbool.h>

#include "load/workload.h"

/* Rows for a command's own table to include; they store into load_options.c's variables. */
extern const struct poptOption load_options[];

/* Whether any of them was given. */
bool load_options_given(void);

/* Takes --depth out of what was given, for who has another use for it; 0: it was not given. */
int load_options_take_depth(uint32_t *out);

/*
 * What they ask for, on top of the workload `base` (a name or a path), or of one reader of 4 KiB
 * in sequence when it is NULL. Without options it is `base` as it stands; else its name says
 * what was changed ("4k-random-read:depth=8"). -EINVAL with a sentence that begins with the
 * option at fault. Freed with workload_free().
 */
int load_options_workload(const char *base, struct workload **out);

#endif
