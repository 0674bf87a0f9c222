#include "app/machine.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

void machine_init(struct machine *machine, struct target *target, const struct app_config *config,
		  struct stats *total)
{
	assert(target->is_virtual && target->in_flight == 0);
	memset(machine, 0, sizeof(*machine));
	sim_init(&machine->sim);
	machine->sim.now_ns = target_now(target);
	machine->target = target;
	machine->config = config;
	machine->window_end_ns = UINT64_MAX;
	machine->interval = xcalloc(1, sizeof(*machine->interval));
	machine->total = total;
	stats_clear(machine->interval);
	stats_clear(total);
}

void machine_free(struct machine *machine)
{
	free(machine->interval);
	sim_free(&machine->sim);
}

/* ---- counting ---- */

static void count_outstanding(struct machine *machine)
{
	uint64_t now_ns = machine_now(machine);

	if (machine->counting)
		machine->interval->outstanding_ns +=
			(unsigned __int128)(now_ns - machine->counted_ns) * machine->in_flight;
	machine->counted_ns = now_ns;
}

static uint64_t window_waf_milli(struct machine *machine)
{
	struct health before = machine->health;
	uint64_t host_bytes, nand_bytes;

	if (target_health(machine->target, &machine->health))
		return 0;
	host_bytes = machine->health.host_written_bytes - before.host_written_bytes;
	nand_bytes = machine->health.nand_written_bytes - before.nand_written_bytes;
	return host_bytes ? (uint64_t)((unsigned __int128)nand_bytes * 1000 / host_bytes) : 0;
}

static void end_window(struct machine *machine)
{
	const struct app_config *config = machine->config;
	uint64_t now_ns = machine_now(machine);
	struct window window;

	count_outstanding(machine);
	machine->interval->elapsed_ns = now_ns - machine->window_start_ns;
	stats_window(machine->interval, machine->window_start_ns - machine->start_ns, &window);
	window.waf_milli = window_waf_milli(machine);
	stats_merge(machine->total, machine->interval);
	stats_reset(machine->interval);
	machine->window_start_ns = now_ns;
	machine->window_end_ns = now_ns + config->window_ns;
	if (config->on_window)
		config->on_window(config->context, &window);
	if (config->on_progress && !config->on_progress(config->context, machine->total,
							now_ns - machine->start_ns))
		machine->is_stopped = true;
}

void machine_count_begin(struct machine *machine)
{
	uint64_t now_ns = machine_now(machine);

	machine->counting = true;
	machine->flushes = 0;
	machine->start_ns = machine->window_start_ns = machine->counted_ns = now_ns;
	machine->window_end_ns = machine->config->window_ns ? now_ns + machine->config->window_ns :
							      UINT64_MAX;
	target_health(machine->target, &machine->health);
}

void machine_count_end(struct machine *machine)
{
	count_outstanding(machine);
	machine->interval->unfinished += machine->in_flight;
	machine->interval->unfinished_ns +=
		(unsigned __int128)machine_now(machine) * machine->in_flight -
		machine->submitted_sum_ns;
	if (machine_now(machine) > machine->window_start_ns)
		end_window(machine);
	machine->counting = false;
	machine->window_end_ns = UINT64_MAX;
}

/* ---- the loop ---- */

static bool wants_end(struct machine *machine)
{
	if (machine->config->stop && *machine->config->stop)
		machine->is_stopped = true;
	return machine->is_stopped;
}

/* It is no longer under way. */
static void leave(struct machine *machine, const struct io *io)
{
	count_outstanding(machine);
	if (io->op == IO_FLUSH)
		return;
	machine->in_flight--;
	machine->submitted_sum_ns -= io->submitted_ns;
}

static void take(struct machine *machine, struct io *io)
{
	struct request *request = container_of(io, struct request, io);

	leave(machine, io);
	if (io->error)
		machine->error = io->error;
	if (machine->counting && io->op == IO_FLUSH)
		machine->flushes++;
	else if (machine->counting && io->submitted_ns >= machine->start_ns)
		stats_add(machine->interval, io);
	else if (machine->counting) /* of which the integral knows only the rest */
		machine->interval->unfinished_ns += io->completed_ns - machine->start_ns;
	request->done(request);
}

