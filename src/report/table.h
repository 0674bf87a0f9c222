/*
 * table.h - rows and columns of finished text, printed as plain text or as HTML.
 *
 * The first column names its row. Numbers are right-aligned. A cell is plain text (escaped
 * when printed); units stand once, in the head.
 *
 *	struct table *table = table_new("Steady state");
 *	table_column(table, "Round", "", 0);
 *	table_column(table, "IOPS", "1/s", 0);
 *	table_row(table);
 *	table_cell(table, "%zu", i + 1);
 *	table_number(table, iops);
 */
#ifndef DRIVEBAY_REPORT_TABLE_H
#define DRIVEBAY_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"

enum { TABLE_COLUMNS = 18 };

enum column_flags {
	COLUMN_TEXT = 1, /* left-aligned words */
	COLUMN_WIDE = 2, /* left out of a terminal that is too narrow, the last such first */
};

struct column {
	char *name, *unit; /* unit: "us" is printed as the micro sign in HTML; "" */
	unsigned flags;
};

struct row {
	char *cells[TABLE_COLUMNS];
	const char *mark;  /* "peak", "bad", "quiet": a class of the page; NULL */
};

struct table {
	char *title;
	char *note;        /* a sentence under it, or NULL */
	bool prose;        /* its text columns are sentences, which may be broken into lines */
	bool grouped;      /* the second column names the row, the first its group: in HTML a
			      line of its own above rows that share it */
	size_t column_count;
	struct column columns[TABLE_COLUMNS];
	size_t row_count, filled; /* filled: cells of the last row so far */
	struct row *rows;
};

struct table *table_new(const char *title, ...) __attribute__((format(printf, 1, 2)));
void table_free(struct table *table); /* NULL is fine */
void table_note(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_column(struct table *table, const char *name, const char *unit, unsigned flags);
void table_row(struct table *table);
void table_mark(struct table *table, const char *mark); /* of the last row */
void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Three significant digits or more, thousands separated: 0.123, 12.3, 1,234,567. */
void table_number(struct table *table, double value);
void number_put(struct buf *buf, double value);

/* For a column in us: from 10,000 of them on with a unit of its own, ms and then s. */
void table_latency(struct table *table, double ns);
void latency_put(struct buf *buf, double ns);

/* A paragraph of words, `columns` wide, its first line after `first`, the others after `next`. */
void text_wrap(const char *text, FILE *out, unsigned columns, const char *first, const char *next);

void table_print(const struct table *table, FILE *out, unsigned columns);
void table_html(const struct table *table, struct buf *out);

#endif
