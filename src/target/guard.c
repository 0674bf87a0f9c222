#include "target/guard.h"

#include <blkid/blkid.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "target/blockdev.h"

struct guard_claim {
	struct guard_claim *next;
	dev_t dev;  /* a block device's own number; a file's filesystem */
	ino_t inode; /* 0 for a block device */
	int fd;     /* open exclusively (device) or locked (file) */
	unsigned users;
};

static pthread_mutex_t claims_lock = PTHREAD_MUTEX_INITIALIZER;
static struct guard_claim *claims;

/* A file that this process created and could not mark. */
struct made {
	struct made *next;
	dev_t dev;
	ino_t inode; /* no other file's, for this process keeps the file open until it ends */
};

static struct made *all_made;
static pthread_mutex_t made_lock = PTHREAD_MUTEX_INITIALIZER;

/* What is asked about, while it is being asked. */
struct subject {
	const char *path;
	char *label; /* "/dev/sda", or "link (sda)" when the name does not tell */
	char *base;  /* the last part of its real name, of a file */
	bool is_device;
	dev_t dev;
	ino_t inode;
	struct blockdev device;
	struct blockdev_member *members; /* of a device; NULL for a file */
	size_t member_count;
};

static void subject_free(struct subject *subject)
{
	free(subject->label);
	free(subject->base);
	free(subject->members);
}

#define _cleanup_subject_ __attribute__((cleanup(subject_free)))

static const struct blockdev_member *member_of(const struct subject *subject, dev_t dev)
{
	for (size_t i = 0; i < subject->member_count; i++)
		if (subject->members[i].dev == dev)
			return &subject->members[i];
	return NULL;
}

static void name_member(struct buf *out, const struct blockdev_member *member)
{
	buf_puts(out, member->name);
	if (member->alias[0])
		buf_printf(out, " (%s)", member->alias);
}

/* "it", "its partition sda1", "dm-0 (vg-root), which is built on its partition sda2," */
static void describe_member(struct buf *out, const struct subject *subject,
			    const struct blockdev_member *member)
{
	switch (member->relation) {
	case BLOCKDEV_SELF:
		buf_puts(out, "it");
		return;
	case BLOCKDEV_WHOLE:
		buf_printf(out, "its disk %s", member->name);
		return;
	case BLOCKDEV_PARTITION:
		buf_puts(out, member->on == 0 ? "its partition " : "the partition ");
		buf_puts(out, member->name);
		return;
	case BLOCKDEV_HOLDER:
		name_member(out, member);
		buf_puts(out, ", which is built on ");
		describe_member(out, subject, &subject->members[member->on]);
		buf_puts(out, ",");
		return;
	}
	abort();
}

/* "LABEL: MEMBER REST" */
__attribute__((format(printf, 3, 4))) static int
refuse(const struct subject *subject, const struct blockdev_member *member, const char *format, ...)
{
	_cleanup_buf_ struct buf who = BUF_INIT;
	_cleanup_free_ char *rest = NULL;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&rest, format, args);
	va_end(args);
	if (length < 0)
		rest = NULL;
	if (member)
		describe_member(&who, subject, member);
	else
		buf_puts(&who, "it");
	return fail(EBUSY, "%s: %s %s", subject->label, who.text, rest ? rest : "is in use");
}

/* The kernel writes white space and backslashes in its tables as \ooo. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' &&
		    from[2] <= '7' && from[3] >= '0' && from[3] <= '7') {
			*to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

/* The member that this path is the node of. */
static const struct blockdev_member *member_at(const struct subject *subject, const char *path)
{
	struct stat st;

	if (path[0] != '/' || stat(path, &st) < 0 || !S_ISBLK(st.st_mode))
		return NULL;
	return member_of(subject, st.st_rdev);
}

static int check_mounts(const struct subject *subject)
{
	_cleanup_free_ char *path = blockdev_path("/proc/self/mountinfo");
	_cleanup_file_ FILE *file = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t capacity = 0;

	while (file && getline(&line, &capacity, file) > 0) {
		_cleanup_free_ char *where = NULL, *source = NULL;
		const struct blockdev_member *member;
		unsigned int high, low;
		const char *dash = strstr(line, " - ");

		if (sscanf(line, "%*u %*u %u:%u %*s %ms", &high, &low, &where) != 3)
			continue;
		member = member_of(subject, makedev(high, low));
		/* btrfs shows a number of its own, but names one of its devices. */
		if (!member && dash && sscanf(dash, " - %*s %ms", &source) == 1) {
			unescape(source);
			member = member_at(subject, source);
		}
		if (!member)
			continue;
		unescape(where);
		return refuse(subject, member, "is mounted on %s; unmount it first", where);
	}
	return 0;
}

