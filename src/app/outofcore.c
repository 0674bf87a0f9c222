/*
 * outofcore.c - kind out-of-core: a working set larger than memory, with the drive as swap.
 *
 * Three phases as a renderer has them. Load: one thread reads packed points from a file, in
 * order, into memory. Unpack: many threads, each with a part of its own, read them and write one
 * flat array. Repack: the same threads read the array and append to bucketed blocks. Whatever does
 * not fit into memory is swapped: written out by the kernel when memory runs short, oldest first,
 * some clusters at a time one behind another; read back a cluster at a time, which is what swap
 * readahead makes of a fault. Memory is used by clusters: the pages of one always go together.
 * The kernel handles one fault at a time: its locks are those of a time when swap was slow.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/loader.h"
#include "app/pool.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "base/rng.h"

struct out_of_core {
	struct app base;
	uint64_t memory_bytes, packed_bytes;
	uint64_t unpacked_milli, repacked_milli; /* sizes as multiples of the packed points */
	uint64_t threads, cores, buckets;
	uint64_t cluster_bytes, clusters_a_write, writes;
	uint64_t read_bytes;
	uint64_t fault_ns;      /* of the kernel, for a cluster of pages, one after another */
	uint64_t load_ns, unpack_ns, repack_ns; /* of a core, for a cluster that is read */
};

