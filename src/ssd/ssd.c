/* ssd.c - a drive is put together, counted, checked, saved. */
#include "ssd/ssd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

struct ssd *ssd_new(const struct drive *drive, struct sim *sim, uint64_t seed)
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

	for (uint32_t i = 0; i < drive->dies; i++) {
		const struct die *die = &ssd->dies[i];

		dies_ns += die->busy_ns;
		if (die->state != DIE_IDLE)
			dies_ns += ssd->sim->now_ns - die->busy_since_ns;
	}
	for (uint32_t i = 0; i < drive->channels; i++)
		channels_ns += served_ns(ssd, &ssd->channels[i]);
	*out = ssd->count;
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

/* ---- at rest ---- */

struct saved {
	char magic[8];
	uint64_t now_ns;
	uint32_t user_units, total_units, superblock_count, program_units;
	uint32_t free_first, free_last, free_count, closed_first, closed_last;
	struct {
		uint32_t superblock, used;
	} points[STREAM_COUNT];
	uint32_t mapped_units, scan_victim, scan_group, unretired, gc_turn_left;
	uint32_t tired, victims, live_superblocks, spares_used, lost_count, read_only;
	uint32_t closings, slc_count, slc_closed, map_hand, journal_entries, map_units_stored;
	uint64_t last_write_ns, gc_credit, victim_credit, program_number, erase_tail;
	struct rng gc_rng;
	struct ssd_counters count;
};

static const char saved_magic[8] = "dbssd04";

/* Over all that stands before it in the file: tells a damaged state, not a forged one. */
static uint64_t checksum(uint64_t sum, const void *memory, size_t bytes)
{
	const char *at = memory;

	for (; bytes > 0; at += sizeof(uint64_t)) {
		size_t size = bytes < sizeof(uint64_t) ? bytes : sizeof(uint64_t);
		uint64_t word = 0;

		memcpy(&word, at, size);
		bytes -= size;
		sum = (sum ^ word) * 0x9e3779b97f4a7c15;
		sum ^= sum >> 32;
	}
	return sum;
}

static int write_all(int fd, const void *memory, size_t bytes)
{
	const char *at = memory;

	while (bytes) {
		ssize_t done = write(fd, at, bytes);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return fail(done ? errno : EIO, "saving the drive's state: %s",
				    strerror(done ? errno : EIO));
		at += done;
		bytes -= (size_t)done;
	}
	return 0;
}

static int read_all(int fd, void *memory, size_t bytes)
{
	char *at = memory;

	while (bytes) {
		ssize_t done = read(fd, at, bytes);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return fail(errno, "loading the drive's state: %s", strerror(errno));
		if (done == 0)
			return fail(EBADMSG, "loading the drive's state: the file ends too early");
		at += done;
		bytes -= (size_t)done;
	}
	return 0;
}

struct part {
	void *memory;
	size_t bytes;
};

enum { PARTS = 10 };

/* The tables that make up the state, in the order in which they stand in the file. */
static void parts_of(struct ssd *ssd, struct part parts[static PARTS])
{
	size_t words = ((size_t)ssd->superblock_count * ssd->superblock_programs + 63) / 64;

	parts[0] = (struct part){ ssd->superblocks,
				  ssd->superblock_count * sizeof(*ssd->superblocks) };
	parts[1] = (struct part){ ssd->done, words * sizeof(*ssd->done) };
	parts[2] = (struct part){ ssd->l2p, ((size_t)ssd->user_units + ssd->map_units) *
						    sizeof(*ssd->l2p) };
	parts[3] = (struct part){ ssd->p2l, (size_t)ssd->total_units * sizeof(*ssd->p2l) };
	parts[4] = (struct part){ ssd->part_slot, ssd->map_parts * sizeof(*ssd->part_slot) };
	parts[5] = (struct part){ ssd->slot_part, ssd->map_slots * sizeof(*ssd->slot_part) };
	parts[6] = (struct part){ ssd->slot_flags, ssd->map_slots * sizeof(*ssd->slot_flags) };
	parts[7] = (struct part){ ssd->block_limits, ssd->wears * ssd->superblock_count *
							     ssd->drive->dies * sizeof(*ssd->block_limits) };
	parts[8] = (struct part){ ssd->spares, ssd->wears * ssd->drive->dies * sizeof(*ssd->spares) };
	parts[9] = (struct part){ ssd->lost, ssd->wears * wear_lost_bytes(ssd) };
}

