/*
 * tpcc.c - kind tpcc: transactions like those of TPC-C on databases like SQL Server, entered by
 * people at terminals.
 *
 * Each terminal keys in, waits for the answer, thinks, for ever; so the rate is hardly the
 * drive's: terminals / (delays + response time). The response time is what tells drives apart.
 * A transaction needs one of the server's workers, of which there are fewer than terminals.
 */
#include <errno.h>
#include <stdlib.h>

#include "app/app.h"
#include "app/loader.h"
#include "app/tpcc_mix.h"
#include "base/cleanup.h"
#include "base/fail.h"

struct tpcc {
	struct app base;
	uint64_t instances, terminals, workers, cores;
	uint64_t cpu_ns;            /* of the mean transaction */
	uint64_t trip_ns;           /* between client and server, and back */
	uint64_t cycle_scale_milli;
	uint64_t warehouses, data_bytes, page_bytes, pool_bytes, log_bytes, change_bytes;
	uint64_t depth, rate;
};

#define VALUE(key, field, type, low, high, words) \
	{ key, app_read_value, offsetof(struct tpcc, field), true, words, low, high, \
	  .context = &app_number_##type }

static const struct yml_key keys[] = {
	APP_KEYS,
	APP_LENGTHS,
	VALUE("instances", instances, count, 1, 64, "databases side by side"),
	VALUE("terminals", terminals, count, 1, 1000000, "terminals of each"),
	VALUE("workers", workers, count, 1, 100000, "transactions that each can have under way"),
	VALUE("cores", cores, count, 1, 1024, "processors of each"),
	VALUE("cpu", cpu_ns, duration, 0, 10000000000, "processor time of a transaction"),
	VALUE("round_trip", trip_ns, duration, 0, 1000000000, "from client to server and back"),
	VALUE("cycle_scale", cycle_scale_milli, milli, 1, 100000,
	      "keying and think times as a multiple of the specification's"),
	VALUE("warehouses", warehouses, count, 1, 1000000, "warehouses of each"),
	VALUE("data", data_bytes, size, 1 << 20, 1ull << 50, "size of each"),
	VALUE("page", page_bytes, size, 4096, 65536, "a page"),
	VALUE("pool", pool_bytes, size, 1 << 20, 1ull << 50, "buffer pool of each"),
	VALUE("log", log_bytes, size, 1 << 20, 1ull << 50, "log of each"),
	VALUE("change", change_bytes, size, 1, 65536, "log written for a page that is changed"),
	VALUE("clean", depth, count, 1, 1000000, "pages at the old end of the pool kept clean"),
	VALUE("flush_rate", rate, count, 1, 10000000, "pages a second that a full log asks for"),
	{ NULL },
};

static const struct tpcc *tpcc_of(const struct app *app)
{
	return (const struct tpcc *)(const void *)app; /* its first member */
}

static struct tpcc_layout layout_of(const struct tpcc *tpcc, uint64_t scale)
{
	uint64_t warehouses = tpcc->warehouses / scale ? tpcc->warehouses / scale : 1;
	unsigned __int128 bytes = (unsigned __int128)tpcc->data_bytes * warehouses / tpcc->warehouses;

	return tpcc_layout_of(warehouses, tpcc->page_bytes, (uint64_t)bytes);
}

static struct database_config config_of(const struct tpcc *tpcc, const struct tpcc_layout *layout,
					uint64_t scale)
{
	uint64_t pool_pages = tpcc->pool_bytes / scale / tpcc->page_bytes, least = tpcc->workers * 2;

	if (pool_pages > layout->page_count)
		pool_pages = layout->page_count;
	if (pool_pages < least)
		pool_pages = least;
	return (struct database_config){
		.page_count = layout->page_count,
		.page_bytes = (uint32_t)tpcc->page_bytes,
		.pool_pages = pool_pages,
		.log_bytes = tpcc->log_bytes / scale < (1 << 20) ? 1 << 20 : tpcc->log_bytes / scale,
		.cores = (uint32_t)tpcc->cores,
		.depth = (uint32_t)(tpcc->depth < pool_pages / 8 ? tpcc->depth : pool_pages / 8),
		.rate = (uint32_t)tpcc->rate,
	};
}

static uint64_t needs_bytes(const struct app *app)
{
	const struct tpcc *tpcc = tpcc_of(app);
	struct tpcc_layout layout = layout_of(tpcc, 1);
	struct database_config config = config_of(tpcc, &layout, 1);

	return tpcc->instances * database_bytes(&config);
}

/* ---- terminals and workers ---- */

struct server;

struct terminal {
	struct event event;       /* a transaction is keyed in */
	struct server *server;
	struct terminal *next;    /* of those that wait for a worker */
	uint64_t warehouse, entered_ns;
	enum tpcc_kind kind;
};

struct worker {
	struct session session;
	struct server *server;
	struct terminal *terminal; /* whose transaction it runs */
	struct worker *next;       /* of those that are free */
};

struct server {
	const struct tpcc *tpcc;
	struct tpcc_layout layout;
	struct tpcc_state state;
	struct database database;
	struct rng rng;            /* delays */
	uint64_t cycle_scale_milli;
	struct terminal *terminals, *first, **last;
	struct worker *workers, *free;
};

/* Thinks about the last answer and keys in the next transaction. */
static void rest(struct terminal *terminal)
{
	struct server *server = terminal->server;
	struct sim *sim = &server->database.machine->sim;
	uint64_t think_us = tpcc_thinking_ms(terminal->kind) * server->cycle_scale_milli;
	uint64_t key_us;

	terminal->kind = tpcc_draw_kind(&server->rng);
	key_us = tpcc_keying_ms(terminal->kind) * server->cycle_scale_milli;
	sim_at(sim, &terminal->event,
	       sim->now_ns + rng_exponential(&server->rng, think_us * 1000) + key_us * 1000);
}

static void serve(struct server *server)
{
	struct terminal *terminal = server->first;
	struct worker *worker = server->free;

	if (!terminal || !worker)
		return;
	server->first = terminal->next;
	if (!server->first)
		server->last = &server->first;
	server->free = worker->next;
	worker->terminal = terminal;
	session_begin(&worker->session);
	worker->session.began_ns = terminal->entered_ns;
	tpcc_plan(&worker->session, &server->layout, &server->state, terminal->kind,
		  terminal->warehouse, (uint32_t)server->tpcc->change_bytes);
	session_run(&worker->session);
}

static void answered(struct session *session)
{
	struct worker *worker = container_of(session, struct worker, session);
	struct server *server = worker->server;

	rest(worker->terminal);
	worker->next = server->free;
	server->free = worker;
	serve(server);
}

static void entered(struct sim *sim, struct event *event)
{
	struct terminal *terminal = container_of(event, struct terminal, event);
	struct server *server = terminal->server;

	terminal->entered_ns = sim->now_ns;
	terminal->next = NULL;
	*server->last = terminal;
	server->last = &terminal->next;
	serve(server);
}

/* At the beginning everybody is somewhere in a cycle, as at any later moment. */
static void start_terminals(struct server *server)
{
	const struct tpcc *tpcc = server->tpcc;
	struct sim *sim = &server->database.machine->sim;
	uint64_t key_us;

	server->terminals = xcalloc(tpcc->terminals, sizeof(*server->terminals));
	server->last = &server->first;
	for (uint64_t i = 0; i < tpcc->terminals; i++) {
		struct terminal *terminal = &server->terminals[i];

		terminal->event.fire = entered;
		terminal->server = server;
		terminal->warehouse = i % server->layout.warehouses;
		if (tpcc_draw_moment(&server->rng, &terminal->kind)) {
			rest(terminal);
			continue;
		}
		key_us = tpcc_keying_ms(terminal->kind) * server->cycle_scale_milli;
		sim_at(sim, &terminal->event, sim->now_ns + rng_below(&server->rng, key_us * 1000 + 1));
	}
}

static void start_workers(struct server *server, uint64_t seed, const char *name)
{
	const struct tpcc *tpcc = server->tpcc;
	uint64_t statement_ns = tpcc->cpu_ns * 100 / tpcc_statements_centi();

	server->workers = xcalloc(tpcc->workers, sizeof(*server->workers));
	for (uint64_t i = 0; i < tpcc->workers; i++) {
		_cleanup_free_ char *stream = xasprintf("%s/%llu", name, (unsigned long long)i);
		struct rng rng = rng_stream(seed, stream);
		struct worker *worker = &server->workers[i];

		worker->server = server;
		session_init(&worker->session, &server->database, TPCC_VISITS, statement_ns, &rng, answered);
		worker->session.trip_ns = tpcc->trip_ns;
		worker->next = server->free;
		server->free = worker;
	}
}

static struct server *server_new(const struct tpcc *tpcc, struct machine *machine,
				 const struct database_config *database, uint64_t scale,
				 const struct app_config *config, size_t index)
{
	_cleanup_free_ char *name = xasprintf("%s/%zu", config->name, index);
	struct server *server = xcalloc(1, sizeof(*server));

	server->tpcc = tpcc;
	server->layout = layout_of(tpcc, scale);
	server->rng = rng_stream(config->seed, name);
	server->cycle_scale_milli = config->cycle_scale_milli ? config->cycle_scale_milli :
								tpcc->cycle_scale_milli;
	tpcc_state_init(&server->state, &server->layout);
	database_init(&server->database, machine, database);
	start_workers(server, config->seed, name);
	start_terminals(server);
	return server;
}

static void server_free(struct server *server)
{
	if (!server)
		return;
	for (uint64_t i = 0; i < server->tpcc->workers; i++)
		session_free(&server->workers[i].session);
	free(server->workers);
	free(server->terminals);
	tpcc_state_free(&server->state);
	database_free(&server->database);
	free(server);
}

/* ---- a run ---- */

static int load(struct machine *machine, uint64_t bytes, uint64_t count)
{
	struct region *regions = xcalloc(count, sizeof(*regions));
	int err;

	for (uint64_t i = 0; i < count; i++)
		regions[i] = (struct region){ i * bytes, bytes };
	err = load_regions(machine, regions, count);
	free(regions);
	return err;
}

static void add_merits(const struct tpcc *tpcc, struct database *const *databases,
		       uint64_t cycle_scale_milli, uint64_t time_ns, const struct stats *stats,
		       struct merits *merits)
{
	struct database_sum *sum = xmalloc(sizeof(*sum));
	double delays_s = (double)tpcc_cycle_us() * (double)cycle_scale_milli / 1e9;
	double each, response_s;

	database_sum(databases, tpcc->instances, time_ns, sum);
	database_merits(databases, tpcc->instances, sum, stats, merits);
	each = (double)sum->transactions * 1e9 / (double)time_ns / (double)tpcc->instances;
	response_s = latency_mean_ns(&sum->latency) / 1e9;
	merits_add(merits, "tps_per_instance", "1/s", each);
	merits_add(merits, "terminals_per_instance", "", (double)tpcc->terminals);
	merits_add(merits, "delays_of_a_cycle", "s", delays_s);
	merits_add(merits, "terminals_over_delays_and_response", "1/s",
		   (double)tpcc->terminals / (delays_s + response_s));
	free(sum);
}

static int run_tpcc(const struct app *app, struct target *target, const struct app_config *config,
		    struct stats *stats, struct merits *merits)
{
	const struct tpcc *tpcc = tpcc_of(app);
	uint64_t scale = target->scale ? target->scale : 1, count = tpcc->instances;
	uint64_t time_ns = app_time_ns(app, target, config), bytes;
	struct tpcc_layout layout = layout_of(tpcc, scale);
	struct database_config database = config_of(tpcc, &layout, scale);
	struct database **databases = xcalloc(count, sizeof(struct database *));
	struct server **servers = xcalloc(count, sizeof(struct server *));
	struct machine machine;
	int err;

	machine_init(&machine, target, config, stats);
	bytes = (database_bytes(&database) + 4095) / 4096 * 4096;
	err = load(&machine, bytes, count);
	for (uint64_t i = 0; !err && i < count; i++) {
		database.at_bytes = i * bytes;
		servers[i] = server_new(tpcc, &machine, &database, scale, config, i);
		databases[i] = &servers[i]->database;
	}
	if (!err)
		err = database_measure(databases, count, app_warm_up_ns(app, target, config), time_ns);
	machine_drain(&machine);
	if (!err)
		add_merits(tpcc, databases, config->cycle_scale_milli ? config->cycle_scale_milli :
			   tpcc->cycle_scale_milli, time_ns, stats, merits);
	for (uint64_t i = 0; i < count; i++)
		server_free(servers[i]);
	free(servers);
	free(databases);
	machine_free(&machine);
	return err;
}

const struct app_kind app_tpcc = {
	.name = "tpcc",
	.help = "terminals that enter TPC-C's transactions on databases like SQL Server",
	.size = sizeof(struct tpcc),
	.keys = keys,
	.needs_bytes = needs_bytes,
	.run = run_tpcc,
};
