#include "app/database.h"

#include <assert.h>
#include <string.h>

enum { FEW_ABOVE = 10 };

static uint64_t area_bytes(const struct database_config *config)
{
	return config->doublewrite ? (uint64_t)FLUSHER_BATCH * config->page_bytes : 0;
}

static uint64_t file_bytes(const struct database_config *config)
{
	return (config->log_bytes + REDO_BLOCK - 1) / REDO_BLOCK * REDO_BLOCK;
}

uint64_t database_bytes(const struct database_config *config)
{
	return config->page_count * config->page_bytes + area_bytes(config) + file_bytes(config);
}

void database_init(struct database *database, struct machine *machine,
		   const struct database_config *config)
{
	uint64_t data_bytes = config->page_count * config->page_bytes;
	struct flusher_config flusher = {
		.data_at_bytes = config->at_bytes,
		.page_bytes = config->page_bytes,
		.doublewrite = config->doublewrite,
		.area_at_bytes = config->at_bytes + data_bytes,
		.log_bytes = file_bytes(config),
		.depth = config->depth,
		.rate = config->rate,
	};

	memset(database, 0, sizeof(*database));
	database->machine = machine;
	database->config = *config;
	pool_init(&database->pool, config->pool_pages);
	redo_init(&database->redo, machine, config->at_bytes + data_bytes + area_bytes(config),
		  file_bytes(config));
	cores_init(&database->cores, &machine->sim, config->cores);
	flusher_init(&database->flusher, machine, &flusher, &database->pool, &database->redo);
	flusher_start(&database->flusher);
}

void database_free(struct database *database)
{
	pool_free(&database->pool);
}

/* ---- pages ---- */

static bool visit(struct visitor *visitor);

static void visit_again(struct waiter *waiter)
{
	struct visitor *visitor = container_of(waiter, struct visitor, waiter);

	if (visit(visitor))
		visitor->done(visitor);
}

static void change(struct visitor *visitor, struct frame *frame)
{
	struct database *database = visitor->database;

	if (visitor->change_bytes)
		pool_dirty(&database->pool, frame,
			   redo_append(&database->redo, visitor->change_bytes));
}

/* Others may have waited for this page; or for a frame, while all of them were being read and no
   batch of the cleaner was to come that would wake them. */
static void arrived(struct visitor *visitor)
{
	struct database *database = visitor->database;

	pool_arrived(&database->pool, visitor->frame);
	change(visitor, visitor->frame);
	waiters_wake(&database->arriving);
	if (database->flusher.starved.first && !database->flusher.busy)
		waiters_wake(&database->flusher.starved);
}

static void page_read(struct request *request)
{
	struct visitor *visitor = request->owner;

	arrived(visitor);
	visitor->done(visitor);
}

static bool fetch(struct visitor *visitor)
{
	struct database *database = visitor->database;
	const struct database_config *config = &database->config;

	visitor->waiter.ready = visit_again;
	visitor->frame = pool_take(&database->pool, visitor->page, config->depth);
	if (!visitor->frame) {
		flusher_wait_frame(&database->flusher, &visitor->waiter);
		return false;
	}
	if (visitor->is_new) {
		arrived(visitor);
		return true;
	}
	visitor->request.owner = visitor;
	visitor->request.done = page_read;
	machine_send(database->machine, &visitor->request, IO_READ,
		     config->at_bytes + visitor->page * config->page_bytes, config->page_bytes);
	return false;
}

static bool visit(struct visitor *visitor)
{
	struct database *database = visitor->database;
	struct frame *frame;

	visitor->waiter.ready = visit_again;
	if (visitor->change_bytes && flusher_is_stalled(&database->flusher)) {
		flusher_wait_log(&database->flusher, &visitor->waiter);
		return false;
	}
	frame = pool_find(&database->pool, visitor->page);
	if (!frame)
		return fetch(visitor);
	if (frame->reading) {
		waiters_add(&database->arriving, &visitor->waiter);
		return false;
	}
	change(visitor, frame);
	return true;
}

bool database_visit(struct visitor *visitor, uint64_t page, uint32_t change_bytes, bool is_new)
{
	assert(page < visitor->database->config.page_count);
	visitor->page = page;
	visitor->change_bytes = change_bytes;
	visitor->is_new = is_new;
	return visit(visitor);
}

/* ---- counting ---- */

void database_count_begin(struct database *database)
{
	struct tally *tally = &database->tally;

	memset(tally, 0, sizeof(*tally));
	tally->latency.min_ns = UINT64_MAX;
	tally->group_count = database->redo.groups;
	tally->commit_count = database->redo.commits;
	tally->hits = database->pool.hits;
	tally->misses = database->pool.misses;
	tally->written = database->flusher.written;
	tally->stalls = database->flusher.stall_count;
	tally->busy_ns = database->cores.busy_ns;
	database->counting = true;
}