static int check_swap(const struct subject *subject)
{
	_cleanup_free_ char *path = blockdev_path("/proc/swaps");
	_cleanup_file_ FILE *file = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t capacity = 0;

	while (file && getline(&line, &capacity, file) > 0) {
		_cleanup_free_ char *where = NULL;
		const struct blockdev_member *member;
		struct stat st;

		if (sscanf(line, "%ms", &where) != 1 || where[0] != '/')
			continue;
		unescape(where);
		member = member_at(subject, where);
		if (member)
			return refuse(subject, member, "is swap space; take it out of use first (swapoff %s)",
				      where);
		if (!subject->is_device && stat(where, &st) == 0 && st.st_dev == subject->dev &&
		    st.st_ino == subject->inode)
			return refuse(subject, NULL, "is a swap file; take it out of use first (swapoff %s)",
				      where);
	}
	return 0;
}

static int check_holders(const struct subject *subject)
{
	for (size_t i = 0; i < subject->member_count; i++) {
		const struct blockdev_member *member = &subject->members[i];
		_cleanup_buf_ struct buf name = BUF_INIT;

		if (member->relation != BLOCKDEV_HOLDER)
			continue;
		name_member(&name, member);
		return refuse(subject, &subject->members[member->on],
			      "is in use by %s; remove that device first", name.text);
	}
	return 0;
}

/* What a loop device is attached to. */
struct backing {
	bool is_device;
	dev_t dev; /* the device itself, or the filesystem of the file */
	ino_t inode;
};

/* struct loop_info64 holds device numbers as the kernel packs them, which is not glibc's way. */
static dev_t unpack_dev(uint64_t packed)
{
	return makedev((packed >> 8) & 0xfff, (packed & 0xff) | ((packed >> 12) & 0xfff00));
}

/*
 * By ioctl, which knows the inode; where the node cannot be opened by the path in sysfs,
 * which may be another mount namespace's.
 */
static bool backing_of(const char *loop, struct backing *out)
{
	_cleanup_free_ char *node = xasprintf("/dev/%s", loop);
	_cleanup_free_ char *path = blockdev_path("/sys/block/%s/loop/backing_file", loop);
	_cleanup_close_ int fd = -1;
	char text[4096];
	struct loop_info64 info;
	struct stat st;

	if (blockdev_text(path, text, sizeof(text)) < 0)
		return false;
	memset(out, 0, sizeof(*out));
	fd = open(node, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && ioctl(fd, LOOP_GET_STATUS64, &info) == 0) {
		out->is_device = info.lo_rdevice != 0;
		out->dev = unpack_dev(out->is_device ? info.lo_rdevice : info.lo_device);
		out->inode = out->is_device ? 0 : info.lo_inode;
		return true;
	}
	if (stat(text, &st) < 0)
		return false;
	out->is_device = S_ISBLK(st.st_mode);
	out->dev = out->is_device ? st.st_rdev : st.st_dev;
	out->inode = out->is_device ? 0 : st.st_ino;
	return true;
}

static bool same_backing(const struct backing *a, const struct backing *b)
{
	return a->is_device == b->is_device && a->dev == b->dev && a->inode == b->inode;
}

static int check_loop(const struct subject *subject, const char *loop, const struct backing *own)
{
	struct backing backing;

	if (!backing_of(loop, &backing))
		return 0;
	if (subject->is_device && backing.is_device && member_of(subject, backing.dev))
		return refuse(subject, member_of(subject, backing.dev),
			      "is attached to loop device %s; detach it first (losetup -d /dev/%s)",
			      loop, loop);
	if (!subject->is_device && !backing.is_device && backing.dev == subject->dev &&
	    backing.inode == subject->inode)
		return refuse(subject, NULL,
			      "is attached to loop device %s; detach it first (losetup -d /dev/%s), or "
			      "give /dev/%s as the target", loop, loop, loop);
	/* Two loop devices over one file: what is written to one changes the other. */
	if (own && strcmp(loop, subject->device.whole) && same_backing(own, &backing))
		return refuse(subject, NULL,
			      "shares its backing file with loop device %s; detach that first "
			      "(losetup -d /dev/%s)", loop, loop);
	return 0;
}

