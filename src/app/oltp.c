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
#include "app/loader.h"
#include "app/session.h"
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
	VALUE("tables", tables, count, 1, 1000, "tables of each"),
	VALUE("rows", rows, count, 1000, 1000000000, "rows of a table"),
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

	if (pool_pages > layout->pages) /* it holds all, and no more */
		pool_pages = layout->pages;
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
enum { VISITS_MAX = 64 + 64 * 3 + 16 };

struct client {
	struct session session;
	const struct oltp *oltp;
	const struct layout *layout;
};

/* sysbench's "special": hot rows in the middle, the rest the mean of some uniform draws. */
static uint64_t draw_row(struct client *client)
{
	const struct oltp *oltp = client->oltp;
	struct rng *rng = &client->session.rng;
	uint64_t rows = client->layout->rows, sum = 0;
	uint64_t hot = rows * oltp->hot_rows_millipercent / 100000;

	if (rng_below(rng, 100000) < oltp->hot_share_millipercent) {
		hot = hot ? hot : 1;
		return (rows - hot) / 2 + rng_below(rng, hot);
	}
	for (uint64_t i = 0; i < oltp->draws; i++)
		sum += rng_below(rng, rows);
	return sum / oltp->draws;
}

static uint64_t leaf_of(const struct client *client, uint64_t table, uint64_t row)
{
	return table * (client->layout->leaves + client->layout->entries) +
	       row / client->oltp->rows_per_leaf;
}

/* Rows are many and their indexed values are spread: any leaf of the secondary index. */
static uint64_t draw_entry(struct client *client, uint64_t table)
{
	return leaf_of(client, table, 0) + client->layout->leaves +
	       rng_below(&client->session.rng, client->layout->entries);
}

static void reads(struct client *client, uint64_t page, bool is_statement)
{
	session_visit(&client->session, &(struct visit){ .page = page, .is_statement = is_statement });
}

static void changes(struct client *client, uint64_t page, bool is_statement)
{
	session_visit(&client->session, &(struct visit){
		.page = page, .is_statement = is_statement,
		.change_bytes = (uint32_t)client->oltp->change_bytes });
}

static void read_range(struct client *client, uint64_t table)
{
	uint64_t row = draw_row(client), end = row + client->oltp->range_rows - 1, first, last;

	end = end < client->layout->rows ? end : client->layout->rows - 1;
	first = leaf_of(client, table, row);
	last = leaf_of(client, table, end);
	for (uint64_t page = first; page <= last; page++)
		reads(client, page, page == first);
}

/* BEGIN joins the first statement, COMMIT has a turn of its own. */
static void begin(struct session *session)
{
	struct client *client = container_of(session, struct client, session);
	const struct oltp *oltp = client->oltp;
	uint64_t table = rng_below(&session->rng, oltp->tables), row;

	session_begin(session);
	for (uint64_t i = 0; i < oltp->points; i++)
		reads(client, leaf_of(client, table, draw_row(client)), true);
	for (uint64_t i = 0; i < oltp->ranges; i++)
		read_range(client, table);
	/* The new value is the old one plus one: the same leaf, but for one entry in a hundred. */
	changes(client, leaf_of(client, table, draw_row(client)), true);
	changes(client, draw_entry(client, table), false);
	changes(client, leaf_of(client, table, draw_row(client)), true);
	row = draw_row(client);
	changes(client, leaf_of(client, table, row), true);
	changes(client, draw_entry(client, table), false);
	changes(client, leaf_of(client, table, row), true);
	changes(client, draw_entry(client, table), false);
	session_run(session);
}

/* ---- a run ---- */

struct run {
	const struct oltp *oltp;
	struct machine machine;
	struct layout layout;
	struct database **databases;
	struct client **clients;      /* of all databases, in turn */
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
		struct rng rng = rng_stream(seed, stream);
		struct client *client = xcalloc(1, sizeof(*client));

		client->oltp = oltp;
		client->layout = &run->layout;
		session_init(&client->session, database, VISITS_MAX, oltp->cpu_ns / turns(oltp), &rng, begin);
		run->clients[index * oltp->threads + i] = client;
		begin(&client->session);
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
	run.clients = xcalloc(count * oltp->threads, sizeof(struct client *));
	err = load(&run, &database);
	for (uint64_t i = 0; !err && i < count; i++) {
		run.databases[i] = xcalloc(1, sizeof(struct database));
		database.at_bytes = i * bytes;
		database_init(run.databases[i], &run.machine, &database);
	}
	for (uint64_t i = 0; !err && i < count; i++)
		start_sessions(&run, run.databases[i], i, config->seed, config->name);
	if (!err)
		err = database_measure(run.databases, count, app_warm_up_ns(app, target, config), time_ns);
	machine_drain(&run.machine);
	if (!err)
		add_merits(&run, time_ns, stats, merits);
	for (uint64_t i = 0; i < count * oltp->threads; i++) {
		if (run.clients[i])
			session_free(&run.clients[i]->session);
		free(run.clients[i]);
	}
	for (uint64_t i = 0; i < count; i++) {
		if (run.databases[i])
			database_free(run.databases[i]);
		free(run.databases[i]);
	}
	free(run.clients);
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
