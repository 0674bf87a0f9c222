#include "store/schema.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "load/workload.h"
#include "stats/hist.h"

const char *const phase_kind_words[] = {
	[PHASE_PURGE] = "purge", [PHASE_FILL] = "fill", [PHASE_RUN] = "run",
	[PHASE_POINT] = "point", [PHASE_ROUNDS] = "rounds",
	[PHASE_APPLICATION] = "application", NULL,
};

const char *const phase_status_words[] = {
	[PHASE_PENDING] = "pending", [PHASE_RUNNING] = "running", [PHASE_DONE] = "done",
	[PHASE_FAILED] = "failed", [PHASE_SKIPPED] = "skipped", NULL,
};

const char *const pattern_words[] = {
	[PATTERN_UNIFORM] = "uniform", [PATTERN_SEQUENTIAL] = "sequential",
	[PATTERN_ZIPF] = "zipf", [PATTERN_FILL] = "fill", [PATTERN_TRACE] = "trace", NULL,
};

const char *const arrivals_words[] = {
	[ARRIVALS_DETERMINISTIC] = "deterministic", [ARRIVALS_EXPONENTIAL] = "exponential", NULL,
};

/* COLUMN(struct, its member, the column's name, type) */
#define COLUMN(row, member, title, kind) \
	{ .name = title, .type = COLUMN_##kind, .offset = offsetof(row, member) }
#define WORD(row, member, title, list) \
	{ .name = title, .type = COLUMN_WORD, .offset = offsetof(row, member), .words = list }
#define TABLE_COLUMNS(list) .columns = list, .column_count = sizeof(list) / sizeof((list)[0])

static const struct column workload_columns[] = {
#define W(member, kind) COLUMN(struct workload, member, #member, kind)
	W(name, NAME),
	W(help, TEXT),
	W(source, TEXT),
	W(read_percent, U32),
	W(trim_percent, U32),
	WORD(struct workload, pattern, "pattern", pattern_words),
	W(random_percent, U32),
	W(zipf_theta_milli, U32),
	W(read_sizes, MIX),
	W(write_sizes, MIX),
	W(align_bytes, U32),
	W(threads, U32),
	W(depth, U32),
	W(span_millipercent, U64),
	{ .name = "zeroes_percent", .type = COLUMN_U32, .since = 4,
	  .offset = offsetof(struct workload, zeroes_percent) },
	{ .name = "compress_percent", .type = COLUMN_U32, .since = 4,
	  .offset = offsetof(struct workload, compress_percent) },
#define W_SINCE(version, member, kind) \
	{ .name = #member, .type = COLUMN_##kind, .since = version, \
	  .offset = offsetof(struct workload, member) }
	W_SINCE(4, offset_bytes, U64),
	W_SINCE(4, span_bytes, U64),
	W_SINCE(4, shares_span, BOOL),
	W_SINCE(4, thread_step_bytes, U64),
	W_SINCE(4, flush_writes, U32),
#undef W_SINCE
#undef W
};

static const struct column phase_columns[] = {
#define P(member, kind) COLUMN(struct result_phase, member, #member, kind)
	P(chain, U32),
	WORD(struct result_phase, kind, "kind", phase_kind_words),
	P(name, NAME),
	COLUMN(struct result_phase, group, "group_name", NAME),
	P(workload, NAME),
	P(outstanding, U32),
	P(duration_ns, U64),
	P(window_ns, U64),
	P(percent, U32),
	P(base, SIZE),
	P(passes, U32),
	P(fill_bytes, U32),
	P(round_max, U32),
	P(min_fill_millipercent, U64),
#define P_SINCE(version, member, kind) \
	{ .name = #member, .type = COLUMN_##kind, .since = version, \
	  .offset = offsetof(struct result_phase, member) }
	P_SINCE(4, rate, U64),
	{ .name = "arrivals", .type = COLUMN_WORD, .since = 4, .words = arrivals_words,
	  .offset = offsetof(struct result_phase, arrivals) },
	P_SINCE(4, max_bytes, U64),
	P_SINCE(4, is_beside, BOOL),
#undef P_SINCE
	{ .name = "application", .type = COLUMN_NAME, .since = 4,
	  .offset = offsetof(struct result_phase, application) },
	{ .name = "cycle_scale_milli", .type = COLUMN_U32, .since = 4,
	  .offset = offsetof(struct result_phase, cycle_scale_milli) },
#undef P
};

static const struct column outcome_columns[] = {
#define O(member, title, kind) COLUMN(struct phase_result, member, title, kind)
#define O_SINCE(version, member, title, kind) \
	{ .name = title, .type = COLUMN_##kind, .since = version, \
	  .offset = offsetof(struct phase_result, member) }
#define LATENCY(member, title) \
	O(stats.member.count, title "_count", U64), \
	O(stats.member.min_ns, title "_min_ns", LEAST), \
	O(stats.member.max_ns, title "_max_ns", U64), \
	O(stats.member.sum_ns, title "_sum_ns", SUM), \
	O(stats.member.sum_square_ns, title "_sum_square_ns2", SUM)
#define GUARDED_SINCE(version, group, member) \
	{ .name = #member, .type = COLUMN_U64, .since = version, \
	  .offset = offsetof(struct phase_result, group.member), \
	  .guard = offsetof(struct phase_result, has_##group) }
#define GUARDED(group, member) GUARDED_SINCE(0, group, member)
	WORD(struct phase_result, status, "status", phase_status_words),
	O(note, "note", NOTE),
	O(began_ns, "began_ns", U64),
	O(ended_ns, "ended_ns", U64),
	O(offered_iops, "offered_iops", U64),
	O(stats.elapsed_ns, "elapsed_ns", U64),
	O(stats.ios[IO_READ], "read_ios", U64),
	O(stats.ios[IO_WRITE], "write_ios", U64),
	O(stats.ios[IO_TRIM], "trim_ios", U64),
	O(stats.ios[IO_FLUSH], "flush_ios", U64),
	O(stats.bytes[IO_READ], "read_bytes", U64),
	O(stats.bytes[IO_WRITE], "write_bytes", U64),
	O(stats.bytes[IO_TRIM], "trim_bytes", U64),
	O(stats.bytes[IO_FLUSH], "flush_bytes", U64),
	O_SINCE(3, stats.ios[IO_WRITE_ZEROES], "write_zeroes_ios", U64),
	O_SINCE(3, stats.bytes[IO_WRITE_ZEROES], "write_zeroes_bytes", U64),
	O(stats.errors, "errors", U64),
	LATENCY(from_submit, "submit"),
	LATENCY(from_due, "due"),
	LATENCY(read_from_submit, "read"),
	LATENCY(write_from_submit, "write"),
	O(stats.hist_submit, "submit_hist", HIST),
	O(stats.hist_due, "due_hist", HIST),
	O_SINCE(4, stats.hist_not_read, "not_read_hist", HIST),
	O(stats.outstanding_ns, "outstanding_ns", SUM),
	O(stats.unfinished, "unfinished", U64),
	O_SINCE(2, stats.unfinished_ns, "unfinished_ns", SUM),
	O(stats.unissued, "unissued", U64),
	O(stats.late_max_ns, "late_max_ns", U64),
	O(sustained, "sustained", BOOL),
	O(steady.steady, "steady", BOOL),
	O(steady.first, "steady_first", SIZE),
	O(steady.average, "steady_average", REAL),
	O(steady.range_share, "steady_range_share", REAL),
	O(steady.slope_share, "steady_slope_share", REAL),
	O(steady.slope, "steady_slope", REAL),
	O(steady.intercept, "steady_intercept", REAL),
	O(has_usage, "has_usage", BOOL),
	GUARDED(usage, dies_ns),
	GUARDED(usage, channels_ns),
	GUARDED(usage, controller_read_ns),
	GUARDED(usage, controller_write_ns),
	GUARDED(usage, link_read_ns),
	GUARDED(usage, link_write_ns),
	GUARDED(usage, bed_ns),
	O(has_health, "has_health", BOOL),
#define HEALTH(member, how, version) GUARDED_SINCE(version, health, member),
	HEALTH_COUNTERS(HEALTH)
#undef HEALTH
#undef GUARDED
#undef GUARDED_SINCE
#undef LATENCY
#undef O_SINCE
#undef O
};

static const struct column window_columns[] = {
#define W(member) COLUMN(struct window, member, #member, U64)
	W(start_ns), W(elapsed_ns), W(ios), W(read_ios), W(bytes), W(errors), W(mean_ns),
	W(p50_ns), W(p99_ns), W(p999_ns), W(max_ns), W(stddev_ns), W(due_p99_ns), W(due_max_ns),
	W(outstanding_milli), W(waf_milli),
#undef W
};

static const struct column application_columns[] = {
	COLUMN(struct application, name, "name", NAME),
	COLUMN(struct application, help, "help", TEXT),
	COLUMN(struct application, source, "source", TEXT),
	COLUMN(struct application, text, "text", TEXT),
	COLUMN(struct application, time_ns, "time_ns", U64),
};

static const struct column figure_columns[] = {
	COLUMN(struct merit, name, "name", NAME),
	COLUMN(struct merit, unit, "unit", NAME),
	COLUMN(struct merit, value, "value", REAL),
};

static const struct column round_columns[] = {
	{ .name = "value", .type = COLUMN_U64, .offset = 0 },
};

/* A member that joins one of these structs wants a column above, and a new version. */
#define ROUND_UP(size, to) (((size) + (to) - 1) / (to) * (to))
_Static_assert(sizeof(struct window) == sizeof(window_columns) / sizeof(window_columns[0]) * 8,
	       "a column for each member of struct window");
_Static_assert(sizeof(struct usage) == 7 * 8, "a column for each member of struct usage");
_Static_assert(sizeof(struct latency) == 2 * 16 + ROUND_UP(3 * 8, 16),
	       "a column for each member of struct latency");
_Static_assert(sizeof(struct stats) == 4 * sizeof(struct latency) + 3 * sizeof(struct hist) + 2 * 16 +
		       ROUND_UP((2 * IO_OP_COUNT + 5) * 8, 16),
	       "a column for each member of struct stats");

const struct table table_workloads = { "workloads", { "idx" }, TABLE_COLUMNS(workload_columns) };
const struct table table_phases = { "phases", { "phase" }, TABLE_COLUMNS(phase_columns) };
const struct table table_outcomes = { "outcomes", { "phase" }, TABLE_COLUMNS(outcome_columns) };
const struct table table_windows = { "windows", { "phase", "idx" }, TABLE_COLUMNS(window_columns) };
const struct table table_rounds = { "rounds", { "phase", "idx" }, TABLE_COLUMNS(round_columns) };
const struct table table_applications = { "applications", { "idx" },
					  TABLE_COLUMNS(application_columns), .since = 4 };
const struct table table_figures = { "figures", { "phase", "idx" }, TABLE_COLUMNS(figure_columns),
				     .since = 4 };

/* Statements */

static const char *sql_type(enum column_type type)
{
	switch (type) {
	case COLUMN_U32:
	case COLUMN_U64:
	case COLUMN_SIZE:
	case COLUMN_BOOL:
	case COLUMN_LEAST:
		return "INTEGER";
	case COLUMN_REAL:
		return "REAL";
	case COLUMN_SUM:
	case COLUMN_WORD:
	case COLUMN_NAME:
	case COLUMN_TEXT:
	case COLUMN_NOTE:
	case COLUMN_MIX:
		return "TEXT";
	case COLUMN_HIST:
		return "BLOB";
	}
	abort();
}

static bool may_be_null(const struct column *column)
{
	return column->guard || column->type == COLUMN_LEAST || column->type == COLUMN_NOTE;
}

static size_t key_count(const struct table *table)
{
	size_t count = 0;

	while (count < TABLE_KEYS && table->keys[count])
		count++;
	return count;
}

static bool has_column(const struct column *column, unsigned version)
{
	return column->since <= version;
}

/* "a, b, c": the keys, and then (unless only_keys) the columns. */
static void put_names(const struct table *table, unsigned version, bool only_keys, struct buf *out)
{
	for (size_t i = 0; i < key_count(table); i++)
		buf_printf(out, "%s%s", i ? ", " : "", table->keys[i]);
	for (size_t i = 0; !only_keys && i < table->column_count; i++)
		if (has_column(&table->columns[i], version))
			buf_printf(out, ", %s", table->columns[i].name);
}

void table_create_sql(const struct table *table, unsigned version, struct buf *out)
{
	buf_printf(out, "CREATE TABLE %s (", table->name);
	for (size_t i = 0; i < key_count(table); i++)
		buf_printf(out, "%s INTEGER NOT NULL, ", table->keys[i]);
	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];

		if (!has_column(column, version))
			continue;
		buf_printf(out, "%s %s%s, ", column->name, sql_type(column->type),
			   may_be_null(column) ? "" : " NOT NULL");
	}
	buf_puts(out, "PRIMARY KEY (");
	put_names(table, version, true, out);
	/* A single whole number is the row's own number, which needs no second tree either. */
	buf_printf(out, ")) STRICT%s", key_count(table) > 1 ? ", WITHOUT ROWID" : "");
}

void table_insert_sql(const struct table *table, struct buf *out)
{
	buf_printf(out, "INSERT INTO %s (", table->name);
	put_names(table, RESULT_VERSION, false, out);
	buf_puts(out, ") VALUES (?");
	for (size_t i = 1; i < key_count(table) + table->column_count; i++)
		buf_puts(out, ", ?");
	buf_puts(out, ")");
}

void table_select_sql(const struct table *table, unsigned version, bool all, struct buf *out)
{
	buf_puts(out, "SELECT ");
	put_names(table, version, false, out);
	buf_printf(out, " FROM %s", table->name);
	if (!all)
		buf_printf(out, " WHERE %s = ?", table->keys[0]);
	buf_puts(out, " ORDER BY ");
	put_names(table, version, true, out);
}

/* Numbers and texts */

const char *u128_text(unsigned __int128 value, char out[static U128_BYTES])
{
	char digits[U128_BYTES];
	size_t at = sizeof(digits);

	digits[--at] = '\0';
	do
		digits[--at] = (char)('0' + (int)(value % 10));
	while (value /= 10);
	memcpy(out, digits + at, sizeof(digits) - at);
	return out;
}

bool u128_parse(const char *text, unsigned __int128 *value)
{
	const unsigned __int128 most = ~(unsigned __int128)0;

	*value = 0;
	if (!text || !*text || (*text == '0' && text[1]))
		return false;
	for (; *text; text++) {
		unsigned digit = (unsigned)(*text - '0');

		if (digit > 9 || *value > (most - digit) / 10)
			return false;
		*value = *value * 10 + digit;
	}
	return true;
}

static bool is_control(char c)
{
	unsigned char byte = (unsigned char)c;

	return (byte < 0x20 && byte != '\n' && byte != '\t' && byte != '\r') || byte == 0x7f;
}

char *text_clean(const char *text)
{
	char *clean = xstrdup(text);

	for (char *c = clean; *c; c++)
		if (is_control(*c))
			*c = '?';
	return clean;
}

char *text_read(sqlite3_stmt *statement, int column, const char **bad)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);
	size_t size = (size_t)sqlite3_column_bytes(statement, column);

	if (!text || sqlite3_column_type(statement, column) != SQLITE_TEXT) {
		*bad = "is no text";
		return NULL;
	}
	if (strlen(text) != size) {
		*bad = "holds a NUL";
		return NULL;
	}
	for (const char *c = text; *c; c++)
		if (is_control(*c)) {
			*bad = "holds a control character";
			return NULL;
		}
	return xstrdup(text);
}

