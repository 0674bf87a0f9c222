#include "store/file.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"

enum {
	BUSY_MS = 30000,
	/* Pages in the log before a commit folds them in (16 MiB): rare enough that its sync
	   does not show in a measurement, often enough that a day's windows do not pile up. */
	CHECKPOINT_PAGES = 4096,
	VALUE_BYTES_MAX = 16 << 20, /* of a text or blob that we are willing to read */
};

const struct table *const file_tables[FILE_TABLES] = {
	&table_workloads, &table_phases, &table_outcomes, &table_windows, &table_rounds,
	&table_applications, &table_figures,
};

const char *const file_text_tables[FILE_TEXT_TABLES] = { "meta", "host" };

void file_text_table_sql(const char *name, struct buf *out)
{
	buf_printf(out, "CREATE TABLE %s (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) "
		   "STRICT, WITHOUT ROWID", name);
}

/* Statements and errors */

static bool stands_beside(const struct result *result, const char *suffix)
{
	_cleanup_free_ char *name = xasprintf("%s%s", result->file, suffix);

	return access(name, F_OK) == 0;
}

/* Somebody writes it at this moment, or was cut off while doing so. */
static bool has_company(const struct result *result)
{
	return stands_beside(result, "-wal") || stands_beside(result, "-journal");
}

/* A reader who may not write meets what only a writer can put right. */
static bool is_cut_off(const struct result *result, int rc)
{
	int kind = rc & 0xff;

	return !result->writable && (kind == SQLITE_READONLY || kind == SQLITE_CANTOPEN) &&
	       result->file && has_company(result);
}

int file_fail(const struct result *result, int rc)
{
	const char *path = result->path, *why = sqlite3_errmsg(result->db);
	int code = sqlite3_system_errno(result->db);

	if (is_cut_off(result, rc))
		return fail(EACCES, "%s: was cut off while it was written; open it once where, and as "
			    "whom, it may be written", path);
	switch (rc & 0xff) {
	case SQLITE_FULL:
		code = ENOSPC;
		break;
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		break;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return fail(EBUSY, "%s: another process has kept it locked for %d s", path,
			    BUSY_MS / 1000);
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return fail(EACCES, "%s: cannot be written: %s", path, why);
	case SQLITE_NOMEM:
		return fail(ENOMEM, "%s: out of memory", path);
	case SQLITE_NOTADB:
		return fail(EBADMSG, "%s: not a drivebay result: not a SQLite file", path);
	default:
		return fail(EBADMSG, "%s: corrupt: %s", path, why);
	}
	if (code == ENOSPC || code == EDQUOT)
		return fail(ENOSPC, "%s: the disk is full; what was written before stays", path);
	if (code == 0)
		return fail(EIO, "%s: %s", path, why);
	return fail(code, "%s: %s (%s)", path, strerror(code), why);
}

void file_cleanup_statement(sqlite3_stmt **statement)
{
	sqlite3_finalize(*statement);
}

int file_prepare(struct result *result, const char *sql, sqlite3_stmt **out)
{
	int rc = sqlite3_prepare_v2(result->db, sql, -1, out, NULL);

	return rc ? file_fail(result, rc) : 0;
}

int file_exec(struct result *result, const char *sql)
{
	int rc = sqlite3_exec(result->db, sql, NULL, NULL, NULL);

	return rc ? file_fail(result, rc) : 0;
}

int file_step(struct result *result, sqlite3_stmt *statement)
{
	int rc = sqlite3_step(statement);

	if (rc == SQLITE_ROW)
		return 1;
	return rc == SQLITE_DONE ? 0 : file_fail(result, rc);
}

/* Steps a statement without rows and makes it ready for the next time. */
static int run_once(struct result *result, sqlite3_stmt *statement)
{
	int err = file_step(result, statement);

	sqlite3_reset(statement);
	return err;
}

int file_read_number(struct result *result, const char *sql, int64_t *value)
{
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	int err = file_prepare(result, sql, &statement);

	if (err)
		return err;
	err = file_step(result, statement);
	*value = err == 1 ? sqlite3_column_int64(statement, 0) : 0;
	return err < 0 ? err : 0;
}

/* Opening */

/*
 * A file may come from anybody: its triggers and views do not run, its schema is not
 * believed, and no value of it makes us allocate more than we are willing to.
 */
