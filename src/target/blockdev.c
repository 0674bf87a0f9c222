#include "target/blockdev.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fail.h"

static const char *root = "";

void blockdev_set_root(const char *new_root)
{
	root = new_root;
}

char *blockdev_path(const char *format, ...)
{
	_cleanup_free_ char *tail = NULL;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&tail, format, args);
	va_end(args);
	if (length < 0)
		tail = NULL;
	return xasprintf("%s%s", root, tail ? tail : "");
}

static void copy_text(char *out, size_t size, const char *text, size_t length)
{
	if (length >= size)
		length = size - 1;
	memmove(out, text, length);
	out[length] = '\0';
}

/* White space off both ends; what a terminal would act on becomes a space. */
static void tidy(char *text)
{
	size_t length, skip = 0;

	for (char *at = text; *at; at++)
		if (!isprint((unsigned char)*at))
			*at = ' ';
	while (text[skip] == ' ')
		skip++;
	length = strlen(text + skip);
	memmove(text, text + skip, length + 1);
	while (length && text[length - 1] == ' ')
		text[--length] = '\0';
}

int blockdev_text(const char *path, char *out, size_t size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	out[0] = '\0';
	if (fd < 0)
		return -errno;
	got = read(fd, out, size - 1);
	if (got < 0) {
		out[0] = '\0';
		return -errno;
	}
	out[got] = '\0';
	tidy(out);
	return 0;
}

static void read_text(char *out, size_t size, const char *directory, const char *file)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", directory, file);

	blockdev_text(path, out, size);
}

/* A directory of sysfs with all links resolved, to be freed; NULL when it is not there. */
static char *directory_of(dev_t dev)
{
	_cleanup_free_ char *link = blockdev_path("/sys/dev/block/%u:%u", major(dev), minor(dev));

	return realpath(link, NULL);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool has_file(const char *directory, const char *file)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", directory, file);

	return access(path, F_OK) == 0;
}

static dev_t number_in(const char *directory)
{
	char text[BLOCKDEV_NAME_BYTES];
	unsigned int high, low;

	read_text(text, sizeof(text), directory, "dev");
	return sscanf(text, "%u:%u", &high, &low) == 2 ? makedev(high, low) : 0;
}

/*
 * SCSI's Unit Serial Number page: four bytes of header, the serial after it. It is
 * binary, so it cannot go through blockdev_text().
 */
static void read_scsi_serial(char *out, size_t size, const char *directory)
{
	_cleanup_free_ char *path = xasprintf("%s/device/vpd_pg80", directory);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char page[4 + 252];
	ssize_t got = fd < 0 ? -1 : read(fd, page, sizeof(page));
	size_t length;

	if (got < 4)
		return;
	length = (size_t)page[2] << 8 | page[3];
	if (length > (size_t)got - 4)
		length = (size_t)got - 4;
	copy_text(out, size, (const char *)page + 4, length);
	tidy(out);
}

/* What udev found out, for buses whose serial the kernel does not show (ATA, USB). */
static void read_udev_serial(char *out, size_t size, const char *directory)
{
	dev_t dev = number_in(directory);
	_cleanup_free_ char *path = blockdev_path("/run/udev/data/b%u:%u", major(dev), minor(dev));
	_cleanup_file_ FILE *file = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t capacity = 0;

	while (file && getline(&line, &capacity, file) > 0) {
		static const char *const keys[] = { "E:ID_SCSI_SERIAL=", "E:ID_SERIAL_SHORT=" };

		for (size_t i = 0; i < 2; i++)
			if (!strncmp(line, keys[i], strlen(keys[i])))
				copy_text(out, size, line + strlen(keys[i]), strlen(line + strlen(keys[i])));
	}
	tidy(out);
}

static void read_serial(char *out, size_t size, const char *directory)
{
	read_text(out, size, directory, "device/serial"); /* NVMe, MMC */
	if (!out[0])
		read_text(out, size, directory, "serial"); /* virtio */
	if (!out[0])
		read_scsi_serial(out, size, directory);
	if (!out[0])
		read_udev_serial(out, size, directory);
}

/* "none [mq-deadline] kyber" -> "mq-deadline" */
static void read_scheduler(char *out, size_t size, const char *directory)
{
	char text[256], *from, *to;

	read_text(text, sizeof(text), directory, "queue/scheduler");
	from = strchr(text, '[');
	to = from ? strchr(from, ']') : NULL;
	if (to)
		copy_text(out, size, from + 1, (size_t)(to - from - 1));
	else
		copy_text(out, size, text, strlen(text));
}

