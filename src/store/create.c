#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "store/file.h"

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

static int create_tables(struct result *result)
{
	_cleanup_buf_ struct buf sql = BUF_INIT;

	buf_printf(&sql, "PRAGMA application_id = %d; PRAGMA user_version = %d;\n",
		   RESULT_APPLICATION_ID, RESULT_VERSION);
	for (size_t i = 0; i < FILE_TEXT_TABLES; i++) {
		file_text_table_sql(file_text_tables[i], &sql);
		buf_puts(&sql, ";\n");
	}
	for (size_t i = 0; i < FILE_TABLES; i++) {
		table_create_sql(file_tables[i], RESULT_VERSION, &sql);
		buf_puts(&sql, ";\n");
	}
	buf_puts(&sql, view_sql);
	return file_exec(result, sql.text);
}

static int put_plan_texts(struct result *result, const struct plan *plan)
{
	int err = file_put_text(result, "meta", "plan", plan->name ? plan->name : "");

	if (!err)
		err = file_put_text(result, "meta", "plan_help", plan->help ? plan->help : "");
	if (!err)
		err = file_put_text(result, "meta", "plan_source", plan->source ? plan->source : "");
	return err;
}

static bool same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_mix(const struct size_mix *a, const struct size_mix *b)
{
	return a->count == b->count &&
	       memcmp(a->shares, b->shares, a->count * sizeof(a->shares[0])) == 0;
}

static bool same_workload(const struct workload *a, const struct workload *b)
{
	return same_text(a->help, b->help) && same_text(a->source, b->source) &&
	       a->read_percent == b->read_percent && a->trim_percent == b->trim_percent &&
	       a->zeroes_percent == b->zeroes_percent && a->compress_percent == b->compress_percent &&
	       a->pattern == b->pattern && a->random_percent == b->random_percent &&
	       a->zipf_theta_milli == b->zipf_theta_milli &&
	       same_mix(&a->read_sizes, &b->read_sizes) &&
	       same_mix(&a->write_sizes, &b->write_sizes) && a->align_bytes == b->align_bytes &&
	       a->threads == b->threads && a->depth == b->depth &&
	       a->span_millipercent == b->span_millipercent && a->offset_bytes == b->offset_bytes &&
	       a->span_bytes == b->span_bytes && a->shares_span == b->shares_span &&
	       a->thread_step_bytes == b->thread_step_bytes && a->flush_writes == b->flush_writes;
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
	return file_insert(result, &table_workloads, (*count)++, workload);
}

static int put_phase(struct result *result, const struct phase *phase, size_t index)
{
	struct result_phase *row = xcalloc(1, sizeof(*row)); /* 120 KiB: not for the stack */
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
	row->rate = phase->rate;
	row->arrivals = phase->arrivals;
	row->max_bytes = phase->max_bytes;
	row->is_beside = phase->is_beside;
	row->cycle_scale_milli = phase->cycle_scale_milli;
	if (phase->application)
		row->application = phase->application->name;
	if (phase->workload) {
		row->workload = phase->workload->name;
		row->outstanding = phase->workload->threads * phase->workload->depth;
	}
	err = file_insert(result, &table_phases, index, row);
	free(row);
	return err;
}

static int put_plan(struct result *result, const struct plan *plan)
{
	uint64_t workload_count = 0;
	int err = put_plan_texts(result, plan);

	for (size_t i = 0; !err && i < plan->application_count; i++)
		err = file_insert(result, &table_applications, i, plan->applications[i]);
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
	int err = file_connect(result);

	if (!err)
		err = file_exec(result, "BEGIN IMMEDIATE");
	if (!err)
		err = create_tables(result);
	if (!err)
		err = put_plan(result, plan);
	if (!err)
		err = file_exec(result, "COMMIT");
	if (!err)
		err = file_make_writable(result);
	if (!err)
		err = result_claim(result);
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

void result_discard(struct result *result)
{
	_cleanup_free_ char *file = xstrdup(result->file);

	file_free(result);
	remove_new(file);
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
	result = file_new(path, true);
	result->file = realpath(path, NULL);
	err = result->file ? fill_new(result, plan) : fail(errno, "%s: %s", path, strerror(errno));
	if (err) {
		file_disconnect(result);
		remove_new(result->file ? result->file : path);
		file_free(result);
		return err;
	}
	*out = result;
	return 0;
}
