#include <errno.h>
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/escape.h"
#include "report/page.h"
#include "report/report.h"
#include "report/summary.h"
#include "report/tables.h"
#include "report_sample.h"
#include "tap.h"

static struct summary *summary;

/* A phase of group "g" that ran for a second: `iops` requests of 4K, each `latency_ns`. */
static struct result_phase *make_phase(enum phase_kind kind, uint32_t percent, uint64_t iops,
				       uint64_t latency_ns)
{
	struct result_phase *phase = xcalloc(1, sizeof(*phase));
	struct stats *stats = &phase->outcome.stats;

	phase->kind = kind;
	phase->name = xasprintf("g/w/%03u", percent);
	phase->group = xstrdup("g/w");
	phase->workload = xstrdup("w");
	phase->percent = percent;
	phase->outstanding = 8;
	phase->duration_ns = 1000000000;
	phase->outcome.status = PHASE_DONE;
	phase->outcome.sustained = true;
	phase->outcome.ended_ns = 1000000000;
	stats_clear(stats);
	for (uint64_t i = 0; i < iops; i++) {
		struct io io = { .op = IO_WRITE, .size_bytes = 4096, .completed_ns = latency_ns };

		stats_add(stats, &io);
	}
	stats->elapsed_ns = 1000000000;
	stats->outstanding_ns = stats->from_submit.sum_ns;
	return phase;
}

static void add(struct result_phase *phase)
{
	summary_add(summary, phase, NULL, 0, NULL, 0);
	result_phase_free(phase);
	free(phase);
}

static struct summary *begin(void)
{
	summary_free(summary);
	summary = summary_new();
	summary->target = xstrdup("drive");
	summary->drive = xstrdup("drive");
	summary->heading = xstrdup("drive");
	summary->arrivals = xstrdup("");
	summary->description = xstrdup("");
	summary->bed = xstrdup("");
	summary->seed = xstrdup("1");
	summary->version = xstrdup("");
	summary->plan = xstrdup("");
	summary->plan_help = xstrdup("");
	summary->plan_source = xstrdup("");
	summary->host = xstrdup("");
	summary->started = xstrdup("");
	return summary;
}

static const struct group_summary *conclude(void)
{
	summary_conclude(summary);
	return summary->group_count ? &summary->groups[0] : NULL;
}

static bool has_caveat(const char *words)
{
	for (size_t i = 0; i < summary->caveat_count; i++)
		if (strstr(summary->caveats[i], words))
			return true;
	return false;
}

/* The text of page_print(); valid until the next call. */
static const char *printed(struct summary *of, unsigned columns)
{
	static char *text;
	size_t size;
	FILE *out;

	free(text);
	out = open_memstream(&text, &size);
	page_print(of, out, columns, true);
	fclose(out);
	return text;
}

static bool json_is_sound(struct summary *of)
{
	_cleanup_buf_ struct buf json = BUF_INIT;

	summary_label(&of, 1);
	charts_json(&of, 1, &json);
	return !strstr(json.text, "nan") && !strstr(json.text, "inf") && !strchr(json.text, '<');
}

TEST(the_peak_is_the_best_point_that_was_sustained)
{
	struct result_phase *burst = make_phase(PHASE_POINT, 90, 900, 1000);
	const struct group_summary *group;

	begin();
	add(make_phase(PHASE_POINT, 50, 500, 1000));
	add(make_phase(PHASE_POINT, 60, 600, 1000));
	burst->outcome.sustained = false;
	add(burst);
	group = conclude();
	check(group_peak(group));
	check_equal(group_peak(group)->percent, 60);
	check_equal(group_peak(group)->iops, 600);
	check(!group->has_burst); /* there was no maximum run */
}

