/*
 * ssd.h - a modelled drive, in virtual time.
 *
 * Mechanisms, not curves. A read passes the controller's read engine (a serial cost for the
 * command and for each flash access), waits for its die, is sensed (tR), crosses the die's
 * channel and the link. A write crosses the link, passes the controller at its write rate into
 * the buffer and is acknowledged there; the write engine moves units of 4 KiB from the buffer, and those that garbage collection
 * saves, into one-shot programs that are striped over the dies. When the buffer is full the
 * host waits. What the model leaves out stands in doc/model.md.
 *
 * The model does not know what is being measured. Set-up allocates; running allocates only
 * when a pool outgrows what it had. Memory: 4 bytes per 4 KiB of user and of raw capacity,
 * about 2.2 MB per GiB.
 */
#ifndef DRIVEBAY_SSD_SSD_H
#define DRIVEBAY_SSD_SSD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io.h"
#include "sim/sim.h"
#include "ssd/drive.h"

struct ssd;

/* Since the drive was made. Units are 4 KiB. */
struct ssd_counters {
	uint64_t host_read_bytes, host_written_bytes;
	uint64_t host_units;    /* units that host writes brought into programs */
	uint64_t copied_units;  /* units that garbage collection brought into programs */
	uint64_t map_units;     /* of the map and its journal, where the map lies in the flash */
	uint64_t map_reads;     /* pages of the map that were fetched */
	uint64_t padded_units;  /* places of programs that were flushed before they were full */
	uint64_t flash_accesses, read_units; /* for host and GC; units that crossed a channel */
	uint64_t programs, slc_programs, erases; /* erases: of blocks of all planes of one die */
	uint64_t suspends;
	uint64_t power_cuts;
	uint64_t media_errors;  /* reads that no retry could correct */
	uint64_t read_retries;
	uint64_t refreshed_units; /* of copied_units: because of wear or many reads */
	uint64_t bad_blocks;    /* of all planes of one die, gone bad since it was made */
	uint64_t used_millipercent, spare_millipercent; /* see struct health */
	uint64_t temperature_millicelsius, throttled_ns, energy_mj;
	uint64_t erase_most;    /* erases of the superblock that has most */
	uint64_t mapped_units;  /* of the host, now */
	/* Busy time: mean over dies and channels; serial engines and links as booked. */
	uint64_t dies_ns, channels_ns, read_engine_ns, write_engine_ns, link_read_ns, link_write_ns;
};

/*
 * A fresh drive (as after format) on a simulation of its own; both stay the caller's. `seed` is
 * for what a drive leaves to chance: which victims are looked at.
 */
struct ssd *ssd_new(const struct drive *drive, struct sim *sim, uint64_t seed);

/*
 * The same for a drive that gets its state at once, by ssd_load() or ssd_enlarge(), before anything
 * else: spares a large one the time to be filled with what is thrown away.
 */
struct ssd *ssd_new_blank(const struct drive *drive, struct sim *sim, uint64_t seed);
void ssd_free(struct ssd *ssd);

/* The request is the drive's until ssd_reap() returns it with completed_ns set. */
void ssd_submit(struct ssd *ssd, struct io *io);

/*
 * It will be submitted soon: brings what the map says of it into the processor's cache. A map
 * is far larger than that, and to wait for memory is half of what a small request costs.
 */
void ssd_expect(const struct ssd *ssd, const struct io *io);

/*
 * The next completion, no later than until_ns, or NULL with the clock at until_ns. When
 * requests are outstanding and no event is left that could complete them, the model is
 * wrong: it says so with a dump of its state and aborts.
 */
struct io *ssd_reap(struct ssd *ssd, uint64_t until_ns);

/* Buffer written out, cleaning caught up, no event left. Nothing may be outstanding. */
void ssd_settle(struct ssd *ssd);

/*
 * The power goes and comes back. What is outstanding never gets an answer: the requests are the
 * caller's again, but for those that ssd_reap() still returns. Of what was acknowledged a
 * capacitor-backed buffer keeps all; a volatile one keeps what it had when a flush was
 * acknowledged, and of everything since either the old or the new data, unit by unit. The drive
 * is settled then. Returns how long it worked on after the cut, in ns: with capacitors what they
 * had to carry. O(size of the drive).
 */
uint64_t ssd_power_cut(struct ssd *ssd);

/*
 * For tests of that: numbers the writes of a fresh drive, unit by unit, at 4 more bytes per unit of
 * raw capacity, and tells which of them a read of `unit` would find; 0: none.
 */
void ssd_track(struct ssd *ssd);
uint32_t ssd_generation(const struct ssd *ssd, uint64_t unit);

/*
 * For a fresh drive: as if its blocks had been erased already, used_millipercent / 100000 of the
 * times they are good for, and those that do not survive that replaced. Above 100,000: past it.
 */
void ssd_wear(struct ssd *ssd, uint32_t used_millipercent);

/* Of the air around it, before anything is asked of it; 25 otherwise. */
void ssd_set_ambient(struct ssd *ssd, uint64_t celsius);

/* What is written lies for that long, without power; the clock stands still. */
void ssd_shelve(struct ssd *ssd, uint64_t time_ns);

/*
 * Fresh again, but for its wear: each block that was written is erased. Nothing may be outstanding;
 * the clock goes on.
 */
void ssd_format(struct ssd *ssd);

void ssd_count(const struct ssd *ssd, struct ssd_counters *out);

/*
 * The laws that must hold whenever the drive is settled: valid + invalid + free = all units;
 * the valid units of each superblock are what the map says, and lie where it was written; each
 * place knows the unit that is mapped to it; host + copied + padded units = programmed units.
 * Returns NULL, or the sentence of the first one broken (static text). O(size of the drive): 470
 * million units take half a second. Beyond 67 million, the places are asked of one unit in 61,
 * others whenever something was written since.
 */
const char *ssd_broken_law(const struct ssd *ssd);

/*
 * The settled state to and from a file (or a pipe), from its present position on. Loading needs a
 * drive of the same description. -EIO/-ENOSPC/-EBADMSG with a sentence in fail(); a file that is cut
 * off or damaged is refused, and a drive that could not be loaded is only good for ssd_free().
 *
 * The large tables of a large drive are mapped from the file, copy on write, so that what it takes
 * to load them is the time to check them. The file must not be changed as long as the drive lives.
 */
int ssd_save(struct ssd *ssd, int fd);
int ssd_load(struct ssd *ssd, int fd);

/*
 * `ssd`, from ssd_new_blank(), gets the state of `small`, which is settled, is the same drive divided
 * further (drive_scale()), and stays the caller's. What was small comes in as many copies as `ssd` is
 * larger, so that a superblock has the valid share that it had in small, what was written together
 * lies together, and each part of the host's space and of the map is as it was; then what the full
 * size leaves is cleaned or filled up. The clock stays where it is. See age.c. -EINVAL with a
 * sentence when one drive is not the other divided.
 */
int ssd_enlarge(struct ssd *ssd, const struct ssd *small);

/* What ssd_new() needs for its tables, nearly all of it: 4 bytes for each unit of user and raw capacity. */
uint64_t ssd_memory_bytes(const struct drive *drive);

#endif
