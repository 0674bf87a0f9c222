#include "base/yaml.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <yaml.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/data.h"
#include "base/fail.h"
#include "base/units.h"

/* Building the tree. */
struct builder {
	struct yml *yaml;
	yaml_parser_t parser;
	size_t nodes, size_bytes;
};

static int fail_at(const struct builder *builder, size_t line0, const char *sentence)
{
	return fail(EINVAL, "%s:%zu: %s", builder->yaml->path, line0 + 1, sentence);
}

static size_t line_of_offset(const char *text, size_t size, size_t offset)
{
	size_t lines = 0;

	for (size_t i = 0; i < offset && i < size; i++)
		lines += text[i] == '\n';
	return lines;
}

/* libyaml's own complaint. Its reader knows an offset in place of a line. */
static int not_yaml(const struct builder *builder)
{
	const yaml_parser_t *parser = &builder->parser;
	size_t line0 = parser->problem_mark.line;

	if (parser->error == YAML_READER_ERROR)
		line0 = line_of_offset(builder->yaml->text, builder->size_bytes,
				       parser->problem_offset);
	return fail(EINVAL, "%s:%zu: not YAML: %s%s%s", builder->yaml->path, line0 + 1,
		    parser->context ? parser->context : "", parser->context ? ": " : "",
		    parser->problem ? parser->problem : "it cannot be read");
}

static int next_event(struct builder *builder, yaml_event_t *event)
{
	if (!yaml_parser_parse(&builder->parser, event))
		return not_yaml(builder);
	return 0;
}

static void cleanup_event(yaml_event_t *event)
{
	yaml_event_delete(event);
}

#define _cleanup_event_ __attribute__((cleanup(cleanup_event)))

static struct yml_node *node_new(enum yml_kind kind, size_t line0,
				  const struct yml_node *parent)
{
	struct yml_node *node = xcalloc(1, sizeof(*node));

	node->kind = kind;
	node->line = node->key_line = (unsigned)line0 + 1;
	node->parent = parent;
	return node;
}

static void node_free(struct yml_node *node)
{
	while (node) {
		struct yml_node *next = node->next;

		node_free(node->first); /* at most YML_DEPTH deep */
		free(node->key);
		free(node->text);
		free(node);
		node = next;
	}
}

static int scalar_text(const struct builder *builder, const yaml_event_t *event, char **text)
{
	const char *value = (const char *)event->data.scalar.value;
	size_t length = event->data.scalar.length;

	if (memchr(value, '\0', length))
		return fail_at(builder, event->start_mark.line, "a text contains a NUL character");
	*text = xasprintf("%s", value);
	return 0;
}

static int refuse_extras(const struct builder *builder, const yaml_event_t *event)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;

	if (event->type == YAML_ALIAS_EVENT)
		anchor = event->data.alias.anchor;
	if (event->type == YAML_SCALAR_EVENT) {
		anchor = event->data.scalar.anchor;
		tag = event->data.scalar.tag;
	}
	if (event->type == YAML_SEQUENCE_START_EVENT) {
		anchor = event->data.sequence_start.anchor;
		tag = event->data.sequence_start.tag;
	}
	if (event->type == YAML_MAPPING_START_EVENT) {
		anchor = event->data.mapping_start.anchor;
		tag = event->data.mapping_start.tag;
	}
	if (anchor)
		return fail_at(builder, event->start_mark.line,
			       "anchors and aliases (&x, *x) are not supported: write the value out");
	if (tag)
		return fail_at(builder, event->start_mark.line,
			       "tags (!x) are not supported: write the value alone");
	return 0;
}

static int build(struct builder *builder, const yaml_event_t *event, struct yml_node *parent,
		 unsigned depth, struct yml_node **out);

static int check_duplicate(const struct builder *builder, const struct yml_node *map,
			   const char *key, size_t line0)
{
	const struct yml_node *earlier = yml_child(map, key);

	if (!earlier)
		return 0;
	return fail(EINVAL, "%s:%zu: key '%.60s' appears twice (first in line %u)",
		    builder->yaml->path, line0 + 1, key, earlier->key_line);
}

