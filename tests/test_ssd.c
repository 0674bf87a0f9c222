/*
 * test_ssd.c - the model, on a drive whose numbers can be added up in the head.
 *
 * Two dies on one channel; a unit is a page, a program and a group. tR 1000, a transfer 100,
 * tPROG 7000, tBERS 20000 ns. Everything else is free unless a test says otherwise; the link
 * takes 33 ns for 4 KiB (PCIe 6.0 x16).
 */
#include "tap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/rng.h"
#include "ssd/ssd.h"
#include "ssd/state.h"

enum { LINK = 33, TR = 1000, TRANSFER = 100, TPROG = 7000 };

static struct drive tiny(void)
{
	return (struct drive){
		.user_bytes = 400 * UNIT_BYTES, .sector_bytes = 512,
		.channels = 1, .dies = 2, .planes = 1, .page_bytes = UNIT_BYTES,
		.pages_per_block = 8, .blocks_per_plane = 64, .pages_per_program = 1,
		.read_ns = TR, .program_ns = TPROG, .erase_ns = 20000,
		.suspend_ns = 200, .resume_ns = 300, .suspends_max = 2,
		.channel_bytes_per_s = 40960000000, .write_bytes_per_s = 409600000000000,
		.mdts_bytes = 1 << 20,
		.link_generation = 6, .link_lanes = 16, .link_payload_millipercent = 100000,
		.buffer_bytes = 8 * UNIT_BYTES, .buffer_kind = BUFFER_CAPACITOR,
		.gc_policy = GC_GREEDY, .gc_streams = GC_STREAMS_SHARED,
		.scale = 1,
	};
}

static struct drive drive;
static struct sim sim;
static struct ssd *ssd;

static void make(struct drive description)
{
	drive = description;
	sim_init(&sim);
	ssd = ssd_new(&drive, &sim, 1);
}

static void drop(void)
{
	ssd_free(ssd);
	sim_free(&sim);
}

static struct io request(enum io_op op, uint64_t unit)
{
	return (struct io){ .op = op, .size_bytes = op == IO_FLUSH ? 0 : UNIT_BYTES,
			    .offset_bytes = unit * UNIT_BYTES };
}

/* Submits now, waits for it, and says how long it took. */
static uint64_t time_of(enum io_op op, uint64_t unit)
{
	struct io io = request(op, unit);
	uint64_t began_ns = sim.now_ns;

	ssd_submit(ssd, &io);
	check(ssd_reap(ssd, UINT64_MAX) == &io);
	return io.completed_ns - began_ns;
}

static void write_and_settle(uint64_t first, uint64_t count)
{
	for (uint64_t i = first; i < first + count; i++)
		time_of(IO_WRITE, i);
	ssd_settle(ssd);
}

TEST(a_unit_that_was_never_written_is_read_without_the_flash)
{
	struct ssd_counters count;

	make(tiny());
	check_equal(time_of(IO_READ, 5), LINK);
	ssd_count(ssd, &count);
	check_equal(count.flash_accesses, 0);
	drop();
}

TEST(a_read_takes_tr_the_transfer_and_the_link_and_not_a_nanosecond_more)
{
	struct io io = request(IO_READ, 0);
	uint64_t began_ns;

	make(tiny());
	write_and_settle(0, 1);
	began_ns = sim.now_ns;
	ssd_submit(ssd, &io);
	check(ssd_reap(ssd, began_ns + TR + TRANSFER + LINK - 1) == NULL);
	check(ssd_reap(ssd, began_ns + TR + TRANSFER + LINK) == &io);
	drop();
}

