#include "target/bed.h"

#include <errno.h>
#include <string.h>

#include "base/data.h"
#include "base/fail.h"
#include "doc.h"
#include "tap.h"

/* Four lines that every bed has; the text under test begins in line 4. */
#define HEAD "name: b\nhelp: h\nsource: ours\n"
#define FROM "mark: assumed, source: why}\n"

static void check_refused(const char *text, const char *sentence)
{
	struct bed *bed = NULL;

	check_equal(bed_parse("b.yaml", text, strlen(text), &bed), -EINVAL);
	if (strcmp(fail_message(), sentence))
		tap_fail("says: %s", fail_message());
	check(bed == NULL);
}

TEST(every_shipped_bed_loads)
{
	char **names;
	size_t count;

	check_equal(data_list("beds", &names, &count), 0);
	check(count >= 7);
	for (size_t i = 0; i < count; i++) {
		struct bed *bed;

		if (bed_load(names[i], &bed))
			tap_fail("%s", fail_message());
		check(strcmp(bed->name, names[i]) == 0);
		check(bed->command_ns > 0);
		check(strstr(bed->text, "submit:"));
		bed_free(bed);
	}
	data_list_free(names, count);
	bed_free(NULL);
}

TEST(the_default_bed_costs_little)
{
	struct bed *bed;

	check_equal(bed_load("bare-metal", &bed), 0);
	check_equal(bed->submit_ns, 2000);
	check_equal(bed->complete_ns, 4000);
	check_equal(bed->command_ns, 300);
	check_equal(bed->hmb_bytes, 64 << 20);
	bed_free(bed);
}

TEST(a_bed_may_cost_nothing)
{
	static const char text[] = HEAD "submit: {value: 0ns, " FROM "complete: {value: 0us, " FROM
					"command: {value: 0s, " FROM "hmb: {value: 0, " FROM;
	struct bed *bed;

	check_equal(bed_parse("b.yaml", text, strlen(text), &bed), 0);
	check_equal(bed->submit_ns, 0);
	bed_free(bed);
}

TEST(mistakes_are_named_with_their_line)
{
	check_refused(HEAD "sumbit: {value: 0ns, " FROM,
		      "b.yaml:4: unknown key 'sumbit' at the top level (did you mean 'submit'?)");
	check_refused(HEAD "submit: {value: 0ns, " FROM,
		      "b.yaml:1: missing key 'complete' at the top level (from the drive's completion "
		      "until the program sees it)");
	check_refused(HEAD "submit: {value: 2, " FROM,
		      "b.yaml:4: submit.value: '2' is not a duration: it has no unit "
		      "(try: 60us, 5ms, 300s, 2m, 3h)");
	check_refused(HEAD "submit: {value: 2s, " FROM,
		      "b.yaml:4: submit.value: '2s' is out of range (0 ns to 1 s)");
	check_refused(HEAD "submit: {value: 2us, mark: assumed}\n",
		      "b.yaml:4: missing key 'source' in section 'submit' (where it comes from: a "
		      "document, the figures it was fitted to, or the reasoning)");
	check_refused("", "b.yaml:1: the file is empty");
}

TEST(a_wrong_name_is_answered_with_the_nearest)
{
	struct bed *bed;

	check_equal(bed_load("bare-mteal", &bed), -EINVAL);
	check(strcmp(fail_message(),
		     "no bed is called 'bare-mteal' (did you mean 'bare-metal'?)") == 0);
}

TEST(the_page_of_the_format_is_true)
{
	_cleanup_free_ char *page = doc_page("bed-format.md"), *text = doc_example("bed-format.md");
	struct bed *bed;

#define DOCUMENTED(key, field, type, needed, help) \
	if (!strstr(page, "| " #key " | " #type " | " help " |")) \
		tap_fail("doc/bed-format.md does not have %s as it is", #key);
	BED_VALUES(DOCUMENTED)
	if (bed_parse("bed-format.md", text, strlen(text), &bed))
		tap_fail("%s", fail_message());
	bed_free(bed);
}

int main(void)
{
	data_set_root(SOURCE_ROOT);
	return tap_run();
}
