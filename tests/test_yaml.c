#include "base/yaml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "tap.h"

static struct yml *parse(const char *text)
{
	struct yml *yaml;

	if (yml_parse("f.yaml", text, strlen(text), &yaml))
		tap_fail("%s", fail_message());
	return yaml;
}

static void check_refused_bytes(const void *bytes, size_t size, const char *sentence)
{
	struct yml *yaml = NULL;

	check_equal(yml_parse("f.yaml", bytes, size, &yaml), -EINVAL);
	if (strcmp(fail_message(), sentence))
		tap_fail("says: %s", fail_message());
	check(yaml == NULL);
}

static void check_refused(const char *text, const char *sentence)
{
	check_refused_bytes(text, strlen(text), sentence);
}

TEST(a_file_becomes_a_tree_that_knows_its_lines)
{
	struct yml *yaml = parse("# comment\na: 1\nb:\n  c: [x, 'y']\n  d: |\n    two\n    lines\n");
	const struct yml_node *b = yml_child(yaml->root, "b"), *c = yml_child(b, "c");

	check_equal(yaml->root->count, 2);
	check_equal(yml_child(yaml->root, "a")->line, 2);
	check(strcmp(yml_child(yaml->root, "a")->text, "1") == 0);
	check_equal(b->key_line, 3);
	check_equal(b->kind, YML_MAP);
	check_equal(c->kind, YML_LIST);
	check_equal(c->count, 2);
	check(strcmp(c->first->text, "x") == 0);
	check(strcmp(c->first->next->text, "y") == 0);
	check_equal(c->first->line, 4);
	check(strcmp(yml_child(b, "d")->text, "two\nlines\n") == 0);
	check(yml_child(yaml->root, "c") == NULL);
	yml_free(yaml);
	yml_free(NULL);
}

TEST(the_text_is_kept_as_it_was)
{
	static const char text[] = "# why\na:   1\n";
	struct yml *yaml = parse(text);

	check(strcmp(yaml->text, text) == 0);
	check(strcmp(yaml->path, "f.yaml") == 0);
	yml_free(yaml);
}

TEST(what_is_no_mapping_is_refused)
{
	check_refused("", "f.yaml:1: the file is empty");
	check_refused("# only a comment\n", "f.yaml:1: the file is empty");
	check_refused("\n\n- a\n",
		      "f.yaml:3: the file must be a mapping (key: value), not a list");
	check_refused("hello\n",
		      "f.yaml:1: the file must be a mapping (key: value), not a single text");
}

TEST(what_is_no_yaml_is_refused_with_its_line)
{
	check_refused("a: 1\nb: [1, 2\nc: 3\n",
		      "f.yaml:3: not YAML: while parsing a flow sequence: did not find expected ',' "
		      "or ']'");
	check_refused("a: \"x\n", "f.yaml:2: not YAML: while scanning a quoted scalar: found unexpected "
				  "end of stream");
	check_refused("a: 1\n\tb: 2\n", "f.yaml:2: not YAML: while scanning a plain scalar: found a tab "
					"character that violates indentation");
	check_refused("a: 1\n b: 2\n",
		      "f.yaml:2: not YAML: mapping values are not allowed in this context");
}

TEST(binary_garbage_is_refused_with_its_line)
{
	static const char control[] = "a: 1\nb: \001\n", utf8[] = "a: 1\n\nb: \xff\xfe\n";
	static const unsigned char zeros[100];

	check_refused_bytes(control, sizeof(control) - 1,
			    "f.yaml:2: not YAML: control characters are not allowed");
	check_refused_bytes(utf8, sizeof(utf8) - 1,
			    "f.yaml:3: not YAML: invalid leading UTF-8 octet");
	check_refused_bytes(zeros, sizeof(zeros),
			    "f.yaml:1: not YAML: control characters are not allowed");
	check_refused("a: \"x\\0y\"\n", "f.yaml:1: a text contains a NUL character");
}

