/*
 * state.h - what the files of the model share: its state, and who calls whom.
 *
 *	host.c    commands: engines, links, completions
 *	buffer.c  the write buffer, the write engine, programs
 *	map.c     logical to physical and back, superblocks, the free list
 *	gc.c      victims, copies, erases
 *	slc.c     which units of the host go to the SLC cache
 *	rest.c    what the drive does when no writes come
 *	mapcache.c  the map of a drive without DRAM
 *	nand.c    dies and channels
 *	wear.c    bit errors, retries, bad blocks, and what is moved because of them
 *	heat.c    power, temperature, throttling, sleep
 *	power.c   what a power cut takes away, and what is put back
 *	saved.c   the state in a file
 *	age.c     the state of a smaller drive, made larger
 *
 * Words: a unit is 4 KiB. A program is what one one-shot program of a die writes: all planes,
 * pages_per_program pages each. A group is what one sense can read: the same page of all
 * planes. A superblock is one block of every plane of every die; its units are numbered in
 * the order in which they are programmed, so that consecutive units share a group, consecutive
 * groups a program, and consecutive programs lie on consecutive dies.
 */
#ifndef DRIVEBAY_SSD_STATE_H
#define DRIVEBAY_SSD_STATE_H

#include "base/rng.h"
#include "ssd/ssd.h"

#define UNIT_NONE UINT32_MAX           /* in l2p: never written or trimmed; in p2l: padding */
#define UNIT_BUFFERED MAP_PLACES_MAX     /* in l2p, and above: the slot of the buffer where it waits */

static inline bool is_buffered(uint32_t place)
{
	return place >= UNIT_BUFFERED && place != UNIT_NONE;
}

static inline bool is_place(uint32_t place)
{
	return place < UNIT_BUFFERED;
}

/* n / d as a multiplication, exact for all 32-bit n (Lemire et al. 2019). */
struct divider {
	uint64_t magic;
	uint32_t divisor;
};

static inline struct divider divider_of(uint32_t divisor)
{
	return (struct divider){ UINT64_MAX / divisor + 1, divisor };
}

static inline uint32_t divide(uint32_t n, struct divider by)
{
	if (by.divisor == 1)
		return n;
	return (uint32_t)(((unsigned __int128)by.magic * n) >> 64);
}

/* A resource that serves one after another: books the time, returns when it is done. */
struct server {
	uint64_t free_ns; /* when it is free again */
	uint64_t busy_ns; /* booked so far */
};

static inline uint64_t server_book(struct server *server, uint64_t now_ns, uint64_t cost_ns)
{
	uint64_t start_ns = server->free_ns > now_ns ? server->free_ns : now_ns;

	server->free_ns = start_ns + cost_ns;
	server->busy_ns += cost_ns;
	return server->free_ns;
}

enum access_kind { ACCESS_DATA, ACCESS_MAP };

/* One sense of one die and the transfer of what is wanted of it. */
struct access {
	struct access *next;
	struct command *command; /* NULL: the drive's own: garbage collection, the map */
	enum access_kind kind;
	uint32_t die;
	uint32_t units;
	uint32_t group;          /* the number of the group on the drive */
	uint16_t sense;          /* which of ssd->senses its tR makes it wait in */
	uint16_t lane;           /* of its die: the plane it is on, or 0 */
	uint8_t retries;         /* senses before this one that could not be corrected */
	bool is_lost;            /* nor could the last */
};

struct access_queue {
	struct access *first, **last;
};

struct command {
	struct io *io;
	struct command *next;
	struct access *accesses;   /* reads: not yet at their dies */
	struct access *maps;       /* reads: for the map, not yet at their dies */
	uint32_t maps_waiting;     /* reads: those under way, before all others */
	uint32_t waiting;          /* reads: accesses under way; writes: units not yet buffered */
	uint32_t next_unit;        /* writes: the next unit to buffer */
	uint32_t link_bytes;       /* reads: what still has to cross the link */
	int error;                 /* what it ends with */
	uint64_t slot_barrier;     /* flush: the units that entered the buffer before this one */
	uint64_t barrier;          /* flush: every program below this number must be done;
				      UINT64_MAX: some of those units have no place yet */
};

