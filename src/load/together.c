/*
 * together.c - several loads on one real device, each a run of its own in a thread of its own.
 *
 * Each is run_threads() with a single load thread, led by the thread that is started here. Only
 * the callbacks meet: they take a lock, which no load thread ever waits for.
 */
#include "load/together.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

struct load {
	struct run_config config; /* as asked for, but for the callbacks */
	const struct run_config *asked;
	struct target *target;
	struct stats *out;
	pthread_mutex_t *mutex;
	pthread_t thread;
	bool is_running;
	int err;
	char *why; /* fail_message() is the thread's own */
};

static void on_window(void *context, const struct window *window)
{
	struct load *load = context;

	pthread_mutex_lock(load->mutex);
	load->asked->on_window(load->asked->context, window);
	pthread_mutex_unlock(load->mutex);
}

static bool on_progress(void *context, const struct stats *so_far, uint64_t elapsed_ns)
{
	struct load *load = context;
	bool goes_on;

	pthread_mutex_lock(load->mutex);
	goes_on = load->asked->on_progress(load->asked->context, so_far, elapsed_ns);
	pthread_mutex_unlock(load->mutex);
	return goes_on;
}

static void *load_main(void *context)
{
	struct load *load = context;

	load->err = run_threads(&load->target, 1, &load->config, load->out);
	if (load->err && load->err != -EINTR)
		load->why = xstrdup(fail_message());
	return NULL;
}

static int load_start(struct load *load)
{
	int err;

	load->config = *load->asked;
	load->config.context = load;
	if (load->config.on_window)
		load->config.on_window = on_window;
	if (load->config.on_progress)
		load->config.on_progress = on_progress;
	stats_clear(load->out);
	err = pthread_create(&load->thread, NULL, load_main, load);
	load->is_running = !err;
	return err ? fail(err, "cannot start a thread: %s", strerror(err)) : 0;
}

int run_side_by_side(struct target **targets, const struct run_config *configs, size_t count,
		     struct stats *const *outs)
{
	struct load *loads = xcalloc(count, sizeof(*loads));
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	int err = 0, stopped = 0;

	for (size_t i = 0; i < count && !err; i++) {
		loads[i] = (struct load){ .asked = &configs[i], .target = targets[i],
					  .out = outs[i], .mutex = &mutex };
		err = load_start(&loads[i]);
	}
	for (size_t i = 0; i < count; i++) {
		if (!loads[i].is_running)
			continue;
		pthread_join(loads[i].thread, NULL);
		if (loads[i].err == -EINTR)
			stopped = -EINTR;
		else if (loads[i].err && !err)
			err = fail(-loads[i].err, "%s", loads[i].why);
		free(loads[i].why);
	}
	pthread_mutex_destroy(&mutex);
	free(loads);
	return err ? err : stopped;
}
