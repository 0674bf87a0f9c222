#include "device.h"

#include <linux/magic.h>
#include <pthread.h>
#include <sys/statfs.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/rng.h"
#include "target/target.h"

enum { BLOCK = 4096, MIB = 1 << 20 };

static char scratch[64]; /* a file in the build directory, removed at the end of the test */

static void remove_scratch(void)
{
	if (scratch[0])
		unlink(scratch);
}

static const char *new_scratch(void)
{
	static unsigned int number;

	remove_scratch();
	snprintf(scratch, sizeof(scratch), "./test_uring.%d.%u", (int)getpid(), number++);
	return scratch;
}

static struct target *open_target(const char *path, struct target_options options)
{
	struct target *target;
	int err = target_uring_ops.open(path, &options, &target);

	if (err == -EPERM || err == -ENOSYS)
		tap_skip("io_uring is not available here");
	if (err)
		tap_fail("%s: %d: %s", path, err, fail_message());
	return target;
}

/* Refused with this code and a sentence that contains `words`. */
static void check_refused(const char *path, struct target_options options, int code,
			  const char *words)
{
	struct target *target;
	int err = target_uring_ops.open(path, &options, &target);

	check_equal(err, -code);
	if (!strstr(fail_message(), words) || strchr(fail_message(), '\n'))
		tap_fail("\"%s\" does not say \"%s\" in one line", fail_message(), words);
}

static void *pages(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(memory != MAP_FAILED);
	return memory;
}

/* Every 8 bytes of a block say where they belong and in which round they were written. */
static void stamp(void *data, size_t bytes, uint64_t offset, uint64_t round)
{
	uint64_t *words = data;

	for (size_t i = 0; i < bytes / 8; i++)
		words[i] = (offset + i * 8) * 0x9e3779b97f4a7c15u + round;
}

static bool is_stamped(const void *data, size_t bytes, uint64_t offset, uint64_t round)
{
	const uint64_t *words = data;

	for (size_t i = 0; i < bytes / 8; i++)
		if (words[i] != (offset + i * 8) * 0x9e3779b97f4a7c15u + round)
			return false;
	return true;
}

/* One request, waited for; its error. */
static int do_io(struct target *target, enum io_op op, uint64_t offset, uint32_t bytes, void *data)
{
	struct io io = { .op = op, .size_bytes = bytes, .offset_bytes = offset, .data = data };

	target_submit(target, &io);
	check(target_reap(target, TARGET_FOREVER) == &io);
	check_equal(target->in_flight, 0);
	return io.error;
}

/* Thousands of writes, several in flight, then the same blocks read back and compared. */
struct load {
	struct target *target;
	uint64_t from, blocks; /* the span that is written, in blocks */
	uint32_t depth, count;
	uint64_t seed;
	uint32_t *round;       /* of each block: when it was last written; 0: never */
	char *data;
	bool failed;
};

static void load_fill_in(struct load *load, struct io *io, struct rng *rng, uint32_t round, bool read)
{
	/* Each slot has blocks of its own, so that no two requests in flight overlap. */
	uint64_t slot = io->tag, rows = load->blocks / load->depth;
	uint64_t block = rng_below(rng, rows) * load->depth + slot;

	io->op = read ? IO_READ : IO_WRITE;
	io->size_bytes = BLOCK;
	io->offset_bytes = (load->from + block) * BLOCK;
	io->data = load->data + slot * BLOCK;
	if (!read) {
		load->round[block] = round;
		stamp(io->data, BLOCK, io->offset_bytes, round);
	}
}

static bool load_accept(struct load *load, const struct io *io)
{
	uint32_t round = load->round[io->offset_bytes / BLOCK - load->from];

	if (io->error || io->completed_ns < io->submitted_ns)
		return false;
	return io->op == IO_WRITE || round == 0 || is_stamped(io->data, BLOCK, io->offset_bytes, round);
}

static void load_run(struct load *load, bool read)
{
	struct io *ios = calloc(load->depth, sizeof(*ios));
	struct rng rng = { { load->seed + 1, 2, 3, 4 } };
	uint32_t sent = 0, back = 0;

	for (; sent < load->depth; sent++) {
		ios[sent].tag = sent;
		load_fill_in(load, &ios[sent], &rng, sent + 1, read);
		target_submit(load->target, &ios[sent]);
	}
	while (back < sent) {
		struct io *io = target_reap(load->target, TARGET_FOREVER);

		back++;
		if (!load_accept(load, io))
			load->failed = true;
		if (sent >= load->count)
			continue;
		load_fill_in(load, io, &rng, ++sent, read);
		target_submit(load->target, io);
	}
	free(ios);
}

