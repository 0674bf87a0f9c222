/*
 * drive.h - the description of a drive: constant once read.
 *
 * Read from drives/NAME.yaml (format: doc/drive-format.md). Each value says where it
 * comes from: `spec` (data sheet, teardown, identify dump), `calibrated` (fitted; its
 * source names the published figures it was fitted to) or `assumed`.
 *
 * DRIVE_VALUES is the one list: the reader's schema, the struct, `show` and the format's
 * page walk it. X(section, key, field, type, help); types are the parsers of units.h
 * (size, duration, count, percent, speed) and `word` (one of the words in its help,
 * stored as the enum below).
 *
 * A file may leave out what its drive does not have: the section `map` (the whole map is in
 * DRAM), the section `slc` (no cache), the
 * section `endurance` (not known), the section `wear` (no bit errors, no bad blocks),
 * the sections `power` and `thermal` (not known: it never sleeps nor throttles), nand.read_spread, nand.planes (together), nand.cache (none),
 * gc.burst, gc.idle and gc.idle_free (it does not clean ahead). Those values are 0 then,
 * with no origin.
 */
#ifndef DRIVEBAY_SSD_DRIVE_H
#define DRIVEBAY_SSD_DRIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define DRIVE_VALUES(X) \
	X(capacity, user, user_bytes, size, "bytes the host can address") \
	X(capacity, sector, sector_bytes, size, "logical block") \
	X(geometry, channels, channels, count, "NAND channels") \
	X(geometry, dies, dies, count, "dies in all; a multiple of channels") \
	X(geometry, planes, planes, count, "planes of a die, programmed and read together") \
	X(geometry, page, page_bytes, size, "page of one plane; a multiple of 4 KiB") \
	X(geometry, pages_per_block, pages_per_block, count, "pages of a block; a multiple of pages_per_program") \
	X(geometry, blocks_per_plane, blocks_per_plane, count, "blocks of a plane, spares included") \
	X(geometry, pages_per_program, pages_per_program, count, "pages of a plane that one program writes: 3 TLC one-shot, 2 MLC, 1") \
	X(nand, read, read_ns, duration, "tR: array to page register, the mean of the pages of a word line") \
	X(nand, read_spread, read_spread_millipercent, percent, "how much faster the first page of a word line is read, and the last slower") \
	X(nand, planes, plane_reads, word, "together or apart: do the planes of a die sense on their own") \
	X(nand, cache, nand_cache, word, "none, read, program or both: what the array does while its register is on the channel") \
	X(nand, program, program_ns, duration, "tPROG of one one-shot program of all planes") \
	X(nand, erase, erase_ns, duration, "tBERS of one block of all planes") \
	X(nand, suspend, suspend_ns, duration, "from a read's arrival until a running program or erase has stopped for it") \
	X(nand, resume, resume_ns, duration, "added to a program or erase by each suspension") \
	X(nand, suspends_max, suspends_max, count, "suspensions of one program or erase; 0: reads wait") \
	X(channel, rate, channel_bytes_per_s, speed, "bytes per second on one channel") \
	X(channel, command, channel_command_ns, duration, "channel time of command and address cycles of an access") \
	X(controller, read_command, read_command_ns, duration, "serial cost of a read command") \
	X(controller, read_access, read_access_ns, duration, "serial cost of each flash access for a read") \
	X(controller, read_latency, read_latency_ns, duration, "fixed part of a read: firmware, error correction; not serial") \
	X(controller, write_command, write_command_ns, duration, "serial cost of a write command") \
	X(controller, write_rate, write_bytes_per_s, speed, "rate of the write path for host data: into the buffer, and out of it into programs") \
	X(controller, write_latency, write_latency_ns, duration, "fixed part of a write until it is acknowledged from the buffer") \
	X(controller, copy_unit, copy_unit_ns, duration, "write-path time to move one 4 KiB unit in garbage collection") \
	X(controller, mdts, mdts_bytes, size, "largest transfer of a command; larger ones are split") \
	X(map, cache, map_cache_bytes, size, "map entries in the controller's own memory") \
	X(map, hmb, map_hmb_bytes, size, "host memory it asks for, for more of them; the bed may grant it") \
	X(map, page, map_page_bytes, size, "what is fetched and written of the map at once; a multiple of 4 KiB") \
	X(map, read, map_read_ns, duration, "tR of a page of the map") \
	X(map, miss, map_miss_ns, duration, "serial cost of a read command whose map entries have to be fetched") \
	X(slc, static, slc_static_bytes, size, "cache that is always there, out of the spare capacity") \
	X(slc, dynamic, slc_dynamic_bytes, size, "cache that free blocks are lent to at most") \
	X(slc, program, slc_program_ns, duration, "tPROG of one page of all planes, one bit a cell") \
	X(slc, read, slc_read_ns, duration, "tR of such a page") \
	X(slc, idle, slc_idle_ns, duration, "time without writes after which the cache is emptied") \
	X(slc, full, slc_full, word, "direct or fold: past a full cache to the other blocks, or emptying it at the same time") \
	X(endurance, cycles, endurance_cycles, count, "erases that a block is good for") \
	X(endurance, rated, rated_bytes, size, "host bytes that the maker warrants") \
	X(wear, bad_blocks, factory_bad_millipercent, percent, "blocks that are bad when it leaves the factory, out of the reserve") \
	X(wear, survives, survive_erases, count, "erases that the mean block survives; each differs") \
	X(wear, leveling, leveling_erases, count, "erases by which a block may fall behind before its data are moved; 0: any number") \
	X(wear, errors, errors_ppb, count, "bit errors in 10^9 bits of the mean page, just written to a fresh block") \
	X(wear, errors_worn, errors_worn_ppb, count, "added by the erases that a block is good for, in proportion to them") \
	X(wear, errors_time, errors_time_ppb, count, "added by each doubling of the time since it was written, from an hour on, on a worn block") \
	X(wear, errors_reads, errors_reads_ppb, count, "added by 1,000 reads of its block") \
	X(wear, correctable, correctable_ppb, count, "bit errors in 10^9 that error correction takes") \
	X(wear, retries, retries_max, count, "times that a page is sensed again with other voltages") \
	X(wear, retry_leaves, retry_leaves_millipercent, percent, "errors that are left by each of these") \
	X(wear, reads_max, reads_max, count, "reads of a block after which its data are moved; 0: never") \
	X(power, idle, idle_mw, count, "milliwatts of a drive that is awake") \
	X(power, die, die_mw, count, "added by each die while it works") \
	X(power, transfer, transfer_mw, count, "added by controller and link while data cross it") \
	X(power, sleep, sleep_mw, count, "milliwatts of one that sleeps") \
	X(power, sleep_after, sleep_after_ns, duration, "time without requests after which it sleeps; 0ns: never") \
	X(power, wake, wake_ns, duration, "from the next request until it is awake") \
	X(thermal, rise, rise_millikelvin_per_w, count, "thousandths of a degree by which a watt warms it in the end") \
	X(thermal, time, thermal_ns, duration, "time constant of that") \
	X(thermal, throttle, throttle_celsius, count, "temperature at which it slows down; 0: never") \
	X(thermal, throttle_to, throttle_millipercent, percent, "speed of controller and link that is left then") \
	X(link, generation, link_generation, count, "PCIe generation, 1 to 6") \
	X(link, lanes, link_lanes, count, "PCIe lanes") \
	X(link, payload, link_payload_millipercent, percent, "share of the raw rate left for data after TLP headers, flow control and NVMe traffic") \
	X(buffer, size, buffer_bytes, size, "host data that waits for its program") \
	X(buffer, kind, buffer_kind, word, "capacitor or volatile: what a power cut does to it") \
	X(gc, policy, gc_policy, word, "greedy, fifo, sampled or cost-benefit: which block is cleaned next") \
	X(gc, choices, gc_choices, count, "sampled: the emptiest of so many that are drawn; else unused") \
	X(gc, streams, gc_streams, word, "shared or separate: do moved and new data share blocks") \
	X(gc, burst, gc_burst, count, "units moved in one go between turns of the host; 0: unit by unit") \
	X(gc, idle, gc_idle_ns, duration, "time without writes after which it cleans ahead of need") \
	X(gc, idle_free, idle_free_millipercent, percent, "raw capacity that it makes free then") \
	X(gc, reserve, reserve_millipercent, percent, "raw capacity that GC cannot use: bad blocks, parity, metadata")

