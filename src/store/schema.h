/*
 * schema.h - the tables of a result file, said once; private to store/.
 *
 * A table is a list of columns, a column a member of a struct: what creates the table,
 * writes a row, reads it back and checks it walks the same list. The columns are described
 * for people in doc/result-format.md.
 */
#ifndef DRIVEBAY_STORE_SCHEMA_H
#define DRIVEBAY_STORE_SCHEMA_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "store/result.h"

enum column_type {
	COLUMN_U32,
	COLUMN_U64,   /* below 2^63: SQLite has no more */
	COLUMN_SIZE,  /* a size_t, likewise */
	COLUMN_BOOL,
	COLUMN_LEAST, /* a uint64_t; UINT64_MAX, a minimum of nothing, is NULL */
	COLUMN_SUM,   /* an unsigned __int128, in decimal, as text: lossless, and readable */
	COLUMN_REAL,  /* a finite double */
	COLUMN_WORD,  /* an enum, by the words of the column */
	COLUMN_NAME,  /* one line; never NULL */
	COLUMN_TEXT,  /* lines; never NULL, which is written as "" */
	COLUMN_NOTE,  /* lines, or NULL */
	COLUMN_MIX,   /* a struct size_mix: "4096:60 8192:40", bytes:weight */
	COLUMN_HIST,  /* a struct hist, as hist_encode() writes it */
};

struct column {
	const char *name;
	enum column_type type;
	size_t offset;            /* in the row's struct */
	size_t guard;             /* offset of a bool that says whether there is a value at all,
				     else NULL is written; 0: there always is */
	const char *const *words; /* COLUMN_WORD: ends with NULL */
	unsigned since;           /* the first version that has it; 0: all */
};

enum { TABLE_KEYS = 2 };

struct table {
	const char *name;
	const char *keys[TABLE_KEYS]; /* whole numbers from 0; together the primary key */
	const struct column *columns;
	size_t column_count;
	unsigned since;               /* the first version that has it; 0: all */
};

extern const struct table table_workloads; /* rows: struct workload */
extern const struct table table_phases;    /* rows: struct result_phase, without outcome */
extern const struct table table_outcomes;  /* rows: struct phase_result */
extern const struct table table_windows;   /* rows: struct window */
extern const struct table table_rounds;    /* rows: uint64_t */
extern const struct table table_applications; /* rows: struct application */
extern const struct table table_figures;   /* rows: struct merit */

extern const char *const phase_kind_words[], *const phase_status_words[], *const pattern_words[],
	*const arrivals_words[];

/*
 * Statements as text, for a file of this version. Insert, which only the latest version is
 * written with, takes keys, then columns; select gives keys, then columns, in order of the
 * keys: of the rows whose first key is the parameter, or of all.
 */
void table_create_sql(const struct table *table, unsigned version, struct buf *out);
void table_insert_sql(const struct table *table, struct buf *out);
void table_select_sql(const struct table *table, unsigned version, bool all, struct buf *out);

/* Fills the parameters of an insert. -ERANGE with a sentence for what cannot be kept. */
int row_bind(sqlite3_stmt *statement, const struct table *table, const uint64_t *keys,
	     const void *row);

/*
 * Takes the current row of a select of this version into a zeroed *row, where what the version
 * does not have stays zero. -EBADMSG with a sentence that begins
 * with `path` for anything row_bind() cannot have written; *row then holds nothing to free.
 * Else its texts are to be freed with row_free().
 */
int row_read(sqlite3_stmt *statement, const struct table *table, unsigned version,
	     const char *path, uint64_t *keys, void *row);
void row_free(const struct table *table, void *row);

/* What came of a phase of which there is no outcome yet: pending, and nothing measured. */
void outcome_clear(struct phase_result *outcome);

/* A text column as our own; NULL, with *bad = a reason, when it is none that we write. */
char *text_read(sqlite3_stmt *statement, int column, const char **bad);

/* Control characters, which no result holds, as question marks; to be freed. */
char *text_clean(const char *text);

/* A COLUMN_MIX as text. */
void mix_text(const struct size_mix *mix, struct buf *out);

/* Decimal digits of a 128-bit number, and back (NULL or whatever is none: false). */
enum { U128_BYTES = 40 };

const char *u128_text(unsigned __int128 value, char out[static U128_BYTES]);
bool u128_parse(const char *text, unsigned __int128 *value);

#endif