struct program {
	struct program *next;
	uint64_t number;           /* in order of filling; set when full */
	uint32_t first_unit;       /* physical */
	uint32_t count;            /* units filled */
	uint32_t host_units;       /* of these, buffer space to give back */
	uint32_t die;
	bool slc;                  /* one page of each plane, one bit a cell */
	uint32_t chunks_left;      /* pages still to cross the channel */
	bool done;
	uint32_t before[];         /* where each of its units was: see struct placed */
};

enum die_state {
	DIE_IDLE,        /* waits for work */
	DIE_READING,     /* waits for its lanes: tR, the channel and the transfer out */
	DIE_LOADING,     /* waits for the transfer in of a program's pages */
	DIE_PROGRAMMING, /* waits for tPROG to pass */
	DIE_ERASING,     /* waits for tBERS to pass */
	DIE_STOPPING,    /* waits for a program or erase to be suspended */
};

/* What senses on its own: a die, or each of its planes. */
struct lane {
	struct event sent_event;
	struct die *die;
	struct access_queue host_reads;
	struct access *sensing;    /* waits for tR to pass, or for the register to be free */
	struct access *sending;    /* waits for its turn on the channel and the transfer out */
	bool sensed;               /* `sensing` waits for the register */
};

struct die {
	struct event event;
	struct ssd *ssd;
	enum die_state state;
	enum die_state stopped;    /* what is suspended: PROGRAMMING, ERASING, or IDLE: nothing */
	uint64_t remaining_ns;     /* of what is suspended */
	uint32_t suspends;         /* of the program or erase under way */
	uint32_t channel;
	struct lane *lanes;        /* lane_count of the drive */
	uint32_t reads_queued, reads_under_way; /* of the host; of anybody */
	struct access_queue gc_reads;
	struct event load_event;   /* of the program behind the one under way, with a cache */
	bool preloading;
	struct program *programs, **programs_last; /* queued; the first may be under way */
	uint32_t program_count;
	uint64_t erased;           /* how many of ssd->erases this die has done */
	uint64_t waiting_since_ns; /* since when work that is not the host's reads has waited or
				      been interrupted, and nothing of it was done; UINT64_MAX:
				      there is none */
	bool gc_read_last;         /* the last such work was a read of garbage collection */
	uint64_t busy_since_ns, busy_ns;
};

enum superblock_state { SB_FREE, SB_OPEN, SB_CLOSED, SB_VICTIM, SB_ERASING, SB_SPARE };

struct superblock {
	enum superblock_state state;
	uint32_t valid;            /* units that the map points to */
	uint32_t programs_done;
	uint32_t erases_left;      /* dies that have not erased it yet */
	uint32_t gc_pending;       /* victim: groups being read and units waiting to move */
	uint32_t gc_start_valid;   /* victim: valid when chosen */
	bool slc;                  /* of the cache: only the first group of each program is used */
	bool gc_scanned;           /* victim: all its groups were asked for */
	uint32_t held;             /* places in it that a power cut would go back to ... */
	uint32_t held_buffered;    /* ... from units that have no place yet */
	uint32_t gc_credit;        /* victim: the free units that the work done so far stands for */
	uint32_t erase_count;
	uint32_t closed_at;        /* ssd->closings when it was closed */
	int64_t written_ns;        /* when it was opened; before 0: on the shelf since then */
	uint32_t reads;            /* senses since then */
	bool tired;                /* of reads: to be moved */
	bool refreshed;            /* victim: not for its space */
	bool broken;               /* a block of it is bad and has no spare */
	bool given_up;             /* for good */
	uint32_t next, previous;   /* in the free list or in the order of closing */
};

enum { STREAM_HOST, STREAM_GC, STREAM_SLC, STREAM_COUNT };

/* Kinds of pages by their tR: of a word line, of the SLC cache, of the map. */
enum { PAGE_TYPES_MAX = 4, SENSE_SLC = PAGE_TYPES_MAX, SENSE_MAP, SENSES };