static struct load load_new(struct target *target, uint32_t depth, uint32_t count)
{
	struct load load = {
		.target = target, .blocks = target->size_bytes / BLOCK, .depth = depth, .count = count,
		.seed = 1,
	};

	load.round = calloc(load.blocks, sizeof(*load.round));
	load.data = pages((size_t)depth * BLOCK);
	return load;
}

static void load_free(struct load *load)
{
	munmap(load->data, (size_t)load->depth * BLOCK);
	free(load->round);
}

/* Through a descriptor of our own, past the target. */
static void check_bytes(const struct load *load, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *block = pages(BLOCK);
	uint64_t checked = 0;

	check(fd >= 0);
	for (uint64_t i = 0; i < load->blocks; i++) {
		uint64_t offset = (load->from + i) * BLOCK;

		if (!load->round[i])
			continue;
		check(pread(fd, block, BLOCK, (off_t)offset) == BLOCK);
		if (!is_stamped(block, BLOCK, offset, load->round[i]))
			tap_fail("block %llu does not hold round %u", (unsigned long long)i,
				 load->round[i]);
		checked++;
	}
	check(checked > load->blocks / 2);
	close(fd);
	munmap(block, BLOCK);
}

static void write_read_compare(struct target *target, const char *path, uint32_t depth, bool fixed)
{
	struct load load = load_new(target, depth, 6000);

	if (fixed)
		check_equal(target_buffers(target, load.data, (size_t)depth * BLOCK), 0);
	check((strstr(target_describe(target), "registered buffers") != NULL) == fixed);
	load_run(&load, false);
	check(!load.failed);
	check_equal(do_io(target, IO_FLUSH, 0, 0, NULL), 0);
	check_bytes(&load, path);
	load_run(&load, true);
	check(!load.failed);
	if (fixed)
		check_equal(target_buffers(target, NULL, 0), 0);
	load_free(&load);
}

TEST(a_file_is_created_with_the_size_asked_for_and_recognised_later)
{
	const char *path = new_scratch();
	struct target *target = open_target(path, (struct target_options){ .size_bytes = 8 * MIB });
	struct stat st;

	check_equal(target->size_bytes, 8 * MIB);
	check_equal(target->tail_bytes, 0);
	check(!target->is_virtual);
	check(target->moves_data);
	target_close(target);
	check(stat(path, &st) == 0);
	check_equal(st.st_size, 8 * MIB);
	check(st.st_blocks * 512 >= 8 * MIB);
	target_close(open_target(path, (struct target_options){ .size_bytes = 8 * MIB }));
	target_close(open_target(path, (struct target_options){ 0 }));
	remove_scratch();
}

TEST(what_is_written_to_a_file_is_there_at_its_offset)
{
	const char *path = new_scratch();
	struct target *target = open_target(path, (struct target_options){ .size_bytes = 16 * MIB });

	write_read_compare(target, path, 32, false);
	target_close(target);
	remove_scratch();
}

TEST(registered_buffers_write_the_same)
{
	const char *path = new_scratch();
	struct target *target = open_target(path, (struct target_options){ .size_bytes = 16 * MIB });

	write_read_compare(target, path, 32, true);
	write_read_compare(target, path, 7, false);
	target_close(target);
	remove_scratch();
}

TEST(more_requests_than_the_queue_is_long_are_all_served)
{
	const char *path = new_scratch();
	struct target *target = open_target(path, (struct target_options){ .size_bytes = 16 * MIB });

	write_read_compare(target, path, 1024, true);
	target_close(target);
	remove_scratch();
}

