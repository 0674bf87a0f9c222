/*
 * age.c - a large drive in the state of a small one.
 *
 * The small drive is the large one divided (drive_scale()): superblocks of fewer programs, fewer of
 * them, and the same dies. What cleaning comes to depends on the valid shares of superblocks and on
 * their ages, which are the same in both; so the large one is put together from copies of the small.
 *
 * Logical space goes by chunks of CHUNK_UNITS: a chunk of the small drive stands for as many that lie
 * one after another in the large one. Within a chunk all is as it was, so that what was written
 * together, in requests whose size does not depend on that of the drive, lies together again; and each
 * region is as hot or cold as it was. The map of a drive without DRAM goes by its pages in the same way.
 *
 * Physical space is a tape, one superblock of the large drive behind the other. It is cut into pieces
 * of the size of a small superblock, and each of these fills as many pieces as its share is: a piece
 * for each copy of what it holds, and now and then one more, since the large drive keeps a smaller part
 * of itself free. Then the copies of a chunk leave out one piece each, not all the same one. Small
 * superblocks follow one another by their valid units, so that where pieces of two share a large one
 * they are of a kind. Superblocks of the SLC cache are a tape of their own.
 *
 * Either table is written in its own order, from the other drive's: the large ones are far larger than
 * any cache of the processor, and must not be gone through at random.
 *
 * What does not come out even, fractions of a chunk and copies that found no piece (of an open
 * superblock say, which becomes a full one whose rest is stale), is put where something stale lies.
 */
#include "ssd/ssd.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "ssd/state.h"

enum {
	CHUNK_UNITS = 256,  /* 1 MiB: more than most requests */
	CHUNKS_MIN = 64,    /* of a tiny drive: smaller ones rather than fewer */
};

#define UNIT_HOMELESS UNIT_BUFFERED /* in l2p while it is made: mapped, and still without a place */

/* A range of logical units, cut into chunks. */
struct region {
	uint32_t first_small, first, chunk_units;
	uint32_t chunks_small, chunks;
	uint32_t units_small, units; /* what is behind the last chunk included */
};

/* The copies of one chunk of the small drive are the chunks [first, first + count). */
struct copies {
	uint32_t first, count;
};

enum { TAPE_HOST, TAPE_SLC, TAPES };

struct tape {
	uint32_t first_superblock, superblocks; /* of the large drive */
	uint32_t open_units;                    /* of one more, which is open and not full */
	uint32_t sources;                       /* small superblocks on it */
	uint32_t pieces;
	uint32_t *source;                       /* by valid units */
};

/* Where a small superblock went. */
struct spread {
	uint32_t first_place; /* of its first piece */
	uint32_t pieces;
	uint32_t kind;        /* index into enlarge.pieces[] */
};

enum { KINDS = 2 * TAPES };

struct enlarge {
	struct ssd *ssd;
	const struct ssd *small;
	struct region regions[2];    /* of the host, of the map */
	struct tape tapes[TAPES];
	struct spread *spreads;      /* of each superblock of the small drive */
	uint32_t pieces[KINDS];      /* the numbers of pieces that spreads have */
	uint32_t kinds;
	uint32_t homeless;
};

static uint32_t scaled(uint64_t value, uint64_t by, uint64_t of)
{
	return (uint32_t)((unsigned __int128)value * by / of);
}

/* ---- logical space ---- */

static struct region region_of(uint32_t first_small, uint32_t units_small, uint32_t first, uint32_t units,
			       uint32_t chunk_units)
{
	return (struct region){
		.first_small = first_small, .first = first, .chunk_units = chunk_units,
		.units_small = units_small, .units = units,
		.chunks_small = units_small / chunk_units, .chunks = units / chunk_units,
	};
}

static void cut_space(struct enlarge *it)
{
	const struct ssd *small = it->small, *ssd = it->ssd;
	uint32_t chunk = CHUNK_UNITS;

	while (chunk > 1 && small->user_units / chunk < CHUNKS_MIN)
		chunk /= 2;
	it->regions[0] = region_of(0, small->user_units, 0, ssd->user_units, chunk);
	it->regions[1] = region_of(small->user_units, small->map_units, ssd->user_units, ssd->map_units,
				   small->map_units ? small->map_page_units : 1);
}

