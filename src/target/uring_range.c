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

int uring_trim_result(struct uring_target *uring, enum trim_way way, int result)
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
	return uring->trim_way == TRIM_NONE ? -EOPNOTSUPP : URING_TRY_AGAIN;
}

void uring_prepare_trim(const struct uring_target *uring, struct io_uring_sqe *sqe,
			const struct io *io)
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
