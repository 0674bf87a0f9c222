#include "load/run.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "server.h"
#include "tap.h"

static const uint64_t us = 1000, ms = 1000000, second = 1000000000;

/* 4K random reads, one outstanding. */
static struct workload reads(uint32_t threads, uint32_t depth)
{
	static char name[] = "reads";

	return (struct workload){
		.name = name,
		.read_percent = 100,
		.pattern = PATTERN_UNIFORM,
		.random_percent = 100,
		.read_sizes = { 1, { { 4096, 1 } } },
		.threads = threads,
		.depth = depth,
		.span_millipercent = 100000,
	};
}

static struct run_config config_of(const struct workload *workload, uint64_t rate, uint64_t duration_ns)
{
	return (struct run_config){
		.workload = workload,
		.seed = 1,
		.name = "test",
		.rate = rate,
		.duration_ns = duration_ns,
	};
}

static struct stats stats;
static struct server server;

enum { WINDOWS_MAX = 4096 };
static struct window windows[WINDOWS_MAX];
static size_t window_count;

static void keep_window(void *context, const struct window *window)
{
	(void)context;
	if (window_count < WINDOWS_MAX)
		windows[window_count++] = *window;
}

/* --- closed loop --- */

TEST(a_closed_loop_keeps_its_depth_and_reaches_what_the_servers_allow)
{
	struct workload workload = reads(4, 8);
	struct run_config config = config_of(&workload, 0, second);

	server_init(&server, 8, 100 * us);
	check_equal(run(&server.base, &config, &stats), 0);
	/* 8 servers x 10,000 a second; the last batch completes at the very end and counts. */
	check_equal(stats.ios[IO_READ], 80000);
	check_equal(stats.bytes[IO_READ], 80000ull * 4096);
	check_equal(stats.elapsed_ns, second);
	check(stats.outstanding_ns == (unsigned __int128)32 * second);
	/* N = X R: 32 outstanding over 80,000 a second is 400 us, but for the first rounds. */
	check_equal(stats.from_submit.max_ns, 400 * us);
	check_equal(stats.from_submit.min_ns, 100 * us);
	check(stats_little_agrees(&stats, NULL));
	check_equal(server.base.in_flight, 0);
	check_equal(stats.unissued, 0);
	/* 8 came back at the end; the first of them ended the run, none was sent again. */
	check_equal(stats.unfinished, 24);
	check(stats.outstanding_ns == stats.from_due.sum_ns);
}

TEST(a_completion_at_the_very_end_counts_and_one_a_nanosecond_later_does_not)
{
	struct workload workload = reads(1, 1);
	struct run_config config = config_of(&workload, 0, 10 * us);

	server_init(&server, 1, 10 * us);
	check_equal(run(&server.base, &config, &stats), 0);
	check_equal(stats.ios[IO_READ], 1);
	server_init(&server, 1, 10 * us + 1);
	check_equal(run(&server.base, &config, &stats), 0);
	check_equal(stats.ios[IO_READ], 0);
	check_equal(stats.from_submit.count, 0);
	check_equal(stats.unfinished, 1);
	check_equal(stats.from_due.count, 1);
	check_equal(stats.from_due.max_ns, 10 * us);
	check(stats.outstanding_ns == 10 * us);
}

TEST(littles_law_is_flagged_when_a_target_lies_about_its_completions)
{
	struct workload workload = reads(1, 16);
	struct run_config config = config_of(&workload, 0, second);
	double error;

	server_init(&server, 16, 100 * us);
	check_equal(run(&server.base, &config, &stats), 0);
	check(stats_little_agrees(&stats, &error));
	check(error > -0.001 && error < 0.001);

	server_init(&server, 16, 100 * us);
	server.lie_ns = 2 * us; /* 2 % */
	check_equal(run(&server.base, &config, &stats), 0);
	check(!stats_little_agrees(&stats, &error));
	check(error < -0.019 && error > -0.021);
}