TEST(reads_of_one_die_wait_for_each_other_and_those_of_two_dies_only_for_the_channel)
{
	struct io first = request(IO_READ, 0), second = request(IO_READ, 2), other = request(IO_READ, 1);
	uint64_t began_ns;

	make(tiny());
	write_and_settle(0, 3); /* units 0 and 2 on die 0, unit 1 on die 1 */
	began_ns = sim.now_ns;
	ssd_submit(ssd, &first);
	ssd_submit(ssd, &second);
	ssd_submit(ssd, &other);
	check(ssd_reap(ssd, UINT64_MAX) == &first);
	check(ssd_reap(ssd, UINT64_MAX) == &other);
	check(ssd_reap(ssd, UINT64_MAX) == &second);
	check_equal(first.completed_ns - began_ns, TR + TRANSFER + LINK);
	check_equal(other.completed_ns - began_ns, TR + 2 * TRANSFER + LINK);
	check_equal(second.completed_ns - began_ns, 2 * (TR + TRANSFER) + LINK);
	drop();
}

/* Unit 0 is in the flash of die 0; a second write of it is programmed there when we read it. */
static uint64_t read_into_a_program(uint64_t suspends_max)
{
	struct drive description = tiny();
	uint64_t took_ns;

	description.suspends_max = suspends_max;
	make(description);
	write_and_settle(0, 2);
	time_of(IO_WRITE, 9); /* the next program is die 0's; it loads for TRANSFER */
	check(ssd_reap(ssd, sim.now_ns + TRANSFER + 1000) == NULL);
	took_ns = time_of(IO_READ, 0);
	drop();
	return took_ns;
}

TEST(a_read_stops_a_program_where_the_drive_can_suspend)
{
	check_equal(read_into_a_program(2), 200 + TR + TRANSFER + LINK);
}

TEST(a_read_waits_for_the_program_where_the_drive_cannot_suspend)
{
	check_equal(read_into_a_program(0), TPROG - 1000 + TR + TRANSFER + LINK);
}

TEST(a_suspended_program_goes_on_where_it_was_plus_the_time_to_resume)
{
	uint64_t began_ns;

	make(tiny());
	write_and_settle(0, 2);
	time_of(IO_WRITE, 9);
	began_ns = sim.now_ns;
	check(ssd_reap(ssd, began_ns + TRANSFER + 1000) == NULL);
	time_of(IO_READ, 0);
	while (ssd->dies[0].state != DIE_IDLE)
		sim_step(&sim);
	check_equal(sim.now_ns - began_ns, TRANSFER + TPROG + 200 + TR + TRANSFER + 300);
	drop();
}

TEST(a_write_is_acknowledged_from_the_buffer_until_that_is_full)
{
	struct io ios[9];
	uint64_t began_ns;

	/* Four may be with the dies (two each), so 8 fill the buffer and the ninth waits for the
	   first program: loaded in 100, programmed in 7000. */
	make(tiny());
	began_ns = sim.now_ns;
	for (int i = 0; i < 9; i++) {
		ios[i] = request(IO_WRITE, (uint64_t)i);
		ssd_submit(ssd, &ios[i]);
	}
	for (int i = 0; i < 9; i++)
		check(ssd_reap(ssd, UINT64_MAX) == &ios[i]);
	check_equal(ios[7].completed_ns - began_ns, 8 * LINK);
	check_equal(ios[8].completed_ns - began_ns, LINK + TRANSFER + TPROG);
	drop();
}

TEST(a_flush_is_free_with_capacitors_and_waits_for_the_program_without)
{
	struct drive description = tiny();

	make(description);
	time_of(IO_WRITE, 0);
	check_equal(time_of(IO_FLUSH, 0), 0);
	drop();
	description.buffer_kind = BUFFER_VOLATILE;
	make(description);
	time_of(IO_WRITE, 0);
	check_equal(time_of(IO_FLUSH, 0), TRANSFER + TPROG);
	drop();
}

TEST(a_flush_pads_the_program_that_is_not_full)
{
	struct drive description = tiny();
	struct ssd_counters count;

	description.buffer_kind = BUFFER_VOLATILE;
	description.pages_per_program = 4;
	make(description);
	time_of(IO_WRITE, 0);
	time_of(IO_FLUSH, 0);
	ssd_count(ssd, &count);
	check_equal(count.padded_units, 3);
	check_equal(count.programs, 1);
	drop();
}