enum { GC_VICTIMS = 2 }; /* superblocks being cleaned at a time */

struct write_point {
	uint32_t superblock;       /* UNIT_NONE: none open */
	uint32_t used;             /* units of it that are given away */
	struct program *program;   /* being filled, or NULL */
};

/*
 * A unit on its way to a place. `before` is where the flash has it until it is there, what a
 * volatile buffer loses in a power cut: a place, a slot of the buffer, or UNIT_NONE.
 */
struct placed {
	uint32_t unit;             /* logical; UNIT_NONE: padding */
	uint32_t before;
	uint32_t generation;       /* with ssd_track(): which write it is */
};

struct slot {                      /* a unit in the buffer that has no place yet */
	struct placed placed;      /* unit: UNIT_NONE: trimmed meanwhile */
	bool first;                /* the first unit of its command */
};

struct retirement {
	uint64_t barrier;          /* UINT64_MAX: its last units are in an open program */
	uint32_t superblock;
};

enum rest_use { REST_SLC, REST_CLEAN, REST_USES };

struct ssd {
	const struct drive *drive;
	struct sim *sim;

	/* geometry, in units */
	uint32_t user_units, total_units;
	uint32_t page_units, group_units, program_units, superblock_units;
	uint32_t superblock_count, usable_superblocks, superblock_programs;
	struct divider by_page, by_group, by_program, by_superblock, by_die, by_page_type;
	uint64_t unit_transfer_ns, page_transfer_ns;
	uint64_t link_bytes_per_s;
	uint64_t host_unit_ns;

	/* map */
	uint32_t map_units;        /* of the map, behind those of the user; 0: it is in DRAM */
	uint32_t *l2p, *p2l;
	struct superblock *superblocks;
	uint64_t *done;            /* a bit for each program of the drive: is it in the flash? */
	uint32_t free_first, free_last, free_count;     /* erased superblocks, oldest first */
	uint32_t closed_first, closed_last;             /* full ones, oldest first */
	uint32_t closings;         /* how many have been closed */
	struct write_point points[STREAM_COUNT];
	uint32_t mapped_units;

	/* the cache of a map that lies in the flash */
	uint32_t map_part_shift;   /* the cache goes by parts with the entries of 1 << this units */
	uint32_t map_page_shift;   /* a page of the flash has 1 << this of them */
	uint32_t map_page_units;   /* and takes so many units */
	uint32_t map_parts, map_slots, map_hand;
	uint32_t *part_slot;       /* of each part; UNIT_NONE: not in the cache */
	uint32_t *slot_part;
	uint8_t *slot_flags;
	bool *part_queued;         /* in map_queue */
	uint32_t *map_queue;       /* a ring of map_parts: changed, out of the cache, to be written */
	uint64_t map_queue_head, map_queue_tail;
	uint32_t map_write_next, map_write_left; /* of a page that is being written: its units */
	uint32_t map_loads, map_loads_max; /* being fetched behind writes */
	uint32_t journal_entries;
	uint32_t map_units_stored; /* that lie in the flash */

	/* SLC cache, in superblocks; its victims are no longer counted */
	uint32_t slc_static, slc_dynamic, slc_count, slc_closed;

	/* no writes for a while */
	uint64_t last_write_ns;    /* when the last one came */
	struct rest {
		struct event event;
		struct ssd *ssd;
		uint64_t after_ns;
		bool on;           /* the time is used */
	} rests[REST_USES];

	/* buffer and write engine */
	struct slot *slots;        /* a ring of slot_count, a power of two */
	uint32_t slot_count;
	uint64_t slot_head, slot_tail;
	uint32_t buffer_units, buffer_used;
	struct command *writes_first, **writes_last;    /* wait for buffer space */
	struct command *flushes_first, **flushes_last;
	struct server write_engine;
	struct event write_engine_event;
	struct program *ready;     /* full, waits for the engine's time or for its die */
	struct program *free_programs;
	struct program **flying;   /* a ring by number: full and not known to be done */
	uint32_t flying_count;
	uint64_t program_number, oldest_flying;
	bool keeps_before;         /* the buffer is volatile: superblocks are held */
	bool cut;                  /* the power is gone: what the host asked for has no answer */
	bool draining;             /* settling: partial programs are padded out */
	bool busy_writing;         /* in write_engine_run(): no recursion */

