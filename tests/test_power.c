/* test_power.c - what a power cut takes away, on a drive that can be followed by hand. */
#include "tiny_drive.h"

static struct drive with(enum buffer_kind kind)
{
	struct drive description = tiny_drive();

	description.buffer_kind = kind;
	return description;
}

static void make_tracked(enum buffer_kind kind)
{
	make(with(kind));
	ssd_track(ssd);
}

TEST(capacitors_save_what_was_acknowledged)
{
	uint64_t held_up_ns;

	make_tracked(BUFFER_CAPACITOR);
	for (uint64_t unit = 0; unit < 6; unit++)
		alone_ns(IO_WRITE, unit);
	held_up_ns = ssd_power_cut(ssd);
	for (uint64_t unit = 0; unit < 6; unit++)
		check_equal(ssd_generation(ssd, unit), unit + 1);
	/* Three programs on each of the two dies were under way. */
	check(held_up_ns > 2 * TPROG);
	check(held_up_ns < 4 * TPROG);
	check_equal(counted().power_cuts, 1);
	drop();
}

TEST(a_volatile_buffer_is_lost_and_what_was_flushed_is_not)
{
	make_tracked(BUFFER_VOLATILE);
	alone_ns(IO_WRITE, 0);
	alone_ns(IO_WRITE, 1);
	alone_ns(IO_FLUSH, 0);
	alone_ns(IO_WRITE, 1);
	alone_ns(IO_WRITE, 2);
	check_equal(ssd_generation(ssd, 1), 3);
	ssd_power_cut(ssd);
	check_equal(ssd_generation(ssd, 0), 1);
	check_equal(ssd_generation(ssd, 1), 2); /* the one before */
	check_equal(ssd_generation(ssd, 2), 0);
	check_equal(counted().mapped_units, 2);
	check_equal(alone_ns(IO_READ, 2), LINK); /* as if it had never been written */
	drop();
}

TEST(what_was_written_over_many_times_goes_back_to_what_the_flash_has)
{
	make_tracked(BUFFER_VOLATILE);
	alone_ns(IO_WRITE, 7);
	ssd_settle(ssd);
	for (int i = 0; i < 3; i++) {
		alone_ns(IO_WRITE, 7); /* the first is in a program soon, the others follow it */
		alone_ns(IO_WRITE, 100 + (uint64_t)i);
	}
	ssd_power_cut(ssd);
	check_equal(ssd_generation(ssd, 7), 1);
	drop();
}

TEST(a_request_under_way_has_no_answer_and_one_that_has_keeps_it)
{
	struct io answered = { .op = IO_READ, .size_bytes = UNIT_BYTES };
	struct io lost = { .op = IO_WRITE, .size_bytes = UNIT_BYTES, .offset_bytes = UNIT_BYTES };

	make_tracked(BUFFER_CAPACITOR);
	ssd_submit(ssd, &answered);
	while (!ssd->finished)
		sim_step(&sim);
	ssd_submit(ssd, &lost);
	ssd_power_cut(ssd);
	check(ssd_reap(ssd, sim.now_ns) == &answered);
	check(ssd_reap(ssd, sim.now_ns + 1000000000) == NULL);
	check_equal(ssd_generation(ssd, 1), 0);
	check_equal(alone_ns(IO_READ, 0), LINK); /* it works as before */
	drop();
}

TEST(a_drive_that_is_cut_while_it_cleans_goes_on)
{
	for (int kind = BUFFER_CAPACITOR; kind <= BUFFER_VOLATILE; kind++) {
		struct drive description = with((enum buffer_kind)kind);

		description.user_bytes = 780 * UNIT_BYTES;
		make(description);
		ssd_track(ssd);
		for (uint64_t i = 0; i < 6000; i++) {
			alone_ns(IO_WRITE, (i * 7919 + i / 3) % 780);
			if (i % 97 == 0) {
				ssd_power_cut(ssd);
				check(ssd_broken_law(ssd) == NULL);
			}
		}
		check(counted().copied_units > 0);
		ssd_settle(ssd);
		drop();
	}
}

int main(void)
{
	return tap_run();
}