TEST(data_outside_the_registered_buffers_is_served_too)
{
	const char *path = new_scratch();
	struct target *target = open_target(path, (struct target_options){ .size_bytes = MIB });
	char *memory = pages(4 * BLOCK);

	check_equal(target_buffers(target, memory + BLOCK, 2 * BLOCK), 0);
	stamp(memory, 4 * BLOCK, 0, 1);
	/* Before, across the beginning, inside, across the end, behind. */
	check_equal(do_io(target, IO_WRITE, 0, BLOCK, memory), 0);
	check_equal(do_io(target, IO_WRITE, 0, 2 * BLOCK, memory), 0);
	check_equal(do_io(target, IO_WRITE, BLOCK, 2 * BLOCK, memory + BLOCK), 0);
	check_equal(do_io(target, IO_WRITE, 2 * BLOCK, 2 * BLOCK, memory + 2 * BLOCK), 0);
	memset(memory, 0, 4 * BLOCK);
	check_equal(do_io(target, IO_READ, 0, 4 * BLOCK, memory), 0);
	check(is_stamped(memory, 4 * BLOCK, 0, 1));
	target_close(target);
	munmap(memory, 4 * BLOCK);
	remove_scratch();
}

TEST(a_loop_device_is_written_at_the_right_offsets)
{
	struct loop loop = loop_new(16 * MIB, 512);
	struct target *target = open_target(loop.path, (struct target_options){ .destroy_data = true });

	check_equal(target->size_bytes, 16 * MIB);
	check_equal(target->block_bytes, 512);
	check(strstr(target_describe(target), "O_DIRECT"));
	write_read_compare(target, loop.path, 32, true);
	target_close(target);
	loop_free(&loop);
}

/* What its device has finished, and what it was spared because the kernel made one of two. */
static void count_reads(const struct loop *loop, unsigned long *done, unsigned long *merged)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/block/%s/stat", loop->name);
	file = fopen(path, "r");
	check(file != NULL);
	check_equal(fscanf(file, "%lu %lu", done, merged), 2);
	fclose(file);
}

TEST(requests_that_adjoin_reach_the_device_as_they_are)
{
	enum { COUNT = 24 };
	struct loop loop = loop_new(16 * MIB, 512);
	struct target *target = open_target(loop.path, (struct target_options){ .destroy_data = true });
	char *memory = pages(COUNT * BLOCK);
	struct io ios[COUNT];
	unsigned long done[2], merged[2];

	count_reads(&loop, &done[0], &merged[0]);
	for (unsigned i = 0; i < COUNT; i++) {
		ios[i] = (struct io){ .op = IO_READ, .size_bytes = BLOCK,
				      .offset_bytes = (uint64_t)i * BLOCK, .data = memory + i * BLOCK };
		target_submit(target, &ios[i]);
	}
	for (unsigned i = 0; i < COUNT; i++)
		check_equal(target_reap(target, TARGET_FOREVER)->error, 0);
	count_reads(&loop, &done[1], &merged[1]);
	check_equal(merged[1] - merged[0], 0);
	check_equal(done[1] - done[0], COUNT);
	munmap(memory, COUNT * BLOCK);
	target_close(target);
	loop_free(&loop);
}

TEST(a_device_of_999936_bytes_is_used_to_its_end)
{
	struct loop loop = loop_new(999936, 512);
	struct target *target = open_target(loop.path, (struct target_options){ .destroy_data = true });
	char *memory = pages(65536), last[512];

	check_equal(target->size_bytes, 999936);
	check_equal(target->tail_bytes, 0);
	/* Fifteen of 64 KiB, and what is left. */
	stamp(memory, 65536, 15 * 65536, 1);
	check_equal(do_io(target, IO_WRITE, 15 * 65536, 999936 - 15 * 65536, memory), 0);
	check_equal(do_io(target, IO_FLUSH, 0, 0, NULL), 0);
	check(pread(loop.backing, last, 512, 999936 - 512) == 512);
	check(is_stamped(last, 512, 999936 - 512, 1));
	target_close(target);
	munmap(memory, 65536);
	loop_free(&loop);
}

TEST(a_tail_shorter_than_a_block_is_named)
{
	struct loop loop = loop_new(999936, 4096);
	struct target *target;

	target = open_target(loop.path, (struct target_options){ .read_only = true });
	check_equal(target->block_bytes, 4096);
	check_equal(target->size_bytes + target->tail_bytes, 999936);
	check_equal(target->tail_bytes, 999936 % 4096);
	check(strstr(target_describe(target), "a tail of 512 bytes"));
	check(!strstr(target_describe(target), "the first of"));
	target_close(target);
	loop_free(&loop);
}

