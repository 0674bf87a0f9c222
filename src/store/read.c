#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "store/file.h"

/* Reading sees what this process has written. */
static int attach_flushed(struct result *result)
{
	int err = file_flush(result);

	return err ? err : file_attach(result);
}

static const char *lend(struct result *result, char *text)
{
	struct lent *lent;

	for (lent = result->lent; lent; lent = lent->next)
		if (strcmp(lent->text, text) == 0) {
			free(text);
			return lent->text;
		}
	lent = xmalloc(sizeof(*lent));
	*lent = (struct lent){ result->lent, text };
	result->lent = lent;
	return text;
}

static const char *get_text(struct result *result, const char *sql, const char *key)
{
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	const char *bad;
	char *text;

	if (file_attach(result) || file_prepare(result, sql, &statement))
		return NULL;
	sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
	if (file_step(result, statement) != 1)
		return NULL;
	text = text_read(statement, 0, &bad);
	return text ? lend(result, text) : NULL;
}

const char *result_get(struct result *result, const char *key)
{
	return get_text(result, "SELECT value FROM meta WHERE key = ?", key);
}

const char *result_get_host(struct result *result, const char *key)
{
	return get_text(result, "SELECT value FROM host WHERE key = ?", key);
}

static int read_text_row(struct result *result, sqlite3_stmt *statement, struct result_text *out)
{
	const char *bad = NULL;

	out->key = text_read(statement, 0, &bad);
	out->value = bad ? NULL : text_read(statement, 1, &bad);
	if (!bad)
		return 0;
	free(out->key);
	return fail(EBADMSG, "%s: corrupt: a named text %s", result->path, bad);
}

int result_texts_read(struct result *result, bool host, struct result_text **out, size_t *count)
{
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	struct result_text *texts = NULL;
	size_t used = 0;
	int err = file_attach(result);

	*out = NULL;
	*count = 0;
	if (!err)
		err = file_prepare(result, host ? "SELECT key, value FROM host ORDER BY key" :
			      "SELECT key, value FROM meta ORDER BY key", &statement);
	while (!err && (err = file_step(result, statement)) == 1) {
		texts = xrealloc(texts, (used + 1) * sizeof(*texts));
		err = read_text_row(result, statement, &texts[used]);
		used += !err;
	}
	if (err) {
		result_texts_free(texts, used);
		return err;
	}
	*out = texts;
	*count = used;
	return 0;
}

void result_texts_free(struct result_text *texts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(texts[i].key);
		free(texts[i].value);
	}
	free(texts);
}

int result_phase_count(struct result *result, size_t *count)
{
	int64_t rows, next = 0;
	int err = file_attach(result);

	*count = 0;
	if (!err)
		err = file_read_number(result, "SELECT count(*) FROM phases", &rows);
	if (!err)
		err = file_read_number(result, "SELECT coalesce(max(phase) + 1, 0) FROM phases", &next);
	if (err)
		return err;
	if (rows != next)
		return fail(EBADMSG, "%s: corrupt: %lld phases, and the last has number %lld",
			    result->path, (long long)rows, (long long)next - 1);
	*count = (size_t)rows;
	return 0;
}

/* The rows of a phase; of all of them with PHASE_ANY. */
static int select_rows(struct result *result, const struct table *table, size_t phase,
		       sqlite3_stmt **statement)
{
	_cleanup_buf_ struct buf sql = BUF_INIT;
	int err;

	table_select_sql(table, result->version, phase == PHASE_ANY, &sql);
	err = file_prepare(result, sql.text, statement);
	if (!err && phase != PHASE_ANY)
		sqlite3_bind_int64(*statement, 1, (sqlite3_int64)phase);
	return err;
}

/* 1: read; 0: there is none; or a negative errno. */
static int read_one(struct result *result, const struct table *table, size_t phase, void *row)
{
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	uint64_t keys[TABLE_KEYS];
	int err = select_rows(result, table, phase, &statement);

	if (!err)
		err = file_step(result, statement);
	if (err != 1)
		return err;
	err = row_read(statement, table, result->version, result->path, keys, row);
	return err ? err : 1;
}

static int read_outcome(struct result *result, size_t phase, struct phase_result *out)
{
	int err = read_one(result, &table_outcomes, phase, out);

	if (err == 0)
		outcome_clear(out);
	return err < 0 ? err : 0;
}

int result_phase_read(struct result *result, size_t phase, struct result_phase *out)
{
	int err = file_attach(result);

	memset(out, 0, sizeof(*out));
	out->index = phase;
	if (err)
		return err;
	err = read_one(result, &table_phases, phase, out);
	if (err == 0)
		return fail(ENOENT, "%s: there is no phase %zu", result->path, phase);
	if (err == 1 && out->kind == PHASE_POINT && out->base >= phase)
		err = fail(EBADMSG, "%s: corrupt: point %zu is a percentage of phase %zu, which comes "
			   "later", result->path, phase, out->base);
	if (err == 1)
		err = read_outcome(result, phase, &out->outcome);
	if (err)
		result_phase_free(out);
	return err;
}

void result_phase_free(struct result_phase *phase)
{
	row_free(&table_phases, phase);
	row_free(&table_outcomes, &phase->outcome);
}

/* Grown as they come: what a file claims to hold is never believed, only what it holds. */
int file_read_rows(struct result *result, const struct table *table, size_t phase, size_t size,
		   void *out, size_t *count)
{
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	uint64_t keys[TABLE_KEYS];
	size_t capacity = 0;
	char *rows = NULL;
	int err = attach_flushed(result);

	*count = 0;
	if (!err && table->since > result->version) {
		memset(out, 0, sizeof(rows));
		return 0;
	}
	if (!err)
		err = select_rows(result, table, phase, &statement);
	while (!err && (err = file_step(result, statement)) == 1) {
		if (*count == capacity) {
			capacity = capacity ? capacity * 2 : 64;
			rows = xrealloc(rows, capacity * size);
		}
		memset(rows + *count * size, 0, size);
		err = row_read(statement, table, result->version, result->path, keys,
			       rows + *count * size);
		*count += !err;
	}
	if (err) {
		file_free_rows(table, size, rows, *count);
		rows = NULL;
		*count = 0;
	}
	memcpy(out, &rows, sizeof(rows));
	return err;
}

void file_free_rows(const struct table *table, size_t size, void *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		row_free(table, (char *)rows + i * size);
	free(rows);
}

int result_windows_read(struct result *result, size_t phase, struct window **out, size_t *count)
{
	return file_read_rows(result, &table_windows, phase, sizeof(**out), out, count);
}

int result_figures_read(struct result *result, size_t phase, struct merits *out)
{
	return file_read_rows(result, &table_figures, phase, sizeof(*out->rows), &out->rows,
			      &out->count);
}

int result_rounds_read(struct result *result, size_t phase, uint64_t **out, size_t *count)
{
	return file_read_rows(result, &table_rounds, phase, sizeof(**out), out, count);
}
