/* Verified data: each kind of damage is found as what it is, and nothing where there is none. */
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/data.h"
#include "base/fail.h"
#include "base/rng.h"
#include "load/run.h"
#include "target/fault.h"
#include "target/verify.h"
#include "target/verify_journal.h"
#include "target/verify_stamp.h"

enum { BLOCK = 512, BLOCKS = 2048, SIZE = BLOCK * BLOCKS };

/* ---- a drive in memory, which answers in the order of submission, or does that and says so of the last one first ---- */

struct ram {
	struct target base;
	uint8_t *bytes; /* the test's: it outlives the drive, as a drive does a process */
	struct io *first, **end;
	uint64_t now_ns;
	uint32_t fail_after; /* requests; 0: never */
	bool is_last_first;
};

static struct ram *ram_of(struct target *target)
{
	return container_of(target, struct ram, base);
}

static void ram_do(struct ram *ram, struct io *io);

static void ram_submit(struct target *target, struct io *io)
{
	struct ram *ram = ram_of(target);

	io->next = NULL;
	if (ram->is_last_first)
		ram_do(ram, io);
	if (ram->is_last_first && ram->first) {
		io->next = ram->first;
		ram->first = io;
		return;
	}
	*ram->end = io;
	ram->end = &io->next;
}

static void ram_do(struct ram *ram, struct io *io)
{
	uint8_t *at = ram->bytes + io->offset_bytes;

	switch (io->op) {
	case IO_READ:
		memcpy(io->data, at, io->size_bytes);
		break;
	case IO_WRITE:
		memcpy(at, io->data, io->size_bytes);
		break;
	case IO_TRIM:
	case IO_WRITE_ZEROES:
		memset(at, 0, io->size_bytes);
		break;
	case IO_FLUSH:
		break;
	}
}

static struct io *ram_reap(struct target *target, uint64_t until_ns)
{
	struct ram *ram = ram_of(target);
	struct io *io = ram->first;

	if (!io) {
		if (until_ns != TARGET_FOREVER && until_ns > ram->now_ns)
			ram->now_ns = until_ns;
		return NULL;
	}
	ram->first = io->next;
	if (!ram->first)
		ram->end = &ram->first;
	ram->now_ns += 1000;
	if (ram->fail_after && --ram->fail_after == 0)
		io->error = -EIO;
	else if (!ram->is_last_first)
		ram_do(ram, io);
	io->completed_ns = ram->now_ns;
	return io;
}

static uint64_t ram_now(struct target *target)
{
	return ram_of(target)->now_ns;
}

static void ram_close(struct target *target)
{
	free(ram_of(target));
}

static const struct target_ops ram_ops = {
	.name = "ram", .submit = ram_submit, .reap = ram_reap, .now = ram_now, .close = ram_close,
};

static struct ram *ram_new(uint8_t *bytes)
{
	struct ram *ram = xcalloc(1, sizeof(*ram));

	ram->base = (struct target){ .ops = &ram_ops, .size_bytes = SIZE, .block_bytes = BLOCK,
				     .moves_data = true };
	ram->bytes = bytes;
	ram->end = &ram->first;
	return ram;
}

/* ---- helpers ---- */

static struct stats stats;
static uint64_t counts[VERIFY_FINDINGS];
static char journal_path[64];

static struct target *open_verified(struct target *inner, const char *journal)
{
	struct verify_options options = { .journal = journal, .owner = 77 };
	struct target *target = NULL;

	check_equal(verify_wrap(inner, &options, &target), 0);
	return target;
}

static struct target *around(uint8_t *bytes, const char *faults)
{
	struct target *inner = &ram_new(bytes)->base;

	if (faults)
		check_equal(fault_wrap(inner, faults, &inner), 0);
	return open_verified(inner, NULL);
}