TEST(a_read_of_what_is_still_in_the_buffer_needs_no_flash)
{
	struct ssd_counters count;

	make(tiny());
	time_of(IO_WRITE, 3);
	check_equal(time_of(IO_READ, 3), LINK);
	ssd_count(ssd, &count);
	check_equal(count.flash_accesses, 0);
	drop();
}

TEST(a_write_of_half_a_unit_reads_the_unit_first)
{
	struct io io = { .op = IO_WRITE, .size_bytes = 512 };
	struct ssd_counters count;

	make(tiny());
	write_and_settle(0, 1);
	ssd_submit(ssd, &io);
	check(ssd_reap(ssd, UINT64_MAX) == &io);
	ssd_count(ssd, &count);
	check_equal(count.flash_accesses, 1);
	drop();
}

TEST(a_trimmed_unit_reads_like_one_that_was_never_written)
{
	struct ssd_counters count;

	make(tiny());
	write_and_settle(0, 4);
	time_of(IO_TRIM, 2);
	check_equal(time_of(IO_READ, 2), LINK);
	ssd_count(ssd, &count);
	check_equal(count.mapped_units, 3);
	drop();
}

TEST(write_zeroes_unmaps_what_it_covers_and_writes_what_it_covers_in_part)
{
	struct ssd_counters count;
	struct io io = request(IO_WRITE_ZEROES, 1);

	make(tiny());
	write_and_settle(0, 6);
	io.offset_bytes -= 512; /* the end of unit 0, all of 1 and 2, not all of 3 */
	io.size_bytes = 3 * UNIT_BYTES;
	ssd_submit(ssd, &io);
	check(ssd_reap(ssd, UINT64_MAX) == &io);
	check_equal(time_of(IO_READ, 1), LINK);
	check_equal(time_of(IO_READ, 2), LINK);
	ssd_settle(ssd);
	check(!ssd_broken_law(ssd));
	ssd_count(ssd, &count);
	check_equal(count.mapped_units, 4);
	check_equal(count.host_units, 6 + 2);
	check_equal(count.flash_accesses, 2);
	drop();
}

TEST(the_read_engine_serves_commands_one_after_another)
{
	struct drive description = tiny();
	struct io first = request(IO_READ, 0), second = request(IO_READ, 1);

	description.read_command_ns = 500;
	make(description);
	ssd_submit(ssd, &first);
	ssd_submit(ssd, &second);
	check(ssd_reap(ssd, UINT64_MAX) == &first);
	check(ssd_reap(ssd, UINT64_MAX) == &second);
	check_equal(first.completed_ns, 500 + LINK);
	check_equal(second.completed_ns, 1000 + LINK);
	drop();
}

TEST(a_command_above_mdts_costs_as_many_as_it_is_split_into)
{
	struct drive description = tiny();
	struct io io = { .op = IO_READ, .size_bytes = 16 * UNIT_BYTES };

	description.read_command_ns = 500;
	description.mdts_bytes = 8 * UNIT_BYTES;
	make(description);
	ssd_submit(ssd, &io);
	check(ssd_reap(ssd, UINT64_MAX) == &io);
	check_equal(io.completed_ns, 2 * 500 + 16 * UNIT_BYTES * 1000000000ull / 121000000000ull);
	drop();
}

/* ---- cleaning ---- */

static double waf_of_random_writes(struct drive description, uint64_t writes)
{
	struct rng rng = rng_stream(1, "test");
	struct ssd_counters before, after;
	uint64_t units = description.user_bytes / UNIT_BYTES;

	make(description);
	for (uint64_t i = 0; i < units; i++)
		time_of(IO_WRITE, i);
	for (uint64_t i = 0; i < writes; i++)
		time_of(IO_WRITE, rng_below(&rng, units));
	ssd_count(ssd, &before);
	for (uint64_t i = 0; i < writes; i++)
		time_of(IO_WRITE, rng_below(&rng, units));
	ssd_settle(ssd);
	check(!ssd_broken_law(ssd));
	ssd_count(ssd, &after);
	drop();
	return 1.0 + (double)(after.copied_units - before.copied_units) /
			     (double)(after.host_units - before.host_units);
}