static struct copies copies_of(const struct region *region, uint32_t chunk_small)
{
	uint64_t of = region->chunks_small, chunks = region->chunks;
	uint32_t first = (uint32_t)((chunk_small * chunks + of - 1) / of);
	uint32_t next = (uint32_t)(((chunk_small + 1) * chunks + of - 1) / of);

	return (struct copies){ first, next - first };
}

static uint32_t original_of(const struct region *region, uint32_t chunk)
{
	return scaled(chunk, region->chunks_small, region->chunks);
}

/*
 * Which of `pieces` has copy `copy` of `count`, and the other way round: evenly, and each chunk
 * begins elsewhere. UNIT_NONE: none.
 */
static uint32_t piece_of(uint32_t copy, uint32_t count, uint32_t pieces, uint32_t chunk_small)
{
	uint64_t piece;

	if (count <= pieces)
		piece = ((copy + 1) * (uint64_t)pieces + count - 1) / count - 1;
	else
		piece = ((uint64_t)copy * pieces + count - 1) / count;
	if (piece >= pieces || (count > pieces && piece * count / pieces != copy))
		return UNIT_NONE;
	return (uint32_t)((piece + pieces - chunk_small % pieces) % pieces);
}

static uint32_t copy_on(uint32_t piece, uint32_t count, uint32_t pieces, uint32_t chunk_small)
{
	uint64_t at = (piece + (uint64_t)chunk_small % pieces) % pieces;
	uint32_t copy = (uint32_t)(at * count / pieces);

	if (count <= pieces && (at + 1) * count / pieces == copy)
		return UNIT_NONE;
	return copy;
}

/* ---- physical space ---- */

static bool has_content(const struct superblock *superblock)
{
	return superblock->state == SB_CLOSED || superblock->state == SB_VICTIM ||
	       superblock->state == SB_OPEN;
}

static const struct ssd *sorted; /* of qsort(), which knows no context */

static int by_valid(const void *a, const void *b)
{
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct superblock *x = &sorted->superblocks[i], *y = &sorted->superblocks[k];

	if (x->valid != y->valid)
		return x->valid < y->valid ? -1 : 1;
	if (x->closed_at != y->closed_at)
		return x->closed_at < y->closed_at ? -1 : 1;
	return i < k ? -1 : i > k;
}

static void collect_sources(struct enlarge *it)
{
	const struct ssd *small = it->small;

	for (unsigned t = 0; t < TAPES; t++)
		it->tapes[t].source = xcalloc(small->superblock_count, sizeof(uint32_t));
	for (uint32_t i = 0; i < small->superblock_count; i++) {
		const struct superblock *superblock = &small->superblocks[i];
		struct tape *tape = &it->tapes[superblock->slc ? TAPE_SLC : TAPE_HOST];

		if (has_content(superblock))
			tape->source[tape->sources++] = i;
	}
	sorted = small;
	for (unsigned t = 0; t < TAPES; t++)
		qsort(it->tapes[t].source, it->tapes[t].sources, sizeof(uint32_t), by_valid);
}

/* Superblocks that the cache takes: room for all copies, as far as the drive has so many. */
static uint32_t slc_superblocks(const struct enlarge *it)
{
	const struct ssd *ssd = it->ssd, *small = it->small;
	uint64_t units = (uint64_t)it->tapes[TAPE_SLC].sources * small->superblock_units;
	uint64_t count = (units * ssd->user_units / small->user_units + ssd->superblock_units - 1) /
			 ssd->superblock_units;
	uint32_t most = ssd->slc_static + ssd->slc_dynamic;

	return count < most ? (uint32_t)count : most;
}

/* Effective free units beyond those at which cleaning begins. */
static int64_t beyond_cleaning(const struct ssd *ssd)
{
	return (int64_t)(map_free_units(ssd) + ssd->victim_credit) - (int64_t)slc_kept_units(ssd) -
	       (int64_t)(ssd->gc_low + ssd->gc_range);
}

