/* test_wear.c - bit errors, retries, bad blocks and what is moved because of them. */
#include "tiny_drive.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/rng.h"

enum { CORRECTABLE = 10000 };

#define HOUR_NS 3600000000000ull

/* Reads without an error, blocks that last; what a test wants otherwise it says. */
static struct drive wearing(void)
{
	struct drive description = tiny_drive();

	description.user_bytes = 640 * UNIT_BYTES; /* of 1024 */
	description.reserve_millipercent = 5000;
	description.endurance_cycles = 1000;
	description.survive_erases = 1000000;
	description.correctable_ppb = CORRECTABLE;
	description.retry_leaves_millipercent = 1000; /* 1 % */
	description.retries_max = 3;
	return description;
}

static void fill(uint64_t units)
{
	for (uint64_t i = 0; i < units; i++)
		alone_ns(IO_WRITE, i);
	ssd_settle(ssd);
}

static int error_of(enum io_op op, uint64_t unit)
{
	struct io io = { .op = op, .size_bytes = UNIT_BYTES, .offset_bytes = unit * UNIT_BYTES };

	ssd_submit(ssd, &io);
	check(ssd_reap(ssd, UINT64_MAX) == &io);
	return io.error;
}

TEST(what_can_be_corrected_takes_no_time)
{
	struct drive description = wearing();

	description.errors_ppb = CORRECTABLE / 5; /* the worst of pages has 4.74 times the mean */
	make(description);
	fill(64);
	for (uint64_t i = 0; i < 64; i++)
		check_equal(alone_ns(IO_READ, i), TR + TRANSFER + LINK);
	check_equal(counted().read_retries, 0);
	drop();
}

TEST(what_cannot_is_sensed_and_sent_again)
{
	struct drive description = wearing();

	description.errors_ppb = 10 * CORRECTABLE; /* the best of pages has 0.40 times the mean */
	make(description);
	fill(64);
	for (uint64_t i = 0; i < 64; i++)
		check_equal(alone_ns(IO_READ, i), 2 * (TR + TRANSFER) + LINK);
	check_equal(counted().read_retries, 64);
	check_equal(counted().media_errors, 0);
	drop();
}

TEST(some_pages_are_worse_than_others_and_the_same_ones_every_time)
{
	struct drive description = wearing();
	uint64_t first;

	description.errors_ppb = CORRECTABLE;
	make(description);
	fill(600);
	for (uint64_t i = 0; i < 600; i++)
		alone_ns(IO_READ, i);
	first = counted().read_retries;
	/* A lognormal of mean 1 and deviation 0.35 is above 1 in 43 % of the cases. */
	check(first > 600 * 38 / 100 && first < 600 * 48 / 100);
	for (uint64_t i = 0; i < 600; i++)
		alone_ns(IO_READ, i);
	check_equal(counted().read_retries, 2 * first);
	drop();
}

TEST(what_no_retry_corrects_is_an_error_of_the_medium)
{
	struct drive description = wearing();

	description.errors_ppb = 10 * CORRECTABLE;
	description.retries_max = 0;
	make(description);
	fill(8);
	check_equal(error_of(IO_READ, 3), -EIO);
	check_equal(counted().media_errors, 1);
	drop();
}

TEST(erases_make_a_block_err_more)
{
	struct drive description = wearing();
	uint64_t retries[3];

	description.errors_worn_ppb = CORRECTABLE;
	for (uint32_t i = 0; i < 3; i++) {
		make(description);
		ssd_wear(ssd, i * 100000);
		check_equal(counted().used_millipercent, i * 100000);
		fill(600);
		for (uint64_t unit = 0; unit < 600; unit++)
			alone_ns(IO_READ, unit);
		retries[i] = counted().read_retries;
		drop();
	}
	check_equal(retries[0], 0);
	check(retries[1] > 200 && retries[2] > 2 * retries[1]);
}

TEST(time_on_the_shelf_makes_data_err_and_new_ones_do_not)
{
	struct drive description = wearing();

	description.errors_time_ppb = CORRECTABLE;
	description.retries_max = 0;
	make(description);
	ssd_wear(ssd, 100000);
	fill(64);
	ssd_shelve(ssd, HOUR_NS - 1);
	check_equal(error_of(IO_READ, 5), 0);
	ssd_shelve(ssd, 5000 * HOUR_NS); /* twelve doublings */
	check_equal(error_of(IO_READ, 5), -EIO);
	check_equal(error_of(IO_WRITE, 5), 0);
	ssd_settle(ssd);
	check_equal(error_of(IO_READ, 6), -EIO);
	drop();

	make(description);
	ssd_wear(ssd, 100000);
	fill(16); /* a superblock of its own */
	ssd_shelve(ssd, 5000 * HOUR_NS);
	error_of(IO_WRITE, 5);
	ssd_settle(ssd);
	check_equal(error_of(IO_READ, 5), 0);
	drop();
}

TEST(copies_of_what_cannot_be_read_are_lost_until_it_is_written_again)
{
	struct drive description = wearing();
	struct rng rng = rng_stream(1, "copies");
	uint64_t lost = 0;

	description.errors_time_ppb = CORRECTABLE;
	description.retries_max = 0;
	make(description);
	ssd_wear(ssd, 100000);
	fill(640);
	ssd_shelve(ssd, 5000 * HOUR_NS);
	for (int i = 0; i < 2000; i++) /* all superblocks are cleaned */
		alone_ns(IO_WRITE, rng_below(&rng, 320));
	ssd_settle(ssd);
	for (uint64_t unit = 0; unit < 640; unit++)
		lost += error_of(IO_READ, unit) == -EIO;
	check(lost > 200 && lost <= 320);
	for (uint64_t unit = 0; unit < 640; unit++)
		check_equal(error_of(IO_WRITE, unit), 0);
	ssd_settle(ssd);
	for (uint64_t unit = 0; unit < 640; unit++)
		check_equal(error_of(IO_READ, unit), 0);
	check_equal(ssd->lost_count, 0);
	drop();
}