static struct drive larger(void)
{
	struct drive description = tiny();

	description.blocks_per_plane = 1024;
	description.pages_per_block = 32;
	description.user_bytes = (uint64_t)(1024 * 64 * 0.8) * UNIT_BYTES;
	return description;
}

/*
 * Uniform random writes, victims in rotation (Menon 1995; Desnoyers 2012): with T = physical over
 * user space, the share u of a victim that is still valid solves T (1 - u) = ln(1/u); WAF is
 * 1 / (1 - u). T = 1.25 gives u = 0.629, WAF 2.69. The free reserve makes T a little smaller.
 */
TEST(victims_in_rotation_cost_what_theory_says)
{
	struct drive description = larger();
	double waf;

	description.gc_policy = GC_FIFO;
	waf = waf_of_random_writes(description, 200000);
	check(waf > 2.69 * 0.95);
	check(waf < 2.69 * 1.05);
}

TEST(the_emptiest_victim_costs_less_than_the_oldest)
{
	struct drive description = larger();
	double greedy = waf_of_random_writes(description, 200000), rotation;

	description.gc_policy = GC_FIFO;
	rotation = waf_of_random_writes(description, 200000);
	check(greedy < rotation);
	check(greedy > 2.0);
}

TEST(a_sample_of_one_costs_what_an_average_block_costs_and_a_large_one_what_the_emptiest_does)
{
	struct drive description = larger();
	double greedy = waf_of_random_writes(description, 200000), one, many;

	description.gc_policy = GC_SAMPLED;
	description.gc_choices = 1;
	one = waf_of_random_writes(description, 200000);
	description.gc_choices = 64;
	many = waf_of_random_writes(description, 200000);
	/* An average block is 1 / 1.25 valid in the end: WAF 5, a little more for the reserve. */
	check(one > 1.5 * greedy);
	check(one < 5.6);
	check(many > greedy * 0.98);
	check(many < greedy * 1.05);
}

TEST(less_spare_space_costs_more_copies)
{
	struct drive description = larger();
	double much = waf_of_random_writes(description, 100000), little;

	description.user_bytes = (uint64_t)(1024 * 64 * 0.9) * UNIT_BYTES;
	little = waf_of_random_writes(description, 100000);
	check(little > 1.5 * much);
}

TEST(sequential_writes_over_and_over_copy_nothing)
{
	struct ssd_counters count;

	make(larger());
	for (int pass = 0; pass < 3; pass++)
		for (uint64_t i = 0; i < drive.user_bytes / UNIT_BYTES; i++)
			time_of(IO_WRITE, i);
	ssd_settle(ssd);
	check(!ssd_broken_law(ssd));
	ssd_count(ssd, &count);
	check_equal(count.copied_units, 0);
	drop();
}

/* ---- laws, whatever comes ---- */

static void add_slc(struct drive *description, struct rng *rng)
{
	uint64_t superblock = drive_superblock_bytes(description) / description->pages_per_program;

	description->slc_static_bytes = rng_below(rng, 3) * superblock;
	description->slc_dynamic_bytes = rng_below(rng, 20) * superblock;
	description->slc_program_ns = 1 + rng_below(rng, TPROG);
	description->slc_read_ns = 1 + rng_below(rng, TR);
	description->slc_idle_ns = rng_below(rng, 10000000);
	description->slc_full = rng_below(rng, 2) ? SLC_FULL_DIRECT : SLC_FULL_FOLD;
}

static void add_map(struct drive *description, struct rng *rng)
{
	description->map_page_bytes = UNIT_BYTES;
	description->map_cache_bytes = UNIT_BYTES * (1 + rng_below(rng, 10));
	description->map_hmb_bytes = UNIT_BYTES * rng_below(rng, 10);
	description->map_read_ns = 1 + rng_below(rng, TR);
	description->map_miss_ns = rng_below(rng, TR);
	/* Parts of a page, so that a small drive has many. */
	description->scale = 1u << rng_below(rng, 8);
}

static struct drive random_drive(struct rng *rng)
{
	struct drive description = tiny();
	uint64_t raw;