/* Writing a row */

static int bind_blob(sqlite3_stmt *statement, int at, const struct hist *hist)
{
	size_t size;
	_cleanup_free_ uint8_t *bytes = hist_encode(hist, &size);

	/* A blob of no bytes is not NULL, but bind_blob() would take it for that. */
	if (size == 0)
		return sqlite3_bind_zeroblob(statement, at, 0);
	return sqlite3_bind_blob64(statement, at, bytes, size, SQLITE_TRANSIENT);
}

void mix_text(const struct size_mix *mix, struct buf *out)
{
	assert(mix->count <= WORKLOAD_SIZES);
	buf_puts(out, "");
	for (size_t i = 0; i < mix->count; i++)
		buf_printf(out, "%s%u:%u", i ? " " : "", mix->shares[i].size_bytes,
			   mix->shares[i].weight);
}

static int bind_mix(sqlite3_stmt *statement, int at, const struct size_mix *mix)
{
	_cleanup_buf_ struct buf text = BUF_INIT;

	mix_text(mix, &text);
	return sqlite3_bind_text(statement, at, text.text, -1, SQLITE_TRANSIENT);
}

static int bind_text(sqlite3_stmt *statement, int at, const char *text)
{
	_cleanup_free_ char *clean = text_clean(text ? text : "");

	return sqlite3_bind_text(statement, at, clean, -1, SQLITE_TRANSIENT);
}