TEST(a_file_in_memory_is_served_without_o_direct_and_says_so)
{
	struct target *target;
	struct statfs fs;
	char path[64];

	if (statfs("/dev/shm", &fs) < 0 || fs.f_type != TMPFS_MAGIC)
		tap_skip("/dev/shm is no tmpfs");
	snprintf(path, sizeof(path), "/dev/shm/test_uring.%d", (int)getpid());
	target = open_target(path, (struct target_options){ .size_bytes = 4 * MIB });
	unlink(path);
	check(strstr(target_describe(target), "buffered (its filesystem is memory"));
	check_equal(do_io(target, IO_READ, 0, BLOCK, pages(BLOCK)), 0);
	target_close(target);
}

TEST(a_full_filesystem_is_one_sentence_and_leaves_no_file)
{
	if (geteuid() != 0 || mount("none", "/mnt", "tmpfs", 0, "size=1m") < 0)
		tap_skip("needs root to mount a small tmpfs");
	check_refused("/mnt/new", (struct target_options){ .size_bytes = 2 * MIB }, ENOSPC,
		      "no room for 2 MiB, only 1 MiB are free");
	check(access("/mnt/new", F_OK) < 0);
	check(access("/mnt/new.drivebay-made", F_OK) < 0);
	umount("/mnt");
}

TEST(a_write_that_only_partly_fits_is_an_error_and_not_a_short_success)
{
	struct target *target;
	char *memory = pages(4 * BLOCK);

	if (geteuid() != 0 || mount("none", "/mnt", "tmpfs", 0, "size=16k") < 0)
		tap_skip("needs root to mount a small tmpfs");
	check(close(open("/mnt/sparse", O_CREAT | O_WRONLY, 0600)) == 0);
	check(truncate("/mnt/sparse", MIB) == 0);
	target = open_target("/mnt/sparse", (struct target_options){ .destroy_data = true });
	check_equal(do_io(target, IO_WRITE, 0, 2 * BLOCK, memory), 0);
	/* Two blocks are left for four. */
	check_equal(do_io(target, IO_WRITE, 4 * BLOCK, 4 * BLOCK, memory), -ENOSPC);
	check_equal(do_io(target, IO_READ, 0, 4 * BLOCK, memory), 0);
	target_close(target);
	umount2("/mnt", MNT_DETACH);
	munmap(memory, 4 * BLOCK);
}

/* Much address space over little memory: the same 1 MiB again and again. */
static char *tiles(size_t bytes)
{
	char *memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int fd = memfd_create("tile", MFD_CLOEXEC);

	check(memory != MAP_FAILED);
	check(fd >= 0 && ftruncate(fd, MIB) == 0);
	for (size_t at = 0; at < bytes; at += MIB)
		check(mmap(memory + at, MIB, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, 0) != MAP_FAILED);
	close(fd);
	return memory;
}

TEST(a_request_of_which_the_kernel_moves_a_part_is_completed)
{
	const size_t bytes = 2304ull * MIB; /* the kernel moves 2 GiB less a page at once */
	char *memory = tiles(bytes);
	struct target *target;

	target = open_target("/dev/zero", (struct target_options){ .size_bytes = bytes, .read_only = true });
	memset(memory, 1, MIB);
	check_equal(do_io(target, IO_READ, 0, (uint32_t)bytes, memory), 0);
	check(memory[0] == 0 && memory[MIB - 1] == 0);
	target_close(target);
	munmap(memory, bytes);
}

TEST(registered_memory_beyond_one_kernel_buffer_works_across_the_seam)
{
	const char *path = new_scratch();
	struct target *target = open_target(path, (struct target_options){ .size_bytes = MIB });
	const size_t seam = 1024ull * MIB, bytes = seam + MIB;
	char *memory = tiles(bytes);
	int err = target_buffers(target, memory, bytes);

	if (err) {
		target_close(target);
		munmap(memory, bytes);
		tap_skip("so much memory cannot be registered here");
	}
	stamp(memory, MIB, 0, 1); /* in every tile */
	check_equal(do_io(target, IO_WRITE, 0, BLOCK, memory), 0);
	check_equal(do_io(target, IO_WRITE, BLOCK, BLOCK, memory + seam + BLOCK), 0);
	/* Across: the end of a tile and the beginning of the next. */
	check_equal(do_io(target, IO_WRITE, 2 * BLOCK, 2 * BLOCK, memory + seam - BLOCK), 0);
	target_close(target);
	memset(memory, 0, MIB);
	target = open_target(path, (struct target_options){ 0 });
	check_equal(do_io(target, IO_READ, 0, 4 * BLOCK, memory), 0);
	check(is_stamped(memory, 2 * BLOCK, 0, 1));
	check(is_stamped(memory + 2 * BLOCK, BLOCK, MIB - BLOCK, 1));
	check(is_stamped(memory + 3 * BLOCK, BLOCK, 0, 1));
	target_close(target);
	munmap(memory, bytes);
	remove_scratch();
}

