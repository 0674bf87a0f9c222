#include "cli/fitted.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "base/units.h"
#include "base/yaml.h"

/* ---- reading ---- */

/* The offset of a line of the text, counted from 1. */
static size_t line_offset(const char *text, unsigned line)
{
	const char *at = text;

	for (unsigned i = 1; i < line && at; i++) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return at ? (size_t)(at - text) : strlen(text);
}

/* Where the scalar of `node`, the child "value" of its mapping, stands: behind that key. */
static int find_value(const struct yml *yaml, const struct yml_node *node, size_t *out)
{
	const char *line = yaml->text + line_offset(yaml->text, node->key_line);
	const char *at = strstr(line, "value:");

	if (at)
		at += strlen("value:");
	while (at && (*at == ' ' || *at == '\t'))
		at++;
	if (!at || strncmp(at, node->text, strlen(node->text)))
		return yml_fail(yaml, node, "a calibrated value stands behind its key, without quotes");
	*out = (size_t)(at - yaml->text);
	return 0;
}

static char *take_word(const char **text)
{
	size_t length;
	char *word;

	*text += strspn(*text, " ");
	length = strcspn(*text, " ");
	word = xasprintf("%.*s", (int)length, *text);
	*text += length;
	return word;
}

/* "TEST STATISTIC" or "DRIVE TEST STATISTIC": the reader of values has counted the words. */
static int read_row(const struct yml *yaml, const struct yml_node *node, const char *drive,
		    struct fitted_row *row)
{
	const char *rest = node->text;
	char *words[3];

	for (size_t i = 0; i < 3; i++)
		words[i] = take_word(&rest);
	row->line = node->line;
	if (*words[2]) {
		row->drive = words[0];
		row->test = words[1];
		row->statistic = words[2];
		return 0;
	}
	free(words[2]);
	row->drive = drive ? xstrdup(drive) : NULL;
	row->test = words[0];
	row->statistic = words[1];
	return drive ? 0 : yml_fail(yaml, node, "'%.60s' names no drive: DRIVE TEST STATISTIC", node->text);
}

static int read_rows(const struct yml *yaml, const struct yml_node *list, const char *drive,
		     struct fitted_value *value)
{
	int err = 0;

	value->rows = xcalloc(list->count, sizeof(*value->rows));
	for (const struct yml_node *one = list->first; !err && one; one = one->next)
		err = read_row(yaml, one, drive, &value->rows[value->row_count++]);
	return err;
}

static void read_among(const struct yml_node *list, struct fitted_value *value)
{
	value->among = xcalloc(list->count, sizeof(*value->among));
	for (const struct yml_node *one = list->first; one; one = one->next)
		value->among[value->among_count++] = xstrdup(one->text);
}

static int read_kind(const struct yml *yaml, const struct yml_node *map, struct fitted_value *value)
{
	uint64_t number = 0;

	if (value->among_count)
		value->kind = FITTED_CHOICE;
	else if (!parse_duration(value->prior, &number))
		value->kind = FITTED_DURATION;
	else if (!parse_speed(value->prior, &number))
		value->kind = FITTED_SPEED;
	else
		return yml_fail(yaml, map, "needs 'among', a list to choose from: only durations and "
				 "speeds are searched");
	if (value->kind != FITTED_CHOICE && number == 0)
		return yml_fail(yaml, yml_child(map, "prior"), "the search for a value begins above 0");
	return 0;
}

static int read_value(const struct yml *yaml, const struct yml_node *map, const char *drive,
		      struct fitted_value *value)
{
	const struct yml_node *text = yml_child(map, "value"), *rows = yml_child(map, "fitted");
	const struct yml_node *among = yml_child(map, "among"), *prior = yml_child(map, "prior");
	bool is_inner = map->parent && map->parent->key;
	int err;

	value->name = is_inner ? xasprintf("%s.%s", map->parent->key, map->key) : xstrdup(map->key);
	value->line = map->key_line;
	value->value = xstrdup(text->text);
	if (!rows)
		return 0;
	value->prior = xstrdup(prior->text);
	if (among)
		read_among(among, value);
	err = read_kind(yaml, map, value);
	if (!err)
		err = find_value(yaml, text, &value->at);
	return err ? err : read_rows(yaml, rows, drive, value);
}

static bool is_calibrated(const struct yml_node *map)
{
	const struct yml_node *mark = yml_child(map, "mark"), *value = yml_child(map, "value");

	return mark && mark->kind == YML_SCALAR && !strcmp(mark->text, "calibrated") && value &&
	       value->kind == YML_SCALAR;
}

/* Values stand at the top of a bed, and in the sections of a drive. */
static int walk(const struct yml *yaml, const struct yml_node *map, const char *drive,
		struct fitted_file *file)
{
	int err = 0;