/*
 * Where cleaning kept space free, it keeps as many superblocks free as it does at this size; where
 * there was more than that, the same share of the drive is in use.
 */
static uint32_t superblocks_in_use(const struct enlarge *it, uint32_t slc, uint32_t *open_units)
{
	struct ssd *ssd = it->ssd;
	const struct ssd *small = it->small;
	uint64_t kept = ssd->slc_static > slc ? ssd->slc_static - slc : 0;
	uint64_t free_units = ssd->gc_low + ssd->gc_range + kept * ssd->superblock_units;
	uint64_t free_count = (free_units + ssd->superblock_units - 1) / ssd->superblock_units;
	uint32_t most = free_count < ssd->free_count ? ssd->free_count - (uint32_t)free_count : 0;
	uint64_t used = 0;

	*open_units = 0;
	if (beyond_cleaning(small) <= 2 * (int64_t)small->superblock_units) {
		/* Free to the unit, or the first writes would find a superblock of gigabytes. */
		if (most)
			*open_units = (uint32_t)(free_count * ssd->superblock_units - free_units) /
				      ssd->program_units * ssd->program_units;
		return most;
	}
	for (uint32_t i = 0; i < small->superblock_count; i++)
		used += has_content(&small->superblocks[i]);
	used = (used * small->superblock_units * ssd->user_units / small->user_units +
		ssd->superblock_units - 1) / ssd->superblock_units;
	return used < most ? (uint32_t)used : most;
}

static uint32_t kind_of(struct enlarge *it, uint32_t pieces)
{
	uint32_t kind = 0;

	while (kind < it->kinds && it->pieces[kind] != pieces)
		kind++;
	if (kind == it->kinds) {
		assert(kind < KINDS);
		it->pieces[it->kinds++] = pieces;
	}
	return kind;
}

/* The first piece of the small superblock that stands at `index` on the tape. */
static uint32_t first_piece(const struct tape *tape, uint32_t index)
{
	return (uint32_t)(((uint64_t)index * tape->pieces + tape->sources - 1) / tape->sources);
}

static void spread_sources(struct enlarge *it, struct tape *tape)
{
	const struct ssd *small = it->small, *ssd = it->ssd;

	tape->pieces = (uint32_t)(((uint64_t)tape->superblocks * ssd->superblock_units + tape->open_units) /
				  small->superblock_units);
	for (uint32_t i = 0; i < tape->sources; i++) {
		uint32_t first = first_piece(tape, i);
		struct spread *spread = &it->spreads[tape->source[i]];

		spread->first_place = tape->first_superblock * ssd->superblock_units +
				      first * small->superblock_units;
		spread->pieces = first_piece(tape, i + 1) - first;
		spread->kind = kind_of(it, spread->pieces);
	}
}

static void cut_tapes(struct enlarge *it)
{
	uint32_t slc, all;

	collect_sources(it);
	slc = slc_superblocks(it);
	all = superblocks_in_use(it, slc, &it->tapes[TAPE_HOST].open_units);
	if (slc > all)
		slc = all;
	it->tapes[TAPE_HOST].superblocks = all - slc;
	it->tapes[TAPE_SLC].first_superblock = all - slc + (it->tapes[TAPE_HOST].open_units > 0);
	it->tapes[TAPE_SLC].superblocks = slc;
	it->spreads = xcalloc(it->small->superblock_count, sizeof(*it->spreads));
	for (unsigned t = 0; t < TAPES; t++)
		spread_sources(it, &it->tapes[t]);
}

/* ---- the tables ---- */

/* For copy `copy` of a chunk: the piece it is on, for each number of pieces that there is. */
static void places_of_copy(const struct enlarge *it, uint32_t chunk_small, uint32_t copy, uint32_t count,
			   uint32_t places[static KINDS])
{
	for (uint32_t kind = 0; kind < it->kinds; kind++) {
		uint32_t piece = it->pieces[kind] ?
				 piece_of(copy, count, it->pieces[kind], chunk_small) : UNIT_NONE;

		places[kind] = piece == UNIT_NONE ? UNIT_NONE : piece * it->small->superblock_units;
	}
}

