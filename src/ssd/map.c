/* map.c - which logical unit lies where, and which superblocks are free. */
#include "ssd/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/fail.h"

/* Large tables come from fresh pages: untouched ones cost nothing, and huge ones fewer TLB misses. */
static void *table_new(size_t bytes)
{
	void *table = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (table == MAP_FAILED) {
		fprintf(stderr, "drivebay: out of memory: a map of %zu bytes\n", bytes);
		exit(1);
	}
	madvise(table, bytes, MADV_HUGEPAGE);
	return table;
}

static size_t l2p_bytes(const struct ssd *ssd)
{
	return ((size_t)ssd->user_units + ssd->map_units) * sizeof(*ssd->l2p);
}

static size_t p2l_bytes(const struct ssd *ssd)
{
	return (size_t)ssd->total_units * sizeof(*ssd->p2l);
}

static size_t done_words(const struct ssd *ssd)
{
	return ((size_t)ssd->superblock_count * ssd->superblock_programs + 63) / 64;
}

static void release_all(struct ssd *ssd);

void map_init(struct ssd *ssd)
{
	ssd->l2p = table_new(l2p_bytes(ssd));
	ssd->p2l = table_new(p2l_bytes(ssd));
	ssd->done = xcalloc(done_words(ssd), sizeof(*ssd->done));
	ssd->superblocks = xcalloc(ssd->superblock_count, sizeof(*ssd->superblocks));
	release_all(ssd);
}

void map_free(struct ssd *ssd)
{
	munmap(ssd->l2p, l2p_bytes(ssd));
	munmap(ssd->p2l, p2l_bytes(ssd));
	free(ssd->done);
	free(ssd->superblocks);
}

static void list_append(struct ssd *ssd, uint32_t *first, uint32_t *last, uint32_t index)
{
	ssd->superblocks[index].next = UNIT_NONE;
	ssd->superblocks[index].previous = *first == UNIT_NONE ? UNIT_NONE : *last;
	if (*first == UNIT_NONE)
		*first = index;
	else
		ssd->superblocks[*last].next = index;
	*last = index;
}

/* All its blocks, at once and for nothing. */
static void erase(struct ssd *ssd, uint32_t index)
{
	for (uint32_t die = 0; ssd->wears && die < ssd->drive->dies; die++)
		wear_erased(ssd, index, die);
	ssd->count.erases += ssd->drive->dies;
	if (++ssd->superblocks[index].erase_count > ssd->count.erase_most)
		ssd->count.erase_most = ssd->superblocks[index].erase_count;
}

void map_unmap_all(struct ssd *ssd)
{
	memset(ssd->l2p, 0xff, l2p_bytes(ssd));
}

void map_format(struct ssd *ssd)
{
	map_unmap_all(ssd);
	release_all(ssd);
}

/* Every superblock is erased. */
static void release_all(struct ssd *ssd)
{
	memset(ssd->done, 0, done_words(ssd) * sizeof(*ssd->done));
	ssd->mapped_units = 0;
	ssd->free_first = ssd->free_last = UNIT_NONE;
	ssd->closed_first = ssd->closed_last = UNIT_NONE;
	ssd->free_count = 0;
	ssd->slc_count = ssd->slc_closed = 0;
	ssd->tired = 0;
	if (ssd->wears)
		memset(ssd->lost, 0, wear_lost_bytes(ssd));
	ssd->lost_count = 0;
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		ssd->points[i] = (struct write_point){ .superblock = UNIT_NONE };
	for (uint32_t i = 0; i < ssd->superblock_count; i++) {
		struct superblock *superblock = &ssd->superblocks[i];

		if (superblock->state != SB_FREE && superblock->state != SB_SPARE)
			erase(ssd, i);
		*superblock = (struct superblock){ .state = SB_SPARE,
						   .erase_count = superblock->erase_count,
						   .broken = superblock->broken,
						   .given_up = superblock->given_up };
		if (i < ssd->usable_superblocks && !superblock->given_up)
			map_release(ssd, i);
	}
}

static void append_closed(struct ssd *ssd, uint32_t index)
{
	ssd->superblocks[index].closed_at = ++ssd->closings;
	list_append(ssd, &ssd->closed_first, &ssd->closed_last, index);
}

void map_close_again(struct ssd *ssd, uint32_t index)
{
	struct superblock *superblock = &ssd->superblocks[index];

	superblock->state = SB_CLOSED;
	ssd->slc_count += superblock->slc;
	ssd->slc_closed += superblock->slc;
	append_closed(ssd, index);
}

