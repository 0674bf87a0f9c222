/*
 * uring.c - a block device or regular file, through io_uring.
 *
 * submit() queues, reap() hands the queue to the kernel and waits; both cost one system call
 * for as many requests as there are. Completions are taken in batches and the clock is read
 * once for each: all of a batch were seen at that moment and none earlier. Requests that adjoin
 * never share a system call: the kernel would make one of them, and the device would be asked for
 * something else than the workload says.
 *
 * Every feature of newer kernels (deferred task work, registered file and buffers, discard
 * as a command) is tried and done without where it is refused; describe() says what was had.
 */
#include "target/uring.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/clock.h"

enum {
	QUEUE_ENTRIES = 128, /* submission queue: small enough to stay in the cache */
	/*
	 * A queue this long goes out without waiting for reap(): the device must not idle
	 * while a long batch is handed back, and 32 share a system call well enough.
	 */
	FLUSH_AT = 32,
	/*
	 * Waking from a sleep takes about this long, so the last stretch before a moment is
	 * spent looking. More would cost processor time and gain nothing.
	 */
	SPIN_NS = 50000,
	/* The kernel registers at most 1 GiB in one buffer. */
	CHUNK_SHIFT = 30,
	CHUNKS_MAX = 64,
};

/*
 * A number of its own for every thread there ever was, from 1. Neither an address nor the
 * kernel's number would do: a later thread may be given the same.
 */
static inline unsigned int this_thread(void)
{
	static atomic_uint threads;
	static _Thread_local unsigned int number;

	if (!number)
		number = atomic_fetch_add(&threads, 1) + 1;
	return number;
}

/* --- the ring --- */

static const struct {
	unsigned int flags;
	const char *name;
} modes[] = {
	{ IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG |
	  IORING_SETUP_SUBMIT_ALL, "deferred task work" }, /* Linux 6.1 */
	{ IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SUBMIT_ALL,
	  "cooperative task work" }, /* Linux 5.19 */
	{ 0, "" },
};

static int open_ring(struct uring_target *uring)
{
	int err = -EINVAL;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]) && err == -EINVAL; i++) {
		struct io_uring_params params = {
			.flags = modes[i].flags | IORING_SETUP_CLAMP | IORING_SETUP_CQSIZE,
			.cq_entries = uring->depth > QUEUE_ENTRIES ? uring->depth : QUEUE_ENTRIES,
		};

		err = io_uring_queue_init_params(QUEUE_ENTRIES, &uring->ring, &params);
		uring->mode = modes[i].name;
	}
	uring->has_ring = err == 0;
	return err;
}

static int register_buffers(struct uring_target *uring)
{
	size_t count = (uring->buffer_bytes + (1ull << CHUNK_SHIFT) - 1) >> CHUNK_SHIFT;
	struct iovec chunks[CHUNKS_MAX];
	size_t left = uring->buffer_bytes;
	int err;

	if (count > CHUNKS_MAX)
		return -EFBIG;
	for (size_t i = 0; i < count; i++) {
		size_t bytes = left < 1ull << CHUNK_SHIFT ? left : 1ull << CHUNK_SHIFT;

		chunks[i] = (struct iovec){ uring->buffers + (i << CHUNK_SHIFT), bytes };
		left -= bytes;
	}
	err = io_uring_register_buffers(&uring->ring, chunks, (unsigned int)count);
	uring->has_fixed_buffers = err == 0;
	return err;
}

void uring_close_ring(struct uring_target *uring)
{
	if (uring->has_ring)
		io_uring_queue_exit(&uring->ring);
	uring->has_ring = uring->has_fixed_file = uring->has_fixed_buffers = false;
}

/*
 * A ring with all that belongs to it, for the calling thread: deferred task work ties a
 * ring to the thread that opened it.
 */
