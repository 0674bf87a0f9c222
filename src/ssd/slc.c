/*
 * slc.c - blocks written one bit a cell, as a cache in front of the others.
 *
 * A superblock of the cache is one like all others, but a program of it writes one page of all
 * planes, in a fraction of the time, and fills the first group of the places that a full program
 * would have; the rest of them stays empty. The host's units go there while there is room: up to
 * the static part always, out of spare capacity that is kept back for it; beyond that as long as
 * erased superblocks are far from running short, so that the cache shrinks as the drive fills.
 *
 * Its superblocks are emptied like any victim: when no writes came for a while, when space is short (those
 * above the static part first), and, with `fold`, while the host goes on writing past a full one.
 */
#include "ssd/state.h"

#include "base/fail.h"

static bool has_cache(const struct ssd *ssd)
{
	return ssd->slc_static + ssd->slc_dynamic > 0;
}

/* What is kept back so that the static part can be had again. */
uint64_t slc_kept_units(const struct ssd *ssd)
{
	if (ssd->slc_count >= ssd->slc_static)
		return 0;
	return (uint64_t)(ssd->slc_static - ssd->slc_count) * ssd->superblock_units;
}

static bool may_open(const struct ssd *ssd)
{
	uint64_t left;

	if (ssd->free_count == 0)
		return false;
	left = (uint64_t)(ssd->free_count - 1) * ssd->superblock_units;
	if (ssd->slc_count < ssd->slc_static)
		return left >= (GC_VICTIMS + 1) * (uint64_t)ssd->superblock_units;
	return ssd->slc_count < ssd->slc_static + ssd->slc_dynamic &&
	       left >= ssd->gc_low + ssd->gc_range + ssd->superblock_units;
}

unsigned slc_host_stream(const struct ssd *ssd)
{
	if (!has_cache(ssd))
		return STREAM_HOST;
	if (ssd->points[STREAM_SLC].superblock != UNIT_NONE || may_open(ssd))
		return STREAM_SLC;
	return STREAM_HOST;
}

bool slc_is_full(const struct ssd *ssd)
{
	return has_cache(ssd) && slc_host_stream(ssd) == STREAM_HOST;
}

/* The one that was closed first, UNIT_NONE: none that can be emptied. */
uint32_t slc_oldest(const struct ssd *ssd)
{
	for (uint32_t i = ssd->closed_first; i != UNIT_NONE; i = ssd->superblocks[i].next)
		if (ssd->superblocks[i].slc &&
		    ssd->superblocks[i].programs_done == ssd->superblock_programs)
			return i;
	return UNIT_NONE;
}

void slc_init(struct ssd *ssd)
{
	const struct drive *drive = ssd->drive;

	ssd->slc_static = (uint32_t)drive_slc_superblocks(drive, drive->slc_static_bytes);
	ssd->slc_dynamic = (uint32_t)drive_slc_superblocks(drive, drive->slc_dynamic_bytes);
}
