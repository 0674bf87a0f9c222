/* ssd.c - a drive is put together, counted, checked. */
#include "ssd/ssd.h"

#include <stdlib.h>

#include "base/fail.h"
#include "ssd/state.h"

/* Bytes per second of a lane after line coding (PCIe 1.0 and 2.0: 8b/10b, then 128b/130b;
   6.0: 242 of 256 bytes of a flit). */
static uint64_t lane_bytes_per_s(uint64_t generation)
{
	static const uint64_t rates[] = { 250000000, 500000000, 984615384, 1969230769,
					  3938461538, 7562500000 };

	assert(generation >= 1);
	assert(generation <= sizeof(rates) / sizeof(rates[0]));
	return rates[generation - 1];
}

static uint64_t transfer_ns(uint64_t bytes, uint64_t bytes_per_s)
{
	return (bytes * 1000000000u + bytes_per_s / 2) / bytes_per_s;
}

static void set_geometry(struct ssd *ssd)
{
	const struct drive *drive = ssd->drive;
	uint64_t page_units = drive->page_bytes / UNIT_BYTES;
	uint64_t block_programs = drive->pages_per_block / drive->pages_per_program;

	ssd->page_units = (uint32_t)page_units;
	ssd->group_units = (uint32_t)(page_units * drive->planes);
	ssd->program_units = ssd->group_units * (uint32_t)drive->pages_per_program;
	ssd->superblock_programs = (uint32_t)(block_programs * drive->dies);
	ssd->superblock_units = ssd->superblock_programs * ssd->program_units;
	ssd->superblock_count = (uint32_t)drive->blocks_per_plane;
	ssd->usable_superblocks = (uint32_t)drive_superblocks_usable(drive);
	ssd->total_units = ssd->superblock_count * ssd->superblock_units;
	ssd->user_units = (uint32_t)((drive->user_bytes + UNIT_BYTES - 1) / UNIT_BYTES);
	ssd->map_units = (uint32_t)(drive_map_pages(drive) * drive->map_page_bytes / UNIT_BYTES);
	ssd->by_page = divider_of(ssd->page_units);
	ssd->by_group = divider_of(ssd->group_units);
	ssd->by_program = divider_of(ssd->program_units);
	ssd->by_superblock = divider_of(ssd->superblock_units);
	ssd->by_die = divider_of((uint32_t)drive->dies);
	assert((uint64_t)ssd->superblock_count * ssd->superblock_units <= UNIT_BUFFERED);
}

static void set_timings(struct ssd *ssd)
{
	const struct drive *drive = ssd->drive;

	ssd->unit_transfer_ns = transfer_ns(UNIT_BYTES, drive->channel_bytes_per_s);
	ssd->page_transfer_ns = transfer_ns(drive->page_bytes, drive->channel_bytes_per_s);
	ssd->host_unit_ns = transfer_ns(UNIT_BYTES, drive->write_bytes_per_s);
	ssd->link_bytes_per_s = lane_bytes_per_s(drive->link_generation) * drive->link_lanes / 1000 *
				drive->link_payload_millipercent / 100;
}

uint64_t ssd_memory_bytes(const struct drive *drive)
{
	uint64_t user_units = (drive->user_bytes + UNIT_BYTES - 1) / UNIT_BYTES;

	user_units += drive_map_pages(drive) * drive->map_page_bytes / UNIT_BYTES;
	return sizeof(uint32_t) * (user_units + drive_raw_bytes(drive) / UNIT_BYTES) + user_units / 8;
}

struct ssd *ssd_new_blank(const struct drive *drive, struct sim *sim, uint64_t seed)
{
	struct ssd *ssd = xcalloc(1, sizeof(*ssd));

	ssd->drive = drive;
	ssd->sim = sim;
	set_geometry(ssd);
	set_timings(ssd);
	slc_init(ssd);
	rest_init(ssd);
	map_init(ssd);
	wear_init(ssd);
	mapcache_init(ssd);
	nand_init(ssd);
	gc_init(ssd, seed);
	buffer_init(ssd);
	host_init(ssd);
	heat_init(ssd);
	return ssd;
}

