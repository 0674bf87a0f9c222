/*
 * uring_open.c - opens a block device or a file, or creates one; nothing is written without the
 * consent that guard.h asks for.
 */
#include "target/uring.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "base/units.h"

enum { DEPTH_DEFAULT = 1024 };

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
	if (uring->device.cannot_discard)
		uring->base.cannot_ops |= 1u << IO_TRIM;
	if (uring->device.cannot_write_zeroes)
		uring->base.cannot_ops |= 1u << IO_WRITE_ZEROES;
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
	int err = uring_set_up_ring(uring);

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

void uring_close(struct target *target)
{
	struct uring_target *uring = uring_of(target);

	uring_close_ring(uring);
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

int uring_open(const char *arg, const struct target_options *options, struct target **out)
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
	uring_range_init(uring);
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