int uring_set_up_ring(struct uring_target *uring)
{
	int err;

	uring_close_ring(uring);
	uring->owner = this_thread();
	err = open_ring(uring);
	uring->ring_error = err;
	if (err)
		return err;
	/* Otherwise a sleep may end 50 us late. */
	prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);
	io_uring_register_ring_fd(&uring->ring); /* saves a look-up; the ring works without */
	uring->has_fixed_file = io_uring_register_files(&uring->ring, &uring->fd, 1) == 0;
	if (uring->buffers)
		register_buffers(uring);
	return 0;
}

/* Another thread took over, which it may while nothing is in flight. */
static inline void adopt(struct uring_target *uring, uint32_t in_flight)
{
	if (uring->owner == this_thread())
		return;
	assert(in_flight == 0);
	uring_set_up_ring(uring);
}

/* --- completions --- */

static void push_ready(struct uring_target *uring, struct io *io, int error, uint64_t now_ns)
{
	io->error = error;
	io->completed_ns = now_ns;
	io->next = NULL;
	if (uring->ready_first)
		uring->ready_last->next = io;
	else
		uring->ready_first = io;
	uring->ready_last = io;
}

static struct io *pop_ready(struct uring_target *uring)
{
	struct io *io = uring->ready_first;

	if (io) {
		uring->ready_first = io->next;
		io->next = NULL;
	}
	return io;
}

static void queue(struct uring_target *uring, struct io *io, uint32_t done_bytes);

/* How much of it was done before; the note is taken away. */
static uint32_t take_partial(struct uring_target *uring, struct io *io)
{
	for (uint32_t i = 0; i < uring->partial_count; i++) {
		uint32_t done_bytes = uring->partials[i].done_bytes;

		if (uring->partials[i].io != io)
			continue;
		uring->partials[i] = uring->partials[--uring->partial_count];
		return done_bytes;
	}
	return 0;
}

/* A read or write that moved `moved` bytes, fewer than were asked for: goes on behind them. */
static void go_on(struct uring_target *uring, struct io *io, uint32_t moved, uint64_t now_ns)
{
	uint32_t done_bytes = take_partial(uring, io) + moved;

	if (done_bytes == io->size_bytes) {
		push_ready(uring, io, 0, now_ns);
		return;
	}
	/* Nothing moved: the file ends here. A part of a block cannot be gone on from. */
	if (moved == 0 || (uring->is_direct && done_bytes % uring->base.block_bytes)) {
		push_ready(uring, io, -EIO, now_ns);
		return;
	}
	assert(uring->partial_count < uring->depth);
	uring->partials[uring->partial_count++] = (struct partial){ io, done_bytes };
	queue(uring, io, done_bytes);
}

/* io->error holds what the kernel returned. */
static void settle(struct uring_target *uring, struct io *io, uint64_t now_ns)
{
	int result = io->error;
	bool moves = io->op == IO_READ || io->op == IO_WRITE;

	if (result == URING_TRY_AGAIN) {
		queue(uring, io, 0);
	} else if (result < 0) {
		if (uring->partial_count)
			take_partial(uring, io);
		push_ready(uring, io, result, now_ns);
	} else if (!moves || (uint32_t)result == io->size_bytes) {
		push_ready(uring, io, 0, now_ns);
	} else {
		go_on(uring, io, (uint32_t)result, now_ns);
	}
}

/* The lowest bits of a pointer to a request are free: they carry the way of a range. */
enum { WAY_BITS = 7 };

_Static_assert(_Alignof(struct io) > WAY_BITS, "a pointer to a request has room for a way");
_Static_assert((int)RANGE_ZERO <= (int)WAY_BITS, "a way fits");

static inline uint64_t tag_of(const struct io *io, enum range_way way)
{
	return (uint64_t)(uintptr_t)io | way;
}

