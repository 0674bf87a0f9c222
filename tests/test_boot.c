/* test_boot.c - the decisions of the boot-drive benchmark, by sequences made by hand. */
#include "load/boot.h"

#include <string.h>

#include "tap.h"

#define MS 1000000ull

static const struct boot_rules rules = {
	.first = 4, .most = 256, .confirmations = 3,
	.read_p99_ns = 10 * MS, .read_p999_ns = 50 * MS, .read_max_ns = 500 * MS,
	.write_least_bytes_per_s = 5 << 20, .trim_least_bytes_per_s = 2 << 20, .pass_iops = 60000,
};

static const struct boot_measured good = {
	.read_iops = 70000, .read_p99_ns = 10 * MS, .read_p999_ns = 50 * MS, .read_max_ns = 500 * MS,
	.write_bytes_per_s = 5 << 20, .trim_bytes_per_s = 2 << 20,
};

/* Steps with at most `limit` jobs are valid; the numbers asked for must be `jobs`. */
static void climb_to(struct boot *boot, uint32_t limit, const uint32_t *jobs, size_t count)
{
	struct boot_measured bad = good;

	bad.read_p99_ns++;
	boot_begin(boot, &rules);
	for (size_t i = 0; i < count; i++) {
		check_equal(boot->jobs, jobs[i]);
		check(boot->stage != BOOT_OVER);
		boot_take(boot, boot->jobs <= limit ? &good : &bad);
	}
}

TEST(every_gate_is_judged_on_both_sides_of_its_edge)
{
	struct boot_measured step = good;

	check_equal(boot_judge(&rules, &step), BOOT_VALID);
	step.read_p99_ns++;
	check_equal(boot_judge(&rules, &step), BOOT_READ_P99);
	step = good, step.read_p999_ns++;
	check_equal(boot_judge(&rules, &step), BOOT_READ_P999);
	step = good, step.read_max_ns++;
	check_equal(boot_judge(&rules, &step), BOOT_READ_MAX);
	step = good, step.write_bytes_per_s--;
	check_equal(boot_judge(&rules, &step), BOOT_WRITE_RATE);
	step = good, step.trim_bytes_per_s--;
	check_equal(boot_judge(&rules, &step), BOOT_TRIM_RATE);
	step = good, step.errors = 1;
	check_equal(boot_judge(&rules, &step), BOOT_ERRORS);
}

TEST(not_valid_at_the_first_step_is_dnf)
{
	static const uint32_t jobs[] = { 4 };
	struct boot boot;

	climb_to(&boot, 0, jobs, 1);
	check_equal(boot.stage, BOOT_OVER);
	check_equal(boot.jobs, 0);
	check_equal(boot.least_iops, 0);
	check_equal(boot.limit, BOOT_READ_P99);
	check(!boot_passes(&boot));
}

TEST(it_climbs_bisects_and_confirms_three_times)
{
	static const uint32_t jobs[] = { 4, 8, 16, 32, 24, 20, 22, 23, 22, 22, 22 };
	struct boot boot;

	climb_to(&boot, 22, jobs, 11);
	check_equal(boot.stage, BOOT_OVER);
	check_equal(boot.jobs, 22);
	check_equal(boot.limit, BOOT_READ_P99);
	check(boot_passes(&boot));
}

TEST(valid_to_the_end_is_confirmed_without_bisection)
{
	static const uint32_t jobs[] = { 4, 8, 16, 32, 64, 128, 256, 256, 256, 256 };
	struct boot boot;

	climb_to(&boot, 256, jobs, 10);
	check_equal(boot.stage, BOOT_OVER);
	check_equal(boot.jobs, 256);
	check_equal(boot.limit, BOOT_VALID);
}

static void confirm_with(struct boot *boot, const char *steps)
{
	struct boot_measured step = good;

	for (; *steps; steps++) {
		check_equal(boot->stage, BOOT_CONFIRM);
		step = good;
		step.read_iops = 60000 + (uint64_t)(*steps - '0');
		step.trim_bytes_per_s -= *steps == 'x';
		boot_take(boot, &step);
	}
}

TEST(the_least_of_three_in_a_row_counts_and_a_failure_steps_down_and_starts_anew)
{
	static const uint32_t jobs[] = { 4, 8, 6, 7 };
	struct boot boot;

	climb_to(&boot, 6, jobs, 4);
	check_equal(boot.jobs, 6);
	confirm_with(&boot, "11x");
	check_equal(boot.jobs, 5);
	check_equal(boot.limit, BOOT_TRIM_RATE);
	confirm_with(&boot, "928");
	check_equal(boot.stage, BOOT_OVER);
	check_equal(boot.jobs, 5);
	check_equal(boot.least_iops, 60002);
	check(boot_passes(&boot));
}

TEST(exactly_what_is_asked_for_does_not_pass)
{
	static const uint32_t jobs[] = { 4, 8, 6, 7 };
	struct boot boot;

	climb_to(&boot, 6, jobs, 4);
	confirm_with(&boot, "101");
	check_equal(boot.least_iops, 60000);
	check(!boot_passes(&boot));
}

TEST(a_confirmation_that_finds_nothing_is_dnf)
{
	static const uint32_t jobs[] = { 4, 8, 6, 5 };
	struct boot boot;

	climb_to(&boot, 4, jobs, 4);
	confirm_with(&boot, "x1x11xx");
	check_equal(boot.stage, BOOT_OVER);
	check_equal(boot.jobs, 0);
	check_equal(boot.least_iops, 0);
	check(!boot_passes(&boot));
}

int main(void)
{
	return tap_run();
}