	/* garbage collection */
	uint64_t gc_low, gc_range; /* of the effective free units */
	uint64_t gc_ahead;         /* of free ones: as much is made while the host rests */
	uint64_t gc_credit;        /* in 1/65536 of a unit */
	uint32_t gc_turn_left;     /* units still to be moved before the host has its turn */
	uint32_t scan_victim, scan_group, unretired;
	uint32_t *ready_units;     /* a ring: physical units read and waiting to move */
	uint32_t ready_count;
	uint64_t ready_head, ready_tail;
	uint32_t gc_window, gc_under_way; /* units being read or waiting */
	uint64_t victim_credit;    /* free units that the victims under way stand for */
	struct retirement retirements[GC_VICTIMS]; /* moved, until the copies are in the flash */
	uint32_t retirement_count;
	unsigned gc_stream;        /* where moved units go */
	struct rng gc_rng;         /* draws victims */
	uint32_t *erases;          /* a ring of superblocks to erase, by order */
	uint32_t erase_ring;
	uint64_t erase_tail;

	/* nand */
	struct die *dies;
	struct lane *lanes;        /* of all dies */
	uint32_t lane_count;       /* of a die */
	bool reads_overlap;        /* a die may have several reads of the host under way */
	struct sense {             /* pages that take the same tR */
		struct sim_fifo sensed; /* lanes whose sense is over */
		uint64_t read_ns;
	} senses[SENSES];
	uint32_t page_types;       /* of a word line that differ in tR */
	struct server *channels;

	/* host side */
	struct server read_engine, link_read, link_write;
	struct server intake;      /* of data into the buffer, at the write path's rate */
	struct sim_fifo arrivals, landed, sent, acknowledged;
	struct command *free_commands;
	struct access *free_accesses;
	struct io *finished, **finished_last;
	uint32_t outstanding;

	struct chunk {             /* memory of the pools */
		struct chunk *next;
		max_align_t memory[];
	} *chunks;

	/* wear */
	bool wears;                /* what stands here is in use */
	bool read_only;            /* too many bad blocks */
	bool tired_news;           /* there are more of them than before */
	uint32_t tired;            /* superblocks that are */
	uint32_t victims;          /* chosen so far */
	uint32_t live_superblocks, least_superblocks; /* for use; for cleaning to work */
	uint32_t *block_limits;    /* erases that each block of each superblock survives */
	uint32_t *spares;          /* blocks of each die */
	uint32_t spares_new, spares_used;
	uint64_t *lost;            /* a bit for each unit: no retry could read it */
	uint32_t lost_count;

	/* power and heat */
	bool draws;                /* it is known how much */
	int64_t ambient_celsius;
	uint64_t rested_since_ns;  /* when the last request was answered */
	struct heat {
		uint64_t at_ns;    /* when it was looked at */
		uint64_t dies_ns, links_ns; /* busy time until then, of all dies, of both ways */
		uint64_t energy_nj, throttled_ns;
		int64_t microcelsius;
		bool is_throttled;
	} heat;

	uint32_t *generation;      /* of each place; NULL without ssd_track() */
	uint32_t last_generation;

	struct ssd_counters count;
};

/* ssd_settle(), whatever is outstanding: until no event is left. */
void ssd_wind_down(struct ssd *ssd);

/* Zeroed memory that lives as long as the drive: what the pools grow by. */
void *ssd_chunk(struct ssd *ssd, size_t count, size_t bytes);

