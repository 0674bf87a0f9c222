#include "device.h"

#include <sys/syscall.h>
#include <sys/xattr.h>

#include "base/fail.h"
#include "target/guard.h"
#include "target/target.h"

enum { MIB = 1 << 20 };

static const struct target_options destroy = { .destroy_data = true };
static const struct target_options nothing = { .depth = 1 };
static const struct target_options reading = { .read_only = true };

/* Opening `path` as a target is refused with this code, in one line that says `words`. */
static void check_refused(const char *path, const struct target_options *options, int code,
			  const char *words)
{
	struct target *target = NULL;
	int err = target_uring_ops.open(path, options, &target);

	if (!err)
		tap_fail("%s: was opened", path);
	if (!strstr(fail_message(), words) || strchr(fail_message(), '\n'))
		tap_fail("\"%s\" does not say \"%s\" in one line", fail_message(), words);
	if (strncmp(fail_message(), path, strlen(path)) != 0)
		tap_fail("\"%s\" does not begin with \"%s\"", fail_message(), path);
	check_equal(err, -code);
}

/* The same of a device whose bytes must stay as they are. */
static void check_spared(struct loop *loop, const char *path, const struct target_options *options,
			 int code, const char *words)
{
	uint64_t before, after;

	check(fsync(loop->fd) == 0);
	before = hash_file(loop->backing);
	check_refused(path, options, code, words);
	check(fsync(loop->fd) == 0);
	after = hash_file(loop->backing);
	check(before == after);
}

static void check_opens(const char *path, const struct target_options *options)
{
	struct target *target = NULL;
	int err = target_uring_ops.open(path, options, &target);

	if (err == -ENOSYS)
		tap_skip("io_uring is not available here");
	if (err)
		tap_fail("%s: %d: %s", path, err, fail_message());
	target_close(target);
}

/* A claim without a target around it. */
static int claim(const char *path, const struct target_options *options, struct guard_claim **out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int err = guard_claim(fd, path, options, out);

	close(fd);
	return err;
}

/* Another process that runs `body`, says so, and stays until release() or our end. */
struct other {
	pid_t pid;
	int hold;
};

static struct other other_start(int (*body)(const char *), const char *argument)
{
	struct other other;
	int up[2], hold[2];
	char answer = 0;

	check(pipe2(up, O_CLOEXEC) == 0 && pipe2(hold, O_CLOEXEC) == 0);
	check(up[0] > 2);
	fflush(stdout);
	other.pid = fork();
	if (other.pid == 0) {
		/* What was inherited would count as this process's own. */
		check(dup2(up[1], 3) == 3 && dup2(hold[0], 4) == 4 && close_range(5, ~0u, 0) == 0);
		answer = body(argument) == 0 ? 'y' : 'n';
		if (write(3, &answer, 1) == 1 && read(4, &answer, 1) < 0)
			_exit(1);
		_exit(0);
	}
	close(up[1]);
	close(hold[0]);
	other.hold = hold[1];
	check(read(up[0], &answer, 1) == 1);
	close(up[0]);
	if (answer != 'y')
		tap_skip("the other process could not do its part");
	return other;
}

static void other_end(struct other *other)
{
	close(other->hold);
	waitpid(other->pid, NULL, 0);
}

static int open_exclusively(const char *path)
{
	return open(path, O_RDONLY | O_EXCL) < 0;
}

static int open_for_writing(const char *path)
{
	return open(path, O_RDWR) < 0;
}

static int open_for_reading(const char *path)
{
	return open(path, O_RDONLY) < 0;
}

static int mount_elsewhere(const char *path)
{
	return unshare(CLONE_NEWNS) < 0 || mount(path, "/mnt", "ext4", MS_RDONLY, NULL) < 0;
}

static struct loop loop_with_ext4(void)
{
	struct loop loop = loop_new(8 * MIB, 512);

	command("mkfs.ext4 -q -L precious %s 2>/dev/null", loop.path);
	return loop;
}

TEST(a_blank_device_is_written_only_with_consent)
{
	struct loop loop = loop_new(MIB, 512);

	check_spared(&loop, loop.path, &nothing, EPERM, "--destroy-data allows it");
	check_opens(loop.path, &destroy);
	check_opens(loop.path, &reading);
	loop_free(&loop);
}

