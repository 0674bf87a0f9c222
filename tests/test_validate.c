/* test_validate.c - which run a published figure comes from, what it is there, how far off. */
#include "tap.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/fail.h"
#include "report/validate.h"

#define HEAD "drive_id,test_id,statistic,relation,value,unit,judged,bed\n"

static bool knows_a(const char *name)
{
	return !strcmp(name, "a");
}

static bool knows_any(const char *name)
{
	return strcmp(name, "nowhere");
}

static const struct validate_scope scope = { knows_a, knows_any, NULL };
static struct csv *csv;
static struct validation *validation;

static void read_rows(const char *text)
{
	if (csv_parse("p.csv", text, strlen(text), &csv) || validate_read(&csv, 1, &scope, &validation))
		tap_fail("%s", fail_message());
}

static void drop(void)
{
	validate_free(validation);
	csv_free(csv);
}

TEST(figures_of_one_drive_and_bed_share_a_run_and_others_say_why_not)
{
	read_rows(HEAD "a,4k-random-read,iops,=,100,1/s,yes,x\n"
		       "a,4k-random-write,latency_mean,=,5,us,no,x\n"
		       "a,4k-random-read,iops,=,100,1/s,yes,y\n"
		       "b,4k-random-read,iops,=,100,1/s,yes,x\n"
		       "a,tpch,tps,=,100,1/s,yes,x\n"
		       "a,4k-random-read,rank,=,last,text,no,x\n");
	check_equal(validation->job_count, 2);
	check_equal(validation->figures[0].job, 0);
	check_equal(validation->figures[1].job, 0);
	check_equal(validation->figures[2].job, 1);
	check(!strcmp(validation->figures[3].why, "no model of this drive"));
	check(!strcmp(validation->figures[4].why, "no such test yet"));
	check(!strcmp(validation->figures[5].why, "not a figure of a run"));
	check(!strcmp(validation->jobs[0].plan, "four-corners"));
	drop();
}

TEST(the_plan_is_that_of_the_review)
{
	read_rows(HEAD "a,4k-random-read,iops,=,100,1/s,yes,x\n"
		       "a,4k-random-read-high,iops,=,100,1/s,yes,x\n"
		       "a,synthetic-4k-read,iops,=,100,1/s,yes,x\n");
	check(!strcmp(validation->jobs[0].plan, "four-corners-high"));
	check(!strcmp(validation->jobs[1].plan, "synthetic"));
	drop();
	read_rows(HEAD "a,protocol,lba_span,=,1,% of capacity,no,x\na,4k-random-read,iops,=,100,1/s,yes,x\n");
	check(!strcmp(validation->jobs[0].plan, "four-corners-client"));
	drop();
}

TEST(a_mix_comes_from_the_run_that_begins_with_the_corners)
{
	read_rows(HEAD "a,4k-random-read,iops,=,100,1/s,yes,x\n"
		       "a,sql-90-10,iops,=,100,1/s,lab-wide,x\n"
		       "a,vdi-lc-boot,start_latency_mean,=,100,us,yes,x\n");
	check_equal(validation->job_count, 1);
	check(!strcmp(validation->jobs[0].plan, "sql-oracle-vdi"));
	drop();
	read_rows(HEAD "a,4k-random-read-high,iops,=,100,1/s,yes,x\na,sql,iops,=,100,1/s,yes,x\n");
	check(!strcmp(validation->jobs[0].plan, "four-corners-high"));
	check(!strcmp(validation->jobs[1].plan, "sql-oracle-vdi"));
	drop();
}

/* A curve of two points in a summary made by hand. */
static struct summary *sample(void)
{
	struct summary *summary = summary_new();
	struct run_summary *runs = xcalloc(2, sizeof(*runs));

	summary->scale = 1;
	summary->group_count = 1;
	summary->groups = xcalloc(1, sizeof(*summary->groups));
	runs[0] = (struct run_summary){ .name = xstrdup("p010"), .kind = PHASE_POINT, .measured = true,
					.percent = 10, .iops = 9, .submit = { .mean_ns = 80000 } };
	runs[1] = (struct run_summary){ .name = xstrdup("p100"), .kind = PHASE_POINT, .measured = true,
					.percent = 100, .iops = 110, .mb_per_s = 2,
					.submit = { .mean_ns = 200000 } };
	summary->groups[0] = (struct group_summary){
		.name = xstrdup("four-corners/4k-random-read"), .title = xstrdup("t"),
		.plan = xstrdup("four-corners"), .workload = xstrdup("4k-random-read"),
		.run_count = 2, .runs = runs, .maximum = SUMMARY_NONE, .peak = 1, .has_curve = true,
	};
	return summary;
}

