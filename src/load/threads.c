/*
 * threads.c - the same load from several threads, each with its own handle.
 *
 * The threads never wait for each other. Each has a ring of intervals that it has finished,
 * with full histograms; the calling thread takes interval i of all of them, merges them
 * (a percentile of the whole is not a mean of percentiles) and reports the window. So what
 * on_window does, a commit to disk say, does not hold up the load, unless it falls behind
 * by a whole ring.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "load/loop.h"

enum {
	RING_MIN = 16,       /* intervals */
	RING_MAX = 256,
	START_NS = 1000000,  /* from the moment that all threads are there until they begin */
};

static const uint64_t ring_ns = 2000000000;   /* short windows: as many as this holds */
static const uint64_t interval_ns = 1000000000; /* where nobody wants a series: for progress */

struct finished {
	uint64_t start_ns, waf_milli;
	struct stats stats;
};

struct team;

struct worker {
	struct loop loop;
	struct team *team;
	pthread_t thread;
	bool is_running;           /* there is a thread to join */
	int err;
	struct finished *ring;
	atomic_uint_fast64_t put;  /* by the worker */
	atomic_uint_fast64_t taken; /* by the team */
	atomic_uint_fast64_t beats; /* progress is due again */
	atomic_bool is_over;
};

struct team {
	const struct run_config *config; /* as it was asked for */
	struct run_config shared;        /* as the loops see it */
	struct worker *workers;
	unsigned count;
	uint32_t ring_count;
	atomic_bool cancel;
	pthread_mutex_t mutex;  /* to sleep and to wake up, and for the two below */
	pthread_cond_t changed;
	unsigned ready;         /* threads that are there */
	uint64_t start_ns;      /* when all begin; 0: not known yet */
	struct stats window;    /* the threads' intervals, merged */
	struct stats *out;
	uint64_t beats_told;
};

static void announce(struct team *team)
{
	pthread_mutex_lock(&team->mutex);
	pthread_cond_broadcast(&team->changed);
	pthread_mutex_unlock(&team->mutex);
}

static void wait_for_room(struct worker *worker)
{
	struct team *team = worker->team;

	pthread_mutex_lock(&team->mutex);
	while (atomic_load(&worker->put) - atomic_load(&worker->taken) == team->ring_count)
		pthread_cond_wait(&team->changed, &team->mutex);
	pthread_mutex_unlock(&team->mutex);
}

static bool worker_interval(void *context, const struct loop *loop)
{
	struct worker *worker = context;
	uint64_t put = atomic_load(&worker->put);
	struct finished *finished = &worker->ring[put % worker->team->ring_count];

	if (put - atomic_load(&worker->taken) == worker->team->ring_count)
		wait_for_room(worker);
	stats_reset(&finished->stats);
	stats_merge(&finished->stats, &loop->interval);
	finished->start_ns = loop->window_start_ns - loop->start_ns;
	finished->waf_milli = loop->waf_milli;
	atomic_store(&worker->put, put + 1);
	announce(worker->team);
	return true;
}

static bool worker_progress(void *context, const struct loop *loop, uint64_t elapsed_ns)
{
	struct worker *worker = context;

	(void)loop;
	(void)elapsed_ns;
	atomic_fetch_add(&worker->beats, 1);
	announce(worker->team);
	return true;
}

/* All threads are there before the run begins: one that came late would be missing from it. */
static uint64_t wait_for_start(struct team *team)
{
	uint64_t start_ns;

	pthread_mutex_lock(&team->mutex);
	team->ready++;
	pthread_cond_broadcast(&team->changed);
	while (!team->start_ns)
		pthread_cond_wait(&team->changed, &team->mutex);
	start_ns = team->start_ns;
	pthread_mutex_unlock(&team->mutex);
	return start_ns;
}

static void *worker_main(void *context)
{
	struct worker *worker = context;
	struct target *target = worker->loop.target;
	uint64_t start_ns = wait_for_start(worker->team);

	while (target_now(target) < start_ns)
		target_reap(target, start_ns);
	worker->err = loop_run(&worker->loop, start_ns);
	atomic_store(&worker->is_over, true);
	announce(worker->team);
	return NULL;
}

static bool has_next(struct worker *worker)
{
	return atomic_load(&worker->put) != atomic_load(&worker->taken);
}

/* An interval can be merged when every thread has finished it, or ended before it. */
static bool interval_is_complete(struct team *team)
{
	bool any = false;

	for (unsigned i = 0; i < team->count; i++) {
		struct worker *worker = &team->workers[i];
		bool is_over = atomic_load(&worker->is_over); /* first: it puts before it is over */

		if (has_next(worker))
			any = true;
		else if (!is_over)
			return false;
	}
	return any;
}

/* Merges the next interval of all threads and reports it. */
static void take_interval(struct team *team)
{
	uint64_t start_ns = 0, elapsed_ns = 0, waf_milli = 0;
	struct window window;

	stats_reset(&team->window);
	for (unsigned i = 0; i < team->count; i++) {
		struct worker *worker = &team->workers[i];
		uint64_t taken = atomic_load(&worker->taken);
		struct finished *finished = &worker->ring[taken % team->ring_count];

		if (!has_next(worker))
			continue;
		start_ns = finished->start_ns; /* the same for all: they began together */
		if (finished->stats.elapsed_ns > elapsed_ns)
			elapsed_ns = finished->stats.elapsed_ns;
		if (i == 0) /* the counters are the device's, whoever reads them */
			waf_milli = finished->waf_milli;
		stats_merge(&team->window, &finished->stats);
		atomic_store(&worker->taken, taken + 1);
	}
	announce(team);
	team->window.elapsed_ns = elapsed_ns;
	stats_merge(team->out, &team->window);
	if (team->config->window_ns && team->config->on_window && elapsed_ns > 0) {
		stats_window(&team->window, start_ns, &window);
		window.waf_milli = waf_milli;
		team->config->on_window(team->config->context, &window);
	}
}