static void load(struct target *target, uint32_t read_percent, struct size_mix sizes, uint64_t count,
		 uint64_t seed)
{
	struct workload workload = { .name = (char *)"w", .read_percent = read_percent,
				     .pattern = PATTERN_UNIFORM, .random_percent = 100,
				     .read_sizes = sizes, .write_sizes = sizes, .threads = 1, .depth = 16,
				     .span_millipercent = 100000 };
	struct run_config config = { .workload = &workload, .seed = seed, .name = "v",
				     .duration_ns = UINT64_MAX, .max_ios = count };

	if (read_percent == 0)
		workload.read_sizes.count = 0;
	check_equal(run(target, &config, &stats), 0);
}

static const struct size_mix mixed = { 3, { { 512, 50 }, { 4096, 30 }, { 16384, 20 } } };

/* Writes everything, works on it, settles; the findings are in `counts`. */
static int work(struct target *target)
{
	int err;

	load(target, 0, (struct size_mix){ 1, { { 16384, 1 } } }, 500, 1);
	load(target, 50, mixed, 5000, 2);
	err = target_settle(target);
	verify_counts(target, counts);
	return err;
}

static uint64_t wrong(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < VERIFY_FINDINGS; i++)
		sum += i == VERIFY_RIGHT ? 0 : counts[i];
	return sum;
}

static uint8_t *new_bytes(void)
{
	return xcalloc(1, SIZE);
}

/* ---- blocks ---- */

static const struct verify_place place = { 5, 4096, BLOCK };

static void fill(uint8_t *block, uint64_t seed)
{
	struct rng rng = rng_stream(seed, "block");

	for (int i = 0; i < BLOCK; i++)
		block[i] = (uint8_t)rng_next(&rng);
}

static enum verify_finding judge(const uint8_t *block, uint64_t acked, uint64_t issued)
{
	uint64_t found;

	return verify_judge(block, &place, acked, issued, &found);
}

TEST(a_block_is_right_as_it_was_stamped_and_only_there_and_then)
{
	struct verify_place other = place;
	uint8_t block[BLOCK], zeroes[BLOCK] = { 0 };
	uint64_t found;

	fill(block, 1);
	check_equal(judge(block, VERIFY_UNKNOWN, VERIFY_UNKNOWN), VERIFY_RIGHT);
	check_equal(judge(block, 9, 9), VERIFY_FOREIGN);
	verify_stamp(block, &place, 9);
	check_equal(judge(block, 9, 9), VERIFY_RIGHT);
	check_equal(judge(block, 8, 9), VERIFY_RIGHT);
	check_equal(judge(block, 9, 10), VERIFY_RIGHT);
	check_equal(judge(block, 10, 10), VERIFY_STALE);
	check_equal(judge(block, 8, 8), VERIFY_FOREIGN); /* of the future */
	check_equal(judge(block, VERIFY_ZEROES, VERIFY_ZEROES), VERIFY_STALE);
	other.offset_bytes += BLOCK;
	check_equal(verify_judge(block, &other, 9, 9, &found), VERIFY_MISPLACED);
	check_equal(found, 9);
	check_equal(verify_judge(block, &other, VERIFY_UNKNOWN, VERIFY_UNKNOWN, &found), VERIFY_MISPLACED);
	other = place;
	other.owner++;
	check_equal(verify_judge(block, &other, 9, 9, &found), VERIFY_FOREIGN);
	check_equal(judge(zeroes, VERIFY_ZEROES, VERIFY_ZEROES), VERIFY_RIGHT);
	check_equal(judge(zeroes, 9, 9), VERIFY_STALE);
}

