/*
 * sim.h - virtual time: a clock and a queue of events.
 *
 * Events live inside the objects they concern (container_of brings them back); the queue
 * holds pointers and allocates only when it outgrows what it had. Two events of one
 * instant fire in the order in which they were scheduled: nothing else may decide.
 */
#ifndef DRIVEBAY_SIM_SIM_H
#define DRIVEBAY_SIM_SIM_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim;

struct event {
	uint64_t at_ns;
	uint64_t seq;
	void (*fire)(struct sim *sim, struct event *event);
	uint32_t slot; /* where the queue keeps it, from 1; 0: not scheduled */
};

struct sim_entry { /* the key beside the pointer: comparisons stay in one cache line */
	uint64_t at_ns;
	uint64_t seq;
	struct event *event;
};

/*
 * A queue whose items come due in the order in which they were put: what leaves a first-come
 * first-served resource. Cheaper than the heap, and just as ordered.
 */
struct sim_fifo {
	void (*fire)(struct sim *sim, void *context, void *item);
	void *context;
	struct sim_item *ring; /* a power of two */
	size_t head, tail, capacity; /* head == tail: empty; both only grow */
	unsigned index;        /* in the simulation's table */
};

struct sim_item {
	uint64_t at_ns;
	uint64_t seq;
	void *item;
};

enum { SIM_FIFOS = 12 };

struct sim {
	uint64_t now_ns;
	uint64_t next_seq;
	uint64_t fired;
	struct sim_entry *heap; /* a 4-ary heap; heap[0] fires next */
	size_t count, capacity;
	unsigned fifo_count;
	struct sim_fifo *fifos[SIM_FIFOS];
	struct sim_head {
		uint64_t at_ns; /* when the head of a queue is due; UINT64_MAX: empty */
		uint64_t seq;
	} heads[SIM_FIFOS], first_head; /* first_head: the first of them */
	unsigned first_fifo;            /* whose it is */
};

void sim_init(struct sim *sim);
void sim_free(struct sim *sim);

/* At at_ns >= now. The event must not be scheduled already. O(log n). */
void sim_at(struct sim *sim, struct event *event, uint64_t at_ns);

/* Takes a scheduled event back. O(log n). */
void sim_cancel(struct sim *sim, struct event *event);

static inline bool event_is_scheduled(const struct event *event)
{
	return event->slot != 0;
}

/*
 * Makes `fifo` a queue of this simulation; at most SIM_FIFOS of them. `fire` gets each item
 * at its time.
 */
void sim_fifo_init(struct sim *sim, struct sim_fifo *fifo,
		   void (*fire)(struct sim *sim, void *context, void *item), void *context);
void sim_fifo_free(struct sim_fifo *fifo);

/* At at_ns >= now, and not before what was put last. O(1); grows when it must. */
void sim_fifo_put(struct sim *sim, struct sim_fifo *fifo, uint64_t at_ns, void *item);

/* Forgets what is in it. */
void sim_fifo_clear(struct sim *sim, struct sim_fifo *fifo);

/* When the next event fires; UINT64_MAX when there is none. */
static inline uint64_t sim_next_ns(const struct sim *sim)
{
	uint64_t next_ns = sim->first_head.at_ns;

	return sim->count && sim->heap[0].at_ns < next_ns ? sim->heap[0].at_ns : next_ns;
}

/* Fires the next event if it is due by until_ns; false when it is not, or there is none. */
bool sim_step_until(struct sim *sim, uint64_t until_ns);

/* Fires the next event; there must be one. */
void sim_step(struct sim *sim);

/* Moves the clock to at_ns, past which no event may be pending before it. */
static inline void sim_advance(struct sim *sim, uint64_t at_ns)
{
	assert(at_ns >= sim->now_ns);
	assert(sim_next_ns(sim) >= at_ns);
	sim->now_ns = at_ns;
}

#endif