TEST(failed_requests_are_counted_apart_and_do_not_end_the_run)
{
	struct workload workload = reads(1, 1);
	struct run_config config = config_of(&workload, 0, ms);

	server_init(&server, 1, 10 * us);
	server.fail_every = 4;
	check_equal(run(&server.base, &config, &stats), 0);
	check_equal(stats.errors, 25);
	check_equal(stats.ios[IO_READ], 75);
	check_equal(stats.from_submit.count, 75);
	check_equal(stats.from_due.count, 75);
}

/* --- open loop --- */

TEST(an_idle_device_serves_an_open_loop_at_its_rate)
{
	struct workload workload = reads(1, 32);
	struct run_config config = config_of(&workload, 1000, 10 * second);

	server_init(&server, 1, 100 * us);
	check_equal(run(&server.base, &config, &stats), 0);
	check_equal(stats.ios[IO_READ], 10000);
	check_equal(stats.from_due.max_ns, 100 * us);
	check_equal(stats.unissued, 0);
	check_equal(stats.late_max_ns, 0);
	check(stats.outstanding_ns == (unsigned __int128)10000 * 100 * us);
}

TEST(the_mean_wait_before_a_server_half_used_is_that_of_m_d_1)
{
	struct workload workload = reads(1, 1024);
	struct run_config config = config_of(&workload, 5000, 200 * second);
	double mean_us;

	config.arrivals = ARRIVALS_EXPONENTIAL;
	server_init(&server, 1, 100 * us);
	check_equal(run(&server.base, &config, &stats), 0);
	/* Pollaczek and Khinchine: rho / (2 (1 - rho)) services of wait at rho 0.5: 50 us. */
	mean_us = latency_mean_ns(&stats.from_submit) / 1e3;
	check(mean_us > 147 && mean_us < 153);
	check(stats.ios[IO_READ] > 995000 && stats.ios[IO_READ] < 1005000);
	check(stats_little_agrees(&stats, NULL));
}

TEST(an_overloaded_open_loop_says_how_much_never_went_out_and_how_long_it_waited)
{
	struct workload workload = reads(1, 4);
	struct run_config config = config_of(&workload, 2000, second);

	server_init(&server, 1, ms); /* 1,000 a second */
	check_equal(run(&server.base, &config, &stats), 0);
	check_equal(stats.ios[IO_READ], 1000);
	check_equal(stats.unfinished, 3); /* the fourth came back at the very end */
	check_equal(stats.unissued, 997);
	check_equal(stats.from_due.count, 2000); /* every request that was due is in it */
	check_equal(stats.from_submit.count, 1000);
	check(stats.from_submit.max_ns <= 4 * ms);
	/* Request i goes out at i - 4 ms at the earliest and was due at i / 2 ms. */
	check(stats.late_max_ns >= 495 * ms && stats.late_max_ns <= 503 * ms);
	check(stats.from_due.max_ns >= 495 * ms && stats.from_due.max_ns <= 505 * ms);
}

TEST(millions_of_unissued_requests_are_spread_as_if_they_had_been_counted_one_by_one)
{
	struct workload workload = reads(1, 1);
	struct run_config config = config_of(&workload, 10000000, second);
	uint64_t p50;

	server_init(&server, 1, 2 * second);
	check_equal(run(&server.base, &config, &stats), 0);
	check_equal(stats.ios[IO_READ], 0);
	check_equal(stats.unfinished, 1);
	check_equal(stats.unissued, 9999999);
	check_equal(stats.from_due.count, stats.unissued + 1);
	p50 = latency_quantile(&stats.from_due, &stats.hist_due, 500000, NULL);
	check(p50 > 495 * ms && p50 < 505 * ms);
	check(fabs(latency_mean_ns(&stats.from_due) - 0.5e9) < 1e5);
}

