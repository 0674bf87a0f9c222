/*
 * mapcache.c - the map of a drive without DRAM: most of it lies in the flash.
 *
 * The map is cut into pages of the flash; a cache in the controller's own memory, and in host
 * memory where the bed grants some, keeps those used last (second chance). A read whose page is
 * missing waits for a read of the flash. A write does not wait, but fetches the page behind the
 * host's back, and only so many at a time: after that the write engine waits. A page that was
 * changed is written when it leaves the cache. It consists of units like those of the host, with
 * numbers behind the last of these, and garbage collection moves them like any others.
 *
 * The cache goes by parts of a page, which at full size are whole ones. Those of a scaled drive
 * are smaller, cost as much as a page, and so keep hits, misses and costs what they were.
 *
 * Units that garbage collection moves change the map too. When their page is not in the cache the
 * change goes to a journal, of which a unit is written for every JOURNAL_ENTRIES.
 */
#include "ssd/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

enum {
	JOURNAL_ENTRIES = UNIT_BYTES / 8, /* which unit, and where it is now */
	LOADS_PER_DIE = 2,
};

enum { SLOT_USED = 1, SLOT_CHANGED = 2 };

/* Where the page lies, to which a part belongs, as a unit. */
static uint32_t first_unit(const struct ssd *ssd, uint32_t part)
{
	return ssd->user_units + (part >> ssd->map_page_shift) * ssd->map_page_units;
}

static bool is_cached(const struct ssd *ssd, uint32_t part)
{
	return ssd->part_slot[part] != UNIT_NONE;
}

static void write_later(struct ssd *ssd, uint32_t part)
{
	if (ssd->part_queued[part])
		return;
	ssd->part_queued[part] = true;
	ssd->map_queue[ssd->map_queue_tail++ % ssd->map_parts] = part;
}

/* A slot whose page was not used since the hand came by last. */
static uint32_t evict(struct ssd *ssd)
{
	uint32_t slot = ssd->map_hand, part;

	while (ssd->slot_flags[slot] & SLOT_USED) {
		ssd->slot_flags[slot] &= (uint8_t)~SLOT_USED;
		slot = slot + 1 == ssd->map_slots ? 0 : slot + 1;
	}
	ssd->map_hand = slot + 1 == ssd->map_slots ? 0 : slot + 1;
	part = ssd->slot_part[slot];
	if (part == UNIT_NONE)
		return slot;
	if (ssd->slot_flags[slot] & SLOT_CHANGED)
		write_later(ssd, part);
	ssd->part_slot[part] = UNIT_NONE;
	return slot;
}

/* Puts the page into the cache; where in the flash it has to be read, or UNIT_NONE: nowhere. */
static uint32_t bring(struct ssd *ssd, uint32_t part)
{
	uint32_t slot = evict(ssd), place = ssd->l2p[first_unit(ssd, part)];

	ssd->slot_part[slot] = part;
	ssd->slot_flags[slot] = SLOT_USED;
	ssd->part_slot[part] = slot;
	/* What still waits to be written did not leave the controller's memory yet. */
	if (place == UNIT_NONE || ssd->part_queued[part] || !map_in_flash(ssd, place))
		return UNIT_NONE;
	ssd->count.map_reads++;
	return place;
}

uint32_t mapcache_look_up(struct ssd *ssd, uint32_t unit)
{
	uint32_t part = unit >> ssd->map_part_shift;

	if (is_cached(ssd, part)) {
		ssd->slot_flags[ssd->part_slot[part]] |= SLOT_USED;
		return UNIT_NONE;
	}
	return bring(ssd, part);
}

bool mapcache_change(struct ssd *ssd, uint32_t unit)
{
	uint32_t part = unit >> ssd->map_part_shift;

	if (!is_cached(ssd, part)) {
		uint32_t place;

		if (ssd->map_loads >= ssd->map_loads_max)
			return false;
		place = bring(ssd, part);
		if (place != UNIT_NONE) {
			ssd->map_loads++;
			nand_read(ssd, nand_map_access(ssd, NULL, place));
		}
	}
	ssd->slot_flags[ssd->part_slot[part]] |= SLOT_USED | SLOT_CHANGED;
	return true;
}

