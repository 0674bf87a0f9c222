#include "sim/sim.h"

#include <stdlib.h>

#include "base/fail.h"

enum { ARITY = 4 };

void sim_init(struct sim *sim)
{
	*sim = (struct sim){ .capacity = 1024 };
	sim->heap = xmalloc(sim->capacity * sizeof(*sim->heap));
}

void sim_free(struct sim *sim)
{
	free(sim->heap);
	sim->heap = NULL;
}

static inline bool before(const struct sim_entry *a, const struct sim_entry *b)
{
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns;
	return a->seq < b->seq;
}

static inline void put(struct sim *sim, size_t index, struct sim_entry entry)
{
	sim->heap[index] = entry;
	entry.event->slot = (uint32_t)index + 1;
}

static void sift_up(struct sim *sim, size_t index, struct sim_entry entry)
{
	while (index > 0) {
		size_t parent = (index - 1) / ARITY;

		if (!before(&entry, &sim->heap[parent]))
			break;
		put(sim, index, sim->heap[parent]);
		index = parent;
	}
	put(sim, index, entry);
}

static void sift_down(struct sim *sim, size_t index, struct sim_entry entry)
{
	for (;;) {
		size_t child = index * ARITY + 1;
		size_t end = child + ARITY < sim->count ? child + ARITY : sim->count;
		size_t least = child;

		if (child >= sim->count)
			break;
		for (size_t i = child + 1; i < end; i++)
			if (before(&sim->heap[i], &sim->heap[least]))
				least = i;
		if (!before(&sim->heap[least], &entry))
			break;
		put(sim, index, sim->heap[least]);
		index = least;
	}
	put(sim, index, entry);
}

void sim_at(struct sim *sim, struct event *event, uint64_t at_ns)
{
	struct sim_entry entry = { at_ns, sim->next_seq++, event };

	assert(at_ns >= sim->now_ns);
	assert(!event_is_scheduled(event));
	if (sim->count == sim->capacity) {
		sim->capacity *= 2;
		sim->heap = xrealloc(sim->heap, sim->capacity * sizeof(*sim->heap));
	}
	event->at_ns = at_ns;
	event->seq = entry.seq;
	sift_up(sim, sim->count++, entry);
}

static void remove_at(struct sim *sim, size_t index)
{
	struct sim_entry last = sim->heap[--sim->count];

	sim->heap[index].event->slot = 0;
	if (index == sim->count)
		return;
	if (index > 0 && before(&last, &sim->heap[(index - 1) / ARITY]))
		sift_up(sim, index, last);
	else
		sift_down(sim, index, last);
}

void sim_cancel(struct sim *sim, struct event *event)
{
	assert(event_is_scheduled(event));
	assert(sim->heap[event->slot - 1].event == event);
	remove_at(sim, event->slot - 1);
}

void sim_step(struct sim *sim)
{
	struct event *event;

	assert(sim->count > 0);
	event = sim->heap[0].event;
	sim->now_ns = event->at_ns;
	remove_at(sim, 0);
	sim->fired++;
	event->fire(sim, event);
}