TEST(a_figure_is_the_peak_or_the_first_point_and_fitted_when_the_files_name_it)
{
	struct summary *summary = sample();

	read_rows(HEAD "a,4k-random-read,iops,=,100,1/s,yes,x\n"
		       "a,4k-random-read,start_latency_mean,=,100,us,yes,x\n"
		       "a,4k-random-read,bytes_per_s,=,4000000,bytes/s,yes,x\n"
		       "a,4k-random-write,iops,=,1,1/s,yes,x\n");
	validate_take(validation, 0, summary, "fitted to: 4k-random-read\n      iops", "nothing");
	check(fabs(validation->figures[0].error - 0.10) < 1e-9);
	check(fabs(validation->figures[1].error + 0.20) < 1e-9);
	check(fabs(validation->figures[2].error + 0.50) < 1e-9);
	check(!validation->figures[3].modelled_known);
	check(validation->figures[0].calibrated);
	check(!validation->figures[1].calibrated);
	check_equal(validate_score(validation, true).count, 1);
	check_equal(validate_score(validation, false).count, 2);
	check(fabs(validate_score(validation, false).median - 0.35) < 1e-9);
	check(fabs(validate_score_all(validation).median - 0.20) < 1e-9);
	check(fabs(validate_score_all(validation).worst - 0.50) < 1e-9);
	drop();
	summary_free(summary);
}

TEST(the_corners_of_a_run_of_mixes_keep_their_plan)
{
	struct summary *summary = sample();
	double value;

	check(validate_value(summary, "sql-oracle-vdi", "4k-random-read", "iops", &value));
	check(fabs(value - 110) < 1e-9);
	check(!validate_value(summary, "sql-oracle-vdi", "sql", "iops", &value));
	summary_free(summary);
}

TEST(a_word_that_judges_nothing_is_refused_with_its_line)
{
	const char *text = HEAD "a,4k-random-read,iops,=,100,1/s,maybe,x\n";
	struct validation *none;

	check_equal(csv_parse("p.csv", text, strlen(text), &csv), 0);
	check_equal(validate_read(&csv, 1, &scope, &none), -EINVAL);
	check(!strcmp(fail_message(), "p.csv:2: judged: 'maybe' is none of yes, no, lab-wide"));
	csv_free(csv);
}

TEST(judged_rows_that_cannot_be_mapped_are_listed_each_with_a_reason_and_stop_nothing)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct summary *summary = sample();
	struct validate_tally tally;

	read_rows(HEAD "a,4k-random-read,iops,=,100,1/s,yes,x\n"
		       "a,tpch,tps,=,100,1/s,yes,x\n"
		       "b,4k-random-read,iops,=,100,1/s,yes,x\n"
		       "a,4k-random-read,rank,=,3,1,yes,x\n"
		       "a,4k-random-read,iops,=,last,1/s,yes,x\n"
		       "a,4k-random-read,iops,=,0,1/s,yes,x\n"
		       "a,4k-random-read,iops,=,5,1/s,yes,nowhere\n"
		       "a,4k-random-write,iops,=,5,1/s,yes,x\n"
		       "a,protocol,host,=,tower,text,no,x\n");
	check_equal(validation->job_count, 1);
	validate_take(validation, 0, summary, "", "");
	tally = validate_tally(validation);
	check_equal(tally.judged, 8);
	check_equal(tally.compared, 1);
	check_equal(tally.unmapped, 6);
	check_equal(tally.missing, 1);
	validate_print(validation, out, 200);
	fclose(out);
	check(strstr(text, "tpch"));
	check(strstr(text, "no such bed"));
	check(strstr(text, "Judged figures: 8, of which 1 compared, 6 not mapped, 1 not given"));
	check(strstr(text, "not mapped: no such test yet: 2 figures, 1 of them judged\n"));
	check(strstr(text, "not given by its run: a 4k-random-write iops\n"));
	free(text);
	summary_free(summary);
	drop();
}

TEST(a_failed_run_costs_its_own_figures_only)
{
	struct summary *summary = sample();

	read_rows(HEAD "a,4k-random-read,iops,=,100,1/s,yes,x\n"
		       "a,4k-random-read,iops,=,100,1/s,yes,y\n");
	validate_lose(validation, 0);
	validate_take(validation, 1, summary, "", "");
	check(!strcmp(validation->figures[0].why, "its run failed"));
	check_equal(validate_tally(validation).unmapped, 1);
	check_equal(validate_score_all(validation).count, 1);
	summary_free(summary);
	drop();
}