TEST(a_key_that_appears_twice_is_refused)
{
	check_refused("a: 1\nb: 2\na: 3\n", "f.yaml:3: key 'a' appears twice (first in line 1)");
	check_refused("a: {b: 1, b: 2}\n", "f.yaml:1: key 'b' appears twice (first in line 1)");
	yml_free(parse("a: {b: 1}\nc: {b: 1}\n"));
}

TEST(what_makes_yaml_dangerous_is_refused)
{
	check_refused("a: &x 1\nb: *x\n", "f.yaml:1: anchors and aliases (&x, *x) are not supported: "
					  "write the value out");
	check_refused("a: 1\nb: *x\n", "f.yaml:2: anchors and aliases (&x, *x) are not supported: "
				       "write the value out");
	check_refused("a: !!int 1\n",
		      "f.yaml:1: tags (!x) are not supported: write the value alone");
	check_refused("a: &x [1]\n", "f.yaml:1: anchors and aliases (&x, *x) are not supported: "
				     "write the value out");
	check_refused("a: &x {b: 1}\n", "f.yaml:1: anchors and aliases (&x, *x) are not supported: "
					"write the value out");
	check_refused("? [1, 2]\n: 3\n", "f.yaml:1: a key must be a plain word");
	check_refused("a: 1\n---\nb: 2\n",
		      "f.yaml:2: a second document begins here; a file is one document");
}

static void put_nested(struct buf *out, int lists)
{
	buf_puts(out, "a: ");
	for (int i = 0; i < lists; i++)
		buf_puts(out, "[");
	buf_puts(out, "1");
	for (int i = 0; i < lists; i++)
		buf_puts(out, "]");
}

TEST(nesting_is_bounded)
{
	_cleanup_buf_ struct buf allowed = BUF_INIT, deep = BUF_INIT, absurd = BUF_INIT;

	put_nested(&allowed, YML_DEPTH - 1);
	yml_free(parse(allowed.text));
	put_nested(&deep, YML_DEPTH);
	check_refused(deep.text, "f.yaml:1: nested too deeply");
	put_nested(&absurd, 200000);
	check_refused(absurd.text, "f.yaml:1: nested too deeply");
}

TEST(the_number_of_values_is_bounded)
{
	_cleanup_buf_ struct buf many = BUF_INIT;

	buf_puts(&many, "a: [");
	for (int i = 0; i < YML_NODES - 2; i++)
		buf_puts(&many, "1,");
	buf_puts(&many, "]\n");
	yml_free(parse(many.text));
	many.size -= 2;
	buf_puts(&many, "1]\n");
	check_refused(many.text, "f.yaml:1: more values than any file of drivebay needs");
}

TEST(a_huge_file_is_refused_unread)
{
	char path[] = "/tmp/drivebay-yaml-XXXXXX";
	_cleanup_close_ int fd = mkstemp(path);
	struct yml *yaml;

	check(fd >= 0);
	check(ftruncate(fd, 1ll << 40) == 0);
	check_equal(yml_load(path, &yaml), -EINVAL);
	check(strstr(fail_message(), ":1: larger than 1024 KiB, which no file of drivebay is"));
	unlink(path);
}

TEST(a_file_of_exactly_the_limit_is_read)
{
	_cleanup_buf_ struct buf text = BUF_INIT;

	buf_puts(&text, "a: 1\n#");
	while (text.size < YML_BYTES)
		buf_puts(&text, "x");
	yml_free(parse(text.text));
	buf_puts(&text, "x");
	check_refused(text.text, "f.yaml:1: larger than 1024 KiB, which no file of drivebay is");
}

TEST(what_cannot_be_opened_is_named)
{
	struct yml *yaml;

	check_equal(yml_load("/nowhere/x.yaml", &yaml), -EINVAL);
	check(strcmp(fail_message(), "/nowhere/x.yaml: No such file or directory") == 0);
	check_equal(yml_load("/tmp", &yaml), -EINVAL);
	check(strcmp(fail_message(), "/tmp: Is a directory") == 0);
}

struct example {
	char *word;
	uint64_t size, kind, count;
	uint32_t small;
	struct yml_strings list;
};

static const char *const kinds[] = { "first", "second", NULL };