static void harvest(struct uring_target *uring)
{
	struct io *first = NULL, **last = &first;
	struct io_uring_cqe *cqe;
	unsigned int head, count = 0;
	uint64_t now_ns;

	/* Looks whether the kernel has task work waiting for us, and lets it run. */
	if (io_uring_cq_ready(&uring->ring) == 0 && io_uring_peek_cqe(&uring->ring, &cqe) != 0)
		return;
	io_uring_for_each_cqe(&uring->ring, head, cqe) {
		struct io *io = (struct io *)(uintptr_t)(cqe->user_data & ~(uint64_t)WAY_BITS);

		io->error = cqe->res;
		if (cqe->user_data & WAY_BITS)
			io->error = uring_range_result(uring, io->op, cqe->user_data & WAY_BITS, cqe->res);
		*last = io;
		last = &io->next;
		count++;
	}
	*last = NULL;
	io_uring_cq_advance(&uring->ring, count);
	now_ns = clock_ns();
	while (first) {
		struct io *io = first;

		first = io->next;
		settle(uring, io, now_ns);
	}
}

/* --- submission --- */

/*
 * Errors of the call itself, which leave all requests where they are. Being short of memory
 * or of room for completions passes; anything else would be our own mistake.
 */
static void check_entered(struct uring_target *uring, int result)
{
	if (result >= 0 || result == -EINTR || result == -ETIME)
		return;
	assert(result == -EAGAIN || result == -EBUSY || result == -ENOMEM);
	if (result == -EBUSY)
		harvest(uring);
	else
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
}

static void flush(struct uring_target *uring)
{
	while (io_uring_sq_ready(&uring->ring))
		check_entered(uring, io_uring_submit(&uring->ring));
}

static void flush_and_wait(struct uring_target *uring, uint64_t wait_ns)
{
	struct __kernel_timespec timeout = {
		.tv_sec = (long long)(wait_ns / 1000000000),
		.tv_nsec = (long long)(wait_ns % 1000000000),
	};
	struct io_uring_cqe *cqe;

	if (wait_ns == TARGET_FOREVER)
		check_entered(uring, io_uring_submit_and_wait(&uring->ring, 1));
	else
		check_entered(uring, io_uring_submit_and_wait_timeout(&uring->ring, &cqe, 1,
								      &timeout, NULL));
}

/* The registered buffer in which this memory lies, or -1. */
static int buffer_index(const struct uring_target *uring, const char *data, uint32_t bytes)
{
	uintptr_t from = (uintptr_t)data - (uintptr_t)uring->buffers;

	if (!uring->has_fixed_buffers || from >= uring->buffer_bytes ||
	    bytes > uring->buffer_bytes - from ||
	    from >> CHUNK_SHIFT != (from + bytes - 1) >> CHUNK_SHIFT)
		return -1;
	return (int)(from >> CHUNK_SHIFT);
}

static void prepare_data(struct uring_target *uring, struct io_uring_sqe *sqe, struct io *io,
			 uint32_t done_bytes)
{
	char *data = (char *)io->data + done_bytes;
	uint32_t bytes = io->size_bytes - done_bytes;
	uint64_t offset = io->offset_bytes + done_bytes;
	int index = buffer_index(uring, data, bytes);

	if (io->op == IO_READ && index >= 0)
		io_uring_prep_read_fixed(sqe, uring->fd, data, bytes, offset, index);
	else if (io->op == IO_READ)
		io_uring_prep_read(sqe, uring->fd, data, bytes, offset);
	else if (index >= 0)
		io_uring_prep_write_fixed(sqe, uring->fd, data, bytes, offset, index);
	else
		io_uring_prep_write(sqe, uring->fd, data, bytes, offset);
}

static void prepare(struct uring_target *uring, struct io_uring_sqe *sqe, struct io *io,
		    uint32_t done_bytes)
{
	switch (io->op) {
	case IO_READ:
	case IO_WRITE:
		prepare_data(uring, sqe, io, done_bytes);
		return;
	case IO_TRIM:
	case IO_WRITE_ZEROES:
		uring_prepare_range(uring, sqe, io);
		return;
	case IO_FLUSH:
		io_uring_prep_fsync(sqe, uring->fd, IORING_FSYNC_DATASYNC);
		return;
	}
	abort();
}

/* Would the kernel merge it with the one that was queued last? It looks no further back. */
static bool adjoins_last(const struct uring_target *uring, const struct io *io)
{
	return io->op == uring->last_op && (io->offset_bytes == uring->last_end_bytes ||
					    io->offset_bytes + io->size_bytes == uring->last_begin_bytes);
}

