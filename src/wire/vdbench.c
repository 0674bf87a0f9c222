/* vdbench.c - the lines of a vdbench parameter file: statements, pairs, lists. */
#include "wire/vdbench.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "wire/vdbench_read.h"

enum { PAIRS_MAX = 64, ITEMS_MAX = 256 };

int vdb_fail(const struct vdb_pair *pair, const char *format, ...)
{
	char sentence[400];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	return fail(EINVAL, "%s:%u: %.40s%s%.60s%s: %s", pair->path, pair->line, pair->key,
		    pair->count > 1 ? "=(" : "=", pair->count ? pair->parts[0] : "",
		    pair->count > 1 ? ",...)" : "", sentence);
}

void vdb_note(struct vdb_reader *reader, const struct vdb_pair *pair, const char *sentence)
{
	struct vdb_file *file = reader->file;

	file->notes = xrealloc(file->notes, (file->note_count + 1) * sizeof(*file->notes));
	file->notes[file->note_count++] = xasprintf("%s:%u: %s=%s: %s", pair->path, pair->line, pair->key,
						    pair->count ? pair->parts[0] : "", sentence);
}

bool vdb_matches(const char *pattern, const char *name)
{
	size_t length = strlen(pattern);

	if (length && pattern[length - 1] == '*')
		return !strncmp(pattern, name, length - 1);
	return !strcmp(pattern, name);
}

/* ---- pairs ---- */

static void pairs_clear(struct vdb_pair *pairs, size_t *count)
{
	for (size_t i = 0; i < *count; i++) {
		free(pairs[i].key);
		for (size_t k = 0; k < pairs[i].count; k++)
			free(pairs[i].parts[k]);
	}
	*count = 0;
}

static int bad_line(const char *path, unsigned line, const char *what)
{
	return fail(EINVAL, "%s:%u: %s", path, line, what);
}

static int add_part(struct vdb_pair *pair, const char *text, size_t length)
{
	if (pair->count == VDB_PARTS)
		return bad_line(pair->path, pair->line, "a list of more than 128 values");
	pair->parts[pair->count++] = xasprintf("%.*s", (int)length, text);
	return 0;
}

/* "(a,b,c)" from behind the bracket; *end behind the closing one. */
static int read_list(struct vdb_pair *pair, const char *text, const char **end)
{
	for (;;) {
		size_t length = strcspn(text, ",()");
		int err = add_part(pair, text, length);

		if (err)
			return err;
		text += length;
		if (*text == '(')
			return bad_line(pair->path, pair->line, "a bracket within brackets is not supported");
		if (*text == ')') {
			*end = text + 1;
			return 0;
		}
		if (!*text)
			return bad_line(pair->path, pair->line, "a bracket is not closed");
		text++;
	}
}

/* One pair from *text, which moves behind it. */
static int read_pair(struct vdb_pair *pair, const char **text)
{
	size_t key = strcspn(*text, "=,()"), value;
	int err;

	if ((*text)[key] != '=' || key == 0)
		return fail(EINVAL, "%s:%u: '%.60s' is no key=value", pair->path, pair->line, *text);
	pair->key = xasprintf("%.*s", (int)key, *text);
	*text += key + 1;
	if (**text == '(')
		return read_list(pair, *text + 1, text);
	value = strcspn(*text, ",");
	err = add_part(pair, *text, value);
	*text += value;
	return err;
}

static int read_pairs(const char *path, unsigned line, const char *text, struct vdb_pair *pairs,
		      size_t *count)
{
	while (*text) {
		struct vdb_pair *pair = &pairs[*count];
		int err;

		if (*count == PAIRS_MAX)
			return bad_line(path, line, "a statement of more than 64 keys");
		*pair = (struct vdb_pair){ .path = path, .line = line };
		err = read_pair(pair, &text);
		if (pair->key)
			++*count;
		if (err)
			return err;
		if (*text && *text != ',')
			return fail(EINVAL, "%s:%u: a comma must stand before '%.60s'", path, line, text);
		text += *text == ',';
	}
	return 0;
}

/* ---- lines ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Does a line begin a statement, rather than go on with the last one? */
static bool begins_statement(const char *line)
{
	static const char *const words[] = { "general=", "hd=", "sd=", "wd=", "rd=", "fsd=", "fwd=", "rg=" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(line, words[i], strlen(words[i])))
			return true;
	return false;
}