TEST(a_mounted_device_is_refused_and_may_be_read)
{
	struct loop loop = loop_with_ext4();
	struct target_options named = { .destroy_data = true, .serial = loop.name };

	check(mount(loop.path, "/mnt", "ext4", MS_RDONLY, NULL) == 0);
	check_spared(&loop, loop.path, &named, EBUSY, "it is mounted on /mnt; unmount it first");
	check_spared(&loop, loop.path, &nothing, EBUSY, "it is mounted on /mnt");
	check_opens(loop.path, &reading);
	umount("/mnt");
	check_opens(loop.path, &named);
	loop_free(&loop);
}

TEST(a_symbolic_link_does_not_hide_a_mount)
{
	struct loop loop = loop_with_ext4();
	struct target_options named = { .destroy_data = true, .serial = loop.name };
	char link[64], expected[128];

	snprintf(link, sizeof(link), "./test_guard.%d.by-id", (int)getpid());
	unlink(link);
	check(symlink(loop.path, link) == 0);
	check(mount(loop.path, "/mnt", "ext4", MS_RDONLY, NULL) == 0);
	snprintf(expected, sizeof(expected), "%s (%s): it is mounted on /mnt", link, loop.name);
	check_spared(&loop, link, &named, EBUSY, expected);
	umount("/mnt");
	unlink(link);
	loop_free(&loop);
}

TEST(a_node_made_by_hand_does_not_hide_a_mount)
{
	struct loop loop = loop_with_ext4();
	struct target_options named = { .destroy_data = true, .serial = loop.name };
	char node[64];
	struct stat st;

	snprintf(node, sizeof(node), "./test_guard.%d.node", (int)getpid());
	check(stat(loop.path, &st) == 0);
	if (mknod(node, S_IFBLK | 0600, st.st_rdev) < 0)
		tap_skip("device nodes cannot be made here");
	check(mount(node, "/mnt", "ext4", MS_RDONLY, NULL) == 0 ||
	      mount(loop.path, "/mnt", "ext4", MS_RDONLY, NULL) == 0);
	check_spared(&loop, loop.path, &named, EBUSY, "it is mounted on /mnt");
	umount("/mnt");
	unlink(node);
	loop_free(&loop);
}

TEST(a_mount_in_another_namespace_is_refused)
{
	struct loop loop = loop_with_ext4();
	struct target_options named = { .destroy_data = true, .serial = loop.name };
	struct other other = other_start(mount_elsewhere, loop.path);

	check_spared(&loop, loop.path, &named, EBUSY, "held exclusively");
	other_end(&other);
	loop_free(&loop);
}

TEST(a_mounted_partition_protects_its_disk_but_not_its_sibling)
{
	struct loop loop = loop_new(16 * MIB, 512);
	struct target_options named = { .destroy_data = true, .serial = loop.name };
	char first[40], second[40], expected[128];

	loop_partition(&loop, 1, MIB, 8 * MIB, first);
	loop_partition(&loop, 2, 9 * MIB, 4 * MIB, second);
	command("mkfs.ext4 -q %s 2>/dev/null", first);
	check(mount(first, "/mnt", "ext4", MS_RDONLY, NULL) == 0);
	snprintf(expected, sizeof(expected), "its partition %s is mounted on /mnt", first + 5);
	check_spared(&loop, loop.path, &named, EBUSY, expected);
	check_spared(&loop, first, &named, EBUSY, "it is mounted on /mnt");
	check_opens(second, &destroy);
	umount("/mnt");
	/* Free again, but the partitions still stand for somebody's data. */
	check_spared(&loop, loop.path, &destroy, EPERM, "carries a partition");
	check_spared(&loop, first, &destroy, EPERM, "carries a filesystem (ext4)");
	check_opens(first, &named);
	check_opens(loop.path, &named);
	loop_free(&loop);
}

TEST(a_disk_in_use_as_a_whole_protects_its_partition)
{
	struct loop loop = loop_new(16 * MIB, 512);
	char part[40];
	struct other other;

	loop_partition(&loop, 1, MIB, 8 * MIB, part);
	other = other_start(open_for_writing, loop.path);
	check_refused(part, &destroy, EBUSY, "is open for writing in test_guard (process ");
	other_end(&other);
	other = other_start(open_exclusively, loop.path);
	check_refused(part, &destroy, EBUSY, "held exclusively");
	other_end(&other);
	check_opens(part, &destroy);
	loop_free(&loop);
}

