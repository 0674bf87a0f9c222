/*
 * blockdev.h - what the kernel knows of a block device, without opening it.
 *
 * Everything is looked up by device number in sysfs, so a symbolic link, a by-id name
 * or a node made by hand say the same as the usual path. Set-up only: it allocates.
 */
#ifndef DRIVEBAY_TARGET_BLOCKDEV_H
#define DRIVEBAY_TARGET_BLOCKDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { BLOCKDEV_NAME_BYTES = 64, BLOCKDEV_TEXT_BYTES = 128 };

struct blockdev {
	dev_t dev;
	char name[BLOCKDEV_NAME_BYTES];   /* the kernel's: "nvme0n1", "sda1", "dm-0" */
	char whole[BLOCKDEV_NAME_BYTES];  /* the disk it lies on: "sda"; itself unless a partition */
	char alias[BLOCKDEV_TEXT_BYTES];  /* device mapper's name: "vg-root"; or "" */
	char model[BLOCKDEV_TEXT_BYTES];  /* or "" */
	char serial[BLOCKDEV_TEXT_BYTES]; /* or "" */
	char scheduler[BLOCKDEV_NAME_BYTES]; /* the one in use; or "" */
	bool is_partition;
	bool is_rotational;
	bool is_zoned; /* host-managed: written in sequence only */
	bool cannot_discard;      /* the kernel knows that it has no such command ... */
	bool cannot_write_zeroes; /* ... and would write pages of zeroes itself */
};

/* -ENODEV when sysfs does not know `dev`; the sentence in fail() names `path`. */
int blockdev_read(dev_t dev, const char *path, struct blockdev *out);

/*
 * What stands for the drive when its owner names it: the serial; without one the
 * device mapper's name; without that the kernel's name of the whole disk ("loop0").
 */
const char *blockdev_identity(const struct blockdev *device);

/* How a device belongs to the one that was asked about. */
enum blockdev_relation {
	BLOCKDEV_SELF,
	BLOCKDEV_PARTITION, /* of `on` */
	BLOCKDEV_HOLDER,    /* built on `on`: device mapper, LVM, MD, bcache */
	BLOCKDEV_WHOLE,     /* the disk of which the asked one is a partition */
};

struct blockdev_member {
	dev_t dev;
	char name[BLOCKDEV_NAME_BYTES];
	char alias[BLOCKDEV_TEXT_BYTES];
	enum blockdev_relation relation;
	size_t on; /* index of the member it belongs to; its own for the first */
};

/*
 * Everything that a write to `dev` would write to as well: the device, its partitions,
 * what is built on these, and so on upwards. Of a partition's disk only the disk itself
 * and what is built on it as a whole, not the other partitions. The first member is
 * the device. Free *members with free().
 */
int blockdev_members(dev_t dev, const char *path, struct blockdev_member **members, size_t *count);

/*
 * The text of /sys or /proc file `path` without the white space around it (inner
 * control characters become spaces), in `out`. 0 or -errno, no sentence.
 */
int blockdev_text(const char *path, char *out, size_t size);

/* For tests: the directory that stands for "/" when /sys, /proc and /run are read. */
void blockdev_set_root(const char *root);
/* PATH below that root, to be freed. */
char *blockdev_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