struct ssd *ssd_new(const struct drive *drive, struct sim *sim, uint64_t seed)
{
	struct ssd *ssd = ssd_new_blank(drive, sim, seed);

	map_unmap_all(ssd);
	return ssd;
}

void ssd_free(struct ssd *ssd)
{
	if (!ssd)
		return;
	host_free(ssd);
	buffer_free(ssd);
	gc_free(ssd);
	nand_free(ssd);
	mapcache_free(ssd);
	wear_free(ssd);
	free(ssd->generation);
	map_free(ssd);
	while (ssd->chunks) {
		struct chunk *chunk = ssd->chunks;

		ssd->chunks = chunk->next;
		free(chunk);
	}
	free(ssd);
}

void *ssd_chunk(struct ssd *ssd, size_t count, size_t bytes)
{
	struct chunk *chunk = xcalloc(1, sizeof(*chunk) + count * bytes);

	chunk->next = ssd->chunks;
	ssd->chunks = chunk;
	return chunk->memory;
}

static void run_out(struct ssd *ssd)
{
	while (sim_next_ns(ssd->sim) != UINT64_MAX)
		sim_step(ssd->sim);
}

void ssd_wind_down(struct ssd *ssd)
{
	rest_settle(ssd);
	run_out(ssd);
	for (;;) {
		ssd->draining = true;
		write_engine_run(ssd);
		ssd->draining = false;
		if (sim_next_ns(ssd->sim) == UINT64_MAX)
			break;
		run_out(ssd);
	}
	assert(ssd->buffer_used == 0);
	assert(ssd->oldest_flying == ssd->program_number);
	assert(ssd->gc_under_way == 0);
	assert(ssd->retirement_count == 0);
}

void ssd_settle(struct ssd *ssd)
{
	assert(ssd->outstanding == 0);
	ssd_wind_down(ssd);
}

void ssd_format(struct ssd *ssd)
{
	ssd_settle(ssd);
	map_format(ssd);
	mapcache_format(ssd);
	ssd->scan_victim = UNIT_NONE;
	ssd->unretired = 0;
	ssd->victim_credit = 0;
	ssd->gc_credit = 0;
	ssd->gc_turn_left = 0;
}

/* What is booked beyond the present was not served yet; up to then the server is busy throughout. */
static uint64_t served_ns(const struct ssd *ssd, const struct server *server)
{
	uint64_t now_ns = ssd->sim->now_ns;

	return server->busy_ns - (server->free_ns > now_ns ? server->free_ns - now_ns : 0);
}

void ssd_count(const struct ssd *ssd, struct ssd_counters *out)
{
	const struct drive *drive = ssd->drive;
	uint64_t dies_ns = 0, channels_ns = 0;
	struct heat heat = heat_now(ssd);

	for (uint32_t i = 0; i < drive->dies; i++) {
		const struct die *die = &ssd->dies[i];

		dies_ns += die->busy_ns;
		if (die->state != DIE_IDLE)
			dies_ns += ssd->sim->now_ns - die->busy_since_ns;
	}
	for (uint32_t i = 0; i < drive->channels; i++)
		channels_ns += served_ns(ssd, &ssd->channels[i]);
	*out = ssd->count;
	out->temperature_millicelsius = ssd->draws && heat.microcelsius > 0 ?
						(uint64_t)heat.microcelsius / 1000 : 0;
	out->throttled_ns = heat.throttled_ns;
	out->energy_mj = heat.energy_nj / 1000000;
	out->used_millipercent = wear_used_millipercent(ssd);
	out->spare_millipercent = wear_spare_millipercent(ssd);
	out->mapped_units = ssd->mapped_units - ssd->map_units_stored;
	out->dies_ns = dies_ns / drive->dies;
	out->channels_ns = channels_ns / drive->channels;
	out->read_engine_ns = served_ns(ssd, &ssd->read_engine);
	out->write_engine_ns = served_ns(ssd, &ssd->write_engine);
	out->link_read_ns = served_ns(ssd, &ssd->link_read);
	out->link_write_ns = served_ns(ssd, &ssd->link_write);
}

/* ---- the laws ---- */

enum {
	AHEAD_UNITS = 24,    /* a table far larger than the caches is asked for so long before */
	FOLLOWED_SHARE = 61, /* of a drive with more units than all of which are followed */
};