/* 1,000 requests: ten lie above p99, one above p99.9. */
TEST(the_percentile_plot_ends_where_fewer_than_ten_lie_above)
{
	_cleanup_buf_ struct buf json = BUF_INIT;
	const struct group_summary *group;
	struct table *table;

	begin();
	add(make_phase(PHASE_POINT, 50, 1000, 1000));
	group = conclude();
	for (size_t i = 0; i < SUMMARY_LEVELS; i++)
		check_equal(group_peak(group)->submit.levels[i].known, summary_levels_ppm[i] <= 990000);
	summary_label(&summary, 1);
	charts_json(&summary, 1, &json);
	check(strstr(json.text, "\"percentiles-0\":{\"kind\":\"percentiles\""));
	check(strstr(json.text, "[990000,1"));
	check(!strstr(json.text, "[995000"));
	table = tables_percentiles(&summary, 1, "g/w");
	check_equal(table->row_count, SUMMARY_LEVELS);
	check(!strcmp(table->rows[5].cells[0], "p99") && !strcmp(table->rows[5].cells[1], "1.00"));
	check(!strcmp(table->rows[6].cells[0], "p99.5") && !strcmp(table->rows[6].cells[1], "n/a"));
	table_free(table);
}

/* 8 outstanding for a second: all 8 at 8 ms and 1,000 a second, 7 at 7 ms. */
TEST(the_full_points_tell_how_far_luck_goes)
{
	const struct group_summary *group;

	begin();
	add(make_phase(PHASE_POINT, 70, 1000, 7000000)); /* 7 of 8 are not enough */
	add(make_phase(PHASE_POINT, 80, 1000, 7200000)); /* 7.2 are */
	add(make_phase(PHASE_POINT, 90, 1100, 7200000));
	add(make_phase(PHASE_POINT, 100, 1050, 7500000));
	group = conclude();
	check_equal(group->full_count, 3);
	check(group->full_least == 1000);
	check(group->full_most == 1100);
	check(strstr(printed(summary, 100), "9.1 % in 3"));
}

/* Endurance of 300 GB of NAND, a WAF of 3: 100 GB of the host. A GB a second lasts 100 s. */
TEST(endurance_is_what_the_nand_takes_over_the_write_amplification)
{
	struct result_phase *phase = make_phase(PHASE_RUN, 0, 1000, 1000);
	const struct endurance *endurance;

	begin();
	summary->size_bytes = 1000000000;
	summary->scale = 2; /* of a drive twice as large */
	phase->outcome.has_health = true;
	phase->outcome.health.host_written_bytes = 1000000000;
	phase->outcome.health.nand_written_bytes = 3000000000;
	phase->outcome.health.endurance_bytes = 300000000000;
	phase->outcome.health.rated_bytes = 50000000000;
	add(phase);
	conclude();
	check(summary->groups[0].runs[0].has_endurance);
	endurance = &summary->groups[0].runs[0].endurance;
	check(endurance->lasts_bytes == 2 * 100e9);
	check(endurance->rated_bytes == 2 * 50e9);
	check(endurance->years > 199.9 / (365 * 86400));
	check(endurance->years < 200.1 / (365 * 86400));
	check(endurance->dwpd > 0.999 * 100 / (5 * 365));
	check(endurance->dwpd < 1.001 * 100 / (5 * 365));
	check(strstr(printed(summary, 100), "Endurance"));
}

TEST(what_did_not_write_or_is_not_known_has_no_endurance)
{
	struct result_phase *read = make_phase(PHASE_RUN, 0, 1000, 1000);
	struct result_phase *unknown = make_phase(PHASE_RUN, 1, 1000, 1000);

	begin();
	read->outcome.has_health = unknown->outcome.has_health = true;
	read->outcome.health.endurance_bytes = 1000;
	unknown->outcome.health.host_written_bytes = 1000;
	unknown->outcome.health.nand_written_bytes = 1000;
	add(read);
	add(unknown);
	conclude();
	check(!strstr(printed(summary, 100), "Endurance"));
}

TEST(a_point_that_failed_is_no_peak)
{
	struct result_phase *failed = make_phase(PHASE_POINT, 90, 900, 1000);

	begin();
	add(make_phase(PHASE_POINT, 50, 500, 1000));
	failed->outcome.status = PHASE_FAILED;
	failed->outcome.note = xstrdup("the device went away");
	add(failed);
	check_equal(group_peak(conclude())->percent, 50);
	check(has_caveat("g/w/090 failed: the device went away."));
}