TEST(a_mix_of_sizes_keeps_the_rate)
{
	struct workload workload = reads(2, 64);
	struct run_config config = config_of(&workload, 3333, 30 * second);
	double bytes;

	workload.read_percent = 65;
	workload.read_sizes = (struct size_mix){ 2, { { 4096, 1 }, { 131072, 3 } } };
	workload.write_sizes = (struct size_mix){ 3, { { 8192, 2 }, { 4096, 1 }, { 16384, 1 } } };
	server_init(&server, 8, 100 * us);
	check_equal(run(&server.base, &config, &stats), 0);
	check_equal(stats.ios[IO_READ] + stats.ios[IO_WRITE], 99990);
	check(stats.ios[IO_READ] > 64000 && stats.ios[IO_READ] < 66000);
	bytes = (double)stats.bytes[IO_READ] / (double)stats.ios[IO_READ];
	check(fabs(bytes / (0.25 * 4096 + 0.75 * 131072) - 1) < 0.02);
	bytes = (double)stats.bytes[IO_WRITE] / (double)stats.ios[IO_WRITE];
	check(fabs(bytes / (0.5 * 8192 + 0.25 * 4096 + 0.25 * 16384) - 1) < 0.02);
}

TEST(what_is_outstanding_is_counted_up_to_the_end_and_no_further)
{
	struct workload workload = reads(1, 8);
	struct run_config config = config_of(&workload, 0, 950 * us);

	server_init(&server, 8, 100 * us);
	server.step_ns = 1000 * us; /* looks at the clock only so often */
	check_equal(run(&server.base, &config, &stats), 0);
	check(stats.outstanding_ns == 8 * 950 * us);
	check_equal(stats.ios[IO_READ], 8);
}

/* --- windows --- */

TEST(windows_cover_the_run_without_a_gap_and_add_up_to_it)
{
	struct workload workload = reads(1, 7);
	struct run_config config = config_of(&workload, 0, 1050 * ms);
	uint64_t ios = 0, at_ns = 0;

	config.window_ns = 100 * ms;
	config.on_window = keep_window;
	window_count = 0;
	server_init(&server, 3, 77 * us);
	check_equal(run(&server.base, &config, &stats), 0);
	check_equal(window_count, 11);
	for (size_t i = 0; i < window_count; i++) {
		check_equal(windows[i].start_ns, at_ns);
		at_ns += windows[i].elapsed_ns;
		ios += windows[i].ios;
		check_equal(windows[i].outstanding_milli, 7000);
	}
	check_equal(windows[10].elapsed_ns, 50 * ms);
	check_equal(at_ns, 1050 * ms);
	check_equal(ios, stats.ios[IO_READ]);
	check(stats.outstanding_ns == (unsigned __int128)7 * 1050 * ms);
}

TEST(a_completion_on_the_edge_of_two_windows_belongs_to_the_second)
{
	struct workload workload = reads(1, 1);
	struct run_config config = config_of(&workload, 0, 30 * us);

	config.window_ns = 10 * us;
	config.on_window = keep_window;
	window_count = 0;
	server_init(&server, 1, 10 * us);
	check_equal(run(&server.base, &config, &stats), 0);
	check_equal(window_count, 3);
	check_equal(windows[0].ios, 0);
	check_equal(windows[1].ios, 1);
	check_equal(windows[2].ios, 2); /* its own edge, and the end of the run */
}

TEST(a_window_in_which_nothing_completes_is_shown_as_such)
{
	struct workload workload = reads(1, 1);
	struct run_config config = config_of(&workload, 0, 100 * ms);

	config.window_ns = 10 * ms;
	config.on_window = keep_window;
	window_count = 0;
	server_init(&server, 1, 35 * ms);
	check_equal(run(&server.base, &config, &stats), 0);
	check_equal(window_count, 10);
	for (size_t i = 0; i < 10; i++) {
		check_equal(windows[i].ios, i == 3 || i == 7);
		check_equal(windows[i].max_ns, i == 3 || i == 7 ? 35 * ms : 0);
		check_equal(windows[i].outstanding_milli, 1000);
	}
}