static int check_loops(const struct subject *subject)
{
	_cleanup_free_ char *path = blockdev_path("/sys/block");
	struct backing own;
	bool is_loop = subject->is_device && backing_of(subject->device.whole, &own);
	DIR *entries = opendir(path);
	struct dirent *entry;
	int err = 0;

	while (!err && entries && (entry = readdir(entries)))
		if (!strncmp(entry->d_name, "loop", 4))
			err = check_loop(subject, entry->d_name, is_loop ? &own : NULL);
	if (entries)
		closedir(entries);
	return err;
}

/* Does this open file of another process stand for the subject? */
static bool is_subject(const struct subject *subject, const char *link)
{
	struct stat st;
	char text[4096];
	ssize_t length = readlink(link, text, sizeof(text) - 1);

	if (length <= 0)
		return false;
	text[length] = '\0';
	/* stat() waits for a dead network file server, so ask only about likely names. */
	if (subject->is_device ? strncmp(text, "/dev/", 5) != 0 : !strstr(text, subject->base))
		return false;
	if (stat(link, &st) < 0)
		return false;
	if (subject->is_device)
		return S_ISBLK(st.st_mode) && member_of(subject, st.st_rdev) != NULL;
	return S_ISREG(st.st_mode) && st.st_dev == subject->dev && st.st_ino == subject->inode;
}

static bool opened_for_writing(const char *process, const char *number)
{
	_cleanup_free_ char *path = blockdev_path("/proc/%s/fdinfo/%s", process, number);
	_cleanup_file_ FILE *file = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t capacity = 0;
	unsigned int flags;

	while (file && getline(&line, &capacity, file) > 0)
		if (sscanf(line, "flags: %o", &flags) == 1)
			return (flags & O_ACCMODE) != O_RDONLY;
	return false;
}

/* Whether this process has the subject open, at all or for writing. */
static bool process_has(const struct subject *subject, const char *process, bool for_writing)
{
	_cleanup_free_ char *path = blockdev_path("/proc/%s/fd", process);
	DIR *entries = opendir(path);
	struct dirent *entry;
	bool found = false;

	while (!found && entries && (entry = readdir(entries))) {
		_cleanup_free_ char *link = xasprintf("%s/%s", path, entry->d_name);

		found = entry->d_name[0] != '.' && is_subject(subject, link) &&
			(!for_writing || opened_for_writing(process, entry->d_name));
	}
	if (entries)
		closedir(entries);
	return found;
}

/* The other process that has it open as "NAME (process PID)", to be freed; NULL if none. */
static char *find_process(const struct subject *subject, bool for_writing)
{
	_cleanup_free_ char *path = blockdev_path("/proc");
	DIR *entries = opendir(path);
	struct dirent *entry;
	char *found = NULL;

	while (!found && entries && (entry = readdir(entries))) {
		const char *process = entry->d_name;
		char name[BLOCKDEV_NAME_BYTES];
		_cleanup_free_ char *comm = NULL;

		if (process[0] < '1' || process[0] > '9' || strtol(process, NULL, 10) == getpid() ||
		    !process_has(subject, process, for_writing))
			continue;
		comm = blockdev_path("/proc/%s/comm", process);
		blockdev_text(comm, name, sizeof(name));
		found = xasprintf("%s (process %s)", name, process);
	}
	if (entries)
		closedir(entries);
	return found;
}

static int check_writers(const struct subject *subject)
{
	_cleanup_free_ char *process = find_process(subject, true);

	if (!process)
		return 0;
	return refuse(subject, NULL, "is open for writing in %s; end that first", process);
}

static int check_in_use(const struct subject *subject)
{
	int err = check_mounts(subject);

	if (!err)
		err = check_swap(subject);
	if (!err)
		err = check_holders(subject);
	if (!err)
		err = check_loops(subject);
	if (!err)
		err = check_writers(subject);
	return err;
}

static int refuse_exclusive(const struct subject *subject)
{
	_cleanup_free_ char *process = find_process(subject, false);

	if (process)
		return refuse(subject, NULL, "is held exclusively, and %s has it open; end that first",
			      process);
	return refuse(subject, NULL,
		      "is held exclusively by the kernel or another process (a mount in another "
		      "namespace, or a RAID or pool it belongs to); release it first");
}

