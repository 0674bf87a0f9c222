#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "store/file.h"

static int check_version(struct result *result)
{
	int64_t id, version = 0;
	int err = file_read_number(result, "PRAGMA application_id", &id);

	if (!err)
		err = file_read_number(result, "PRAGMA user_version", &version);
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
	if (version < RESULT_VERSION && result->writable)
		return fail(ENOTSUP, "%s: made by an older drivebay, version %lld: it can be read, "
			    "but not gone on with; start anew", result->path, (long long)version);
	result->version = (unsigned)version;
	return 0;
}

static int check_table(struct result *result, const char *name, const char *expected)
{
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	const unsigned char *sql = NULL;
	int err = file_prepare(result,
			       "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?",
			       &statement);

	if (err)
		return err;
	sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
	err = file_step(result, statement);
	if (err < 0)
		return err;
	if (err == 1)
		sql = sqlite3_column_text(statement, 0);
	if (!sql)
		return fail(EBADMSG, "%s: corrupt: there is no table '%s'", result->path, name);
	if (strcmp((const char *)sql, expected) != 0)
		return fail(EBADMSG, "%s: corrupt: table '%s' is not as version %u has it",
			    result->path, name, result->version);
	return 0;
}

/* Our tables must be word for word what we create: then no declaration in a foreign file
   (a generated column, a check with a function) is ever evaluated. */
static int check_tables(struct result *result)
{
	int err = 0;

	for (size_t i = 0; !err && i < FILE_TEXT_TABLES; i++) {
		_cleanup_buf_ struct buf sql = BUF_INIT;

		file_text_table_sql(file_text_tables[i], &sql);
		err = check_table(result, file_text_tables[i], sql.text);
	}
	for (size_t i = 0; !err && i < FILE_TABLES; i++) {
		_cleanup_buf_ struct buf sql = BUF_INIT;

		if (file_tables[i]->since > result->version)
			continue;
		table_create_sql(file_tables[i], result->version, &sql);
		err = check_table(result, file_tables[i]->name, sql.text);
	}
	return err;
}

/* Every page of the file belongs to something and is what it should be. */
static int check_pages(struct result *result)
{
	static const char banner[] = "*** in database main ***\n";
	_cleanup_statement_ sqlite3_stmt *statement = NULL;
	const char *said = "";
	int err = file_prepare(result, "PRAGMA quick_check(1)", &statement);

	if (!err)
		err = file_step(result, statement);
	if (err == 1)
		said = (const char *)sqlite3_column_text(statement, 0);
	if (err < 0 || strcmp(said, "ok") == 0)
		return err < 0 ? err : 0;
	if (strncmp(said, banner, sizeof(banner) - 1) == 0)
		said += sizeof(banner) - 1;
	return fail(EBADMSG, "%s: corrupt: %.*s", result->path, (int)strcspn(said, "\n"), said);
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

	/* A file that is not there was asked for by mistake, like a target that is not. */
	if (stat(path, &st) < 0)
		return fail(errno == ENOENT ? EINVAL : errno, "%s: %s", path, strerror(errno));
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
	int err = file_connect(result);

	if (!err)
		err = check_all(result);
	if (!err && result->writable)
		err = file_make_writable(result);
	return err;
}

int result_open(const char *path, bool writable, struct result **out)
{
	struct result *result;
	int err = check_file(path, writable);

	*out = NULL;
	if (err)
		return err;
	result = file_new(path, writable);
	result->file = realpath(path, NULL);
	err = result->file ? open_checked(result) : fail(errno, "%s: %s", path, strerror(errno));
	if (err) {
		file_free(result);
		return err;
	}
	*out = result;
	return 0;
}

int result_open_memory(const void *bytes, size_t size, struct result **out)
{
	struct result *result = file_new("(memory)", false);
	unsigned char *copy;
	int rc, err;

	*out = NULL;
	result->pid = getpid();
	rc = sqlite3_open_v2(":memory:", &result->db, SQLITE_OPEN_READWRITE, NULL);
	copy = rc ? NULL : sqlite3_malloc64(size ? size : 1);
	if (copy) {
		memcpy(copy, bytes, size);
		rc = sqlite3_deserialize(result->db, "main", copy, (int64_t)size,
					 (int64_t)size,
					 SQLITE_DESERIALIZE_READONLY | SQLITE_DESERIALIZE_FREEONCLOSE);
	} else if (!rc) {
		rc = SQLITE_NOMEM;
	}
	err = rc ? file_fail(result, rc) : file_harden(result);
	if (!err)
		err = check_all(result);
	if (err) {
		file_free(result);
		return err;
	}
	*out = result;
	return 0;
}
