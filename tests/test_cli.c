/* The command line's own parts: options, help, manual pages, columns. */
#include "tap.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/data.h"
#include "base/fail.h"
#include "cli/columns.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/options.h"

static char *block;
static int depth, quick, secret;

static const struct poptOption common[] = {
	{ "seed", 0, POPT_ARG_INT, &depth, 0, "same seed, same requests", NULL },
	POPT_TABLEEND,
};

static const struct poptOption rows[] = {
	{ "quick", 'q', POPT_ARG_NONE, &quick, 0, "minutes instead of days", NULL },
	{ "block", 'b', POPT_ARG_STRING, &block, 0, "size of `one` request", "SIZE" },
	{ "secret", 0, POPT_ARG_NONE | POPT_ARGFLAG_DOC_HIDDEN, &secret, 0, "not shown", NULL },
	{ NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)(uintptr_t)common, 0, NULL, NULL },
	POPT_TABLEEND,
};

static int run_nothing(int count, const char **arguments)
{
	(void)count;
	(void)arguments;
	return 0;
}

static const struct poptOption wordy_rows[] = {
	{ "fits", 0, POPT_ARG_NONE, &quick, 0, "12345678 10 345678 20 345678 30 345678 40 345678 5", NULL },
	{ "wraps", 0, POPT_ARG_NONE, &quick, 0, "12345678 10 345678 20 345678 30 345678 40 345678 50", NULL },
	{ "one", 0, POPT_ARG_NONE, &quick, 0, "123456789a123456789b123456789c123456789d123456789e1 2", NULL },
	POPT_TABLEEND,
};

static const struct command measure = {
	"measure", "WORKLOAD TARGET [DIR]", "measure one thing", "drivebay measure a b",
	rows, run_nothing,
};
static const struct command draw = {
	"draw", "RESULT...", "draw results", "drivebay draw a", NULL, run_nothing,
};
static const struct command *const table[] = { &measure, &draw, NULL };

enum { WORDS = 12 };

/* Parses "measure a b" as a shell would cut it. */
static int parse(const struct command *command, const char *line, struct invocation *out)
{
	static char copy[256];
	static const char *words[WORDS + 1];
	int count = 0;
	char *state = copy;

	free(block);
	block = NULL;
	depth = quick = secret = 0;
	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word; count < WORDS && (word = strsep(&state, " "));)
		words[count++] = word;
	words[count] = NULL;
	return options_parse(command, count, words, out);
}

static bool accepts(const struct command *command, const char *line)
{
	struct invocation invocation;
	int err = parse(command, line, &invocation);

	invocation_end(&invocation);
	check(err == 0 || err == -EINVAL);
	return err == 0;
}

/* The refusal of a line; "" when it was accepted. */
static const char *refusal(const struct command *command, const char *line)
{
	return accepts(command, line) ? "" : fail_message();
}

static bool says(const char *text, const char *words)
{
	if (!strstr(text, words))
		printf("# '%s' does not say '%s'\n", text, words);
	return strstr(text, words) != NULL;
}

TEST(options_and_arguments_come_in_any_order)
{
	struct invocation invocation;

	check_equal(parse(&measure, "measure a --quick b -b 4k --seed=7 c", &invocation), 0);
	check_equal(invocation.count, 3);
	check(!strcmp(invocation.arguments[0], "a"));
	check(!strcmp(invocation.arguments[2], "c"));
	check(!invocation.arguments[3]);
	check(!invocation.help);
	check_equal(quick, 1);
	check_equal(depth, 7);
	check(!strcmp(block, "4k"));
	invocation_end(&invocation);
}

TEST(two_dashes_end_the_options)
{
	struct invocation invocation;

	check_equal(parse(&measure, "measure -- --quick -x", &invocation), 0);
	check_equal(invocation.count, 2);
	check(!strcmp(invocation.arguments[0], "--quick"));
	check_equal(quick, 0);
	invocation_end(&invocation);
}

TEST(too_few_and_too_many_arguments_are_refused)
{
	check(!accepts(&measure, "measure a"));
	check(accepts(&measure, "measure a b"));
	check(accepts(&measure, "measure a b c"));
	check(!accepts(&measure, "measure a b c d"));
	check(says(fail_message(), "'d'"));
	check(says(fail_message(), "drivebay measure WORKLOAD TARGET [DIR]"));
}

TEST(dots_mean_one_or_more)
{
	check(!accepts(&draw, "draw"));
	check(accepts(&draw, "draw a"));
	check(accepts(&draw, "draw a b c d e f g"));
}