TEST(a_file_that_was_cut_off_gives_an_error_and_no_hang)
{
	const char *path = new_scratch();
	struct target *target = open_target(path, (struct target_options){ .size_bytes = MIB });
	char *memory = pages(4 * BLOCK);

	check(truncate(path, MIB / 2 + BLOCK) == 0);
	check_equal(do_io(target, IO_READ, MIB / 2 - BLOCK, 2 * BLOCK, memory), 0);
	check_equal(do_io(target, IO_READ, MIB / 2, 2 * BLOCK, memory), -EIO);
	check_equal(do_io(target, IO_READ, MIB / 2 + BLOCK, BLOCK, memory), -EIO);
	target_close(target);
	munmap(memory, 4 * BLOCK);
	remove_scratch();
}

TEST(a_device_that_loses_its_medium_gives_errors_and_no_hang)
{
	struct loop loop = loop_new(MIB, 512);
	struct target *target = open_target(loop.path, (struct target_options){ .destroy_data = true });
	struct io ios[16];
	char *memory = pages(16 * BLOCK);
	unsigned int errors = 0;

	check(ftruncate(loop.backing, 0) == 0);
	for (int i = 0; i < 16; i++) {
		ios[i] = (struct io){ .op = IO_READ, .size_bytes = BLOCK,
				      .offset_bytes = (uint64_t)i * BLOCK, .data = memory + i * BLOCK };
		target_submit(target, &ios[i]);
	}
	for (int i = 0; i < 16; i++)
		errors += target_reap(target, TARGET_FOREVER)->error == -EIO;
	check_equal(errors, 16);
	target_close(target);
	munmap(memory, 16 * BLOCK);
	loop_free(&loop);
}

TEST(a_trimmed_range_of_a_file_reads_zero_and_gives_its_room_back)
{
	const char *path = new_scratch();
	struct target *target = open_target(path, (struct target_options){ .size_bytes = MIB });
	char *memory = pages(4 * BLOCK);
	struct stat before, after;

	stamp(memory, 4 * BLOCK, 0, 1);
	check_equal(do_io(target, IO_WRITE, 0, 4 * BLOCK, memory), 0);
	check(stat(path, &before) == 0);
	check_equal(do_io(target, IO_TRIM, BLOCK, 2 * BLOCK, NULL), 0);
	check(stat(path, &after) == 0);
	check(after.st_blocks < before.st_blocks);
	check_equal(after.st_size, MIB);
	check_equal(do_io(target, IO_READ, 0, 4 * BLOCK, memory), 0);
	check(is_stamped(memory, BLOCK, 0, 1));
	check(!memory[BLOCK] && !memcmp(memory + BLOCK, memory + BLOCK + 1, 2 * BLOCK - 1));
	check(is_stamped(memory + 3 * BLOCK, BLOCK, 3 * BLOCK, 1));
	target_close(target);
	munmap(memory, 4 * BLOCK);
	remove_scratch();
}

TEST(a_range_of_a_file_made_zero_reads_zero_and_nothing_else_does)
{
	const char *path = new_scratch();
	struct target *target = open_target(path, (struct target_options){ .size_bytes = MIB });
	char *memory = pages(4 * BLOCK);

	stamp(memory, 4 * BLOCK, 0, 1);
	check_equal(do_io(target, IO_WRITE, 0, 4 * BLOCK, memory), 0);
	check_equal(do_io(target, IO_WRITE_ZEROES, BLOCK, 2 * BLOCK, NULL), 0);
	check_equal(do_io(target, IO_READ, 0, 4 * BLOCK, memory), 0);
	check(is_stamped(memory, BLOCK, 0, 1));
	check(!memory[BLOCK] && !memcmp(memory + BLOCK, memory + BLOCK + 1, 2 * BLOCK - 1));
	check(is_stamped(memory + 3 * BLOCK, BLOCK, 3 * BLOCK, 1));
	target_close(target);
	munmap(memory, 4 * BLOCK);
	remove_scratch();
}