/* map.c */
void map_init(struct ssd *ssd);
void map_free(struct ssd *ssd);
void map_format(struct ssd *ssd);
void map_unmap_all(struct ssd *ssd); /* as a fresh drive has it, in l2p alone */
static inline uint32_t superblock_of(const struct ssd *ssd, uint32_t physical)
{
	return divide(physical, ssd->by_superblock);
}
static inline uint32_t die_of(const struct ssd *ssd, uint32_t physical)
{
	uint32_t program = divide(physical, ssd->by_program);

	return program - divide(program, ssd->by_die) * ssd->by_die.divisor;
}
bool map_in_flash(const struct ssd *ssd, uint32_t physical); /* programmed, not just assigned */
void map_set_in_flash(struct ssd *ssd, uint32_t physical);
void map_unmap(struct ssd *ssd, uint32_t unit);  /* whatever it was, it is gone */
/* The next place of a stream, opening a superblock when needed. */
uint32_t map_place(struct ssd *ssd, unsigned stream, const struct placed *placed);
void map_close_again(struct ssd *ssd, uint32_t superblock); /* a victim that is none any more */
void map_release(struct ssd *ssd, uint32_t superblock); /* erased: into the free list */
/* Units that can still be given away: erased superblocks and the rests of open ones. */
uint64_t map_free_units(const struct ssd *ssd);

/* nand.c */
void nand_init(struct ssd *ssd);
void nand_free(struct ssd *ssd);
void nand_read(struct ssd *ssd, struct access *access);
/* For a page of the map at its place: `command` waits for it, or NULL: it is behind a write. */
struct access *nand_map_access(struct ssd *ssd, struct command *command, uint32_t physical);
uint32_t nand_sense_of(const struct ssd *ssd, uint32_t physical);
uint32_t nand_lane_of(const struct ssd *ssd, uint32_t physical);
bool nand_takes_program(const struct ssd *ssd, uint32_t die);
void nand_program(struct ssd *ssd, struct program *program);
void nand_erase(struct ssd *ssd, uint32_t superblock);

/* host.c */
void host_init(struct ssd *ssd);
void host_free(struct ssd *ssd);
void host_map_done(struct ssd *ssd, struct access *access);
void host_access_done(struct ssd *ssd, struct access *access);
void host_acknowledge(struct ssd *ssd, struct command *command);
struct access *host_new_access(struct ssd *ssd);
void host_free_access(struct ssd *ssd, struct access *access);

/* buffer.c */
void buffer_init(struct ssd *ssd);
void buffer_free(struct ssd *ssd);
void buffer_write(struct ssd *ssd, struct command *command);
void buffer_flush(struct ssd *ssd, struct command *command);
void buffer_forget(struct ssd *ssd, uint32_t slot); /* trimmed before it had a place */
void buffer_hold(struct ssd *ssd, uint32_t place);  /* its superblock may not be erased ... */
void buffer_release(struct ssd *ssd, uint32_t place); /* ... until here */
/* Units in the buffer hold it, and have to leave that for a program first. */
bool buffer_holds(const struct ssd *ssd, uint32_t superblock);
void buffer_program_done(struct ssd *ssd, struct program *program);
/* Puts a unit into the stream's open program at a cost of engine time; that program. */
struct program *write_engine_take(struct ssd *ssd, unsigned stream, const struct placed *placed,
				  uint64_t cost_ns);
void write_engine_run(struct ssd *ssd);

/*
 * saved.c: ssd_load(), where tables of at least `map_bytes` are mapped instead of read, if the file
 * allows it.
 */
int saved_load(struct ssd *ssd, int fd, size_t map_bytes);

/* slc.c */
void slc_init(struct ssd *ssd);
unsigned slc_host_stream(const struct ssd *ssd); /* where the host's next unit goes */
bool slc_is_full(const struct ssd *ssd);     /* there is a cache, and it takes no more */
uint64_t slc_kept_units(const struct ssd *ssd);
uint32_t slc_oldest(const struct ssd *ssd);  /* O(superblocks) */

/* rest.c */
void rest_init(struct ssd *ssd);
void rest_watch(struct ssd *ssd, enum rest_use use); /* there is something to do in it */
void rest_write_came(struct ssd *ssd);
void rest_settle(struct ssd *ssd);           /* and no event is left of it */