TEST(write_amplification_of_a_window_is_what_the_counters_moved_in_it)
{
	struct workload workload = reads(1, 1);
	struct run_config config = config_of(&workload, 0, 4 * ms);

	workload.read_percent = 0;
	workload.write_sizes = workload.read_sizes;
	config.window_ns = ms;
	config.on_window = keep_window;
	window_count = 0;
	server_init(&server, 1, 10 * us);
	check_equal(run(&server.base, &config, &stats), 0);
	check_equal(windows[1].waf_milli, 0); /* unknown */

	window_count = 0;
	server_init(&server, 1, 10 * us);
	server.has_health = true;
	server.waf = 3;
	server.health.host_written_bytes = 99999; /* before the run */
	check_equal(run(&server.base, &config, &stats), 0);
	check_equal(stats.ios[IO_WRITE], 400);
	check_equal(window_count, 4);
	for (size_t i = 0; i < 4; i++)
		check_equal(windows[i].waf_milli, 3000);

	workload.read_percent = 100; /* nothing written: nothing to divide by */
	window_count = 0;
	check_equal(run(&server.base, &config, &stats), 0);
	check_equal(windows[1].waf_milli, 0);
}

/* --- data --- */

static const uint8_t *seen_data[64];
static size_t seen_count;

static void see_data(struct target *target, struct io *io)
{
	uint64_t ones = 0;

	if (seen_count < 64)
		seen_data[seen_count++] = io->data;
	check(io->op == IO_TRIM ? !io->data : (uintptr_t)io->data % 4096 == 0);
	if (io->op == IO_WRITE) { /* random bytes: half of the bits are ones, everywhere */
		for (uint32_t i = 0; i < io->size_bytes; i++)
			ones += (unsigned)__builtin_popcount(((uint8_t *)io->data)[i]);
		check(ones > io->size_bytes * 39ull / 10 && ones < io->size_bytes * 41ull / 10);
	}
	if (io->op == IO_READ)
		memset(io->data, (int)io->tag + 1, io->size_bytes);
	server_submit(target, io);
}

TEST(data_is_aligned_and_writes_are_incompressible_whatever_was_read)
{
	struct target_ops ops = server_ops;
	struct workload workload = reads(1, 16);
	struct run_config config = config_of(&workload, 0, 50 * ms);

	workload.read_percent = 50;
	workload.trim_percent = 20;
	workload.write_sizes = (struct size_mix){ 2, { { 4096, 1 }, { 131072, 1 } } };
	ops.submit = see_data;
	server_init(&server, 16, 100 * us);
	server.base.ops = &ops;
	server.base.moves_data = true;
	seen_count = 0;
	check_equal(run(&server.base, &config, &stats), 0);
	check(stats.ios[IO_READ] > 3000 && stats.ios[IO_WRITE] > 2000 && stats.ios[IO_TRIM] > 500);
}

static void see_zero_tail(struct target *target, struct io *io)
{
	const uint8_t *data = io->data;
	uint64_t ones = 0;

	for (uint32_t page = 0; page < io->size_bytes; page += 4096) {
		for (uint32_t i = 0; i < 4096 - 1024; i++)
			ones += (unsigned)__builtin_popcount(data[page + i]);
		for (uint32_t i = 4096 - 1024; i < 4096; i++)
			check_equal(data[page + i], 0);
	}
	check(ones > io->size_bytes * 3ull / 4 * 39 / 10 && ones < io->size_bytes * 3ull / 4 * 41 / 10);
	server_submit(target, io);
}