TEST(trims_and_zeroes_of_a_device_find_a_way_that_its_kernel_knows)
{
	struct loop loop = loop_new(MIB, 512);
	struct target *target = open_target(loop.path, (struct target_options){ .destroy_data = true });
	char *memory = pages(MIB);
	struct io ios[8];

	stamp(memory, MIB, 0, 1);
	check_equal(do_io(target, IO_WRITE, 0, MIB, memory), 0);
	/* All at once: several learn together that a way is closed. Every other 64 KiB. */
	for (int i = 0; i < 8; i++) {
		ios[i] = (struct io){ .op = i & 1 ? IO_TRIM : IO_WRITE_ZEROES, .size_bytes = 65536,
				      .offset_bytes = (uint64_t)i * 131072 };
		target_submit(target, &ios[i]);
	}
	for (int i = 0; i < 8; i++)
		check_equal(target_reap(target, TARGET_FOREVER)->error, 0);
	check_equal(do_io(target, IO_READ, 0, MIB, memory), 0);
	for (int i = 0; i < 8; i++) {
		char *at = memory + i * 131072;

		check(!at[0] && !memcmp(at, at + 1, 65535));
		check(is_stamped(at + 65536, 65536, (uint64_t)i * 131072 + 65536, 1));
	}
	target_close(target);
	munmap(memory, MIB);
	loop_free(&loop);
}

/* A loop device over a filesystem without holes cannot discard. */
static struct loop loop_without_discard(void)
{
	int backing;

