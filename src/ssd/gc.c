/*
 * gc.c - garbage collection: which superblock is cleaned, and how the write engine divides
 * itself between the host and what has to be moved.
 *
 * Effective free space is what can still be written plus what the victims under way stand for,
 * in proportion to the work done on them. Cleaning starts when it falls below low + range and
 * takes a growing share of the write engine; at low it takes all of it. The share finds the
 * level at which free space neither grows nor shrinks, so the host is slowed down evenly, unit
 * by unit, and never waits for a whole superblock.
 *
 * Why the reserve is enough: at most GC_VICTIMS superblocks are cleaned at a time, so effective
 * free space is at most that many superblocks above the real one. The host stops below low, a
 * superblock and more above that. A move takes one free unit and adds at least one of credit.
 */
#include "ssd/state.h"

#include <stdlib.h>

#include "base/fail.h"

static uint64_t effective_free(const struct ssd *ssd)
{
	uint64_t units = map_free_units(ssd) + ssd->victim_credit, kept = slc_kept_units(ssd);

	return units > kept ? units - kept : 0;
}

/* By the free space alone. */
static uint32_t pressure(const struct ssd *ssd)
{
	uint64_t free_units = effective_free(ssd);

	if (free_units >= ssd->gc_low + ssd->gc_range)
		return 0;
	if (free_units <= ssd->gc_low)
		return 65536;
	return (uint32_t)((ssd->gc_low + ssd->gc_range - free_units) * 65536 / ssd->gc_range);
}

/* Of the write engine for superblocks that are tired of reads: there is no hurry. */
enum { TIRED_SHARE = 8192 };

/* The SLC cache is to be emptied, as long as there is something in it. */
static uint32_t slc_share(const struct ssd *ssd)
{
	if (!ssd->slc_closed && ssd->scan_victim == UNIT_NONE && !ssd->gc_under_way)
		return 0;
	if (ssd->rests[REST_SLC].on)
		return 65536;
	return ssd->drive->slc_full == SLC_FULL_FOLD && slc_is_full(ssd) ? 32768 : 0;
}

/* Free space that cleaning ahead of need would still add to. */
static bool wants_ahead(const struct ssd *ssd)
{
	return ssd->gc_ahead && effective_free(ssd) < ssd->gc_ahead;
}

bool gc_could_clean_ahead(const struct ssd *ssd)
{
	return ssd->gc_ahead && !ssd->rests[REST_CLEAN].on && wants_ahead(ssd);
}

static bool cleans_ahead(const struct ssd *ssd)
{
	return ssd->rests[REST_CLEAN].on && wants_ahead(ssd);
}

uint32_t gc_share(const struct ssd *ssd)
{
	uint32_t share = cleans_ahead(ssd) ? 65536 : pressure(ssd), slc;

	if (ssd->tired && share < TIRED_SHARE)
		share = TIRED_SHARE;
	if (ssd->slc_static + ssd->slc_dynamic == 0)
		return share;
	slc = slc_share(ssd);
	return slc > share ? slc : share;
}

bool gc_host_may_write(const struct ssd *ssd)
{
	return effective_free(ssd) > ssd->gc_low - ssd->superblock_units / 4;
}

static bool is_settled(const struct ssd *ssd, uint32_t index)
{
	return ssd->superblocks[index].programs_done == ssd->superblock_programs;
}

/*
 * Superblocks of the SLC cache are emptied in their own order (slc_oldest()): those of its static
 * part make no space for others.
 */
static bool can_be_victim(const struct ssd *ssd, uint32_t index)
{
	return !ssd->superblocks[index].slc && is_settled(ssd, index);
}

static uint32_t oldest(const struct ssd *ssd)
{
	uint32_t index = ssd->closed_first;

	while (index != UNIT_NONE && ssd->superblocks[index].slc)
		index = ssd->superblocks[index].next;
	return index != UNIT_NONE && is_settled(ssd, index) ? index : UNIT_NONE;
}

