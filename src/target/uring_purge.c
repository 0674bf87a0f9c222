/* uring_purge.c - a device or file fresh again. */
#include "target/uring.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"

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

int uring_purge(struct target *target)
{
	struct uring_target *uring = uring_of(target);

	if (!uring->claim)
		return fail(EBADF, "%s: is open for reading only and cannot be purged", uring->path);
	return uring->is_device ? purge_device(uring) : purge_file(uring);
}