static void map_chunk(struct enlarge *it, const struct region *region, uint32_t chunk)
{
	const struct ssd *small = it->small;
	uint32_t original = original_of(region, chunk), places[KINDS];
	struct copies copies = copies_of(region, original);
	const uint32_t *from = &small->l2p[region->first_small + original * region->chunk_units];
	uint32_t *to = &it->ssd->l2p[region->first + chunk * region->chunk_units];

	places_of_copy(it, original, chunk - copies.first, copies.count, places);
	for (uint32_t i = 0; i < region->chunk_units; i++) {
		uint32_t superblock, place;

		to[i] = UNIT_NONE;
		if (from[i] == UNIT_NONE)
			continue;
		it->ssd->mapped_units++;
		superblock = superblock_of(small, from[i]);
		place = places[it->spreads[superblock].kind];
		if (place == UNIT_NONE) {
			to[i] = UNIT_HOMELESS;
			it->homeless++;
			continue;
		}
		to[i] = it->spreads[superblock].first_place + place +
			(from[i] - superblock * small->superblock_units);
	}
}

/* What is behind the last chunk is as the last unit of the small drive is. */
static void map_rest(struct enlarge *it, const struct region *region)
{
	bool is_mapped = region->units_small &&
			 it->small->l2p[region->first_small + region->units_small - 1] != UNIT_NONE;

	for (uint32_t i = region->chunks * region->chunk_units; i < region->units; i++) {
		it->ssd->l2p[region->first + i] = is_mapped ? UNIT_HOMELESS : UNIT_NONE;
		it->ssd->mapped_units += is_mapped;
		it->homeless += is_mapped;
	}
}

static void make_l2p(struct enlarge *it)
{
	for (unsigned r = 0; r < 2; r++) {
		uint32_t before = it->ssd->mapped_units;

		for (uint32_t chunk = 0; chunk < it->regions[r].chunks; chunk++)
			map_chunk(it, &it->regions[r], chunk);
		map_rest(it, &it->regions[r]);
		if (r == 1)
			it->ssd->map_units_stored = it->ssd->mapped_units - before;
	}
}

/* A place of a small superblock, as its pieces need it. */
struct cell {
	uint32_t unit;  /* its copy 0 on the large drive; UNIT_NONE: stale */
	uint32_t turn;  /* of its chunk, modulo the pieces */
	uint32_t row;   /* of the offsets */
};

/*
 * By region and number of copies, of which there are two in a region, and by piece: how far from copy
 * 0 the unit is whose copy is there. A division for each place of a large drive would take long.
 */
struct offsets {
	struct row {
		const struct region *region;
		uint32_t count;
	} rows[4];
	uint32_t row_count, pieces;
	uint32_t *of[4];
};

static uint32_t row_of(struct offsets *offsets, const struct region *region, uint32_t count)
{
	uint32_t row = 0;

	while (row < offsets->row_count &&
	       (offsets->rows[row].region != region || offsets->rows[row].count != count))
		row++;
	if (row < offsets->row_count)
		return row;
	assert(row < 4);
	offsets->rows[offsets->row_count++] = (struct row){ region, count };
	for (uint32_t piece = 0; piece < offsets->pieces; piece++) {
		uint32_t copy = copy_on(piece, count, offsets->pieces, 0);

		offsets->of[row][piece] = copy == UNIT_NONE ? UNIT_NONE : copy * region->chunk_units;
	}
	return row;
}

static struct cell cell_of(const struct enlarge *it, struct offsets *offsets, uint32_t place)
{
	const struct ssd *small = it->small;
	uint32_t unit = small->p2l[place], chunk;
	const struct region *region;
	struct copies copies;

	if (unit == UNIT_NONE || small->l2p[unit] != place)
		return (struct cell){ UNIT_NONE, 0, 0 };
	region = &it->regions[unit >= small->user_units];
	unit -= region->first_small;
	chunk = unit / region->chunk_units;
	if (chunk >= region->chunks_small)
		return (struct cell){ UNIT_NONE, 0, 0 };
	copies = copies_of(region, chunk);
	return (struct cell){
		.unit = region->first + copies.first * region->chunk_units + unit % region->chunk_units,
		.turn = chunk % offsets->pieces,
		.row = row_of(offsets, region, copies.count),
	};
}