/* The one with the fewest valid units; of equal ones the oldest. Never one that is all valid. */
static uint32_t emptiest(const struct ssd *ssd)
{
	uint32_t least = ssd->superblock_units, found = UNIT_NONE;

	for (uint32_t i = ssd->closed_first; i != UNIT_NONE; i = ssd->superblocks[i].next) {
		if (ssd->superblocks[i].valid >= least || !can_be_victim(ssd, i))
			continue;
		least = ssd->superblocks[i].valid;
		found = i;
	}
	return found;
}

/*
 * The emptiest of `choices` that are drawn (d-choices: Van Houdt 2013). Draws that hit a
 * superblock which cannot be a victim do not count; where there are hardly any others, or all
 * that were drawn are full of valid units, the emptiest of all is taken.
 */
static uint32_t emptiest_of_sample(struct ssd *ssd)
{
	uint32_t least = ssd->superblock_units, found = UNIT_NONE;
	uint64_t tries = 16 * ssd->drive->gc_choices, seen = 0;

	while (tries-- && seen < ssd->drive->gc_choices) {
		uint32_t i = (uint32_t)rng_below(&ssd->gc_rng, ssd->usable_superblocks);

		if (ssd->superblocks[i].state != SB_CLOSED || !can_be_victim(ssd, i))
			continue;
		seen++;
		if (ssd->superblocks[i].valid >= least)
			continue;
		least = ssd->superblocks[i].valid;
		found = i;
	}
	return found != UNIT_NONE ? found : emptiest(ssd);
}

static void closed_remove(struct ssd *ssd, uint32_t index)
{
	struct superblock *superblock = &ssd->superblocks[index];

	if (superblock->previous == UNIT_NONE)
		ssd->closed_first = superblock->next;
	else
		ssd->superblocks[superblock->previous].next = superblock->next;
	if (superblock->next == UNIT_NONE)
		ssd->closed_last = superblock->previous;
	else
		ssd->superblocks[superblock->next].previous = superblock->previous;
}

/* What a superblock promises by cost and benefit: the older and the emptier the better. */
static uint64_t promise(const struct ssd *ssd, const struct superblock *superblock)
{
	uint64_t age = ssd->closings - superblock->closed_at + 1;

	return age * (ssd->superblock_units - superblock->valid) / (2 * (uint64_t)superblock->valid + 1);
}

/*
 * (1 - u) / 2u times the age, which is counted in superblocks closed since (Rosenblum and Ousterhout
 * 1992; Kawaguchi et al. 1995): cold data are moved while they still fill much of their block, and hot
 * ones are given the time to be overwritten.
 */
static uint32_t most_promising(const struct ssd *ssd)
{
	uint64_t most = 0;
	uint32_t found = UNIT_NONE;

	for (uint32_t i = ssd->closed_first; i != UNIT_NONE; i = ssd->superblocks[i].next) {
		uint64_t is;

		if (ssd->superblocks[i].valid == ssd->superblock_units || !can_be_victim(ssd, i))
			continue;
		is = promise(ssd, &ssd->superblocks[i]);
		if (found != UNIT_NONE && is <= most)
			continue;
		most = is;
		found = i;
	}
	return found;
}

/*
 * Whatever the policy: when the host has to stop, the victim is the one that gives most. Its gain
 * is at least that of an average superblock, and drive_check() sees to it that this is more than
 * what padding a program can cost: there is always a way forward.
 */
static uint32_t choose_by_policy(struct ssd *ssd)
{
	if (!gc_host_may_write(ssd))
		return emptiest(ssd);
	switch ((enum gc_policy)ssd->drive->gc_policy) {
	case GC_GREEDY:
		return emptiest(ssd);
	case GC_FIFO:
		return oldest(ssd);
	case GC_SAMPLED:
		return emptiest_of_sample(ssd);
	case GC_COST_BENEFIT:
		return most_promising(ssd);
	}
	abort();
}

/* Space that costs more than seven copies a unit is left until it is needed. */
static uint32_t choose_ahead(struct ssd *ssd)
{
	uint32_t index = emptiest(ssd);

	if (index != UNIT_NONE && ssd->superblocks[index].valid > ssd->superblock_units / 8 * 7)
		return UNIT_NONE;
	return index;
}