static const char *word_of(const struct column *column, unsigned value)
{
	for (unsigned i = 0; column->words[i]; i++)
		if (i == value)
			return column->words[i];
	abort();
}

static int bind_u64(sqlite3_stmt *statement, int at, const struct table *table,
		    const char *name, uint64_t value)
{
	if (value > INT64_MAX)
		return fail(ERANGE, "%s.%s: %llu is more than a result can hold", table->name, name,
			    (unsigned long long)value);
	return sqlite3_bind_int64(statement, at, (sqlite3_int64)value);
}

/* An SQLite code, or a negative errno that has its sentence. */
static int bind_column(sqlite3_stmt *statement, int at, const struct table *table,
		       const struct column *column, const void *row)
{
	const char *field = (const char *)row + column->offset;
	char digits[U128_BYTES];
	double real;

	if (column->guard && !*((const char *)row + column->guard))
		return sqlite3_bind_null(statement, at);
	switch (column->type) {
	case COLUMN_U32:
		return sqlite3_bind_int64(statement, at, *(const uint32_t *)(const void *)field);
	case COLUMN_U64:
		return bind_u64(statement, at, table, column->name,
				*(const uint64_t *)(const void *)field);
	case COLUMN_SIZE:
		return bind_u64(statement, at, table, column->name,
				*(const size_t *)(const void *)field);
	case COLUMN_BOOL:
		return sqlite3_bind_int(statement, at, *(const bool *)field);
	case COLUMN_LEAST:
		if (*(const uint64_t *)(const void *)field == UINT64_MAX)
			return sqlite3_bind_null(statement, at);
		return bind_u64(statement, at, table, column->name,
				*(const uint64_t *)(const void *)field);
	case COLUMN_SUM:
		u128_text(*(const unsigned __int128 *)(const void *)field, digits);
		return sqlite3_bind_text(statement, at, digits, -1, SQLITE_TRANSIENT);
	case COLUMN_REAL:
		real = *(const double *)(const void *)field;
		if (!isfinite(real))
			return fail(ERANGE, "%s.%s is not a finite number", table->name,
				    column->name);
		return sqlite3_bind_double(statement, at, real);
	case COLUMN_WORD:
		return sqlite3_bind_text(statement, at,
					 word_of(column, *(const unsigned *)(const void *)field), -1,
					 SQLITE_STATIC);
	case COLUMN_NOTE:
		if (!*(char *const *)(const void *)field)
			return sqlite3_bind_null(statement, at);
		return bind_text(statement, at, *(char *const *)(const void *)field);
	case COLUMN_NAME:
	case COLUMN_TEXT:
		return bind_text(statement, at, *(char *const *)(const void *)field);
	case COLUMN_MIX:
		return bind_mix(statement, at, (const void *)field);
	case COLUMN_HIST:
		return bind_blob(statement, at, (const void *)field);
	}
	abort();
}

