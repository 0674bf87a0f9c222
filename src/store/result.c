#include "store/result.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "store/schema.h"

enum {
	BATCH_WINDOWS = 64,
	BUSY_MS = 30000,
	/* Pages in the log before a commit folds them in (16 MiB): rare enough that its sync
	   does not show in a measurement, often enough that a day's windows do not pile up. */
	CHECKPOINT_PAGES = 4096,
	VALUE_BYTES_MAX = 64 << 20, /* of a text or blob that we are willing to read */
};

struct pending {
	uint64_t phase, index;
	struct window window;
};

/* A text that result_get() handed out. */
struct lent {
	struct lent *next;
	char *text;
};

struct result {
	char *path, *file; /* as it was given, for sentences; absolute, for opening it again */
	sqlite3 *db;       /* NULL when detached */
	bool writable, batch;
	pid_t owner;       /* who opened it first: the one who folds it into one file */
	pid_t pid;         /* who opened `db` */
	sqlite3_stmt *begin, *commit, *insert_window, *insert_round;
	size_t pending_count;
	struct pending pending[BATCH_WINDOWS];
	struct lent *lent;
};

static const struct table *const tables[] = {
	&table_workloads, &table_phases, &table_outcomes, &table_windows, &table_rounds,
};

enum { TABLE_COUNT = sizeof(tables) / sizeof(tables[0]) };

static const char *const text_tables[] = { "meta", "host" };

/* Statements and errors */

/* The sentence for what SQLite just said. */
static int sql_fail(const struct result *result, int rc)
{
	const char *path = result->path, *why = sqlite3_errmsg(result->db);
	int code = sqlite3_system_errno(result->db);

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
		return fail(EBADMSG, "%s: not a drivebay result: no SQLite file", path);
	default:
		return fail(EBADMSG, "%s: corrupt: %s", path, why);
	}
	if (code == ENOSPC || code == EDQUOT)
		return fail(ENOSPC, "%s: the disk is full; what was written before stays", path);
	if (code == 0)
		return fail(EIO, "%s: %s", path, why);
	return fail(code, "%s: %s (%s)", path, strerror(code), why);
}

static void cleanup_statement(sqlite3_stmt **statement)
{
	sqlite3_finalize(*statement);
}

#define _cleanup_statement_ __attribute__((cleanup(cleanup_statement)))

static int prepare(struct result *result, const char *sql, sqlite3_stmt **out)
{
	int rc = sqlite3_prepare_v2(result->db, sql, -1, out, NULL);

	return rc ? sql_fail(result, rc) : 0;
}

static int exec(struct result *result, const char *sql)
{
	int rc = sqlite3_exec(result->db, sql, NULL, NULL, NULL);

	return rc ? sql_fail(result, rc) : 0;
}

/* 1: a row; 0: no more; or a negative errno. */
static int step(struct result *result, sqlite3_stmt *statement)
{
	int rc = sqlite3_step(statement);

	if (rc == SQLITE_ROW)
		return 1;
	return rc == SQLITE_DONE ? 0 : sql_fail(result, rc);
}

/* Steps a statement without rows and makes it ready for the next time. */
static int run_once(struct result *result, sqlite3_stmt *statement)
{
	int err = step(result, statement);

	sqlite3_reset(statement);
	return err;
}

static int read_number(struct result *result, const char *sql, sqlite3_int64 *value)
{
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	int err = prepare(result, sql, &statement);

	if (err)
		return err;
	err = step(result, statement);
	*value = err == 1 ? sqlite3_column_int64(statement, 0) : 0;
	return err < 0 ? err : 0;
}

/* Opening */

/*
 * A file may come from anybody: its triggers and views do not run, its schema is not
 * believed, and no value of it makes us allocate more than we are willing to.
 */
static int harden(struct result *result)
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
	return exec(result, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; "
			    "PRAGMA temp_store = MEMORY");
}

static int connect_file(struct result *result)
{
	int flags = result->writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
	int rc = sqlite3_open_v2(result->file, &result->db, flags, NULL);

	result->pid = getpid();
	return rc ? sql_fail(result, rc) : harden(result);
}

/*
 * The write-ahead log: a commit is one write without a sync, and readers do not wait for
 * writers. Where it cannot be had (a file system without shared memory) the rollback
 * journal serves as well, only slower. Changing to it wants the file for itself, and
 * SQLite does not wait for that; we do.
 */