/* The key that `event` carries and the value behind it, as a new child of `map`. */
static int build_pair(struct builder *builder, const yaml_event_t *event, struct yml_node *map,
		      unsigned depth, struct yml_node **out)
{
	_cleanup_event_ yaml_event_t value = { 0 };
	_cleanup_free_ char *key = NULL;
	int err = refuse_extras(builder, event);

	if (err)
		return err;
	if (event->type != YAML_SCALAR_EVENT)
		return fail_at(builder, event->start_mark.line, "a key must be a plain word");
	err = scalar_text(builder, event, &key);
	if (!err)
		err = check_duplicate(builder, map, key, event->start_mark.line);
	if (!err)
		err = next_event(builder, &value);
	if (!err)
		err = build(builder, &value, map, depth, out);
	if (err)
		return err;
	(*out)->key = key;
	(*out)->key_line = (unsigned)event->start_mark.line + 1;
	key = NULL;
	return 0;
}

/* Children up to the event that ends the list or mapping `node`. */
static int build_children(struct builder *builder, struct yml_node *node, unsigned depth)
{
	struct yml_node **tail = &node->first;

	for (;;) {
		_cleanup_event_ yaml_event_t event = { 0 };
		int err = next_event(builder, &event);

		if (err)
			return err;
		if (event.type == YAML_MAPPING_END_EVENT || event.type == YAML_SEQUENCE_END_EVENT)
			return 0;
		if (node->kind == YML_MAP)
			err = build_pair(builder, &event, node, depth, tail);
		else
			err = build(builder, &event, node, depth, tail);
		if (err)
			return err;
		node->count++;
		tail = &(*tail)->next;
	}
}

/* The node that begins with `event`; on an error nothing is left in *out. */
static int build(struct builder *builder, const yaml_event_t *event, struct yml_node *parent,
		 unsigned depth, struct yml_node **out)
{
	size_t line0 = event->start_mark.line;
	struct yml_node *node;
	int err = refuse_extras(builder, event);

	if (err)
		return err;
	if (depth > YML_DEPTH)
		return fail_at(builder, line0, "nested too deeply");
	if (++builder->nodes > YML_NODES)
		return fail_at(builder, line0, "more values than any file of drivebay needs");
	if (event->type == YAML_SCALAR_EVENT) {
		node = node_new(YML_SCALAR, line0, parent);
		err = scalar_text(builder, event, &node->text);
	} else {
		node = node_new(event->type == YAML_MAPPING_START_EVENT ? YML_MAP : YML_LIST, line0,
				parent);
		err = build_children(builder, node, depth + 1);
	}
	if (err)
		node_free(node);
	else
		*out = node;
	return err;
}

/* The events around the root: stream and document begin, and both end behind it. */
static int build_document(struct builder *builder)
{
	struct yml *yaml = builder->yaml;

	for (;;) {
		_cleanup_event_ yaml_event_t event = { 0 };
		int err = next_event(builder, &event);

		if (err)
			return err;
		if (event.type == YAML_STREAM_END_EVENT)
			break;
		if (event.type == YAML_STREAM_START_EVENT || event.type == YAML_DOCUMENT_END_EVENT)
			continue;
		if (event.type == YAML_DOCUMENT_START_EVENT) {
			if (yaml->root)
				return fail_at(builder, event.start_mark.line,
					       "a second document begins here; a file is one document");
			continue;
		}
		err = build(builder, &event, NULL, 0, &yaml->root);
		if (err)
			return err;
	}
	if (!yaml->root)
		return fail(EINVAL, "%s:1: the file is empty", yaml->path);
	if (yaml->root->kind != YML_MAP)
		return fail(EINVAL, "%s:%u: the file must be a mapping (key: value), not a %s",
			    yaml->path, yaml->root->line,
			    yaml->root->kind == YML_LIST ? "list" : "single text");
	return 0;
}

int yml_parse(const char *path, const void *bytes, size_t size, struct yml **out)
{
	struct builder builder = { .size_bytes = size };
	int err;

	if (size > YML_BYTES)
		return fail(EINVAL, "%s:1: larger than %d KiB, which no file of drivebay is", path,
			    YML_BYTES / 1024);
	builder.yaml = xcalloc(1, sizeof(*builder.yaml));
	builder.yaml->path = xstrdup(path);
	builder.yaml->text = xmalloc(size + 1);
	if (size)
		memcpy(builder.yaml->text, bytes, size);
	builder.yaml->text[size] = '\0';
	if (!yaml_parser_initialize(&builder.parser))
		abort(); /* out of memory, as in xmalloc */
	yaml_parser_set_input_string(&builder.parser, (const unsigned char *)builder.yaml->text,
				     size);
	err = build_document(&builder);
	yaml_parser_delete(&builder.parser);
	if (err)
		yml_free(builder.yaml);
	else
		*out = builder.yaml;
	return err;
}

