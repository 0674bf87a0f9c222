/* test_validate.c - which run a published figure comes from, what it is there, how far off. */
#include "tap.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "base/fail.h"
#include "report/validate.h"

#define HEAD "drive_id,test_id,statistic,relation,value,unit,judged,bed\n"

static bool knows_a(const char *name)
{
	return !strcmp(name, "a");
}

static struct csv *csv;
static struct validation *validation;

static void read_rows(const char *text)
{
	if (csv_parse("p.csv", text, strlen(text), &csv) || validate_read(csv, knows_a, &validation))
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
		       "a,oltp,tps,=,100,1/s,yes,x\n"
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

TEST(a_word_that_judges_nothing_is_refused_with_its_line)
{
	const char *text = HEAD "a,4k-random-read,iops,=,100,1/s,maybe,x\n";
	struct validation *none;

	check_equal(csv_parse("p.csv", text, strlen(text), &csv), 0);
	check_equal(validate_read(csv, knows_a, &none), -EINVAL);
	check(!strcmp(fail_message(), "p.csv:2: judged: 'maybe' is none of yes, no, lab-wide"));
	csv_free(csv);
}

int main(void)
{
	return tap_run();
}