void map_release(struct ssd *ssd, uint32_t index)
{
	struct superblock *superblock = &ssd->superblocks[index];

	assert(superblock->valid == 0);
	superblock->state = SB_FREE;
	superblock->slc = false;
	superblock->programs_done = 0;
	superblock->reads = 0;
	superblock->refreshed = false;
	list_append(ssd, &ssd->free_first, &ssd->free_last, index);
	ssd->free_count++;
}

static uint32_t take_free(struct ssd *ssd)
{
	uint32_t index = ssd->free_first;

	/* The reserve must be enough: see gc_init(). */
	assert(ssd->free_count > 0);
	assert(index != UNIT_NONE);
	ssd->free_first = ssd->superblocks[index].next;
	ssd->free_count--;
	return index;
}

static void open_superblock(struct ssd *ssd, struct write_point *point, bool slc)
{
	uint32_t index = take_free(ssd);
	size_t first = (size_t)index * ssd->superblock_programs;

	for (size_t i = first; i < first + ssd->superblock_programs; i++)
		ssd->done[i / 64] &= ~(1ull << (i % 64));
	ssd->superblocks[index].state = SB_OPEN;
	ssd->superblocks[index].written_ns = (int64_t)ssd->sim->now_ns;
	if (slc) {
		ssd->superblocks[index].slc = true;
		ssd->slc_count++;
		/* The places that are passed over. */
		memset(&ssd->p2l[(size_t)index * ssd->superblock_units], 0xff,
		       ssd->superblock_units * sizeof(*ssd->p2l));
	}
	point->superblock = index;
	point->used = 0;
}

static void close_superblock(struct ssd *ssd, struct write_point *point)
{
	ssd->superblocks[point->superblock].state = SB_CLOSED;
	ssd->slc_closed += ssd->superblocks[point->superblock].slc;
	append_closed(ssd, point->superblock);
	point->superblock = UNIT_NONE;
}

/* Of an SLC program, which has but one. */
static bool group_is_full(const struct ssd *ssd, uint32_t used)
{
	return used - divide(used, ssd->by_program) * ssd->program_units == ssd->group_units;
}

uint32_t map_place(struct ssd *ssd, unsigned stream, const struct placed *placed)
{
	struct write_point *point = &ssd->points[stream];
	struct superblock *superblock;
	uint32_t physical;

	if (point->superblock == UNIT_NONE)
		open_superblock(ssd, point, stream == STREAM_SLC);
	superblock = &ssd->superblocks[point->superblock];
	physical = point->superblock * ssd->superblock_units + point->used++;
	ssd->p2l[physical] = placed->unit;
	if (ssd->generation)
		ssd->generation[physical] = placed->generation;
	if (placed->unit != UNIT_NONE) {
		ssd->l2p[placed->unit] = physical;
		superblock->valid++;
	}
	if (stream == STREAM_SLC && group_is_full(ssd, point->used))
		point->used += ssd->program_units - ssd->group_units;
	if (point->used == ssd->superblock_units)
		close_superblock(ssd, point);
	return physical;
}

bool map_in_flash(const struct ssd *ssd, uint32_t physical)
{
	uint32_t program;

	/* Of most superblocks one look tells, at a table that is small enough for the cache. */
	if (ssd->superblocks[superblock_of(ssd, physical)].programs_done == ssd->superblock_programs)
		return true;
	program = divide(physical, ssd->by_program);
	return ssd->done[program / 64] >> (program % 64) & 1;
}

void map_set_in_flash(struct ssd *ssd, uint32_t physical)
{
	uint32_t program = divide(physical, ssd->by_program);

	ssd->done[program / 64] |= 1ull << (program % 64);
	ssd->superblocks[superblock_of(ssd, physical)].programs_done++;
}

void map_unmap(struct ssd *ssd, uint32_t unit)
{
	uint32_t place = ssd->l2p[unit];

	if (place == UNIT_NONE)
		return;
	if (ssd->lost_count)
		wear_found(ssd, unit);
	if (is_buffered(place)) {
		buffer_forget(ssd, place - UNIT_BUFFERED);
	} else {
		struct superblock *superblock = &ssd->superblocks[superblock_of(ssd, place)];

		assert(superblock->valid > 0);
		superblock->valid--;
	}
	ssd->l2p[unit] = UNIT_NONE;
	ssd->mapped_units--;
}

uint64_t map_free_units(const struct ssd *ssd)
{
	uint64_t units = (uint64_t)ssd->free_count * ssd->superblock_units;

	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (i != STREAM_SLC && ssd->points[i].superblock != UNIT_NONE)
			units += ssd->superblock_units - ssd->points[i].used;
	return units;
}
