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
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <limits.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/units.h"
#include "target/blockdev.h"
#include "target/guard.h"
#include "target/target.h"

#ifndef BLOCK_URING_CMD_DISCARD /* Linux 6.12, newer than Debian 12's headers */
#define BLOCK_URING_CMD_DISCARD _IO(0x12, 0)
#endif
#ifndef FALLOC_FL_NO_HIDE_STALE
#define FALLOC_FL_NO_HIDE_STALE 0x04
#endif

enum {
	DEPTH_DEFAULT = 1024,
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

/* How a range is trimmed, the best first; what the kernel refuses is not tried again. */
enum trim_way {
	TRIM_DISCARD,  /* a discard as an io_uring command: Linux 6.12 */
	TRIM_FALLOCATE_DISCARD, /* fallocate() that discards: block devices before 6.12 */
	TRIM_PUNCH,    /* punch a hole; on a device: zeroes, unmapping what it can */
	TRIM_NONE,
};

/* A request of which the kernel has done a part only. */
struct partial {
	struct io *io;
	uint32_t done_bytes;
};

struct uring_target {
	struct target base;
	char *path;
	int fd;
	struct guard_claim *claim;
	struct blockdev device; /* of a device */
	bool is_device;
	bool is_yardstick; /* /dev/zero */
	bool is_direct;
	const char *why_buffered;
	uint64_t whole_bytes; /* of which base.size_bytes are used */
	uint32_t depth;

	struct io_uring ring;
	bool has_ring;
	int ring_error;      /* why there is no ring any more */
	unsigned int owner;  /* the thread that the ring belongs to */
	const char *mode;
	bool has_fixed_file;
	char *buffers;       /* announced by target_buffers() */
	size_t buffer_bytes;
	bool has_fixed_buffers;

	enum io_op last_op;  /* of the request that was queued last, and where it lay */
	uint64_t last_begin_bytes, last_end_bytes;

