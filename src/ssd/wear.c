/*
 * wear.c - what erases, time and reads do to the flash: bit errors, retries, bad blocks, and what
 * the drive does against them.
 *
 * A page of a block is read with a share of its bits wrong: some right after it was written, more
 * the more erases its block has had (in proportion, as Luo et al. 2018 measured 3D TLC), the longer
 * ago that was (by the logarithm of the time) and the more its block has been read since. Pages
 * differ: each draws its factor by its number and its block's erases. What is more than error
 * correction takes is read again with other voltages, which leave a part of the errors, up to
 * `retries` times; after that the data are lost.
 *
 * Each block survives a number of erases of its own. Then a spare block of its die takes its place;
 * when there is none, the superblock is given up, and its other blocks are spares. When so few
 * superblocks are left that cleaning could not serve the capacity, the drive is read only.
 */
#include "ssd/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

#define HOUR_NS 3600000000000ull

/* splitmix64's last step: every bit of the outcome hangs on every bit of the number. */
static uint64_t mix(uint64_t number)
{
	number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
	number = (number ^ number >> 27) * 0x94d049bb133111eb;
	return number ^ number >> 31;
}

/*
 * Quantiles of a lognormal factor with the mean 1 and a deviation of its logarithm of 0.35, in
 * 1/1024: 64 steps, the last of them in 64, and the last of those again.
 */
enum { STEPS = 64, LEVELS = 3, ONE = 1024 };

static const uint16_t factors[LEVELS][STEPS] = {
	{ 413, 480, 520, 550, 575, 597, 617, 635, 652, 669, 684, 699, 713, 727, 741, 754, 767,
	  780, 793, 805, 818, 830, 843, 855, 868, 880, 893, 905, 918, 931, 944, 957, 970, 983,
	  997, 1011, 1025, 1039, 1054, 1069, 1085, 1101, 1117, 1134, 1152, 1170, 1189, 1209,
	  1230, 1252, 1276, 1301, 1327, 1356, 1388, 1422, 1460, 1504, 1554, 1613, 1687, 1784,
	  1931, 0 },
	{ 2049, 2054, 2058, 2063, 2068, 2073, 2077, 2082, 2088, 2093, 2098, 2103, 2109, 2114,
	  2120, 2126, 2132, 2138, 2144, 2151, 2157, 2164, 2171, 2177, 2185, 2192, 2199, 2207,
	  2215, 2223, 2232, 2240, 2249, 2259, 2268, 2278, 2288, 2299, 2310, 2321, 2333, 2346,
	  2359, 2372, 2387, 2402, 2418, 2435, 2453, 2472, 2493, 2515, 2539, 2565, 2594, 2627,
	  2663, 2705, 2754, 2813, 2887, 2987, 3141, 0 },
	{ 3266, 3271, 3276, 3281, 3286, 3291, 3297, 3302, 3308, 3313, 3319, 3325, 3331, 3337,
	  3343, 3349, 3355, 3362, 3369, 3376, 3383, 3390, 3397, 3405, 3412, 3420, 3428, 3437,
	  3445, 3454, 3463, 3473, 3483, 3493, 3503, 3514, 3525, 3537, 3549, 3561, 3574, 3588,
	  3602, 3617, 3633, 3650, 3667, 3686, 3706, 3727, 3750, 3774, 3801, 3830, 3862, 3898,
	  3939, 3985, 4040, 4106, 4189, 4301, 4474, 4854 },
};

enum { FACTOR_MOST = 4854 };

static uint32_t factor_of(uint64_t hash)
{
	for (unsigned level = 0;; level++) {
		uint32_t factor = factors[level][hash % STEPS];

		if (factor)
			return factor;
		hash /= STEPS;
	}
}

/* ---- bit errors ---- */

/* Doublings of an hour since it was written, in 1/1024, linear between them. */
static uint64_t doublings_of(uint64_t age_ns)
{
	uint64_t hours = age_ns / HOUR_NS, doublings = 0;

	if (hours == 0)
		return 0;
	while (hours >> (doublings + 1))
		doublings++;
	return doublings * 1024 + (hours - (1ull << doublings)) * 1024 / (1ull << doublings);
}

