#include "app/pool.h"

#include <assert.h>
#include <stdlib.h>

#include "base/fail.h"

static uint32_t index_of(const struct pool *pool, const struct frame *frame)
{
	return (uint32_t)(frame - pool->frames);
}

/* Neighbours spread over all buckets: Fibonacci hashing. */
static uint32_t *bucket_of(const struct pool *pool, uint64_t page)
{
	return &pool->buckets[(page * 0x9e3779b97f4a7c15ull >> 32) & pool->bucket_mask];
}

void pool_init(struct pool *pool, uint64_t frame_count)
{
	uint64_t buckets = 1;

	assert(frame_count > 0 && frame_count < POOL_NO_FRAME);
	while (buckets < frame_count)
		buckets *= 2;
	*pool = (struct pool){
		.frames = xcalloc(frame_count, sizeof(*pool->frames)),
		.count = (uint32_t)frame_count,
		.buckets = xcalloc(buckets, sizeof(*pool->buckets)),
		.bucket_mask = (uint32_t)(buckets - 1),
		.free = 0,
		.free_count = (uint32_t)frame_count,
		.lru_oldest = POOL_NO_FRAME, .lru_newest = POOL_NO_FRAME,
		.scan = POOL_NO_FRAME, .round = 1,
		.dirty_oldest = POOL_NO_FRAME, .dirty_newest = POOL_NO_FRAME,
	};
	for (uint64_t i = 0; i < buckets; i++)
		pool->buckets[i] = POOL_NO_FRAME;
	for (uint32_t i = 0; i < pool->count; i++)
		pool->frames[i].hash_next = i + 1 < pool->count ? i + 1 : POOL_NO_FRAME;
}

void pool_free(struct pool *pool)
{
	free(pool->frames);
	free(pool->buckets);
}

/* ---- the two lists ---- */

static void lru_remove(struct pool *pool, struct frame *frame)
{
	uint32_t before = frame->lru_before, after = frame->lru_after;

	if (pool->scan == index_of(pool, frame))
		pool->scan = after;
	if (frame->passed == pool->round)
		pool->scanned--;
	frame->passed = 0;
	if (before == POOL_NO_FRAME)
		pool->lru_oldest = after;
	else
		pool->frames[before].lru_after = after;
	if (after == POOL_NO_FRAME)
		pool->lru_newest = before;
	else
		pool->frames[after].lru_before = before;
}

static void lru_add(struct pool *pool, struct frame *frame)
{
	uint32_t index = index_of(pool, frame);

	frame->lru_before = pool->lru_newest;
	frame->lru_after = POOL_NO_FRAME;
	if (pool->lru_newest == POOL_NO_FRAME)
		pool->lru_oldest = index;
	else
		pool->frames[pool->lru_newest].lru_after = index;
	pool->lru_newest = index;
}

static void dirty_remove(struct pool *pool, struct frame *frame)
{
	uint32_t before = frame->dirty_before, after = frame->dirty_after;

	if (before == POOL_NO_FRAME)
		pool->dirty_oldest = after;
	else
		pool->frames[before].dirty_after = after;
	if (after == POOL_NO_FRAME)
		pool->dirty_newest = before;
	else
		pool->frames[after].dirty_before = before;
	pool->dirty_count--;
}

static void dirty_add(struct pool *pool, struct frame *frame)
{
	uint32_t index = index_of(pool, frame);

	frame->dirty_before = pool->dirty_newest;
	frame->dirty_after = POOL_NO_FRAME;
	if (pool->dirty_newest == POOL_NO_FRAME)
		pool->dirty_oldest = index;
	else
		pool->frames[pool->dirty_newest].dirty_after = index;
	pool->dirty_newest = index;
	pool->dirty_count++;
}

/* ---- pages ---- */

struct frame *pool_peek(const struct pool *pool, uint64_t page)
{
	uint32_t index = *bucket_of(pool, page);

	while (index != POOL_NO_FRAME && pool->frames[index].page != page)
		index = pool->frames[index].hash_next;
	return index == POOL_NO_FRAME ? NULL : &pool->frames[index];
}

struct frame *pool_find(struct pool *pool, uint64_t page)
{
	struct frame *frame = pool_peek(pool, page);

	if (!frame || frame->reading)
		return frame;
	pool->hits++;
	if (pool->lru_newest != index_of(pool, frame)) {
		lru_remove(pool, frame);
		lru_add(pool, frame);
	}
	return frame;
}

static void forget(struct pool *pool, struct frame *frame)
{
	uint32_t *at = bucket_of(pool, frame->page);

	while (*at != index_of(pool, frame))
		at = &pool->frames[*at].hash_next;
	*at = frame->hash_next;
	lru_remove(pool, frame);
	frame->held = false;
}

static void next_round(struct pool *pool)
{
	pool->scan = pool->lru_oldest;
	pool->scanned = 0;
	pool->round++;
}

static struct frame *evict(struct pool *pool, uint32_t depth)
{
	if (pool->scan == POOL_NO_FRAME)
		next_round(pool);
	while (pool->scan != POOL_NO_FRAME && pool->scanned < depth) {
		struct frame *frame = &pool->frames[pool->scan];

		if (!frame->dirty && !frame->flushing) {
			forget(pool, frame);
			return frame;
		}
		frame->passed = pool->round;
		pool->scanned++;
		pool->scan = frame->lru_after;
	}
	return NULL;
}

struct frame *pool_take(struct pool *pool, uint64_t page, uint32_t depth)
{
	uint32_t *bucket = bucket_of(pool, page);
	struct frame *frame;

	if (pool->free != POOL_NO_FRAME) {
		frame = &pool->frames[pool->free];
		pool->free = frame->hash_next;
		pool->free_count--;
	} else {
		frame = evict(pool, depth);
	}
	if (!frame)
		return NULL;
	pool->misses++;
	*frame = (struct frame){ .page = page, .hash_next = *bucket, .held = true, .reading = true };
	*bucket = index_of(pool, frame);
	return frame;
}

void pool_arrived(struct pool *pool, struct frame *frame)
{
	assert(frame->held && frame->reading);
	frame->reading = false;
	lru_add(pool, frame);
}

void pool_dirty(struct pool *pool, struct frame *frame, uint64_t lsn)
{
	assert(frame->held && !frame->reading);
	frame->newest_lsn = lsn;
	if (frame->dirty)
		return;
	frame->dirty = true;
	frame->oldest_lsn = lsn;
	dirty_add(pool, frame);
}

void pool_flush_begin(struct pool *pool, struct frame *frame)
{
	assert(frame->dirty && !frame->flushing);
	dirty_remove(pool, frame);
	frame->dirty = false;
	frame->flushing = true;
}

void pool_flush_end(struct pool *pool, struct frame *frame)
{
	assert(frame->flushing);
	frame->flushing = false;
	next_round(pool); /* it may be older than where this one is */
}

uint64_t pool_oldest_lsn(const struct pool *pool)
{
	return pool->dirty_oldest == POOL_NO_FRAME ? UINT64_MAX :
						     pool->frames[pool->dirty_oldest].oldest_lsn;
}