static uint32_t unit_on(const struct cell *cell, const struct offsets *offsets, uint32_t piece)
{
	uint32_t at = piece + cell->turn, offset;

	if (cell->unit == UNIT_NONE)
		return UNIT_NONE;
	offset = offsets->of[cell->row][at < offsets->pieces ? at : at - offsets->pieces];
	return offset == UNIT_NONE ? UNIT_NONE : cell->unit + offset;
}

/* A piece may end in another superblock than it begins in. */
static void fill_piece(struct ssd *ssd, uint32_t first, uint32_t units, const struct cell *cells,
		       const struct offsets *offsets, uint32_t piece)
{
	for (uint32_t i = 0; i < units;) {
		uint32_t superblock = superblock_of(ssd, first + i), valid = 0;
		uint32_t end = (superblock + 1) * ssd->superblock_units - first;

		for (; i < units && i < end; i++) {
			uint32_t unit = unit_on(&cells[i], offsets, piece);

			ssd->p2l[first + i] = unit;
			valid += unit != UNIT_NONE;
		}
		ssd->superblocks[superblock].valid += valid;
	}
}

static void fill_pieces(struct enlarge *it, uint32_t source, struct cell *cells)
{
	const struct spread *spread = &it->spreads[source];
	uint32_t units = it->small->superblock_units;
	struct offsets offsets = { .pieces = spread->pieces };

	if (!spread->pieces)
		return;
	for (unsigned row = 0; row < 4; row++)
		offsets.of[row] = xcalloc(spread->pieces, sizeof(uint32_t));
	for (uint32_t i = 0; i < units; i++)
		cells[i] = cell_of(it, &offsets, source * units + i);
	for (uint32_t piece = 0; piece < spread->pieces; piece++)
		fill_piece(it->ssd, spread->first_place + piece * units, units, cells, &offsets, piece);
	for (unsigned row = 0; row < 4; row++)
		free(offsets.of[row]);
}

static void make_p2l(struct enlarge *it)
{
	struct ssd *ssd = it->ssd;
	struct cell *cells = xcalloc(it->small->superblock_units, sizeof(*cells));

	for (unsigned t = 0; t < TAPES; t++) {
		const struct tape *tape = &it->tapes[t];
		size_t filled = (size_t)tape->first_superblock * ssd->superblock_units +
				(tape->sources ? (size_t)tape->pieces * it->small->superblock_units : 0);
		size_t end = (size_t)(tape->first_superblock + tape->superblocks) * ssd->superblock_units +
			     tape->open_units;

		for (uint32_t i = 0; i < tape->sources; i++)
			fill_pieces(it, tape->source[i], cells);
		memset(&ssd->p2l[filled], 0xff, (end - filled) * sizeof(*ssd->p2l));
	}
	free(cells);
}

static void *make_p2l_aside(void *context)
{
	make_p2l(context);
	return NULL;
}

/* By two threads, of which neither looks at what the other writes. */
static void make_tables(struct enlarge *it)
{
	pthread_t aside;
	bool helped = pthread_create(&aside, NULL, make_p2l_aside, it) == 0;

	make_l2p(it);
	if (helped)
		pthread_join(aside, NULL);
	else
		make_p2l(it);
}

/* Of one after another, so that none is filled before the others. */
static uint32_t stale_place(struct enlarge *it, uint32_t *cursors, uint32_t *turn)
{
	struct ssd *ssd = it->ssd;
	uint32_t count = it->tapes[TAPE_HOST].superblocks;

	for (uint32_t tries = 0; tries < count; tries++) {
		uint32_t superblock = (*turn)++ % count;
		uint32_t *cursor = &cursors[superblock];

		for (; *cursor < ssd->superblock_units; (*cursor)++)
			if (ssd->p2l[(size_t)superblock * ssd->superblock_units + *cursor] == UNIT_NONE)
				return superblock * ssd->superblock_units + (*cursor)++;
	}
	return UNIT_NONE;
}

