#include "app/redo.h"

#include <assert.h>

static void write_next(struct redo *redo);

void redo_init(struct redo *redo, struct machine *machine, uint64_t at_bytes, uint64_t size_bytes)
{
	assert(size_bytes >= REDO_BLOCK && size_bytes % REDO_BLOCK == 0);
	*redo = (struct redo){ .machine = machine, .at_bytes = at_bytes, .size_bytes = size_bytes };
}

uint64_t redo_append(struct redo *redo, uint64_t bytes)
{
	redo->lsn += bytes;
	return redo->lsn;
}

/* Wakes those that wait for no more than what is safe; the others wait on. */
static void wake(struct redo *redo)
{
	struct waiters all = redo->waiters;
	struct waiter *waiter;
	uint64_t woken = 0;

	redo->waiters = (struct waiters){ NULL, NULL };
	while ((waiter = waiters_take(&all))) {
		if (waiter->lsn > redo->flushed_lsn) {
			waiters_add(&redo->waiters, waiter);
			continue;
		}
		woken++;
		waiter->ready(waiter);
	}
	redo->commits += woken;
	redo->groups += woken > 0;
}

static void flushed(struct request *request)
{
	struct redo *redo = request->owner;

	redo->flushed_lsn = redo->written_lsn;
	/* Still busy: what those who are woken append goes with the next write, all of it. */
	wake(redo);
	redo->busy = false;
	if (redo->waiters.first)
		write_next(redo);
}

static void written(struct request *request)
{
	struct redo *redo = request->owner;

	request->done = flushed;
	machine_send(redo->machine, request, IO_FLUSH, 0, 0);
}

/* From the block that the last write ended in, which it fills up, to the end of the log or of
   the file. */
static void write_next(struct redo *redo)
{
	uint64_t from = redo->written_lsn / REDO_BLOCK * REDO_BLOCK;
	uint64_t to = (redo->lsn + REDO_BLOCK - 1) / REDO_BLOCK * REDO_BLOCK;
	uint64_t wrap = (from / redo->size_bytes + 1) * redo->size_bytes;

	if (to > wrap)
		to = wrap;
	if (to > from + REDO_WRITE_MAX)
		to = from + REDO_WRITE_MAX;
	redo->written_lsn = to < redo->lsn ? to : redo->lsn;
	redo->busy = true;
	redo->request.owner = redo;
	redo->request.done = written;
	machine_send(redo->machine, &redo->request, IO_WRITE, redo->at_bytes + from % redo->size_bytes,
		     (uint32_t)(to - from));
}

void redo_commit(struct redo *redo, struct waiter *waiter, uint64_t lsn)
{
	assert(lsn <= redo->lsn);
	if (lsn <= redo->flushed_lsn) {
		waiter->ready(waiter);
		return;
	}
	waiter->lsn = lsn;
	waiters_add(&redo->waiters, waiter);
	if (!redo->busy)
		write_next(redo);
}