static uint32_t choose_victim(struct ssd *ssd)
{
	uint32_t index = UNIT_NONE;

	if (ssd->slc_closed && (slc_share(ssd) || ssd->slc_count > ssd->slc_static))
		index = slc_oldest(ssd);
	if (index == UNIT_NONE && ssd->wears && gc_host_may_write(ssd))
		index = wear_victim(ssd);
	if (index == UNIT_NONE && pressure(ssd))
		index = choose_by_policy(ssd);
	else if (index == UNIT_NONE && cleans_ahead(ssd))
		index = choose_ahead(ssd);
	return index;
}

static uint32_t take_victim(struct ssd *ssd)
{
	uint32_t index = choose_victim(ssd);

	if (index == UNIT_NONE)
		return index;
	closed_remove(ssd, index);
	if (ssd->superblocks[index].slc) {
		ssd->slc_count--;
		ssd->slc_closed--;
	}
	return index;
}

static void update_credit(struct ssd *ssd, struct superblock *victim)
{
	uint32_t moved = victim->gc_start_valid - victim->valid;
	uint32_t credit = ssd->superblock_units;

	if (victim->gc_start_valid)
		credit = (uint32_t)((uint64_t)moved * ssd->superblock_units / victim->gc_start_valid);
	ssd->victim_credit += credit;
	ssd->victim_credit -= victim->gc_credit;
	victim->gc_credit = credit;
}

static void retire_if_moved(struct ssd *ssd, uint32_t index)
{
	struct superblock *victim = &ssd->superblocks[index];
	bool open = ssd->points[ssd->gc_stream].program != NULL;

	if (!victim->gc_scanned || victim->gc_pending)
		return;
	assert(victim->valid == 0);
	wear_moved(ssd, victim);
	update_credit(ssd, victim);
	assert(ssd->retirement_count < GC_VICTIMS);
	ssd->retirements[ssd->retirement_count++] = (struct retirement){
		.barrier = open ? UINT64_MAX : ssd->program_number,
		.superblock = index,
	};
	gc_programs_done(ssd);
}

void gc_program_filled(struct ssd *ssd, unsigned stream)
{
	if (stream != ssd->gc_stream)
		return;
	for (uint32_t i = 0; i < ssd->retirement_count; i++)
		if (ssd->retirements[i].barrier == UINT64_MAX)
			ssd->retirements[i].barrier = ssd->program_number;
}

/* Its copies are in the flash, and so is whatever replaced something in it. */
static bool can_be_erased(const struct ssd *ssd, const struct retirement *retirement)
{
	return retirement->barrier <= ssd->oldest_flying &&
	       !ssd->superblocks[retirement->superblock].held;
}

bool gc_waits_for_host(const struct ssd *ssd)
{
	return ssd->keeps_before && ssd->retirement_count &&
	       ssd->retirements[0].barrier <= ssd->oldest_flying &&
	       ssd->superblocks[ssd->retirements[0].superblock].held;
}

bool gc_waits_for_buffer(const struct ssd *ssd)
{
	return gc_waits_for_host(ssd) && buffer_holds(ssd, ssd->retirements[0].superblock);
}

void gc_programs_done(struct ssd *ssd)
{
	while (ssd->retirement_count && can_be_erased(ssd, &ssd->retirements[0])) {
		uint32_t index = ssd->retirements[0].superblock;

		ssd->retirement_count--;
		for (uint32_t i = 0; i < ssd->retirement_count; i++)
			ssd->retirements[i] = ssd->retirements[i + 1];
		ssd->superblocks[index].state = SB_ERASING;
		nand_erase(ssd, index);
	}
}

void gc_erase_done(struct ssd *ssd, uint32_t index)
{
	struct superblock *superblock = &ssd->superblocks[index];
	bool keeps;

	if (--superblock->erases_left)
		return;
	superblock->erase_count++;
	if (superblock->erase_count > ssd->count.erase_most)
		ssd->count.erase_most = superblock->erase_count;
	keeps = !ssd->wears || wear_keeps(ssd, index); /* while it still counts as free */
	ssd->victim_credit -= superblock->gc_credit;
	superblock->gc_credit = 0;
	ssd->unretired--;
	if (keeps)
		map_release(ssd, index);
	write_engine_run(ssd);
}