#define FOLLOWED_MAX (1u << 26)

static bool has_place(const struct ssd *ssd, uint32_t unit)
{
	return is_place(ssd->l2p[unit]);
}

/*
 * Does the place of each unit know it? Then no two units have the same. Of a drive beyond FOLLOWED_MAX
 * one unit of FOLLOWED_SHARE is asked, others each time.
 */
static const char *check_back_pointers(const struct ssd *ssd)
{
	uint32_t units = ssd->user_units + ssd->map_units;
	uint32_t step = units > FOLLOWED_MAX ? FOLLOWED_SHARE : 1;
	uint64_t first = step > 1 ? ssd->program_number % step : 0;

	for (uint64_t unit = first; unit < units; unit += step) {
		uint64_t ahead = unit + (uint64_t)AHEAD_UNITS * step;

		if (ahead < units && has_place(ssd, (uint32_t)ahead))
			__builtin_prefetch(&ssd->p2l[ssd->l2p[ahead]]);
		if (has_place(ssd, (uint32_t)unit) && ssd->p2l[ssd->l2p[unit]] != unit)
			return "a mapped place does not know the unit that is mapped to it";
	}
	return NULL;
}

static uint32_t units_used(const struct ssd *ssd, uint32_t index)
{
	switch (ssd->superblocks[index].state) {
	case SB_FREE:
	case SB_SPARE:
	case SB_ERASING:
		return 0;
	case SB_CLOSED:
	case SB_VICTIM:
		return ssd->superblock_units;
	case SB_OPEN:
		break;
	}
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (ssd->points[i].superblock == index)
			return ssd->points[i].used;
	return UINT32_MAX;
}

/* Of each superblock: how many units the map has in it, and how many it may have at most. */
struct tally {
	uint32_t valid, used;
};

static const char *tally_map(const struct ssd *ssd, struct tally *tallies)
{
	uint32_t mapped = 0;

	for (uint32_t unit = 0; unit < ssd->user_units + ssd->map_units; unit++) {
		uint32_t place = ssd->l2p[unit];
		uint32_t superblock;

		if (place == UNIT_NONE)
			continue;
		if (is_buffered(place))
			return "a settled drive has units in its buffer";
		if (place >= ssd->total_units)
			return "a unit is mapped to a place beyond the flash";
		superblock = superblock_of(ssd, place);
		if (place - superblock * ssd->superblock_units >= tallies[superblock].used)
			return "a unit is mapped to a place that was not written";
		tallies[superblock].valid++;
		mapped++;
	}
	return mapped == ssd->mapped_units ? NULL : "the count of mapped units is wrong";
}

static const char *check_superblocks(const struct ssd *ssd, struct tally *tallies)
{
	uint64_t free_count = 0;
	const char *broken;

	for (uint32_t i = 0; i < ssd->superblock_count; i++) {
		tallies[i].used = units_used(ssd, i);
		if (tallies[i].used == UINT32_MAX)
			return "an open superblock belongs to no stream";
		free_count += ssd->superblocks[i].state == SB_FREE;
	}
	if (free_count != ssd->free_count)
		return "the count of free superblocks is wrong";
	broken = tally_map(ssd, tallies);
	for (uint32_t i = 0; !broken && i < ssd->superblock_count; i++)
		if (tallies[i].valid != ssd->superblocks[i].valid)
			broken = "a superblock's count of valid units is wrong";
	return broken;
}

static const char *check_map(const struct ssd *ssd)
{
	struct tally *tallies = xcalloc(ssd->superblock_count, sizeof(*tallies));
	const char *broken = check_superblocks(ssd, tallies);

	free(tallies);
	return broken ? broken : check_back_pointers(ssd);
}

const char *ssd_broken_law(const struct ssd *ssd)
{
	const struct ssd_counters *count = &ssd->count;
	const char *broken = check_map(ssd);

	if (!broken && count->host_units + count->copied_units + count->map_units +
			       count->padded_units !=
			       count->programs * ssd->program_units +
				       count->slc_programs * ssd->group_units)
		broken = "host, copied, map and padded units are not the programmed ones";
	return broken;
}
