/*
 * test_nand.c - what a die does at the same time: planes that read on their own, and caches.
 *
 * The tiny drive with two planes: units 0 and 1 are on die 0, one on each plane, 2 and 3 on die 1.
 */
#include "tiny_drive.h"

static struct drive two_planes(enum plane_reads reads, enum nand_cache cache)
{
	struct drive description = tiny_drive();

	description.planes = 2;
	description.plane_reads = reads;
	description.nand_cache = cache;
	return description;
}

static void fill(uint64_t units)
{
	for (uint64_t i = 0; i < units; i++)
		alone_ns(IO_WRITE, i);
	ssd_settle(ssd);
}

/* When the last of two reads that come at once is back. */
static uint64_t two_reads_ns(struct drive description, uint64_t first, uint64_t second)
{
	struct io ios[2];
	uint64_t began_ns, end_ns;

	make(description);
	fill(8);
	began_ns = sim.now_ns;
	for (int i = 0; i < 2; i++) {
		ios[i] = (struct io){ .op = IO_READ, .size_bytes = UNIT_BYTES,
				      .offset_bytes = (i ? second : first) * UNIT_BYTES };
		ssd_submit(ssd, &ios[i]);
	}
	check(ssd_reap(ssd, UINT64_MAX) == &ios[0]);
	check(ssd_reap(ssd, UINT64_MAX) == &ios[1]);
	end_ns = sim.now_ns;
	drop();
	return end_ns - began_ns;
}

TEST(planes_that_read_together_make_each_other_wait)
{
	struct drive description = two_planes(PLANES_TOGETHER, NAND_CACHE_NONE);

	check_equal(two_reads_ns(description, 0, 1), 2 * (TR + TRANSFER) + LINK);
}

TEST(planes_that_read_apart_wait_for_the_channel_alone)
{
	struct drive description = two_planes(PLANES_APART, NAND_CACHE_NONE);

	check_equal(two_reads_ns(description, 0, 1), TR + 2 * TRANSFER + LINK);
	/* Units 0 and 4 are on one plane. */
	check_equal(two_reads_ns(description, 0, 4), 2 * (TR + TRANSFER) + LINK);
}

TEST(with_a_read_cache_the_next_page_is_sensed_while_one_crosses_the_channel)
{
	struct drive description = two_planes(PLANES_TOGETHER, NAND_CACHE_READ);

	check_equal(two_reads_ns(description, 0, 4), 2 * TR + TRANSFER + LINK);
	description.nand_cache = NAND_CACHE_PROGRAM;
	check_equal(two_reads_ns(description, 0, 4), 2 * (TR + TRANSFER) + LINK);
	/* A transfer that takes longer than tR is waited for, and no page is lost over it. */
	description.nand_cache = NAND_CACHE_READ;
	description.channel_bytes_per_s /= 20;
	check_equal(two_reads_ns(description, 0, 4), TR + 2 * 20 * TRANSFER + LINK);
}

TEST(a_read_of_both_planes_costs_the_controller_one_access)
{
	struct drive description = two_planes(PLANES_APART, NAND_CACHE_NONE);
	struct io io = { .op = IO_READ, .size_bytes = 2 * UNIT_BYTES };
	uint64_t began_ns;

	description.read_access_ns = 500;
	make(description);
	fill(2);
	began_ns = sim.now_ns;
	ssd_submit(ssd, &io);
	check(ssd_reap(ssd, UINT64_MAX) == &io);
	check_equal(io.completed_ns - began_ns, 500 + TR + 2 * TRANSFER + LINK);
	check_equal(counted().flash_accesses, 2);
	drop();
}

/* Sixteen units fill eight programs, four on each die. */
static uint64_t programs_ns(enum nand_cache cache)
{
	struct drive description = two_planes(PLANES_TOGETHER, cache);
	uint64_t took_ns;

	description.channel_bytes_per_s /= 10; /* 1000 ns a page */
	description.buffer_bytes = 16 * UNIT_BYTES;
	make(description);
	fill(16);
	took_ns = sim.now_ns;
	drop();
	return took_ns;
}

TEST(with_a_program_cache_pages_cross_the_channel_during_the_pulse_of_the_program_before)
{
	uint64_t without_ns = programs_ns(NAND_CACHE_NONE), with_ns = programs_ns(NAND_CACHE_PROGRAM);

	/* Four pulses of 7000 on a die, and the two pages of the first program before them, at
	   least; without a cache those of all four. */
	check(without_ns >= 4 * (TPROG + 2000));
	check(with_ns >= 4 * TPROG + 2000);
	check(with_ns <= without_ns - 3 * 1000);
}

TEST(reads_still_stop_a_program_whose_successor_is_being_loaded)
{
	struct drive description = two_planes(PLANES_APART, NAND_CACHE_BOTH);
	uint64_t took_ns;

	make(description);
	fill(8);
	for (uint64_t i = 16; i < 24; i++) /* two programs for each die */
		alone_ns(IO_WRITE, i);
	pass_ns(2 * TRANSFER + 1000);
	took_ns = alone_ns(IO_READ, 0);
	check(took_ns < TPROG / 2);
	ssd_settle(ssd);
	for (uint64_t i = 0; i < 8; i++)
		alone_ns(IO_READ, i);
	drop();
}

int main(void)
{
	return tap_run();
}
