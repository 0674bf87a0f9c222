/* test_sim.c - virtual time: order, ties, cancelling, queues. */
#include "tap.h"

#include <stdlib.h>

#include "base/rng.h"
#include "io.h"
#include "sim/sim.h"

enum { EVENTS = 500 };

struct probe {
	struct event event;
	int number;
};

static int order[EVENTS * 2], fired;

static void note(struct sim *sim, struct event *event)
{
	(void)sim;
	order[fired++] = container_of(event, struct probe, event)->number;
}

static void note_item(struct sim *sim, void *context, void *item)
{
	(void)sim;
	(void)context;
	order[fired++] = ((struct probe *)item)->number;
}

static struct probe *probes(int count)
{
	static struct probe list[EVENTS];

	fired = 0;
	for (int i = 0; i < count; i++)
		list[i] = (struct probe){ .event.fire = note, .number = i };
	return list;
}

TEST(events_of_one_instant_fire_in_the_order_in_which_they_were_scheduled)
{
	struct probe *list = probes(3);
	struct sim sim;

	sim_init(&sim);
	sim_at(&sim, &list[2].event, 7);
	sim_at(&sim, &list[0].event, 7);
	sim_at(&sim, &list[1].event, 7);
	while (sim_next_ns(&sim) != UINT64_MAX)
		sim_step(&sim);
	check_equal(order[0], 2);
	check_equal(order[1], 0);
	check_equal(order[2], 1);
	check_equal(sim.now_ns, 7);
	sim_free(&sim);
}

TEST(a_queue_and_the_heap_share_one_order)
{
	struct probe *list = probes(4);
	struct sim_fifo fifo;
	struct sim sim;

	sim_init(&sim);
	sim_fifo_init(&sim, &fifo, note_item, NULL);
	sim_at(&sim, &list[1].event, 5);
	sim_fifo_put(&sim, &fifo, 5, &list[2]);
	sim_at(&sim, &list[3].event, 5);
	sim_fifo_put(&sim, &fifo, 6, &list[0]);
	check_equal(sim_next_ns(&sim), 5);
	while (sim_next_ns(&sim) != UINT64_MAX)
		sim_step(&sim);
	check_equal(order[0], 1);
	check_equal(order[1], 2);
	check_equal(order[2], 3);
	check_equal(order[3], 0);
	sim_fifo_free(&fifo);
	sim_free(&sim);
}

TEST(a_queue_that_outgrows_its_ring_keeps_its_order)
{
	struct probe *list = probes(EVENTS);
	struct sim_fifo fifo;
	struct sim sim;

	sim_init(&sim);
	sim_fifo_init(&sim, &fifo, note_item, NULL);
	for (int i = 0; i < 100; i++)
		sim_fifo_put(&sim, &fifo, (uint64_t)i, &list[i]);
	for (int i = 0; i < 50; i++)
		sim_step(&sim);
	for (int i = 100; i < EVENTS; i++)
		sim_fifo_put(&sim, &fifo, (uint64_t)i, &list[i]);
	while (sim_next_ns(&sim) != UINT64_MAX)
		sim_step(&sim);
	check_equal(fired, EVENTS);
	for (int i = 0; i < EVENTS; i++)
		check_equal(order[i], i);
	sim_fifo_free(&fifo);
	sim_free(&sim);
}

static const struct probe *sorted;

static int by_time_then_turn(const void *a, const void *b)
{
	const struct event *x = &sorted[*(const int *)a].event, *y = &sorted[*(const int *)b].event;

	if (x->at_ns != y->at_ns)
		return x->at_ns < y->at_ns ? -1 : 1;
	return x->seq < y->seq ? -1 : 1;
}

