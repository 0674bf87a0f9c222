/*
 * file.h - the open SQLite file under a result; private to store/.
 *
 * All return 0 or a negative errno with its sentence in fail(), unless they say otherwise.
 */
#ifndef DRIVEBAY_STORE_FILE_H
#define DRIVEBAY_STORE_FILE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "store/result.h"
#include "store/schema.h"

enum { BATCH_WINDOWS = 64, FILE_TABLES = 7, FILE_TEXT_TABLES = 2 };

struct pending {
	uint64_t phase, index;
	struct window window;
};

struct result {
	char *path, *file; /* as it was given, for sentences; absolute, for opening it again */
	sqlite3 *db;       /* NULL when detached */
	unsigned version;  /* of the file */
	bool writable, batch;
	bool folds;        /* connected for writing, if only to put right what a cut left */
	bool plain;        /* without the log: the file system cannot share memory */
	pid_t owner;       /* who opened it first: the one who folds it into one file */
	pid_t pid;         /* who opened `db` */
	sqlite3_stmt *begin, *commit, *insert_window, *insert_round;
	int claim;         /* -1, or a descriptor that holds flock(), which children share */
	size_t pending_count;
	struct pending pending[BATCH_WINDOWS];
	struct lent *lent; /* texts that result_get() handed out */
};

struct lent {
	struct lent *next;
	char *text;
};

extern const struct table *const file_tables[FILE_TABLES];
extern const char *const file_text_tables[FILE_TEXT_TABLES]; /* meta and host: key, value */

void file_text_table_sql(const char *name, struct buf *out);

/* A result that is not connected; result_close() or file_free() ends it. */
struct result *file_new(const char *path, bool writable);
void file_free(struct result *result);

/* Opens the file (nothing is believed of it yet), or lets go of it. */
int file_connect(struct result *result);
int file_harden(struct result *result);
void file_disconnect(struct result *result);
void file_finalize(struct result *result); /* the kept statements alone */

/* From here on it is written: the log, and the statements that are used often. */
int file_make_writable(struct result *result);

/* Every public call begins with this: connects again after result_detach(). */
int file_attach(struct result *result);

/* The sentence for what SQLite just said with `rc`. */
int file_fail(const struct result *result, int rc);

int file_prepare(struct result *result, const char *sql, sqlite3_stmt **out);
int file_exec(struct result *result, const char *sql);
int file_step(struct result *result, sqlite3_stmt *statement); /* 1: a row; 0: no more */
int file_read_number(struct result *result, const char *sql, int64_t *value);

/* A transaction for writing. The end commits, or undoes everything when `err` says that
   something failed, and passes `err` on. */
int file_begin(struct result *result);
int file_end(struct result *result, int err);

/* Adds a row by a prepared insert, or by one of its own; -EEXIST when there is such a row. */
int file_insert_by(struct result *result, sqlite3_stmt *statement, const struct table *table,
		   const uint64_t *keys, const void *row);
int file_insert(struct result *result, const struct table *table, uint64_t key, const void *row);
int file_put_text(struct result *result, const char *table, const char *key, const char *value);

/* Writes what result_batch() has held back: in a transaction of its own, or within one. */
int file_flush(struct result *result);
int file_put_pending(struct result *result);

/*
 * The rows of a phase (PHASE_ANY: all of the table), in order of their keys, as an array of
 * the table's struct, which has `size` bytes. `out` points to a pointer to it.
 */
#define PHASE_ANY SIZE_MAX

int file_read_rows(struct result *result, const struct table *table, size_t phase, size_t size,
		   void *out, size_t *count);
void file_free_rows(const struct table *table, size_t size, void *rows, size_t count);

void file_cleanup_statement(sqlite3_stmt **statement);

#define _cleanup_statement_ __attribute__((cleanup(file_cleanup_statement)))

#endif