int row_bind(sqlite3_stmt *statement, const struct table *table, const uint64_t *keys,
	     const void *row)
{
	int at = 1, rc;

	for (size_t i = 0; i < key_count(table); i++) {
		rc = bind_u64(statement, at++, table, table->keys[i], keys[i]);
		if (rc)
			goto out;
	}
	for (size_t i = 0; i < table->column_count; i++) {
		rc = bind_column(statement, at++, table, &table->columns[i], row);
		if (rc)
			goto out;
	}
	return 0;
out:
	return rc < 0 ? rc : fail(ENOMEM, "%s: %s", table->name, sqlite3_errstr(rc));
}

/* Reading a row */

/* NULL when fine, else what is wrong with the value. */
static const char *read_integer(sqlite3_stmt *statement, int at, uint64_t most, uint64_t *out)
{
	sqlite3_int64 value = sqlite3_column_int64(statement, at);

	*out = 0;
	if (sqlite3_column_type(statement, at) != SQLITE_INTEGER)
		return "is no whole number";
	if (value < 0)
		return "is negative";
	if ((uint64_t)value > most)
		return "is too large";
	*out = (uint64_t)value;
	return NULL;
}

static const char *read_word(sqlite3_stmt *statement, int at, const char *const *words,
			     unsigned *out)
{
	const char *bad = NULL;
	_cleanup_free_ char *text = text_read(statement, at, &bad);

	if (!text)
		return bad;
	for (unsigned i = 0; words[i]; i++)
		if (strcmp(words[i], text) == 0) {
			*out = i;
			return NULL;
		}
	return "is a word that this version does not know";
}

