/*
 * tiny_drive.h - a drive whose numbers can be added up in the head, for tests of the model.
 *
 * Two dies on one channel. tR 1000, a transfer of 4 KiB 100, tPROG 7000, tBERS 20000 ns; the
 * link takes 33 ns for 4 KiB (PCIe 6.0 x16). Everything else is free unless a test says so.
 */
#ifndef DRIVEBAY_TESTS_TINY_DRIVE_H
#define DRIVEBAY_TESTS_TINY_DRIVE_H

#include <stdlib.h>

#include "base/fail.h"
#include "ssd/ssd.h"
#include "ssd/state.h"
#include "tap.h"

enum { TR = 1000, TRANSFER = 100, TPROG = 7000, TBERS = 20000, LINK = 33 };

/* A unit is a page, a program and a group; blocks of 8 pages, 64 superblocks of 16 units. */
__attribute__((unused)) static struct drive tiny_drive(void)
{
	return (struct drive){
		.user_bytes = 400 * UNIT_BYTES, .sector_bytes = 512,
		.channels = 1, .dies = 2, .planes = 1, .page_bytes = UNIT_BYTES,
		.pages_per_block = 8, .blocks_per_plane = 64, .pages_per_program = 1,
		.read_ns = TR, .program_ns = TPROG, .erase_ns = TBERS,
		.suspend_ns = 200, .resume_ns = 300, .suspends_max = 2,
		.channel_bytes_per_s = 40960000000, .write_bytes_per_s = 1000000000000,
		.mdts_bytes = 1 << 20,
		.link_generation = 6, .link_lanes = 16, .link_payload_millipercent = 100000,
		.buffer_bytes = 8 * UNIT_BYTES, .buffer_kind = BUFFER_CAPACITOR,
		.gc_policy = GC_GREEDY, .gc_choices = 1, .gc_streams = GC_STREAMS_SHARED,
		.scale = 1,
	};
}

/* The drive under test, and the time it lives in. */
static struct drive drive;
static struct sim sim;
static struct ssd *ssd;

__attribute__((unused)) static void make(struct drive description)
{
	drive = description;
	if (drive_check(&drive))
		tap_fail("%s", fail_message());
	sim_init(&sim);
	ssd = ssd_new(&drive, &sim, 1);
}

__attribute__((unused)) static void drop(void)
{
	check(ssd_broken_law(ssd) == NULL);
	ssd_free(ssd);
	sim_free(&sim);
}

/* One request, all by itself; how long it took. */
__attribute__((unused)) static uint64_t alone_ns(enum io_op op, uint64_t unit)
{
	struct io io = { .op = op, .size_bytes = op == IO_FLUSH ? 0 : UNIT_BYTES,
			 .offset_bytes = unit * UNIT_BYTES };
	uint64_t begin_ns = sim.now_ns;

	ssd_submit(ssd, &io);
	check(ssd_reap(ssd, UINT64_MAX) == &io);
	return io.completed_ns - begin_ns;
}

/* Lets time pass with nothing to do. */
__attribute__((unused)) static void pass_ns(uint64_t ns)
{
	check(ssd_reap(ssd, sim.now_ns + ns) == NULL);
}

__attribute__((unused)) static struct ssd_counters counted(void)
{
	struct ssd_counters count;

	ssd_count(ssd, &count);
	return count;
}

#endif