/* mapcache.c; all but init, free and format only when the map lies in the flash */
void mapcache_init(struct ssd *ssd);
void mapcache_free(struct ssd *ssd);
void mapcache_format(struct ssd *ssd);
/* The entry of `unit` is wanted: UNIT_NONE, or where its page has to be read. */
uint32_t mapcache_look_up(struct ssd *ssd, uint32_t unit);
/* The host changes it; false: not now, too many pages are being fetched. */
bool mapcache_change(struct ssd *ssd, uint32_t unit);
void mapcache_moved(struct ssd *ssd, uint32_t unit); /* by garbage collection */
void mapcache_loaded(struct ssd *ssd, struct access *access);
/* What of the map has to be written next: a unit, or UNIT_NONE for one of the journal. */
bool mapcache_take(struct ssd *ssd, uint32_t *unit);

/* wear.c; all but init and free only when ssd->wears */
void wear_init(struct ssd *ssd);
void wear_free(struct ssd *ssd);
void wear_sensed(struct ssd *ssd, const struct access *access);
/* It is back with too many errors, and has to be sensed again; or it is_lost. */
bool wear_read_again(struct ssd *ssd, struct access *access);
void wear_lose(struct ssd *ssd, uint32_t unit);
void wear_found(struct ssd *ssd, uint32_t unit); /* there is something new in its stead */
static inline bool wear_is_lost(const struct ssd *ssd, uint32_t unit)
{
	return ssd->lost[unit / 64] >> (unit % 64) & 1;
}
size_t wear_lost_bytes(const struct ssd *ssd);
uint32_t wear_victim(struct ssd *ssd);      /* to be moved whatever it gives; UNIT_NONE */
void wear_moved(struct ssd *ssd, struct superblock *superblock);
void wear_erased(struct ssd *ssd, uint32_t superblock, uint32_t die);
bool wear_keeps(struct ssd *ssd, uint32_t superblock); /* erased: is it used again? */
uint32_t wear_spare_millipercent(const struct ssd *ssd);
uint32_t wear_used_millipercent(const struct ssd *ssd);

/* heat.c */
void heat_init(struct ssd *ssd);
void heat_begin(struct ssd *ssd);           /* the present is where it goes on from */
struct heat heat_now(const struct ssd *ssd);
void heat_request_came(struct ssd *ssd);    /* only when ssd->draws */
uint64_t heat_slowed(const struct ssd *ssd, uint64_t cost_ns);

/* What controller or link take for it, as warm as they are. */
static inline uint64_t warm_cost_ns(const struct ssd *ssd, uint64_t cost_ns)
{
	return ssd->heat.is_throttled ? heat_slowed(ssd, cost_ns) : cost_ns;
}

/* gc.c */
void gc_init(struct ssd *ssd, uint64_t seed);
void gc_free(struct ssd *ssd);
uint32_t gc_share(const struct ssd *ssd);   /* of the write engine's units, in 1/65536 */
bool gc_host_may_write(const struct ssd *ssd);
bool gc_could_clean_ahead(const struct ssd *ssd);
void gc_read_ahead(struct ssd *ssd);
bool gc_move_one(struct ssd *ssd);          /* false: nothing is ready */
void gc_access_done(struct ssd *ssd, struct access *access);
void gc_program_filled(struct ssd *ssd, unsigned stream); /* it has its number now */
void gc_programs_done(struct ssd *ssd);     /* ssd->oldest_flying has moved */
/* Nothing can go on until the open program of moved units is in the flash: pad it. */
bool gc_waits_for_open_program(const struct ssd *ssd);
void gc_erase_done(struct ssd *ssd, uint32_t superblock);
/* A superblock cannot be erased until units of the host are in the flash: they must go on. */
bool gc_waits_for_host(const struct ssd *ssd);
bool gc_waits_for_buffer(const struct ssd *ssd); /* and some of them are not in programs yet */
void gc_forget(struct ssd *ssd);            /* power cut: victims are closed ones again */

#endif