TEST(a_curve_without_a_sustained_point_has_no_peak_and_says_so)
{
	struct result_phase *phase = make_phase(PHASE_POINT, 50, 500, 1000);

	begin();
	phase->outcome.sustained = false;
	add(phase);
	check(!group_peak(conclude()));
	check(has_caveat("no point of the curve was sustained"));
	check(strstr(printed(summary, 80), "n/a"));
	check(json_is_sound(summary));
}

TEST(a_run_without_a_curve_is_its_own_peak)
{
	begin();
	add(make_phase(PHASE_RUN, 0, 700, 1000));
	check_equal(group_peak(conclude())->iops, 700);
	check(!summary->groups[0].has_curve);
}

TEST(the_burst_is_the_maximum_run_over_the_peak)
{
	const struct group_summary *group;

	begin();
	add(make_phase(PHASE_RUN, 0, 3000, 1000));
	add(make_phase(PHASE_POINT, 20, 500, 1000));
	group = conclude();
	check(group->has_burst);
	check_equal(group->burst * 1000, 6000);
	check_equal(group_maximum(group)->iops, 3000);
}

/* p99 of 1,000 equal values has 10 above its rank, of 999 fewer. */
TEST(a_percentile_with_fewer_than_ten_samples_above_is_not_known)
{
	begin();
	add(make_phase(PHASE_RUN, 0, 1000, 1000));
	check(group_peak(conclude())->submit.p99.known);
	check(!group_peak(&summary->groups[0])->submit.p999.known);
	begin();
	add(make_phase(PHASE_RUN, 0, 900, 1000));
	check(!group_peak(conclude())->submit.p99.known);
	check(group_peak(&summary->groups[0])->submit.p50.known);
	check(strstr(printed(summary, 80), "n/a"));
}

TEST(a_resource_sets_the_rate_from_90_percent_on)
{
	struct result_phase *phase = make_phase(PHASE_RUN, 0, 900, 1000);

	begin();
	phase->outcome.has_usage = true;
	phase->outcome.usage.channels_ns = 500000000;
	phase->outcome.usage.dies_ns = 900000000;
	add(phase);
	check(group_peak(conclude())->limited);
	check_equal(group_peak(&summary->groups[0])->limiter, RESOURCE_DIES);
	check(strstr(printed(summary, 80), "dies "));

	phase = make_phase(PHASE_RUN, 0, 900, 1000);
	begin();
	phase->outcome.has_usage = true;
	phase->outcome.usage.controller_write_ns = 899000000;
	add(phase);
	check(!group_peak(conclude())->limited);
	check_equal(group_peak(&summary->groups[0])->limiter, RESOURCE_CONTROLLER_WRITE);
	check(strstr(printed(summary, 80), "nothing full"));
}

TEST(a_run_bound_by_the_host_is_named)
{
	struct result_phase *phase = make_phase(PHASE_RUN, 0, 900, 1000);

	begin();
	phase->outcome.has_usage = true;
	phase->outcome.usage.bed_ns = 990000000;
	phase->outcome.usage.dies_ns = 980000000;
	add(phase);
	conclude();
	check(has_caveat("bound by the host (99 % busy), not by the drive"));
}

TEST(littles_law_that_fails_is_flagged_everywhere)
{
	struct result_phase *phase = make_phase(PHASE_POINT, 80, 1000, 8000000);
	_cleanup_buf_ struct buf page = BUF_INIT;

	begin();
	phase->outcome.stats.outstanding_ns = 8200000000; /* counted 8.2, computed 8.0 */
	add(phase);
	conclude();
	check(!group_peak(&summary->groups[0])->little_agrees);
	check(has_caveat("Little's law fails in 1 run, worst in g/w/080"));
	check(has_caveat("differ by -2.4 % (limit 1 %)"));
	check(strstr(printed(summary, 80), "FAILS -2.44 %"));
	check(strstr(printed(summary, 80), "peak, Little fails"));
	summary_label(&summary, 1);
	page_html(&summary, 1, &page);
	check(strstr(page.text, "FAILS -2.44&nbsp;%"));
}