static int house_the_rest(struct enlarge *it)
{
	struct ssd *ssd = it->ssd;
	uint32_t *cursors = xcalloc(it->tapes[TAPE_HOST].superblocks, sizeof(*cursors)), turn = 0;
	int err = 0;

	for (uint32_t unit = 0; it->homeless && unit < ssd->user_units + ssd->map_units; unit++) {
		uint32_t place;

		if (ssd->l2p[unit] != UNIT_HOMELESS)
			continue;
		place = stale_place(it, cursors, &turn);
		if (place == UNIT_NONE) {
			err = fail(EINVAL, "the drive is too full to be put into this state: there is no "
				   "room for %u units", it->homeless);
			break;
		}
		ssd->l2p[unit] = place;
		ssd->p2l[place] = unit;
		ssd->superblocks[superblock_of(ssd, place)].valid++;
		it->homeless--;
	}
	free(cursors);
	return err;
}

/* ---- superblocks ---- */

/* The small superblock from which most of a large one comes. */
static uint32_t source_of(const struct enlarge *it, uint32_t superblock)
{
	const struct tape *tape = &it->tapes[superblock >= it->tapes[TAPE_SLC].first_superblock];
	uint64_t middle = (uint64_t)(superblock - tape->first_superblock) * it->ssd->superblock_units +
			  it->ssd->superblock_units / 2;
	uint32_t piece = (uint32_t)(middle / it->small->superblock_units);

	if (!tape->sources)
		return UNIT_NONE;
	if (piece >= tape->pieces)
		piece = tape->pieces - 1;
	return tape->source[scaled(piece, tape->sources, tape->pieces)];
}

/* In superblocks closed since; open ones are about to be. */
static uint32_t age_of(const struct enlarge *it, uint32_t source)
{
	const struct ssd *small = it->small;

	if (source == UNIT_NONE || small->superblocks[source].state == SB_OPEN)
		return 0;
	return scaled(small->closings - small->superblocks[source].closed_at, it->ssd->superblock_count,
		      small->superblock_count);
}

struct aged {
	uint32_t age, superblock;
};

static int oldest_first(const void *a, const void *b)
{
	const struct aged *x = a, *y = b;

	if (x->age != y->age)
		return x->age > y->age ? -1 : 1;
	return x->superblock < y->superblock ? -1 : x->superblock > y->superblock;
}

/* Takes the first erased one, which a fresh drive has in their order, and closes none yet. */
static void take_superblock(struct enlarge *it, uint32_t index, uint32_t programs)
{
	struct ssd *ssd = it->ssd;
	struct superblock *superblock = &ssd->superblocks[index];
	uint32_t source = source_of(it, index);

	assert(ssd->free_first == index);
	ssd->free_first = superblock->next;
	ssd->free_count--;
	superblock->slc = index >= it->tapes[TAPE_SLC].first_superblock;
	superblock->programs_done = programs;
	if (source != UNIT_NONE)
		superblock->erase_count = it->small->superblocks[source].erase_count;
	for (uint64_t i = 0; i < programs; i++) {
		uint64_t program = (uint64_t)index * ssd->superblock_programs + i;

		ssd->done[program / 64] |= 1ull << (program % 64);
	}
}

static void close_superblocks(struct enlarge *it)
{
	struct ssd *ssd = it->ssd;
	const struct tape *host = &it->tapes[TAPE_HOST];
	uint32_t all = it->tapes[TAPE_SLC].first_superblock + it->tapes[TAPE_SLC].superblocks, count = 0;
	struct aged *aged = xcalloc(all, sizeof(*aged));
	uint32_t oldest;

	for (uint32_t i = 0; i < all; i++) {
		if (host->open_units && i == host->superblocks) {
			take_superblock(it, i, host->open_units / ssd->program_units);
			ssd->superblocks[i].state = SB_OPEN;
			ssd->points[STREAM_HOST] = (struct write_point){ .superblock = i,
									 .used = host->open_units };
			continue;
		}
		take_superblock(it, i, ssd->superblock_programs);
		aged[count++] = (struct aged){ age_of(it, source_of(it, i)), i };
	}
	qsort(aged, count, sizeof(*aged), oldest_first);
	for (uint32_t i = 0; i < count; i++)
		map_close_again(ssd, aged[i].superblock);
	/* As old as they are, and not as if they had just been closed in this order. */
	oldest = count ? aged[0].age : 0;
	ssd->closings = oldest;
	for (uint32_t i = 0; i < count; i++)
		ssd->superblocks[aged[i].superblock].closed_at = oldest - aged[i].age;
	free(aged);
}