bool gc_waits_for_open_program(const struct ssd *ssd)
{
	if (!ssd->retirement_count || ssd->retirements[0].barrier != UINT64_MAX)
		return false;
	if (ssd->unretired < GC_VICTIMS || ssd->scan_victim != UNIT_NONE || ssd->gc_under_way)
		return false;
	/* With shared streams the host will fill it, unless it may not write or rests. */
	return gc_share(ssd) && (ssd->gc_stream != STREAM_HOST || !gc_host_may_write(ssd) ||
				 ssd->rests[REST_SLC].on || ssd->rests[REST_CLEAN].on);
}

/* ---- reading what has to be moved ---- */

static bool is_valid(const struct ssd *ssd, uint32_t physical)
{
	uint32_t unit = ssd->p2l[physical];

	return unit != UNIT_NONE && ssd->l2p[unit] == physical;
}

static bool begin_victim(struct ssd *ssd)
{
	struct superblock *victim;

	if (ssd->unretired == GC_VICTIMS)
		return false;
	ssd->scan_victim = take_victim(ssd);
	if (ssd->scan_victim == UNIT_NONE)
		return false;
	ssd->unretired++;
	ssd->scan_group = 0;
	victim = &ssd->superblocks[ssd->scan_victim];
	victim->state = SB_VICTIM;
	victim->gc_start_valid = victim->valid;
	victim->gc_pending = 0;
	victim->gc_scanned = false;
	victim->gc_credit = 0;
	return true;
}

static void read_group(struct ssd *ssd, struct superblock *victim, uint32_t group)
{
	uint32_t first = group * ssd->group_units, valid = 0;
	struct access *access;

	for (uint32_t i = 0; i < ssd->group_units; i++)
		valid += is_valid(ssd, first + i);
	if (!valid)
		return;
	victim->gc_pending++;
	ssd->gc_under_way += valid;
	access = host_new_access(ssd);
	*access = (struct access){
		.die = die_of(ssd, first),
		.units = valid,
		.group = group,
		.sense = (uint16_t)nand_sense_of(ssd, first),
	};
	nand_read(ssd, access);
}

static void scan_one_group(struct ssd *ssd)
{
	uint32_t index = ssd->scan_victim, groups = ssd->superblock_units / ssd->group_units;
	struct superblock *victim = &ssd->superblocks[index];

	if (victim->valid)
		read_group(ssd, victim, index * groups + ssd->scan_group++);
	if (victim->valid && ssd->scan_group < groups)
		return;
	victim->gc_scanned = true;
	ssd->scan_victim = UNIT_NONE;
	retire_if_moved(ssd, index);
}

/* Units that may be under way: few when it is only for superblocks that are tired. */
static uint32_t window(const struct ssd *ssd)
{
	return ssd->tired && gc_share(ssd) == TIRED_SHARE ? ssd->program_units : ssd->gc_window;
}

void gc_read_ahead(struct ssd *ssd)
{
	if (ssd->cut && ssd->keeps_before)
		return; /* there is no power for it */
	while (ssd->gc_under_way < window(ssd) && gc_share(ssd)) {
		if (ssd->scan_victim == UNIT_NONE && !begin_victim(ssd))
			return;
		scan_one_group(ssd);
	}
}

void gc_forget(struct ssd *ssd)
{
	ssd->unretired = 0;
	ssd->victim_credit = 0;
	for (uint32_t i = 0; i < ssd->superblock_count; i++) {
		struct superblock *superblock = &ssd->superblocks[i];

		if (superblock->state == SB_ERASING) {
			ssd->unretired++;
			ssd->victim_credit += superblock->gc_credit;
		} else if (superblock->state == SB_VICTIM) {
			superblock->gc_credit = 0;
			superblock->gc_pending = 0;
			map_close_again(ssd, i);
		}
	}
	ssd->scan_victim = UNIT_NONE;
	ssd->retirement_count = 0;
	ssd->gc_under_way = 0;
	ssd->gc_turn_left = 0;
	ssd->ready_head = ssd->ready_tail;
}