/* 999 sent and 1 not are a thousand due. */
TEST(a_point_is_overloaded_when_more_than_one_in_a_thousand_was_not_sent)
{
	struct result_phase *phase = make_phase(PHASE_POINT, 100, 999, 1000);

	begin();
	phase->outcome.offered_iops = 2000; /* achieving less is no proof: arrivals are chance */
	phase->outcome.stats.unissued = 1;
	add(phase);
	phase = make_phase(PHASE_POINT, 110, 998, 1000);
	phase->outcome.offered_iops = 1000;
	phase->outcome.stats.unissued = 1;
	add(phase);
	conclude();
	check(!summary->groups[0].runs[0].overloaded);
	check(summary->groups[0].runs[1].overloaded);
	check(strstr(summary->overload, "g/w from 110 %"));
}

TEST(a_maximum_run_after_steady_rounds_of_its_workload_is_in_steady_state)
{
	const uint64_t steady[] = { 100, 100, 100, 100, 100 };
	struct result_phase *rounds = make_phase(PHASE_ROUNDS, 0, 100, 1000);
	struct result_phase *curve = make_phase(PHASE_POINT, 10, 100, 1000);

	begin();
	add(make_phase(PHASE_RUN, 0, 100, 1000));
	add(curve);
	conclude();
	check(!strcmp(summary_order(summary), "before steady state (the published order)"));

	begin();
	free(rounds->name);
	free(rounds->group);
	rounds->name = xstrdup("g/w/precondition");
	rounds->group = xstrdup("g/w/precondition");
	rounds->outcome.steady = steady_judge(steady, 5);
	summary_add(summary, rounds, NULL, 0, steady, 5);
	add(make_phase(PHASE_RUN, 0, 100, 1000));
	add(make_phase(PHASE_POINT, 10, 100, 1000));
	conclude();
	check(!strcmp(summary_order(summary), "in steady state (the stricter order)"));

	begin();
	rounds->outcome.steady.steady = false;
	summary_add(summary, rounds, NULL, 0, steady, 5);
	add(make_phase(PHASE_RUN, 0, 100, 1000));
	add(make_phase(PHASE_POINT, 10, 100, 1000));
	conclude();
	check(!strcmp(summary_order(summary),
		      "after preconditioning that did not always become steady"));
	result_phase_free(rounds);
	free(rounds);
}

TEST(errors_are_told)
{
	struct result_phase *phase = make_phase(PHASE_RUN, 0, 900, 1000);

	begin();
	phase->outcome.stats.errors = 3;
	add(phase);
	conclude();
	check(has_caveat("g/w: 3 requests failed"));
}

TEST(nothing_measured_divides_by_nothing)
{
	struct result_phase *phase = make_phase(PHASE_POINT, 10, 0, 0);
	_cleanup_buf_ struct buf page = BUF_INIT;

	begin();
	phase->outcome.stats.elapsed_ns = 0;
	phase->outcome.ended_ns = 0;
	phase->outcome.has_usage = true;
	add(phase);
	add(make_phase(PHASE_RUN, 0, 0, 0)); /* a second in which nothing completed */
	phase = make_phase(PHASE_ROUNDS, 0, 0, 0);
	free(phase->group);
	phase->group = xstrdup("g/rounds");
	add(phase);
	conclude();
	check(has_caveat("no request completed"));
	check(has_caveat("0 rounds measured, the rule needs 5"));
	check(!strstr(printed(summary, 80), "nan"));
	check(!strstr(printed(summary, 80), "inf"));
	check(json_is_sound(summary));
	page_html(&summary, 1, &page);
	check(strstr(page.text, "</html>"));
}

TEST(a_result_without_phases_is_a_page_that_says_so)
{
	_cleanup_buf_ struct buf page = BUF_INIT;

	begin();
	conclude();
	check(has_caveat("The result holds no phases."));
	check(json_is_sound(summary));
	page_html(&summary, 1, &page);
	check(strstr(page.text, "No curve was run."));
}

