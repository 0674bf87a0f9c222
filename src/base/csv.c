#include "base/csv.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fail.h"

/* Where the reader stands. Fields are unquoted in place: `to` never overtakes `from`. */
struct reader {
	struct csv *csv;
	const char *from, *end;
	char *to;
	unsigned line;
	size_t cell_capacity, cell_count, line_capacity;
};

static bool at_line_end(const struct reader *reader)
{
	return reader->from == reader->end || *reader->from == '\n' ||
	       (*reader->from == '\r' && reader->from + 1 < reader->end && reader->from[1] == '\n');
}

static int read_quoted(struct reader *reader)
{
	unsigned began = reader->line;

	reader->from++;
	for (;;) {
		if (reader->from == reader->end)
			return fail(EINVAL, "%s:%u: a quote is opened and not closed",
				    reader->csv->path, began);
		if (*reader->from == '"') {
			if (reader->from + 1 == reader->end || reader->from[1] != '"')
				break;
			reader->from++;
		}
		reader->line += *reader->from == '\n';
		*reader->to++ = *reader->from++;
	}
	reader->from++;
	if (!at_line_end(reader) && *reader->from != ',')
		return fail(EINVAL, "%s:%u: something follows a closing quote where a comma would do",
			    reader->csv->path, reader->line);
	return 0;
}

static void add_cell(struct reader *reader, char *cell)
{
	struct csv *csv = reader->csv;

	if (reader->cell_count == reader->cell_capacity) {
		reader->cell_capacity = reader->cell_capacity ? reader->cell_capacity * 2 : 256;
		csv->cells = xrealloc(csv->cells, reader->cell_capacity * sizeof(*csv->cells));
	}
	csv->cells[reader->cell_count++] = cell;
}

/* One field; its terminating NUL takes the place of the comma or line end behind it. */
static int read_field(struct reader *reader)
{
	char *field = reader->to;
	int err = 0;

	if (reader->from < reader->end && *reader->from == '"')
		err = read_quoted(reader);
	else
		while (!at_line_end(reader) && *reader->from != ',')
			*reader->to++ = *reader->from++;
	add_cell(reader, field);
	return err;
}

static int read_record(struct reader *reader, size_t *fields)
{
	size_t before = reader->cell_count;
	bool more = true;

	while (more) {
		int err = read_field(reader);

		if (err)
			return err;
		more = reader->from < reader->end && *reader->from == ',';
		if (more)
			reader->from++;
		else if (reader->from < reader->end)
			reader->from += *reader->from == '\r' ? 2 : 1;
		*reader->to++ = '\0';
	}
	reader->line++;
	*fields = reader->cell_count - before;
	return 0;
}

static void add_row(struct reader *reader, unsigned line)
{
	struct csv *csv = reader->csv;

	if (csv->row_count == reader->line_capacity) {
		reader->line_capacity = reader->line_capacity ? reader->line_capacity * 2 : 64;
		csv->lines = xrealloc(csv->lines, reader->line_capacity * sizeof(*csv->lines));
	}
	csv->lines[csv->row_count++] = line;
}

static int take_names(struct reader *reader)
{
	struct csv *csv = reader->csv;
	int err = read_record(reader, &csv->column_count);

	if (err)
		return err;
	csv->names = xcalloc(csv->column_count, sizeof(*csv->names));
	for (size_t i = 0; i < csv->column_count; i++) {
		csv->names[i] = csv->cells[i];
		for (size_t j = 0; j < i; j++)
			if (!strcmp(csv->names[i], csv->names[j]))
				return fail(EINVAL, "%s:1: two columns are called '%s'", csv->path,
					    csv->names[i]);
	}
	reader->cell_count = 0;
	return 0;
}

static int read_rows(struct reader *reader)
{
	struct csv *csv = reader->csv;
	int err = take_names(reader);

	while (!err && reader->from < reader->end) {
		unsigned line = reader->line;
		size_t fields;

		if (at_line_end(reader)) { /* an empty line says nothing */
			reader->from += *reader->from == '\r' ? 2 : 1;
			reader->line++;
			continue;
		}
		err = read_record(reader, &fields);
		if (!err && fields != csv->column_count)
			err = fail(EINVAL, "%s:%u: %zu fields where the first line names %zu",
				   csv->path, line, fields, csv->column_count);
		if (!err)
			add_row(reader, line);
	}
	return err;
}

int csv_parse(const char *path, const char *text, size_t size, struct csv **out)
{
	struct csv *csv = xcalloc(1, sizeof(*csv));
	struct reader reader = { .csv = csv, .from = text, .end = text + size, .line = 1 };
	int err;

	csv->path = xstrdup(path);
	csv->text = reader.to = xmalloc(size + 2); /* a NUL more than line ends, at the most */
	if (size == 0)
		err = fail(EINVAL, "%s: empty; a line that names the columns would do", path);
	else if (memchr(text, '\0', size))
		err = fail(EINVAL, "%s: not a text file", path);
	else
		err = read_rows(&reader);
	if (err) {
		csv_free(csv);
		return err;
	}
	*out = csv;
	return 0;
}

int csv_load(const char *path, struct csv **out)
{
	_cleanup_file_ FILE *file = fopen(path, "re");
	_cleanup_free_ char *text = NULL;
	size_t size;

	if (!file)
		return fail(EINVAL, "%s: %s", path, strerror(errno));
	text = xmalloc(CSV_BYTES_MAX + 1);
	size = fread(text, 1, CSV_BYTES_MAX + 1, file);
	if (ferror(file))
		return fail(EINVAL, "%s: %s", path, strerror(errno));
	if (size > CSV_BYTES_MAX)
		return fail(EINVAL, "%s: larger than %d MiB", path, CSV_BYTES_MAX >> 20);
	return csv_parse(path, text, size, out);
}

void csv_free(struct csv *csv)
{
	if (!csv)
		return;
	free(csv->path);
	free(csv->names);
	free(csv->cells);
	free(csv->lines);
	free(csv->text);
	free(csv);
}

int csv_column(const struct csv *csv, const char *name, size_t *index)
{
	for (size_t i = 0; i < csv->column_count; i++) {
		if (strcmp(csv->names[i], name))
			continue;
		*index = i;
		return 0;
	}
	return fail(EINVAL, "%s:1: there is no column '%s'", csv->path, name);
}