static int use_log(struct result *result)
{
	for (int waited_ms = 0;; waited_ms += 10) {
		int rc = sqlite3_exec(result->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);

		if ((rc & 0xff) == SQLITE_BUSY && waited_ms < BUSY_MS) {
			sqlite3_sleep(10);
			continue;
		}
		if (rc && (rc & 0xff) != SQLITE_CANTOPEN && rc != SQLITE_IOERR_SHMMAP)
			return sql_fail(result, rc);
		return exec(result, "PRAGMA synchronous = NORMAL");
	}
}

static void finalize_all(struct result *result)
{
	sqlite3_stmt **kept[] = { &result->begin, &result->commit, &result->insert_window,
				  &result->insert_round };

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		sqlite3_finalize(*kept[i]);
		*kept[i] = NULL;
	}
}

static void disconnect(struct result *result)
{
	finalize_all(result);
	sqlite3_close(result->db);
	result->db = NULL;
}

static int prepare_kept(struct result *result)
{
	_cleanup_buf_ struct buf window = BUF_INIT;
	_cleanup_buf_ struct buf round = BUF_INIT;
	int err;

	table_insert_sql(&table_windows, &window);
	table_insert_sql(&table_rounds, &round);
	err = prepare(result, "BEGIN IMMEDIATE", &result->begin);
	if (!err)
		err = prepare(result, "COMMIT", &result->commit);
	if (!err)
		err = prepare(result, window.text, &result->insert_window);
	if (!err)
		err = prepare(result, round.text, &result->insert_round);
	return err;
}

/* Every call begins with this. */
static int attach(struct result *result)
{
	int err;

	if (result->db) {
		assert(result->pid == getpid()); /* else result_detach() was forgotten */
		return 0;
	}
	err = connect_file(result);
	if (!err && result->writable)
		err = use_log(result);
	if (!err && result->writable)
		err = prepare_kept(result);
	if (err)
		disconnect(result);
	return err;
}

static int attach_writable(struct result *result)
{
	assert(result->writable);
	return attach(result);
}

static struct result *result_new(const char *path, bool writable)
{
	struct result *result = xcalloc(1, sizeof(*result));

	result->path = xstrdup(path);
	result->writable = writable;
	result->owner = getpid();
	return result;
}