static struct window *make_windows(size_t count)
{
	struct window *windows = xcalloc(count, sizeof(*windows));

	for (size_t i = 0; i < count; i++)
		windows[i] = (struct window){
			.start_ns = i * 1000000000, .elapsed_ns = 1000000000, .ios = 100 + i % 2 * 100,
			.bytes = (100 + i % 2 * 100) * 4096, .mean_ns = 1000 + i % 2 * 1000,
			.p99_ns = 5000, .max_ns = 9000, .outstanding_milli = 8000, .waf_milli = 1000,
		};
	return windows;
}

static const struct series *series_of(enum phase_kind kind, const struct window *windows, size_t count,
				      const uint64_t *rounds, size_t round_count)
{
	struct result_phase *phase = make_phase(kind, 0, 100, 1000);

	phase->duration_ns = round_count ? count / round_count * 1000000000 : phase->duration_ns;
	if (round_count)
		phase->outcome.steady = steady_judge(rounds, round_count);
	summary_add(summary, phase, windows, count, rounds, round_count);
	result_phase_free(phase);
	free(phase);
	return &conclude()->series;
}

TEST(a_series_of_600_windows_is_drawn_as_it_is)
{
	_cleanup_free_ struct window *windows = make_windows(SUMMARY_SAMPLES);
	const struct series *series = (begin(), series_of(PHASE_RUN, windows, SUMMARY_SAMPLES, NULL, 0));

	check_equal(series->count, SUMMARY_SAMPLES);
	check_equal(series->merged, 1);
	check_equal(series->samples[0].iops, 100);
	check_equal(series->samples[1].iops, 200);
	check_equal(series->samples[1].time_s * 10, 15);
}

TEST(a_longer_series_is_merged_and_keeps_its_maxima)
{
	_cleanup_free_ struct window *windows = make_windows(601);
	const struct series *series;

	windows[1].waf_milli = 4000; /* twice the bytes of windows[0] */
	windows[1].outstanding_milli = 4000;
	windows[101].max_ns = 77000;
	windows[101].p99_ns = 66000;
	begin();
	summary->size_bytes = 4096 * 100;
	series = series_of(PHASE_RUN, windows, 601, NULL, 0);
	check_equal(series->merged, 2);
	check_equal(series->count, 301);
	check_equal(series->samples[0].iops, 150);
	check_equal(series->samples[0].mean_ns, (100 * 1000 + 200 * 2000) / 300);
	check_equal(series->samples[0].waf * 1000, 3000);
	check_equal(series->samples[0].outstanding * 1000, 6000);
	check_equal(series->samples[50].max_ns, 77000);
	check_equal(series->samples[50].p99_ns, 66000);
	check_equal(series->samples[0].written, 3); /* capacities */
	check_equal(series->samples[300].written, 301 + 2 * 300);
}

TEST(thinning_again_keeps_the_maxima_and_the_mean_rate)
{
	_cleanup_free_ struct window *windows = make_windows(400);
	struct series thin;

	windows[399].max_ns = 88000;
	begin();
	thin = series_thin(series_of(PHASE_RUN, windows, 400, NULL, 0), 40);
	check_equal(thin.count, 40);
	check_equal(thin.merged, 10);
	check_equal(thin.samples[39].max_ns, 88000);
	check_equal(thin.samples[0].iops, 150);
	check_equal(thin.samples[0].time_s, 5);
	series_clear(&thin);
}

TEST(a_silent_window_is_a_gap_and_no_latency_of_zero)
{
	_cleanup_free_ struct window *windows = make_windows(2);
	_cleanup_buf_ struct buf json = BUF_INIT;

	windows[1] = (struct window){ .start_ns = 1000000000, .elapsed_ns = 1000000000 };
	begin();
	series_of(PHASE_RUN, windows, 2, NULL, 0);
	summary_label(&summary, 1);
	charts_json(&summary, 1, &json);
	check(strstr(json.text, "[1.5,null,0,null,null,null,null,null,null]"));
}

