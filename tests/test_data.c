#include "base/data.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "tap.h"

static char folder[] = "/tmp/drivebay-data-XXXXXX";

static void write_file(const char *name, const char *text)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, name);
	_cleanup_file_ FILE *file = fopen(path, "w");

	check(file != NULL);
	fputs(text, file);
}

static void make_folder(const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, name);

	check(mkdir(path, 0700) == 0);
}

static void check_found(const char *kind, const char *name, const char *file)
{
	_cleanup_free_ char *path = NULL, *expected = xasprintf("%s/%s", folder, file);

	if (data_find(kind, name, &path))
		tap_fail("%s: %s", name, fail_message());
	if (strcmp(path, expected))
		tap_fail("%s gives %s", name, path);
}

static void check_missing(const char *kind, const char *name, const char *sentence)
{
	char *path = NULL;

	check_equal(data_find(kind, name, &path), -EINVAL);
	if (strcmp(fail_message(), sentence))
		tap_fail("%s says: %s", name, fail_message());
	check(path == NULL);
}

TEST(a_name_is_looked_up_below_the_root)
{
	check_found("drives", "first-1tb", "drives/first-1tb.yaml");
	check_found("workloads", "random", "workloads/random.yaml");
	check_found("workloads/plans", "corners", "workloads/plans/corners.yaml");
}

TEST(a_path_is_taken_as_it_is)
{
	static const char *const paths[] = { "./first-1tb", "/nowhere/x", "first-1tb.yaml" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		_cleanup_free_ char *path = NULL;

		check_equal(data_find("drives", paths[i], &path), 0);
		check(strcmp(path, paths[i]) == 0);
	}
}

TEST(aliases_are_found_in_every_way_yaml_lists_them)
{
	check_found("drives", "first", "drives/first-1tb.yaml");
	check_found("drives", "the-first", "drives/first-1tb.yaml");
	check_found("drives", "second", "drives/second-2tb.yaml");
	check_found("drives", "deux", "drives/second-2tb.yaml");
	check_found("drives", "third", "drives/third-3tb.yaml");
}

TEST(what_is_no_alias_is_not_found)
{
	check_missing("drives", "comment", "no drive is called 'comment' "
					   "(there are: first-1tb, second-2tb, third-3tb)");
	check_missing("drives", "other", "no drive is called 'other' "
					 "(there are: first-1tb, second-2tb, third-3tb)");
}

TEST(a_name_wins_over_an_alias)
{
	/* third-3tb.yaml claims the name of another file. */
	check_found("drives", "second-2tb", "drives/second-2tb.yaml");
}

TEST(the_beginning_of_a_name_is_answered_with_all_that_go_on_like_it)
{
	static const char *const names[] = { "disk-1tb", "disk-2tb", "disk-4tb" };

	make_folder("lists");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		_cleanup_free_ char *path = xasprintf("lists/%s.yaml", names[i]);

		write_file(path, "");
	}
	check_missing("lists", "DISK", "no lists is called 'DISK' "
				       "(did you mean 'disk-1tb', 'disk-2tb' or 'disk-4tb'?)");
	check_missing("lists", "di", "no lists is called 'di' (there are: disk-1tb, disk-2tb, disk-4tb)");
	check_missing("drives", "thi", "no drive is called 'thi' (did you mean 'third-3tb'?)");
}

TEST(a_wrong_name_is_answered_with_the_nearest)
{
	check_missing("drives", "frist-1tb",
		      "no drive is called 'frist-1tb' (did you mean 'first-1tb'?)");
	check_missing("drives", "SECONDX", "no drive is called 'SECONDX' (did you mean 'second'?)");
	check_missing("workloads", "randm",
		      "no workload is called 'randm' (did you mean 'random'?)");
	check_missing("workloads/plans", "x", "no plan is called 'x' (there are: corners)");
	check_missing("drives", "", "no drive is called '' "
				    "(there are: first-1tb, second-2tb, third-3tb)");
}

TEST(the_list_is_sorted_and_has_only_yaml_files)
{
	char **names;
	size_t count;

	check_equal(data_list("drives", &names, &count), 0);
	check_equal(count, 3);
	check(strcmp(names[0], "first-1tb") == 0);
	check(strcmp(names[1], "second-2tb") == 0);
	check(strcmp(names[2], "third-3tb") == 0);
	data_list_free(names, count);
}

TEST(a_missing_folder_says_where_it_looked)
{
	char **names, *path;
	size_t count;

	check_equal(data_list("beds", &names, &count), -ENOENT);
	check(strstr(fail_message(), "/beds: No such file or directory"));
	check_equal(data_find("beds", "bare-metal", &path), -ENOENT);
}

TEST(nearest_allows_a_third_of_the_word_and_no_more)
{
	static const char *const keys[] = { "read", "program", "erase", "suspend", "suspends_max" };

	check(data_nearest("tRead", keys, 5) == keys[0]);
	check(data_nearest("raed", keys, 5) == keys[0]); /* a swap is one step */
	check(data_nearest("porgram", keys, 5) == keys[1]);
	check(data_nearest("READ", keys, 5) == keys[0]);
	check(data_nearest("suspends", keys, 5) == keys[3]);
	check(data_nearest("reading", keys, 5) == NULL); /* three steps of seven letters */
	check(data_nearest("readin", keys, 5) == keys[0]); /* two of six */
	check(data_nearest("xy", keys, 5) == NULL);
	check(data_nearest("", keys, 5) == NULL);
	check(data_nearest("read", keys, 0) == NULL);
}

TEST(nearest_takes_words_of_any_length)
{
	char word[5000];
	const char *words[2] = { word, "read" };

	memset(word, 'r', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	check(data_nearest(word, words, 2) == NULL);
	check(data_nearest("rad", words, 2) == words[1]);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
	(void)st;
	(void)kind;
	(void)walk;
	return remove(path);
}

int main(void)
{
	int status;

	if (!mkdtemp(folder))
		return 1;
	make_folder("drives");
	make_folder("workloads");
	make_folder("workloads/plans");
	write_file("drives/first-1tb.yaml",
		   "name: first-1tb\naliases: [first, \"the-first\"] # comment\nnotes: x\n");
	write_file("drives/second-2tb.yaml",
		   "aliases:\n  - second\n  # comment\n  - 'deux'\nname: second-2tb\n- other\n");
	write_file("drives/third-3tb.yaml", "aliases:\n- third\n- second-2tb\nnotes:\n  - other\n");
	write_file("drives/.hidden.yaml", "");
	write_file("drives/README.md", "");
	write_file("workloads/random.yaml", "");
	write_file("workloads/plans/corners.yaml", "");
	data_set_root(folder);
	status = tap_run();
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return status;
}
