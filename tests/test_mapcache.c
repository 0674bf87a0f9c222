/* test_mapcache.c - a map that lies in the flash: what it costs reads, writes and cleaning. */
#include "tiny_drive.h"

#include <string.h>
#include <unistd.h>

#include "base/rng.h"

enum { MAP_TR = 400, MISS = 50, ENTRIES = UNIT_BYTES / MAP_ENTRY_BYTES, USER = 24 * ENTRIES };

/* A map of 24 pages, of which the cache holds eight. */
static struct drive mapped(void)
{
	struct drive description = tiny_drive();

	description.pages_per_block = 512;
	description.blocks_per_plane = 40;
	description.user_bytes = (uint64_t)USER * UNIT_BYTES;
	description.buffer_bytes = 64 * UNIT_BYTES;
	description.map_cache_bytes = 8 * UNIT_BYTES;
	description.map_page_bytes = UNIT_BYTES;
	description.map_read_ns = MAP_TR;
	description.map_miss_ns = MISS;
	return description;
}

static void fill(void)
{
	for (uint64_t unit = 0; unit < USER; unit++)
		alone_ns(IO_WRITE, unit);
	ssd_settle(ssd);
}

TEST(a_read_that_misses_pays_for_the_page_of_the_map_and_the_next_one_does_not)
{
	make(mapped());
	fill();
	check_equal(alone_ns(IO_READ, 0), MISS + MAP_TR + TRANSFER + TR + TRANSFER + LINK);
	check_equal(alone_ns(IO_READ, 1), TR + TRANSFER + LINK);
	check_equal(alone_ns(IO_READ, ENTRIES - 1), TR + TRANSFER + LINK);
	check_equal(alone_ns(IO_READ, ENTRIES), MISS + MAP_TR + TRANSFER + TR + TRANSFER + LINK);
	check_equal(counted().map_reads, 2);
	drop();
}

TEST(a_fresh_drive_has_no_map_to_read)
{
	make(mapped());
	check_equal(alone_ns(IO_READ, 5 * ENTRIES), LINK);
	check_equal(counted().map_reads, 0);
	drop();
}

TEST(what_was_used_last_stays_in_the_cache)
{
	make(mapped());
	fill();
	for (uint64_t page = 0; page < 8; page++)
		alone_ns(IO_READ, page * ENTRIES);
	for (int i = 0; i < 100; i++)
		for (uint64_t page = 0; page < 8; page++)
			check_equal(alone_ns(IO_READ, page * ENTRIES + 7), TR + TRANSFER + LINK);
	/* Nine pages in turn: one too many. */
	for (int i = 0; i < 100; i++)
		for (uint64_t page = 8; page < 17; page++)
			alone_ns(IO_READ, page * ENTRIES);
	check(counted().map_reads > 8 + 100);
	drop();
}

TEST(sequential_writes_write_each_page_of_the_map_once_and_scattered_ones_one_each_time)
{
	struct rng rng = rng_stream(1, "mapcache");
	struct ssd_counters before = { 0 }, after = { 0 };

	make(mapped());
	fill();
	before = counted();
	check(before.map_units <= 24);
	check(before.map_units >= 24 - 8); /* the last ones are in the cache still */
	for (int i = 0; i < 6000; i++)
		alone_ns(IO_WRITE, rng_below(&rng, USER));
	ssd_settle(ssd);
	after = counted();
	/* Two thirds of the pages are not in the cache when they are wanted. */
	check(after.map_units - before.map_units > 6000 * 6 / 10);
	check(after.map_units - before.map_units < 6000 * 7 / 10);
	drop();
}

TEST(memory_of_the_host_does_away_with_it)
{
	struct rng rng = rng_stream(1, "mapcache");
	struct drive description = mapped();
	uint64_t before;

	description.map_hmb_bytes = 16 * UNIT_BYTES;
	make(description);
	fill();
	before = counted().map_units;
	check_equal(before, 0);
	for (int i = 0; i < 6000; i++)
		alone_ns(rng_below(&rng, 2) ? IO_READ : IO_WRITE, rng_below(&rng, USER));
	ssd_settle(ssd);
	check_equal(counted().map_reads, 0);
	check_equal(counted().map_units, 0);
	drop();
}