	if (geteuid() != 0 || mount("none", "/mnt", "ramfs", 0, NULL) < 0)
		tap_skip("needs root to mount a ramfs");
	backing = open("/mnt/backing", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	check(backing >= 0 && ftruncate(backing, MIB) == 0);
	return loop_over(backing, 512);
}

TEST(a_device_that_cannot_discard_says_so_and_changes_nothing)
{
	struct loop loop = loop_without_discard();
	struct target *target = open_target(loop.path, (struct target_options){ .destroy_data = true });
	char *memory = pages(BLOCK);

	stamp(memory, BLOCK, 0, 1);
	check_equal(do_io(target, IO_WRITE, 0, BLOCK, memory), 0);
	check_equal(do_io(target, IO_TRIM, 0, BLOCK, NULL), -EOPNOTSUPP);
	check_equal(do_io(target, IO_TRIM, 0, BLOCK, NULL), -EOPNOTSUPP);
	check_equal(target_purge(target), -ENOTSUP);
	check(strstr(fail_message(), "not purged: this device cannot discard"));
	check_equal(do_io(target, IO_READ, 0, BLOCK, memory), 0);
	check(is_stamped(memory, BLOCK, 0, 1));
	target_close(target);
	loop_free(&loop);
	umount2("/mnt", MNT_DETACH);
	munmap(memory, BLOCK);
}

TEST(a_purged_file_reads_zero_and_keeps_size_and_room)
{
	const char *path = new_scratch();
	struct target *target = open_target(path, (struct target_options){ .size_bytes = MIB });
	char *memory = pages(MIB);
	struct stat st;

	stamp(memory, MIB, 0, 1);
	check_equal(do_io(target, IO_WRITE, 0, MIB, memory), 0);
	check_equal(target_purge(target), 0);
	check_equal(do_io(target, IO_READ, 0, MIB, memory), 0);
	check(!memory[0] && !memcmp(memory, memory + 1, MIB - 1));
	check(stat(path, &st) == 0);
	check_equal(st.st_size, MIB);
	check(st.st_blocks * 512 >= MIB);
	target_close(target);
	munmap(memory, MIB);
	remove_scratch();
}

TEST(a_purged_device_reads_zero)
{
	struct loop loop = loop_new(MIB, 512);
	struct target *target = open_target(loop.path, (struct target_options){ .destroy_data = true });
	char *memory = pages(MIB);

	stamp(memory, MIB, 0, 1);
	check_equal(do_io(target, IO_WRITE, 0, MIB, memory), 0);
	check_equal(target_purge(target), 0);
	check_equal(do_io(target, IO_READ, 0, MIB, memory), 0);
	check(!memory[0] && !memcmp(memory, memory + 1, MIB - 1));
	target_close(target);
	munmap(memory, MIB);
	loop_free(&loop);
}

TEST(a_handle_for_reading_neither_writes_nor_purges)
{
	struct loop loop = loop_new(MIB, 512);
	struct target *target = open_target(loop.path, (struct target_options){ .read_only = true });
	char *memory = pages(BLOCK);

	check_equal(do_io(target, IO_READ, 0, BLOCK, memory), 0);
	memset(memory, 1, BLOCK);
	check(do_io(target, IO_WRITE, 0, BLOCK, memory) < 0);
	check(do_io(target, IO_TRIM, 0, BLOCK, NULL) < 0);
	check(target_purge(target) < 0);
	check(pread(loop.backing, memory, BLOCK, 0) == BLOCK);
	check(!memory[0] && !memcmp(memory, memory + 1, BLOCK - 1));
	target_close(target);
	munmap(memory, BLOCK);
	loop_free(&loop);
}

TEST(a_size_smaller_than_what_is_there_uses_the_first_part)
{
	struct loop loop = loop_new(4 * MIB, 512);
	struct target *target = open_target(loop.path, (struct target_options){
		.destroy_data = true, .size_bytes = MIB });
	char last;

	check_equal(target->size_bytes, MIB);
	check(strstr(target_describe(target), "the first of 4 MiB"));
	check(pwrite(loop.backing, "x", 1, MIB) == 1);
	check_equal(target_purge(target), 0);
	check(pread(loop.backing, &last, 1, MIB) == 1);
	check(last == 'x');
	target_close(target);
	loop_free(&loop);
}

TEST(waiting_with_nothing_in_flight_ends_at_the_moment_and_not_before)
{
	const char *path = new_scratch();
	struct target *target = open_target(path, (struct target_options){ .size_bytes = MIB });

	/* Past, inside the stretch that is spun, and slept through. */
	check(target_reap(target, 0) == NULL);
	for (uint64_t wait_ns = 20000; wait_ns < 100000000; wait_ns *= 10) {
		uint64_t until_ns = target_now(target) + wait_ns;

		check(target_reap(target, until_ns) == NULL);
		check(target_now(target) >= until_ns);
	}
	target_close(target);
	remove_scratch();
}

TEST(a_request_goes_out_even_if_its_reaper_does_not_wait)
{
	const char *path = new_scratch();
	struct target *target = open_target(path, (struct target_options){ .size_bytes = MIB });
	char *memory = pages(BLOCK);
	struct io io = { .op = IO_WRITE, .size_bytes = BLOCK, .data = memory }, *back = NULL;

	target_submit(target, &io);
	for (uint64_t end_ns = clock_ns() + 10000000000u; !back && clock_ns() < end_ns;)
		back = target_reap(target, 0);
	check(back == &io);
	target_close(target);
	munmap(memory, BLOCK);
	remove_scratch();
}

static void *load_thread(void *argument)
{
	struct load *load = argument;

	load_run(load, false);
	load_run(load, true);
	return NULL;
}

TEST(a_handle_goes_from_thread_to_thread)
{
	const char *path = new_scratch();
	struct target *target = open_target(path, (struct target_options){ .size_bytes = 4 * MIB });
	struct load load = load_new(target, 16, 500);
	pthread_t thread;

	check_equal(target_buffers(target, load.data, 16 * BLOCK), 0);
	load_run(&load, false);
	/* The second thread is likely to get what the first one leaves: stack, addresses. */
	for (int i = 0; i < 2; i++) {
		check(pthread_create(&thread, NULL, load_thread, &load) == 0);
		pthread_join(thread, NULL);
		check(!load.failed);
	}
	load_run(&load, true);
	check(!load.failed);
	check(strstr(target_describe(target), "registered buffers"));
	check_bytes(&load, path);
	target_close(target);
	load_free(&load);
	remove_scratch();
}

TEST(several_threads_with_a_handle_each_write_one_device)
{
	enum { THREADS = 4 };
	struct loop loop = loop_new(16 * MIB, 512);
	struct load loads[THREADS];
	pthread_t threads[THREADS];

	for (unsigned int i = 0; i < THREADS; i++) {
		struct target *target = open_target(loop.path,
						    (struct target_options){ .destroy_data = true });

		loads[i] = load_new(target, 16, 2000);
		loads[i].blocks /= THREADS;
		loads[i].from = i * loads[i].blocks;
		loads[i].seed = i;
	}
	for (unsigned int i = 0; i < THREADS; i++)
		check(pthread_create(&threads[i], NULL, load_thread, &loads[i]) == 0);
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned int i = 0; i < THREADS; i++) {
		check(!loads[i].failed);
		check_bytes(&loads[i], loop.path);
		target_close(loads[i].target);
		load_free(&loads[i]);
	}
	loop_free(&loop);
}