	for (const struct yml_node *node = map->first; !err && node; node = node->next) {
		if (node->kind != YML_MAP)
			continue;
		if (!is_calibrated(node)) {
			err = walk(yaml, node, drive, file);
			continue;
		}
		file->values = xrealloc(file->values, (file->count + 1) * sizeof(*file->values));
		file->values[file->count] = (struct fitted_value){ 0 };
		err = read_value(yaml, node, drive, &file->values[file->count++]);
	}
	return err;
}

static int file_of(struct yml *yaml, const char *drive, struct fitted_file **out)
{
	struct fitted_file *file = xcalloc(1, sizeof(*file));
	int err;

	file->path = xstrdup(yaml->path);
	file->text = xstrdup(yaml->text);
	err = walk(yaml, yaml->root, drive, file);
	yml_free(yaml);
	if (err) {
		fitted_free(file);
		return err;
	}
	*out = file;
	return 0;
}

int fitted_load(const char *path, const char *drive, struct fitted_file **out)
{
	struct yml *yaml;
	int err = yml_load(path, &yaml);

	return err ? err : file_of(yaml, drive, out);
}

int fitted_parse(const char *path, const char *text, size_t size, const char *drive,
		 struct fitted_file **out)
{
	struct yml *yaml;
	int err = yml_parse(path, text, size, &yaml);

	return err ? err : file_of(yaml, drive, out);
}

static void value_free(struct fitted_value *value)
{
	for (size_t i = 0; i < value->among_count; i++)
		free(value->among[i]);
	for (size_t i = 0; i < value->row_count; i++) {
		free(value->rows[i].drive);
		free(value->rows[i].test);
		free(value->rows[i].statistic);
	}
	free(value->among);
	free(value->rows);
	free(value->name);
	free(value->value);
	free(value->prior);
}

void fitted_free(struct fitted_file *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < file->count; i++)
		value_free(&file->values[i]);
	free(file->values);
	free(file->path);
	free(file->text);
	free(file);
}

/* ---- writing ---- */

char *fitted_text(const struct fitted_file *file, const char *const *texts)
{
	struct buf out = BUF_INIT;
	size_t from = 0;

	for (size_t i = 0; i < file->count; i++) {
		const struct fitted_value *value = &file->values[i];

		if (!texts[i])
			continue;
		assert(value->at >= from);
		buf_append(&out, file->text + from, value->at - from);
		buf_puts(&out, texts[i]);
		from = value->at + strlen(value->value);
	}
	buf_puts(&out, file->text + from);
	return out.text;
}

static int put_text(FILE *out, const char *text)
{
	int err = fputs(text, out) < 0 || fflush(out) || fsync(fileno(out)) ? errno : 0;

	if (fclose(out) && !err)
		err = errno;
	return err;
}

int fitted_write(const struct fitted_file *file, const char *const *texts)
{
	_cleanup_free_ char *beside = xasprintf("%s.new-XXXXXX", file->path);
	_cleanup_free_ char *text = fitted_text(file, texts);
	struct stat st;
	FILE *out;
	int err, fd = stat(file->path, &st) ? -1 : mkstemp(beside);

	if (fd < 0)
		return fail(errno == EINVAL ? EIO : errno, "%s: cannot be written: %s", file->path,
			    strerror(errno));
	fchmod(fd, st.st_mode & 0777);
	out = fdopen(fd, "w");
	err = out ? put_text(out, text) : errno;
	if (!err && rename(beside, file->path))
		err = errno;
	if (!err)
		return 0;
	unlink(beside);
	return fail(err, "%s: cannot be written: %s", file->path, strerror(err));
}

/* ---- numbers ---- */

double fitted_number(enum fitted_kind kind, const char *text)
{
	uint64_t number = 0;
	int err = kind == FITTED_SPEED ? parse_speed(text, &number) : parse_duration(text, &number);

	assert(kind != FITTED_CHOICE);
	assert(!err);
	return (double)number;
}

char *fitted_format(enum fitted_kind kind, double number)
{
	static const char *const units[][2] = { { "ns", "B/s" }, { "us", "kB/s" }, { "ms", "MB/s" },
						{ "s", "GB/s" } };
	char digits[32];
	size_t unit = 0;
	double rounded;

	/* First three digits, then the unit: 999.6 ns are 1us. */
	snprintf(digits, sizeof(digits), "%.2e", number);
	rounded = strtod(digits, NULL);
	if (rounded < 1)
		rounded = 1;
	while (rounded >= 1000 && unit < 3) {
		rounded /= 1000;
		unit++;
	}
	/* No more places than the unit has: a nanosecond is whole. */
	return unit ? xasprintf("%.3g%s", rounded, units[unit][kind == FITTED_SPEED]) :
		      xasprintf("%.0f%s", rounded, units[unit][kind == FITTED_SPEED]);
}