TEST(a_quarter_of_what_is_written_can_be_compressed_away_when_asked_for)
{
	struct target_ops ops = server_ops;
	struct workload workload = reads(1, 4);
	struct run_config config = config_of(&workload, 0, 5 * ms);

	workload.read_percent = 0;
	workload.compress_percent = 25;
	workload.write_sizes = (struct size_mix){ 2, { { 4096, 1 }, { 131072, 1 } } };
	ops.submit = see_zero_tail;
	server_init(&server, 4, 100 * us);
	server.base.ops = &ops;
	server.base.moves_data = true;
	check_equal(run(&server.base, &config, &stats), 0);
	check(stats.ios[IO_WRITE] > 100);
}

TEST(requests_that_a_target_is_known_to_refuse_are_refused_before_the_run)
{
	struct workload workload = reads(1, 4);

	workload.write_sizes = workload.read_sizes;
	workload.read_percent = 50;
	workload.trim_percent = 10;
	server_init(&server, 4, 100 * us);
	check_equal(run_fits(&server.base, &workload), 0);
	server.base.cannot_ops = 1u << IO_TRIM;
	check_equal(run_fits(&server.base, &workload), -EINVAL);
	check(strstr(fail_message(), "this device cannot discard"));
	server.base.cannot_ops = 1u << IO_WRITE_ZEROES;
	check_equal(run_fits(&server.base, &workload), 0);
	workload.zeroes_percent = 1;
	check_equal(run_fits(&server.base, &workload), -EINVAL);
	check(strstr(fail_message(), "pages of zeroes"));
	workload.read_percent = 100;
	check_equal(run_fits(&server.base, &workload), 0);
}

TEST(requests_in_flight_are_read_into_memory_of_their_own)
{
	struct target_ops ops = server_ops;
	struct workload workload = reads(1, 16);
	struct run_config config = config_of(&workload, 0, 10 * us);

	ops.submit = see_data;
	server_init(&server, 16, 100 * us);
	server.base.ops = &ops;
	server.base.moves_data = true;
	seen_count = 0;
	config.max_ios = 16;
	check_equal(run(&server.base, &config, &stats), 0);
	check_equal(seen_count, 16);
	for (size_t i = 0; i < 16; i++)
		for (size_t j = 0; j < i; j++)
			check(seen_data[i] - seen_data[j] >= 4096 || seen_data[j] - seen_data[i] >= 4096);
}

/* --- other ends --- */

static size_t progress_calls, progress_allowed;

static bool count_progress(void *context, const struct stats *so_far, uint64_t elapsed_ns)
{
	(void)context;
	check(elapsed_ns == so_far->elapsed_ns);
	return ++progress_calls < progress_allowed;
}

TEST(progress_on_a_model_is_told_at_each_window_and_can_end_the_run)
{
	struct workload workload = reads(1, 2);
	struct run_config config = config_of(&workload, 0, second);

	config.window_ns = 100 * ms;
	config.on_progress = count_progress;
	progress_calls = 0;
	progress_allowed = 100;
	server_init(&server, 1, 10 * us);
	check_equal(run(&server.base, &config, &stats), 0);
	check_equal(progress_calls, 10);

	progress_calls = 0;
	progress_allowed = 3;
	server_init(&server, 1, 10 * us);
	check_equal(run(&server.base, &config, &stats), -EINTR);
	check_equal(progress_calls, 3);
	check_equal(stats.elapsed_ns, 300 * ms);
	check_equal(stats.ios[IO_READ], 30000);
	check_equal(server.base.in_flight, 0);
}

TEST(a_stop_ends_the_run_cleanly_with_what_was_measured)
{
	volatile sig_atomic_t stop = 1;
	struct workload workload = reads(1, 2);
	struct run_config config = config_of(&workload, 0, second);

	config.stop = &stop;
	server_init(&server, 1, 10 * us);
	check_equal(run(&server.base, &config, &stats), -EINTR);
	check_equal(stats.ios[IO_READ], 0);
	check_equal(server.base.in_flight, 0);
}