TEST(a_command_without_arguments_takes_none)
{
	const struct command bare = { .name = "bare", .arguments = "", .run = run_nothing };

	check(accepts(&bare, "bare"));
	check(!accepts(&bare, "bare a"));
}

TEST(brackets_within_brackets_are_all_optional)
{
	const struct command nested = { .name = "nested", .arguments = "[a|b [DIR]]",
					.run = run_nothing };

	check(accepts(&nested, "nested"));
	check(accepts(&nested, "nested a x"));
	check(!accepts(&nested, "nested a x y"));
}

TEST(help_is_asked_for_without_arguments)
{
	struct invocation invocation;

	check_equal(parse(&measure, "measure --help", &invocation), 0);
	check(invocation.help);
	invocation_end(&invocation);
	check_equal(parse(&measure, "measure -h", &invocation), 0);
	check(invocation.help);
	invocation_end(&invocation);
}

TEST(an_unknown_option_is_answered_with_the_nearest)
{
	check(says(refusal(&measure, "measure a b --qiuck"), "did you mean '--quick'?"));
	check(says(refusal(&measure, "measure a b --blokc=4k"), "'--blokc'"));
	check(says(fail_message(), "did you mean '--block'?"));
	check(says(refusal(&measure, "measure a b --sed=1"), "did you mean '--seed'?"));
	check(says(refusal(&measure, "measure a b --hepl"), "did you mean '--help'?"));
}

TEST(an_option_like_no_other_points_to_the_help)
{
	check(says(refusal(&measure, "measure a b --xyzzy"), "drivebay measure --help"));
	check(says(refusal(&measure, "measure a b -x"), "'-x'"));
	check(says(refusal(&draw, "draw a --quick"), "'--quick'"));
}

TEST(a_hidden_option_works_and_is_never_suggested)
{
	check(accepts(&measure, "measure a b --secret"));
	check_equal(secret, 1);
	check(!strstr(refusal(&measure, "measure a b --secre"), "--secret'?"));
}

TEST(a_value_is_given_where_one_is_due_and_only_there)
{
	check(says(refusal(&measure, "measure a b --block"), "missing"));
	check(says(refusal(&measure, "measure a b --quick=3"), "--quick=3"));
	check(says(refusal(&measure, "measure a b --seed=6x"), "--seed=6x"));
	check(says(refusal(&measure, "measure a b --seed=99999999999"), "too large"));
}

static int visited;

static void count_row(void *context, const struct poptOption *row)
{
	(void)context;
	check(row->longName);
	visited++;
}

TEST(walking_visits_included_tables_and_help_but_nothing_hidden)
{
	visited = 0;
	options_walk(rows, count_row, NULL);
	check_equal(visited, 4); /* quick, block, seed, help */
	visited = 0;
	options_walk(NULL, count_row, NULL);
	check_equal(visited, 1);
}

/* What a printer writes into capture() is `captured` once it is closed. */
static char *captured;
static size_t captured_size;

static FILE *capture(void)
{
	free(captured);
	captured = NULL;
	return open_memstream(&captured, &captured_size);
}

static const char *man_page(const struct command *command, const char *markdown)
{
	char path[] = "/tmp/test_cli_XXXXXX";
	FILE *out = capture();
	int err;

	if (markdown) {
		int fd = mkstemp(path);

		check(write(fd, markdown, strlen(markdown)) == (ssize_t)strlen(markdown));
		close(fd);
	}
	err = help_man_page(out, table, command, markdown ? path : NULL);
	fclose(out);
	if (markdown)
		unlink(path);
	check_equal(err, 0);
	return captured;
}

TEST(the_overview_shows_each_command_once)
{
	FILE *out = capture();
	const char *text;

	help_overview(out, table);
	fclose(out);
	text = captured;
	check(says(text, "measure WORKLOAD TARGET [DIR]"));
	check(says(text, "draw results"));
	check(!strstr(strstr(text, "draw RESULT") + 1, "draw RESULT"));
}

TEST(the_overview_names_the_pages_of_the_documentation)
{
	FILE *out = capture();

	help_overview(out, table);
	fclose(out);
	check(says(captured, "man drivebay"));
	check(says(captured, "doc/model.md"));
	check(says(captured, "doc/devices.md"));
	check(says(captured, "doc/drive-format.md"));
}