int file_harden(struct result *result)
{
	sqlite3 *db = result->db;

	sqlite3_extended_result_codes(db, 1);
	sqlite3_busy_timeout(db, BUSY_MS);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX);
	sqlite3_wal_autocheckpoint(db, CHECKPOINT_PAGES);
	return file_exec(result, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; "
				 "PRAGMA temp_store = MEMORY");
}

/* The file as a URI that says: nobody will change it, look for no log beside it. */
static char *immutable_uri(const char *file)
{
	_cleanup_buf_ struct buf uri = BUF_INIT;

	buf_puts(&uri, "file:");
	for (; *file; file++)
		buf_printf(&uri, strchr("%?#", *file) ? "%%%02x" : "%c", (unsigned)(unsigned char)*file);
	buf_puts(&uri, "?immutable=1");
	return xstrdup(uri.text);
}

static int connect_as(struct result *result, const char *name, int flags)
{
	int rc = sqlite3_open_v2(name, &result->db, flags, NULL);

	result->pid = getpid();
	return rc ? file_fail(result, rc) : file_harden(result);
}

/* A process that ended between two transactions, without closing, leaves a file that asks
   for a log although there is none; who may not make one can still read. */
static int connect_reader(struct result *result)
{
	_cleanup_free_ char *uri = NULL;
	int err = connect_as(result, result->file, SQLITE_OPEN_READONLY), kind;

	if (err)
		return err;
	kind = sqlite3_exec(result->db, "PRAGMA schema_version", NULL, NULL, NULL) & 0xff;
	if ((kind != SQLITE_CANTOPEN && kind != SQLITE_READONLY) || has_company(result))
		return 0; /* whatever it was, the next statement says it again */
	sqlite3_close(result->db);
	uri = immutable_uri(result->file);
	return connect_as(result, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
}

/*
 * What a cut has left must first be rolled back or forward, also in order to read; that
 * changes the file, but nothing of what it says.
 */
int file_connect(struct result *result)
{
	result->folds = result->writable ||
			(has_company(result) && access(result->file, W_OK) == 0);
	if (!result->folds)
		return connect_reader(result);
	return connect_as(result, result->file, SQLITE_OPEN_READWRITE);
}

/* Changing the journal wants the file for itself, and SQLite does not wait for that; we do. */
static int exec_alone(struct result *result, const char *sql)
{
	int rc = sqlite3_exec(result->db, sql, NULL, NULL, NULL);

	for (int waited_ms = 0; (rc & 0xff) == SQLITE_BUSY && waited_ms < BUSY_MS; waited_ms += 10) {
		sqlite3_sleep(10);
		rc = sqlite3_exec(result->db, sql, NULL, NULL, NULL);
	}
	return rc;
}

/* Back to the rollback journal, on a new connection, which has not tried to share memory. */
static int leave_log(struct result *result)
{
	int err, rc;

	result->plain = true; /* for later connections, and those of children */
	file_disconnect(result);
	err = file_connect(result);
	if (err)
		return err;
	rc = exec_alone(result, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; "
				"PRAGMA locking_mode = NORMAL; BEGIN IMMEDIATE; COMMIT");
	return rc ? file_fail(result, rc) : 0;
}

/*
 * The write-ahead log: a commit is one write without a sync, and readers do not wait for
 * writers. On a file system without shared memory it cannot be had, which SQLite finds out
 * only when the file asks for it already. The rollback journal serves as well, only slower.
 */
static int use_log(struct result *result)
{
	int rc = result->plain ? 0 : exec_alone(result, "PRAGMA journal_mode = WAL; "
							"BEGIN IMMEDIATE; COMMIT");
	int kind = rc & 0xff;

	if (kind == SQLITE_CANTOPEN || kind == SQLITE_READONLY ||
	    (kind == SQLITE_IOERR && sqlite3_system_errno(result->db) != ENOSPC)) {
		int err = leave_log(result);

		if (err)
			return err;
	} else if (rc) {
		return file_fail(result, rc);
	}
	return file_exec(result, "PRAGMA synchronous = NORMAL");
}

void file_finalize(struct result *result)
{
	sqlite3_stmt **kept[] = { &result->begin, &result->commit, &result->insert_window,
				  &result->insert_round };

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		sqlite3_finalize(*kept[i]);
		*kept[i] = NULL;
	}
}

void file_disconnect(struct result *result)
{
	file_finalize(result);
	sqlite3_close(result->db);
	result->db = NULL;
}