/* In 10^9 bits of a mean page of the superblock. */
static uint64_t errors_of(const struct ssd *ssd, const struct superblock *superblock)
{
	const struct drive *drive = ssd->drive;
	uint64_t cycles = drive->endurance_cycles, erases = superblock->erase_count;
	int64_t age_ns = (int64_t)ssd->sim->now_ns - superblock->written_ns;
	uint64_t doublings = doublings_of(age_ns > 0 ? (uint64_t)age_ns : 0);

	/* Charge leaks from a fresh block too, an eighth as fast as from a worn one. */
	return drive->errors_ppb + drive->errors_worn_ppb * erases / cycles +
	       drive->errors_time_ppb * doublings / 1024 * (erases + cycles / 8) / cycles +
	       drive->errors_reads_ppb * (superblock->reads / drive->dies) / 1000;
}

static uint64_t errors_of_page(const struct ssd *ssd, const struct superblock *superblock,
			       uint32_t group)
{
	uint64_t seed = (uint64_t)group << 32 | superblock->erase_count;

	return errors_of(ssd, superblock) * factor_of(mix(seed)) / ONE;
}

static bool is_read_again(struct ssd *ssd, struct access *access, uint64_t errors)
{
	for (unsigned i = 0; i < access->retries; i++)
		errors = errors * ssd->drive->retry_leaves_millipercent / 100000;
	if (errors <= ssd->drive->correctable_ppb)
		return false;
	if (access->retries == ssd->drive->retries_max) {
		access->is_lost = true;
		ssd->count.media_errors++;
		return false;
	}
	access->retries++;
	ssd->count.read_retries++;
	return true;
}

bool wear_read_again(struct ssd *ssd, struct access *access)
{
	const struct superblock *superblock =
		&ssd->superblocks[superblock_of(ssd, access->group * ssd->group_units)];

	/* One bit a cell has margin to spare; the map is kept in such blocks. */
	if (superblock->slc || access->kind == ACCESS_MAP)
		return false;
	if (errors_of(ssd, superblock) * FACTOR_MOST / ONE <= ssd->drive->correctable_ppb)
		return false;
	return is_read_again(ssd, access, errors_of_page(ssd, superblock, access->group));
}

/* ---- lost data ---- */

size_t wear_lost_bytes(const struct ssd *ssd)
{
	return ((size_t)ssd->user_units + ssd->map_units + 63) / 64 * sizeof(*ssd->lost);
}

void wear_lose(struct ssd *ssd, uint32_t unit)
{
	if (!wear_is_lost(ssd, unit))
		ssd->lost_count++;
	ssd->lost[unit / 64] |= 1ull << (unit % 64);
}

void wear_found(struct ssd *ssd, uint32_t unit)
{
	if (wear_is_lost(ssd, unit))
		ssd->lost_count--;
	ssd->lost[unit / 64] &= ~(1ull << (unit % 64));
}

/* ---- what is moved for it ---- */

static bool is_movable(const struct ssd *ssd, const struct superblock *superblock)
{
	return superblock->state == SB_CLOSED && !superblock->slc &&
	       superblock->programs_done == ssd->superblock_programs;
}

void wear_sensed(struct ssd *ssd, const struct access *access)
{
	struct superblock *superblock =
		&ssd->superblocks[superblock_of(ssd, access->group * ssd->group_units)];
	uint64_t most = ssd->drive->reads_max * ssd->drive->dies;

	superblock->reads++;
	if (!most || superblock->reads < most || superblock->tired || !is_movable(ssd, superblock))
		return;
	superblock->tired = true;
	ssd->tired++;
	ssd->tired_news = true;
}

void wear_moved(struct ssd *ssd, struct superblock *superblock)
{
	ssd->tired -= superblock->tired;
	superblock->tired = false;
}