static void *open_thread(void *argument)
{
	struct target_options options = { .size_bytes = MIB };
	struct target *target = NULL;

	(void)argument;
	return target_uring_ops.open(scratch, &options, &target) ? NULL : target;
}

TEST(threads_that_open_a_new_file_at_once_create_it_once)
{
	pthread_t threads[8];
	unsigned int opened = 0;

	target_close(open_target(new_scratch(), (struct target_options){ .size_bytes = MIB }));
	new_scratch();
	for (int i = 0; i < 8; i++)
		check(pthread_create(&threads[i], NULL, open_thread, NULL) == 0);
	for (int i = 0; i < 8; i++) {
		void *target;

		pthread_join(threads[i], &target);
		opened += target != NULL;
		target_close(target);
	}
	check_equal(opened, 8);
	remove_scratch();
}

TEST(what_is_no_device_and_no_file_is_one_sentence)
{
	const struct target_options size = { .size_bytes = MIB, .destroy_data = true };
	const char *path = new_scratch();

	check_refused(".", size, EINVAL, ".: is a directory");
	check_refused("/dev/tty", size, EINVAL, "is a character device");
	check_refused("/dev/zero", size, EINVAL, "yardstick for reading");
	check(mkfifo(path, 0600) == 0);
	check_refused(path, size, EINVAL, "is a pipe");
	remove_scratch();
	check_refused(path, (struct target_options){ 0 }, EINVAL, "--size SIZE creates one");
	check_refused(path, (struct target_options){ .size_bytes = MIB, .read_only = true }, EINVAL,
		      "no such file to read");
	check_refused("./no/such", size, EINVAL, "its directory does not exist");
	check(access(path, F_OK) < 0);
}

TEST(a_missing_device_node_is_never_created)
{
	const struct target_options size = { .size_bytes = MIB, .destroy_data = true };
	const char *path = new_scratch();

	check_refused("/dev/nvme99n1", size, EINVAL, "there is no such device");
	check(access("/dev/nvme99n1", F_OK) < 0);
	check_refused("/dev/disk/by-id/nvme-none", size, EINVAL, "there is no such device");
	check_refused("/dev/../dev/nvme99n1", size, EINVAL, "there is no such device");
	check(symlink("/dev/nvme99n1", path) == 0);
	check_refused(path, size, EINVAL, "symbolic link to something that does not exist");
	check(access("/dev/nvme99n1", F_OK) < 0);
	remove_scratch();
	/* Through a link to the directory. */
	check(symlink("/dev", path) == 0);
	check(strlen(path) < 40);
	{
		char below[64];

		snprintf(below, sizeof(below), "%.40s/nvme99n1", path);
		check_refused(below, size, EINVAL, "there is no such device");
	}
	check(access("/dev/nvme99n1", F_OK) < 0);
	remove_scratch();
}

TEST(a_file_smaller_than_asked_is_one_sentence)
{
	const char *path = new_scratch();

	target_close(open_target(path, (struct target_options){ .size_bytes = MIB }));
	check_refused(path, (struct target_options){ .size_bytes = MIB + 1 }, EINVAL,
		      "has 1 MiB (1048576 bytes), less than");
	check(truncate(path, 511) == 0);
	check_refused(path, (struct target_options){ 0 }, EINVAL, "less than one block");
	remove_scratch();
}

TEST(a_read_only_filesystem_is_one_sentence)
{
	if (geteuid() != 0 || mount("none", "/mnt", "tmpfs", MS_RDONLY, NULL) < 0)
		tap_skip("needs root to mount a read-only tmpfs");
	check_refused("/mnt/new", (struct target_options){ .size_bytes = MIB }, EROFS,
		      "Read-only file system");
	umount("/mnt");
}

int main(void)
{
	int status;

	device_start();
	status = tap_run();
	remove_scratch();
	device_end();
	return status;
}