enum buffer_kind { BUFFER_CAPACITOR, BUFFER_VOLATILE };
enum gc_policy { GC_GREEDY, GC_FIFO, GC_SAMPLED, GC_COST_BENEFIT };
enum gc_streams { GC_STREAMS_SHARED, GC_STREAMS_SEPARATE };

enum plane_reads { PLANES_TOGETHER, PLANES_APART };
enum nand_cache { NAND_CACHE_NONE, NAND_CACHE_READ, NAND_CACHE_PROGRAM, NAND_CACHE_BOTH };
enum slc_full { SLC_FULL_DIRECT, SLC_FULL_FOLD };

enum drive_mark { MARK_SPEC, MARK_CALIBRATED, MARK_ASSUMED };

struct drive_origin {
	enum drive_mark mark;
	char *source;
	unsigned line; /* of its file */
};

#define DRIVE_ORIGIN_INDEX(section, key, field, type, help) DRIVE_VALUE_##field,
enum drive_value { DRIVE_VALUES(DRIVE_ORIGIN_INDEX) DRIVE_VALUE_COUNT };
#undef DRIVE_ORIGIN_INDEX

struct drive {
	char *name, *model, *class, *notes; /* class: enterprise or client */
	size_t alias_count;
	char **aliases;
	char *text;     /* the file itself, for the result */
	uint32_t scale; /* 1: as in the file */
#define DRIVE_FIELD(section, key, field, type, help) uint64_t field;
	DRIVE_VALUES(DRIVE_FIELD)
#undef DRIVE_FIELD
	struct drive_origin origins[DRIVE_VALUE_COUNT];
};

