/* test_slc.c - blocks written one bit a cell: what goes there, how fast, and when it leaves. */
#include "tiny_drive.h"

#include <string.h>
#include <unistd.h>

#include "base/rng.h"

enum { SLC_TPROG = 500, SLC_TR = 300, IDLE = 1000000 };

/*
 * Three pages a program: 24 pages a block, 48 units a superblock, 16 of them when it is used for
 * the cache. Static: one superblock; dynamic: two.
 */
static struct drive cached(void)
{
	struct drive description = tiny_drive();

	description.pages_per_block = 24;
	description.pages_per_program = 3;
	description.blocks_per_plane = 40;
	description.user_bytes = 1200 * UNIT_BYTES;
	description.slc_static_bytes = 16 * UNIT_BYTES;
	description.slc_dynamic_bytes = 32 * UNIT_BYTES;
	description.slc_program_ns = SLC_TPROG;
	description.slc_read_ns = SLC_TR;
	description.slc_idle_ns = IDLE;
	return description;
}

static void write_units(uint64_t first, uint64_t count)
{
	for (uint64_t unit = first; unit < first + count; unit++)
		alone_ns(IO_WRITE, unit);
}

TEST(a_cache_takes_programs_of_one_page_in_their_own_time)
{
	struct drive description = cached();

	description.buffer_kind = BUFFER_VOLATILE;
	make(description);
	write_units(0, 1);
	/* Nothing to pad: a unit is a whole program here, and passed the write engine in 4 ns. */
	check_equal(alone_ns(IO_FLUSH, 0), 4 + TRANSFER + SLC_TPROG);
	check_equal(counted().slc_programs, 1);
	check_equal(counted().programs, 0);
	drop();
}

TEST(what_is_in_the_cache_is_read_in_its_time_and_the_rest_in_that_of_the_array)
{
	make(cached());
	write_units(0, 48 + 3);
	ssd_settle(ssd);
	check_equal(alone_ns(IO_READ, 0), SLC_TR + TRANSFER + LINK);
	check_equal(alone_ns(IO_READ, 47), SLC_TR + TRANSFER + LINK);
	check_equal(alone_ns(IO_READ, 48), TR + TRANSFER + LINK);
	drop();
}

TEST(static_and_dynamic_part_are_filled_and_then_passed_by)
{
	make(cached());
	write_units(0, 48);
	ssd_settle(ssd);
	check_equal(counted().slc_programs, 48);
	write_units(48, 30);
	ssd_settle(ssd);
	check_equal(counted().slc_programs, 48);
	check_equal(counted().programs, 10);
	drop();
}

TEST(after_a_rest_the_cache_is_empty_and_not_before)
{
	make(cached());
	write_units(0, 48);
	pass_ns(IDLE - 1000);
	check_equal(ssd->slc_count, 3);
	check_equal(counted().copied_units, 0);
	pass_ns(IDLE);
	check_equal(ssd->slc_count, 0);
	ssd_settle(ssd);
	check_equal(counted().copied_units, 48);
	/* There is room again. */
	write_units(100, 48);
	ssd_settle(ssd);
	check_equal(counted().slc_programs, 96);
	drop();
}

TEST(reads_do_not_keep_the_cache_from_being_emptied_and_writes_do)
{
	make(cached());
	write_units(0, 48);
	for (int i = 0; i < 30; i++) {
		pass_ns(IDLE / 10);
		alone_ns(IO_READ, 5);
	}
	check_equal(ssd->slc_count, 0);
	ssd_settle(ssd);
	drop();

	make(cached());
	write_units(0, 48);
	for (int i = 0; i < 30; i++) {
		pass_ns(IDLE / 10);
		alone_ns(IO_WRITE, 5);
	}
	check(ssd->slc_count > 0);
	ssd_settle(ssd);
	drop();
}

TEST(what_was_written_over_in_the_cache_is_not_moved)
{
	make(cached());
	for (int i = 0; i < 3; i++) {
		write_units(0, 16);
		ssd_settle(ssd);
	}
	pass_ns(2 * IDLE);
	ssd_settle(ssd);
	check_equal(counted().copied_units, 16);
	drop();
}

TEST(a_full_drive_lends_nothing_and_keeps_the_static_part)
{
	make(cached());
	write_units(0, 1200);
	ssd_settle(ssd);
	pass_ns(20 * IDLE);
	ssd_settle(ssd);
	check(!slc_is_full(ssd));
	/* Written over and over without rest: never more than the static part is in use. */
	for (int round = 0; round < 4; round++) {
		write_units(0, 1200);
		check(ssd->slc_count <= ssd->slc_static + ssd->slc_dynamic);
	}
	check_equal(ssd->slc_count, ssd->slc_static);
	ssd_settle(ssd);
	drop();
}

TEST(a_full_cache_is_passed_by_or_emptied_meanwhile)
{
	uint64_t copied[2];

	for (int fold = 0; fold < 2; fold++) {
		struct drive description = cached();

		description.slc_full = fold ? SLC_FULL_FOLD : SLC_FULL_DIRECT;
		make(description);
		write_units(0, 400);
		ssd_settle(ssd);
		copied[fold] = counted().copied_units;
		drop();
	}
	check_equal(copied[0], 0);
	check(copied[1] > 100);
}

/* A drive that does not use it: the same to the byte, whatever the times say. */
TEST(a_cache_without_size_changes_nothing)
{
	struct ssd_counters count[2];
	uint64_t now_ns[2];

	for (int has_times = 0; has_times < 2; has_times++) {
		struct rng rng = rng_stream(3, "slc");
		struct drive description = cached();

		description.slc_static_bytes = description.slc_dynamic_bytes = 0;
		if (!has_times)
			description.slc_program_ns = description.slc_read_ns = description.slc_idle_ns = 0;
		make(description);
		write_units(0, 1200);
		for (int i = 0; i < 5000; i++)
			alone_ns(rng_below(&rng, 2) ? IO_READ : IO_WRITE, rng_below(&rng, 1200));
		ssd_settle(ssd);
		count[has_times] = counted();
		now_ns[has_times] = sim.now_ns;
		drop();
	}
	check(memcmp(&count[0], &count[1], sizeof(count[0])) == 0);
	check_equal(now_ns[0], now_ns[1]);
}

TEST(a_cache_in_use_is_saved_and_loaded)
{
	FILE *file = tmpfile();
	struct ssd_counters before, after;

	check(file != NULL);
	make(cached());
	write_units(0, 700);
	ssd_settle(ssd);
	check_equal(ssd_save(ssd, fileno(file)), 0);
	pass_ns(3 * IDLE);
	write_units(300, 200);
	ssd_settle(ssd);
	before = counted();
	drop();
	make(cached());
	lseek(fileno(file), 0, SEEK_SET);
	check_equal(ssd_load(ssd, fileno(file)), 0);
	pass_ns(3 * IDLE);
	write_units(300, 200);
	ssd_settle(ssd);
	after = counted();
	check_equal(after.copied_units, before.copied_units);
	check_equal(after.slc_programs, before.slc_programs);
	check_equal(after.erases, before.erases);
	drop();
	fclose(file);
}

int main(void)
{
	return tap_run();
}
