#include "sim/sim.h"

#include <stdlib.h>

#include "base/fail.h"

enum { ARITY = 4 };

void sim_init(struct sim *sim)
{
	*sim = (struct sim){ .capacity = 1024, .first_head.at_ns = UINT64_MAX };
	sim->heap = xmalloc(sim->capacity * sizeof(*sim->heap));
}

void sim_free(struct sim *sim)
{
	free(sim->heap);
	sim->heap = NULL;
}

/* Time and turn as one number: a comparison without a branch between the two. */
static inline unsigned __int128 key(uint64_t at_ns, uint64_t seq)
{
	return (unsigned __int128)at_ns << 64 | seq;
}

static inline bool before(const struct sim_entry *a, const struct sim_entry *b)
{
	return key(a->at_ns, a->seq) < key(b->at_ns, b->seq);
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
	sim->heads[sim->fifo_count++].at_ns = UINT64_MAX;
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

/* The first of the queues' heads, when one of them has been taken. */
static void find_first(struct sim *sim)
{
	unsigned first = 0;

	for (unsigned i = 1; i < sim->fifo_count; i++)
		if (key(sim->heads[i].at_ns, sim->heads[i].seq) <
		    key(sim->heads[first].at_ns, sim->heads[first].seq))
			first = i;
	sim->first_fifo = first;
	sim->first_head = sim->heads[first];
}

/* What was put into an empty queue has the latest turn: of equal times it is never first. */
static void show_new_head(struct sim *sim, unsigned index, uint64_t at_ns, uint64_t seq)
{
	sim->heads[index] = (struct sim_head){ at_ns, seq };
	if (at_ns >= sim->first_head.at_ns)
		return;
	sim->first_fifo = index;
	sim->first_head = sim->heads[index];
}

static void show_next_head(struct sim *sim, const struct sim_fifo *fifo)
{
	const struct sim_item *head = item_at(fifo, fifo->head);
	bool is_empty = fifo->head == fifo->tail;

	sim->heads[fifo->index] = (struct sim_head){ is_empty ? UINT64_MAX : head->at_ns, head->seq };
	find_first(sim);
}

void sim_fifo_put(struct sim *sim, struct sim_fifo *fifo, uint64_t at_ns, void *item)
{
	assert(at_ns >= sim->now_ns);
	if (fifo->tail - fifo->head == fifo->capacity)
		grow(fifo);
	assert(fifo->head == fifo->tail || item_at(fifo, fifo->tail - 1)->at_ns <= at_ns);
	if (fifo->head == fifo->tail)
		show_new_head(sim, fifo->index, at_ns, sim->next_seq);
	*item_at(fifo, fifo->tail++) = (struct sim_item){ at_ns, sim->next_seq++, item };
}

void sim_fifo_clear(struct sim *sim, struct sim_fifo *fifo)
{
	if (fifo->head == fifo->tail)
		return;
	fifo->head = fifo->tail;
	show_next_head(sim, fifo);
}

static void step_fifo(struct sim *sim, struct sim_fifo *fifo)
{
	const struct sim_item *head = item_at(fifo, fifo->head);
	void *item = head->item;

	sim->now_ns = head->at_ns;
	fifo->head++;
	show_next_head(sim, fifo);
	fifo->fire(sim, fifo->context, item);
}

static void step_heap(struct sim *sim)
{
	struct event *event = sim->heap[0].event;

	sim->now_ns = event->at_ns;
	remove_at(sim, 0);
	event->fire(sim, event);
}

bool sim_step_until(struct sim *sim, uint64_t until_ns)
{
	const struct sim_head *head = &sim->first_head;
	bool from_heap = sim->count && key(sim->heap[0].at_ns, sim->heap[0].seq) <
					       key(head->at_ns, head->seq);
	uint64_t at_ns = from_heap ? sim->heap[0].at_ns : head->at_ns;

	if (at_ns > until_ns || at_ns == UINT64_MAX)
		return false;
	sim->fired++;
	if (from_heap)
		step_heap(sim);
	else
		step_fifo(sim, sim->fifos[sim->first_fifo]);
	return true;
}

void sim_step(struct sim *sim)
{
	bool fired = sim_step_until(sim, UINT64_MAX);

	assert(fired);
}