static void result_free(struct result *result)
{
	disconnect(result);
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

static int begin(struct result *result)
{
	int err = attach_writable(result);

	return err ? err : run_once(result, result->begin);
}

/* Commits, or undoes everything when `err` says that something failed. */
static int end(struct result *result, int err)
{
	if (!err)
		err = run_once(result, result->commit);
	if (err && !sqlite3_get_autocommit(result->db))
		sqlite3_exec(result->db, "ROLLBACK", NULL, NULL, NULL);
	return err;
}

/* Runs an insert whose keys are bound by row_bind(); -EEXIST when there is such a row. */
static int insert_row(struct result *result, sqlite3_stmt *statement, const struct table *table,
		      const uint64_t *keys, const void *row)
{
	int err = row_bind(statement, table, keys, row), rc;

	if (err)
		return err;
	rc = sqlite3_step(statement);
	if (rc != SQLITE_DONE)
		err = (rc & 0xff) != SQLITE_CONSTRAINT ? sql_fail(result, rc) :
		      fail(EEXIST, "%s: %s of phase %llu: there is one with number %llu already",
			   result->path, table->name, (unsigned long long)keys[0],
			   (unsigned long long)keys[1]);
	sqlite3_reset(statement);
	return err;
}

static int insert_rows(struct result *result, const struct table *table, const uint64_t *keys,
		       const void *row)
{
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	_cleanup_buf_ struct buf sql = BUF_INIT;
	uint64_t both[TABLE_KEYS] = { keys[0], 0 };
	int err;

	table_insert_sql(table, &sql);
	err = prepare(result, sql.text, &statement);
	return err ? err : insert_row(result, statement, table, both, row);
}

static int delete_phase(struct result *result, const struct table *table, size_t phase)
{
	_cleanup_free_ char *sql = xasprintf("DELETE FROM %s WHERE phase = %zu", table->name, phase);

	return exec(result, sql);
}

/* Creating */

/* For people with sqlite3 at hand; nothing here reads it. */
static const char view_sql[] =
	"CREATE VIEW summary AS SELECT phase, name, kind, workload, status, percent, offered_iops,\n"
	"  (read_ios + write_ios + trim_ios + flush_ios) * 1e9 / nullif(elapsed_ns, 0) AS iops,\n"
	"  (read_bytes + write_bytes + trim_bytes) * 1e3 / nullif(elapsed_ns, 0) AS mb_per_s,\n"
	"  submit_sum_ns / 1e3 / nullif(submit_count, 0) AS mean_us,\n"
	"  submit_max_ns / 1e3 AS max_us,\n"
	"  outstanding_ns * 1.0 / nullif(elapsed_ns, 0) AS outstanding,\n"
	"  steady, sustained, errors\n"
	"FROM phases LEFT JOIN outcomes USING (phase)";

static void text_table_sql(const char *name, struct buf *out)
{
	buf_printf(out, "CREATE TABLE %s (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) "
		   "STRICT, WITHOUT ROWID", name);
}

static int create_tables(struct result *result)
{
	_cleanup_buf_ struct buf sql = BUF_INIT;

	buf_printf(&sql, "PRAGMA application_id = %d; PRAGMA user_version = %d;\n",
		   RESULT_APPLICATION_ID, RESULT_VERSION);
	for (size_t i = 0; i < 2; i++) {
		text_table_sql(text_tables[i], &sql);
		buf_puts(&sql, ";\n");
	}
	for (size_t i = 0; i < TABLE_COUNT; i++) {
		table_create_sql(tables[i], &sql);
		buf_puts(&sql, ";\n");
	}
	buf_puts(&sql, view_sql);
	return exec(result, sql.text);
}

static int put_text(struct result *result, const char *table, const char *key, const char *value)
{
	_cleanup_free_ char *sql = xasprintf("INSERT OR REPLACE INTO %s VALUES (?, ?)", table);
	_cleanup_free_ char *clean_key = text_clean(key);
	_cleanup_free_ char *clean = text_clean(value);
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	int err = prepare(result, sql, &statement);

	if (err)
		return err;
	sqlite3_bind_text(statement, 1, clean_key, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 2, clean, -1, SQLITE_STATIC);
	return step(result, statement);
}

static int put_plan_texts(struct result *result, const struct plan *plan)
{
	int err = put_text(result, "meta", "plan", plan->name ? plan->name : "");

	if (!err)
		err = put_text(result, "meta", "plan_help", plan->help ? plan->help : "");
	if (!err)
		err = put_text(result, "meta", "plan_source", plan->source ? plan->source : "");
	return err;
}

static bool same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_mix(const struct size_mix *a, const struct size_mix *b)
{
	return a->count == b->count && memcmp(a->shares, b->shares, a->count * sizeof(a->shares[0])) == 0;
}

static bool same_workload(const struct workload *a, const struct workload *b)
{
	return same_text(a->help, b->help) && same_text(a->source, b->source) &&
	       a->read_percent == b->read_percent && a->trim_percent == b->trim_percent &&
	       a->pattern == b->pattern && a->random_percent == b->random_percent &&
	       a->zipf_theta_milli == b->zipf_theta_milli &&
	       same_mix(&a->read_sizes, &b->read_sizes) &&
	       same_mix(&a->write_sizes, &b->write_sizes) && a->align_bytes == b->align_bytes &&
	       a->threads == b->threads && a->depth == b->depth &&
	       a->span_millipercent == b->span_millipercent;
}

/* Writes the workload unless an earlier phase has brought it. */
static int put_workload(struct result *result, const struct plan *plan, size_t phase,
			uint64_t *count)
{
	const struct workload *workload = plan->phases[phase].workload;

	for (size_t i = 0; i < phase; i++) {
		const struct workload *known = plan->phases[i].workload;

		if (known == workload)
			return 0;
		if (!known || !same_text(known->name, workload->name))
			continue;
		if (!same_workload(known, workload))
			return fail(EINVAL, "plan %s: two different workloads are called '%s'",
				    plan->name ? plan->name : "", workload->name);
		return 0;
	}
	return insert_rows(result, &table_workloads, &(uint64_t){ (*count)++ }, workload);
}

static int put_phase(struct result *result, const struct phase *phase, size_t index)
{
	struct result_phase *row = xcalloc(1, sizeof(*row)); /* with its histograms: not for the stack */
	int err;

	row->kind = phase->kind;
	row->chain = phase->chain;
	row->name = phase->name;
	row->group = phase->group;
	row->duration_ns = phase->duration_ns;
	row->window_ns = phase->window_ns;
	row->percent = phase->percent;
	row->base = phase->base;
	row->passes = phase->passes;
	row->fill_bytes = phase->fill_bytes;
	row->round_max = phase->round_max;
	row->min_fill_millipercent = phase->min_fill_millipercent;
	if (phase->workload) {
		row->workload = phase->workload->name;
		row->outstanding = phase->workload->threads * phase->workload->depth;
	}
	err = insert_rows(result, &table_phases, &(uint64_t){ index }, row);
	free(row);
	return err;
}

static int put_plan(struct result *result, const struct plan *plan)
{
	uint64_t workload_count = 0;
	int err = put_plan_texts(result, plan);

	for (size_t i = 0; !err && i < plan->phase_count; i++) {
		if (plan->phases[i].workload)
			err = put_workload(result, plan, i, &workload_count);
		if (!err)
			err = put_phase(result, &plan->phases[i], i);
	}
	return err;
}

/* Everything in one transaction, so that what exists is whole. */
static int fill_new(struct result *result, const struct plan *plan)
{
	int err = connect_file(result);

	if (!err)
		err = exec(result, "BEGIN IMMEDIATE");
	if (!err)
		err = create_tables(result);
	if (!err)
		err = put_plan(result, plan);
	if (!err)
		err = exec(result, "COMMIT");
	if (!err)
		err = use_log(result);
	if (!err)
		err = prepare_kept(result);
	return err;
}

static void remove_new(const char *file)
{
	static const char *const suffixes[] = { "", "-journal", "-wal", "-shm" };

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		_cleanup_free_ char *name = xasprintf("%s%s", file, suffixes[i]);

		unlink(name);
	}
}

