#include "app/flusher.h"

#include <assert.h>
#include <math.h>

#define TICK_NS 1000000ull /* how often it looks when there is nothing to do */
#define S_NS 1000000000ull

static void look(struct flusher *flusher);

static void ticked(struct sim *sim, struct event *event)
{
	struct flusher *flusher = container_of(event, struct flusher, tick);

	(void)sim;
	look(flusher);
	sim_at(sim, event, sim->now_ns + TICK_NS);
}

void flusher_init(struct flusher *flusher, struct machine *machine,
		  const struct flusher_config *config, struct pool *pool, struct redo *redo)
{
	*flusher = (struct flusher){
		.machine = machine, .config = *config, .pool = pool, .redo = redo,
		.batch_oldest_lsn = UINT64_MAX,
	};
	flusher->tick.fire = ticked;
}

void flusher_start(struct flusher *flusher)
{
	flusher->tick_ns = machine_now(flusher->machine);
	sim_at(&flusher->machine->sim, &flusher->tick, flusher->tick_ns + TICK_NS);
}

uint64_t flusher_age_bytes(const struct flusher *flusher)
{
	uint64_t oldest_lsn = pool_oldest_lsn(flusher->pool);

	if (flusher->batch_oldest_lsn < oldest_lsn)
		oldest_lsn = flusher->batch_oldest_lsn;
	return oldest_lsn == UINT64_MAX ? 0 : flusher->redo->lsn - oldest_lsn;
}

static bool is_late(const struct flusher *flusher)
{
	return flusher_age_bytes(flusher) >= flusher->config.log_bytes / 8 * 7;
}

bool flusher_is_stalled(const struct flusher *flusher)
{
	return is_late(flusher);
}

/* ---- what to write ---- */

/* What the age of the oldest change has allowed since the last look. */
static void earn_credit(struct flusher *flusher)
{
	uint64_t now_ns = machine_now(flusher->machine);
	double age = (double)flusher_age_bytes(flusher) / (double)flusher->config.log_bytes;
	double rate = age < 0.1 ? 0 : (double)flusher->config.rate * age * sqrt(age);

	flusher->credit_milli += (uint64_t)(rate * (double)(now_ns - flusher->tick_ns) / 1e6);
	if (flusher->credit_milli > FLUSHER_BATCH * 1000)
		flusher->credit_milli = FLUSHER_BATCH * 1000;
	flusher->tick_ns = now_ns;
}

static void choose(struct flusher *flusher, struct frame *frame)
{
	if (frame->oldest_lsn < flusher->batch_oldest_lsn)
		flusher->batch_oldest_lsn = frame->oldest_lsn;
	pool_flush_begin(flusher->pool, frame);
	flusher->batch[flusher->batch_count++] = frame;
}

/*
 * Dirty pages at the old end, which are to be clean when a frame is wanted: the first of them
 * in leaving[], at most a batch. While frames are free there is no hurry.
 */
static uint32_t find_leaving(struct flusher *flusher, struct frame *leaving[static FLUSHER_BATCH])
{
	const struct pool *pool = flusher->pool;
	uint32_t index = pool->lru_oldest, count = 0;

	if (pool->free_count > 0)
		return 0;
	for (uint32_t i = 0; i < flusher->config.depth && index != POOL_NO_FRAME; i++) {
		struct frame *frame = &pool->frames[index];

		index = frame->lru_after;
		if (frame->dirty && !frame->flushing)
			leaving[count++] = frame;
		if (count == FLUSHER_BATCH)
			break;
	}
	return count;
}

