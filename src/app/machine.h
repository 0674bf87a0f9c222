/*
 * machine.h - a host in virtual time around a target: a clock, requests, processors.
 *
 * An application is modelled as small state machines that live in objects of their own: each
 * waits for a moment (sim.h), for a request to the drive, for a turn on a processor, or for
 * another of them. The machine moves the target's clock and its own together, and counts what
 * crosses to the drive while it is told to.
 *
 * Only for targets in virtual time. Set-up allocates, running does not.
 */
#ifndef DRIVEBAY_APP_MACHINE_H
#define DRIVEBAY_APP_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "app/app.h"
#include "sim/sim.h"
#include "stats/stats.h"
#include "target/target.h"

struct machine {
	struct sim sim;
	struct target *target;
	const struct app_config *config;
	uint32_t in_flight;         /* reads, writes, trims */
	unsigned __int128 submitted_sum_ns; /* when they went out, added up */
	bool counting;
	bool is_stopped;            /* somebody wants an end */
	int error;                  /* of a request: a negative errno, and the end */
	/*
	 * Since counting began. Flushes move nothing and on some drives cost nothing: among the
	 * reads and writes they would only make every mean smaller, so they are in no other figure.
	 */
	uint64_t flushes;
	uint64_t start_ns, window_start_ns, window_end_ns, counted_ns;
	struct health health;       /* at the start of the window */
	struct stats *interval, *total;
};

/* The target must be virtual and have nothing in flight. `total` is filled as time goes on. */
void machine_init(struct machine *machine, struct target *target, const struct app_config *config,
		  struct stats *total);
void machine_free(struct machine *machine);

static inline uint64_t machine_now(const struct machine *machine)
{
	return machine->sim.now_ns;
}

/*
 * Lets everything happen that is due by until_ns, or until *done (may be NULL) is set, or
 * somebody wants an end. -EINTR in the last case, else 0. Aborts when something is waited for
 * and nothing can happen any more.
 */
int machine_run(struct machine *machine, uint64_t until_ns, const bool *done);

/* What completes from here on counts; machine_count_end() is the end of what is measured. */
void machine_count_begin(struct machine *machine);
void machine_count_end(struct machine *machine);

/* Waits for the requests in flight, of which nobody hears any more: the end. */
void machine_drain(struct machine *machine);

/* ---- requests ---- */

/* Owner: whoever sends it, again and again; not while it is under way. */
struct request {
	struct io io;
	struct machine *machine;
	void (*done)(struct request *request);
	void *owner;
};

void machine_send(struct machine *machine, struct request *request, enum io_op op,
		  uint64_t offset_bytes, uint32_t size_bytes);

/* ---- processors ---- */

struct burst;

/* Some equal cores with one queue, first come first served, no preemption. */
struct cores {
	struct sim *sim;
	uint32_t count, running;
	uint64_t busy_ns;           /* granted so far, of all cores together */
	struct burst *first, **last;
};

/* A turn on a core. Owner: whoever runs it, again and again; not while it is under way. */
struct burst {
	struct event event;
	struct cores *cores;
	struct burst *next;
	uint64_t length_ns;
	void (*done)(struct burst *burst);
};

void cores_init(struct cores *cores, struct sim *sim, uint32_t count);
void cores_run(struct cores *cores, struct burst *burst, uint64_t length_ns);

/* ---- waiting for one another ---- */

struct waiter {
	struct waiter *next;
	void (*ready)(struct waiter *waiter);
	uint64_t lsn;               /* redo.h: what it waits for */
};

/* First come first served. A zeroed one is empty. */
struct waiters {
	struct waiter *first, *last;
};

void waiters_add(struct waiters *waiters, struct waiter *waiter);
struct waiter *waiters_take(struct waiters *waiters); /* NULL: nobody waits */

/* All that wait at this moment; who comes back to wait is not woken again. */
void waiters_wake(struct waiters *waiters);

#endif