/* The oracle: what a sort of the same events gives. */
TEST(random_events_some_taken_back_fire_as_a_sort_would_order_them)
{
	struct rng rng = rng_stream(1, "test");

	for (int round = 0; round < 50; round++) {
		struct probe *list = probes(EVENTS);
		int expected[EVENTS], count = 0;
		struct sim sim;

		sim_init(&sim);
		for (int i = 0; i < EVENTS; i++)
			sim_at(&sim, &list[i].event, rng_below(&rng, 100));
		for (int i = 0; i < EVENTS; i++) {
			if (rng_below(&rng, 3) == 0)
				sim_cancel(&sim, &list[i].event);
			else
				expected[count++] = i;
		}
		sorted = list;
		qsort(expected, (size_t)count, sizeof(int), by_time_then_turn);
		while (sim_next_ns(&sim) != UINT64_MAX)
			sim_step(&sim);
		check_equal(fired, count);
		for (int i = 0; i < count; i++)
			check_equal(order[i], expected[i]);
		sim_free(&sim);
	}
}

TEST(an_event_that_is_due_later_stays)
{
	struct probe *list = probes(2);
	struct sim_fifo fifo;
	struct sim sim;

	sim_init(&sim);
	sim_fifo_init(&sim, &fifo, note_item, NULL);
	check(!sim_step_until(&sim, UINT64_MAX));
	sim_at(&sim, &list[0].event, 5);
	sim_fifo_put(&sim, &fifo, 9, &list[1]);
	check(!sim_step_until(&sim, 4));
	check(sim_step_until(&sim, 5));
	check(!sim_step_until(&sim, 8));
	check_equal(sim.now_ns, 5);
	check(sim_step_until(&sim, 9));
	check(!sim_step_until(&sim, UINT64_MAX));
	check_equal(fired, 2);
	check_equal(sim.now_ns, 9);
	sim_fifo_free(&fifo);
	sim_free(&sim);
}

/* The queues' items carry the time and turn that a sort needs. */
static void put(struct sim *sim, struct sim_fifo *fifo, uint64_t *last_ns, uint64_t delay_ns,
		struct probe *probe)
{
	uint64_t at_ns = sim->now_ns + delay_ns;

	if (at_ns < *last_ns)
		at_ns = *last_ns;
	*last_ns = probe->event.at_ns = at_ns;
	probe->event.seq = sim->next_seq;
	sim_fifo_put(sim, fifo, at_ns, probe);
}

/* Putting and firing in turns, so that queues run empty and fill again. */
TEST(several_queues_and_the_heap_fire_as_a_sort_would_order_them)
{
	struct rng rng = rng_stream(2, "test");

	for (int round = 0; round < 50; round++) {
		struct probe *list = probes(EVENTS);
		struct sim_fifo fifos[SIM_FIFOS];
		uint64_t last_ns[SIM_FIFOS] = { 0 };
		int expected[EVENTS];
		struct sim sim;

		sim_init(&sim);
		for (int i = 0; i < SIM_FIFOS; i++)
			sim_fifo_init(&sim, &fifos[i], note_item, NULL);
		for (int i = 0; i < EVENTS; i++) {
			unsigned way = (unsigned)rng_below(&rng, SIM_FIFOS + 2);

			if (way < SIM_FIFOS)
				put(&sim, &fifos[way], &last_ns[way], rng_below(&rng, 20), &list[i]);
			else
				sim_at(&sim, &list[i].event, sim.now_ns + rng_below(&rng, 20));
			for (uint64_t steps = rng_below(&rng, 3); steps > 0; steps--)
				sim_step_until(&sim, sim.now_ns + 10);
			expected[i] = i;
		}
		while (sim_step_until(&sim, UINT64_MAX))
			;
		sorted = list;
		qsort(expected, EVENTS, sizeof(int), by_time_then_turn);
		check_equal(fired, EVENTS);
		for (int i = 0; i < EVENTS; i++)
			check_equal(order[i], expected[i]);
		for (int i = 0; i < SIM_FIFOS; i++)
			sim_fifo_free(&fifos[i]);
		sim_free(&sim);
	}
}

int main(void)
{
	return tap_run();
}