static uint32_t first_tired(const struct ssd *ssd)
{
	for (uint32_t i = ssd->closed_first; i != UNIT_NONE; i = ssd->superblocks[i].next)
		if (ssd->superblocks[i].tired)
			return i;
	return UNIT_NONE;
}

/* The one with the fewest erases, when they are too few. */
static uint32_t too_cold(const struct ssd *ssd)
{
	uint32_t least = UINT32_MAX, found = UNIT_NONE;

	for (uint32_t i = ssd->closed_first; i != UNIT_NONE; i = ssd->superblocks[i].next) {
		const struct superblock *superblock = &ssd->superblocks[i];

		if (superblock->erase_count >= least || !is_movable(ssd, superblock))
			continue;
		least = superblock->erase_count;
		found = i;
	}
	if (found == UNIT_NONE || ssd->count.erase_most - least <= ssd->drive->leveling_erases)
		return UNIT_NONE;
	return found;
}

/* Every so many victims one may be taken for being cold: it gives no space. */
enum { COLD_EVERY = 16 };

uint32_t wear_victim(struct ssd *ssd)
{
	uint32_t index = UNIT_NONE;

	if (ssd->tired)
		index = first_tired(ssd);
	if (index == UNIT_NONE && ssd->drive->leveling_erases && ++ssd->victims % COLD_EVERY == 0)
		index = too_cold(ssd);
	if (index != UNIT_NONE)
		ssd->superblocks[index].refreshed = true;
	return index;
}

/* ---- bad blocks ---- */

static uint32_t *limit_of(const struct ssd *ssd, uint32_t superblock, uint32_t die)
{
	return &ssd->block_limits[(size_t)superblock * ssd->drive->dies + die];
}

/* Erases that a block survives; `number`: which of the drive's blocks it is. */
static uint32_t survives(const struct ssd *ssd, uint64_t number)
{
	uint64_t erases = ssd->drive->survive_erases * ONE / factor_of(mix(~number));

	return (uint32_t)(erases ? erases : 1);
}

void wear_erased(struct ssd *ssd, uint32_t index, uint32_t die)
{
	struct superblock *superblock = &ssd->superblocks[index];

	if (superblock->erase_count + 1 != *limit_of(ssd, index, die))
		return;
	ssd->count.bad_blocks++;
	superblock->broken = true;
}

static bool is_bad(const struct ssd *ssd, uint32_t index, uint32_t die)
{
	return *limit_of(ssd, index, die) <= ssd->superblocks[index].erase_count;
}

/* Spares for its bad blocks; true when it is whole again. */
static bool mend(struct ssd *ssd, uint32_t index)
{
	struct superblock *superblock = &ssd->superblocks[index];

	superblock->broken = false;
	for (uint32_t die = 0; die < ssd->drive->dies; die++) {
		if (!is_bad(ssd, index, die))
			continue;
		if (!ssd->spares[die]) {
			superblock->broken = true;
			continue;
		}
		ssd->spares[die]--;
		*limit_of(ssd, index, die) = superblock->erase_count +
			survives(ssd, (uint64_t)++ssd->spares_used << 32 | die);
	}
	return !superblock->broken;
}

static void give_up(struct ssd *ssd, uint32_t index)
{
	struct superblock *superblock = &ssd->superblocks[index];

	for (uint32_t die = 0; die < ssd->drive->dies; die++)
		ssd->spares[die] += !is_bad(ssd, index, die);
	superblock->state = SB_SPARE;
	superblock->given_up = true;
	superblock->broken = false;
	ssd->live_superblocks--;
}

/*
 * At most one superblock goes between two moments at which the host may write: gc_init() keeps one
 * more free for that. Until then a broken one is used on.
 */
bool wear_keeps(struct ssd *ssd, uint32_t index)
{
	if (!ssd->superblocks[index].broken || mend(ssd, index))
		return true;
	if (ssd->live_superblocks == ssd->least_superblocks) {
		ssd->read_only = true;
		return true;
	}
	if (!gc_host_may_write(ssd))
		return true;
	give_up(ssd, index);
	return false;
}

/* ---- where it stands ---- */