TEST(any_single_bit_that_turns_is_a_flip_wherever_it_is)
{
	uint8_t block[BLOCK], zeroes[BLOCK] = { 0 };

	fill(block, 2);
	verify_stamp(block, &place, 1000);
	for (int bit = 0; bit < BLOCK * 8; bit++) {
		block[bit / 8] ^= (uint8_t)(1 << bit % 8);
		if (judge(block, 1000, 1000) != VERIFY_FLIPPED)
			tap_fail("bit %d is %s", bit, verify_finding_name(judge(block, 1000, 1000)));
		block[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	check_equal(judge(block, 1000, 1000), VERIFY_RIGHT);
	zeroes[100] = 4;
	check_equal(judge(zeroes, VERIFY_ZEROES, VERIFY_ZEROES), VERIFY_FLIPPED);
}

TEST(a_block_of_two_writes_is_torn_wherever_they_meet)
{
	uint8_t before[BLOCK], after[BLOCK], torn[BLOCK];

	fill(before, 3);
	fill(after, 4);
	verify_stamp(before, &place, 7);
	verify_stamp(after, &place, 9);
	for (int at = VERIFY_STAMP_BYTES; at <= BLOCK - 8; at++) {
		memcpy(torn, after, BLOCK);
		memcpy(torn + at, before + at, (size_t)(BLOCK - at));
		check_equal(judge(torn, 9, 9), VERIFY_TORN);
		memcpy(torn, before, BLOCK);
		memcpy(torn + at, after + at, (size_t)(BLOCK - at));
		check_equal(judge(torn, 9, 9), VERIFY_TORN);
	}
}

/* ---- a load ---- */

TEST(a_drive_that_keeps_its_data_is_found_right)
{
	_cleanup_free_ uint8_t *bytes = new_bytes();
	struct target *target = around(bytes, NULL);

	check_equal(work(target), 0);
	check_equal(wrong(), 0);
	check_equal(stats.errors, 0);
	check(counts[VERIFY_RIGHT] > 10000);
	target_close(target);
}

TEST(requests_that_overlap_keep_their_order_on_a_drive_that_does_not)
{
	_cleanup_free_ uint8_t *bytes = new_bytes();
	struct ram *ram = ram_new(bytes);
	struct target *target;

	ram->is_last_first = true;
	target = open_verified(&ram->base, NULL);
	check_equal(work(target), 0);
	check_equal(wrong(), 0);
	check_equal(stats.errors, 0);
	target_close(target);
}

TEST(a_flipped_bit_is_found_and_nothing_else)
{
	_cleanup_free_ uint8_t *bytes = new_bytes();
	struct target *target = around(bytes, "flip=100");

	check_equal(work(target), -EILSEQ);
	check(strstr(fail_message(), "flipped"));
	check(counts[VERIFY_FLIPPED] > 10);
	check_equal(wrong(), counts[VERIFY_FLIPPED]);
	check(stats.errors > 10);
	target_close(target);
}

TEST(a_write_that_was_not_done_is_stale_and_nothing_else)
{
	_cleanup_free_ uint8_t *bytes = new_bytes();
	struct target *target = around(bytes, "stale=100");

	check_equal(work(target), -EILSEQ);
	check(counts[VERIFY_STALE] > 10);
	check_equal(wrong(), counts[VERIFY_STALE]);
	target_close(target);
}

TEST(a_write_done_by_half_is_torn_and_hardly_anything_else)
{
	_cleanup_free_ uint8_t *bytes = new_bytes();
	struct target *target = around(bytes, "torn=100");

	check_equal(work(target), -EILSEQ);
	check(counts[VERIFY_TORN] > 10);
	/* What was read a block at a time, or written again by a part, can only be seen as stale. */
	check(counts[VERIFY_STALE] < counts[VERIFY_TORN]);
	check_equal(wrong(), counts[VERIFY_TORN] + counts[VERIFY_STALE]);
	target_close(target);
}

TEST(a_write_that_went_elsewhere_is_misplaced_and_missing_at_its_place)
{
	_cleanup_free_ uint8_t *bytes = new_bytes();
	struct target *target = around(bytes, "misplace=100");

	check_equal(work(target), -EILSEQ);
	check(counts[VERIFY_MISPLACED] > 10);
	check(counts[VERIFY_STALE] > 0);
	check_equal(wrong(), counts[VERIFY_MISPLACED] + counts[VERIFY_STALE]);
	target_close(target);
}

TEST(zeroes_are_checked_and_trimmed_blocks_may_hold_anything)
{
	_cleanup_free_ uint8_t *bytes = new_bytes();
	struct target *target = around(bytes, NULL);
	uint8_t data[BLOCK] = { 1 };
	struct io io = { .op = IO_WRITE, .size_bytes = BLOCK, .data = data };

	target_submit(target, &io);
	check(target_reap(target, TARGET_FOREVER) == &io);
	check(io.data == data && data[0] == 1); /* the submitter's memory is as it was */
	io.op = IO_WRITE_ZEROES;
	target_submit(target, &io);
	target_reap(target, TARGET_FOREVER);
	check_equal(target_settle(target), 0);
	bytes[7] = 1;
	io.op = IO_READ;
	target_submit(target, &io);
	target_reap(target, TARGET_FOREVER);
	check_equal(io.error, -EILSEQ);
	io.op = IO_TRIM;
	target_submit(target, &io);
	target_reap(target, TARGET_FOREVER);
	bytes[7] = 3;
	io.op = IO_READ;
	target_submit(target, &io);
	target_reap(target, TARGET_FOREVER);
	check_equal(io.error, 0);
	target_close(target);
}

TEST(what_failed_may_have_been_done_or_not)
{
	_cleanup_free_ uint8_t *bytes = new_bytes();
	struct ram *ram = ram_new(bytes);
	struct target *target = open_verified(&ram->base, NULL);
	uint8_t data[BLOCK] = { 0 };
	struct io io = { .op = IO_WRITE, .size_bytes = BLOCK, .data = data };

	target_submit(target, &io);
	target_reap(target, TARGET_FOREVER);
	ram->fail_after = 1;
	target_submit(target, &io);
	target_reap(target, TARGET_FOREVER);
	check_equal(io.error, -EIO);
	check_equal(target_settle(target), 0);
	target_close(target);
}

/* ---- a restart ---- */

static const char *new_journal(void)
{
	int fd;

	snprintf(journal_path, sizeof(journal_path), "/tmp/drivebay-journal-XXXXXX");
	fd = mkstemp(journal_path);
	check(fd >= 0);
	close(fd);
	unlink(journal_path);
	return journal_path;
}

/* A process that writes all and is killed with requests in flight. What became of the drive is
   in `bytes`, which it shares. */
static void work_and_be_killed(uint8_t *bytes, const char *journal)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct target *target = open_verified(&ram_new(bytes)->base, journal);
		uint8_t data[16384] = { 0 };
		struct io io = { .op = IO_FLUSH }, left = { .op = IO_WRITE, .size_bytes = 16384,
							    .offset_bytes = 65536, .data = data };

		load(target, 0, (struct size_mix){ 1, { { 16384, 1 } } }, 1000, 1);
		target_submit(target, &io);
		target_reap(target, TARGET_FOREVER);
		load(target, 0, (struct size_mix){ 1, { { 16384, 1 } } }, 10, 9);
		target_submit(target, &left);
		kill(getpid(), SIGKILL);
	}
	check(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
}

static uint8_t *shared_bytes(void)
{
	void *bytes = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	check(bytes != MAP_FAILED);
	return bytes;
}

static int look(uint8_t *bytes, const char *journal)
{
	struct target *target = open_verified(&ram_new(bytes)->base, journal);
	int err = target_settle(target);

	verify_counts(target, counts);
	target_close(target);
	return err;
}

TEST(after_a_kill_the_next_run_finds_a_whole_drive_right)
{
	uint8_t *bytes = shared_bytes();

	work_and_be_killed(bytes, new_journal());
	check_equal(look(bytes, journal_path), 0);
	check(counts[VERIFY_RIGHT] > BLOCKS / 2);
	unlink(journal_path);
}

TEST(after_a_restart_lost_writes_are_told_from_torn_and_flipped_ones)
{
	uint8_t *bytes = shared_bytes();
	_cleanup_free_ uint8_t *before = xcalloc(1, SIZE);
	struct target *target;

	target = open_verified(&ram_new(bytes)->base, new_journal());
	load(target, 0, (struct size_mix){ 1, { { 16384, 1 } } }, 1000, 1);
	target_close(target);
	memcpy(before, bytes, SIZE);
	target = open_verified(&ram_new(bytes)->base, journal_path);
	load(target, 0, (struct size_mix){ 1, { { 16384, 1 } } }, 1000, 2);
	target_close(target);

	memcpy(bytes, before, 16384);                          /* one that is gone */
	memcpy(bytes + 32768 + 8192, before + 32768 + 8192, 8192); /* one of which half is */
	bytes[65536 + 100] ^= 1;                               /* and a bit */
	check_equal(look(bytes, journal_path), -EILSEQ);
	check_equal(counts[VERIFY_LOST], 32);
	check_equal(counts[VERIFY_TORN], 16);
	check_equal(counts[VERIFY_FLIPPED], 1);
	check(strstr(fail_message(), "32 had never been flushed"));
	check_equal(wrong(), 49);
	/* Told once. */
	check_equal(look(bytes, journal_path), 0);
	unlink(journal_path);
}

TEST(what_had_been_flushed_and_is_gone_is_told_apart)
{
	uint8_t *bytes = shared_bytes();

	work_and_be_killed(bytes, new_journal());
	memset(bytes, 0, SIZE);
	check_equal(look(bytes, journal_path), -EILSEQ);
	check(counts[VERIFY_LOST] > BLOCKS / 2);
	check(strstr(fail_message(), "had never been flushed"));
	check(!strstr(fail_message(), "2048 had never been flushed"));
	unlink(journal_path);
}

TEST(a_journal_of_something_else_is_refused)
{
	_cleanup_free_ uint8_t *bytes = new_bytes();
	struct verify_options options = { .journal = new_journal() };
	struct ram *ram = ram_new(bytes);
	struct target *target;
	FILE *file;

	check_equal(verify_wrap(&ram->base, &options, &target), 0);
	ram = ram_new(bytes);
	check_equal(verify_wrap(&ram->base, &options, &(struct target *){ NULL }), -EBUSY);
	target_close(target);
	ram->base.size_bytes /= 2;
	check_equal(verify_wrap(&ram->base, &options, &target), -EINVAL);
	check(strstr(fail_message(), "is of a target of 1048576 bytes in blocks of 512"));
	file = fopen(journal_path, "w");
	fputs("something else, and long enough to be taken for a header of a journal, or so it is hoped", file);
	fclose(file);
	check_equal(verify_wrap(&ram->base, &options, &target), -EINVAL);
	check(strstr(fail_message(), "is no journal of drivebay's"));
	ram_close(&ram->base);
	unlink(journal_path);
}

TEST(a_target_that_keeps_no_data_is_refused)
{
	struct target_options options = { .scale = 512 };
	struct target *target;

	check_equal(target_open("verify::samsung-983-dct", &options, &target), -EINVAL);
	check(strstr(fail_message(), "a modelled drive keeps no data"));
	check_equal(target_open("verify::null:1G", &options, &target), -EINVAL);
	check(strstr(fail_message(), "keeps no data"));
	check_equal(target_open("verify:crc=1:null:1G", &options, &target), -EINVAL);
	check(strstr(fail_message(), "unknown key 'crc'"));
	check_equal(target_open("verify:sync=yes:null:1G", &options, &target), -EINVAL);
	check(strstr(fail_message(), "sync needs journal=FILE"));
}

int main(void)
{
	data_set_root(SOURCE_ROOT);
	return tap_run();
}
