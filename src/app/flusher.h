/*
 * flusher.h - a database's page cleaner: dirty pages back to the drive, a batch at a time.
 *
 * A page is written for one of two reasons: it is about to leave the pool (among the `depth`
 * oldest), or the log wants to forget its oldest change. For the latter the cleaner is the more
 * eager the older that change is: with `age` the part of the log's capacity that is in use,
 * nothing below a tenth, from there on `rate` x age x sqrt(age) pages a second, the curve of
 * InnoDB's adaptive flushing; and flat out from 7/8 on. At that mark those who want to append
 * to the log wait: flusher_is_stalled().
 *
 * A batch is written as InnoDB does with its doublewrite buffer: the log first, as far as the
 * pages need it; all pages in one sequential write to an area of their own, a flush; each page
 * in its place, a flush. Without doublewrite the first write and flush are left out.
 */
#ifndef DRIVEBAY_APP_FLUSHER_H
#define DRIVEBAY_APP_FLUSHER_H

#include "app/machine.h"
#include "app/pool.h"
#include "app/redo.h"

enum { FLUSHER_BATCH = 64 };

struct flusher_config {
	uint64_t data_at_bytes;        /* page 0 on the drive */
	uint32_t page_bytes;
	bool doublewrite;
	uint64_t area_at_bytes;        /* doublewrite: FLUSHER_BATCH pages */
	uint64_t log_bytes;            /* of changes that may be on the drive in the log alone */
	uint32_t depth;                /* pages at the old end of the pool that are to be clean */
	uint32_t rate;                 /* pages a second with a full log */
};

struct flusher {
	struct machine *machine;
	struct flusher_config config;
	struct pool *pool;
	struct redo *redo;
	struct event tick;
	struct waiter log;
	struct request head;           /* the area, flushes */
	struct request pages[FLUSHER_BATCH];
	struct frame *batch[FLUSHER_BATCH];
	uint32_t batch_count, batch_left;
	uint64_t batch_oldest_lsn;     /* what the log cannot forget before the batch is written */
	bool busy, second;             /* a batch is under way; it is at its places */
	bool wanted;                   /* somebody waits for a clean page */
	uint64_t tick_ns, credit_milli; /* pages that the log's age allows, in thousandths */
	struct waiters starved;        /* for a frame */
	struct waiters stalled;        /* for room in the log */
	uint64_t written;              /* pages, each counted once */
	uint64_t stall_count;          /* how often somebody waited for room in the log */
};

void flusher_init(struct flusher *flusher, struct machine *machine,
		  const struct flusher_config *config, struct pool *pool, struct redo *redo);

/* Begins to look after the pool. */
void flusher_start(struct flusher *flusher);

/* How much of the log's capacity is in use, in bytes. */
uint64_t flusher_age_bytes(const struct flusher *flusher);
bool flusher_is_stalled(const struct flusher *flusher);

/* Wait until there may be a frame; until there is room in the log. */
void flusher_wait_frame(struct flusher *flusher, struct waiter *waiter);
void flusher_wait_log(struct flusher *flusher, struct waiter *waiter);

#endif