int result_create(const char *path, const struct plan *plan, struct result **out)
{
	int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666), err;
	struct result *result;

	*out = NULL;
	if (fd < 0 && errno == EEXIST)
		return fail(EEXIST, "%s: exists already; a result is never overwritten", path);
	if (fd < 0)
		return fail(errno, "%s: cannot be created: %s", path, strerror(errno));
	close(fd); /* before SQLite opens it: closing would drop its locks */
	result = result_new(path, true);
	result->file = realpath(path, NULL);
	err = result->file ? fill_new(result, plan) : fail(errno, "%s: %s", path, strerror(errno));
	if (err) {
		disconnect(result);
		remove_new(result->file ? result->file : path);
		result_free(result);
		return err;
	}
	*out = result;
	return 0;
}

/* Opening what exists */

static int check_version(struct result *result)
{
	sqlite3_int64 id, version = 0;
	int err = read_number(result, "PRAGMA application_id", &id);

	if (!err)
		err = read_number(result, "PRAGMA user_version", &version);
	if (err)
		return err;
	if (id != RESULT_APPLICATION_ID)
		return fail(EBADMSG, "%s: not a drivebay result: a SQLite file of another program",
			    result->path);
	if (version > RESULT_VERSION)
		return fail(ENOTSUP, "%s: made by a newer drivebay, version %lld; this one reads up "
			    "to %d", result->path, (long long)version, RESULT_VERSION);
	if (version < 1)
		return fail(EBADMSG, "%s: corrupt: there is no version %lld", result->path,
			    (long long)version);
	return 0;
}

static int check_table(struct result *result, const char *name, const char *expected)
{
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	const unsigned char *sql = NULL;
	int err = prepare(result, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?",
			  &statement);

	if (err)
		return err;
	sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
	err = step(result, statement);
	if (err < 0)
		return err;
	if (err == 1)
		sql = sqlite3_column_text(statement, 0);
	if (!sql)
		return fail(EBADMSG, "%s: corrupt: there is no table '%s'", result->path, name);
	if (strcmp((const char *)sql, expected) != 0)
		return fail(EBADMSG, "%s: corrupt: table '%s' is not as version %d has it",
			    result->path, name, RESULT_VERSION);
	return 0;
}