TEST(max_ios_ends_the_run_when_the_last_of_them_is_back)
{
	struct workload workload = reads(1, 4);
	struct run_config config = config_of(&workload, 0, UINT64_MAX);

	config.max_ios = 10;
	server_init(&server, 2, 10 * us);
	check_equal(run(&server.base, &config, &stats), 0);
	check_equal(stats.ios[IO_READ], 10);
	check_equal(stats.elapsed_ns, 50 * us);
	check_equal(stats.unfinished, 0);

	config.rate = 1000;
	server_init(&server, 2, 10 * us);
	check_equal(run(&server.base, &config, &stats), 0);
	check_equal(stats.ios[IO_READ], 10);
	check_equal(stats.elapsed_ns, 9 * ms + 10 * us);
	check_equal(stats.unissued, 0);
}

TEST(a_span_smaller_than_a_request_is_refused_with_a_sentence)
{
	struct workload workload = reads(1, 4);
	struct run_config config = config_of(&workload, 0, second);

	server_init(&server, 2, 10 * us);
	server.base.size_bytes = 2048;
	check_equal(run(&server.base, &config, &stats), -EINVAL);
	check(!strcmp(fail_message(), "reads: a span of 2048 bytes does not hold a request of 4096"));
}

/* --- filling --- */

static uint8_t written[64 << 10]; /* by blocks of 512 bytes */

static void note_submit(struct target *target, struct io *io)
{
	for (uint64_t at = io->offset_bytes; at < io->offset_bytes + io->size_bytes; at += 512)
		written[at / 512]++;
	if (io->op != IO_WRITE)
		written[0] = 255;
	server_submit(target, io);
}

TEST(a_fill_writes_every_block_once_also_where_the_size_does_not_divide)
{
	struct target_ops ops = server_ops;
	struct run_config config = { .seed = 1, .name = "fill" };
	const uint64_t sizes[] = { 999936, 1 << 20, 65536, 512, 65536 + 512 };

	ops.submit = note_submit;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memset(written, 0, sizeof(written));
		server_init(&server, 1, 10 * us);
		server.base.ops = &ops;
		server.base.size_bytes = sizes[i];
		check_equal(run_fill(&server.base, 65536, &config, &stats), 0);
		check_equal(stats.bytes[IO_WRITE], sizes[i]);
		for (uint64_t block = 0; block < sizeof(written); block++)
			check_equal(written[block], block < sizes[i] / 512);
	}
}

/* --- the same again --- */

TEST(max_bytes_ends_the_run_with_the_request_that_makes_it_so_many)
{
	struct workload workload = reads(2, 4);
	struct run_config config = config_of(&workload, 0, UINT64_MAX);

	server_init(&server, 8, 100 * us);
	config.max_bytes = 100 * 4096;
	check_equal(run(&server.base, &config, &stats), 0);
	check_equal(stats.ios[IO_READ], 100);
	check_equal(stats.unfinished, 0);
	check_equal(stats.elapsed_ns, 13 * 100 * us); /* eight at a time */
	config.max_bytes++;
	server_init(&server, 8, 100 * us);
	check_equal(run(&server.base, &config, &stats), 0);
	check_equal(stats.ios[IO_READ], 101);
}

/* --- several at the same time --- */

TEST(a_load_alone_is_the_same_as_one_of_several)
{
	struct workload workload = reads(2, 4);
	struct run_config config = config_of(&workload, 0, 100 * ms);
	struct stats *out = &stats;
	struct target *target = &server.base;
	static struct stats alone;

	server_init(&server, 3, 100 * us);
	check_equal(run(&server.base, &config, &alone), 0);
	server_init(&server, 3, 100 * us);
	check_equal(run_together(&target, &config, 1, &out), 0);
	check(!memcmp(&alone, &stats, sizeof(stats)));
}