TEST(swap_space_is_refused)
{
	struct loop loop = loop_new(8 * MIB, 512);
	struct target_options named = { .destroy_data = true, .serial = loop.name };

	command("mkswap %s >/dev/null 2>&1", loop.path);
	check_spared(&loop, loop.path, &destroy, EPERM, "carries a signature (swap)");
	undo_later("swapoff %s", loop.path);
	if (swapon(loop.path, 0) < 0)
		tap_skip("swap cannot be switched on here");
	check_spared(&loop, loop.path, &named, EBUSY, "it is swap space");
	check(swapoff(loop.path) == 0);
	check_opens(loop.path, &named);
	loop_free(&loop);
}

TEST(a_signature_stands_until_the_drive_is_named)
{
	struct loop loop = loop_with_ext4();
	struct target_options named = { .destroy_data = true, .serial = loop.name };
	struct target_options wrong = { .destroy_data = true, .serial = "S4P3NF0M" };
	struct target_options unconsented = { .serial = loop.name };
	char expected[128];

	snprintf(expected, sizeof(expected), "name the drive (without a serial) with --serial %s",
		 loop.name);
	check_spared(&loop, loop.path, &destroy, EPERM,
		     "carries a filesystem (ext4, labelled \"precious\")");
	check_spared(&loop, loop.path, &destroy, EPERM, expected);
	check_spared(&loop, loop.path, &nothing, EPERM, "and give --destroy-data");
	check_spared(&loop, loop.path, &wrong, EINVAL, "is not the drive 'S4P3NF0M'");
	check_spared(&loop, loop.path, &unconsented, EPERM, "--destroy-data allows it");
	check_opens(loop.path, &reading);
	check_opens(loop.path, &named);
	loop_free(&loop);
}

TEST(the_wrong_drive_is_refused_even_when_it_is_blank)
{
	struct loop loop = loop_new(MIB, 512);
	struct target_options wrong = { .destroy_data = true, .serial = "loop" };

	check_spared(&loop, loop.path, &wrong, EINVAL, "is not the drive 'loop'");
	loop_free(&loop);
}

TEST(a_partition_table_stands_until_the_drive_is_named)
{
	struct loop loop = loop_new(8 * MIB, 512);
	struct target_options named = { .destroy_data = true, .serial = loop.name };
	/* One Linux partition from sector 2048, 8192 sectors long; the mark at the end. */
	static unsigned char mbr[512] = {
		[446] = 0, [450] = 0x83, [455] = 8, [459] = 0x20, [510] = 0x55, [511] = 0xaa,
	};

	check(pwrite(loop.fd, mbr, 512, 0) == 512 && fsync(loop.fd) == 0);
	check_spared(&loop, loop.path, &destroy, EPERM, "carries a partition table (dos)");
	check_opens(loop.path, &named);
	loop_free(&loop);
}

TEST(what_another_process_holds_exclusively_is_refused)
{
	struct loop loop = loop_new(MIB, 512);
	struct other other = other_start(open_exclusively, loop.path);

	check_spared(&loop, loop.path, &destroy, EBUSY,
		     "held exclusively, and test_guard (process ");
	other_end(&other);
	check_opens(loop.path, &destroy);
	loop_free(&loop);
}

TEST(what_another_process_may_write_is_refused_and_what_it_reads_is_not)
{
	struct loop loop = loop_new(MIB, 512);
	struct other other = other_start(open_for_writing, loop.path);

	check_spared(&loop, loop.path, &destroy, EBUSY, "it is open for writing in test_guard (process ");
	other_end(&other);
	other = other_start(open_for_reading, loop.path);
	check_opens(loop.path, &destroy);
	other_end(&other);
	loop_free(&loop);
}

TEST(a_device_under_a_loop_device_is_refused)
{
	struct loop below = loop_new(4 * MIB, 512);
	int backing = open(below.path, O_RDWR | O_CLOEXEC);
	struct loop above = loop_over(backing, 512);
	char expected[128];

	snprintf(expected, sizeof(expected), "it is attached to loop device %s; detach it first",
		 above.name);
	check_spared(&below, below.path, &destroy, EBUSY, expected);
	check_opens(above.path, &destroy);
	loop_free(&above);
	loop_free(&below);
}