/* Reads count as nothing written; of mixed requests, the share that are writes. */
TEST(drive_writes_count_what_was_written)
{
	_cleanup_free_ struct window *windows = make_windows(2);
	const struct series *series;

	windows[0].read_ios = 100;
	windows[1].read_ios = 50;
	begin();
	summary->size_bytes = 4096 * 100;
	series = series_of(PHASE_RUN, windows, 2, NULL, 0);
	check(series->has_written);
	check_equal(series->samples[0].written * 1000, 0);
	check_equal(series->samples[1].written * 1000, 1500);
	check(!series->samples[0].has_waf || series->samples[0].waf == 0);
}

TEST(rounds_that_count_from_zero_again_follow_each_other)
{
	_cleanup_free_ struct window *windows = make_windows(10);
	const uint64_t rounds[] = { 150, 150, 150, 150, 150 };
	const struct steady_summary *steady;
	const struct series *series;

	for (size_t i = 0; i < 10; i++)
		windows[i].start_ns = i % 2 * 1000000000;
	begin();
	series = series_of(PHASE_ROUNDS, windows, 10, rounds, 5);
	check_equal(series->samples[9].time_s * 10, 95);
	steady = &summary->groups[0].steady;
	check(steady->verdict.steady);
	check_equal(steady->from_s, 0);
	check_equal(steady->to_s, 10);
	check(!summary->caveat_count);
}

TEST(rounds_that_still_move_within_the_rule_are_steady_and_said_to_move)
{
	_cleanup_free_ struct window *windows = make_windows(5);
	const uint64_t falling[] = { 104, 102, 100, 98, 96 }, rising[] = { 96, 98, 100, 102, 104 };
	const uint64_t level[] = { 102, 101, 100, 99, 98 }; /* 4 % */

	begin();
	series_of(PHASE_ROUNDS, windows, 5, falling, 5);
	check(strstr(printed(summary, 80), "steady, still falling"));
	begin();
	series_of(PHASE_ROUNDS, windows, 5, rising, 5);
	check(strstr(printed(summary, 80), "steady, still rising"));
	begin();
	series_of(PHASE_ROUNDS, windows, 5, level, 5);
	check(!strstr(printed(summary, 80), "still"));
}

TEST(rounds_that_do_not_settle_are_told_with_their_shares)
{
	_cleanup_free_ struct window *windows = make_windows(6);
	const uint64_t rounds[] = { 1, 100, 100, 100, 100, 130 };

	begin();
	series_of(PHASE_ROUNDS, windows, 6, rounds, 6);
	check(has_caveat("not steady after 6 rounds: range 28.3 % of the average (limit 20 %)"));
	check(strstr(printed(summary, 80), "NOT STEADY"));
	check_equal(summary->groups[0].steady.from_s, 1);
	check_equal(summary->groups[0].steady.to_s, 6);
}

TEST(html_escapes_what_a_name_may_hold)
{
	_cleanup_buf_ struct buf out = BUF_INIT;

	escape_html(&out, "<a href=\"x\">&\x01\xff\xc0\xaf\xed\xa0\x80 \xc3\xa9");
	check(!strcmp(out.text, "&lt;a href=&quot;x&quot;&gt;&amp; \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
		      "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xc3\xa9"));
}

TEST(json_escapes_what_would_end_a_script)
{
	_cleanup_buf_ struct buf out = BUF_INIT;

	escape_json(&out, "</script>\"\\\n\xe2\x80\xa8");
	check(!strcmp(out.text, "\"\\u003c/script\\u003e\\u0022\\u005c\\u000a\\u2028\""));
}

TEST(no_escape_sequence_reaches_a_terminal)
{
	_cleanup_buf_ struct buf out = BUF_INIT;

	escape_terminal(&out, "a\x1b[31mb\xc2\x9b" "c\r\n");
	check(!strcmp(out.text, "a?[31mb?c??"));
	check_equal(text_width("\xc3\xa9\xff"), 2);
}

static void check_number(double value, const char *expected)
{
	_cleanup_buf_ struct buf out = BUF_INIT;

	number_put(&out, value);
	if (strcmp(out.text, expected))
		tap_fail("%g is written as %s, expected %s", value, out.text, expected);
}