static const char *read_sum(sqlite3_stmt *statement, int at, unsigned __int128 *out)
{
	const char *bad = NULL;
	_cleanup_free_ char *text = text_read(statement, at, &bad);

	if (!text)
		return bad;
	return u128_parse(text, out) ? NULL : "is no whole number of at most 128 bits";
}

static const char *read_real(sqlite3_stmt *statement, int at, double *out)
{
	if (sqlite3_column_type(statement, at) != SQLITE_FLOAT)
		return "is no number";
	*out = sqlite3_column_double(statement, at);
	return isfinite(*out) ? NULL : "is not finite";
}

/* Digits up to `stop`, which is passed; -1 when there is no such number of 32 bits. */
static int64_t take_number(const char **at, char stop)
{
	uint64_t value = 0;
	const char *c = *at;

	for (; *c >= '0' && *c <= '9' && value <= UINT32_MAX; c++)
		value = value * 10 + (uint64_t)(*c - '0');
	if (c == *at || value > UINT32_MAX || (*c != stop && *c != '\0'))
		return -1;
	if (*c == '\0' && stop == ':')
		return -1;
	*at = *c ? c + 1 : c;
	return (int64_t)value;
}

static const char *read_mix(sqlite3_stmt *statement, int at, struct size_mix *mix)
{
	const char *bad = NULL, *c;
	_cleanup_free_ char *text = text_read(statement, at, &bad);

	if (!text)
		return bad;
	for (c = text; *c; mix->count++) {
		int64_t size, weight;

		if (mix->count == WORKLOAD_SIZES)
			return "has too many sizes";
		size = take_number(&c, ':');
		weight = size < 0 ? -1 : take_number(&c, ' ');
		if (weight < 0)
			return "is no list of bytes:weight";
		mix->shares[mix->count].size_bytes = (uint32_t)size;
		mix->shares[mix->count].weight = (uint32_t)weight;
	}
	return NULL;
}

