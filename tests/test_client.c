/* test_client.c - video frames by hand, the disk benchmark and the boot bench on a drive of even latency. */
#include "app/client.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "app/video.h"
#include "app_target.h"
#include "base/cleanup.h"
#include "base/data.h"
#include "base/fail.h"
#include "tap.h"

static const struct app_config plain = { .seed = 1, .name = "test" };

TEST(a_frame_is_as_large_as_the_formulas_say)
{
	/* 1920 is 40 x 48: no waste; 1280 is 26.67 x 48: 27 x 128 a line */
	check_equal(video_frame_bytes(VIDEO_YUV8, 1920, 1080), 4147200);
	check_equal(video_frame_bytes(VIDEO_YUV10, 1920, 1080), 1080 * 5120);
	check_equal(video_frame_bytes(VIDEO_YUV10, 1280, 720), 720 * 3456);
	check_equal(video_frame_bytes(VIDEO_YUV10, 49, 1), 256);
	check_equal(video_frame_bytes(VIDEO_YUV10, 48, 1), 128);
	check_equal(video_frame_bytes(VIDEO_RGB10, 1920, 1080), 1920 * 1080 * 4);
	check_equal(video_frame_bytes(VIDEO_RGB10, 65, 2), 2 * 128 * 4);
	check_equal(video_frame_bytes(VIDEO_RGB10, 64, 2), 2 * 64 * 4);
}

static struct app *load(const char *name)
{
	struct app *app;

	if (app_load(name, &app))
		tap_fail("%s", fail_message());
	return app;
}

static struct merits run_on(const struct app *app, struct even *even, struct stats *stats)
{
	struct merits merits = { NULL, 0 };

	stats_clear(stats);
	if (app_run(app, &even->base, &plain, stats, &merits))
		tap_fail("%s", fail_message());
	return merits;
}

static double figure(const struct merits *merits, const char *name)
{
	const struct merit *merit = merits_find(merits, name);

	if (!merit)
		tap_fail("no figure is called %s", name);
	return merit->value;
}

static void check_near(double value, double expected)
{
	if (fabs(value - expected) > 0.01 * expected)
		tap_fail("%g is not %g", value, expected);
}

TEST(the_disk_benchmark_is_depth_times_size_over_latency)
{
	struct even *even = even_of(even_new(10ull << 30, 1000000));
	_cleanup_free_ struct stats *stats = xcalloc(1, sizeof(*stats));
	struct app *app = load("crystal");
	struct merits merits = run_on(app, even, stats);

	check_near(figure(&merits, "bytes_per_s_read"), 8 * 1048576 * 1000.0);
	check_near(figure(&merits, "seq1m_q1t1_read"), 1048.576);
	check_near(figure(&merits, "rnd4k_q32t1_write"), 32 * 4.096);
	check_near(figure(&merits, "rnd4k_q1t1_write"), 4.096);
	check(even->writes * 1048576 >= 1 << 30); /* the file was made */
	merits_clear(&merits);
	app_free(app);
	free(even);
}

TEST(video_carries_its_rate_over_the_size_of_a_frame)
{
	struct even *even = even_of(even_new(10ull << 30, 10000000));
	_cleanup_free_ struct stats *stats = xcalloc(1, sizeof(*stats));
	struct app *app = load("blackmagic-like");
	struct merits merits = run_on(app, even, stats);
	double rate = 2 * 8388608 / 0.01; /* 1.68 GB/s */

	check_near(figure(&merits, "bytes_per_s_write"), rate);
	check_near(figure(&merits, "read 2160p60 8-bit 4:2:2"), rate / (2.0 * 3840 * 2160));
	check(!strcmp(merits_find(&merits, "write 2160p60 8-bit 4:2:2")->unit, "frames/s, keeps up"));
	check(!strcmp(merits_find(&merits, "write 2160p60 10-bit RGB")->unit, "frames/s, TOO SLOW"));
	check_equal(stats->bytes[IO_WRITE], stats->bytes[IO_READ]);
	merits_clear(&merits);
	app_free(app);
	free(even);
}

