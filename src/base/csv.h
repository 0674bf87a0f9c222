/*
 * csv.h - comma-separated values as RFC 4180 has them: the whole file in memory, by column name.
 *
 * The first record names the columns. Fields may be quoted, and then hold commas, line ends and
 * doubled quotes. Lines may end with LF or CRLF. A record with another number of fields than the
 * first one, an open quote or a name that occurs twice is -EINVAL with file and line.
 */
#ifndef DRIVEBAY_BASE_CSV_H
#define DRIVEBAY_BASE_CSV_H

#include <stddef.h>

struct csv {
	char *path;
	size_t column_count, row_count;
	char **names;    /* column_count */
	char **cells;    /* row_count x column_count */
	unsigned *lines; /* where each row begins, from 1 */
	char *text;      /* what they point into */
};

enum { CSV_BYTES_MAX = 16 << 20 };

int csv_load(const char *path, struct csv **out);
int csv_parse(const char *path, const char *text, size_t size, struct csv **out);
void csv_free(struct csv *csv); /* NULL is fine */

/* The index of a column, or -EINVAL with a sentence. */
int csv_column(const struct csv *csv, const char *name, size_t *index);

static inline const char *csv_cell(const struct csv *csv, size_t row, size_t column)
{
	return csv->cells[row * csv->column_count + column];
}

#endif
