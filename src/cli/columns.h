/*
 * columns.h - lines of words, aligned in columns.
 *
 * Starts as { 0 }. Rows are added cell by cell; columns_print() makes each column as
 * wide as its widest cell, two spaces apart, without trailing blanks.
 */
#ifndef DRIVEBAY_CLI_COLUMNS_H
#define DRIVEBAY_CLI_COLUMNS_H

#include <stddef.h>
#include <stdio.h>

enum { COLUMNS_MOST = 12 };

struct columns {
	size_t row_count;
	char *(*rows)[COLUMNS_MOST];
};

/* One row of at most COLUMNS_MOST texts (copied), ended by NULL. */
void columns_add(struct columns *columns, ...) __attribute__((sentinel));
void columns_print(const struct columns *columns, FILE *out);
void columns_free(struct columns *columns);

#define _cleanup_columns_ __attribute__((cleanup(columns_free)))

#endif