int yml_load(const char *path, struct yml **out)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *bytes = xmalloc(YML_BYTES + 1);
	size_t size = 0;
	ssize_t got = 1;

	if (fd < 0)
		return fail(EINVAL, "%s: %s", path, strerror(errno));
	while (size <= YML_BYTES && got > 0) {
		got = read(fd, bytes + size, YML_BYTES + 1 - size);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0)
			size += (size_t)got;
	}
	if (got < 0)
		return fail(errno == EISDIR ? EINVAL : errno, "%s: %s", path, strerror(errno));
	return yml_parse(path, bytes, size, out);
}

void yml_free(struct yml *yaml)
{
	if (!yaml)
		return;
	node_free(yaml->root);
	free(yaml->path);
	free(yaml->text);
	free(yaml);
}

/* "nand.read.value": the keys that lead to a node. */
static void put_place(struct buf *out, const struct yml_node *node)
{
	if (node->parent)
		put_place(out, node->parent);
	if (node->key)
		buf_printf(out, "%s%.60s", out->size ? "." : "", node->key);
}

int yml_fail(const struct yml *yaml, const struct yml_node *node, const char *format, ...)
{
	_cleanup_buf_ struct buf place = BUF_INIT;
	char sentence[800];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	put_place(&place, node);
	return fail(EINVAL, "%s:%u: %s%s%s", yaml->path, node->line, place.size ? place.text : "",
		    place.size ? ": " : "", sentence);
}

const struct yml_node *yml_child(const struct yml_node *map, const char *key)
{
	for (const struct yml_node *node = map->first; node; node = node->next)
		if (node->key && strcmp(node->key, key) == 0)
			return node;
	return NULL;
}

/* "in section 'nand'", "in 'nand.read'", "in a step": where a key stands, in words. */
static void put_where(struct buf *out, const struct yml_node *map)
{
	_cleanup_buf_ struct buf place = BUF_INIT;

	put_place(&place, map);
	if (!map->parent)
		buf_puts(out, "at the top level");
	else if (map->key && !map->parent->parent)
		buf_printf(out, "in section '%.60s'", map->key);
	else
		buf_printf(out, "in '%s'", place.size ? place.text : "");
}

static const struct yml_key *find_key(const struct yml_key *keys, const char *name)
{
	for (; keys->name; keys++)
		if (strcmp(keys->name, name) == 0)
			return keys;
	return NULL;
}

static int unknown_key(const struct yml *yaml, const struct yml_node *node,
		       const struct yml_key *keys)
{
	_cleanup_buf_ struct buf where = BUF_INIT, known = BUF_INIT;
	_cleanup_free_ const char **names = NULL;
	const char *nearest;
	size_t count = 0;

	while (keys[count].name)
		count++;
	names = xcalloc(count, sizeof(*names));
	for (size_t i = 0; i < count; i++) {
		names[i] = keys[i].name;
		buf_printf(&known, "%s%s", i ? ", " : "", keys[i].name);
	}
	put_where(&where, node->parent);
	nearest = data_nearest(node->key, names, count);
	if (nearest)
		return fail(EINVAL, "%s:%u: unknown key '%.60s' %s (did you mean '%s'?)", yaml->path,
			    node->key_line, node->key, where.text, nearest);
	return fail(EINVAL, "%s:%u: unknown key '%.60s' %s (known: %s)", yaml->path, node->key_line,
		    node->key, where.text, known.text);
}

static int missing_key(const struct yml *yaml, const struct yml_node *map,
		       const struct yml_key *key)
{
	_cleanup_buf_ struct buf where = BUF_INIT;

	put_where(&where, map);
	return fail(EINVAL, "%s:%u: missing key '%s' %s%s%s%s", yaml->path, map->key_line, key->name,
		    where.text, key->help ? " (" : "", key->help ? key->help : "",
		    key->help ? ")" : "");
}

int yml_read_map(const struct yml *yaml, const struct yml_node *map,
		  const struct yml_key *keys, void *to)
{
	if (map->kind != YML_MAP)
		return yml_fail(yaml, map, "a mapping (key: value) must stand here, not a %s",
				 map->kind == YML_LIST ? "list" : "single value");
	for (const struct yml_node *node = map->first; node; node = node->next)
		if (!find_key(keys, node->key))
			return unknown_key(yaml, node, keys);
	for (const struct yml_key *key = keys; key->name; key++) {
		const struct yml_node *node = yml_child(map, key->name);
		int err;

		if (!node && key->required)
			return missing_key(yaml, map, key);
		err = node ? key->read(yaml, node, key, (char *)to + key->offset) : 0;
		if (err)
			return err;
	}
	return 0;
}