static uint64_t sum_of_spares(const struct ssd *ssd)
{
	uint64_t sum = 0;

	for (uint32_t die = 0; die < ssd->drive->dies; die++)
		sum += ssd->spares[die];
	return sum;
}

/* Blocks that may still go bad before the drive is read only. */
uint32_t wear_spare_millipercent(const struct ssd *ssd)
{
	uint64_t all, left;

	if (!ssd->wears || ssd->read_only)
		return 0;
	all = ssd->spares_new + (uint64_t)(ssd->usable_superblocks - ssd->least_superblocks) *
					ssd->drive->dies;
	left = sum_of_spares(ssd) +
	       (uint64_t)(ssd->live_superblocks - ssd->least_superblocks) * ssd->drive->dies;
	return all ? (uint32_t)(left * 100000 / all) : 0;
}

uint32_t wear_used_millipercent(const struct ssd *ssd)
{
	uint64_t erases = 0;

	if (!ssd->drive->endurance_cycles)
		return 0;
	for (uint32_t i = 0; i < ssd->usable_superblocks; i++)
		erases += ssd->superblocks[i].erase_count;
	return (uint32_t)(erases * 100000 / ssd->usable_superblocks / ssd->drive->endurance_cycles);
}

/* The erases are as if spread evenly. What broke on the way has been mended as it would have been. */
void ssd_wear(struct ssd *ssd, uint32_t used_millipercent)
{
	uint32_t erases = (uint32_t)(ssd->drive->endurance_cycles * used_millipercent / 100000);

	assert(ssd->outstanding == 0);
	assert(ssd->mapped_units == 0);
	for (uint32_t i = 0; i < ssd->usable_superblocks; i++)
		ssd->superblocks[i].erase_count = erases;
	ssd->count.erase_most = erases;
	for (uint32_t i = 0; ssd->wears && i < ssd->usable_superblocks; i++) {
		for (uint32_t die = 0; die < ssd->drive->dies; die++)
			ssd->count.bad_blocks += is_bad(ssd, i, die);
		if (mend(ssd, i))
			continue;
		if (ssd->live_superblocks > ssd->least_superblocks)
			give_up(ssd, i);
		else
			ssd->read_only = true;
	}
	map_format(ssd);
}

void ssd_shelve(struct ssd *ssd, uint64_t time_ns)
{
	for (uint32_t i = 0; i < ssd->superblock_count; i++)
		ssd->superblocks[i].written_ns -= (int64_t)time_ns;
}

static uint32_t spares_of_die(const struct ssd *ssd, uint32_t die)
{
	uint32_t spares = ssd->superblock_count - ssd->usable_superblocks, bad = 0;

	for (uint32_t i = 0; i < ssd->superblock_count; i++)
		bad += mix((uint64_t)die << 32 | i) % 100000 < ssd->drive->factory_bad_millipercent;
	return bad < spares ? spares - bad : 0;
}

void wear_init(struct ssd *ssd)
{
	const struct drive *drive = ssd->drive;

	ssd->live_superblocks = ssd->usable_superblocks;
	ssd->least_superblocks = (uint32_t)drive_superblocks_least(drive);
	ssd->wears = drive_wears(drive);
	if (!ssd->wears)
		return;
	ssd->lost = xcalloc(1, wear_lost_bytes(ssd));
	ssd->block_limits = xcalloc(ssd->superblock_count * drive->dies, sizeof(*ssd->block_limits));
	ssd->spares = xcalloc(drive->dies, sizeof(*ssd->spares));
	for (uint32_t i = 0; i < ssd->superblock_count; i++)
		for (uint32_t die = 0; die < drive->dies; die++)
			*limit_of(ssd, i, die) = survives(ssd, (uint64_t)i << 20 | die);
	for (uint32_t die = 0; die < drive->dies; die++)
		ssd->spares[die] = spares_of_die(ssd, die);
	ssd->spares_new = (uint32_t)sum_of_spares(ssd);
}

void wear_free(struct ssd *ssd)
{
	free(ssd->lost);
	free(ssd->block_limits);
	free(ssd->spares);
}