static void queue(struct uring_target *uring, struct io *io, uint32_t done_bytes)
{
	struct io_uring_sqe *sqe;

	if (io_uring_sq_ready(&uring->ring) && adjoins_last(uring, io))
		flush(uring);
	uring->last_op = io->op;
	uring->last_begin_bytes = io->offset_bytes + done_bytes;
	uring->last_end_bytes = io->offset_bytes + io->size_bytes;
	while (!(sqe = io_uring_get_sqe(&uring->ring)))
		flush(uring);
	prepare(uring, sqe, io, done_bytes);
	io_uring_sqe_set_data64(sqe, tag_of(io, uring_range_way(uring, io->op)));
	if (uring->has_fixed_file) {
		sqe->fd = 0; /* its index */
		sqe->flags |= IOSQE_FIXED_FILE;
	}
}

static uint64_t uring_now(struct target *target)
{
	(void)target;
	return clock_ns();
}

static void uring_submit(struct target *target, struct io *io)
{
	struct uring_target *uring = uring_of(target);

	adopt(uring, target->in_flight - 1);
	if (uring->ring_error) {
		push_ready(uring, io, uring->ring_error, clock_ns());
	} else if ((io->op == IO_TRIM || io->op == IO_WRITE_ZEROES) &&
		   uring_range_way(uring, io->op) == RANGE_NONE) {
		push_ready(uring, io, -EOPNOTSUPP, clock_ns());
	} else {
		queue(uring, io, 0);
		if (io_uring_sq_ready(&uring->ring) >= FLUSH_AT)
			flush(uring);
	}
}

/* Sleeps until something completes, but not into the stretch before until_ns that is spun. */
static void wait_for_some(struct uring_target *uring, uint64_t until_ns, uint64_t now_ns)
{
	if (until_ns == TARGET_FOREVER)
		flush_and_wait(uring, TARGET_FOREVER);
	else if (now_ns < until_ns && until_ns - now_ns > SPIN_NS)
		flush_and_wait(uring, until_ns - now_ns - SPIN_NS);
	else if (io_uring_sq_ready(&uring->ring))
		flush(uring);
}

static void sleep_until(uint64_t until_ns)
{
	struct timespec until = {
		.tv_sec = (time_t)(until_ns / 1000000000),
		.tv_nsec = (long)(until_ns % 1000000000),
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static struct io *uring_reap(struct target *target, uint64_t until_ns)
{
	struct uring_target *uring = uring_of(target);
	bool has_clock = until_ns != 0 && until_ns != TARGET_FOREVER; /* else it need not be read */
	uint64_t now_ns = 0;

	if (uring->ready_first)
		return pop_ready(uring);
	adopt(uring, target->in_flight);
	if (uring->ring_error) {
		sleep_until(until_ns);
		return NULL;
	}
	do {
		if (has_clock)
			now_ns = clock_ns();
		wait_for_some(uring, until_ns, now_ns);
		harvest(uring);
	} while (!uring->ready_first && now_ns < until_ns);
	return pop_ready(uring);
}

/* Remembered as well for the ring of the thread that takes over next. */
static int uring_buffers(struct target *target, void *base, size_t bytes)
{
	struct uring_target *uring = uring_of(target);
	bool is_ours = uring->owner == this_thread() && uring->has_ring;

	if (uring->has_fixed_buffers && is_ours)
		io_uring_unregister_buffers(&uring->ring);
	uring->has_fixed_buffers = false;
	uring->buffers = bytes ? base : NULL;
	uring->buffer_bytes = base ? bytes : 0;
	return uring->buffers && is_ours ? register_buffers(uring) : 0;
}

const struct target_ops target_uring_ops = {
	.name = "uring",
	.help = "a block device or regular file (--size creates one), through io_uring",
	.open = uring_open,
	.close = uring_close,
	.submit = uring_submit,
	.reap = uring_reap,
	.now = uring_now,
	.describe = uring_describe,
	.purge = uring_purge,
	.buffers = uring_buffers,
};