void mapcache_moved(struct ssd *ssd, uint32_t unit)
{
	uint32_t part = unit >> ssd->map_part_shift;

	if (unit >= ssd->user_units)
		return; /* where the pages of the map are is always known */
	if (is_cached(ssd, part))
		ssd->slot_flags[ssd->part_slot[part]] |= SLOT_CHANGED;
	else
		ssd->journal_entries++;
}

void mapcache_loaded(struct ssd *ssd, struct access *access)
{
	assert(ssd->map_loads > 0);
	ssd->map_loads--;
	host_free_access(ssd, access);
	write_engine_run(ssd);
}

bool mapcache_take(struct ssd *ssd, uint32_t *unit)
{
	if (ssd->journal_entries >= JOURNAL_ENTRIES) {
		ssd->journal_entries -= JOURNAL_ENTRIES;
		*unit = UNIT_NONE;
		return true;
	}
	if (ssd->map_write_left == 0) {
		uint32_t part;

		if (ssd->map_queue_head == ssd->map_queue_tail)
			return false;
		part = ssd->map_queue[ssd->map_queue_head++ % ssd->map_parts];
		ssd->part_queued[part] = false;
		ssd->map_write_next = first_unit(ssd, part);
		ssd->map_write_left = ssd->map_page_units;
	}
	ssd->map_write_left--;
	*unit = ssd->map_write_next++;
	return true;
}

void mapcache_format(struct ssd *ssd)
{
	if (!ssd->map_units)
		return;
	memset(ssd->part_slot, 0xff, ssd->map_parts * sizeof(*ssd->part_slot));
	memset(ssd->part_queued, 0, ssd->map_parts * sizeof(*ssd->part_queued));
	memset(ssd->slot_part, 0xff, ssd->map_slots * sizeof(*ssd->slot_part));
	memset(ssd->slot_flags, 0, ssd->map_slots * sizeof(*ssd->slot_flags));
	ssd->map_queue_head = ssd->map_queue_tail = 0;
	ssd->map_hand = 0;
	ssd->journal_entries = 0;
	ssd->map_units_stored = 0;
}

void mapcache_init(struct ssd *ssd)
{
	const struct drive *drive = ssd->drive;
	uint64_t part_units = drive_map_page_units(drive), page_units = drive->map_page_bytes / MAP_ENTRY_BYTES;

	if (!ssd->map_units)
		return;
	while (1u << ssd->map_part_shift < part_units)
		ssd->map_part_shift++;
	while (part_units << ssd->map_page_shift < page_units)
		ssd->map_page_shift++;
	ssd->map_page_units = (uint32_t)(drive->map_page_bytes / UNIT_BYTES);
	ssd->map_parts = (ssd->user_units >> ssd->map_part_shift) + 1;
	ssd->map_slots = (uint32_t)drive_map_slots(drive);
	ssd->map_loads_max = (uint32_t)drive->dies * LOADS_PER_DIE;
	ssd->part_slot = xcalloc(ssd->map_parts, sizeof(*ssd->part_slot));
	ssd->part_queued = xcalloc(ssd->map_parts, sizeof(*ssd->part_queued));
	ssd->map_queue = xcalloc(ssd->map_parts, sizeof(*ssd->map_queue));
	ssd->slot_part = xcalloc(ssd->map_slots, sizeof(*ssd->slot_part));
	ssd->slot_flags = xcalloc(ssd->map_slots, sizeof(*ssd->slot_flags));
	mapcache_format(ssd);
}

void mapcache_free(struct ssd *ssd)
{
	free(ssd->part_slot);
	free(ssd->part_queued);
	free(ssd->map_queue);
	free(ssd->slot_part);
	free(ssd->slot_flags);
}