/* The oldest changes. A page that is still flushing has been made dirty again: not so old. */
static void choose_oldest(struct flusher *flusher)
{
	const struct pool *pool = flusher->pool;
	bool late = is_late(flusher);
	uint32_t index = pool->dirty_oldest;

	while (index != POOL_NO_FRAME && flusher->batch_count < FLUSHER_BATCH) {
		struct frame *frame = &pool->frames[index];

		index = frame->dirty_after;
		if (frame->flushing)
			continue;
		if (!late && flusher->credit_milli < 1000)
			return;
		flusher->credit_milli -= flusher->credit_milli < 1000 ? flusher->credit_milli : 1000;
		choose(flusher, frame);
	}
}

/* ---- a batch ---- */

static void batch_written(struct request *request)
{
	struct flusher *flusher = request->owner;

	for (uint32_t i = 0; i < flusher->batch_count; i++)
		pool_flush_end(flusher->pool, flusher->batch[i]);
	flusher->written += flusher->batch_count;
	flusher->batch_count = 0;
	flusher->batch_oldest_lsn = UINT64_MAX;
	flusher->busy = false;
	waiters_wake(&flusher->starved);
	if (!flusher_is_stalled(flusher))
		waiters_wake(&flusher->stalled);
	if (!flusher->busy)
		look(flusher);
}

static void page_written(struct request *request)
{
	struct flusher *flusher = request->owner;

	if (--flusher->batch_left > 0)
		return;
	flusher->head.done = batch_written;
	machine_send(flusher->machine, &flusher->head, IO_FLUSH, 0, 0);
}

static void write_pages(struct request *request)
{
	struct flusher *flusher = request->owner;
	const struct flusher_config *config = &flusher->config;

	flusher->batch_left = flusher->batch_count;
	for (uint32_t i = 0; i < flusher->batch_count; i++) {
		flusher->pages[i].owner = flusher;
		flusher->pages[i].done = page_written;
		machine_send(flusher->machine, &flusher->pages[i], IO_WRITE,
			     config->data_at_bytes + flusher->batch[i]->page * config->page_bytes,
			     config->page_bytes);
	}
}

static void area_written(struct request *request)
{
	struct flusher *flusher = request->owner;

	request->done = write_pages;
	machine_send(flusher->machine, request, IO_FLUSH, 0, 0);
}

static void log_is_safe(struct waiter *waiter)
{
	struct flusher *flusher = container_of(waiter, struct flusher, log);
	const struct flusher_config *config = &flusher->config;

	flusher->head.owner = flusher;
	if (!config->doublewrite) {
		write_pages(&flusher->head);
		return;
	}
	flusher->head.done = area_written;
	machine_send(flusher->machine, &flusher->head, IO_WRITE, config->area_at_bytes,
		     flusher->batch_count * config->page_bytes);
}

static void look(struct flusher *flusher)
{
	uint64_t newest_lsn = 0;

	struct frame *leaving[FLUSHER_BATCH];
	uint32_t count;

	earn_credit(flusher);
	if (flusher->busy)
		return;
	count = find_leaving(flusher, leaving);
	/* Each batch costs two flushes: it waits until it is full, unless somebody waits for it. */
	if (count + flusher->credit_milli / 1000 < FLUSHER_BATCH && !flusher->starved.first &&
	    !is_late(flusher))
		return;
	for (uint32_t i = 0; i < count; i++)
		choose(flusher, leaving[i]);
	choose_oldest(flusher);
	if (flusher->batch_count == 0)
		return;
	flusher->busy = true;
	for (uint32_t i = 0; i < flusher->batch_count; i++)
		if (flusher->batch[i]->newest_lsn > newest_lsn)
			newest_lsn = flusher->batch[i]->newest_lsn;
	flusher->log.ready = log_is_safe;
	redo_commit(flusher->redo, &flusher->log, newest_lsn);
}

void flusher_wait_frame(struct flusher *flusher, struct waiter *waiter)
{
	waiters_add(&flusher->starved, waiter);
	look(flusher);
}

void flusher_wait_log(struct flusher *flusher, struct waiter *waiter)
{
	flusher->stall_count++;
	waiters_add(&flusher->stalled, waiter);
	look(flusher);
}