/* One thing after another: what is due in the machine now, else what comes from the drive. */
static void step(struct machine *machine, uint64_t until_ns)
{
	uint64_t next_ns = sim_next_ns(&machine->sim);
	struct io *io;

	if (next_ns <= machine_now(machine)) {
		sim_step(&machine->sim);
		return;
	}
	if (until_ns < next_ns)
		next_ns = until_ns;
	if (machine->window_end_ns < next_ns)
		next_ns = machine->window_end_ns;
	if (next_ns == UINT64_MAX && !machine->target->in_flight) {
		fprintf(stderr, "drivebay: the application waits, and nothing can happen any more\n");
		abort();
	}
	io = target_reap(machine->target, next_ns);
	sim_advance(&machine->sim, io ? io->completed_ns : next_ns);
	if (io)
		take(machine, io);
	else if (machine_now(machine) == machine->window_end_ns)
		end_window(machine);
}

int machine_run(struct machine *machine, uint64_t until_ns, const bool *done)
{
	while (!(done && *done) && !machine->error && !wants_end(machine)) {
		if (machine_now(machine) >= until_ns && sim_next_ns(&machine->sim) > until_ns)
			return 0;
		step(machine, until_ns);
	}
	if (machine->error)
		return fail(EIO, "a request of the application failed: %s; it would stop here",
			    strerror(-machine->error));
	return machine->is_stopped ? -EINTR : 0;
}

void machine_drain(struct machine *machine)
{
	while (machine->target->in_flight) {
		struct io *io = target_reap(machine->target, TARGET_FOREVER);

		if (io->completed_ns > machine_now(machine))
			machine->sim.now_ns = io->completed_ns;
		leave(machine, io);
	}
}

/* ---- requests ---- */

void machine_send(struct machine *machine, struct request *request, enum io_op op,
		  uint64_t offset_bytes, uint32_t size_bytes)
{
	count_outstanding(machine);
	request->machine = machine;
	request->io = (struct io){
		.op = op,
		.offset_bytes = offset_bytes,
		.size_bytes = size_bytes,
		.due_ns = machine_now(machine),
	};
	target_submit(machine->target, &request->io);
	if (op == IO_FLUSH)
		return;
	machine->in_flight++;
	machine->submitted_sum_ns += request->io.submitted_ns;
}

/* ---- processors ---- */

void cores_init(struct cores *cores, struct sim *sim, uint32_t count)
{
	*cores = (struct cores){ .sim = sim, .count = count };
	cores->last = &cores->first;
}

static void burst_ended(struct sim *sim, struct event *event);

static void burst_begin(struct cores *cores, struct burst *burst)
{
	cores->running++;
	cores->busy_ns += burst->length_ns;
	burst->event.fire = burst_ended;
	sim_at(cores->sim, &burst->event, cores->sim->now_ns + burst->length_ns);
}

static void burst_ended(struct sim *sim, struct event *event)
{
	struct burst *burst = container_of(event, struct burst, event);
	struct cores *cores = burst->cores;
	struct burst *next = cores->first;

	(void)sim;
	cores->running--;
	if (next) {
		cores->first = next->next;
		if (!cores->first)
			cores->last = &cores->first;
		burst_begin(cores, next);
	}
	burst->done(burst);
}

void cores_run(struct cores *cores, struct burst *burst, uint64_t length_ns)
{
	burst->cores = cores;
	burst->length_ns = length_ns;
	burst->next = NULL;
	if (cores->running < cores->count) {
		burst_begin(cores, burst);
		return;
	}
	*cores->last = burst;
	cores->last = &burst->next;
}

/* ---- waiting for one another ---- */

void waiters_add(struct waiters *waiters, struct waiter *waiter)
{
	waiter->next = NULL;
	if (waiters->first)
		waiters->last->next = waiter;
	else
		waiters->first = waiter;
	waiters->last = waiter;
}

struct waiter *waiters_take(struct waiters *waiters)
{
	struct waiter *waiter = waiters->first;

	if (waiter)
		waiters->first = waiter->next;
	return waiter;
}

void waiters_wake(struct waiters *waiters)
{
	struct waiters woken = *waiters;
	struct waiter *waiter;

	waiters->first = NULL;
	while ((waiter = waiters_take(&woken)))
		waiter->ready(waiter);
}
