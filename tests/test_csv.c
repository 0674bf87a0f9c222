/* test_csv.c - comma-separated values: quotes, line ends, what is refused and where. */
#include "tap.h"

#include <errno.h>
#include <string.h>

#include "base/csv.h"
#include "base/fail.h"

static struct csv *parse(const char *text)
{
	struct csv *csv;

	if (csv_parse("t.csv", text, strlen(text), &csv))
		tap_fail("%s", fail_message());
	return csv;
}

static void check_refused(const char *text, const char *sentence)
{
	struct csv *csv;

	check_equal(csv_parse("t.csv", text, strlen(text), &csv), -EINVAL);
	if (strcmp(fail_message(), sentence))
		tap_fail("said \"%s\"", fail_message());
}

TEST(cells_are_found_by_row_and_column_name)
{
	struct csv *csv = parse("a,b\n1,2\n\n3,4");
	size_t b;

	check_equal(csv->row_count, 2);
	check_equal(csv_column(csv, "b", &b), 0);
	check(!strcmp(csv_cell(csv, 0, b), "2"));
	check(!strcmp(csv_cell(csv, 1, b), "4"));
	check_equal(csv->lines[1], 4);
	csv_free(csv);
}

TEST(quoted_fields_hold_commas_quotes_and_line_ends)
{
	struct csv *csv = parse("a,b\r\n\"x,\"\"y\"\"\nz\",\"\"\r\nlast,\r\n");

	check_equal(csv->row_count, 2);
	check(!strcmp(csv_cell(csv, 0, 0), "x,\"y\"\nz"));
	check(!strcmp(csv_cell(csv, 0, 1), ""));
	check(!strcmp(csv_cell(csv, 1, 1), ""));
	check_equal(csv->lines[1], 4);
	csv_free(csv);
}

TEST(what_is_wrong_is_named_with_its_line)
{
	struct csv *csv = parse("a\n1\n");
	size_t index;

	check_refused("", "t.csv: empty; a line that names the columns would do");
	check_refused("a,b\n1,2\n3\n", "t.csv:3: 1 fields where the first line names 2");
	check_refused("a,a\n", "t.csv:1: two columns are called 'a'");
	check_refused("a\n\"x\n", "t.csv:2: a quote is opened and not closed");
	check_refused("a\n\"x\"y\n", "t.csv:2: something follows a closing quote where a comma would do");
	check_equal(csv_column(csv, "z", &index), -EINVAL);
	check(!strcmp(fail_message(), "t.csv:1: there is no column 'z'"));
	csv_free(csv);
}

int main(void)
{
	return tap_run();
}
