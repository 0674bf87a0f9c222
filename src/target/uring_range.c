/*
 * uring_range.c - requests that name a range and move no data: how the kernel is asked.
 *
 * There are several ways, newer ones better; the first that the kernel and the device take is
 * kept. Which it is comes out with the first of such requests, in the run itself.
 */
#include "target/uring.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <stdlib.h>

#ifndef BLOCK_URING_CMD_DISCARD /* Linux 6.12, newer than Debian 12's headers */
#define BLOCK_URING_CMD_DISCARD _IO(0x12, 0)
#endif
#ifndef FALLOC_FL_NO_HIDE_STALE
#define FALLOC_FL_NO_HIDE_STALE 0x04
#endif

void uring_range_init(struct uring_target *uring)
{
	static const enum range_way device[] = { RANGE_DISCARD, RANGE_FALLOCATE_DISCARD, RANGE_PUNCH,
						 RANGE_NONE };
	static const enum range_way file[] = { RANGE_PUNCH, RANGE_NONE };
	static const enum range_way zero[] = { RANGE_ZERO, RANGE_PUNCH, RANGE_NONE };

	uring->trim.left = uring->is_device ? device : file;
	uring->zero.left = zero;
}

enum range_way uring_range_way(const struct uring_target *uring, enum io_op op)
{
	switch (op) {
	case IO_TRIM:
		return *uring->trim.left;
	case IO_WRITE_ZEROES:
		return *uring->zero.left;
	case IO_READ:
	case IO_WRITE:
	case IO_FLUSH:
		return RANGE_NONE;
	}
	abort();
}

int uring_range_result(struct uring_target *uring, enum io_op op, enum range_way way, int result)
{
	struct range_ways *ways = op == IO_TRIM ? &uring->trim : &uring->zero;

	if (result == 0) {
		ways->works = true;
		return 0;
	}
	if (ways->works || (result != -EOPNOTSUPP && result != -EINVAL && result != -ENOTTY))
		return result;
	/* Of several in flight the first to return moves on; the others follow it. */
	if (way == *ways->left)
		ways->left++;
	return *ways->left == RANGE_NONE ? -EOPNOTSUPP : URING_TRY_AGAIN;
}

static void prepare_fallocate(const struct uring_target *uring, struct io_uring_sqe *sqe,
			      const struct io *io, int mode)
{
	io_uring_prep_fallocate(sqe, uring->fd, mode | FALLOC_FL_KEEP_SIZE, (off_t)io->offset_bytes,
				io->size_bytes);
}

void uring_prepare_range(const struct uring_target *uring, struct io_uring_sqe *sqe,
			 const struct io *io)
{
	switch (uring_range_way(uring, io->op)) {
	case RANGE_DISCARD:
		io_uring_prep_rw(IORING_OP_URING_CMD, sqe, uring->fd, NULL, 0, 0);
		sqe->cmd_op = BLOCK_URING_CMD_DISCARD;
		sqe->addr = io->offset_bytes;
		sqe->addr3 = io->size_bytes;
		return;
	case RANGE_FALLOCATE_DISCARD:
		prepare_fallocate(uring, sqe, io, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_NO_HIDE_STALE);
		return;
	case RANGE_ZERO:
		prepare_fallocate(uring, sqe, io, FALLOC_FL_ZERO_RANGE);
		return;
	case RANGE_PUNCH:
	case RANGE_NONE: /* the last of several that were queued; it will be refused like them */
		prepare_fallocate(uring, sqe, io, FALLOC_FL_PUNCH_HOLE);
		return;
	}
	abort();
}