TEST(units_that_cleaning_moves_cost_an_entry_of_a_journal)
{
	struct rng rng = rng_stream(1, "mapcache");
	struct ssd_counters before = { 0 }, after = { 0 };

	make(mapped());
	fill();
	for (int i = 0; i < 4 * USER; i++)
		alone_ns(IO_WRITE, rng_below(&rng, USER));
	ssd_settle(ssd);
	before = counted();
	for (int i = 0; i < USER; i++)
		alone_ns(IO_WRITE, rng_below(&rng, ENTRIES)); /* one page, which stays */
	ssd_settle(ssd);
	after = counted();
	check(after.copied_units > before.copied_units);
	check(after.map_units - before.map_units <=
	      (after.copied_units - before.copied_units) / 512 + 8 + 1);
	drop();
}

/*
 * Four units are in a program of eight that nothing fills, four wait in the full buffer for the
 * map and are trimmed there, and four more wait for the buffer.
 */
TEST(what_is_trimmed_in_a_full_buffer_makes_room_for_what_waits)
{
	struct drive description = mapped();
	struct io ios[16];

	description.pages_per_program = 8;
	description.buffer_bytes = 8 * UNIT_BYTES;
	make(description);
	fill();
	for (uint64_t page = 8; page < 16; page++)
		alone_ns(IO_READ, page * ENTRIES); /* nothing changed is left in the cache */
	ssd_settle(ssd);
	for (uint64_t i = 0; i < 16; i++) {
		bool trims = i >= 8 && i < 12;
		uint64_t page = i < 8 ? i : i - 4;

		ios[i] = (struct io){ .op = trims ? IO_TRIM : IO_WRITE, .size_bytes = UNIT_BYTES,
				      .offset_bytes = page * ENTRIES * UNIT_BYTES };
		ssd_submit(ssd, &ios[i]);
	}
	for (int i = 0; i < 16; i++)
		check(ssd_reap(ssd, UINT64_MAX) != NULL);
	ssd_settle(ssd);
	check_equal(counted().mapped_units, USER - 4);
	drop();
}

TEST(a_scaled_drive_hits_and_misses_as_often)
{
	struct drive description = mapped();

	description.map_cache_bytes = 1 << 20;
	description.map_page_bytes = UNIT_BYTES;
	check_equal(drive_map_page_units(&description), ENTRIES);
	check_equal(drive_map_pages(&description), 24);
	description.scale = 8;
	check_equal(drive_map_page_units(&description), ENTRIES / 8);
	check_equal(drive_map_pages(&description), 24); /* in proportion to the user's units */
}

TEST(without_a_cache_the_map_is_in_dram_and_its_times_mean_nothing)
{
	uint64_t now_ns[2];

	for (int has_times = 0; has_times < 2; has_times++) {
		struct rng rng = rng_stream(1, "mapcache");
		struct drive description = mapped();

		description.map_cache_bytes = 0;
		if (!has_times)
			description.map_page_bytes = description.map_read_ns = description.map_miss_ns = 0;
		make(description);
		fill();
		for (int i = 0; i < 20000; i++)
			alone_ns(rng_below(&rng, 2) ? IO_READ : IO_WRITE, rng_below(&rng, USER));
		ssd_settle(ssd);
		check_equal(counted().map_units, 0);
		now_ns[has_times] = sim.now_ns;
		drop();
	}
	check_equal(now_ns[0], now_ns[1]);
}

TEST(a_cache_is_saved_and_loaded)
{
	FILE *file = tmpfile();
	struct ssd_counters before = { 0 }, after = { 0 };

	check(file != NULL);
	for (int loaded = 0; loaded < 2; loaded++) {
		struct rng rng = rng_stream(2, "mapcache");

		make(mapped());
		if (loaded) {
			lseek(fileno(file), 0, SEEK_SET);
			check_equal(ssd_load(ssd, fileno(file)), 0);
		} else {
			fill();
			for (int i = 0; i < 3000; i++)
				alone_ns(IO_WRITE, rng_below(&rng, USER));
			ssd_settle(ssd);
			check_equal(ssd_save(ssd, fileno(file)), 0);
		}
		rng = rng_stream(3, "mapcache");
		for (int i = 0; i < 3000; i++)
			alone_ns(rng_below(&rng, 2) ? IO_READ : IO_WRITE, rng_below(&rng, USER));
		ssd_settle(ssd);
		after = counted();
		if (!loaded)
			before = after;
		drop();
	}
	check_equal(after.map_reads, before.map_reads);
	check_equal(after.map_units, before.map_units);
	check_equal(after.read_units, before.read_units);
	fclose(file);
}

int main(void)
{
	return tap_run();
}
