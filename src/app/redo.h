/*
 * redo.h - a database's log: group commit.
 *
 * Changes append to the log in memory and get a position (lsn, in bytes). Who commits waits
 * until the drive has the log up to there. One write is under way at a time: it carries all
 * that has been appended when it begins, in whole blocks, round and round in a file, and a
 * flush follows it. Whoever comes meanwhile waits for the next one, together with all others.
 */
#ifndef DRIVEBAY_APP_REDO_H
#define DRIVEBAY_APP_REDO_H

#include "app/machine.h"

enum { REDO_BLOCK = 4096, REDO_WRITE_MAX = 1 << 20 };

struct redo {
	struct machine *machine;
	struct request request;
	uint64_t at_bytes, size_bytes; /* of the file on the drive, whole blocks */
	uint64_t lsn;                  /* the end of what was appended */
	uint64_t written_lsn;          /* the drive has, or is getting, all before */
	uint64_t flushed_lsn;          /* all before is safe */
	bool busy;
	struct waiters waiters;        /* in no order of lsn */
	uint64_t commits, groups;      /* woken; writes that woke somebody */
};

void redo_init(struct redo *redo, struct machine *machine, uint64_t at_bytes, uint64_t size_bytes);

/* `bytes` of changes; returns the lsn behind them. */
uint64_t redo_append(struct redo *redo, uint64_t bytes);

/* waiter->ready() is called, now or later, when all up to `lsn` is safe. */
void redo_commit(struct redo *redo, struct waiter *waiter, uint64_t lsn);

#endif
