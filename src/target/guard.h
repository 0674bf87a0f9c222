/*
 * guard.h - may this device or file be written?
 *
 * Nothing is overwritten by accident. A claim is asked for before the first write and
 * held until the last; while it is held nobody else can mount the device. Reading needs
 * no claim. Every refusal is one sentence in fail(): what stands in the way, where, and
 * what to do. Asking writes nothing.
 *
 * A block device is claimed only if
 *	- neither it nor anything on it is in use: its partitions, what device mapper, LVM,
 *	  MD or bcache built on them, mounts, swap, loop devices attached to one of these,
 *	  another process that holds it exclusively (which is how mounts in other mount
 *	  namespaces and ZFS members show) or has it open for writing. Of a partition's
 *	  disk only the disk as a whole counts, not the other partitions;
 *	- options->destroy_data is given;
 *	- options->serial, when given, is this drive's, whatever else holds;
 *	- it carries no partition table, filesystem, RAID, LVM or swap signature, or
 *	  options->serial names it. What has no serial is named by its device mapper name
 *	  or else by the kernel's name of the disk ("loop0"): blockdev_identity().
 *
 * A regular file is claimed only if no loop device is attached to it, it is no swap file,
 * nobody else has it open for writing, and drivebay created it or options->destroy_data
 * is given.
 *
 * Names do not matter: everything is compared by device number or inode, so symbolic and
 * by-id links are seen through. Errors: -EBUSY in use, -EPERM consent is missing, -EINVAL
 * the serial is another drive's, -EROFS read-only.
 */
#ifndef DRIVEBAY_TARGET_GUARD_H
#define DRIVEBAY_TARGET_GUARD_H

#include <stdbool.h>

#include "target/target.h"

struct guard_claim;

/*
 * Claims what `fd` has open (for reading; `path` is its name) for writing. Handles of one
 * process share the claim of a device; each releases its own. Safe from several threads.
 */
int guard_claim(int fd, const char *path, const struct target_options *options,
		struct guard_claim **out);
void guard_release(struct guard_claim *claim); /* NULL is fine */

/*
 * Marks the file that was just created as drivebay's: the extended attribute user.drivebay.
 * Where a filesystem has none, the file PATH.drivebay-made beside it holds inode number and
 * time of birth, so that neither a copy nor another file of that name is taken for it;
 * where there is no time of birth either only this process knows the file, and to the next
 * one it is foreign.
 */
void guard_mark(int fd, const char *path);
bool guard_is_ours(int fd, const char *path);
void guard_unlink(const char *path); /* a file that was just created, and its mark */

#endif