int blockdev_read(dev_t dev, const char *path, struct blockdev *out)
{
	_cleanup_free_ char *directory = directory_of(dev);
	_cleanup_free_ char *whole = NULL;
	char text[BLOCKDEV_NAME_BYTES];

	memset(out, 0, sizeof(*out));
	if (!directory)
		return fail(ENODEV, "%s: the kernel knows no block device %u:%u", path, major(dev),
			    minor(dev));
	out->dev = dev;
	out->is_partition = has_file(directory, "partition");
	whole = xstrdup(directory);
	if (out->is_partition)
		*strrchr(whole, '/') = '\0';
	copy_text(out->name, sizeof(out->name), last_part(directory), strlen(last_part(directory)));
	copy_text(out->whole, sizeof(out->whole), last_part(whole), strlen(last_part(whole)));
	read_text(out->alias, sizeof(out->alias), whole, "dm/name");
	read_text(out->model, sizeof(out->model), whole, "device/model");
	read_serial(out->serial, sizeof(out->serial), whole);
	read_scheduler(out->scheduler, sizeof(out->scheduler), whole);
	read_text(text, sizeof(text), whole, "queue/rotational");
	out->is_rotational = !strcmp(text, "1");
	read_text(text, sizeof(text), whole, "queue/zoned");
	out->is_zoned = !strcmp(text, "host-managed");
	read_text(text, sizeof(text), whole, "queue/discard_max_bytes");
	out->cannot_discard = !strcmp(text, "0");
	read_text(text, sizeof(text), whole, "queue/write_zeroes_max_bytes");
	out->cannot_write_zeroes = !strcmp(text, "0");
	return 0;
}

const char *blockdev_identity(const struct blockdev *device)
{
	if (device->serial[0])
		return device->serial;
	return device->alias[0] ? device->alias : device->whole;
}

struct members {
	struct blockdev_member *list;
	size_t count;
};

static bool is_member(const struct members *members, dev_t dev)
{
	for (size_t i = 0; i < members->count; i++)
		if (members->list[i].dev == dev)
			return true;
	return false;
}

/* Adds the device of this sysfs directory; its index, or SIZE_MAX if it is there already. */
static size_t add(struct members *members, const char *directory, enum blockdev_relation relation,
		  size_t on)
{
	dev_t dev = number_in(directory);
	struct blockdev_member *member;

	if (is_member(members, dev))
		return SIZE_MAX;
	members->list = xrealloc(members->list, (members->count + 1) * sizeof(*members->list));
	member = &members->list[members->count];
	memset(member, 0, sizeof(*member));
	member->dev = dev;
	member->relation = relation;
	member->on = on;
	copy_text(member->name, sizeof(member->name), last_part(directory),
		  strlen(last_part(directory)));
	read_text(member->alias, sizeof(member->alias), directory, "dm/name");
	return members->count++;
}

static void add_above(struct members *members, const char *directory, size_t on, bool partitions);

static void add_entry(struct members *members, const char *path, enum blockdev_relation relation,
		      size_t on)
{
	_cleanup_free_ char *directory = realpath(path, NULL);
	size_t index = directory ? add(members, directory, relation, on) : SIZE_MAX;

	if (index != SIZE_MAX)
		add_above(members, directory, index, true);
}

static void add_partitions(struct members *members, const char *directory, size_t on)
{
	DIR *entries = opendir(directory);
	struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		_cleanup_free_ char *path = xasprintf("%s/%s", directory, entry->d_name);

		/* A partition's directory lies in its disk's; "." and ".." do not count. */
		if (entry->d_name[0] != '.' && has_file(path, "partition"))
			add_entry(members, path, BLOCKDEV_PARTITION, on);
	}
	if (entries)
		closedir(entries);
}

static void add_holders(struct members *members, const char *directory, size_t on)
{
	_cleanup_free_ char *holders = xasprintf("%s/holders", directory);
	DIR *entries = opendir(holders);
	struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		_cleanup_free_ char *path = xasprintf("%s/%s", holders, entry->d_name);

		if (entry->d_name[0] != '.')
			add_entry(members, path, BLOCKDEV_HOLDER, on);
	}
	if (entries)
		closedir(entries);
}

static void add_above(struct members *members, const char *directory, size_t on, bool partitions)
{
	add_holders(members, directory, on);
	if (partitions)
		add_partitions(members, directory, on);
}

int blockdev_members(dev_t dev, const char *path, struct blockdev_member **list, size_t *count)
{
	_cleanup_free_ char *directory = directory_of(dev);
	struct members members = { NULL, 0 };

	if (!directory)
		return fail(ENODEV, "%s: the kernel knows no block device %u:%u", path, major(dev),
			    minor(dev));
	add(&members, directory, BLOCKDEV_SELF, 0);
	add_above(&members, directory, 0, true);
	if (has_file(directory, "partition")) {
		size_t whole;

		*strrchr(directory, '/') = '\0';
		whole = add(&members, directory, BLOCKDEV_WHOLE, 0);
		add_above(&members, directory, whole, false);
	}
	*list = members.list;
	*count = members.count;
	return 0;
}