static const char *read_hist(sqlite3_stmt *statement, int at, struct hist *hist)
{
	const uint8_t *bytes = sqlite3_column_blob(statement, at);
	int size = sqlite3_column_bytes(statement, at);

	if (sqlite3_column_type(statement, at) != SQLITE_BLOB)
		return "is no histogram";
	if (hist_decode(hist, bytes ? bytes : (const uint8_t *)"", (size_t)size) < 0)
		return "is a damaged histogram";
	return NULL;
}

static const char *read_text(sqlite3_stmt *statement, int at, bool one_line, char **out)
{
	const char *bad = NULL;

	*out = text_read(statement, at, &bad);
	if (*out && one_line && strchr(*out, '\n'))
		return "has more than one line";
	return *out ? NULL : bad;
}

static const char *read_value(sqlite3_stmt *statement, int at, const struct column *column,
			      void *field)
{
	const char *bad;
	uint64_t value;

	switch (column->type) {
	case COLUMN_U32:
		bad = read_integer(statement, at, UINT32_MAX, &value);
		*(uint32_t *)field = (uint32_t)value;
		return bad;
	case COLUMN_U64:
	case COLUMN_LEAST:
		return read_integer(statement, at, INT64_MAX, field);
	case COLUMN_SIZE:
		bad = read_integer(statement, at, SIZE_MAX, &value);
		*(size_t *)field = (size_t)value;
		return bad;
	case COLUMN_BOOL:
		bad = read_integer(statement, at, 1, &value);
		*(bool *)field = value;
		return bad;
	case COLUMN_SUM:
		return read_sum(statement, at, field);
	case COLUMN_REAL:
		return read_real(statement, at, field);
	case COLUMN_WORD:
		return read_word(statement, at, column->words, field);
	case COLUMN_NAME:
		return read_text(statement, at, true, field);
	case COLUMN_TEXT:
	case COLUMN_NOTE:
		return read_text(statement, at, false, field);
	case COLUMN_MIX:
		return read_mix(statement, at, field);
	case COLUMN_HIST:
		return read_hist(statement, at, field);
	}
	abort();
}