	description.dies = 1ull << rng_below(rng, 4);
	description.channels = description.dies > 1 ? 1 + rng_below(rng, 2) : 1;
	description.planes = 1 + rng_below(rng, 2);
	description.page_bytes = UNIT_BYTES << rng_below(rng, 3);
	description.pages_per_program = 1 + rng_below(rng, 3);
	description.pages_per_block = description.pages_per_program * (2 + rng_below(rng, 30));
	description.blocks_per_plane = 40 + rng_below(rng, 100);
	description.gc_policy = rng_below(rng, 3);
	description.gc_choices = 1 + rng_below(rng, 8);
	description.gc_streams = rng_below(rng, 2) ? GC_STREAMS_SHARED : GC_STREAMS_SEPARATE;
	description.buffer_kind = rng_below(rng, 2) ? BUFFER_CAPACITOR : BUFFER_VOLATILE;
	description.suspends_max = rng_below(rng, 3);
	description.write_bytes_per_s = 1000000000;
	if (rng_below(rng, 2))
		description.gc_burst = 1 + rng_below(rng, 300);
	if (rng_below(rng, 2))
		description.read_spread_millipercent = 1 + rng_below(rng, 60000);
	if (rng_below(rng, 2))
		add_slc(&description, rng);
	if (rng_below(rng, 2))
		add_map(&description, rng);
	raw = description.dies * description.planes * description.page_bytes *
	      description.pages_per_block * description.blocks_per_plane;
	description.buffer_bytes = 4 * description.dies * description.planes *
				   description.page_bytes * description.pages_per_program;
	description.user_bytes = raw / 100 * (60 + rng_below(rng, 22)) / UNIT_BYTES * UNIT_BYTES;
	return description;
}

static void random_request(struct io *io, struct rng *rng)
{
	uint64_t units = drive.user_bytes / UNIT_BYTES, kind = rng_below(rng, 100);
	uint64_t count = 1 + rng_below(rng, 8);

	if (rng_below(rng, 2)) /* hot */
		units = units / 10 + 8;
	if (kind < 1) {
		*io = request(IO_FLUSH, 0);
		return;
	}
	*io = request(kind < 4 ? IO_TRIM : kind < 6 ? IO_WRITE_ZEROES : kind < 30 ? IO_READ : IO_WRITE,
		      rng_below(rng, units - count));
	io->size_bytes = (uint32_t)(count * UNIT_BYTES);
	if (rng_below(rng, 8) == 0)
		io->size_bytes -= 512;
}

TEST(the_laws_hold_on_random_drives_under_random_requests)
{
	struct rng rng = rng_stream(7, "test");
	int made = 0;

	for (int round = 0; round < 100; round++) {
		struct io ios[16], *io;
		struct drive description = random_drive(&rng);
		int in_flight = 0;

		if (drive_check(&description)) {
			continue;
		}
		made++;
		make(description);
		for (int i = 0; i < 20000; i++) {
			io = in_flight < 16 ? &ios[in_flight++] : ssd_reap(ssd, UINT64_MAX);
			random_request(io, &rng);
			ssd_submit(ssd, io);
		}
		while (in_flight--)
			check(ssd_reap(ssd, UINT64_MAX) != NULL);
		ssd_settle(ssd);
		check(!ssd_broken_law(ssd));
		drop();
	}
	check(made > 50);
}

TEST(a_read_that_comes_while_a_program_loads_waits_for_the_load_and_the_stop_only)
{
	struct drive description = tiny();

	description.page_bytes = 4 * UNIT_BYTES; /* a load of 400 */
	make(description);
	for (uint64_t i = 0; i < 8; i++)
		time_of(IO_WRITE, i); /* a program on each die */
	ssd_settle(ssd);
	for (uint64_t i = 100; i < 104; i++)
		time_of(IO_WRITE, i); /* the fourth starts the program of die 0 */
	check_equal(ssd->dies[0].state, DIE_LOADING);
	check_equal(time_of(IO_READ, 0), 4 * TRANSFER + 200 + TR + TRANSFER + LINK);
	drop();
}

