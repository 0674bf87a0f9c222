#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "store/file.h"

/*
 * flock(), which does not meddle with SQLite's locks of the fcntl() kind, ends with the last
 * process that has the descriptor. Where it is made of the other kind (NFS), or is not there
 * at all, a claim cannot be told; then it is no reason to refuse.
 */
int result_claim(struct result *result)
{
	if (result->claim >= 0)
		return 0;
	result->claim = open(result->file, O_RDONLY | O_CLOEXEC);
	if (result->claim < 0)
		return fail(errno, "%s: %s", result->path, strerror(errno));
	if (flock(result->claim, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return 0;
	return fail(EBUSY, "%s: another drivebay is writing it; wait for it, or end it first",
		    result->path);
}

int result_detach(struct result *result)
{
	int err = file_flush(result);

	file_disconnect(result);
	return err;
}

/* Leaving the log wants the file for itself; whoever closes last gets it. */
static void fold(struct result *result)
{
	if (file_attach(result))
		return;
	file_finalize(result);
	sqlite3_busy_timeout(result->db, 0);
	sqlite3_exec(result->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
}

void result_close(struct result *result)
{
	if (!result)
		return;
	file_flush(result);
	if (result->folds && result->owner == getpid())
		fold(result);
	file_free(result);
}

void result_batch(struct result *result, bool on)
{
	if (!on)
		file_flush(result); /* an error comes again with the next call */
	result->batch = on;
}

static int delete_phase(struct result *result, const struct table *table, size_t phase)
{
	_cleanup_free_ char *sql = xasprintf("DELETE FROM %s WHERE phase = %zu", table->name, phase);

	return file_exec(result, sql);
}

static int set_text(struct result *result, const char *table, const char *key, const char *value)
{
	int err = file_begin(result);

	return err ? err : file_end(result, file_put_text(result, table, key, value));
}

int result_set(struct result *result, const char *key, const char *value)
{
	return set_text(result, "meta", key, value);
}

int result_set_host(struct result *result, const char *key, const char *value)
{
	return set_text(result, "host", key, value);
}

static void drop_pending(struct result *result, size_t phase)
{
	size_t kept = 0;

	for (size_t i = 0; i < result->pending_count; i++)
		if (result->pending[i].phase != phase)
			result->pending[kept++] = result->pending[i];
	result->pending_count = kept;
}

static int put_running(struct result *result, size_t phase, uint64_t now_ns)
{
	struct phase_result *row = xcalloc(1, sizeof(*row));
	int err;

	outcome_clear(row);
	row->status = PHASE_RUNNING;
	row->began_ns = now_ns;
	err = file_insert(result, &table_outcomes, phase, row);
	free(row);
	return err;
}

int result_phase_begin(struct result *result, size_t phase, uint64_t now_ns)
{
	int err = file_begin(result);

	if (err)
		return err;
	drop_pending(result, phase);
	err = delete_phase(result, &table_windows, phase);
	if (!err)
		err = delete_phase(result, &table_rounds, phase);
	if (!err)
		err = delete_phase(result, &table_figures, phase);
	if (!err)
		err = delete_phase(result, &table_outcomes, phase);
	if (!err)
		err = put_running(result, phase, now_ns);
	return file_end(result, err);
}

static int window_now(struct result *result, const uint64_t *keys, const struct window *window)
{
	int err = file_begin(result);

	if (err)
		return err;
	return file_end(result, file_insert_by(result, result->insert_window, &table_windows, keys,
					       window));
}

int result_window(struct result *result, size_t phase, uint64_t index, const struct window *window)
{
	int err;

	if (!result->batch)
		return window_now(result, (uint64_t[]){ phase, index }, window);
	if (result->pending_count == BATCH_WINDOWS) {
		err = file_flush(result); /* which failed the last time */
		if (err)
			return err;
	}
	result->pending[result->pending_count++] = (struct pending){ phase, index, *window };
	return result->pending_count == BATCH_WINDOWS ? file_flush(result) : 0;
}

int result_round(struct result *result, size_t phase, uint64_t index, uint64_t value)
{
	int err = file_begin(result);

	if (err)
		return err;
	return file_end(result, file_insert_by(result, result->insert_round, &table_rounds,
					       (uint64_t[]){ phase, index }, &value));
}

int result_figures(struct result *result, size_t phase, const struct merits *merits)
{
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	_cleanup_buf_ struct buf sql = BUF_INIT;
	int err = file_begin(result);

	if (err)
		return err;
	table_insert_sql(&table_figures, &sql);
	err = file_prepare(result, sql.text, &statement);
	for (size_t i = 0; !err && i < merits->count; i++)
		err = file_insert_by(result, statement, &table_figures, (uint64_t[]){ phase, i },
				     &merits->rows[i]);
	return file_end(result, err);
}

static int put_outcome(struct result *result, size_t phase, const struct phase_result *outcome)
{
	int err = file_put_pending(result);

	if (!err)
		err = delete_phase(result, &table_outcomes, phase);
	if (!err)
		err = file_insert(result, &table_outcomes, phase, outcome);
	return err;
}

/*
 * A phase is what --resume counts in, so it is on the disk before the next one begins. The
 * log is folded in as well, so that the file alone, without the log, holds all that is done.
 */
int result_phase_end(struct result *result, size_t phase, const struct phase_result *outcome)
{
	int err = file_attach(result);

	if (!err && !result->batch)
		err = file_exec(result, "PRAGMA synchronous = FULL");
	if (!err)
		err = file_begin(result);
	if (err)
		return err;
	err = file_end(result, put_outcome(result, phase, outcome));
	if (!err)
		result->pending_count = 0;
	if (!result->batch) {
		sqlite3_wal_checkpoint_v2(result->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
		sqlite3_exec(result->db, "PRAGMA synchronous = NORMAL", NULL, NULL, NULL);
	}
	return err;
}