int ssd_save(struct ssd *ssd, int fd)
{
	struct saved saved;
	struct part parts[PARTS];
	uint64_t sum;
	int err;

	assert(ssd->outstanding == 0);
	assert(sim_next_ns(ssd->sim) == UINT64_MAX);
	assert(ssd->map_queue_head == ssd->map_queue_tail);
	memset(&saved, 0, sizeof(saved)); /* padding too: the same state, the same bytes */
	memcpy(saved.magic, saved_magic, sizeof(saved.magic));
	saved.now_ns = ssd->sim->now_ns;
	saved.user_units = ssd->user_units;
	saved.total_units = ssd->total_units;
	saved.superblock_count = ssd->superblock_count;
	saved.program_units = ssd->program_units;
	saved.free_first = ssd->free_first;
	saved.free_last = ssd->free_last;
	saved.free_count = ssd->free_count;
	saved.closed_first = ssd->closed_first;
	saved.closed_last = ssd->closed_last;
	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		assert(!ssd->points[i].program);
		saved.points[i].superblock = ssd->points[i].superblock;
		saved.points[i].used = ssd->points[i].used;
	}
	saved.mapped_units = ssd->mapped_units;
	saved.gc_credit = ssd->gc_credit;
	saved.last_write_ns = ssd->last_write_ns;
	saved.gc_turn_left = ssd->gc_turn_left;
	saved.tired = ssd->tired;
	saved.victims = ssd->victims;
	saved.live_superblocks = ssd->live_superblocks;
	saved.spares_used = ssd->spares_used;
	saved.lost_count = ssd->lost_count;
	saved.read_only = ssd->read_only;
	saved.closings = ssd->closings;
	saved.slc_count = ssd->slc_count;
	saved.slc_closed = ssd->slc_closed;
	saved.map_hand = ssd->map_hand;
	saved.journal_entries = ssd->journal_entries;
	saved.map_units_stored = ssd->map_units_stored;
	saved.scan_victim = ssd->scan_victim;
	saved.scan_group = ssd->scan_group;
	saved.unretired = ssd->unretired;
	saved.victim_credit = ssd->victim_credit;
	saved.program_number = ssd->program_number;
	saved.erase_tail = ssd->erase_tail;
	saved.gc_rng = ssd->gc_rng;
	saved.count = ssd->count;
	err = write_all(fd, &saved, sizeof(saved));
	sum = checksum(0, &saved, sizeof(saved));
	parts_of(ssd, parts);
	for (int i = 0; !err && i < PARTS; i++) {
		err = write_all(fd, parts[i].memory, parts[i].bytes);
		sum = checksum(sum, parts[i].memory, parts[i].bytes);
	}
	return err ? err : write_all(fd, &sum, sizeof(sum));
}

static bool fits(const struct ssd *ssd, const struct saved *saved)
{
	return !memcmp(saved->magic, saved_magic, sizeof(saved->magic)) &&
	       saved->user_units == ssd->user_units && saved->total_units == ssd->total_units &&
	       saved->superblock_count == ssd->superblock_count &&
	       saved->program_units == ssd->program_units;
}

int ssd_load(struct ssd *ssd, int fd)
{
	struct saved saved;
	struct part parts[PARTS];
	uint64_t sum, expected = 0;
	int err = read_all(fd, &saved, sizeof(saved));

	assert(ssd->outstanding == 0);
	if (err)
		return err;
	if (!fits(ssd, &saved))
		return fail(EBADMSG, "the saved state is not of this drive at this scale");
	if (saved.now_ns < ssd->sim->now_ns)
		return fail(EBADMSG, "the saved state lies before the present of this drive");
	ssd_settle(ssd);
	sim_advance(ssd->sim, saved.now_ns);
	ssd->free_first = saved.free_first;
	ssd->free_last = saved.free_last;
	ssd->free_count = saved.free_count;
	ssd->closed_first = saved.closed_first;
	ssd->closed_last = saved.closed_last;
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		ssd->points[i] = (struct write_point){ .superblock = saved.points[i].superblock,
						       .used = saved.points[i].used };
	ssd->mapped_units = saved.mapped_units;
	ssd->gc_credit = saved.gc_credit;
	ssd->last_write_ns = saved.last_write_ns;
	ssd->gc_turn_left = saved.gc_turn_left;
	ssd->tired = saved.tired;
	ssd->victims = saved.victims;
	ssd->live_superblocks = saved.live_superblocks;
	ssd->spares_used = saved.spares_used;
	ssd->lost_count = saved.lost_count;
	ssd->read_only = saved.read_only;
	ssd->closings = saved.closings;
	ssd->slc_count = saved.slc_count;
	ssd->slc_closed = saved.slc_closed;
	ssd->map_hand = saved.map_hand;
	ssd->journal_entries = saved.journal_entries;
	ssd->map_units_stored = saved.map_units_stored;
	ssd->scan_victim = saved.scan_victim;
	ssd->scan_group = saved.scan_group;
	ssd->unretired = saved.unretired;
	ssd->victim_credit = saved.victim_credit;
	ssd->program_number = ssd->oldest_flying = saved.program_number;
	ssd->erase_tail = saved.erase_tail;
	for (uint32_t i = 0; i < ssd->drive->dies; i++)
		ssd->dies[i].erased = saved.erase_tail;
	ssd->gc_rng = saved.gc_rng;
	ssd->count = saved.count;
	sum = checksum(0, &saved, sizeof(saved));
	parts_of(ssd, parts);
	for (int i = 0; !err && i < PARTS; i++) {
		err = read_all(fd, parts[i].memory, parts[i].bytes);
		sum = checksum(sum, parts[i].memory, parts[i].bytes);
	}
	if (!err)
		err = read_all(fd, &expected, sizeof(expected));
	if (!err && sum != expected)
		err = fail(EBADMSG, "loading the drive's state: the file is damaged");
	return err;
}
