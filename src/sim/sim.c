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

void sim_fifo_init(struct sim *sim, struct sim_fifo *fifo,
		   void (*fire)(struct sim *sim, void *context, void *item), void *context)
{
	assert(sim->fifo_count < SIM_FIFOS);
	*fifo = (struct sim_fifo){
		.fire = fire,
		.context = context,
		.capacity = 256,
		.index = sim->fifo_count,
	};
	fifo->ring = xmalloc(fifo->capacity * sizeof(*fifo->ring));
	sim->fifos[sim->fifo_count] = fifo;
	sim->head_ns[sim->fifo_count++] = UINT64_MAX;
}

void sim_fifo_free(struct sim_fifo *fifo)
{
	free(fifo->ring);
	fifo->ring = NULL;
}

static struct sim_item *item_at(const struct sim_fifo *fifo, size_t position)
{
	return &fifo->ring[position & (fifo->capacity - 1)];
}

static void grow(struct sim_fifo *fifo)
{
	struct sim_fifo larger = *fifo;

	larger.capacity *= 2;
	larger.ring = xmalloc(larger.capacity * sizeof(*larger.ring));
	for (size_t i = fifo->head; i < fifo->tail; i++)
		*item_at(&larger, i) = *item_at(fifo, i);
	free(fifo->ring);
	*fifo = larger;
}

static void show_head(struct sim *sim, const struct sim_fifo *fifo)
{
	const struct sim_item *head = item_at(fifo, fifo->head);

	if (fifo->head == fifo->tail) {
		sim->head_ns[fifo->index] = UINT64_MAX;
		return;
	}
	sim->head_ns[fifo->index] = head->at_ns;
	sim->head_seq[fifo->index] = head->seq;
}

void sim_fifo_put(struct sim *sim, struct sim_fifo *fifo, uint64_t at_ns, void *item)
{
	assert(at_ns >= sim->now_ns);
	if (fifo->tail - fifo->head == fifo->capacity)
		grow(fifo);
	assert(fifo->head == fifo->tail || item_at(fifo, fifo->tail - 1)->at_ns <= at_ns);
	*item_at(fifo, fifo->tail++) = (struct sim_item){ at_ns, sim->next_seq++, item };
	if (fifo->tail - fifo->head == 1)
		show_head(sim, fifo);
}

static void step_fifo(struct sim *sim, struct sim_fifo *fifo)
{
	const struct sim_item *head = item_at(fifo, fifo->head);
	void *item = head->item;

	sim->now_ns = head->at_ns;
	fifo->head++;
	show_head(sim, fifo);
	fifo->fire(sim, fifo->context, item);
}

static void step_heap(struct sim *sim)
{
	struct event *event = sim->heap[0].event;

	sim->now_ns = event->at_ns;
	remove_at(sim, 0);
	event->fire(sim, event);
}

void sim_step(struct sim *sim)
{
	uint64_t least_ns = UINT64_MAX, least_seq = UINT64_MAX;
	struct sim_fifo *fifo = NULL;

	if (sim->count) {
		least_ns = sim->heap[0].at_ns;
		least_seq = sim->heap[0].seq;
	}
	for (unsigned i = 0; i < sim->fifo_count; i++) {
		if (sim->head_ns[i] > least_ns)
			continue;
		if (sim->head_ns[i] == UINT64_MAX)
			continue;
		if (sim->head_ns[i] == least_ns && sim->head_seq[i] > least_seq)
			continue;
		least_ns = sim->head_ns[i];
		least_seq = sim->head_seq[i];
		fifo = sim->fifos[i];
	}
	assert(least_ns != UINT64_MAX);
	sim->fired++;
	if (fifo)
		step_fifo(sim, fifo);
	else
		step_heap(sim);
}