/* Our tables must be word for word what we create: then no declaration in a foreign file
   (a generated column, a check with a function) is ever evaluated. */
static int check_tables(struct result *result)
{
	int err = 0;

	for (size_t i = 0; !err && i < 2; i++) {
		_cleanup_buf_ struct buf sql = BUF_INIT;

		text_table_sql(text_tables[i], &sql);
		err = check_table(result, text_tables[i], sql.text);
	}
	for (size_t i = 0; !err && i < TABLE_COUNT; i++) {
		_cleanup_buf_ struct buf sql = BUF_INIT;

		table_create_sql(tables[i], &sql);
		err = check_table(result, tables[i]->name, sql.text);
	}
	return err;
}

static int quick_check(struct result *result, const char *sql)
{
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	const char *said = NULL;
	int err = prepare(result, sql, &statement);

	if (err)
		return err;
	err = step(result, statement);
	if (err < 0)
		return err;
	if (err == 1)
		said = (const char *)sqlite3_column_text(statement, 0);
	if (said && strcmp(said, "ok") == 0)
		return 0;
	if (said && strncmp(said, "*** in database main ***\n", 25) == 0)
		said += 25;
	return fail(EBADMSG, "%s: corrupt: %.*s", result->path, said ? (int)strcspn(said, "\n") : 7,
		    said ? said : "unknown");
}

/* Reading wants our tables whole; writing also what free pages there are. */
static int check_pages(struct result *result)
{
	int err = 0;

	if (result->writable)
		return quick_check(result, "PRAGMA quick_check(1)");
	for (size_t i = 0; !err && i < 2 + TABLE_COUNT; i++) {
		_cleanup_free_ char *sql = xasprintf("PRAGMA quick_check(%s)",
						     i < 2 ? text_tables[i] : tables[i - 2]->name);

		err = quick_check(result, sql);
	}
	return err;
}

static int check_all(struct result *result)
{
	int err = check_version(result);

	if (!err)
		err = check_tables(result);
	return err ? err : check_pages(result);
}

/* What SQLite would say only vaguely, or take for a new file. */
static int check_file(const char *path, bool writable)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return fail(errno, "%s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return fail(EISDIR, "%s: a directory, not a drivebay result", path);
	if (!S_ISREG(st.st_mode))
		return fail(EBADMSG, "%s: not a drivebay result: no regular file", path);
	if (st.st_size == 0)
		return fail(EBADMSG, "%s: not a drivebay result: empty", path);
	if (access(path, writable ? R_OK | W_OK : R_OK) < 0)
		return fail(errno, "%s: cannot be %s: %s", path, writable ? "written" : "read",
			    strerror(errno));
	return 0;
}

static int open_checked(struct result *result)
{
	int err = connect_file(result);

	if (!err)
		err = check_all(result);
	if (!err && result->writable)
		err = use_log(result);
	if (!err && result->writable)
		err = prepare_kept(result);
	return err;
}

int result_open(const char *path, bool writable, struct result **out)
{
	struct result *result;
	int err = check_file(path, writable);

	*out = NULL;
	if (err)
		return err;
	result = result_new(path, writable);
	result->file = realpath(path, NULL);
	err = result->file ? open_checked(result) : fail(errno, "%s: %s", path, strerror(errno));
	if (err) {
		result_free(result);
		return err;
	}
	*out = result;
	return 0;
}

int result_open_memory(const void *bytes, size_t size, struct result **out)
{
	struct result *result = result_new("(memory)", false);
	unsigned char *copy;
	int rc, err;

	*out = NULL;
	result->pid = getpid();
	rc = sqlite3_open_v2(":memory:", &result->db, SQLITE_OPEN_READWRITE, NULL);
	copy = rc ? NULL : sqlite3_malloc64(size ? size : 1);
	if (copy) {
		memcpy(copy, bytes, size);
		rc = sqlite3_deserialize(result->db, "main", copy, (sqlite3_int64)size,
					 (sqlite3_int64)size,
					 SQLITE_DESERIALIZE_READONLY | SQLITE_DESERIALIZE_FREEONCLOSE);
	} else if (!rc) {
		rc = SQLITE_NOMEM;
	}
	err = rc ? sql_fail(result, rc) : harden(result);
	if (!err)
		err = check_all(result);
	if (err) {
		result_free(result);
		return err;
	}
	*out = result;
	return 0;
}