	struct io *ready_first, *ready_last; /* completed, not yet reaped */
	struct partial *partials; /* `depth` of them */
	uint32_t partial_count;
	enum trim_way trim_way;
	bool trim_works;
	struct buf description;
};

/* What trim_result() says of a trim that has to go out again in another way. */
static const int TRY_AGAIN = INT_MIN;

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

static struct uring_target *uring_of(struct target *target)
{
	return container_of(target, struct uring_target, base);
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

static void close_ring(struct uring_target *uring)
{
	if (uring->has_ring)
		io_uring_queue_exit(&uring->ring);
	uring->has_ring = uring->has_fixed_file = uring->has_fixed_buffers = false;
}

/*
 * A ring with all that belongs to it, for the calling thread: deferred task work ties a
 * ring to the thread that opened it.
 */
static int set_up_ring(struct uring_target *uring)
{
	int err;

	close_ring(uring);
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
	set_up_ring(uring);
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

	if (result == TRY_AGAIN) {
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

/* A trim that went out in this way came back so. */
static int trim_result(struct uring_target *uring, enum trim_way way, int result)
{
	if (result == 0) {
		uring->trim_works = true;
		return 0;
	}
	if (uring->trim_works || (result != -EOPNOTSUPP && result != -EINVAL && result != -ENOTTY))
		return result;
	/* Of several in flight the first to return moves on; the others follow it. */
	if (way == uring->trim_way)
		uring->trim_way++;
	return uring->trim_way == TRIM_NONE ? -EOPNOTSUPP : TRY_AGAIN;
}

/* The lowest bits of a pointer to a request are free: they carry the way of a trim. */
static uint64_t tag_of(const struct io *io, enum trim_way way)
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
		struct io *io = (struct io *)(uintptr_t)(cqe->user_data & ~3ull);

		io->error = cqe->res;
		if (io->op == IO_TRIM)
			io->error = trim_result(uring, cqe->user_data & 3, cqe->res);
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

static void prepare_trim(struct uring_target *uring, struct io_uring_sqe *sqe, struct io *io)
{
	const int hole = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;

	switch (uring->trim_way) {
	case TRIM_DISCARD:
		io_uring_prep_rw(IORING_OP_URING_CMD, sqe, uring->fd, NULL, 0, 0);
		sqe->cmd_op = BLOCK_URING_CMD_DISCARD;
		sqe->addr = io->offset_bytes;
		sqe->addr3 = io->size_bytes;
		return;
	case TRIM_FALLOCATE_DISCARD:
		io_uring_prep_fallocate(sqe, uring->fd, hole | FALLOC_FL_NO_HIDE_STALE,
					(off_t)io->offset_bytes, io->size_bytes);
		return;
	case TRIM_PUNCH:
	case TRIM_NONE:
		io_uring_prep_fallocate(sqe, uring->fd, hole, (off_t)io->offset_bytes,
					io->size_bytes);
		return;
	}
	abort();
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
		prepare_trim(uring, sqe, io);
		return;
	case IO_FLUSH:
		io_uring_prep_fsync(sqe, uring->fd, IORING_FSYNC_DATASYNC);
		return;
	case IO_WRITE_ZEROES:
		break; /* uring_submit() has refused it */
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
	io_uring_sqe_set_data64(sqe, tag_of(io, io->op == IO_TRIM ? uring->trim_way : 0));
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
	} else if (io->op == IO_TRIM && uring->trim_way == TRIM_NONE) {
		push_ready(uring, io, -EOPNOTSUPP, clock_ns());
	} else if (io->op == IO_WRITE_ZEROES) {
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

/* --- fresh again --- */

static int purge_device(struct uring_target *uring)
{
	/* In steps, so that a signal gets through. */
	const uint64_t step_bytes = 16ull << 30;

	for (uint64_t at = 0; at < uring->base.size_bytes; at += step_bytes) {
		uint64_t left = uring->base.size_bytes - at;
		uint64_t range[2] = { at, left < step_bytes ? left : step_bytes };

		if (ioctl(uring->fd, BLKDISCARD, range) == 0)
			continue;
		if (errno == EOPNOTSUPP && at == 0)
			return fail(ENOTSUP, "%s: not purged: this device cannot discard; it keeps what "
				    "was written before", uring->path);
		return fail(errno, "%s: cannot be discarded at %llu: %s", uring->path,
			    (unsigned long long)at, strerror(errno));
	}
	return 0;
}

static int purge_file(struct uring_target *uring)
{
	off_t bytes = (off_t)uring->base.size_bytes;
	struct stat st;

	if (fstat(uring->fd, &st) < 0)
		return fail(errno, "%s: %s", uring->path, strerror(errno));
	if (fallocate(uring->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, bytes) < 0) {
		if (errno != EOPNOTSUPP)
			return fail(errno, "%s: cannot be emptied: %s", uring->path, strerror(errno));
		if (uring->whole_bytes - uring->base.size_bytes >= uring->base.block_bytes)
			return fail(ENOTSUP, "%s: not purged: this filesystem cannot punch holes", uring->path);
		if (ftruncate(uring->fd, 0) < 0 || ftruncate(uring->fd, st.st_size) < 0)
			return fail(errno, "%s: cannot be emptied: %s", uring->path, strerror(errno));
	}
	/* A file that had its room keeps it, or a later write could find the filesystem full. */
	if ((uint64_t)st.st_blocks * 512 >= uring->base.size_bytes &&
	    fallocate(uring->fd, FALLOC_FL_KEEP_SIZE, 0, bytes) < 0 && errno != EOPNOTSUPP)
		return fail(errno, "%s: cannot be given its room back: %s", uring->path, strerror(errno));
	return 0;
}

static int uring_purge(struct target *target)
{
	struct uring_target *uring = uring_of(target);

	if (!uring->claim)
		return fail(EBADF, "%s: is open for reading only and cannot be purged", uring->path);
	return uring->is_device ? purge_device(uring) : purge_file(uring);
}

/* --- in words --- */

static void describe_device(struct buf *out, const struct blockdev *device)
{
	if (device->alias[0])
		buf_printf(out, "%s, ", device->alias);
	if (device->model[0])
		buf_printf(out, "%s, ", device->model);
	if (device->serial[0])
		buf_printf(out, "serial %s, ", device->serial);
	buf_puts(out, device->is_rotational ? "rotational, " : "");
	if (device->scheduler[0])
		buf_printf(out, "scheduler %s, ", device->scheduler);
}

static void describe_size(struct buf *out, const struct uring_target *uring)
{
	const struct target *base = &uring->base;
	uint64_t unused = uring->whole_bytes - base->size_bytes - base->tail_bytes;
	char size[UNITS_BYTES];

	buf_puts(out, format_size(base->size_bytes, size));
	if (unused)
		buf_printf(out, " (the first of %s)", format_size(uring->whole_bytes, size));
	buf_printf(out, " in %u-byte blocks", base->block_bytes);
	if (base->tail_bytes)
		buf_printf(out, " (a tail of %llu bytes is not used)", (unsigned long long)base->tail_bytes);
}

static const char *uring_describe(struct target *target)
{
	struct uring_target *uring = uring_of(target);
	struct buf *out = &uring->description;

	out->size = 0;
	buf_printf(out, "%s: ", uring->path);
	if (uring->is_device)
		describe_device(out, &uring->device);
	describe_size(out, uring);
	buf_puts(out, "; io_uring");
	if (uring->is_direct)
		buf_puts(out, ", O_DIRECT");
	else
		buf_printf(out, ", buffered (%s)", uring->why_buffered);
	if (uring->has_fixed_file)
		buf_puts(out, ", registered file");
	if (uring->has_fixed_buffers)
		buf_puts(out, ", registered buffers");
	else if (uring->buffers)
		buf_puts(out, ", buffers not registered (is RLIMIT_MEMLOCK too low?)");
	if (uring->mode && *uring->mode)
		buf_printf(out, ", %s", uring->mode);
	return out->text;
}

/* --- opening --- */

static bool is_below_dev(const char *path)
{
	/* /dev/shm is an ordinary filesystem that happens to be mounted there. */
	return (!strcmp(path, "/dev") || !strncmp(path, "/dev/", 5)) &&
	       strcmp(path, "/dev/shm") && strncmp(path, "/dev/shm/", 9);
}

/* The directory of `path` with links resolved, to be freed; NULL when there is none. */
static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *directory = NULL;

	if (!slash)
		directory = xstrdup(".");
	else
		directory = slash == path ? xstrdup("/") : strndup(path, (size_t)(slash - path));
	return directory ? realpath(directory, NULL) : NULL;
}

/* Why a path that does not exist cannot become a file; 0 when it can. */
static int check_new(const char *path, const struct target_options *options)
{
	_cleanup_free_ char *directory = directory_of(path);
	struct stat st;

	if (options->must_exist)
		return fail(ENOENT, "%s: is not there any more", path);
	if (is_below_dev(path) || (directory && is_below_dev(directory)))
		return fail(EINVAL, "%s: there is no such device", path);
	if (lstat(path, &st) == 0)
		return fail(EINVAL, "%s: is a symbolic link to something that does not exist", path);
	if (!directory)
		return fail(EINVAL, "%s: its directory does not exist", path);
	if (options->read_only)
		return fail(EINVAL, "%s: there is no such file to read%s", path,
			    options->size_bytes ? "; --fill creates and writes it first" : "");
	if (!options->size_bytes)
		return fail(EINVAL, "%s: there is no such file; --size SIZE creates one", path);
	return 0;
}

static int give_room(int fd, const char *path, uint64_t bytes)
{
	char asked[UNITS_BYTES], room[UNITS_BYTES];
	struct statfs fs;
	int error;

	if (bytes > INT64_MAX)
		return fail(EINVAL, "%s: no file can be that large", path);
	if (fallocate(fd, 0, 0, (off_t)bytes) == 0)
		return 0;
	/* A filesystem without fallocate() finds room as it is written, or does not. */
	if (errno == EOPNOTSUPP && ftruncate(fd, (off_t)bytes) == 0)
		return 0;
	error = errno;
	format_size(bytes, asked);
	if (error == ENOSPC && fstatfs(fd, &fs) == 0)
		return fail(ENOSPC, "%s: there is no room for %s, only %s are free; give a smaller --size",
			    path, asked, format_size((uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize, room));
	return fail(error, "%s: cannot be given %s: %s", path, asked, strerror(error));
}

static int create_file(const char *path, const struct target_options *options)
{
	_cleanup_close_ int fd = -1;
	int err = check_new(path, options);

	if (err)
		return err;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return fail(errno, "%s: cannot be created: %s", path, strerror(errno));
	err = give_room(fd, path, options->size_bytes);
	if (err) {
		unlink(path);
		return err;
	}
	guard_mark(fd, path);
	return 0;
}

static int check_kind(const char *path, const struct stat *st, const struct target_options *options)
{
	if (S_ISBLK(st->st_mode) || S_ISREG(st->st_mode))
		return 0;
	if (S_ISCHR(st->st_mode)) {
		if (st->st_rdev != makedev(1, 5))
			return fail(EINVAL, "%s: is a character device; a block device or a file can be "
				    "measured", path);
		if (!options->read_only || !options->size_bytes)
			return fail(EINVAL, "%s: is only a yardstick for reading, and needs --size", path);
		return 0;
	}
	return fail(EINVAL, "%s: is a %s; a block device or a file can be measured", path,
		    S_ISDIR(st->st_mode) ? "directory" : S_ISFIFO(st->st_mode) ? "pipe" : "socket");
}

/* O_DIRECT needs offsets in multiples of this; 0 where the file cannot do it. */
static uint32_t direct_block(int fd, const struct stat *st)
{
	struct statx stx;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &stx) == 0 &&
	    stx.stx_mask & STATX_DIOALIGN)
		return stx.stx_dio_offset_align;
	return st->st_blksize > 512 && st->st_blksize < 4096 ? (uint32_t)st->st_blksize : 4096;
}

static int reopen(struct uring_target *uring, int flags)
{
	_cleanup_free_ char *self = xasprintf("/proc/self/fd/%d", uring->fd);
	int fd = open(self, flags | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(uring->fd);
	uring->fd = fd;
	return 0;
}

static void set_size(struct uring_target *uring, uint64_t whole_bytes, uint64_t asked_bytes,
		     uint32_t block_bytes)
{
	uint64_t used = asked_bytes && asked_bytes < whole_bytes ? asked_bytes : whole_bytes;

	uring->whole_bytes = whole_bytes;
	uring->base.block_bytes = block_bytes;
	uring->base.tail_bytes = used % block_bytes;
	uring->base.size_bytes = used - uring->base.tail_bytes;
}

static int read_device_size(struct uring_target *uring, uint64_t *bytes, uint32_t *block_bytes)
{
	int block = 0;

	if (ioctl(uring->fd, BLKGETSIZE64, bytes) < 0 || ioctl(uring->fd, BLKSSZGET, &block) < 0)
		return fail(errno, "%s: its size cannot be read: %s", uring->path, strerror(errno));
	*block_bytes = (uint32_t)block;
	return 0;
}

/* With or without O_DIRECT, as the file can. */
static int open_for_io(struct uring_target *uring, const struct stat *st, int access,
		       uint32_t *block_bytes)
{
	uint32_t direct = uring->is_device ? *block_bytes : direct_block(uring->fd, st);
	struct statfs fs;
	int err = -EINVAL;

	if (uring->is_yardstick)
		uring->why_buffered = "no device at all: a yardstick for the generator";
	else if (fstatfs(uring->fd, &fs) == 0 && !uring->is_device &&
		 (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC))
		uring->why_buffered = "its filesystem is memory: no device is measured";
	else if (!direct)
		uring->why_buffered = "no O_DIRECT for this file: the page cache is measured too";
	else
		err = reopen(uring, access | O_DIRECT);
	uring->is_direct = err == 0;
	if (err == -EINVAL) {
		if (!uring->why_buffered)
			uring->why_buffered =
				"no O_DIRECT on its filesystem: the page cache is measured too";
		err = reopen(uring, access);
	}
	if (err)
		return fail(-err, "%s: cannot be opened for %s: %s", uring->path,
			    access == O_RDONLY ? "reading" : "writing", strerror(-err));
	if (!uring->is_device)
		*block_bytes = uring->is_direct ? direct : 512;
	return 0;
}

static int check_size(const struct uring_target *uring, const struct target_options *options)
{
	char has[UNITS_BYTES], asked[UNITS_BYTES];

	format_size(uring->whole_bytes, has);
	if (uring->whole_bytes < options->size_bytes)
		return fail(EINVAL, "%s: has %s (%llu bytes), less than the %s of --size", uring->path,
			    has, (unsigned long long)uring->whole_bytes,
			    format_size(options->size_bytes, asked));
	if (!uring->base.size_bytes)
		return fail(EINVAL, "%s: has %llu bytes, which is less than one block of %u", uring->path,
			    (unsigned long long)uring->whole_bytes, uring->base.block_bytes);
	return 0;
}

/* Opens what is there, claims it for writing, and learns its shape. */
static int open_existing(struct uring_target *uring, const struct target_options *options)
{
	int access = options->read_only ? O_RDONLY : O_RDWR;
	uint64_t bytes = options->size_bytes;
	uint32_t block_bytes = 0;
	struct stat st;
	int err;

	/* Looked at before it is opened: to open a pipe or a tape drive does something to it. */
	if (stat(uring->path, &st) < 0)
		return fail(errno, "%s: %s", uring->path, strerror(errno));
	err = check_kind(uring->path, &st, options);
	if (err)
		return err;
	uring->fd = open(uring->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (uring->fd < 0 || fstat(uring->fd, &st) < 0)
		return fail(errno, "%s: cannot be opened: %s", uring->path, strerror(errno));
	err = check_kind(uring->path, &st, options);
	if (err)
		return err;
	uring->is_device = S_ISBLK(st.st_mode);
	uring->is_yardstick = S_ISCHR(st.st_mode);
	if (uring->is_device)
		err = read_device_size(uring, &bytes, &block_bytes);
	else if (S_ISREG(st.st_mode))
		bytes = (uint64_t)st.st_size;
	if (!err && uring->is_device)
		err = blockdev_read(st.st_rdev, uring->path, &uring->device);
	if (!err && uring->is_device)
		uring->base.serial = blockdev_identity(&uring->device);
	if (!err && uring->device.is_zoned && !options->read_only)
		err = fail(EINVAL, "%s: is a zoned device, which cannot be written at any place; it can "
			   "only be read", uring->path);
	if (!err && !options->read_only)
		err = guard_claim(uring->fd, uring->path, options, &uring->claim);
	if (!err)
		err = open_for_io(uring, &st, access, &block_bytes);
	if (err)
		return err;
	set_size(uring, bytes, options->size_bytes, block_bytes);
	return check_size(uring, options);
}

static int open_ring_or_say(struct uring_target *uring)
{
	int err = set_up_ring(uring);

	if (!err)
		return 0;
	if (err == -ENOSYS)
		return fail(ENOSYS, "%s: this kernel has no io_uring (Linux 5.11 or newer is needed)",
			    uring->path);
	if (err == -EPERM || err == -EACCES)
		return fail(EPERM, "%s: io_uring is not allowed here (see sysctl "
			    "kernel.io_uring_disabled, or the container's seccomp profile)", uring->path);
	return fail(-err, "%s: io_uring cannot be set up for %u requests: %s", uring->path,
		    uring->depth, strerror(-err));
}

static void uring_close(struct target *target)
{
	struct uring_target *uring = uring_of(target);

	close_ring(uring);
	if (uring->fd >= 0)
		close(uring->fd);
	guard_release(uring->claim);
	buf_free(&uring->description);
	free(uring->partials);
	free(uring->path);
	free(uring);
}

/* Several threads may open one new file at once: one of them creates it. */
static pthread_mutex_t creating = PTHREAD_MUTEX_INITIALIZER;

static int open_path(struct uring_target *uring, const struct target_options *options,
		     bool *created)
{
	struct stat st;
	int err = 0;

	pthread_mutex_lock(&creating);
	if (stat(uring->path, &st) < 0 && errno == ENOENT) {
		err = create_file(uring->path, options);
		*created = err == 0;
	}
	if (!err)
		err = open_existing(uring, options);
	pthread_mutex_unlock(&creating);
	return err;
}

static int uring_open(const char *arg, const struct target_options *options, struct target **out)
{
	struct uring_target *uring = xcalloc(1, sizeof(*uring));
	bool created = false;
	int err;

	uring->base.ops = &target_uring_ops;
	uring->base.moves_data = true;
	uring->fd = -1;
	uring->path = xstrdup(arg);
	uring->depth = options->depth ? options->depth : DEPTH_DEFAULT;
	uring->partials = xcalloc(uring->depth, sizeof(*uring->partials));
	err = open_path(uring, options, &created);
	uring->trim_way = uring->is_device ? TRIM_DISCARD : TRIM_PUNCH;
	if (!err)
		err = open_ring_or_say(uring);
	if (err) {
		if (created)
			guard_unlink(arg);
		uring_close(&uring->base);
		return err;
	}
	*out = &uring->base;
	return 0;
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