TEST(two_loop_devices_over_one_file_protect_each_other)
{
	struct loop one = loop_new(4 * MIB, 512);
	struct loop two = loop_over(one.backing, 512);
	char expected[128];

	snprintf(expected, sizeof(expected), "shares its backing file with loop device %s", two.name);
	check_spared(&one, one.path, &destroy, EBUSY, expected);
	close(two.fd);
	loop_free(&one);
}

TEST(while_it_is_claimed_nobody_else_mounts_or_claims_a_device)
{
	struct loop loop = loop_with_ext4();
	struct target_options named = { .destroy_data = true, .serial = loop.name };
	struct guard_claim *held, *second;

	check_equal(claim(loop.path, &named, &held), 0);
	check(mount(loop.path, "/mnt", "ext4", MS_RDONLY, NULL) < 0);
	check_equal(errno, EBUSY);
	/* Handles of one process share it, each with its own consent. */
	check_equal(claim(loop.path, &named, &second), 0);
	check(held == second);
	guard_release(second);
	check_equal(claim(loop.path, &nothing, &second), -EPERM);
	check(mount(loop.path, "/mnt", "ext4", MS_RDONLY, NULL) < 0);
	guard_release(held);
	check(mount(loop.path, "/mnt", "ext4", MS_RDONLY, NULL) == 0);
	umount("/mnt");
	loop_free(&loop);
}

TEST(device_mapper_on_it_is_refused)
{
	struct loop loop;
	char name[32], expected[128];
	int control = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);

	if (control < 0)
		tap_skip("device mapper is not available here");
	close(control);
	loop = loop_new(4 * MIB, 512);
	snprintf(name, sizeof(name), "drivebay-test-%d", (int)getpid());
	undo_later("dmsetup remove --noudevsync %s >/dev/null 2>&1 || :", name);
	command("echo 0 4096 linear %s 2048 | dmsetup create --noudevsync %s", loop.path, name);
	snprintf(expected, sizeof(expected), "(%s); remove that device first", name);
	check_spared(&loop, loop.path, &destroy, EBUSY, expected);
	command("dmsetup remove --noudevsync %s", name);
	check_opens(loop.path, &destroy);
	loop_free(&loop);
}

/* --- regular files --- */

static char file_name[64];