static const struct yml_key example_keys[] = {
	{ "word", yml_read_string, offsetof(struct example, word), true, "a word" },
	{ "size", yml_read_size, offsetof(struct example, size), false, NULL, 512, 1 << 20 },
	{ "kind", yml_read_word, offsetof(struct example, kind), false, NULL, 0, 0, kinds },
	{ "count", yml_read_count, offsetof(struct example, count), true, NULL },
	{ "small", yml_read_count32, offsetof(struct example, small), false, NULL, 0, UINT32_MAX },
	{ "list", yml_read_strings, offsetof(struct example, list), false, NULL },
	{ NULL },
};

static int read_example(const char *text, struct example *out)
{
	struct yml *yaml = parse(text);
	int err;

	*out = (struct example){ 0 };
	err = yml_read_map(yaml, yaml->root, example_keys, out);
	yml_free(yaml);
	return err;
}

static void free_example(struct example *example)
{
	free(example->word);
	yml_strings_free(&example->list);
}

static void check_example_refused(const char *text, const char *sentence)
{
	struct example example;

	check_equal(read_example(text, &example), -EINVAL);
	if (strcmp(fail_message(), sentence))
		tap_fail("says: %s", fail_message());
	free_example(&example);
}

TEST(a_table_maps_a_mapping_onto_a_struct)
{
	struct example example;

	check_equal(read_example("count: 10k\nword: yes\nkind: second\nsize: 4K\nlist: [a, b]\n"
				 "small: 4294967295\n", &example), 0);
	check(strcmp(example.word, "yes") == 0);
	check_equal(example.size, 4096);
	check_equal(example.kind, 1);
	check_equal(example.count, 10000);
	check_equal(example.small, UINT32_MAX);
	check_equal(example.list.count, 2);
	check(strcmp(example.list.texts[1], "b") == 0);
	free_example(&example);
}

TEST(a_single_value_stands_for_a_list_of_one)
{
	struct example example;

	check_equal(read_example("count: 1\nword: w\nlist: a\n", &example), 0);
	check_equal(example.list.count, 1);
	free_example(&example);
	check_equal(read_example("count: 1\nword: w\nlist: []\n", &example), 0);
	check_equal(example.list.count, 0);
	free_example(&example);
	check_example_refused("count: 1\nword: w\nlist: [a, [b]]\n",
			      "f.yaml:3: list: a single value must stand here, not a list");
	check_example_refused("count: 1\nword: w\nlist: {a: b}\n",
			      "f.yaml:3: list: a list of values must stand here, not a mapping");
}

TEST(a_range_includes_its_ends)
{
	struct example example;

	check_equal(read_example("count: 1\nword: w\nsize: 512\n", &example), 0);
	free_example(&example);
	check_equal(read_example("count: 1\nword: w\nsize: 1M\n", &example), 0);
	free_example(&example);
	check_example_refused("count: 1\nword: w\nsize: 511\n",
			      "f.yaml:3: size: '511' is out of range (512 B to 1 MiB)");
	check_example_refused("count: 1\nword: w\nsize: 1048577\n",
			      "f.yaml:3: size: '1048577' is out of range (512 B to 1 MiB)");
	check_example_refused("count: 1\nword: w\nsmall: 4294967296\n",
			      "f.yaml:3: small: '4294967296' is out of range (0 to 4294967295)");
}

TEST(a_long_unknown_key_is_quoted_shortened)
{
	_cleanup_buf_ struct buf text = BUF_INIT;
	struct example example;

	for (int i = 0; i < 100; i++)
		buf_puts(&text, "0123456789");
	buf_puts(&text, ": 1\n");
	check_equal(read_example(text.text, &example), -EINVAL);
	check(strlen(fail_message()) < 200);
}

TEST(an_unknown_key_comes_before_a_missing_one)
{
	/* A typo makes both: the one that helps is the typo. */
	check_example_refused("wrod: w\ncount: 1\n",
			      "f.yaml:1: unknown key 'wrod' at the top level (did you mean 'word'?)");
	check_example_refused("word: w\n", "f.yaml:1: missing key 'count' at the top level");
}

int main(void)
{
	return tap_run();
}
