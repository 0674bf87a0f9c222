/*
 * power.c - the power goes.
 *
 * Nothing that is outstanding gets an answer. A capacitor-backed buffer is written out on what the
 * capacitors hold, and so is all that cleaning has under way. A volatile one is lost, with the
 * programs that were not in the flash yet: each unit goes back to where the flash had it before,
 * which is why cleaning does not erase a superblock that something unwritten would go back to.
 *
 * What a program under way leaves in its places is garbage, and they stay used. A flash that was
 * being erased is erased. How the map is found again (a scan, a journal) is not modelled, nor the
 * time that takes.
 */
#include "ssd/state.h"

#include <stdlib.h>

#include "base/fail.h"

/* What the host had asked for. */
static void forget_host(struct ssd *ssd)
{
	sim_fifo_clear(ssd->sim, &ssd->arrivals);
	sim_fifo_clear(ssd->sim, &ssd->landed);
	sim_fifo_clear(ssd->sim, &ssd->sent);
	sim_fifo_clear(ssd->sim, &ssd->acknowledged);
	ssd->writes_first = ssd->flushes_first = NULL;
	ssd->writes_last = &ssd->writes_first;
	ssd->flushes_last = &ssd->flushes_first;
	ssd->outstanding = 0;
	for (const struct io *io = ssd->finished; io; io = io->next)
		ssd->outstanding++; /* these had their answer */
}

/* The program in which a place lies that is not in the flash yet. */
static const struct program *program_at(const struct ssd *ssd, uint32_t place)
{
	uint32_t first = divide(place, ssd->by_program) * ssd->program_units;

	for (uint64_t i = ssd->oldest_flying; i < ssd->program_number; i++) {
		const struct program *program = ssd->flying[i % ssd->flying_count];

		if (program && program->first_unit == first)
			return program;
	}
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (ssd->points[i].program && ssd->points[i].program->first_unit == first)
			return ssd->points[i].program;
	abort();
}

/* Where the flash has what is lost from this place: a place in the flash, or UNIT_NONE. */
static uint32_t survivor(const struct ssd *ssd, uint32_t place)
{
	while (place != UNIT_NONE) {
		if (is_buffered(place)) {
			place = ssd->slots[place - UNIT_BUFFERED].placed.before;
		} else if (!map_in_flash(ssd, place)) {
			const struct program *program = program_at(ssd, place);

			place = program->before[place - program->first_unit];
		} else {
			break;
		}
	}
	return place;
}

static bool is_lost(const struct ssd *ssd, uint32_t place)
{
	return is_buffered(place) || (is_place(place) && !map_in_flash(ssd, place));
}

/* Looks at every unit: a power cut is rare. */
static void go_back(struct ssd *ssd)
{
	for (uint32_t unit = 0; unit < ssd->user_units + ssd->map_units; unit++) {
		uint32_t place = ssd->l2p[unit], before;

		if (!is_lost(ssd, place))
			continue;
		before = survivor(ssd, place);
		if (is_place(place))
			ssd->superblocks[superblock_of(ssd, place)].valid--;
		ssd->l2p[unit] = before;
		if (before == UNIT_NONE) {
			ssd->mapped_units--;
			ssd->map_units_stored -= unit >= ssd->user_units;
			continue;
		}
		assert(ssd->p2l[before] == unit);
		ssd->superblocks[superblock_of(ssd, before)].valid++;
	}
}

/* The buffer is empty; programs under way write garbage, and hold nothing back. */
static void forget_buffer(struct ssd *ssd)
{
	for (; ssd->slot_head != ssd->slot_tail; ssd->slot_head++)
		ssd->buffer_used--;
	for (uint32_t i = 0; i < ssd->superblock_count; i++)
		ssd->superblocks[i].held = ssd->superblocks[i].held_buffered = 0;
	for (uint64_t i = ssd->oldest_flying; i < ssd->program_number; i++) {
		struct program *program = ssd->flying[i % ssd->flying_count];

		for (uint32_t k = 0; program && k < program->count; k++)
			program->before[k] = UNIT_NONE;
	}
	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		struct program *program = ssd->points[i].program;

		for (uint32_t k = 0; program && k < program->count; k++)
			program->before[k] = UNIT_NONE;
	}
}

uint64_t ssd_power_cut(struct ssd *ssd)
{
	uint64_t begin_ns = ssd->sim->now_ns;

	ssd->cut = true;
	forget_host(ssd);
	if (ssd->keeps_before) {
		go_back(ssd);
		forget_buffer(ssd);
		gc_forget(ssd);
	}
	ssd_wind_down(ssd);
	ssd->cut = false;
	ssd->count.power_cuts++;
	return ssd->sim->now_ns - begin_ns;
}

void ssd_track(struct ssd *ssd)
{
	assert(ssd->mapped_units == 0);
	ssd->generation = xcalloc(ssd->total_units, sizeof(*ssd->generation));
}

uint32_t ssd_generation(const struct ssd *ssd, uint64_t unit)
{
	uint32_t place = ssd->l2p[unit];

	if (place == UNIT_NONE)
		return 0;
	if (is_buffered(place))
		return ssd->slots[place - UNIT_BUFFERED].placed.generation;
	return ssd->generation[place];
}