static const char *new_file(const char *text)
{
	static unsigned int number;
	int fd;

	snprintf(file_name, sizeof(file_name), "./test_guard.%d.%u", (int)getpid(), number++);
	fd = open(file_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	check(fd >= 0);
	check(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	check(ftruncate(fd, MIB) == 0);
	close(fd);
	return file_name;
}

static void remove_file(void)
{
	char beside[96];

	snprintf(beside, sizeof(beside), "%s.drivebay-made", file_name);
	unlink(file_name);
	unlink(beside);
}

static void check_file_spared(const char *path, const struct target_options *options, int code,
			      const char *words)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t before = hash_file(fd);

	check_refused(path, options, code, words);
	check(before == hash_file(fd));
	close(fd);
}

/* A filesystem without extended attributes: our own calls come before the C library's. */
static bool without_attributes;

int fsetxattr(int fd, const char *name, const void *value, size_t size, int flags)
{
	errno = ENOTSUP;
	return without_attributes ? -1 : (int)syscall(SYS_fsetxattr, fd, name, value, size, flags);
}

ssize_t fgetxattr(int fd, const char *name, void *value, size_t size)
{
	errno = ENOTSUP;
	return without_attributes ? -1 : syscall(SYS_fgetxattr, fd, name, value, size);
}

TEST(a_file_that_drivebay_did_not_create_is_written_only_with_consent)
{
	const char *path = new_file("somebody's data");

	check_file_spared(path, &nothing, EPERM, "was not created by drivebay");
	check_opens(path, &reading);
	check_opens(path, &destroy);
	remove_file();
}

static void check_own_file_is_known(void)
{
	struct target_options size = { .size_bytes = MIB };
	char copy[96];

	remove_file();
	check_opens(file_name, &size);
	check_opens(file_name, &nothing);
	/* A copy is somebody's, even under the first one's name. */
	snprintf(copy, sizeof(copy), "%.60s.copy", file_name);
	command("cp %s %s", file_name, copy);
	check_refused(copy, &nothing, EPERM, "was not created by drivebay");
	check(rename(copy, file_name) == 0);
	check_file_spared(file_name, &nothing, EPERM, "was not created by drivebay");
	remove_file();
	check_opens(file_name, &size);
	check_opens(file_name, &nothing);
	remove_file();
}

TEST(a_file_that_drivebay_created_is_known_again_by_its_attribute)
{
	char beside[96];

	check_own_file_is_known();
	snprintf(beside, sizeof(beside), "%s.drivebay-made", file_name);
	check_opens(file_name, &(struct target_options){ .size_bytes = MIB });
	check(access(beside, F_OK) < 0);
	remove_file();
}

/* To a process that did not create it; run by exec, so that it knows nothing of ours. */
static int is_foreign(const char *path)
{
	char line[128];

	snprintf(line, sizeof(line), "exec /proc/%d/exe %s", (int)getpid(), path);
	return WEXITSTATUS(system(line)) != EPERM;
}

TEST(where_there_are_no_attributes_it_is_known_by_inode_and_birth)
{
	struct other other;
	char beside[96], line[64];

	without_attributes = true;
	check_own_file_is_known();
	/* A file of somebody's that has the name of the mark stays, and marks nothing. */
	snprintf(beside, sizeof(beside), "%s.drivebay-made", file_name);
	check(symlink("/nowhere", beside) == 0);
	check_opens(file_name, &(struct target_options){ .size_bytes = MIB });
	check(readlink(beside, line, sizeof(line)) > 0 && access("/nowhere", F_OK) < 0);
	/* Then only the process that created the file knows it. */
	check_opens(file_name, &nothing);
	other = other_start(is_foreign, file_name);
	other_end(&other);
	remove_file();
	command("echo mine > %s", beside);
	check_opens(file_name, &(struct target_options){ .size_bytes = MIB });
	command("grep -q mine %s", beside);
	remove_file();
	without_attributes = false;
}

TEST(a_file_under_a_loop_device_is_refused)
{
	const char *path = new_file("a disk image");
	int backing = open(path, O_RDWR | O_CLOEXEC);
	struct loop loop = loop_over(backing, 512);
	char expected[128], link[64];

	snprintf(expected, sizeof(expected), "is attached to loop device %s; detach it first", loop.name);
	check_file_spared(path, &destroy, EBUSY, expected);
	check_opens(path, &reading);
	/* Nor under another name. */
	snprintf(link, sizeof(link), "%s.link", path);
	check(symlink(path + 2, link) == 0);
	check_file_spared(link, &destroy, EBUSY, expected);
	unlink(link);
	loop_free(&loop);
	remove_file();
}

TEST(a_swap_file_is_refused)
{
	const char *path = new_file("");
	static char zeroes[MIB];
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (geteuid() != 0)
		tap_skip("needs root for swap");
	check(write(fd, zeroes, MIB) == MIB && fsync(fd) == 0);
	close(fd);
	command("mkswap %s >/dev/null 2>&1", path);
	undo_later("swapoff %s", path);
	if (swapon(path, 0) < 0) {
		remove_file();
		tap_skip("swap cannot be switched on here");
	}
	check_refused(path, &destroy, EBUSY, "it is a swap file");
	check(swapoff(path) == 0);
	check_opens(path, &destroy);
	remove_file();
}

static int claim_and_stay(const char *path)
{
	struct guard_claim *held;

	return claim(path, &destroy, &held);
}

TEST(a_file_that_another_process_writes_or_measures_is_refused)
{
	const char *path = new_file("a running machine's disk");
	struct other other;

	if (geteuid() != 0)
		tap_skip("needs root to see other processes' files");
	other = other_start(open_for_writing, path);
	check_file_spared(path, &destroy, EBUSY, "is open for writing in test_guard (process ");
	other_end(&other);
	other = other_start(claim_and_stay, path);
	check_file_spared(path, &destroy, EBUSY, "is locked by another process");
	other_end(&other);
	other = other_start(open_for_reading, path);
	check_opens(path, &destroy);
	other_end(&other);
	remove_file();
}

/* With a file's name: whether it is foreign, as an exit status. */
static int ask_about(const char *path)
{
	struct guard_claim *held;

	without_attributes = true;
	return -claim(path, &nothing, &held);
}

int main(int count, char **arguments)
{
	int status;

	if (count == 2)
		return ask_about(arguments[1]);
	device_start();
	status = tap_run();
	remove_file();
	device_end();
	return status;
}