/* The guard, a column further left, has been read when its values come. */
static const char *read_column(sqlite3_stmt *statement, int at, const struct column *column,
			       void *row)
{
	void *field = (char *)row + column->offset;
	bool null = sqlite3_column_type(statement, at) == SQLITE_NULL;

	if (column->guard && !*((char *)row + column->guard))
		return null ? NULL : "has a value that there cannot be";
	if (null && column->type == COLUMN_LEAST)
		*(uint64_t *)field = UINT64_MAX;
	else if (null && column->type == COLUMN_NOTE)
		*(char **)field = NULL;
	else
		return read_value(statement, at, column, field);
	return NULL;
}

int row_read(sqlite3_stmt *statement, const struct table *table, unsigned version,
	     const char *path, uint64_t *keys, void *row)
{
	const char *name = "", *bad = NULL;
	int at = 0;

	for (size_t i = 0; !bad && i < key_count(table); i++) {
		name = table->keys[i];
		bad = read_integer(statement, at++, INT64_MAX, &keys[i]);
	}
	for (size_t i = 0; !bad && i < table->column_count; i++) {
		if (!has_column(&table->columns[i], version))
			continue;
		name = table->columns[i].name;
		bad = read_column(statement, at++, &table->columns[i], row);
	}
	if (!bad)
		return 0;
	row_free(table, row);
	return fail(EBADMSG, "%s: corrupt: %s.%s (%s %lld) %s", path, table->name, name,
		    table->keys[0], (long long)sqlite3_column_int64(statement, 0), bad);
}

void row_free(const struct table *table, void *row)
{
	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];
		char **text = (char **)(void *)((char *)row + column->offset);

		if (column->type != COLUMN_NAME && column->type != COLUMN_TEXT &&
		    column->type != COLUMN_NOTE)
			continue;
		free(*text);
		*text = NULL;
	}
}

void outcome_clear(struct phase_result *outcome)
{
	struct stats *stats = &outcome->stats;

	memset(outcome, 0, sizeof(*outcome));
	stats->from_submit.min_ns = stats->from_due.min_ns = UINT64_MAX;
	stats->read_from_submit.min_ns = stats->write_from_submit.min_ns = UINT64_MAX;
}