#define VALUE(key, field, type, low, high, words) \
	{ key, app_read_value, offsetof(struct out_of_core, field), true, words, low, high, \
	  .context = &app_number_##type }

static const struct yml_key keys[] = {
	APP_KEYS,
	VALUE("memory", memory_bytes, size, 1 << 20, 1ull << 50, "what the program has of the host's memory"),
	VALUE("packed", packed_bytes, size, 1 << 20, 1ull << 50, "the packed points"),
	VALUE("unpacked", unpacked_milli, milli, 1, 100000, "size of the flat array, in packed points"),
	VALUE("repacked", repacked_milli, milli, 1, 100000, "size of the buckets, in packed points"),
	VALUE("threads", threads, count, 1, 1024, "threads that unpack and repack"),
	VALUE("cores", cores, count, 1, 1024, "processors"),
	VALUE("buckets", buckets, count, 1, 1000000, "blocks that are appended to"),
	VALUE("cluster", cluster_bytes, size, 4096, 1 << 20, "what a fault reads"),
	VALUE("clusters_a_write", clusters_a_write, count, 1, 8, "clusters swapped out with one write"),
	VALUE("writes", writes, count, 1, 64, "such writes under way"),
	VALUE("read", read_bytes, size, 4096, 1 << 20, "a read of the file"),
	VALUE("fault", fault_ns, duration, 1, 1000000000, "of the kernel, for a cluster, one at a time"),
	VALUE("load", load_ns, duration, 0, 1000000000, "processor time to load a cluster"),
	VALUE("unpack", unpack_ns, duration, 0, 1000000000, "processor time to unpack a cluster"),
	VALUE("repack", repack_ns, duration, 0, 1000000000, "processor time to repack a cluster"),
	{ NULL },
};

static const struct out_of_core *core_of(const struct app *app)
{
	return (const struct out_of_core *)(const void *)app; /* its first member */
}

/* ---- layout: the file, then swap ---- */

struct layout {
	uint64_t packed, flat, buckets; /* clusters */
	uint64_t all;                   /* of all three, and as many slots of swap and a few */
	uint64_t file_bytes, bytes;
};

static uint64_t at_least_one(uint64_t value)
{
	return value ? value : 1;
}

static struct layout layout_of(const struct out_of_core *core, uint64_t scale)
{
	struct layout layout;

	layout.packed = at_least_one(core->packed_bytes / scale / core->cluster_bytes);
	layout.flat = at_least_one(layout.packed * core->unpacked_milli / 1000);
	/* Each bucket ends with a cluster that is not full. */
	layout.buckets = at_least_one(layout.packed * core->repacked_milli / 1000) + core->buckets;
	layout.all = layout.packed + layout.flat + layout.buckets;
	layout.file_bytes = layout.packed * core->cluster_bytes;
	layout.bytes = layout.file_bytes + (layout.all + 64 * 8) * core->cluster_bytes;
	return layout;
}

static uint64_t needs_bytes(const struct app *app)
{
	return layout_of(core_of(app), 1).bytes;
}

/* ---- memory and swap ---- */

enum { WRITES_MAX = 64, CLUSTERS_MAX = 8 };

#define NO_SLOT UINT32_MAX

struct swap_write {
	struct request request;
	struct host *host;
	struct frame *frames[CLUSTERS_MAX];
	uint32_t count;
	bool busy;
};

/* The program and its host. */
struct host {
	const struct out_of_core *core;
	struct machine machine;
	struct layout layout;
	struct pool memory;
	uint32_t *slots;        /* of each cluster: where swap has it, or NO_SLOT */
	uint32_t next_slot, slot_count;
	struct swap_write writes[WRITES_MAX];
	struct waiters starved, arriving;
	struct cores cores, kernel;
	struct worker *workers;
	uint64_t working;       /* workers that are not done with the phase */
	bool done;
	uint32_t *bucket_at, *bucket_parts; /* cluster that each fills; parts of it that are full */
	uint32_t next_bucket_cluster;
	uint64_t swapped_in, swapped_out; /* clusters */
};

/* The next place of swap for `count` clusters in a row; swap has a slot for each cluster and more. */
static uint32_t take_slots(struct host *host, uint32_t count)
{
	uint32_t first;

	if (host->next_slot + count > host->slot_count)
		host->next_slot = 0;
	first = host->next_slot;
	host->next_slot += count;
	return first;
}

static void swap_out(struct host *host);

static void swapped(struct request *request)
{
	struct swap_write *write = request->owner;
	struct host *host = write->host;

	for (uint32_t i = 0; i < write->count; i++)
		pool_flush_end(&host->memory, write->frames[i]);
	host->swapped_out += write->count;
	write->busy = false;
	waiters_wake(&host->starved);
	if (host->starved.first)
		swap_out(host);
}

static void send(struct swap_write *write)
{
	struct host *host = write->host;
	uint64_t bytes = host->core->cluster_bytes;
	uint32_t slot = take_slots(host, write->count);

	for (uint32_t i = 0; i < write->count; i++)
		host->slots[write->frames[i]->page] = slot + i;
	write->busy = true;
	write->request.owner = write;
	write->request.done = swapped;
	machine_send(&host->machine, &write->request, IO_WRITE, host->layout.file_bytes + slot * bytes,
		     (uint32_t)(write->count * bytes));
}

/* The oldest dirty clusters, as many writes as may be under way. */
static void swap_out(struct host *host)
{
	uint32_t index = host->memory.lru_oldest;

	for (uint64_t w = 0; w < host->core->writes; w++) {
		struct swap_write *write = &host->writes[w];

		if (write->busy)
			continue;
		for (write->count = 0; write->count < host->core->clusters_a_write;) {
			struct frame *frame;

			if (index == POOL_NO_FRAME)
				break;
			frame = &host->memory.frames[index];
			index = frame->lru_after;
			if (!frame->dirty || frame->flushing)
				continue;
			pool_flush_begin(&host->memory, frame);
			write->frames[write->count++] = frame;
		}
		if (!write->count)
			return;
		send(write);
	}
}

/* ---- a worker: clusters to read, and what it writes for each ---- */

enum step { STEP_READ, STEP_WORK, STEP_WRITE };

struct worker {
	struct host *host;
	struct request request;
	struct waiter waiter;
	struct burst burst, kernel;
	struct rng rng;
	struct frame *frame;
	enum step step;
	uint64_t at, end;           /* source clusters, this one and the last of its part */
	uint64_t written, writes_due; /* destination clusters of its part; thousandths of one */
	uint64_t cluster;           /* the one that is wanted */
	bool changes, is_new;
	uint64_t phase;
	struct reader *reader;      /* phase 1: whose work goes on when the cluster is there */
};

static void go_on(struct worker *worker);
static void work_on(struct reader *reader);
static bool want(struct worker *worker);

static void want_again(struct waiter *waiter)
{
	struct worker *worker = container_of(waiter, struct worker, waiter);

	if (want(worker))
		go_on(worker);
}

static void there(struct worker *worker)
{
	struct host *host = worker->host;

	pool_arrived(&host->memory, worker->frame);
	waiters_wake(&host->arriving);
}

static void change(struct worker *worker, struct frame *frame)
{
	if (worker->changes)
		pool_dirty(&worker->host->memory, frame, 0);
}

static void faulted_in(struct request *request)
{
	struct worker *worker = request->owner;

	worker->host->swapped_in++;
	there(worker);
	change(worker, worker->frame);
	go_on(worker);
}

/* The kernel has had its turn: what swap has is read, what is new is there. */
static void handled(struct burst *burst)
{
	struct worker *worker = container_of(burst, struct worker, kernel);
	struct host *host = worker->host;
	uint64_t bytes = host->core->cluster_bytes;

	if (worker->is_new || host->slots[worker->cluster] == NO_SLOT) {
		there(worker);
		change(worker, worker->frame);
		go_on(worker);
		return;
	}
	worker->request.owner = worker;
	worker->request.done = faulted_in;
	machine_send(&host->machine, &worker->request, IO_READ,
		     host->layout.file_bytes + host->slots[worker->cluster] * bytes, (uint32_t)bytes);
}

/* The oldest are clean, or on their way out: twice as many as can be. */
static bool fault(struct worker *worker)
{
	struct host *host = worker->host;
	uint64_t depth = 2 * host->core->writes * host->core->clusters_a_write + 64;

	worker->waiter.ready = want_again;
	worker->frame = pool_take(&host->memory, worker->cluster, (uint32_t)depth);
	if (!worker->frame) {
		waiters_add(&host->starved, &worker->waiter);
		swap_out(host);
		return false;
	}
	worker->kernel.done = handled;
	cores_run(&host->kernel, &worker->kernel, host->core->fault_ns);
	return false;
}

/* True: worker->cluster is in memory, and changed if that was wanted. */
static bool want(struct worker *worker)
{
	struct host *host = worker->host;
	struct frame *frame = pool_find(&host->memory, worker->cluster);

	worker->waiter.ready = want_again;
	if (!frame)
		return fault(worker);
	if (frame->reading) {
		waiters_add(&host->arriving, &worker->waiter);
		return false;
	}
	change(worker, frame);
	return true;
}

static void worked(struct burst *burst)
{
	struct worker *worker = container_of(burst, struct worker, burst);

	worker->step = STEP_WRITE;
	go_on(worker);
}

/* Where the next part of a cluster goes: a bucket at random, whose cluster is new when the last
   one is full. */
static void choose_bucket(struct worker *worker)
{
	struct host *host = worker->host;
	const struct layout *layout = &host->layout;
	uint64_t bucket = rng_below(&worker->rng, host->core->buckets);
	uint64_t parts = at_least_one(host->core->unpacked_milli / host->core->repacked_milli);

	worker->is_new = host->bucket_parts[bucket] == 0;
	if (worker->is_new)
		host->bucket_at[bucket] = host->next_bucket_cluster++;
	host->bucket_parts[bucket] = (uint32_t)((host->bucket_parts[bucket] + 1) % parts);
	worker->cluster = layout->packed + layout->flat + host->bucket_at[bucket] % layout->buckets;
}

/* What follows from one source cluster; false: all of it is written. */
static bool next_write(struct worker *worker)
{
	struct host *host = worker->host;
	const struct layout *layout = &host->layout;

	worker->changes = true;
	if (worker->phase == 4) {
		if (!worker->writes_due)
			return false;
		worker->writes_due = 0;
		choose_bucket(worker);
		return true;
	}
	if (worker->writes_due < 1000)
		return false;
	worker->writes_due -= 1000;
	worker->is_new = true;
	worker->cluster = layout->packed + worker->written++ % layout->flat;
	return true;
}

static void finished(struct worker *worker)
{
	struct host *host = worker->host;

	if (--host->working == 0)
		host->done = true;
}

static void go_on(struct worker *worker)
{
	struct host *host = worker->host;

	if (worker->phase == 1) {
		work_on(worker->reader);
		return;
	}
	for (;;) {
		if (worker->step == STEP_READ) {
			/* The source is there: work on it. */
			worker->step = STEP_WORK;
			cores_run(&host->cores, &worker->burst,
				  worker->phase == 2 ? host->core->unpack_ns : host->core->repack_ns);
			return;
		}
		if (next_write(worker)) {
			if (!want(worker))
				return;
			continue;
		}
		if (worker->at == worker->end) {
			finished(worker);
			return;
		}
		worker->step = STEP_READ;
		worker->changes = worker->is_new = false;
		worker->writes_due += worker->phase == 2 ? host->core->unpacked_milli : 1;
		worker->cluster = worker->at++;
		if (!want(worker))
			return;
	}
}

/* Each worker has an equal part of `count` clusters from `first`. */
static int run_phase(struct host *host, uint64_t phase, uint64_t first, uint64_t count)
{
	uint64_t threads = host->core->threads;
	host->done = false;
	host->working = threads;
	for (uint64_t i = 0; i < threads; i++) {
		struct worker *worker = &host->workers[i];

		worker->phase = phase;
		worker->at = first + count * i / threads;
		worker->end = first + count * (i + 1) / threads;
		worker->written = (worker->at - first) * host->core->unpacked_milli / 1000;
		worker->writes_due = 0;
		worker->step = STEP_WRITE;
		go_on(worker);
	}
	return machine_run(&host->machine, UINT64_MAX, &host->done);
}

/* ---- load: one thread reads ahead in the file by one read ---- */

struct reader {
	struct host *host;
	struct request request;
	struct burst burst;
	struct worker *worker;      /* whose memory it is */
	uint64_t read_bytes, used;  /* of the file; clusters in memory */
	bool reading, working;
};

static void reader_go_on(struct reader *reader);

static void reader_read(struct request *request)
{
	struct reader *reader = request->owner;

	reader->reading = false;
	reader_go_on(reader);
}

static void reader_worked(struct burst *burst)
{
	struct reader *reader = container_of(burst, struct reader, burst);

	reader->working = false;
	reader_go_on(reader);
}

static void read_on(struct reader *reader)
{
	struct host *host = reader->host;
	uint64_t left = host->layout.file_bytes - reader->read_bytes;
	uint64_t used_bytes = reader->used * host->core->cluster_bytes;
	uint32_t bytes = (uint32_t)(left < host->core->read_bytes ? left : host->core->read_bytes);

	if (reader->reading || !left || reader->read_bytes > used_bytes + 2 * host->core->read_bytes)
		return;
	reader->reading = true;
	reader->request.owner = reader;
	reader->request.done = reader_read;
	machine_send(&host->machine, &reader->request, IO_READ, reader->read_bytes, bytes);
	reader->read_bytes += bytes;
}

/* What has been read and is not yet being read into. */
static uint64_t available_bytes(const struct reader *reader)
{
	return reader->reading ? reader->read_bytes - reader->request.io.size_bytes : reader->read_bytes;
}

static void reader_go_on(struct reader *reader)
{
	struct host *host = reader->host;
	uint64_t bytes = host->core->cluster_bytes;

	if (reader->used == host->layout.packed && !reader->working) {
		host->done = true;
		return;
	}
	read_on(reader);
	if (reader->working || (reader->used + 1) * bytes > available_bytes(reader))
		return;
	reader->working = true;
	reader->burst.done = reader_worked;
	reader->worker->cluster = reader->used++;
	reader->worker->changes = reader->worker->is_new = true;
	if (want(reader->worker))
		work_on(reader);
}

/* The memory for a cluster is there. */
static void work_on(struct reader *reader)
{
	cores_run(&reader->host->cores, &reader->burst, reader->host->core->load_ns);
}

static int load(struct host *host)
{
	struct reader reader = { .host = host, .worker = &host->workers[0] };

	host->done = false;
	host->workers[0].phase = 1;
	host->workers[0].reader = &reader;
	reader_go_on(&reader);
	return machine_run(&host->machine, UINT64_MAX, &host->done);
}

/* ---- a run ---- */

static void host_init(struct host *host, const struct out_of_core *core, struct target *target,
		      const struct app_config *config, struct stats *stats, uint64_t scale)
{
	uint64_t frames = core->memory_bytes / scale / core->cluster_bytes;
	uint64_t least = 4 * (core->threads + core->buckets);

	memset(host, 0, sizeof(*host));
	host->core = core;
	host->layout = layout_of(core, scale);
	if (frames > host->layout.all)
		frames = host->layout.all;
	machine_init(&host->machine, target, config, stats);
	pool_init(&host->memory, frames > least ? frames : least);
	cores_init(&host->cores, &host->machine.sim, (uint32_t)core->cores);
	cores_init(&host->kernel, &host->machine.sim, 1);
	host->slot_count = (uint32_t)(host->layout.all + 64 * 8);
	host->slots = xcalloc(host->layout.all, sizeof(*host->slots));
	for (uint64_t i = 0; i < host->layout.all; i++)
		host->slots[i] = NO_SLOT;
	host->bucket_at = xcalloc(core->buckets, sizeof(*host->bucket_at));
	host->bucket_parts = xcalloc(core->buckets, sizeof(*host->bucket_parts));
	host->workers = xcalloc(core->threads, sizeof(*host->workers));
	for (uint64_t w = 0; w < WRITES_MAX; w++)
		host->writes[w].host = host;
	for (uint64_t i = 0; i < core->threads; i++) {
		_cleanup_free_ char *name = xasprintf("%s/%llu", config->name, (unsigned long long)i);

		host->workers[i].host = host;
		host->workers[i].burst.done = worked;
		host->workers[i].rng = rng_stream(config->seed, name);
	}
}

static void host_free(struct host *host)
{
	pool_free(&host->memory);
	machine_free(&host->machine);
	free(host->slots);
	free(host->bucket_at);
	free(host->bucket_parts);
	free(host->workers);
}

static double seconds_since(const struct host *host, uint64_t *from_ns)
{
	uint64_t took_ns = machine_now(&host->machine) - *from_ns;

	*from_ns = machine_now(&host->machine);
	return (double)took_ns / 1e9;
}

static int run_phases(struct host *host, double seconds[static 3])
{
	uint64_t from_ns = machine_now(&host->machine);
	int err = load(host);

	seconds[0] = seconds_since(host, &from_ns);
	if (!err)
		err = run_phase(host, 2, 0, host->layout.packed);
	seconds[1] = seconds_since(host, &from_ns);
	if (!err)
		err = run_phase(host, 4, host->layout.packed, host->layout.flat);
	seconds[2] = seconds_since(host, &from_ns);
	return err;
}

static void add_merits(const struct host *host, const double seconds[static 3], uint64_t scale,
		       struct merits *merits)
{
	double full = (double)scale, bytes = (double)host->core->cluster_bytes * full;
	double all = seconds[0] + seconds[1] + seconds[2];

	merits_add(merits, "time", "s", all * full);
	merits_add(merits, "phase_1_load", "s", seconds[0] * full);
	merits_add(merits, "phase_2_unpack", "s", seconds[1] * full);
	merits_add(merits, "phase_4_repack", "s", seconds[2] * full);
	merits_add(merits, "memory", "bytes", (double)host->core->memory_bytes);
	merits_add(merits, "working_set", "bytes", (double)host->layout.all * bytes);
	merits_add(merits, "swapped_out", "bytes", (double)host->swapped_out * bytes);
	merits_add(merits, "swapped_in", "bytes", (double)host->swapped_in * bytes);
	merits_add(merits, "kernel_busy", "%", all > 0 ? (double)host->kernel.busy_ns / 1e7 / all : 0);
	merits_add(merits, "processor_busy", "%",
		   all > 0 ? (double)host->cores.busy_ns / 1e7 / all / (double)host->core->cores : 0);
}

static int run_out_of_core(const struct app *app, struct target *target,
			   const struct app_config *config, struct stats *stats,
			   struct merits *merits)
{
	const struct out_of_core *core = core_of(app);
	uint64_t scale = target->scale ? target->scale : 1;
	struct host *host = xcalloc(1, sizeof(*host));
	double seconds[3];
	int err;

	host_init(host, core, target, config, stats, scale);
	err = load_regions(&host->machine, &(struct region){ 0, host->layout.file_bytes }, 1);
	if (!err) {
		if (config->on_measure)
			config->on_measure(config->context);
		machine_count_begin(&host->machine);
		err = run_phases(host, seconds);
		machine_count_end(&host->machine);
	}
	machine_drain(&host->machine);
	if (!err)
		add_merits(host, seconds, scale, merits);
	host_free(host);
	free(host);
	return err;
}

const struct app_kind app_out_of_core = {
	.name = "out-of-core",
	.help = "a working set larger than memory, with the drive as swap",
	.size = sizeof(struct out_of_core),
	.keys = keys,
	.needs_bytes = needs_bytes,
	.run = run_out_of_core,
};
