/*
 * pool.h - a database's buffer pool: which pages are in memory, and which of them are dirty.
 *
 * Bookkeeping only; who reads and writes pages is elsewhere. Pages leave in the order in which
 * they were last used (LRU). Dirty pages also stand in the order in which they were first made
 * dirty, which is the order in which a log can forget them. Memory: 56 bytes a frame, however
 * large the data.
 *
 * A frame is in one of these states:
 *	free       holds nothing
 *	reading    its page is on its way in; others that want it wait at the frame
 *	clean, dirty
 *	flushing   a copy is on its way out; it can be used and made dirty again meanwhile, and
 *	           does not leave before the copy is written
 */
#ifndef DRIVEBAY_APP_POOL_H
#define DRIVEBAY_APP_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/machine.h"

#define POOL_NO_FRAME UINT32_MAX

struct frame {
	uint64_t page;
	uint64_t oldest_lsn, newest_lsn; /* of the changes since it was last written; dirty ones */
	uint32_t hash_next;
	uint32_t lru_before, lru_after;  /* POOL_NO_FRAME at the ends; towards the most recent */
	uint32_t dirty_before, dirty_after;
	uint32_t passed;                 /* the round of eviction that last found it not clean */
	bool held, reading, dirty, flushing; /* held: it holds a page, or will */
};

struct pool {
	struct frame *frames;
	uint32_t count;
	uint32_t *buckets, bucket_mask;
	uint32_t free;                   /* a list through hash_next */
	uint32_t free_count, dirty_count;
	uint32_t lru_oldest, lru_newest;
	/* Eviction goes on at `scan`: what is older, so many frames, was not clean in this round,
	   which lasts until a flush ends. */
	uint32_t scan, scanned, round;
	uint32_t dirty_oldest, dirty_newest;
	uint64_t hits, misses;           /* pages found; pages that took a frame */
};

void pool_init(struct pool *pool, uint64_t frame_count);
void pool_free(struct pool *pool);

/* The frame of a page, which becomes the most recent one if it is there; NULL: it is neither in
   memory nor on its way. */
struct frame *pool_find(struct pool *pool, uint64_t page);

/* The same without a trace: no use, no count. */
struct frame *pool_peek(const struct pool *pool, uint64_t page);

/*
 * A frame for a page that is not in memory, in state reading: a free one, else that of the
 * oldest page that is clean, looking at no more than `depth`. NULL: all of these are dirty.
 */
struct frame *pool_take(struct pool *pool, uint64_t page, uint32_t depth);

/* What was reading is there, and the most recent. */
void pool_arrived(struct pool *pool, struct frame *frame);

/* It has been changed by what the log has at `lsn`. */
void pool_dirty(struct pool *pool, struct frame *frame, uint64_t lsn);

/* A copy of a dirty page goes out: it is clean and flushing. Then that copy is written. */
void pool_flush_begin(struct pool *pool, struct frame *frame);
void pool_flush_end(struct pool *pool, struct frame *frame);

/* The oldest change that is in no page on the drive; UINT64_MAX: all are. */
uint64_t pool_oldest_lsn(const struct pool *pool);

#endif
