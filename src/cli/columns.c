#include "cli/columns.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

void columns_add(struct columns *columns, ...)
{
	char **row;
	va_list cells;
	const char *cell;
	size_t column = 0;

	columns->rows = xrealloc(columns->rows,
				 (columns->row_count + 1) * sizeof(*columns->rows));
	row = columns->rows[columns->row_count++];
	memset(row, 0, sizeof(*columns->rows));
	va_start(cells, columns);
	while ((cell = va_arg(cells, const char *))) {
		assert(column < COLUMNS_MOST);
		row[column++] = xstrdup(cell);
	}
	va_end(cells);
}

/* Columns on a terminal, not bytes: the names of drives may hold accents. */
static int width(const char *text)
{
	int count = 0;

	for (; *text; text++)
		count += ((unsigned char)*text & 0xC0) != 0x80;
	return count;
}

static bool is_last(char *const *row, size_t column)
{
	for (column++; column < COLUMNS_MOST && row[column]; column++)
		if (*row[column])
			return false;
	return true;
}

void columns_print(const struct columns *columns, FILE *out)
{
	int widest[COLUMNS_MOST] = { 0 };

	for (size_t i = 0; i < columns->row_count; i++)
		for (size_t c = 0; c < COLUMNS_MOST && columns->rows[i][c]; c++)
			if (width(columns->rows[i][c]) > widest[c])
				widest[c] = width(columns->rows[i][c]);
	for (size_t i = 0; i < columns->row_count; i++) {
		char *const *row = columns->rows[i];

		for (size_t c = 0; c < COLUMNS_MOST && row[c]; c++) {
			fputs(row[c], out);
			if (is_last(row, c))
				break;
			fprintf(out, "%*s", widest[c] - width(row[c]) + 2, "");
		}
		fputc('\n', out);
	}
}

void columns_free(struct columns *columns)
{
	for (size_t i = 0; i < columns->row_count; i++)
		for (size_t c = 0; c < COLUMNS_MOST; c++)
			free(columns->rows[i][c]);
	free(columns->rows);
	*columns = (struct columns){ 0 };
}
