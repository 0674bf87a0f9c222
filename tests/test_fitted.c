/* test_fitted.c - calibrated values of files: what they name, and the same text with others. */
#include "cli/fitted.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/csv.h"
#include "base/data.h"
#include "base/fail.h"
#include "cli/calibrate.h"
#include "tap.h"

static const char text[] =
	"name: x\n"
	"nand:\n"
	"  read: {value: 60us, mark: assumed, source: \"the value: 60us\"}\n"
	"  program:\n"
	"    value: 5.1us # as found\n"
	"    mark: calibrated\n"
	"    fitted: [4k-random-write iops, 64k-sequential-write  bytes_per_s]\n"
	"    prior: 3us\n"
	"    source: value 5.1us\n"
	"gc:\n"
	"  streams: {value: shared, mark: calibrated, source: s, fitted: [a b], prior: separate, "
	"among: [shared, separate]}\n"
	"  rate: {value: 2GB/s, mark: calibrated, source: s, fitted: [a b], prior: 1GB/s}\n"
	"  old: {value: 7, mark: calibrated, source: \"by hand\"}\n";

static struct fitted_file *parse(const char *what, const char *drive)
{
	struct fitted_file *file;

	if (fitted_parse("d.yaml", what, strlen(what), drive, &file))
		tap_fail("%s", fail_message());
	return file;
}

TEST(a_calibrated_value_has_its_figures_its_prior_and_its_candidates)
{
	struct fitted_file *file = parse(text, "x");
	const struct fitted_value *value = file->values;

	check_equal(file->count, 4);
	check(!strcmp(value[0].name, "nand.program"));
	check_equal(value[0].line, 4);
	check_equal(value[0].kind, FITTED_DURATION);
	check(!strcmp(value[0].value, "5.1us"));
	check(!strcmp(value[0].prior, "3us"));
	check_equal(value[0].row_count, 2);
	check(!strcmp(value[0].rows[1].drive, "x"));
	check(!strcmp(value[0].rows[1].test, "64k-sequential-write"));
	check(!strcmp(value[0].rows[1].statistic, "bytes_per_s"));
	check_equal(value[0].rows[1].line, 7);
	check_equal(value[1].kind, FITTED_CHOICE);
	check_equal(value[1].among_count, 2);
	check(!strcmp(value[1].among[1], "separate"));
	check_equal(value[2].kind, FITTED_SPEED);
	check_equal(value[3].row_count, 0);
	fitted_free(file);
	fitted_free(NULL);
}

TEST(other_values_leave_every_other_byte_as_it_was)
{
	struct fitted_file *file = parse(text, "x");
	const char *none[4] = { NULL }, *some[4] = { "12.5us", "separate", NULL, NULL };
	_cleanup_free_ char *same = fitted_text(file, none), *other = fitted_text(file, some);
	_cleanup_free_ char *back = NULL;
	const char *again[4] = { "5.1us", "shared", NULL, NULL };
	struct fitted_file *changed = parse(other, "x");

	check(!strcmp(same, text));
	check(strstr(other, "    value: 12.5us # as found\n"));
	check(strstr(other, "source: value 5.1us\n"));
	check(strstr(other, "{value: separate, mark"));
	check(strstr(other, "{value: 60us, mark"));
	back = fitted_text(changed, again);
	check(!strcmp(back, text));
	fitted_free(changed);
	fitted_free(file);
}

TEST(in_a_bed_a_figure_names_its_drive)
{
	const char *bed = "command:\n  value: 2us\n  mark: calibrated\n  fitted:\n  - d t s\n"
			  "  prior: 1us\n  source: s\n";
	const char *bare = "command:\n  value: 2us\n  mark: calibrated\n  fitted:\n  - t s\n"
			   "  prior: 1us\n  source: s\n";
	struct fitted_file *file = parse(bed, NULL), *none;

	check(!strcmp(file->values[0].name, "command"));
	check(!strcmp(file->values[0].rows[0].drive, "d"));
	fitted_free(file);
	check_equal(fitted_parse("b.yaml", bare, strlen(bare), NULL, &none), -EINVAL);
	check(!strcmp(fail_message(), "b.yaml:5: command.fitted: 't s' names no drive: DRIVE TEST STATISTIC"));
}

static void refuse(const char *value, const char *sentence)
{
	_cleanup_free_ char *what = xasprintf("gc:\n  x: {%s, mark: calibrated, fitted: [a b], source: s}\n",
					      value);
	struct fitted_file *file;

	check_equal(fitted_parse("d.yaml", what, strlen(what), "x", &file), -EINVAL);
	if (strcmp(fail_message(), sentence))
		tap_fail("%s", fail_message());
}

TEST(what_can_neither_be_searched_nor_chosen_is_refused)
{
	refuse("value: 7, prior: 3",
	       "d.yaml:2: gc.x: needs 'among', a list to choose from: only durations and speeds are searched");
	refuse("value: 7us, prior: 0ns", "d.yaml:2: gc.x.prior: the search for a value begins above 0");
	refuse("value: '7us', prior: 1us",
	       "d.yaml:2: gc.x.value: a calibrated value stands behind its key, without quotes");
}

static void check_format(enum fitted_kind kind, double number, const char *expected)
{
	_cleanup_free_ char *got = fitted_format(kind, number);
	double read = fitted_number(kind, got);

	if (strcmp(got, expected))
		tap_fail("%.17g: '%s', expected '%s'", number, got, expected);
	check(read >= number * 0.995 - 0.5);
	check(read <= number * 1.005 + 0.5);
}

TEST(numbers_have_three_digits_and_are_read_back)
{
	check_format(FITTED_DURATION, 1, "1ns");
	check_format(FITTED_DURATION, 670.4, "670ns");
	check_format(FITTED_DURATION, 999.4, "999ns");
	check_format(FITTED_DURATION, 999.6, "1us");
	check_format(FITTED_DURATION, 5134, "5.13us");
	check_format(FITTED_DURATION, 5100, "5.1us");
	check_format(FITTED_DURATION, 197300, "197us");
	check_format(FITTED_DURATION, 2.5e8, "250ms");
	check_format(FITTED_SPEED, 1.8312e9, "1.83GB/s");
	check_format(FITTED_SPEED, 1.4e8, "140MB/s");
}

/* Every figure that a shipped file names was published, and a run gives it. */
TEST(the_shipped_files_name_figures_that_exist)
{
	char **names;
	size_t count, values = 0;
	struct csv *published;

	data_set_root(SOURCE_ROOT);
	check_equal(csv_load(SOURCE_ROOT "/published/published.csv", &published), 0);
	check_equal(data_list("drives", &names, &count), 0);
	for (size_t i = 0; i < count; i++) {
		struct calibration *calibration;

		if (calibrate_open(names[i], &published, 1, 1, &calibration))
			tap_fail("%s", fail_message());
		for (size_t v = 0; v < calibration->value_count; v++)
			if (!calibration->values[v].rows)
				tap_fail("%s: %s names no figure", names[i],
					 calibration->values[v].fitted->name);
		values += calibration->value_count;
		calibrate_free(calibration);
	}
	check(values > 0);
	data_list_free(names, count);
	csv_free(published);
}

int main(void)
{
	return tap_run();
}