TEST(loads_at_the_same_time_share_the_servers_and_keep_their_own_figures)
{
	static struct stats open_stats, closed_stats;
	struct workload closed = reads(1, 8), open = reads(1, 64);
	struct run_config configs[2] = { config_of(&closed, 0, second), config_of(&open, 1000, second) };
	struct stats *outs[2] = { &closed_stats, &open_stats };
	struct target *target = &server.base;

	configs[0].window_ns = 100 * ms;
	configs[0].on_window = keep_window;
	window_count = 0;
	server_init(&server, 4, 100 * us);
	check_equal(run_together(&target, configs, 2, outs), 0);
	check_equal(server.base.in_flight, 0);
	check_equal(open_stats.from_submit.count + open_stats.unfinished, 1000);
	/* 40,000 a second between them, but for the last ones. */
	check(closed_stats.from_submit.count + open_stats.from_submit.count <= 40000);
	check(closed_stats.from_submit.count + open_stats.from_submit.count >= 39990);
	check_equal(window_count, 10);
	check(stats_little_agrees(&closed_stats, NULL));
	check(stats_little_agrees(&open_stats, NULL));
	check_equal(closed_stats.elapsed_ns, second);
	check_equal(open_stats.elapsed_ns, second);
}

TEST(a_load_that_is_through_leaves_the_servers_to_the_others)
{
	static struct stats short_stats, long_stats;
	struct workload workload = reads(1, 1);
	struct run_config configs[2] = { config_of(&workload, 0, 10 * ms), config_of(&workload, 0, 20 * ms) };
	struct stats *outs[2] = { &short_stats, &long_stats };
	struct target *target = &server.base;

	server_init(&server, 1, 100 * us); /* in turns for 10 ms, then alone */
	check_equal(run_together(&target, configs, 2, outs), 0);
	check_equal(short_stats.elapsed_ns, 10 * ms);
	check_equal(short_stats.from_submit.count, 50);
	check_equal(long_stats.from_submit.count, 149); /* one turn was for what did not count */
	check_equal(long_stats.elapsed_ns, 20 * ms);
}

TEST(a_stop_ends_all_loads_at_the_same_time)
{
	static struct stats other_stats;
	struct workload workload = reads(1, 1);
	struct run_config configs[2] = { config_of(&workload, 0, second), config_of(&workload, 0, second) };
	struct stats *outs[2] = { &stats, &other_stats };
	struct target *target = &server.base;
	static const volatile sig_atomic_t stop = 1;

	configs[0].stop = configs[1].stop = &stop;
	server_init(&server, 1, 100 * us);
	check_equal(run_together(&target, configs, 2, outs), -EINTR);
	check_equal(stats.from_submit.count, 0);
}

static uint64_t trace;

static void trace_submit(struct target *target, struct io *io)
{
	trace = (trace ^ io->offset_bytes ^ io->size_bytes ^ (uint64_t)io->op << 60 ^
		 io->submitted_ns) * 0x100000001b3u;
	server_submit(target, io);
}

static uint64_t trace_of(uint64_t seed, const char *name)
{
	struct target_ops ops = server_ops;
	struct workload workload = reads(3, 5);
	struct run_config config = config_of(&workload, 20000, 100 * ms);

	ops.submit = trace_submit;
	workload.read_percent = 70;
	workload.write_sizes = (struct size_mix){ 2, { { 4096, 1 }, { 8192, 3 } } };
	config.arrivals = ARRIVALS_EXPONENTIAL;
	config.seed = seed;
	config.name = name;
	server_init(&server, 3, 100 * us);
	server.base.ops = &ops;
	trace = 0xcbf29ce484222325u;
	check_equal(run(&server.base, &config, &stats), 0);
	return trace;
}

TEST(the_same_seed_and_name_send_the_same_requests_at_the_same_moments)
{
	uint64_t first = trace_of(1, "a");

	check(first == trace_of(1, "a"));
	check(first != trace_of(2, "a"));
	check(first != trace_of(1, "b"));
	check_equal(first, 7846616484206699401); /* the same on every machine */
}

int main(void)
{
	return tap_run();
}