/* ---- the rest ---- */

/* The parts of the map in the cache are those that stand for the same units. */
static void fill_map_cache(struct enlarge *it)
{
	struct ssd *ssd = it->ssd;
	const struct ssd *small = it->small;
	uint32_t slot = 0;

	for (uint32_t i = 0; i < small->map_slots && slot < ssd->map_slots; i++) {
		/* From the hand on: what is to be replaced next comes first. */
		uint32_t from = (small->map_hand + i) % small->map_slots, part = small->slot_part[from], end;

		if (part == UNIT_NONE)
			continue;
		end = scaled(part + 1, ssd->map_parts, small->map_parts);
		for (part = scaled(part, ssd->map_parts, small->map_parts); part < end; part++) {
			if (slot == ssd->map_slots || ssd->part_slot[part] != UNIT_NONE)
				continue;
			ssd->part_slot[part] = slot;
			ssd->slot_part[slot] = part;
			ssd->slot_flags[slot++] = small->slot_flags[from];
		}
	}
	ssd->journal_entries = small->journal_entries;
}

/* As if the large drive had been written so often: whole copies, which keeps the sums right. */
static void multiply_counters(struct enlarge *it)
{
	const struct ssd *small = it->small;
	uint64_t by = (it->ssd->user_units + small->user_units / 2) / small->user_units;
	struct ssd_counters *count = &it->ssd->count;
	uint64_t *linear[] = {
		&count->host_read_bytes, &count->host_written_bytes, &count->host_units,
		&count->copied_units, &count->map_units, &count->map_reads, &count->padded_units,
		&count->flash_accesses, &count->read_units, &count->programs, &count->slc_programs,
		&count->suspends, &count->read_retries, &count->refreshed_units,
	};

	*count = small->count;
	count->bad_blocks = 0; /* the large one has its own blocks, and all of them */
	for (size_t i = 0; i < sizeof(linear) / sizeof(*linear); i++)
		*linear[i] *= by;
	count->erases = count->erases * it->ssd->superblock_count / small->superblock_count;
}

static int check_same_drive(const struct ssd *ssd, const struct ssd *small)
{
	const struct drive *a = ssd->drive, *b = small->drive;

	if (a->dies != b->dies || a->channels != b->channels || a->planes != b->planes ||
	    a->page_bytes != b->page_bytes || a->pages_per_program != b->pages_per_program ||
	    a->map_page_bytes != b->map_page_bytes || !ssd->map_units != !small->map_units)
		return fail(EINVAL, "a drive can only be put into the state of the same drive at another scale");
	/* Rounding its superblocks down can make them more than those of the large one. */
	if (ssd->user_units < small->user_units || ssd->superblock_units < small->superblock_units)
		return fail(EINVAL, "a drive can be put into the state of a smaller one, not of a larger one");
	return 0;
}

static void free_enlarge(struct enlarge *it)
{
	for (unsigned t = 0; t < TAPES; t++)
		free(it->tapes[t].source);
	free(it->spreads);
}

int ssd_enlarge(struct ssd *ssd, const struct ssd *small)
{
	struct enlarge it = { .ssd = ssd, .small = small };
	int err = check_same_drive(ssd, small);

	assert(small->outstanding == 0);
	assert(ssd->count.programs == 0);
	if (err)
		return err;
	cut_space(&it);
	cut_tapes(&it);
	make_tables(&it);
	err = house_the_rest(&it);
	if (!err) {
		close_superblocks(&it);
		if (ssd->map_units)
			fill_map_cache(&it);
		multiply_counters(&it);
		ssd_settle(ssd);
	}
	free_enlarge(&it);
	return err;
}
