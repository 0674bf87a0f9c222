/*
 * progress.h - how far a run is, on stderr: one line that is rewritten on a terminal, a plain
 * line for each finished phase elsewhere.
 *
 * Several chains may be under way, each in its own process, so what they report lives in shared
 * memory: each chain writes its own entry, one process shows them all.
 */
#ifndef DRIVEBAY_CLI_PROGRESS_H
#define DRIVEBAY_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "load/plan.h"
#include "stats/stats.h"

struct progress; /* shared between the processes forked after progress_new() */

struct progress *progress_new(const struct plan *plan, bool quiet);
void progress_free(struct progress *progress);

/* By the process that runs the chain. */
void progress_phase(struct progress *progress, size_t phase);
void progress_update(struct progress *progress, size_t phase, const struct stats *so_far,
		     uint64_t elapsed_ns);
void progress_done(struct progress *progress, size_t phase, const struct stats *stats,
		   const char *note, bool skipped);

/* A line that stands whatever the progress looks like: for what one must know. Any process. */
void progress_note(struct progress *progress, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* By the process that owns the terminal, a few times a second; cheap when called more often. */
void progress_show(struct progress *progress);
/* Wipes the line, so that what is printed next stands alone. */
void progress_wipe(struct progress *progress);

/* A chain's last words on why it ended early: text for the parent to pass on. */
void progress_set_message(struct progress *progress, unsigned chain, int err, const char *message);
int progress_message(const struct progress *progress, unsigned chain, const char **message);

/* The phase that a chain was last in. */
const char *progress_phase_name(const struct progress *progress, unsigned chain);

#endif