/* What stands behind a blank is a comment, unless it looks as if somebody meant more. */
static int cut_comment(const char *path, unsigned number, char *line)
{
	char *end = line, *rest;

	while (*end && !is_blank(*end))
		end++;
	rest = end;
	while (is_blank(*rest))
		rest++;
	*end = '\0';
	if (*rest && !strchr("*#/", *rest) && strchr(rest, '='))
		return fail(EINVAL, "%s:%u: '%.60s' stands behind a blank, which makes a comment of it; take the "
			    "blank away, or begin it with *", path, number, rest);
	return 0;
}

struct statement {
	unsigned line;
	struct buf text;
	bool goes_on; /* its last line ended in a comma */
};

static int end_statement(struct vdb_reader *reader, struct statement *statement)
{
	struct vdb_pair pairs[PAIRS_MAX];
	size_t count = 0;
	int err = 0;

	if (statement->text.size) {
		err = read_pairs(reader->path, statement->line, statement->text.text, pairs, &count);
		if (!err)
			err = vdb_statement(reader, pairs, count);
		pairs_clear(pairs, &count);
	}
	buf_free(&statement->text);
	statement->text = (struct buf)BUF_INIT;
	statement->goes_on = false;
	return err;
}

static int read_line(struct vdb_reader *reader, struct statement *statement, char *line,
		     unsigned number)
{
	int err = 0;

	while (is_blank(*line))
		line++;
	if (!*line || strchr("*#/", *line))
		return 0;
	err = cut_comment(reader->path, number, line);
	if (!err && begins_statement(line)) {
		err = end_statement(reader, statement);
		statement->line = number;
	} else if (!err && !statement->goes_on) {
		err = fail(EINVAL, "%s:%u: '%.60s' begins no statement: general=, hd=, sd=, wd= or rd= must "
			   "stand there, or a comma at the end of the line before", reader->path, number, line);
	}
	if (err)
		return err;
	buf_puts(&statement->text, line);
	statement->goes_on = line[strlen(line) - 1] == ',';
	return 0;
}

int vdb_parse(const char *path, const char *text, size_t size, struct vdb_file **out)
{
	struct vdb_reader reader = {
		.path = path,
		.file = xcalloc(1, sizeof(struct vdb_file)),
		.sd = { .threads = 8 },
		.wd = { .sizes = { 1, { { 4096, 1 } } }, .read_percent = 100, .seek_percent = 100 },
		.rd = { .elapsed_s = 30, .interval_s = 1, .is_exponential = true },
	};
	struct statement statement = { .text = BUF_INIT };
	const char *end = text + size;
	unsigned number = 1;
	int err = 0;

	for (; !err && text < end; number++) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((stop ? stop : end) - text);
		_cleanup_free_ char *line = NULL;

		if (length > 65536 || memchr(text, '\0', length)) {
			err = bad_line(path, number, "this is no line of a parameter file");
			break;
		}
		line = xasprintf("%.*s", (int)length, text);
		err = read_line(&reader, &statement, line, number);
		text += length + 1;
	}
	if (!err)
		err = end_statement(&reader, &statement);
	buf_free(&statement.text);
	if (!err && reader.file->rd_count == 0)
		err = fail(EINVAL, "%s: has no run: rd=... must say what to do", path);
	free(reader.wd.sd);
	for (size_t i = 0; i < reader.rd.wd_count; i++)
		free(reader.rd.wds[i]);
	if (err) {
		vdb_free(reader.file);
		return err;
	}
	*out = reader.file;
	return 0;
}

void vdb_free(struct vdb_file *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < file->sd_count; i++)
		free(file->sds[i].name);
	for (size_t i = 0; i < file->wd_count; i++) {
		free(file->wds[i].name);
		free(file->wds[i].sd);
	}
	for (size_t i = 0; i < file->rd_count; i++) {
		free(file->rds[i].name);
		for (size_t k = 0; k < file->rds[i].wd_count; k++)
			free(file->rds[i].wds[k]);
	}
	for (size_t i = 0; i < file->note_count; i++)
		free(file->notes[i]);
	free(file->sds);
	free(file->wds);
	free(file->rds);
	free(file->notes);
	free(file);
}