static int check_scalar(const struct yml *yaml, const struct yml_node *node)
{
	if (node->kind != YML_SCALAR)
		return yml_fail(yaml, node, "a single value must stand here, not a %s",
				 node->kind == YML_LIST ? "list" : "mapping");
	if (!*node->text)
		return yml_fail(yaml, node, "it has no value");
	return 0;
}

int yml_read_string(const struct yml *yaml, const struct yml_node *node,
		     const struct yml_key *key, void *to)
{
	int err = check_scalar(yaml, node);

	(void)key;
	if (!err) {
		free(*(char **)to);
		*(char **)to = xstrdup(node->text);
	}
	return err;
}

static int read_number(const struct yml *yaml, const struct yml_node *node,
		       const struct yml_key *key, int (*parse)(const char *, uint64_t *),
		       const char *(*format)(uint64_t, char out[static UNITS_BYTES]), uint64_t *to)
{
	char low[UNITS_BYTES], high[UNITS_BYTES];
	int err = check_scalar(yaml, node);
	uint64_t value;

	if (err)
		return err;
	if (parse(node->text, &value)) {
		_cleanup_free_ char *why = xstrdup(fail_message());

		return yml_fail(yaml, node, "%s", why);
	}
	if (key->max && (value < key->min || value > key->max))
		return yml_fail(yaml, node, "'%.60s' is out of range (%s to %s)", node->text,
				 format(key->min, low), format(key->max, high));
	*to = value;
	return 0;
}

int yml_read_size(const struct yml *yaml, const struct yml_node *node,
		   const struct yml_key *key, void *to)
{
	return read_number(yaml, node, key, parse_size, format_size, to);
}

int yml_read_duration(const struct yml *yaml, const struct yml_node *node,
		       const struct yml_key *key, void *to)
{
	return read_number(yaml, node, key, parse_duration, format_duration, to);
}

int yml_read_count(const struct yml *yaml, const struct yml_node *node,
		    const struct yml_key *key, void *to)
{
	return read_number(yaml, node, key, parse_count, format_count, to);
}

int yml_read_percent(const struct yml *yaml, const struct yml_node *node,
		      const struct yml_key *key, void *to)
{
	return read_number(yaml, node, key, parse_percent, format_percent, to);
}

int yml_read_speed(const struct yml *yaml, const struct yml_node *node,
		    const struct yml_key *key, void *to)
{
	return read_number(yaml, node, key, parse_speed, format_speed, to);
}

static const char *format_milli(uint64_t thousandths, char out[static UNITS_BYTES])
{
	if (thousandths % 1000)
		snprintf(out, UNITS_BYTES, "%llu.%03llu", (unsigned long long)thousandths / 1000,
			 (unsigned long long)thousandths % 1000);
	else
		snprintf(out, UNITS_BYTES, "%llu", (unsigned long long)thousandths / 1000);
	return out;
}

int yml_read_milli(const struct yml *yaml, const struct yml_node *node,
		   const struct yml_key *key, void *to)
{
	return read_number(yaml, node, key, parse_milli, format_milli, to);
}

int yml_read_size32(const struct yml *yaml, const struct yml_node *node,
		     const struct yml_key *key, void *to)
{
	uint64_t value = 0;
	int err = yml_read_size(yaml, node, key, &value);

	assert(key->max && key->max <= UINT32_MAX);
	if (!err)
		*(uint32_t *)to = (uint32_t)value;
	return err;
}

int yml_read_count32(const struct yml *yaml, const struct yml_node *node,
		      const struct yml_key *key, void *to)
{
	uint64_t value = 0;
	int err = yml_read_count(yaml, node, key, &value);

	assert(key->max && key->max <= UINT32_MAX);
	if (!err)
		*(uint32_t *)to = (uint32_t)value;
	return err;
}

int yml_read_word(const struct yml *yaml, const struct yml_node *node,
		   const struct yml_key *key, void *to)
{
	_cleanup_buf_ struct buf known = BUF_INIT;
	int err = check_scalar(yaml, node);

	if (err)
		return err;
	for (uint64_t i = 0; key->words[i]; i++) {
		if (strcmp(key->words[i], node->text) == 0) {
			*(uint64_t *)to = i;
			return 0;
		}
		buf_printf(&known, "%s%s", i ? ", " : "", key->words[i]);
	}
	return yml_fail(yaml, node, "'%.60s' is not one of: %s", node->text, known.text);
}