TEST(several_files_are_one_set_and_one_drive_can_be_picked)
{
	static const char rows[] = HEAD "a,4k-random-read,iops,=,1,1/s,yes,x\n";
	static const char more[] = HEAD "b,4k-random-read,iops,=,2,1/s,yes,x\n"
					"a,4k-random-write,iops,=,3,1/s,yes,x\n";
	struct validate_scope picked = scope;
	struct csv *files[2];

	picked.drive = "a";
	check_equal(csv_parse("1.csv", rows, strlen(rows), &files[0]), 0);
	check_equal(csv_parse("2.csv", more, strlen(more), &files[1]), 0);
	check_equal(validate_read(files, 2, &scope, &validation), 0);
	check_equal(validation->figure_count, 3);
	check_equal(validation->job_count, 1);
	validate_free(validation);
	check_equal(validate_read(files, 2, &picked, &validation), 0);
	check_equal(validation->figure_count, 2);
	check(validation->figures[1].published == 3);
	validate_free(validation);
	csv_free(files[0]);
	csv_free(files[1]);
}

TEST(the_page_draws_each_compared_figure_and_tells_fitted_from_predicted)
{
	struct summary *summary = sample();
	struct relations none = { 0 };
	struct buf json = BUF_INIT, page = BUF_INIT;

	read_rows(HEAD "a,4k-random-read,iops,=,100,1/s,yes,x\n"
		       "a,4k-random-read,start_latency_mean,=,100,us,yes,x\n"
		       "a,4k-random-read,latency_mean,=,100,us,no,x\n"
		       "<i>,tpch,tps,=,100,1/s,yes,x\n");
	validate_take(validation, 0, summary, "4k-random-read iops", "");
	validate_json(validation, &json);
	check(!strcmp(json.text, "{\"drives\":[\"a\"],\"charts\":{\"errors\":{\"kind\":\"errors\","
		      "\"title\":\"Errors\",\"series\":[{\"drive\":0,\"points\":["
		      "[\"4k-random-read iops\",100,110,10,true],"
		      "[\"4k-random-read start_latency_mean\",100,80,-20,false]]}]}}}\n"));
	validate_html(validation, &none, &page);
	check(strstr(page.text, json.text));
	check(strstr(page.text, "&lt;i&gt;"));
	check(!strstr(page.text, "<i>"));
	check(strstr(page.text, "</body></html>"));
	buf_free(&json);
	buf_free(&page);
	summary_free(summary);
	drop();
}

TEST(sensitivity_is_the_change_against_our_run_lengths_and_na_without_a_run)
{
	struct summary *summary = sample();
	struct table *table;

	read_rows(HEAD "a,4k-random-read,iops,=,100,1/s,yes,x\n"
		       "a,4k-random-read,latency_mean,=,100,us,no,x\n"
		       "a,tpch,tps,=,100,1/s,yes,x\n");
	validate_take(validation, 0, summary, "", "");
	summary->groups[0].runs[1].iops = 99;
	validate_take_variant(validation, 0, 1, summary);
	table = validate_table_sensitivity(validation);
	check_equal(table->row_count, 1);
	check(!strcmp(table->rows[0].cells[5], "n/a"));
	check(!strcmp(table->rows[0].cells[6], "-10.0 %"));
	check(fabs(validation->figures[0].error - 0.10) < 1e-9);
	table_free(table);
	summary_free(summary);
	drop();
}

TEST(the_page_has_the_sensitivity_when_other_run_lengths_were_run_and_else_not)
{
	struct summary *summary = sample();
	struct relations none = { 0 };
	struct buf without = BUF_INIT, with = BUF_INIT;

	read_rows(HEAD "a,4k-random-read,iops,=,100,1/s,yes,x\n");
	validate_take(validation, 0, summary, "", "");
	validate_html(validation, &none, &without);
	check(!strstr(without.text, "Sensitivity"));
	summary->groups[0].runs[1].iops = 99;
	validate_take_variant(validation, 0, 1, summary);
	validate_html(validation, &none, &with);
	check(strstr(with.text, "Sensitivity"));
	check(strstr(with.text, "Halved"));
	check(strstr(with.text, "10.0 %"));
	check(!strstr(without.text, "Halved"));
	buf_free(&without);
	buf_free(&with);
	summary_free(summary);
	drop();
}

TEST(a_third_of_the_judged_figures_may_be_fitted_to_and_no_more)
{
	struct summary *summary = sample();

	read_rows(HEAD "a,4k-random-read,iops,=,100,1/s,yes,x\n"
		       "a,4k-random-read,start_latency_mean,=,100,us,yes,x\n"
		       "a,4k-random-read,latency_mean,=,100,us,no,x\n"
		       "a,tpch,tps,=,100,1/s,yes,x\n");
	validate_take(validation, 0, summary, "4k-random-read iops, 4k-random-read latency_mean", "");
	check(validate_fitted_within_bounds(validation));
	validate_take(validation, 0, summary, "4k-random-read iops, tpch tps", "");
	check(!validate_fitted_within_bounds(validation));
	summary_free(summary);
	drop();
}

int main(void)
{
	return tap_run();
}