TEST(numbers_have_three_digits_and_separators)
{
	check_number(0, "0");
	check_number(0.12345, "0.123");
	check_number(9.994, "9.99");
	check_number(82.44, "82.4");
	check_number(999.4, "999");
	check_number(1000, "1,000");
	check_number(1234567, "1,234,567");
	check_number(-1234, "-1,234");
}

static void check_latency(double ns, const char *expected)
{
	_cleanup_buf_ struct buf out = BUF_INIT;

	latency_put(&out, ns);
	if (strcmp(out.text, expected))
		tap_fail("%g ns are written as %s, expected %s", ns, out.text, expected);
}

TEST(a_latency_of_ten_milliseconds_has_a_unit_of_its_own)
{
	check_latency(0, "0");
	check_latency(82440, "82.4");
	check_latency(9999499, "9,999");
	check_latency(9999500, "10.00ms");
	check_latency(28028900, "28.0ms");
	check_latency(1900e6, "1,900ms");
	check_latency(9999499e3, "9,999ms");
	check_latency(9999500e3, "10.00s");
}

TEST(labels_tell_results_of_one_drive_apart)
{
	struct summary *two[2];

	begin();
	two[0] = summary;
	summary = NULL;
	begin();
	two[1] = summary;
	summary_label(two, 2);
	check(!strcmp(two[0]->label, "drive"));
	check(!strcmp(two[1]->label, "drive (2)"));
	free(two[1]->seed);
	two[1]->seed = xstrdup("7");
	summary_label(two, 2);
	check(!strcmp(two[0]->label, "drive, seed 1"));
	check(!strcmp(two[1]->label, "drive, seed 7"));
	summary_free(two[0]);
}

/* From here on with result files. */

static char directory[] = "/tmp/test_report.XXXXXX";

static const char *in_directory(const char *name)
{
	static char path[2][512];
	static int turn;

	if (!strchr(directory, '.') || strstr(directory, "XXXXXX"))
		check(mkdtemp(directory));
	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", directory, name);
	return path[turn];
}

static struct result *open_sample(const char *name, const struct sample_options *options)
{
	struct result *result;
	const char *path = in_directory(name);

	unlink(path);
	if (sample_make(path, options) || result_open(path, false, &result))
		tap_fail("%s: %s", path, fail_message());
	return result;
}

static const struct sample_options model = { .target = "samsung-983-dct-1.92tb", .speed = 1,
	.description = "Samsung 983 DCT, 1.92 TB, NVMe" };

static char *slurp(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (in && getdelim(&text, &size, '\0', in) < 0 && text)
		*text = '\0';
	if (in)
		fclose(in);
	return text;
}

TEST(the_tables_of_a_result_are_as_accepted)
{
	struct result *result = open_sample("golden.drivebay", &model);
	_cleanup_free_ char *expected = slurp(SOURCE_ROOT "/tests/report.txt");
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	check_equal(report_print_curves(result, out, 80), 0);
	fclose(out);
	result_close(result);
	if (getenv("UPDATE")) {
		out = fopen(SOURCE_ROOT "/tests/report.txt", "w");
		check(out);
		fputs(text, out);
		fclose(out);
	} else {
		check(expected);
		check(!strcmp(text, expected)); /* UPDATE=1 accepts, then read the diff */
	}
	for (char *line = text; *line; line += strcspn(line, "\n") + 1)
		check(strcspn(line, "\n") <= 80);
	free(text);
}

TEST(a_killed_run_is_reported_as_far_as_it_went)
{
	struct sample_options killed = model;
	struct result *result;
	_cleanup_free_ char *page = NULL;

	killed.cut_after = 22; /* in the curve of 4K writes */
	result = open_sample("killed.drivebay", &killed);
	check_equal(report_write_html(&result, 1, in_directory("killed.html")), 0);
	result_close(result);
	page = slurp(in_directory("killed.html"));
	check(strstr(page, "Not complete: 34 of 56 phases were not run"));
	check(strstr(page, "corners/4k-random-write/060 was cut off before its end."));
	check(strstr(page, "540,000")); /* what was measured */
	check(strstr(page, "</html>"));
}