/* 24 readers who never let die 0 rest, and a writer: both must get on. */
TEST(endless_reads_do_not_stop_the_programs_of_their_die)
{
	struct io readers[24], writer = request(IO_WRITE, 0), *io;
	struct drive description = tiny();
	uint64_t reads = 0, writes = 0;

	description.user_bytes = 256 * UNIT_BYTES;
	make(description);
	for (uint64_t i = 0; i < 256; i++)
		time_of(IO_WRITE, i);
	ssd_settle(ssd);
	for (int i = 0; i < 24; i++) {
		readers[i] = request(IO_READ, (uint64_t)i * 2); /* even units: die 0 */
		ssd_submit(ssd, &readers[i]);
	}
	ssd_submit(ssd, &writer);
	while (sim.now_ns < 200000000) {
		io = ssd_reap(ssd, UINT64_MAX);
		reads += io != &writer;
		writes += io == &writer;
		if (io == &writer)
			io->offset_bytes = (100 + writes % 100) * UNIT_BYTES;
		ssd_submit(ssd, io);
	}
	for (int i = 0; i < 25; i++)
		check(ssd_reap(ssd, UINT64_MAX) != NULL);
	ssd_settle(ssd);
	check(!ssd_broken_law(ssd));
	/* Four program times of reads for each program, and cleaning to do. */
	check(writes > 1000);
	check(reads > 10000);
	drop();
}

TEST(a_flush_waits_for_what_came_before_it_and_not_for_what_comes_after)
{
	struct io flush = request(IO_FLUSH, 0), *io;
	struct drive description = tiny();
	struct io writers[8];
	bool flushed = false;

	description.buffer_kind = BUFFER_VOLATILE;
	make(description);
	for (int i = 0; i < 8; i++) {
		writers[i] = request(IO_WRITE, (uint64_t)i);
		ssd_submit(ssd, &writers[i]);
	}
	ssd_submit(ssd, &flush);
	for (int i = 0; i < 1000 && !flushed; i++) {
		io = ssd_reap(ssd, UINT64_MAX);
		flushed = io == &flush;
		if (!flushed)
			ssd_submit(ssd, io);
	}
	check(flushed);
	/* Eight units on two dies: four programs one after another on each. */
	check(flush.completed_ns <= 5 * (TRANSFER * 2 + TPROG) + 8 * LINK);
	for (int i = 0; i < 8; i++)
		check(ssd_reap(ssd, UINT64_MAX) != NULL);
	drop();
}

/* Most writes wait for the buffer, and trims give its space back. */
TEST(trims_and_writes_of_nearly_the_whole_drive_share_a_buffer_of_eight_units)
{
	struct rng rng = rng_stream(1, "test");
	struct drive description = tiny();
	struct io ios[32], *io;
	int in_flight = 0;

	description.dies = 1;
	description.pages_per_block = 32;
	description.blocks_per_plane = 200;
	description.user_bytes = 5820 * UNIT_BYTES;
	description.suspends_max = 0;
	description.write_bytes_per_s = 1000000; /* slow enough to let trims in between */
	description.channel_command_ns = 1000000;
	description.program_ns = 700000;
	description.mdts_bytes = 131072;
	description.gc_policy = GC_FIFO;
	description.gc_streams = GC_STREAMS_SEPARATE;
	make(description);
	for (uint64_t i = 0; i < 5820; i++)
		time_of(IO_WRITE, i);
	for (int i = 0; i < 30000; i++) {
		uint64_t count = rng_below(&rng, 100) < 3 ? 5632 : 1, kind = rng_below(&rng, 100);

		io = in_flight < 32 ? &ios[in_flight++] : ssd_reap(ssd, UINT64_MAX);
		*io = request(kind < 30 ? IO_READ : kind < 44 ? IO_TRIM : IO_WRITE,
			      rng_below(&rng, 5820 - count + 1));
		io->size_bytes = (uint32_t)(count * UNIT_BYTES);
		ssd_submit(ssd, io);
	}
	while (in_flight--)
		check(ssd_reap(ssd, UINT64_MAX) != NULL);
	ssd_settle(ssd);
	check(!ssd_broken_law(ssd));
	drop();
}