int yml_read_strings(const struct yml *yaml, const struct yml_node *node,
		      const struct yml_key *key, void *to)
{
	const struct yml_node *one = node->kind == YML_LIST ? node->first : node;
	struct yml_strings *strings = to;

	(void)key;
	if (node->kind == YML_MAP)
		return yml_fail(yaml, node, "a list of values must stand here, not a mapping");
	strings->texts = xcalloc(node->kind == YML_LIST ? node->count : 1, sizeof(char *));
	for (; one; one = node->kind == YML_LIST ? one->next : NULL) {
		int err = yml_read_string(yaml, one, key, &strings->texts[strings->count]);

		if (err)
			return err;
		strings->count++;
	}
	return 0;
}

void yml_strings_free(struct yml_strings *strings)
{
	for (size_t i = 0; i < strings->count; i++)
		free(strings->texts[i]);
	free(strings->texts);
	*strings = (struct yml_strings){ NULL, 0 };
}

const char *const yml_marks[] = { "spec", "calibrated", "assumed", NULL };

static int read_prior(const struct yml *yaml, const struct yml_node *node,
		      const struct yml_key *key, void *to)
{
	const struct yml_key *value = key->context;
	uint64_t unused;

	(void)to;
	return value->read(yaml, node, value, &unused);
}

static int read_among(const struct yml *yaml, const struct yml_node *node,
		      const struct yml_key *key, void *to)
{
	int err = 0;

	if (node->kind != YML_LIST || node->count < 2)
		return yml_fail(yaml, node, "a list of two values or more must stand here");
	for (const struct yml_node *one = node->first; !err && one; one = one->next)
		err = read_prior(yaml, one, key, to);
	return err;
}

static size_t words_in(const char *text)
{
	size_t count = 0;

	for (bool between = true; *text; text++) {
		count += between && *text != ' ';
		between = *text == ' ';
	}
	return count;
}

static int read_fitted(const struct yml *yaml, const struct yml_node *node,
		       const struct yml_key *key, void *to)
{
	(void)key;
	(void)to;
	if (node->kind != YML_LIST || !node->count)
		return yml_fail(yaml, node, "a list of figures must stand here, each a test and a "
				 "statistic");
	for (const struct yml_node *one = node->first; one; one = one->next) {
		int err = check_scalar(yaml, one);

		if (err)
			return err;
		if (words_in(one->text) < 2 || words_in(one->text) > 3)
			return yml_fail(yaml, one, "'%.60s' is no figure: a test and a statistic, such as "
					 "'4k-random-write iops', in a bed with the drive before them",
					 one->text);
	}
	return 0;
}

/* How a value is found again is said of calibrated ones, and then whole. */
static int check_fitted(const struct yml *yaml, const struct yml_node *map, uint64_t mark)
{
	static const char *const keys[] = { "fitted", "prior", "among" };
	const struct yml_node *fitted = yml_child(map, "fitted");

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct yml_node *node = yml_child(map, keys[i]);

		if (node && strcmp(yml_marks[mark], "calibrated"))
			return yml_fail(yaml, node, "only of a value with mark: calibrated");
		if (node && !fitted)
			return yml_fail(yaml, node, "only beside 'fitted', the figures that the value was "
					 "fitted to");
	}
	if (fitted && !yml_child(map, "prior"))
		return yml_fail(yaml, fitted, "needs 'prior' beside it: the value one would assume "
				 "without these figures");
	return 0;
}

int yml_read_marked(const struct yml *yaml, const struct yml_node *node,
		     const struct yml_key *value, struct yml_marked *out)
{
	struct yml_key keys[] = {
		*value,
		{ "mark", yml_read_word, offsetof(struct yml_marked, mark), true,
		  "spec, calibrated or assumed", 0, 0, yml_marks },
		{ "source", yml_read_string, offsetof(struct yml_marked, source), true,
		  "where it comes from: a document, the figures it was fitted to, or the reasoning" },
		{ "fitted", read_fitted, 0, false, NULL },
		{ "prior", read_prior, 0, false, NULL, 0, 0, NULL, value },
		{ "among", read_among, 0, false, NULL, 0, 0, NULL, value },
		{ NULL },
	};
	int err;

	keys[0].name = "value";
	keys[0].required = true;
	keys[0].offset = offsetof(struct yml_marked, value);
	*out = (struct yml_marked){ 0 };
	err = yml_read_map(yaml, node, keys, out);
	if (!err)
		err = check_fitted(yaml, node, out->mark);
	if (err) {
		free(out->source);
		out->source = NULL;
	}
	return err;
}