TEST(data_are_moved_after_so_many_reads_of_their_block_and_not_before)
{
	struct drive description = wearing();

	description.reads_max = 50; /* of a block: 100 of a superblock of two */
	make(description);
	fill(64);
	for (int i = 0; i < 99; i++)
		alone_ns(IO_READ, 3);
	ssd_settle(ssd);
	check_equal(counted().copied_units, 0);
	alone_ns(IO_READ, 3);
	ssd_settle(ssd);
	check_equal(counted().copied_units, 16);
	check_equal(counted().refreshed_units, 16);
	check_equal(counted().host_units, 64);
	drop();
}

TEST(reads_make_their_block_err)
{
	struct drive description = wearing();
	uint64_t before_ns, after_ns;

	description.errors_reads_ppb = 10 * CORRECTABLE;
	make(description);
	fill(64);
	before_ns = alone_ns(IO_READ, 3);
	for (int i = 0; i < 8000; i++)
		alone_ns(IO_READ, 3);
	after_ns = alone_ns(IO_READ, 5); /* of the same superblock */
	check_equal(before_ns, TR + TRANSFER + LINK);
	check_equal(after_ns, 2 * (TR + TRANSFER) + LINK);
	check_equal(alone_ns(IO_READ, 40), TR + TRANSFER + LINK);
	drop();
}

/* Erases by which superblocks differ after many writes to an eighth of the drive. */
static uint32_t erases_apart(uint64_t leveling)
{
	struct drive description = wearing();
	struct rng rng = rng_stream(2, "level");
	uint32_t least = UINT32_MAX;

	description.leveling_erases = leveling;
	make(description);
	fill(640);
	for (int i = 0; i < 60000; i++)
		alone_ns(IO_WRITE, rng_below(&rng, 80));
	ssd_settle(ssd);
	for (uint32_t i = 0; i < ssd->usable_superblocks; i++)
		if (ssd->superblocks[i].erase_count < least)
			least = ssd->superblocks[i].erase_count;
	least = (uint32_t)ssd->count.erase_most - least;
	drop();
	return least;
}

TEST(cold_data_are_moved_so_that_their_blocks_take_part_in_the_wear)
{
	uint32_t with = erases_apart(10), without = erases_apart(0);

	printf("# erases apart: %u with levelling at 10, %u without\n", with, without);
	check(with <= 40);
	check(without > 100);
}

TEST(bad_blocks_cost_spares_then_superblocks_and_in_the_end_the_drive_is_read_only)
{
	struct drive description = wearing();
	struct rng rng = rng_stream(3, "bad");
	uint64_t spare = 100000, writes = 0;

	description.survive_erases = 60;
	make(description);
	check_equal(counted().spare_millipercent, 100000);
	fill(640);
	while (error_of(IO_WRITE, rng_below(&rng, 640)) == 0) {
		struct ssd_counters count = counted();

		check(count.spare_millipercent <= spare);
		spare = count.spare_millipercent;
		check(writes++ < 1000000);
	}
	check_equal(error_of(IO_WRITE, 7), -EROFS);
	check_equal(error_of(IO_READ, 7), 0);
	check(counted().bad_blocks > 6);
	check(ssd->live_superblocks == ssd->least_superblocks);
	check_equal(counted().spare_millipercent, 0);
	ssd_settle(ssd);
	drop();
}

TEST(a_drive_that_is_made_worn_has_lost_the_blocks_that_it_would_have_lost)
{
	struct drive description = wearing();
	uint64_t bad[2];

	description.survive_erases = 1500;
	for (uint32_t i = 0; i < 2; i++) {
		make(description);
		ssd_wear(ssd, i ? 100000 : 60000);
		bad[i] = counted().bad_blocks;
		check_equal(counted().erase_most, i ? 1000 : 600);
		fill(640);
		ssd_settle(ssd);
		drop();
	}
	check(bad[1] > bad[0]);
	check(bad[1] < 2 * 64 / 4);
}

TEST(a_saved_state_keeps_the_wear)
{
	struct drive description = wearing();
	FILE *file = tmpfile();
	struct ssd_counters before, after;

	description.survive_erases = 900;
	description.errors_worn_ppb = 3 * CORRECTABLE;
	description.retries_max = 1;
	description.retry_leaves_millipercent = 50000;
	make(description);
	ssd_wear(ssd, 90000);
	fill(640);
	for (uint64_t i = 0; i < 3000; i++)
		alone_ns(IO_WRITE, i * 7 % 640);
	ssd_settle(ssd);
	check_equal(ssd_save(ssd, fileno(file)), 0);
	for (uint64_t i = 0; i < 640; i++)
		error_of(IO_READ, i);
	before = counted();
	drop();
	make(description);
	check_equal(lseek(fileno(file), 0, SEEK_SET), 0);
	check_equal(ssd_load(ssd, fileno(file)), 0);
	for (uint64_t i = 0; i < 640; i++)
		error_of(IO_READ, i);
	after = counted();
	check_equal(after.read_retries, before.read_retries);
	check_equal(after.media_errors, before.media_errors);
	check_equal(after.bad_blocks, before.bad_blocks);
	check_equal(after.spare_millipercent, before.spare_millipercent);
	drop();
	fclose(file);
}

int main(void)
{
	return tap_run();
}