/* Writing */

static int put_pending(struct result *result)
{
	int err = 0;

	for (size_t i = 0; !err && i < result->pending_count; i++) {
		const struct pending *pending = &result->pending[i];

		err = insert_row(result, result->insert_window, &table_windows,
				 (uint64_t[]){ pending->phase, pending->index }, &pending->window);
	}
	return err;
}

static int flush(struct result *result)
{
	int err;

	if (result->pending_count == 0)
		return 0;
	err = begin(result);
	if (err)
		return err;
	err = end(result, put_pending(result));
	if (!err)
		result->pending_count = 0;
	return err;
}

int result_detach(struct result *result)
{
	int err = flush(result);

	disconnect(result);
	return err;
}

/* Leaving the log wants the file for itself; whoever closes last gets it. */
static void fold(struct result *result)
{
	if (attach(result))
		return;
	finalize_all(result);
	sqlite3_busy_timeout(result->db, 0);
	sqlite3_exec(result->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
}

void result_close(struct result *result)
{
	if (!result)
		return;
	flush(result);
	if (result->writable && result->owner == getpid())
		fold(result);
	result_free(result);
}

void result_batch(struct result *result, bool on)
{
	if (!on)
		flush(result); /* an error comes again with the next call */
	result->batch = on;
}

static int set_text(struct result *result, const char *table, const char *key, const char *value)
{
	int err = begin(result);

	return err ? err : end(result, put_text(result, table, key, value));
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

static void latency_empty(struct stats *stats)
{
	stats->from_submit.min_ns = UINT64_MAX;
	stats->from_due.min_ns = UINT64_MAX;
	stats->read_from_submit.min_ns = UINT64_MAX;
	stats->write_from_submit.min_ns = UINT64_MAX;
}

static int put_running(struct result *result, size_t phase, uint64_t now_ns)
{
	struct phase_result *row = xcalloc(1, sizeof(*row));
	int err;

	row->status = PHASE_RUNNING;
	row->began_ns = now_ns;
	latency_empty(&row->stats);
	err = insert_rows(result, &table_outcomes, &(uint64_t){ phase }, row);
	free(row);
	return err;
}

int result_phase_begin(struct result *result, size_t phase, uint64_t now_ns)
{
	int err = begin(result);

	if (err)
		return err;
	drop_pending(result, phase);
	err = delete_phase(result, &table_windows, phase);
	if (!err)
		err = delete_phase(result, &table_rounds, phase);
	if (!err)
		err = delete_phase(result, &table_outcomes, phase);
	if (!err)
		err = put_running(result, phase, now_ns);
	return end(result, err);
}

static int window_now(struct result *result, const uint64_t *keys, const struct window *window)
{
	int err = begin(result);

	if (err)
		return err;
	return end(result, insert_row(result, result->insert_window, &table_windows, keys, window));
}

int result_window(struct result *result, size_t phase, uint64_t index, const struct window *window)
{
	int err;

	if (!result->batch)
		return window_now(result, (uint64_t[]){ phase, index }, window);
	if (result->pending_count == BATCH_WINDOWS) {
		err = flush(result); /* which failed the last time */
		if (err)
			return err;
	}
	result->pending[result->pending_count++] = (struct pending){ phase, index, *window };
	return result->pending_count == BATCH_WINDOWS ? flush(result) : 0;
}

int result_round(struct result *result, size_t phase, uint64_t index, uint64_t value)
{
	int err = begin(result);

	if (err)
		return err;
	return end(result, insert_row(result, result->insert_round, &table_rounds,
				      (uint64_t[]){ phase, index }, &value));
}

static int put_outcome(struct result *result, size_t phase, const struct phase_result *outcome)
{
	int err = put_pending(result);

	if (!err)
		err = delete_phase(result, &table_outcomes, phase);
	if (!err)
		err = insert_rows(result, &table_outcomes, &(uint64_t){ phase }, outcome);
	return err;
}

/*
 * A phase is what --resume counts in, so it is on the disk before the next one begins. The
 * log is folded in as well, so that the file alone, without the log, holds all that is done.
 */
int result_phase_end(struct result *result, size_t phase, const struct phase_result *outcome)
{
	int err = attach_writable(result);

	if (!err && !result->batch)
		err = exec(result, "PRAGMA synchronous = FULL");
	if (!err)
		err = begin(result);
	if (err)
		return err;
	err = end(result, put_outcome(result, phase, outcome));
	if (!err)
		result->pending_count = 0;
	if (!result->batch) {
		sqlite3_wal_checkpoint_v2(result->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
		sqlite3_exec(result->db, "PRAGMA synchronous = NORMAL", NULL, NULL, NULL);
	}
	return err;
}

/* Reading */

/* Reading sees what this process has written. */
static int attach_flushed(struct result *result)
{
	int err = flush(result);

	return err ? err : attach(result);
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

	if (attach(result) || prepare(result, sql, &statement))
		return NULL;
	sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
	if (step(result, statement) != 1)
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
	int err = attach(result);

	*out = NULL;
	*count = 0;
	if (!err)
		err = prepare(result, host ? "SELECT key, value FROM host ORDER BY key" :
			      "SELECT key, value FROM meta ORDER BY key", &statement);
	while (!err && (err = step(result, statement)) == 1) {
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
	sqlite3_int64 rows, next = 0;
	int err = attach(result);

	*count = 0;
	if (!err)
		err = read_number(result, "SELECT count(*) FROM phases", &rows);
	if (!err)
		err = read_number(result, "SELECT coalesce(max(phase) + 1, 0) FROM phases", &next);
	if (err)
		return err;
	if (rows != next)
		return fail(EBADMSG, "%s: corrupt: %lld phases, and the last has number %lld",
			    result->path, (long long)rows, (long long)next - 1);
	*count = (size_t)rows;
	return 0;
}

static int select_phase(struct result *result, const struct table *table, size_t phase,
			sqlite3_stmt **statement)
{
	_cleanup_buf_ struct buf sql = BUF_INIT;
	int err;

	table_select_sql(table, false, &sql);
	err = prepare(result, sql.text, statement);
	if (!err)
		sqlite3_bind_int64(*statement, 1, (sqlite3_int64)phase);
	return err;
}

/* 1: read; 0: there is none; or a negative errno. */
static int read_one(struct result *result, const struct table *table, size_t phase, void *row)
{
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	uint64_t keys[TABLE_KEYS];
	int err = select_phase(result, table, phase, &statement);

	if (!err)
		err = step(result, statement);
	if (err != 1)
		return err;
	err = row_read(statement, table, result->path, keys, row);
	return err ? err : 1;
}

static int read_outcome(struct result *result, size_t phase, struct phase_result *out)
{
	int err = read_one(result, &table_outcomes, phase, out);

	if (err == 0) {
		out->status = PHASE_PENDING;
		latency_empty(&out->stats);
	}
	return err < 0 ? err : 0;
}

int result_phase_read(struct result *result, size_t phase, struct result_phase *out)
{
	int err = attach(result);

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

/* All rows of a phase, each `size` bytes, grown as they come: what a file claims to hold
   is never believed, only what it holds. */
static int read_many(struct result *result, const struct table *table, size_t phase, size_t size,
		     char **out, size_t *count)
{
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	uint64_t keys[TABLE_KEYS];
	size_t capacity = 0, used = 0;
	char *rows = NULL;
	int err = attach_flushed(result);

	if (!err)
		err = select_phase(result, table, phase, &statement);
	while (!err && (err = step(result, statement)) == 1) {
		if (used == capacity) {
			capacity = capacity ? capacity * 2 : 64;
			rows = xrealloc(rows, capacity * size);
		}
		memset(rows + used * size, 0, size);
		err = row_read(statement, table, result->path, keys, rows + used * size);
		used++;
	}
	if (err) {
		free(rows);
		rows = NULL;
		used = 0;
	}
	*out = rows;
	*count = used;
	return err;
}

int result_windows_read(struct result *result, size_t phase, struct window **out, size_t *count)
{
	char *rows;
	int err = read_many(result, &table_windows, phase, sizeof(struct window), &rows, count);

	*out = (struct window *)(void *)rows;
	return err;
}

int result_rounds_read(struct result *result, size_t phase, uint64_t **out, size_t *count)
{
	char *rows;
	int err = read_many(result, &table_rounds, phase, sizeof(uint64_t), &rows, count);

	*out = (uint64_t *)(void *)rows;
	return err;
}
