/* test_gc.c - cleaning ahead of need, and the policy that weighs cost and benefit. */
#include "tiny_drive.h"

#include <stdio.h>

#include "base/rng.h"

enum { IDLE = 1000000 };

static struct drive resting(uint64_t free_millipercent)
{
	struct drive description = tiny_drive();

	description.user_bytes = 800 * UNIT_BYTES; /* of 1024 */
	description.gc_idle_ns = IDLE;
	description.idle_free_millipercent = free_millipercent;
	return description;
}

static void overwrite(uint64_t count, uint64_t units)
{
	struct rng rng = rng_stream(3, "overwrite");

	for (uint64_t i = 0; i < count; i++)
		alone_ns(IO_WRITE, rng_below(&rng, units));
}

/* Filled, and overwritten until space is short. */
static void wear_in(struct drive description)
{
	make(description);
	for (uint64_t i = 0; i < 800; i++)
		alone_ns(IO_WRITE, i);
	overwrite(2000, 800);
}

/* How long writes take on the whole, after a pause. */
static uint64_t burst_after_ns(struct drive description, uint64_t pause_ns)
{
	uint64_t began_ns, took_ns;

	wear_in(description);
	pass_ns(pause_ns);
	began_ns = sim.now_ns;
	overwrite(64, 800);
	took_ns = sim.now_ns - began_ns;
	ssd_settle(ssd);
	drop();
	return took_ns;
}

TEST(a_rest_cleans_ahead_and_not_before_it_is_one)
{
	uint64_t before;

	wear_in(resting(10000));
	pass_ns(IDLE - 100000); /* what was begun goes on */
	before = counted().copied_units;
	pass_ns(50000);
	check_equal(counted().copied_units, before);
	pass_ns(20 * IDLE);
	check(counted().copied_units > before);
	before = counted().copied_units;
	pass_ns(20 * IDLE);
	check_equal(counted().copied_units, before); /* as much as was asked for */
	check(map_free_units(ssd) >= 1024 / 10);
	drop();
}

TEST(reads_do_not_end_a_rest_and_writes_do)
{
	uint64_t before;

	wear_in(resting(10000));
	for (int i = 0; i < 100; i++) {
		alone_ns(IO_WRITE, 5);
		pass_ns(IDLE / 2);
	}
	before = counted().copied_units;
	for (int i = 0; i < 100; i++) {
		alone_ns(IO_READ, 5);
		pass_ns(IDLE / 2);
	}
	check(counted().copied_units > before);
	drop();
}

TEST(after_a_rest_a_burst_of_writes_is_quicker)
{
	uint64_t at_once_ns = burst_after_ns(resting(10000), 0);
	uint64_t rested_ns = burst_after_ns(resting(10000), 20 * IDLE);
	uint64_t without_ns = burst_after_ns(resting(0), 20 * IDLE);

	check(rested_ns < at_once_ns * 3 / 4);
	check(without_ns > rested_ns * 5 / 4);
}

TEST(space_that_costs_too_many_copies_is_left)
{
	struct drive description = resting(50000);

	make(description);
	for (uint64_t i = 0; i < 800; i++)
		alone_ns(IO_WRITE, i);
	alone_ns(IO_WRITE, 0); /* of its superblock 15 of 16 are valid */
	pass_ns(20 * IDLE);
	check_equal(counted().copied_units, 0);
	drop();
}

/* Copies of 20,000 writes, nine of ten of which go to a tenth of the drive. */
static uint64_t copies_of_hot_and_cold(enum gc_policy policy)
{
	struct drive description = tiny_drive();
	struct rng rng = rng_stream(5, "hot");
	uint64_t copies = 0;

	description.user_bytes = 800 * UNIT_BYTES;
	description.gc_policy = policy;
	description.gc_streams = GC_STREAMS_SEPARATE;
	make(description);
	for (uint64_t i = 0; i < 800; i++)
		alone_ns(IO_WRITE, i);
	for (uint64_t i = 0; i < 40000; i++) {
		bool hot = rng_below(&rng, 10) < 9;

		if (i == 20000)
			copies = counted().copied_units;
		alone_ns(IO_WRITE, hot ? rng_below(&rng, 80) : 80 + rng_below(&rng, 720));
	}
	copies = counted().copied_units - copies;
	ssd_settle(ssd);
	drop();
	return copies;
}

TEST(cost_and_benefit_copies_less_than_rotation_when_some_data_are_hot)
{
	uint64_t rotation = copies_of_hot_and_cold(GC_FIFO);
	uint64_t weighed = copies_of_hot_and_cold(GC_COST_BENEFIT);

	printf("# copies: fifo %llu, cost-benefit %llu, greedy %llu\n", (unsigned long long)rotation,
		 (unsigned long long)weighed,
		 (unsigned long long)copies_of_hot_and_cold(GC_GREEDY));
	check(weighed < rotation * 3 / 4);
}

int main(void)
{
	return tap_run();
}