static const char *probed(blkid_probe probe, const char *name)
{
	const char *value = NULL;

	return blkid_probe_lookup_value(probe, name, &value, NULL) == 0 && value && *value ? value : NULL;
}

static void describe_signature(struct buf *out, blkid_probe probe)
{
	const char *type = probed(probe, "TYPE"), *usage = probed(probe, "USAGE");
	const char *label = probed(probe, "LABEL"), *table = probed(probe, "PTTYPE");

	if (!type) {
		buf_printf(out, "a partition table (%s)", table ? table : "of unknown kind");
		return;
	}
	if (usage && !strcmp(usage, "filesystem"))
		buf_printf(out, "a filesystem (%s", type);
	else
		buf_printf(out, "a signature (%s", type);
	if (label)
		buf_printf(out, ", labelled \"%s\"", label);
	buf_puts(out, ")");
}

/* What stands on the device, in words; nothing is added when it is blank. */
static int find_signature(const struct subject *subject, int fd, struct buf *out)
{
	blkid_probe probe = blkid_new_probe();
	int found;

	if (!probe || blkid_probe_set_device(probe, fd, 0, 0) < 0) {
		blkid_free_probe(probe);
		return fail(EIO, "%s: cannot be searched for what stands on it", subject->label);
	}
	blkid_probe_enable_superblocks(probe, 1);
	/* A damaged superblock is somebody's data all the more. */
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE |
					  BLKID_SUBLKS_LABEL | BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(probe, 1);
	blkid_probe_set_partitions_flags(probe, BLKID_PARTS_FORCE_GPT);
	found = blkid_do_safeprobe(probe);
	if (found == 0)
		describe_signature(out, probe);
	else if (found == -2)
		buf_puts(out, "several signatures that contradict each other");
	blkid_free_probe(probe);
	if (found == -1)
		return fail(EIO, "%s: cannot be read to see what stands on it", subject->label);
	for (size_t i = 1; !out->size && i < subject->member_count; i++)
		if (subject->members[i].relation == BLOCKDEV_PARTITION)
			buf_printf(out, "a partition (%s)", subject->members[i].name);
	return 0;
}

static void name_drive(struct buf *out, const struct blockdev *device)
{
	if (device->model[0])
		buf_printf(out, "%s, ", device->model);
	if (device->serial[0])
		buf_printf(out, "serial %s", device->serial);
	else
		buf_puts(out, "without a serial");
}

/* Whoever names a drive means that one. */
static int check_serial(const struct subject *subject, const struct target_options *options)
{
	_cleanup_buf_ struct buf drive = BUF_INIT;
	const char *identity = blockdev_identity(&subject->device);

	if (!options->serial || !strcmp(options->serial, identity))
		return 0;
	name_drive(&drive, &subject->device);
	return fail(EINVAL, "%s: is not the drive '%s' but '%s' (%s); nothing was written",
		    subject->label, options->serial, identity, drive.text);
}

static int check_signature(const struct subject *subject, int fd,
			   const struct target_options *options)
{
	_cleanup_buf_ struct buf drive = BUF_INIT, signature = BUF_INIT;
	int err = find_signature(subject, fd, &signature);

	if (err || !signature.size || options->serial)
		return err;
	name_drive(&drive, &subject->device);
	return fail(EPERM, "%s: carries %s; if all of it may be lost, name the drive (%s) with "
		    "--serial %s%s", subject->label, signature.text, drive.text,
		    blockdev_identity(&subject->device),
		    options->destroy_data ? "" : " and give --destroy-data");
}

static int check_consent(const struct subject *subject, const struct target_options *options)
{
	_cleanup_buf_ struct buf drive = BUF_INIT;

	if (options->destroy_data)
		return 0;
	name_drive(&drive, &subject->device);
	return fail(EPERM, "%s: is a block device (%s) and would be overwritten; --destroy-data "
		    "allows it", subject->label, drive.text);
}

