/* test_heat.c - power, temperature, throttling and sleep. */
#include "tiny_drive.h"

#include <stdio.h>
#include <unistd.h>

#define SECOND 1000000000ull

/* A watt at rest warms it by ten degrees, in ten seconds by 63 % of them. */
static struct drive drawing(void)
{
	struct drive description = tiny_drive();

	description.idle_mw = 1000;
	description.rise_millikelvin_per_w = 10000;
	description.thermal_ns = 10 * SECOND;
	description.throttle_millipercent = 50000;
	return description;
}

static void read_for(uint64_t time_ns)
{
	uint64_t end_ns = sim.now_ns + time_ns;

	while (sim.now_ns < end_ns)
		alone_ns(IO_READ, 0);
}

TEST(a_drive_at_rest_draws_what_it_says_and_is_as_warm_as_that_makes_it)
{
	make(drawing());
	check_equal(counted().temperature_millicelsius, 35000);
	pass_ns(100 * SECOND);
	check_equal(counted().energy_mj, 100000);
	check_equal(counted().temperature_millicelsius, 35000);
	drop();
}

TEST(the_air_around_it_counts)
{
	make(drawing());
	ssd_set_ambient(ssd, 40);
	check_equal(counted().temperature_millicelsius, 50000);
	drop();
}

TEST(dies_at_work_draw_more)
{
	struct drive description = drawing();

	description.die_mw = 500;
	make(description);
	alone_ns(IO_WRITE, 0);
	ssd_settle(ssd);
	read_for(SECOND / 10);
	/* One of the dies works for TR + TRANSFER of TR + TRANSFER + LINK. */
	check(counted().energy_mj >= 100 + 50 * 95 / 100);
	check(counted().energy_mj <= 100 + 51);
	drop();
}

TEST(it_warms_up_by_its_time_constant)
{
	struct drive description = drawing();
	uint64_t after;

	description.die_mw = 1000;
	description.read_ns = SECOND / 100;
	make(description);
	alone_ns(IO_WRITE, 0);
	ssd_settle(ssd);
	read_for(10 * SECOND);
	after = counted().temperature_millicelsius; /* 10 x (1 - 1/e) above the 35 */
	check(after > 35000 + 6200 && after < 35000 + 6440);
	read_for(90 * SECOND);
	after = counted().temperature_millicelsius;
	check(after > 44900 && after <= 45000);
	pass_ns(100000 * SECOND);
	after = counted().temperature_millicelsius;
	check(after >= 35000 && after < 35100);
	drop();
}

/* Reads in a second, for a minute. */
static uint64_t reads_when_hot(uint64_t throttle_celsius)
{
	struct drive description = drawing();
	uint64_t reads = 0, end_ns;

	description.die_mw = 2000;
	description.read_command_ns = SECOND / 100; /* the controller is what it waits for */
	description.read_ns = SECOND / 200;
	description.throttle_celsius = throttle_celsius;
	make(description);
	alone_ns(IO_WRITE, 0);
	ssd_settle(ssd);
	read_for(60 * SECOND);
	end_ns = sim.now_ns + 60 * SECOND;
	for (; sim.now_ns < end_ns; reads++)
		alone_ns(IO_READ, 0);
	printf("# throttled for %llu ms, %llu mC\n",
	       (unsigned long long)counted().throttled_ns / 1000000,
	       (unsigned long long)counted().temperature_millicelsius);
	drop();
	return reads;
}

TEST(a_hot_drive_slows_down_until_it_is_cooler)
{
	/* Without a limit 1,000 + 2,000 / 3 mW warm it to 41.7 degrees. */
	uint64_t free_of_it = reads_when_hot(0), never = reads_when_hot(43), often = reads_when_hot(40);

	check_equal(never, free_of_it);
	check(often < free_of_it * 90 / 100);
	check(often > free_of_it / 2);
}

TEST(without_requests_it_sleeps_and_the_next_one_wakes_it)
{
	struct drive description = drawing();
	uint64_t awake_ns, before_mj;

	description.sleep_mw = 10;
	description.sleep_after_ns = SECOND;
	description.wake_ns = 5000;
	make(description);
	alone_ns(IO_WRITE, 0);
	ssd_settle(ssd);
	awake_ns = alone_ns(IO_READ, 0);
	pass_ns(SECOND - 1);
	check_equal(alone_ns(IO_READ, 0), awake_ns);
	before_mj = counted().energy_mj;
	pass_ns(101 * SECOND);
	check_equal(counted().energy_mj - before_mj, 1000 + 1000);
	check_equal(alone_ns(IO_READ, 0), awake_ns + 5000);
	check_equal(alone_ns(IO_READ, 0), awake_ns);
	pass_ns(2 * SECOND);
	awake_ns = alone_ns(IO_WRITE, 1);
	check_equal(awake_ns, 5000 + alone_ns(IO_WRITE, 2));
	ssd_settle(ssd);
	drop();
}

TEST(a_saved_drive_is_as_warm_as_it_was)
{
	struct drive description = drawing();
	FILE *file = tmpfile();
	struct ssd_counters before;

	description.die_mw = 3000;
	description.read_ns = SECOND / 100;
	make(description);
	alone_ns(IO_WRITE, 0);
	read_for(7 * SECOND);
	ssd_settle(ssd);
	check_equal(ssd_save(ssd, fileno(file)), 0);
	before = counted();
	drop();
	make(description);
	check_equal(lseek(fileno(file), 0, SEEK_SET), 0);
	check_equal(ssd_load(ssd, fileno(file)), 0);
	check_equal(counted().temperature_millicelsius, before.temperature_millicelsius);
	check_equal(counted().energy_mj, before.energy_mj);
	drop();
	fclose(file);
}

int main(void)
{
	return tap_run();
}