TEST(a_drive_smaller_than_the_file_does_not_run_it_and_says_both_sizes)
{
	struct even *even = even_of(even_new(1ull << 29, 1000));
	struct app *app = load("crystal");
	_cleanup_free_ char *why = app_misfit(app, &even->base);

	check(why && strstr(why, "its data take") && strstr(why, "and the drive has"));
	app_free(app);
	free(even);
}

/* Reads of 5 ms are 200 a second each: all gates hold, 256 jobs make 51,200. */
TEST(the_boot_bench_climbs_to_the_end_on_an_even_drive_and_fails_for_want_of_reads)
{
	struct even *even = even_of(even_new(1 << 26, 5000000));
	_cleanup_free_ struct stats *stats = xcalloc(1, sizeof(*stats));
	struct app *app = load("boot");
	struct merits merits;

	even->base.scale = 64;
	merits = run_on(app, even, stats);
	check_near(figure(&merits, "read_iops"), 51200);
	check(!strcmp(merits_find(&merits, "read_iops")->unit, "1/s, FAIL"));
	check_near(figure(&merits, "sustained_jobs"), 256);
	check(!merits_find(&merits, "limit_jobs"));
	merits_clear(&merits);
	app_free(app);
	free(even);
}

TEST(the_boot_bench_is_not_finished_when_the_first_step_fails_at_a_gate)
{
	struct even *even = even_of(even_new(1 << 26, 11000000));
	_cleanup_free_ struct stats *stats = xcalloc(1, sizeof(*stats));
	struct app *app = load("boot");
	struct merits merits;

	even->base.scale = 64;
	merits = run_on(app, even, stats);
	check(!strcmp(merits_find(&merits, "read_iops")->unit, "1/s, DNF"));
	check_near(figure(&merits, "limit_jobs"), 4);
	check(strstr(merits_find(&merits, "limit_jobs")->unit, "read p99"));
	check_near(figure(&merits, "limit_read_p99"), 11000);
	merits_clear(&merits);
	app_free(app);
	free(even);
}

/* Every request takes a millisecond: 32 outstanding are 32,000 a second, steady at once. */
TEST(a_matrix_of_snia_ends_after_five_equal_rounds)
{
	struct even *even = even_of(even_new(1 << 26, 1000000));
	_cleanup_free_ struct stats *stats = xcalloc(1, sizeof(*stats));
	struct app *app = load("snia-iops");
	struct merits merits;

	even->base.scale = 64;
	merits = run_on(app, even, stats);
	check_near(figure(&merits, "rounds"), 5);
	check(!strcmp(merits_find(&merits, "rounds")->unit, "steady"));
	check_near(figure(&merits, "65/35 4 KiB"), 32000);
	check_near(figure(&merits, "0/100 1024 KiB"), 32000);
	check(!merits_find(&merits, "0/100 0.5 KiB")); /* its sector is 4 KiB */
	merits_clear(&merits);
	app_free(app);
	free(even);
}

TEST(files_with_mistakes_are_refused_with_a_sentence)
{
	static const struct {
		const char *text, *says;
	} files[] = {
		{ "kind: crystal\nname: x\nhelp: y\nsource: z\n", "missing key 'file'" },
		{ "kind: video\nname: x\nhelp: y\nsource: z\nformats: 3\n", "missing key 'file'" },
		{ "kind: boot\nname: x\nhelp: y\nsource: z\npasses: {value: 0, mark: spec, source: s}\n",
		  "x.yaml:5: passes" },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct app *app;

		check_equal(app_parse("x.yaml", files[i].text, strlen(files[i].text), &app), -EINVAL);
		if (!strstr(fail_message(), files[i].says))
			tap_fail("says: %s", fail_message());
	}
}

int main(void)
{
	data_set_root(SOURCE_ROOT);
	return tap_run();
}