void gc_access_done(struct ssd *ssd, struct access *access)
{
	uint32_t first = access->group * ssd->group_units, valid = 0;
	uint32_t index = superblock_of(ssd, first);

	if (ssd->cut && ssd->keeps_before) {
		host_free_access(ssd, access); /* of what gc_forget() forgot */
		return;
	}
	for (uint32_t i = 0; i < ssd->group_units; i++) {
		if (!is_valid(ssd, first + i))
			continue;
		valid++;
		assert(ssd->ready_tail - ssd->ready_head < ssd->ready_count);
		ssd->ready_units[ssd->ready_tail++ & (ssd->ready_count - 1)] = first + i;
		if (access->is_lost && ssd->p2l[first + i] < ssd->user_units)
			wear_lose(ssd, ssd->p2l[first + i]);
	}
	ssd->gc_under_way -= access->units - valid;
	ssd->superblocks[index].gc_pending += valid;
	ssd->superblocks[index].gc_pending--;
	host_free_access(ssd, access);
	retire_if_moved(ssd, index);
	write_engine_run(ssd);
}

static void move(struct ssd *ssd, uint32_t physical)
{
	struct placed placed = {
		.unit = ssd->p2l[physical],
		.before = physical,
		.generation = ssd->generation ? ssd->generation[physical] : 0,
	};

	buffer_hold(ssd, physical);
	write_engine_take(ssd, ssd->gc_stream, &placed, ssd->drive->copy_unit_ns);
	if (ssd->map_units)
		mapcache_moved(ssd, placed.unit);
}

bool gc_move_one(struct ssd *ssd)
{
	while (ssd->ready_head != ssd->ready_tail) {
		uint32_t physical = ssd->ready_units[ssd->ready_head++ & (ssd->ready_count - 1)];
		uint32_t index = superblock_of(ssd, physical);
		struct superblock *victim = &ssd->superblocks[index];
		bool valid = is_valid(ssd, physical);

		victim->gc_pending--;
		ssd->gc_under_way--;
		if (valid) {
			assert(victim->valid > 0);
			victim->valid--;
			update_credit(ssd, victim);
			move(ssd, physical);
			ssd->count.copied_units++;
			ssd->count.refreshed_units += victim->refreshed;
		}
		retire_if_moved(ssd, index);
		if (valid)
			return true;
	}
	return false;
}

void gc_init(struct ssd *ssd, uint64_t seed)
{
	uint64_t superblock = ssd->superblock_units;

	ssd->gc_stream = ssd->drive->gc_streams == GC_STREAMS_SEPARATE ? STREAM_GC : STREAM_HOST;
	ssd->gc_low = (GC_VICTIMS + 1) * superblock;
	if (ssd->gc_stream == STREAM_GC)
		ssd->gc_low += superblock; /* the rest of one stream's block is no use to the other */
	if (ssd->wears)
		ssd->gc_low += superblock; /* one may turn out to be bad */
	/* Changed pages that reads may push out of the cache. */
	ssd->gc_low += drive_map_reserve_units(ssd->drive);
	ssd->gc_low += drive_held_units(ssd->drive); /* go on when superblocks are held for them */
	ssd->gc_range = superblock / 2;
	if (ssd->drive->idle_free_millipercent)
		ssd->gc_ahead = ssd->gc_low + ssd->gc_range +
				ssd->total_units * (uint64_t)ssd->drive->idle_free_millipercent / 100000;
	ssd->gc_window = (uint32_t)ssd->drive->dies * ssd->group_units * 2;
	ssd->ready_count = 1;
	while (ssd->ready_count < ssd->gc_window + ssd->group_units)
		ssd->ready_count *= 2;
	ssd->ready_units = xcalloc(ssd->ready_count, sizeof(*ssd->ready_units));
	ssd->erase_ring = GC_VICTIMS + 1;
	ssd->erases = xcalloc(ssd->erase_ring, sizeof(*ssd->erases));
	ssd->scan_victim = UNIT_NONE;
	ssd->gc_rng = rng_stream(seed, "gc");
}

void gc_free(struct ssd *ssd)
{
	free(ssd->ready_units);
	free(ssd->erases);
}