int file_make_writable(struct result *result)
{
	_cleanup_buf_ struct buf window = BUF_INIT;
	_cleanup_buf_ struct buf round = BUF_INIT;
	int err = use_log(result);

	table_insert_sql(&table_windows, &window);
	table_insert_sql(&table_rounds, &round);
	if (!err)
		err = file_prepare(result, "BEGIN IMMEDIATE", &result->begin);
	if (!err)
		err = file_prepare(result, "COMMIT", &result->commit);
	if (!err)
		err = file_prepare(result, window.text, &result->insert_window);
	if (!err)
		err = file_prepare(result, round.text, &result->insert_round);
	return err;
}

int file_attach(struct result *result)
{
	int err;

	if (result->db) {
		assert(result->pid == getpid()); /* else result_detach() was forgotten */
		return 0;
	}
	err = file_connect(result);
	if (!err && result->writable)
		err = file_make_writable(result);
	if (err)
		file_disconnect(result);
	return err;
}

struct result *file_new(const char *path, bool writable)
{
	struct result *result = xcalloc(1, sizeof(*result));

	result->path = xstrdup(path);
	result->version = RESULT_VERSION; /* unless the file says otherwise */
	result->writable = writable;
	result->owner = getpid();
	result->claim = -1;
	return result;
}

void file_free(struct result *result)
{
	file_disconnect(result);
	if (result->claim >= 0)
		close(result->claim); /* after SQLite: it would drop the locks of a connection */
	while (result->lent) {
		struct lent *lent = result->lent;

		result->lent = lent->next;
		free(lent->text);
		free(lent);
	}
	free(result->path);
	free(result->file);
	free(result);
}

/* Transactions */

int file_begin(struct result *result)
{
	int err = file_attach(result);

	assert(result->writable);
	return err ? err : run_once(result, result->begin);
}

int file_end(struct result *result, int err)
{
	if (!err)
		err = run_once(result, result->commit);
	if (err && !sqlite3_get_autocommit(result->db))
		sqlite3_exec(result->db, "ROLLBACK", NULL, NULL, NULL);
	return err;
}

int file_insert_by(struct result *result, sqlite3_stmt *statement, const struct table *table,
		   const uint64_t *keys, const void *row)
{
	int err = row_bind(statement, table, keys, row), rc;

	if (err)
		return err;
	rc = sqlite3_step(statement);
	if (rc != SQLITE_DONE)
		err = (rc & 0xff) != SQLITE_CONSTRAINT ? file_fail(result, rc) :
		      fail(EEXIST, "%s: %s of phase %llu: there is one with number %llu already",
			   result->path, table->name, (unsigned long long)keys[0],
			   (unsigned long long)keys[1]);
	sqlite3_reset(statement);
	return err;
}

int file_insert(struct result *result, const struct table *table, uint64_t key, const void *row)
{
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	_cleanup_buf_ struct buf sql = BUF_INIT;
	const uint64_t keys[TABLE_KEYS] = { key };
	int err;

	table_insert_sql(table, &sql);
	err = file_prepare(result, sql.text, &statement);
	return err ? err : file_insert_by(result, statement, table, keys, row);
}

int file_put_text(struct result *result, const char *table, const char *key, const char *value)
{
	_cleanup_free_ char *sql = xasprintf("INSERT OR REPLACE INTO %s VALUES (?, ?)", table);
	_cleanup_free_ char *clean_key = text_clean(key);
	_cleanup_free_ char *clean = text_clean(value);
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	int err = file_prepare(result, sql, &statement);

	if (err)
		return err;
	sqlite3_bind_text(statement, 1, clean_key, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 2, clean, -1, SQLITE_STATIC);
	return file_step(result, statement);
}

int file_put_pending(struct result *result)
{
	int err = 0;

	for (size_t i = 0; !err && i < result->pending_count; i++) {
		const struct pending *pending = &result->pending[i];

		err = file_insert_by(result, result->insert_window, &table_windows,
				 (uint64_t[]){ pending->phase, pending->index }, &pending->window);
	}
	return err;
}

int file_flush(struct result *result)
{
	int err;

	if (result->pending_count == 0)
		return 0;
	err = file_begin(result);
	if (err)
		return err;
	err = file_end(result, file_put_pending(result));
	if (!err)
		result->pending_count = 0;
	return err;
}
