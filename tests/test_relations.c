/* test_relations.c - what must hold between two figures, and whether it does. */
#include "tap.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/fail.h"
#include "report/relations.h"

#define HEAD "relation,drive_id,bed,test_id,statistic,op,other_test_id,other_statistic,factor,low," \
	     "high,published\n"

static struct csv *csv;
static struct relations *relations;

static int read_rows(const char *text)
{
	int err = csv_parse("r.csv", text, strlen(text), &csv);

	return err ? err : relations_read(csv, &relations);
}

static void drop(void)
{
	relations_free(relations);
	relations = NULL;
	csv_free(csv);
}

/* One test with its one run, in a summary made by hand. */
static struct summary *sample(const char *name, double iops, double mean_us)
{
	struct summary *summary = summary_new();
	struct run_summary *run = xcalloc(1, sizeof(*run));

	*run = (struct run_summary){ .name = xstrdup("p010"), .kind = PHASE_POINT, .measured = true,
				     .percent = 10, .iops = iops,
				     .submit = { .mean_ns = mean_us * 1e3 } };
	summary->scale = 1;
	summary->group_count = 1;
	summary->groups = xcalloc(1, sizeof(*summary->groups));
	summary->groups[0] = (struct group_summary){
		.name = xstrdup(name), .title = xstrdup("t"), .plan = xstrdup("p"),
		.workload = xstrdup("w"), .run_count = 1, .runs = run, .maximum = SUMMARY_NONE,
		.peak = 0, .has_curve = true,
	};
	return summary;
}

static const char *print(void)
{
	static char text[4096];
	FILE *out = fmemopen(text, sizeof(text), "w");

	relations_print(relations, out, 160);
	fclose(out);
	return text;
}

TEST(a_relation_takes_its_figures_from_any_result_of_its_drive_and_bed)
{
	struct summary *one = sample("p/t", 300, 0), *two = sample("q/u", 100, 0);
	double value = 0;

	check_equal(read_rows(HEAD "twice,a,x,t,iops,/,u,iops,2,5.9,6.1,6\n"
				   "alone,a,x,t,iops,,,,0.01,3.01,inf,4\n"
				   "product,a,x,t,iops,*,u,iops,1,0,30000,1\n"
				   "elsewhere,a,y,t,iops,,,,1,0,1,1\n"), 0);
	relations_take(relations, "a", "x", "p", one);
	check(!relation_value(&relations->relations[0], &value));
	check(strstr(print(), "n/a"));
	relations_take(relations, "b", "x", "q", two);
	check(!relation_value(&relations->relations[0], &value));
	relations_take(relations, "a", "x", "q", two);
	check(relation_value(&relations->relations[0], &value));
	check(fabs(value - 6) < 1e-9);
	check(relation_value(&relations->relations[1], &value));
	check(fabs(value - 3) < 1e-9);
	check(relation_value(&relations->relations[2], &value));
	check(fabs(value - 30000) < 1e-9);
	check(strstr(print(), "NO"));
	check(strstr(print(), "at least 3.01"));
	check(strstr(print(), "1 more relations are of drives that were not run"));
	summary_free(one);
	summary_free(two);
	drop();
}

TEST(the_bounds_themselves_hold_and_beyond_them_does_not)
{
	struct summary *one = sample("p/t", 4, 0);

	check_equal(read_rows(HEAD "low,a,x,t,iops,,,,1,4,5,4\nhigh,a,x,t,iops,,,,1,3,4,4\n"), 0);
	relations_take(relations, "a", "x", "p", one);
	check(!strstr(print(), "NO"));
	drop();
	check_equal(read_rows(HEAD "above,a,x,t,iops,,,,1,3,3.99,4\n"), 0);
	relations_take(relations, "a", "x", "p", one);
	check(strstr(print(), "NO"));
	summary_free(one);
	drop();
}

TEST(a_row_that_makes_no_sense_is_refused_with_its_line)
{
	check_equal(read_rows(HEAD "r,a,x,t,iops,-,u,iops,1,0,1,1\n"), -EINVAL);
	check(!strcmp(fail_message(), "r.csv:2: op: '-' is neither '/' nor '*' nor empty"));
	csv_free(csv);
	check_equal(read_rows(HEAD "r,a,x,t,iops,,,,1,some,1,1\n"), -EINVAL);
	check(!strcmp(fail_message(), "r.csv:2: low: 'some' is not a number"));
	csv_free(csv);
	check_equal(read_rows(HEAD "r,a,x,t,iops,,,,1,2,1,1\n"), -EINVAL);
	check(!strcmp(fail_message(), "r.csv:2: low: 2 is above high, 1"));
	csv_free(csv);
}

int main(void)
{
	return tap_run();
}
