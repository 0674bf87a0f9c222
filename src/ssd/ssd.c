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

static const char *check_map(const struct ssd *ssd)
{
	uint32_t mapped = 0;

	for (uint32_t unit = 0; unit < ssd->user_units + ssd->map_units; unit++) {
		uint32_t place = ssd->l2p[unit];

		if (place == UNIT_NONE)
			continue;
		if (is_buffered(place))
			return "a settled drive has units in its buffer";
		if (ssd->p2l[place] != unit)
			return "a mapped place does not know the unit that is mapped to it";
		mapped++;
	}
	return mapped == ssd->mapped_units ? NULL : "the count of mapped units is wrong";
}

static const char *check_superblock(const struct ssd *ssd, uint32_t index, uint32_t used)
{
	const struct superblock *superblock = &ssd->superblocks[index];
	uint32_t first = index * ssd->superblock_units, valid = 0;

	for (uint32_t i = first; i < first + used; i++)
		valid += ssd->p2l[i] != UNIT_NONE && ssd->l2p[ssd->p2l[i]] == i;
	return valid == superblock->valid ? NULL : "a superblock's count of valid units is wrong";
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

static const char *check_superblocks(const struct ssd *ssd)
{
	uint64_t valid = 0, free_count = 0;

	for (uint32_t i = 0; i < ssd->superblock_count; i++) {
		uint32_t used = units_used(ssd, i);
		const char *broken;

		if (used == UINT32_MAX)
			return "an open superblock belongs to no stream";
		broken = check_superblock(ssd, i, used);
		if (broken)
			return broken;
		valid += ssd->superblocks[i].valid;
		free_count += ssd->superblocks[i].state == SB_FREE;
	}
	if (free_count != ssd->free_count)
		return "the count of free superblocks is wrong";
	return valid == ssd->mapped_units ? NULL : "valid units are not the mapped ones";
}

const char *ssd_broken_law(const struct ssd *ssd)
{
	const struct ssd_counters *count = &ssd->count;
	const char *broken = check_map(ssd);

	if (!broken)
		broken = check_superblocks(ssd);
	if (!broken && count->host_units + count->copied_units + count->map_units +
			       count->padded_units !=
			       count->programs * ssd->program_units +
				       count->slc_programs * ssd->group_units)
		broken = "host, copied, map and padded units are not the programmed ones";
	return broken;
}