int database_measure(struct database *const *databases, size_t count, uint64_t warm_up_ns,
		     uint64_t time_ns)
{
	struct machine *machine = databases[0]->machine;
	const struct app_config *config = machine->config;
	int err = machine_run(machine, machine_now(machine) + warm_up_ns, NULL);

	if (err)
		return err;
	for (size_t i = 0; i < count; i++)
		database_count_begin(databases[i]);
	if (config->on_measure)
		config->on_measure(config->context);
	machine_count_begin(machine);
	err = machine_run(machine, machine_now(machine) + time_ns, NULL);
	machine_count_end(machine);
	return err;
}

void database_count(struct database *database, uint64_t began_ns)
{
	uint64_t took_ns = machine_now(database->machine) - began_ns;
	struct latency *latency = &database->tally.latency;

	if (!database->counting)
		return;
	latency->count++;
	latency->sum_ns += took_ns;
	latency->sum_square_ns += (unsigned __int128)took_ns * took_ns;
	latency->max_ns = took_ns > latency->max_ns ? took_ns : latency->max_ns;
	latency->min_ns = took_ns < latency->min_ns ? took_ns : latency->min_ns;
	hist_add(&database->tally.hist, took_ns);
}

void database_sum(struct database *const *databases, size_t count, uint64_t elapsed_ns,
		  struct database_sum *sum)
{
	memset(sum, 0, sizeof(*sum));
	sum->elapsed_ns = elapsed_ns;
	sum->latency.min_ns = UINT64_MAX;
	for (size_t i = 0; i < count; i++) {
		const struct latency *one = &databases[i]->tally.latency;

		sum->transactions += one->count;
		sum->latency.count += one->count;
		sum->latency.sum_ns += one->sum_ns;
		sum->latency.sum_square_ns += one->sum_square_ns;
		if (one->max_ns > sum->latency.max_ns)
			sum->latency.max_ns = one->max_ns;
		if (one->min_ns < sum->latency.min_ns)
			sum->latency.min_ns = one->min_ns;
		hist_merge(&sum->hist, &databases[i]->tally.hist);
	}
}

static void add_percentile(const struct database_sum *sum, const char *name, uint32_t ppm,
			   struct merits *merits)
{
	uint64_t above, ns = latency_quantile(&sum->latency, &sum->hist, ppm, &above);

	if (sum->latency.count && above >= FEW_ABOVE)
		merits_add(merits, name, "us", (double)ns / 1e3);
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void add_instances(struct database *const *databases, size_t count, double seconds,
			  struct merits *merits)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t one = databases[i]->tally.latency.count;

		least = one < least ? one : least;
		most = one > most ? one : most;
	}
	merits_add(merits, "tps_least_instance", "1/s", share((double)least, seconds));
	merits_add(merits, "tps_most_instance", "1/s", share((double)most, seconds));
}

static void add_machine(struct database *const *databases, size_t count,
			const struct database_sum *sum, struct merits *merits)
{
	struct tally all = { 0 };
	double core_ns = 0;

	for (size_t i = 0; i < count; i++) {
		const struct database *one = databases[i];

		all.hits += one->pool.hits - one->tally.hits;
		all.misses += one->pool.misses - one->tally.misses;
		all.commit_count += one->redo.commits - one->tally.commit_count;
		all.group_count += one->redo.groups - one->tally.group_count;
		all.stalls += one->flusher.stall_count - one->tally.stalls;
		all.written += one->flusher.written - one->tally.written;
		all.busy_ns += one->cores.busy_ns - one->tally.busy_ns;
		core_ns += (double)sum->elapsed_ns * one->config.cores;
	}
	merits_add(merits, "pages_flushed_per_transaction", "",
		   share((double)all.written, (double)sum->transactions));
	merits_add(merits, "pool_hits", "%",
		   share((double)all.hits, (double)(all.hits + all.misses)) * 100);
	merits_add(merits, "commits_per_log_write", "",
		   share((double)all.commit_count, (double)all.group_count));
	merits_add(merits, "waits_for_log_space_per_transaction", "",
		   share((double)all.stalls, (double)sum->transactions));
	merits_add(merits, "processor_busy", "%", share((double)all.busy_ns, core_ns) * 100);
}

void database_merits(struct database *const *databases, size_t count, const struct database_sum *sum,
		     const struct stats *stats, struct merits *merits)
{
	double seconds = (double)sum->elapsed_ns / 1e9;
	double transactions = (double)sum->transactions;

	merits_add(merits, "tps", "1/s", share(transactions, seconds));
	merits_add(merits, "latency_mean", "us", latency_mean_ns(&sum->latency) / 1e3);
	add_percentile(sum, "latency_p99", 990000, merits);
	add_percentile(sum, "latency_p999", 999000, merits);
	merits_add(merits, "latency_max", "us", (double)sum->latency.max_ns / 1e3);
	add_instances(databases, count, seconds, merits);
	merits_add(merits, "reads_per_transaction", "",
		   share((double)stats->ios[IO_READ], transactions));
	merits_add(merits, "written_per_transaction", "bytes",
		   share((double)stats->bytes[IO_WRITE], transactions));
	merits_add(merits, "drive_flushes_per_transaction", "",
		   share((double)databases[0]->machine->flushes, transactions));
	add_machine(databases, count, sum, merits);
}
