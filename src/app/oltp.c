/*
 * oltp.c - kind oltp: sysbench's read-write transactions on a database like MariaDB.
 *
 * A transaction is BEGIN, point selects, range selects, an update of the indexed column, one of
 * the other, a delete and an insert of the same row, COMMIT. Each statement takes its turn on a
 * core and then visits the pages that it needs: leaves of a table's clustered index, by the
 * row's number, and leaves of the secondary index, which are anywhere. Upper levels of the
 * indexes are in memory. Rows are chosen as sysbench's distribution "special" does.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "app/app.h"
#include "app/database.h"
#include "app/loader.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "base/rng.h"

struct oltp {
	struct app base;
	uint64_t instances, threads, cores;
	uint64_t cpu_ns;              /* of a transaction */
	uint64_t tables, rows, rows_per_leaf, entries_per_leaf;
	uint64_t page_bytes, pool_bytes, log_bytes, change_bytes;
	uint64_t depth, rate;
	uint64_t hot_share_millipercent, hot_rows_millipercent, draws;
	uint64_t points, ranges, range_rows;
};

static const struct oltp *oltp_of(const struct app *app)
{
	return (const struct oltp *)(const void *)app; /* its first member */
}

#define VALUE(key, field, type, low, high, words) \
	{ key, app_read_value, offsetof(struct oltp, field), true, words, low, high, \
	  .context = &app_number_##type }

static const struct yml_key keys[] = {
	APP_KEYS,
	APP_LENGTHS,
	VALUE("instances", instances, count, 1, 64, "databases side by side"),
	VALUE("threads", threads, count, 1, 1024, "sessions of each"),
	VALUE("cores", cores, count, 1, 1024, "processors of each"),
	VALUE("cpu", cpu_ns, duration, 0, 10000000000, "processor time of a transaction"),
	VALUE("tables", tables, count, 1, 10000, "tables of each"),
	VALUE("rows", rows, count, 1000, 10000000000, "rows of a table"),
	VALUE("rows_per_leaf", rows_per_leaf, count, 1, 10000, "rows in a page"),
	VALUE("entries_per_leaf", entries_per_leaf, count, 1, 10000,
	      "entries in a page of the secondary index"),
	VALUE("page", page_bytes, size, 4096, 65536, "a page"),
	VALUE("pool", pool_bytes, size, 1 << 20, 1ull << 50, "buffer pool of each"),
	VALUE("log", log_bytes, size, 1 << 20, 1ull << 50, "redo log of each"),
	VALUE("change", change_bytes, size, 1, 65536, "log written for a page that is changed"),
	VALUE("clean", depth, count, 1, 1000000, "pages at the old end of the pool kept clean"),
	VALUE("flush_rate", rate, count, 1, 10000000, "pages a second that a full log asks for"),
	VALUE("hot_share", hot_share_millipercent, percent, 0, 100000,
	      "part of the accesses that go to hot rows"),
	VALUE("hot_rows", hot_rows_millipercent, percent, 1, 100000, "part of the rows that are hot"),
	VALUE("draws", draws, count, 1, 100,
	      "uniform draws whose mean the other accesses are: 1 is uniform"),
	VALUE("points", points, count, 0, 64, "point selects of a transaction"),
	VALUE("ranges", ranges, count, 0, 64, "range selects of a transaction"),
	VALUE("range_rows", range_rows, count, 1, 10000, "rows of a range"),
	{ NULL },
};

/* ---- layout: the leaves of each table, then those of its secondary index ---- */

struct layout {
	uint64_t rows, leaves, entries; /* of a table; entries: leaves of the secondary index */
	uint64_t pages;                 /* of all tables */
};

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

static struct layout layout_of(const struct oltp *oltp, uint64_t scale)
{
	struct layout layout = { .rows = oltp->rows / scale };

	if (layout.rows < 1)
		layout.rows = 1;
	layout.leaves = ceil_div(layout.rows, oltp->rows_per_leaf);
	layout.entries = ceil_div(layout.rows, oltp->entries_per_leaf);
	layout.pages = oltp->tables * (layout.leaves + layout.entries);
	return layout;
}

static struct database_config config_of(const struct oltp *oltp, const struct layout *layout,
					uint64_t scale)
{
	uint64_t pool_pages = oltp->pool_bytes / scale / oltp->page_bytes;

	/* A pool must hold what all sessions have in hand, and a batch of the cleaner. */
	if (pool_pages < 4 * FLUSHER_BATCH)
		pool_pages = 4 * FLUSHER_BATCH;
	return (struct database_config){
		.page_count = layout->pages,
		.page_bytes = (uint32_t)oltp->page_bytes,
		.pool_pages = pool_pages,
		.log_bytes = oltp->log_bytes / scale < (1 << 20) ? 1 << 20 : oltp->log_bytes / scale,
		.cores = (uint32_t)oltp->cores,
		/* What is read in a moment does not depend on the drive's scale. */
		.depth = (uint32_t)(oltp->depth < pool_pages / 8 ? oltp->depth : pool_pages / 8),
		.rate = (uint32_t)oltp->rate,
		.doublewrite = true,
	};
}

static uint64_t needs_bytes(const struct app *app)
{
	const struct oltp *oltp = oltp_of(app);
	struct layout layout = layout_of(oltp, 1);
	struct database_config config = config_of(oltp, &layout, 1);

	return oltp->instances * database_bytes(&config);
}

/* What a plan of visits has room for. */
static int check(const struct app *app, const char *path)
{
	const struct oltp *oltp = oltp_of(app);

	if (oltp->range_rows > 2 * oltp->rows_per_leaf)
		return fail(EINVAL, "%s: range_rows: a range of %llu rows spans more than three pages of "
				    "%llu rows", path, (unsigned long long)oltp->range_rows,
			    (unsigned long long)oltp->rows_per_leaf);
	return 0;
}

/* ---- a session ---- */

/* BEGIN; selects; two updates, a delete, an insert, each with leaves of both kinds; COMMIT. */
enum { OPS_MAX = 64 + 64 * 3 + 16 };

struct visit {
	uint64_t page;
	uint32_t change_bytes;
	bool is_statement; /* begins one: a turn on a core comes first */
};

struct session {
	struct visitor visitor;
	struct waiter commit;
	struct burst burst;
	const struct oltp *oltp;
	const struct layout *layout;
	struct rng rng;
	uint64_t began_ns, statement_ns;
	uint32_t at, count;
	bool had_turn;
	struct visit visits[OPS_MAX];
};

/* sysbench's "special": hot rows in the middle, the rest the mean of some uniform draws. */
static uint64_t draw_row(struct session *session)
{
	const struct oltp *oltp = session->oltp;
	uint64_t rows = session->layout->rows, sum = 0;
	uint64_t hot = rows * oltp->hot_rows_millipercent / 100000;

	if (rng_below(&session->rng, 100000) < oltp->hot_share_millipercent) {
		hot = hot ? hot : 1;
		return (rows - hot) / 2 + rng_below(&session->rng, hot);
	}
	for (uint64_t i = 0; i < oltp->draws; i++)
		sum += rng_below(&session->rng, rows);
	return sum / oltp->draws;
}

static void add_visit(struct session *session, uint64_t page, bool changes, bool is_statement)
{
	struct visit *last = session->count ? &session->visits[session->count - 1] : NULL;

	if (last && !is_statement && last->page == page && (last->change_bytes > 0) == changes)
		return; /* the statement has it in hand */
	assert(session->count < OPS_MAX);
	session->visits[session->count++] = (struct visit){
		.page = page,
		.change_bytes = changes ? (uint32_t)session->oltp->change_bytes : 0,
		.is_statement = is_statement,
	};
}

static uint64_t leaf_of(const struct session *session, uint64_t table, uint64_t row)
{
	return table * (session->layout->leaves + session->layout->entries) +
	       row / session->oltp->rows_per_leaf;
}

/* Rows are many and their indexed values are spread: any leaf of the secondary index. */
static uint64_t draw_entry(struct session *session, uint64_t table)
{
	return leaf_of(session, table, 0) + session->layout->leaves +
	       rng_below(&session->rng, session->layout->entries);
}

static void plan_transaction(struct session *session)
{
	const struct oltp *oltp = session->oltp;
	uint64_t table = rng_below(&session->rng, oltp->tables), row, end;

	session->count = session->at = 0;
	for (uint64_t i = 0; i < oltp->points; i++)
		add_visit(session, leaf_of(session, table, draw_row(session)), false, true);
	for (uint64_t i = 0; i < oltp->ranges; i++) {
		row = draw_row(session);
		end = row + oltp->range_rows - 1;
		end = end < session->layout->rows ? end : session->layout->rows - 1;
		for (uint64_t page = leaf_of(session, table, row), first = page;
		     page <= leaf_of(session, table, end) && page < first + 3; page++)
			add_visit(session, page, false, page == first);
	}
	/* The new value is the old one plus one: the same leaf, but for one entry in a hundred. */
	add_visit(session, leaf_of(session, table, draw_row(session)), true, true);
	add_visit(session, draw_entry(session, table), true, false);
	add_visit(session, leaf_of(session, table, draw_row(session)), true, true);
	row = draw_row(session);
	add_visit(session, leaf_of(session, table, row), true, true);
	add_visit(session, draw_entry(session, table), true, false);
	add_visit(session, leaf_of(session, table, row), true, true);
	add_visit(session, draw_entry(session, table), true, false);
}

static void go_on(struct session *session);

static void begin(struct session *session)
{
	session->began_ns = machine_now(session->visitor.database->machine);
	session->had_turn = false;
	plan_transaction(session);
	go_on(session);
}

static void committed(struct waiter *waiter)
{
	struct session *session = container_of(waiter, struct session, commit);

	database_count(session->visitor.database, session->began_ns);
	begin(session);
}

static void turn_over(struct burst *burst)
{
	struct session *session = container_of(burst, struct session, burst);

	session->had_turn = true;
	go_on(session);
}

static void visited(struct visitor *visitor)
{
	struct session *session = container_of(visitor, struct session, visitor);

	session->at++;
	session->had_turn = false;
	go_on(session);
}

static void take_turn(struct session *session)
{
	session->burst.done = turn_over;
	cores_run(&session->visitor.database->cores, &session->burst,
		  rng_exponential(&session->rng, session->statement_ns));
}

/* As far as it goes without waiting. COMMIT has its turn too, and BEGIN joins the first one. */
static void go_on(struct session *session)
{
	struct database *database = session->visitor.database;

	for (; session->at < session->count; session->at++) {
		const struct visit *visit = &session->visits[session->at];

		if (visit->is_statement && !session->had_turn) {
			take_turn(session);
			return;
		}
		if (!database_visit(&session->visitor, visit->page, visit->change_bytes, false))
			return;
		session->had_turn = false;
	}
	if (!session->had_turn) {
		take_turn(session);
		return;
	}
	redo_commit(&database->redo, &session->commit, database->redo.lsn);
}

/* ---- a run ---- */

struct run {
	const struct oltp *oltp;
	struct machine machine;
	struct layout layout;
	struct database **databases;
	struct session **sessions;    /* of all databases, in turn */
};

/* Statements that take a turn: all that visit, and COMMIT. */
static uint64_t turns(const struct oltp *oltp)
{
	return oltp->points + oltp->ranges + 5;
}

static void start_sessions(struct run *run, struct database *database, size_t index, uint64_t seed,
			   const char *name)
{
	const struct oltp *oltp = run->oltp;

	for (uint64_t i = 0; i < oltp->threads; i++) {
		_cleanup_free_ char *stream = xasprintf("%s/%zu/%llu", name, index,
							(unsigned long long)i);
		struct session *session = xcalloc(1, sizeof(*session));

		session->visitor.database = database;
		session->visitor.done = visited;
		session->commit.ready = committed;
		session->oltp = oltp;
		session->layout = &run->layout;
		session->rng = rng_stream(seed, stream);
		session->statement_ns = oltp->cpu_ns / turns(oltp);
		run->sessions[index * oltp->threads + i] = session;
		begin(session);
	}
}

static int load(struct run *run, const struct database_config *config)
{
	uint64_t bytes = (database_bytes(config) + 4095) / 4096 * 4096, count = run->oltp->instances;
	struct region *regions = xcalloc(count, sizeof(*regions));
	int err;

	for (uint64_t i = 0; i < count; i++)
		regions[i] = (struct region){ i * bytes, bytes };
	err = load_regions(&run->machine, regions, count);
	free(regions);
	return err;
}

static int measure(struct run *run, const struct app_config *config, uint64_t warm_up_ns,
		   uint64_t time_ns)
{
	struct machine *machine = &run->machine;
	int err = machine_run(machine, machine_now(machine) + warm_up_ns, NULL);

	if (err)
		return err;
	for (uint64_t i = 0; i < run->oltp->instances; i++)
		database_count_begin(run->databases[i]);
	if (config->on_measure)
		config->on_measure(config->context);
	machine_count_begin(machine);
	err = machine_run(machine, machine_now(machine) + time_ns, NULL);
	machine_count_end(machine);
	return err;
}

static void add_merits(struct run *run, uint64_t time_ns, const struct stats *stats,
		       struct merits *merits)
{
	struct database_sum *sum = xmalloc(sizeof(*sum));
	double tps, threads = (double)(run->oltp->instances * run->oltp->threads);

	database_sum(run->databases, run->oltp->instances, time_ns, sum);
	database_merits(run->databases, run->oltp->instances, sum, stats, merits);
	tps = (double)sum->transactions * 1e9 / (double)time_ns;
	merits_add(merits, "sessions", "", threads);
	merits_add(merits, "tps_x_latency", "", tps * latency_mean_ns(&sum->latency) / 1e9);
	free(sum);
}

static int run_oltp(const struct app *app, struct target *target, const struct app_config *config,
		    struct stats *stats, struct merits *merits)
{
	const struct oltp *oltp = oltp_of(app);
	uint64_t time_ns = app_time_ns(app, target, config);
	uint64_t scale = target->scale ? target->scale : 1, count = oltp->instances;
	struct run run = { .oltp = oltp, .layout = layout_of(oltp, scale) };
	struct database_config database = config_of(oltp, &run.layout, scale);
	uint64_t bytes = (database_bytes(&database) + 4095) / 4096 * 4096;
	int err;

	machine_init(&run.machine, target, config, stats);
	run.databases = xcalloc(count, sizeof(struct database *));
	run.sessions = xcalloc(count * oltp->threads, sizeof(struct session *));
	err = load(&run, &database);
	for (uint64_t i = 0; !err && i < count; i++) {
		run.databases[i] = xcalloc(1, sizeof(struct database));
		database.at_bytes = i * bytes;
		database_init(run.databases[i], &run.machine, &database);
	}
	for (uint64_t i = 0; !err && i < count; i++)
		start_sessions(&run, run.databases[i], i, config->seed, config->name);
	if (!err)
		err = measure(&run, config, app_warm_up_ns(app, target, config), time_ns);
	machine_drain(&run.machine);
	if (!err)
		add_merits(&run, time_ns, stats, merits);
	for (uint64_t i = 0; i < count * oltp->threads; i++)
		free(run.sessions[i]);
	for (uint64_t i = 0; i < count; i++) {
		if (run.databases[i])
			database_free(run.databases[i]);
		free(run.databases[i]);
	}
	free(run.sessions);
	free(run.databases);
	machine_free(&run.machine);
	return err;
}

const struct app_kind app_oltp = {
	.name = "oltp",
	.help = "sysbench's read-write transactions on databases like MariaDB",
	.size = sizeof(struct oltp),
	.keys = keys,
	.check = check,
	.needs_bytes = needs_bytes,
	.run = run_oltp,
};