TEST(a_page_is_marked_as_modelled_with_its_scale)
{
	struct result *result = open_sample("model.drivebay", &model);
	_cleanup_free_ char *page = NULL;

	check_equal(report_write_html(&result, 1, in_directory("model.html")), 0);
	result_close(result);
	page = slurp(in_directory("model.html"));
	check(!strncmp(page, PAGE_MARK, strlen(PAGE_MARK)));
	check(strstr(page, ">MODELLED</span>"));
	check(strstr(page, "run at 1/64 of its size"));
	check(strstr(page, "published: size, mix and pattern"));
}

TEST(markup_in_a_name_stays_text)
{
	struct sample_options evil = model;
	struct result *result;
	_cleanup_free_ char *page = NULL;

	evil.target = "</script><script>alert(1)</script>";
	evil.description = "<img src=x onerror=alert(1)>";
	result = open_sample("evil.drivebay", &evil);
	check_equal(report_write_html(&result, 1, in_directory("evil.html")), 0);
	result_close(result);
	page = slurp(in_directory("evil.html"));
	check(!strstr(page, "<script>alert"));
	check(!strstr(page, "<img"));
	check(strstr(page, "&lt;img src=x"));
}

TEST(a_file_that_is_no_report_is_not_replaced)
{
	struct result *result = open_sample("one.drivebay", &model);
	const char *path = in_directory("precious.html");
	FILE *out = fopen(path, "w");
	_cleanup_free_ char *page = NULL;

	fputs("<!DOCTYPE html>\nmine\n", out);
	fclose(out);
	check_equal(report_write_html(&result, 1, path), -EEXIST);
	check(strstr(fail_message(), "is no report of drivebay"));
	page = slurp(path);
	check(strstr(page, "mine"));
	check_equal(report_overwrite_html(&result, 1, path), 0);
	check_equal(report_write_html(&result, 1, path), 0); /* now it is one */
	check_equal(report_write_html(&result, 1, directory), -EEXIST);
	result_close(result);
}

/* A limit on the size of files is a full disk that every user can have. */
TEST(a_page_that_does_not_fit_leaves_what_was_there)
{
	struct result *result = open_sample("full.drivebay", &model);
	struct rlimit before, small;
	struct dirent *entry;
	DIR *dir;
	_cleanup_free_ char *page = NULL;
	int err;

	check_equal(report_write_html(&result, 1, in_directory("full.html")), 0);
	getrlimit(RLIMIT_FSIZE, &before);
	small = (struct rlimit){ 100000, before.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	err = report_write_html(&result, 1, in_directory("full.html"));
	setrlimit(RLIMIT_FSIZE, &before);
	check_equal(err, -EFBIG);
	check(strstr(fail_message(), "full.html: cannot be written: "));
	page = slurp(in_directory("full.html"));
	check(strstr(page, "</html>"));
	dir = opendir(directory);
	while ((entry = readdir(dir)))
		check(strncmp(entry->d_name, "full.html.", 10));
	closedir(dir);
	result_close(result);
}

TEST(a_page_has_the_rights_that_the_umask_leaves)
{
	struct result *result = open_sample("rights.drivebay", &model);
	mode_t mask = umask(027);
	struct stat st;
	int err = report_write_html(&result, 1, in_directory("rights.html"));

	umask(mask);
	result_close(result);
	check_equal(err, 0);
	check_equal(stat(in_directory("rights.html"), &st), 0);
	check_equal(st.st_mode & 0777, 0640);
}

static void remove_directory(void)
{
	struct dirent *entry;
	DIR *dir = opendir(directory);

	while (dir && (entry = readdir(dir)))
		unlink(in_directory(entry->d_name));
	if (dir)
		closedir(dir);
	rmdir(directory);
}

int main(void)
{
	int status = tap_run();

	summary_free(summary);
	if (!strstr(directory, "XXXXXX"))
		remove_directory();
	return status;
}