/* The open file that makes the claim on a device, or a negative errno. */
static int claim_device(const struct subject *subject, const struct target_options *options)
{
	int fd = open(subject->path, O_RDONLY | O_EXCL | O_CLOEXEC | O_NONBLOCK);
	int open_error = errno, read_only = 0;
	struct stat st;
	int err = check_in_use(subject);

	if (!err && fd < 0)
		err = open_error == EBUSY ? refuse_exclusive(subject) :
		      fail(open_error, "%s: cannot be opened: %s", subject->label, strerror(open_error));
	if (!err && (fstat(fd, &st) < 0 || !S_ISBLK(st.st_mode) || st.st_rdev != subject->dev))
		err = fail(EBUSY, "%s: became another device while it was being opened; try again",
			   subject->label);
	if (!err && ioctl(fd, BLKROGET, &read_only) == 0 && read_only)
		err = fail(EROFS, "%s: is read-only (blockdev --setrw makes it writable, if the drive "
			   "is not locked)", subject->label);
	if (!err)
		err = check_serial(subject, options);
	if (!err)
		err = check_signature(subject, fd, options);
	if (!err)
		err = check_consent(subject, options);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

static int claim_file(const struct subject *subject, const struct target_options *options)
{
	int fd = open(subject->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int err;

	if (fd < 0)
		return fail(errno, "%s: %s", subject->label, strerror(errno));
	err = check_in_use(subject);
	if (!err && (fstat(fd, &st) < 0 || st.st_dev != subject->dev || st.st_ino != subject->inode))
		err = fail(EBUSY, "%s: became another file while it was being opened; try again",
			   subject->label);
	if (!err && !options->destroy_data && !guard_is_ours(fd, subject->path))
		err = fail(EPERM, "%s: exists and was not created by drivebay; choose another name, or "
			   "--destroy-data allows overwriting it", subject->label);
	/* Filesystems that cannot lock do without. */
	if (!err && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		err = refuse(subject, NULL, "is locked by another process (is drivebay running on it?)");
	if (err)
		close(fd);
	return err ? err : fd;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The name that the kernel shows for an open file, which is never a symbolic link's. */
static char *real_base(int fd, const char *path)
{
	_cleanup_free_ char *link = xasprintf("/proc/self/fd/%d", fd);
	char text[4096];
	ssize_t length = readlink(link, text, sizeof(text) - 1);

	if (length <= 0)
		return xstrdup(last_part(path));
	text[length] = '\0';
	return xstrdup(last_part(text));
}

static int subject_read(struct subject *subject, int fd, const char *path)
{
	struct stat st;
	int err;

	memset(subject, 0, sizeof(*subject));
	subject->path = path;
	if (fstat(fd, &st) < 0)
		return fail(errno, "%s: %s", path, strerror(errno));
	subject->is_device = S_ISBLK(st.st_mode);
	if (!subject->is_device) {
		subject->dev = st.st_dev;
		subject->inode = st.st_ino;
		subject->label = xstrdup(path);
		subject->base = real_base(fd, path);
		return 0;
	}
	subject->dev = st.st_rdev;
	err = blockdev_read(st.st_rdev, path, &subject->device);
	if (!err)
		err = blockdev_members(st.st_rdev, path, &subject->members, &subject->member_count);
	if (err)
		return err;
	if (!strcmp(last_part(path), subject->device.name))
		subject->label = xstrdup(path);
	else
		subject->label = xasprintf("%s (%s)", path, subject->device.name);
	return 0;
}

static struct guard_claim *find_claim(const struct subject *subject)
{
	struct guard_claim *claim = claims;

	while (claim && (claim->dev != subject->dev || claim->inode != subject->inode))
		claim = claim->next;
	return claim;
}

/*
 * Consent is asked of every handle, the state of the device only of the first: by now it
 * may hold what that one wrote.
 */
static int join_claim(const struct subject *subject, struct guard_claim *claim,
		      const struct target_options *options)
{
	int err = subject->is_device ? check_serial(subject, options) : 0;

	if (!err && subject->is_device)
		err = check_consent(subject, options);
	else if (!err && !options->destroy_data && !guard_is_ours(claim->fd, subject->path))
		err = fail(EPERM, "%s: was not created by drivebay; --destroy-data allows overwriting it",
			   subject->label);
	if (!err)
		claim->users++;
	return err;
}

static int new_claim(const struct subject *subject, const struct target_options *options,
		     struct guard_claim **out)
{
	int fd = subject->is_device ? claim_device(subject, options) : claim_file(subject, options);

	if (fd < 0)
		return fd;
	*out = xmalloc(sizeof(**out));
	**out = (struct guard_claim){
		.next = claims,
		.dev = subject->dev,
		.inode = subject->inode,
		.fd = fd,
		.users = 1,
	};
	claims = *out;
	return 0;
}

int guard_claim(int fd, const char *path, const struct target_options *options,
		struct guard_claim **out)
{
	_cleanup_subject_ struct subject subject = { 0 };
	int err = subject_read(&subject, fd, path);

	*out = NULL;
	if (err)
		return err;
	pthread_mutex_lock(&claims_lock);
	*out = find_claim(&subject);
	if (*out)
		err = join_claim(&subject, *out, options);
	else
		err = new_claim(&subject, options, out);
	pthread_mutex_unlock(&claims_lock);
	if (err)
		*out = NULL;
	return err;
}

void guard_release(struct guard_claim *claim)
{
	struct guard_claim **link = &claims;

	if (!claim)
		return;
	pthread_mutex_lock(&claims_lock);
	if (--claim->users == 0) {
		while (*link != claim)
			link = &(*link)->next;
		*link = claim->next;
		close(claim->fd);
		free(claim);
	}
	pthread_mutex_unlock(&claims_lock);
}

/* "drivebay INODE BIRTH"; false where the filesystem does not keep the time of birth. */
static bool identity_of(int fd, char *out, size_t size)
{
	struct statx stx;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &stx) < 0 ||
	    !(stx.stx_mask & STATX_BTIME))
		return false;
	snprintf(out, size, "drivebay %llu %lld.%09u", (unsigned long long)stx.stx_ino,
		 (long long)stx.stx_btime.tv_sec, stx.stx_btime.tv_nsec);
	return true;
}

static void remember_made(int fd)
{
	struct made *made = xcalloc(1, sizeof(*made));
	_cleanup_free_ char *self = xasprintf("/proc/self/fd/%d", fd);
	struct stat st;

	/* Only a path: it keeps the inode and hinders nobody. */
	if (fstat(fd, &st) < 0 || open(self, O_PATH | O_CLOEXEC) < 0) {
		free(made);
		return;
	}
	made->dev = st.st_dev;
	made->inode = st.st_ino;
	pthread_mutex_lock(&made_lock);
	made->next = all_made;
	all_made = made;
	pthread_mutex_unlock(&made_lock);
}

static bool is_made_here(int fd)
{
	const struct made *made;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return false;
	pthread_mutex_lock(&made_lock);
	made = all_made;
	while (made && (made->dev != st.st_dev || made->inode != st.st_ino))
		made = made->next;
	pthread_mutex_unlock(&made_lock);
	return made != NULL;
}

/* Makes way for a mark: removes one left over from an earlier file, nothing else. */
static void remove_old_mark(const char *beside)
{
	char marked[64];

	if (blockdev_text(beside, marked, sizeof(marked)) == 0 && !strncmp(marked, "drivebay ", 9))
		unlink(beside);
}

static const char attribute[] = "user.drivebay";

/* Beside the file; false where there is no time of birth, or that name is somebody's. */
static bool mark_beside(int fd, const char *path)
{
	_cleanup_free_ char *beside = xasprintf("%s.drivebay-made", path);
	_cleanup_close_ int mark = -1;
	char identity[64];

	if (!identity_of(fd, identity, sizeof(identity)))
		return false;
	remove_old_mark(beside);
	mark = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (mark < 0)
		return false;
	if (write(mark, identity, strlen(identity)) == (ssize_t)strlen(identity))
		return true;
	unlink(beside);
	return false;
}

void guard_mark(int fd, const char *path)
{
	if (fsetxattr(fd, attribute, "created", 7, 0) < 0 && !mark_beside(fd, path))
		remember_made(fd);
}

void guard_unlink(const char *path)
{
	_cleanup_free_ char *beside = xasprintf("%s.drivebay-made", path);

	unlink(path);
	remove_old_mark(beside);
}

bool guard_is_ours(int fd, const char *path)
{
	_cleanup_free_ char *beside = xasprintf("%s.drivebay-made", path);
	char identity[64], marked[64];

	if (fgetxattr(fd, attribute, NULL, 0) >= 0 || is_made_here(fd))
		return true;
	return identity_of(fd, identity, sizeof(identity)) &&
	       blockdev_text(beside, marked, sizeof(marked)) == 0 && !strcmp(identity, marked);
}