/* The page-map unit: what one map entry covers. */
enum { UNIT_BYTES = 4096 };

/* One block of every plane of every die: what is erased and cleaned together. */
static inline uint64_t drive_superblock_bytes(const struct drive *drive)
{
	return drive->dies * drive->planes * drive->pages_per_block * drive->page_bytes;
}

/* Of the map, which has an entry of this size for each unit. */
enum { MAP_ENTRY_BYTES = 4 };

/* Units of raw capacity that the map can tell apart: 15 TiB. */
#define MAP_PLACES_MAX 0xf0000000u

/*
 * Pages of the map (0: it is in DRAM). Its cache
 * goes by the entries of so many units, a power of two: those of one page at full size; of a
 * scaled drive a part of it, so that a cache that is divided like the drive still has as many
 * places for the streams of a test.
 */
uint64_t drive_map_pages(const struct drive *drive);
uint64_t drive_map_page_units(const struct drive *drive);

/* Places of the map's cache, and the units that writing out all of them takes. */
uint64_t drive_map_slots(const struct drive *drive);
uint64_t drive_map_reserve_units(const struct drive *drive);

/*
 * Units that a volatile buffer may have to write while cleaning waits for it: its own, and for
 * each of them a page of the map.
 */
uint64_t drive_held_units(const struct drive *drive);

/* Flash that wears out? */
static inline bool drive_wears(const struct drive *drive)
{
	return drive->correctable_ppb != 0;
}

/* Known what it draws? */
static inline bool drive_draws(const struct drive *drive)
{
	return drive->idle_mw != 0;
}

/*
 * Superblocks that garbage collection has: all but the reserve. Of that it has one where flash wears
 * out, which it keeps free for the day when a superblock is given up.
 */
uint64_t drive_superblocks_usable(const struct drive *drive);

/* Superblocks without which garbage collection could not serve the capacity. */
uint64_t drive_superblocks_least(const struct drive *drive);

/* Superblocks that hold cache_bytes at one bit a cell. */
uint64_t drive_slc_superblocks(const struct drive *drive, uint64_t cache_bytes);

static inline uint64_t drive_raw_bytes(const struct drive *drive)
{
	return drive_superblock_bytes(drive) * drive->blocks_per_plane;
}

/* By name, alias or path. -EINVAL with file, line and suggestion. Checked: every value
   present that may not be left out, and together possible (drive_check). Freed with drive_free(); NULL is fine. */
int drive_load(const char *name, struct drive **out);

/* The same from memory: `size` bytes, which messages call `path`. */
int drive_parse(const char *path, const char *text, size_t size, struct drive **out);
void drive_free(struct drive *drive);

/*
 * Is this drive possible? Dies divide into channels, user capacity fits the raw one with
 * the reserve and two spare superblocks, ... -EINVAL with a sentence that names section
 * and key otherwise.
 */
int drive_check(const struct drive *drive);

/*
 * Its values as the sections of a drive file, exact to the last digit, with `source` as the origin
 * of each: for drives that no file describes. The head (name, model, class) is the caller's.
 */
void drive_print_values(const struct drive *drive, const char *source, FILE *out);

/*
 * Divides the drive by `scale`: user capacity, and the bytes of a superblock or their
 * number, so that the ratio of raw to user capacity, dies, channels, timings, buffer and
 * controller stay. The pages of a block are divided first (down to eight programs), then
 * the blocks of a plane: what GC does depends on how many blocks share the spare, which
 * few big blocks would falsify. tBERS is divided like the block, so that erasing keeps
 * its share of die time. Map and SLC caches are divided too. User capacity follows the pages that are left after rounding, so
 * that the ratio to raw is exact to one map unit and the capacity itself within 1 %.
 * -EINVAL when fewer than 64 superblocks would be left.
 */
int drive_scale(struct drive *drive, uint32_t scale);

/* The scale at which the review runs a drive unless told otherwise: the smallest power of
   two that leaves at most 32 GiB of user capacity, or the last one that is possible. */
uint32_t drive_review_scale(const struct drive *drive);

#endif