/* The first thread that still runs gives the beat of progress; NULL: all are over. */
static struct worker *speaker(struct team *team)
{
	for (unsigned i = 0; i < team->count; i++)
		if (!atomic_load(&team->workers[i].is_over))
			return &team->workers[i];
	return NULL;
}

static bool progress_is_due(struct team *team)
{
	struct worker *worker = speaker(team);

	return worker && atomic_load(&worker->beats) != team->beats_told;
}

static void tell_progress(struct team *team)
{
	const struct run_config *config = team->config;
	struct worker *worker = speaker(team);

	if (!worker)
		return;
	team->beats_told = atomic_load(&worker->beats);
	if (config->on_progress && !atomic_load(&team->cancel) &&
	    !config->on_progress(config->context, team->out, team->out->elapsed_ns))
		atomic_store(&team->cancel, true);
}

/* Sleeps until there is something to do here; false: never again. */
static bool listen(struct team *team)
{
	bool is_over;

	pthread_mutex_lock(&team->mutex);
	while (!(is_over = !speaker(team)) && !interval_is_complete(team) && !progress_is_due(team))
		pthread_cond_wait(&team->changed, &team->mutex);
	pthread_mutex_unlock(&team->mutex);
	return !is_over || interval_is_complete(team);
}

static void lead(struct team *team)
{
	while (listen(team)) {
		while (interval_is_complete(team))
			take_interval(team);
		if (progress_is_due(team))
			tell_progress(team);
	}
}

static int worker_init(struct team *team, unsigned index, struct target *target)
{
	struct worker *worker = &team->workers[index];
	int err = loop_init(&worker->loop, target, &team->shared, index, team->count);

	if (err)
		return err;
	worker->team = team;
	worker->loop.sink = (struct loop_sink){ worker_interval, worker_progress, worker };
	worker->loop.cancel = &team->cancel;
	worker->ring = xcalloc(team->ring_count, sizeof(*worker->ring));
	return 0;
}

/* Starts all; when one cannot be started the others are told to end. */
static int workers_start(struct team *team, struct target *clock)
{
	unsigned started = 0;
	int err = 0;

	for (unsigned i = 0; i < team->count; i++) {
		struct worker *worker = &team->workers[i];

		if (!err)
			err = pthread_create(&worker->thread, NULL, worker_main, worker);
		worker->is_running = !err;
		started += !err;
		if (err)
			atomic_store(&worker->is_over, true);
	}
	if (err)
		atomic_store(&team->cancel, true);

	pthread_mutex_lock(&team->mutex);
	while (team->ready < started)
		pthread_cond_wait(&team->changed, &team->mutex);
	team->start_ns = target_now(clock) + START_NS;
	pthread_cond_broadcast(&team->changed);
	pthread_mutex_unlock(&team->mutex);
	return err ? fail(err, "cannot start a thread: %s", strerror(err)) : 0;
}

static int workers_join(struct team *team)
{
	int err = 0;

	for (unsigned i = 0; i < team->count; i++) {
		struct worker *worker = &team->workers[i];

		if (!worker->is_running)
			continue;
		pthread_join(worker->thread, NULL);
		if (!err)
			err = worker->err;
		stats_merge(team->out, &worker->loop.rest);
	}
	return err;
}

static uint32_t ring_count_for(uint64_t window_ns)
{
	uint64_t count = ring_ns / window_ns;

	return count < RING_MIN ? RING_MIN : count > RING_MAX ? RING_MAX : (uint32_t)count;
}

static int team_run(struct team *team, struct target **targets)
{
	int err = 0, join_err;

	for (unsigned i = 0; i < team->count && !err; i++)
		err = worker_init(team, i, targets[i]);
	if (err)
		return err;
	err = workers_start(team, targets[0]);
	lead(team);
	join_err = workers_join(team);
	return err ? err : join_err;
}

int run_threads(struct target **targets, unsigned threads, const struct run_config *config,
		struct stats *out)
{
	struct team *team;
	int err;

	assert(threads > 0);
	if (threads == 1 && targets[0]->is_virtual)
		return run(targets[0], config, out);
	for (unsigned i = 0; i < threads; i++)
		assert(!targets[i]->is_virtual);

	team = xcalloc(1, sizeof(*team));
	team->config = config;
	team->shared = *config;
	if (team->shared.window_ns == 0)
		team->shared.window_ns = interval_ns;
	team->ring_count = ring_count_for(team->shared.window_ns);
	/* A lane is not divided: it would be another pattern. */
	team->count = threads;
	if (config->workload->threads && config->workload->threads < threads)
		team->count = config->workload->threads;
	team->workers = xcalloc(team->count, sizeof(*team->workers));
	team->out = out;
	stats_clear(out);
	stats_clear(&team->window);
	pthread_mutex_init(&team->mutex, NULL);
	pthread_cond_init(&team->changed, NULL);

	err = team_run(team, targets);

	for (unsigned i = 0; i < team->count; i++) {
		loop_free(&team->workers[i].loop);
		free(team->workers[i].ring);
	}
	pthread_cond_destroy(&team->changed);
	pthread_mutex_destroy(&team->mutex);
	free(team->workers);
	free(team);
	return err;
}