TEST(the_help_of_a_command_shows_its_options_and_its_example)
{
	FILE *out = capture();
	const char *text;

	help_command(out, &measure);
	fclose(out);
	text = captured;
	check(says(text, "Usage: drivebay measure [OPTION...] WORKLOAD TARGET [DIR]\n"));
	check(says(text, "-b, --block=SIZE "));
	check(says(text, "    --seed=N "));
	check(says(text, "-h, --help "));
	check(says(text, "drivebay measure a b\n"));
	check(!strstr(text, "secret"));
}

TEST(an_explanation_is_wrapped_at_80_columns_and_not_before)
{
	const struct command wordy = { "wordy", "", "say much", "drivebay wordy", wordy_rows,
				       run_nothing };
	FILE *out = capture();

	help_command(out, &wordy);
	fclose(out);
	check(says(captured, " 40 345678 5\n      --wraps "));
	check(says(captured, " 40 345678\n                              50\n      --one "));
	check(says(captured, "9e1\n                              2\n"));
}

TEST(a_manual_page_needs_no_hand_written_part)
{
	const char *text = man_page(&measure, NULL);

	check(says(text, ".TH \"DRIVEBAY\\-MEASURE\" 1 "));
	check(says(text, "drivebay\\-measure \\- measure one thing\n"));
	check(says(text, "\\fBblock\\fR=\\fISIZE\\fR\nsize of \\fBone\\fR request\n"));
	check(says(text, ".BR drivebay (1),\n.BR drivebay\\-draw (1)\n"));
	check(!strstr(text, ".BR drivebay\\-measure"));
}

TEST(hand_written_sections_stand_where_they_belong)
{
	const char *text = man_page(&measure, "# Title\n\nWhat it *does*.\n\n## Notes\n\n"
						       "- one\n- two\n\n## Examples\n\n    second\n");
	const char *description = strstr(text, ".SH DESCRIPTION");
	const char *options = strstr(text, ".SH OPTIONS");
	const char *first = strstr(text, "\ndrivebay measure a b\n");
	const char *second = strstr(text, "\nsecond\n");
	const char *notes = strstr(text, ".SH \"NOTES\"");

	check(says(text, "What it \\fIdoes\\fR.\n"));
	check(!strstr(text, "Title"));
	check(description && options && first && second && notes);
	check(description < options);
	check(options < first);
	check(first < second);
	check(second < notes);
	check(says(text, ".IP \\(bu 2\none\n.IP \\(bu 2\ntwo\n"));
}

TEST(nothing_in_a_page_becomes_a_roff_request_by_accident)
{
	const char *text = man_page(&measure, ".br is text\n`a\\b -x`\n\n    .so example\n"
						       "\n'quoted' [no link] [words](http://x) [\n");

	check(says(text, "\n\\&.br is text\n"));
	check(says(text, "\\fBa\\eb \\-x\\fR"));
	check(says(text, "\n\\&.so example\n"));
	check(says(text, "\n\\(aqquoted\\(aq [no link] words [\n"));
}

TEST(emphasis_may_run_over_lines_but_not_over_paragraphs)
{
	const char *text = man_page(&measure, "**two\nlines** here\n\nfor*gotten\n\nroman\n");

	check(says(text, "\n\\fBtwo\nlines\\fR here\n.PP\n"));
	check(says(text, "\nfor\\fIgotten\n\\fR\n.PP\nroman\n"));
}

TEST(a_missing_page_is_named)
{
	FILE *out = capture();

	check_equal(help_man_page(out, table, &measure, "/no/such/page.md"), -ENOENT);
	check(says(fail_message(), "/no/such/page.md"));
	fclose(out);
	check_equal(captured_size, 0);
}

TEST(columns_are_as_wide_as_their_widest_cell)
{
	_cleanup_columns_ struct columns columns = { 0 };
	FILE *out = capture();

	columns_add(&columns, "a", "\xc3\xa4\xc3\xa4\xc3\xa4", "x", NULL); /* three columns wide */
	columns_add(&columns, "bbbb", "c", "y", NULL);
	columns_add(&columns, "d", "", "", NULL);
	columns_print(&columns, out);
	fclose(out);
	check(!strcmp(captured, "a     \xc3\xa4\xc3\xa4\xc3\xa4  x\nbbbb  c    y\nd\n"));
}

TEST(no_rows_print_nothing)
{
	_cleanup_columns_ struct columns columns = { 0 };
	FILE *out = capture();

	columns_print(&columns, out);
	fclose(out);
	check_equal(captured_size, 0);
}

int main(void)
{
	return tap_run();
}
