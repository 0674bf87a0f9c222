/*
 * Disks, RAID and LVM as sysfs shows them, from trees of files that the tests make: what
 * stands above a device and what it is called does not depend on this machine's hardware.
 */
#include "device.h"

#include <limits.h>
#include <sys/sysmacros.h>

#include "base/fail.h"
#include "target/blockdev.h"
#include "target/guard.h"

static char root[64];

/* root/PATH with its directories, holding `text`. */
__attribute__((format(printf, 2, 3))) static void put(const char *text, const char *format, ...)
{
	char path[PATH_MAX];
	size_t at = (size_t)snprintf(path, sizeof(path), "%s", root);
	va_list args;
	FILE *file;

	va_start(args, format);
	vsnprintf(path + at, sizeof(path) - at, format, args);
	va_end(args);
	for (char *slash = strchr(path + at + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	file = fopen(path, "w");
	check(file);
	fputs(text, file);
	check(fclose(file) == 0);
}

/* root/PATH as a link to root/TO. */
static void put_link(const char *to, const char *path)
{
	char target[PATH_MAX], link[PATH_MAX];
	char *absolute = realpath(root, NULL);

	put("", "%s", path); /* for its directories */
	snprintf(link, sizeof(link), "%s%s", root, path);
	snprintf(target, sizeof(target), "%s%s", to[0] == '@' ? "" : absolute, to[0] == '@' ? to + 1 : to);
	unlink(link);
	check(symlink(target, link) == 0);
	free(absolute);
}

static void tree_begin(void)
{
	static unsigned int number;

	snprintf(root, sizeof(root), "./test_blockdev.%d.%u", (int)getpid(), number++);
	check(mkdir(root, 0700) == 0);
	blockdev_set_root(root);
}

static void tree_end(void)
{
	char line[128];

	blockdev_set_root("");
	if (!root[0])
		return;
	snprintf(line, sizeof(line), "rm -rf %s", root);
	root[0] = '\0';
	if (system(line))
		fprintf(stderr, "# %s failed\n", line);
}

/* A device `directory` below /sys/devices with this number. */
static void put_device(const char *directory, unsigned int high, unsigned int low)
{
	char number[32], link[64], target[256];

	snprintf(number, sizeof(number), "%u:%u\n", high, low);
	put(number, "/sys/devices/%s/dev", directory);
	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", high, low);
	snprintf(target, sizeof(target), "/sys/devices/%s", directory);
	put_link(target, link);
}

static void put_partition(const char *directory, unsigned int high, unsigned int low)
{
	put_device(directory, high, low);
	put("1\n", "/sys/devices/%s/partition", directory);
}

/* `above` (a directory below /sys/devices) is built on `below`. */
static void put_holder(const char *below, const char *above)
{
	char link[256], target[256];

	snprintf(link, sizeof(link), "/sys/devices/%s/holders/%s", below, strrchr(above, '/') + 1);
	snprintf(target, sizeof(target), "/sys/devices/%s", above);
	put_link(target, link);
}

static struct blockdev read_device(unsigned int high, unsigned int low)
{
	struct blockdev device;

	check_equal(blockdev_read(makedev(high, low), "x", &device), 0);
	return device;
}

#define check_text(got, expected) \
	do { \
		if (strcmp(got, expected)) \
			tap_fail("%s:%d: '%s' is not '%s'", __FILE__, __LINE__, got, expected); \
	} while (0)

TEST(an_unknown_number_is_no_device)
{
	struct blockdev device;

	tree_begin();
	check_equal(blockdev_read(makedev(8, 0), "/dev/sda", &device), -ENODEV);
	check(strstr(fail_message(), "/dev/sda: the kernel knows no block device 8:0"));
	tree_end();
}

TEST(an_nvme_drive_is_known_by_its_controllers_serial)
{
	struct blockdev device;

	tree_begin();
	put_device("pci/nvme/nvme0/nvme0n1", 259, 0);
	put("  S4P3NF0M500123      \n", "/sys/devices/pci/nvme/nvme0/nvme0n1/device/serial");
	put("SAMSUNG MZQLB1T9HAJR-00007              \n",
	    "/sys/devices/pci/nvme/nvme0/nvme0n1/device/model");
	put("[none] mq-deadline kyber\n", "/sys/devices/pci/nvme/nvme0/nvme0n1/queue/scheduler");
	put("0\n", "/sys/devices/pci/nvme/nvme0/nvme0n1/queue/rotational");
	put("2199023255040\n", "/sys/devices/pci/nvme/nvme0/nvme0n1/queue/discard_max_bytes");
	put("0\n", "/sys/devices/pci/nvme/nvme0/nvme0n1/queue/write_zeroes_max_bytes");
	put_partition("pci/nvme/nvme0/nvme0n1/nvme0n1p1", 259, 1);
	device = read_device(259, 0);
	check_text(device.name, "nvme0n1");
	check_text(device.whole, "nvme0n1");
	check_text(device.model, "SAMSUNG MZQLB1T9HAJR-00007");
	check_text(device.serial, "S4P3NF0M500123");
	check_text(device.scheduler, "none");
	check(!device.is_rotational && !device.is_partition);
	check(!device.cannot_discard && device.cannot_write_zeroes);
	check_text(blockdev_identity(&device), "S4P3NF0M500123");
	/* A partition is named by its drive. */
	device = read_device(259, 1);
	check_text(device.name, "nvme0n1p1");
	check_text(device.whole, "nvme0n1");
	check(device.is_partition && device.cannot_write_zeroes);
	check_text(blockdev_identity(&device), "S4P3NF0M500123");
	tree_end();
}

TEST(a_scsi_drives_serial_comes_from_its_page_or_from_udev)
{
	char path[PATH_MAX];
	FILE *file;

	tree_begin();
	put_device("scsi/sda", 8, 0);
	put_device("scsi/sdb", 8, 16);
	put("1\n", "/sys/devices/scsi/sdb/queue/rotational");
	put("none [bfq]\n", "/sys/devices/scsi/sdb/queue/scheduler");
	put("", "/sys/devices/scsi/sda/device/vpd_pg80");
	snprintf(path, sizeof(path), "%s/sys/devices/scsi/sda/device/vpd_pg80", root);
	file = fopen(path, "w");
	check(file);
	check(fwrite("\0\x80\0\x08  ZA1234trailing", 1, 20, file) == 20);
	fclose(file);
	put("I:123\nE:ID_SERIAL=ata_Model_WD-99\nE:ID_SERIAL_SHORT=WD-99\n", "/run/udev/data/b8:16");
	check_text(read_device(8, 0).serial, "ZA1234");
	check_text(read_device(8, 16).serial, "WD-99");
	check_text(read_device(8, 16).scheduler, "bfq");
	check(read_device(8, 16).is_rotational);
	check(!read_device(8, 16).is_zoned);
	put("host-aware\n", "/sys/devices/scsi/sdb/queue/zoned");
	check(!read_device(8, 16).is_zoned);
	put("host-managed\n", "/sys/devices/scsi/sdb/queue/zoned");
	check(read_device(8, 16).is_zoned);
	tree_end();
}

TEST(what_has_no_serial_is_named_by_mapper_or_kernel_name)
{
	struct blockdev device;

	tree_begin();
	put_device("virtual/block/dm-3", 253, 3);
	put("vg-root\n", "/sys/devices/virtual/block/dm-3/dm/name");
	put_device("virtual/block/loop7", 7, 7);
	device = read_device(253, 3);
	check_text(blockdev_identity(&device), "vg-root");
	device = read_device(7, 7);
	check_text(blockdev_identity(&device), "loop7");
	tree_end();
}

TEST(control_characters_in_a_name_do_not_reach_the_terminal)
{
	tree_begin();
	put_device("pci/nvme0n1", 259, 0);
	put("evil\033[2J\ndrive\n", "/sys/devices/pci/nvme0n1/device/model");
	check_text(read_device(259, 0).model, "evil [2J drive");
	tree_end();
}

/* sda with two partitions, a RAID of the second and sdb, LVM with two volumes on it. */
static void put_stack(void)
{
	put_device("scsi/sda", 8, 0);
	put_partition("scsi/sda/sda1", 8, 1);
	put_partition("scsi/sda/sda2", 8, 2);
	put_device("scsi/sdb", 8, 16);
	put_device("virtual/block/md0", 9, 0);
	put_device("virtual/block/dm-0", 253, 0);
	put_device("virtual/block/dm-1", 253, 1);
	put("vg-root\n", "/sys/devices/virtual/block/dm-0/dm/name");
	put("vg-home\n", "/sys/devices/virtual/block/dm-1/dm/name");
	put_holder("scsi/sda/sda2", "virtual/block/md0");
	put_holder("scsi/sdb", "virtual/block/md0");
	put_holder("virtual/block/md0", "virtual/block/dm-0");
	put_holder("virtual/block/md0", "virtual/block/dm-1");
}

/* "sda sda1 sda2 md0 ..." in any order: whether exactly these belong to the device. */
static void check_members(unsigned int high, unsigned int low, const char *expected)
{
	struct blockdev_member *members;
	size_t count, words = 1;

	check_equal(blockdev_members(makedev(high, low), "x", &members, &count), 0);
	for (const char *at = expected; *at; at++)
		words += *at == ' ';
	for (size_t i = 0; i < count; i++) {
		const char *at = strstr(expected, members[i].name);

		if (!at)
			tap_fail("%s is no member of %u:%u", members[i].name, high, low);
		check(members[i].on <= i);
	}
	check_equal(count, words);
	check_equal(members[0].relation, BLOCKDEV_SELF);
	free(members);
}

TEST(everything_above_a_device_belongs_to_it_and_nothing_beside)
{
	tree_begin();
	put_stack();
	check_members(8, 0, "sda sda1 sda2 md0 dm-0 dm-1");
	check_members(8, 16, "sdb md0 dm-0 dm-1");
	check_members(8, 2, "sda2 md0 dm-0 dm-1 sda");
	check_members(8, 1, "sda1 sda");
	check_members(9, 0, "md0 dm-0 dm-1");
	check_members(253, 1, "dm-1");
	tree_end();
}

TEST(what_is_built_on_two_partitions_of_a_disk_belongs_to_it_once)
{
	tree_begin();
	put_stack();
	put_holder("scsi/sda/sda1", "virtual/block/md0");
	check_members(8, 0, "sda sda1 sda2 md0 dm-0 dm-1");
	tree_end();
}

TEST(a_disk_built_upon_as_a_whole_counts_for_its_partition)
{
	tree_begin();
	put_stack();
	put_device("virtual/block/dm-7", 253, 7);
	put_holder("scsi/sda", "virtual/block/dm-7");
	check_members(8, 1, "sda1 sda dm-7");
	tree_end();
}

/* --- the guard's sentences, on a real loop device that the tree makes a disk of --- */

static void check_claim_refused(const struct loop *loop, const char *words)
{
	const struct target_options options = { .destroy_data = true };
	struct guard_claim *claim;
	int err = guard_claim(loop->fd, loop->path, &options, &claim);

	if (!err) {
		guard_release(claim);
		tap_fail("was claimed in spite of: %s", words);
	}
	if (!strstr(fail_message(), words))
		tap_fail("\"%s\" does not say \"%s\"", fail_message(), words);
	check_equal(err, -EBUSY);
}

/* The loop device as disk sda with LVM on its second partition. */
static struct loop loop_as_disk(void)
{
	struct loop loop = loop_new(1 << 20, 512);

	tree_begin();
	put_device("scsi/sda", 7, (unsigned int)loop.number);
	put_partition("scsi/sda/sda1", 8, 1);
	put_partition("scsi/sda/sda2", 8, 2);
	put_device("virtual/block/dm-0", 253, 0);
	put("vg-root\n", "/sys/devices/virtual/block/dm-0/dm/name");
	put_holder("scsi/sda/sda2", "virtual/block/dm-0");
	return loop;
}

TEST(a_volume_on_a_partition_protects_the_disk)
{
	struct loop loop = loop_as_disk();

	check_claim_refused(&loop, "its partition sda2 is in use by dm-0 (vg-root); remove that");
	tree_end();
	loop_free(&loop);
}

TEST(a_mounted_volume_on_a_partition_is_named_with_its_mount)
{
	struct loop loop = loop_as_disk();

	put("22 1 0:5 / /proc rw - proc proc rw\n"
	    "30 1 253:0 / /srv/my\\040data rw,noatime shared:1 - ext4 /dev/mapper/vg-root rw\n",
	    "/proc/self/mountinfo");
	check_claim_refused(&loop, "dm-0 (vg-root), which is built on its partition sda2, is mounted on "
			    "/srv/my data; unmount it first");
	tree_end();
	loop_free(&loop);
}

TEST(a_mount_that_shows_another_number_is_found_by_its_source)
{
	struct loop loop = loop_new(1 << 20, 512);
	char line[256];

	tree_begin();
	put_device("scsi/sda", 7, (unsigned int)loop.number);
	snprintf(line, sizeof(line), "30 1 0:45 /@ /home rw shared:1 - btrfs %s rw\n", loop.path);
	put(line, "/proc/self/mountinfo");
	check_claim_refused(&loop, "it is mounted on /home");
	tree_end();
	loop_free(&loop);
}

TEST(a_process_that_may_write_is_named)
{
	struct loop loop = loop_new(1 << 20, 512);
	char link[80];

	tree_begin();
	put_device("scsi/sda", 7, (unsigned int)loop.number);
	put("qemu\n", "/proc/4711/comm");
	put("pos:\t0\nflags:\t0100000\n", "/proc/4711/fdinfo/8");
	put("pos:\t0\nflags:\t0140002\n", "/proc/4711/fdinfo/9");
	snprintf(link, sizeof(link), "@%s", loop.path);
	put_link(link, "/proc/4711/fd/8");
	put_link(link, "/proc/4711/fd/9");
	check_claim_refused(&loop, "it is open for writing in qemu (process 4711); end that first");
	put("pos:\t0\nflags:\t0140000\n", "/proc/4711/fdinfo/9");
	{
		const struct target_options options = { .destroy_data = true };
		struct guard_claim *claim;

		check_equal(guard_claim(loop.fd, loop.path, &options, &claim), 0);
		guard_release(claim);
	}
	tree_end();
	loop_free(&loop);
}

TEST(a_disk_in_a_raid_protects_its_partition)
{
	struct loop loop = loop_new(1 << 20, 512);

	tree_begin();
	put_device("scsi/sda", 8, 0);
	put_partition("scsi/sda/sda1", 7, (unsigned int)loop.number);
	put_device("virtual/block/md0", 9, 0);
	put_holder("scsi/sda", "virtual/block/md0");
	check_claim_refused(&loop, "its disk sda is in use by md0; remove that device first");
	tree_end();
	loop_free(&loop);
}

int main(void)
{
	int status;

	device_start();
	status = tap_run();
	tree_end();
	device_end();
	return status;
}