/* ---- at rest ---- */

static uint64_t fingerprint(struct rng *rng, int count)
{
	uint64_t hash = 0;

	for (int i = 0; i < count; i++) {
		struct io io;

		random_request(&io, rng);
		ssd_submit(ssd, &io);
		check(ssd_reap(ssd, UINT64_MAX) == &io);
		hash = hash * 1099511628211u + io.completed_ns;
	}
	return hash;
}

TEST(a_drive_that_was_saved_and_loaded_goes_on_as_the_one_that_was_not)
{
	struct drive description = larger();
	struct rng rng = rng_stream(3, "test"), later;
	uint64_t expected;
	FILE *file = tmpfile();

	check(file != NULL);
	make(description);
	fingerprint(&rng, 150000);
	ssd_settle(ssd);
	check_equal(ssd_save(ssd, fileno(file)), 0);
	later = rng;
	expected = fingerprint(&rng, 50000);
	drop();

	make(description);
	check_equal(lseek(fileno(file), 0, SEEK_SET), 0);
	check_equal(ssd_load(ssd, fileno(file)), 0);
	check(!ssd_broken_law(ssd));
	check(fingerprint(&later, 50000) == expected);
	drop();
	fclose(file);
}

TEST(a_formatted_drive_is_fresh)
{
	struct ssd_counters count;

	make(tiny());
	write_and_settle(0, 100);
	ssd_format(ssd);
	check(!ssd_broken_law(ssd));
	ssd_count(ssd, &count);
	check_equal(count.mapped_units, 0);
	check_equal(time_of(IO_READ, 0), LINK);
	drop();
}

/* ---- the laws ---- */

/* Half a drive of units, 0 to 15 of them in the first superblock. */
static void make_half_full(void)
{
	make(tiny());
	write_and_settle(0, 200);
	check(ssd_broken_law(ssd) == NULL);
}

static void check_breaks(const char *sentence)
{
	const char *broken = ssd_broken_law(ssd);

	check(broken != NULL && strcmp(broken, sentence) == 0);
	ssd_free(ssd);
	sim_free(&sim);
}

TEST(a_unit_that_is_mapped_elsewhere_breaks_a_law)
{
	make_half_full();
	ssd->l2p[3] = ssd->l2p[4];
	check_breaks("a mapped place does not know the unit that is mapped to it");
}

TEST(a_unit_that_is_forgotten_breaks_a_law)
{
	make_half_full();
	ssd->l2p[3] = UNIT_NONE;
	check_breaks("the count of mapped units is wrong");
}

TEST(a_unit_that_moved_and_was_not_counted_breaks_a_law)
{
	make_half_full();
	ssd->superblocks[superblock_of(ssd, ssd->l2p[3])].valid--;
	ssd->superblocks[superblock_of(ssd, ssd->l2p[150])].valid++;
	check_breaks("a superblock's count of valid units is wrong");
}

TEST(a_unit_where_nothing_was_written_breaks_a_law)
{
	uint32_t free_place;

	make_half_full();
	free_place = ssd->free_first * ssd->superblock_units;
	ssd->p2l[free_place] = 3;
	ssd->l2p[3] = free_place;
	check_breaks("a unit is mapped to a place that was not written");
}

TEST(a_unit_beyond_the_flash_breaks_a_law)
{
	make_half_full();
	ssd->l2p[3] = ssd->total_units;
	check_breaks("a unit is mapped to a place beyond the flash");
}

TEST(a_superblock_that_is_lost_breaks_a_law)
{
	make_half_full();
	ssd->superblocks[ssd->free_first].state = SB_CLOSED;
	check_breaks("the count of free superblocks is wrong");
}

TEST(a_program_that_nobody_asked_for_breaks_a_law)
{
	make_half_full();
	ssd->count.programs++;
	check_breaks("host, copied, map and padded units are not the programmed ones");
}

int main(void)
{
	return tap_run();
}
