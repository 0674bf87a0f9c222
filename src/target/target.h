/*
 * target.h - anything that takes requests and can be measured.
 *
 * A target owns its clock: reap() waits on a device, and moves virtual time forward
 * on a model. One thread at a time uses a target; several threads that measure one
 * device each open it.
 *
 * Kinds (a new kind is a new file and a line in open.c):
 *	model    a drive of drives/, in virtual time
 *	uring    a block device or regular file through io_uring
 *	null     completes everything at once, on the wall clock: measures the generator
 * Wrappers (a target around a target):
 *	bed      what the host adds to every command (around models)
 *	fault    errors, delays, freezes and damage by rule
 *	verify   reads must give back what was written
 */
#ifndef DRIVEBAY_TARGET_TARGET_H
#define DRIVEBAY_TARGET_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "io.h"

#define TARGET_FOREVER UINT64_MAX

struct target_ops;

/* Begins the struct of every kind. */
struct target {
	const struct target_ops *ops;
	uint64_t size_bytes;    /* what requests can address: a multiple of block_bytes */
	uint64_t tail_bytes;    /* what the device has beyond that and cannot be addressed */
	uint32_t block_bytes;   /* logical block, a power of two: offsets and sizes are
				   multiples of it */
	uint32_t in_flight;     /* submitted and not reaped; kept by the wrappers below */
	const char *serial;     /* a device: what names it, as blockdev_identity() has it; NULL:
				   nothing does */
	uint32_t scale;         /* a model at 1/scale of its size: what must pass over the drive
				   takes 1/scale of the time; 1, or 0 on anything else */
	uint64_t memory_bytes;  /* a model: what its tables will take once it is used; 0: hardly any */
	bool is_virtual;        /* its clock is a model's: as fast as the processor allows */
	bool moves_data;        /* io->data must point to memory */
	bool is_alone;          /* what it knows is in one handle: only one thread can use it */
	uint32_t cannot_ops;    /* 1 << op of the requests that it is known beforehand to refuse */
};

enum { TARGET_SCALE_AUTO = 0 };

/* What the command line knows when it opens a target. Zero is a fair default. */
struct target_options {
	uint64_t size_bytes;    /* uring: size of a regular file to create; 0: must exist */
	uint32_t depth;         /* the most requests that will be in flight; 0: 1024 */
	uint32_t scale;         /* model: divide the drive by this; 1: full size;
				   TARGET_SCALE_AUTO: as a review does */
	uint64_t seed;          /* model: its own chance */
	const char *bed;        /* model: name or path of a bed file; NULL: bare-metal */
	uint64_t worn_millipercent; /* model: erases that its blocks have had, of those they are
				   good for */
	bool must_exist;        /* uring: a file that is not there is an error, also with a size */
	bool read_only;         /* uring: open for reading only */
	bool destroy_data;      /* uring: writing a device or a foreign file is allowed */
	const char *serial;     /* uring: the serial that acknowledges a signature; or NULL */
};

/*
 * A drive's SMART log, and what a model knows beyond it. X(member, how, version): `grows` counts
 * since the target was opened, `is` tells what is now; the version of result files that has it
 * first, 0: all of them.
 */
#define HEALTH_COUNTERS(X) \
	X(host_read_bytes, grows, 0) \
	X(host_written_bytes, grows, 0) \
	X(nand_read_bytes, grows, 0) \
	X(nand_written_bytes, grows, 0)   /* programs, whatever for */ \
	X(gc_copied_bytes, grows, 0) \
	X(erase_count, grows, 0)          /* blocks erased */ \
	X(user_bytes, is, 0)              /* logical bytes mapped */ \
	X(media_errors, grows, 0)         /* reads that no retry could correct */ \
	X(map_written_bytes, grows, 2)    /* of nand_written_bytes: pages of the map, its journal */ \
	X(slc_written_bytes, grows, 2)    /* and what was written one bit a cell, whatever it was */ \
	X(erase_most, is, 2)              /* erases of the block that has most */ \
	X(endurance_bytes, is, 2)         /* NAND bytes until all blocks have their rated cycles */ \
	X(rated_bytes, is, 2)             /* host bytes that the maker warrants; 0: both unknown */ \
	X(used_millipercent, is, 3)       /* erases of the mean block, of those it is good for */ \
	X(spare_millipercent, is, 3)      /* spare blocks left, of those it left the factory with */ \
	X(bad_blocks, is, 3)              /* gone bad since then */ \
	X(read_retries, grows, 3)         /* senses repeated with other voltages */ \
	X(refreshed_bytes, grows, 3)      /* of gc_copied_bytes: for wear levelling, after many reads */ \
	X(unsafe_shutdowns, grows, 3) \
	X(temperature_millicelsius, is, 3) /* 0: not known */ \
	X(throttled_ns, grows, 3)         /* slowed down because it was hot */ \
	X(energy_mj, grows, 3)

struct health {
#define HEALTH_MEMBER(member, how, version) uint64_t member;
	HEALTH_COUNTERS(HEALTH_MEMBER)
#undef HEALTH_MEMBER
};

/*
 * Cumulative busy time of each resource, as the mean over its units, in ns: the
 * difference of two readings over the time between them is a busy share. 0 where a
 * target has no such resource.
 */
struct usage {
	uint64_t dies_ns, channels_ns;
	uint64_t controller_read_ns, controller_write_ns;
	uint64_t link_read_ns, link_write_ns;
	uint64_t bed_ns;
};

struct target_ops {
	const char *name, *help;

	int (*open)(const char *arg, const struct target_options *options, struct target **out);
	void (*close)(struct target *);
	void (*submit)(struct target *, struct io *);
	void (*expect)(struct target *, const struct io *); /* optional */
	struct io *(*reap)(struct target *, uint64_t until_ns);
	uint64_t (*now)(struct target *);
	uint64_t (*due)(struct target *);                  /* optional */
	const char *(*describe)(struct target *);          /* optional */
	int (*health)(struct target *, struct health *);   /* optional */
	int (*usage)(struct target *, struct usage *);     /* optional */
	int (*purge)(struct target *);                     /* optional */
	int (*settle)(struct target *);                    /* optional */
	int (*snapshot)(struct target *, int fd);          /* optional */
	int (*restore)(struct target *, int fd);           /* optional */
	int (*enlarge)(struct target *, struct target *small); /* optional */
	int (*shelve)(struct target *, uint64_t time_ns);  /* optional */
	int (*buffers)(struct target *, void *base, size_t bytes); /* optional */
};

/*
 * Opens `spec`: a drive's name or alias ("samsung-983-dct"), a path
 * ("/dev/nvme1n1", "file.img"), or "kind:argument" ("null:1G",
 * "fault:freeze=2s,period=10s:samsung-983-dct"). 0, or a negative errno with a
 * sentence in fail().
 */
int target_open(const char *spec, const struct target_options *options, struct target **out);

/* Nothing may be in flight. NULL is fine. */
void target_close(struct target *target);

/*
 * Hands one request over. May queue it; reap flushes. Never blocks, never fails: an
 * error comes back in io->error.
 */
void target_submit(struct target *target, struct io *io);

/*
 * The same with `now_ns`, a reading of target_now() that the caller has just taken: for
 * batches, where reading a wall clock for each request costs more than the request.
 */
void target_submit_at(struct target *target, struct io *io, uint64_t now_ns);

/*
 * A hint for kinds that look things up, and only about speed: `io` is on its way and will be
 * submitted soon. It stays the caller's. For wrappers that hold requests back.
 */
void target_expect(struct target *target, const struct io *io);

/*
 * The next completed request, waiting no longer than `until_ns` on the target's
 * clock; NULL when that moment came first. With TARGET_FOREVER something must be in
 * flight. Completions come in order of completed_ns on a virtual clock.
 */
struct io *target_reap(struct target *target, uint64_t until_ns);

/*
 * The clock. Straight after a reap that returned something, a kind may answer with the
 * reading that it stamped that completion with: one reading less, and the same one.
 */
uint64_t target_now(struct target *target);
uint64_t target_due(struct target *target);        /* nothing completes sooner; now when unknown */
const char *target_describe(struct target *target); /* one line; owned by the target */
int target_health(struct target *target, struct health *out); /* -ENOTSUP where it cannot tell */
int target_usage(struct target *target, struct usage *out);   /* likewise */

/*
 * Says where the requests' data will lie, before the first of them: a device then pins the
 * memory once instead of at every request. Optional and only about speed: a request whose
 * data lies elsewhere is served too. `base` is page-aligned; it must stay mapped until the
 * next call or target_close(); NULL takes the announcement back. Nothing may be in flight.
 * 0, or a negative errno (no sentence) when the memory is not used in this way.
 */
int target_buffers(struct target *target, void *base, size_t bytes);

/*
 * Back to fresh: format, discard, or a new model. Nothing may be in flight. -ENOTSUP when
 * the target has no such thing, a device that cannot discard for instance: nothing was
 * changed, and the caller may go on and show the sentence of fail() as a note.
 */
int target_purge(struct target *target);

/*
 * Lets the target finish what it does in the background (buffers written out, cleaning
 * caught up), as a drive does that is left alone for a while; on a model it takes virtual
 * time. Nothing may be in flight. A real device is left alone: nothing is done.
 */
int target_settle(struct target *target);

/*
 * For wrappers: hands a request to the inner target and leaves submitted_ns, which says
 * when the outer one got it, as it is.
 */
void target_forward(struct target *inner, struct io *io);

/*
 * The whole state to and from a file, for --resume. Nothing may be in flight, and the
 * target must be settled.
 * -ENOTSUP where a target has no state of its own to save (a real device keeps it).
 */
int target_snapshot(struct target *target, int fd);
int target_restore(struct target *target, int fd);

/*
 * A model that nothing was asked of yet gets the state of `small`, opened by the same name at a
 * larger scale and settled: see ssd_enlarge(). -ENOTSUP with a sentence where that cannot be.
 */
int target_enlarge(struct target *target, struct target *small);

/*
 * What is written lies for that long without power; nothing may be in flight. -ENOTSUP where that
 * cannot be had in less time than it takes.
 */
int target_shelve(struct target *target, uint64_t time_ns);

/* Every kind that this build knows, for `drivebay list targets`; NULL ends it. */
const struct target_ops *const *target_kinds(void);

extern const struct target_ops target_model_ops;
extern const struct target_ops target_uring_ops;
extern const struct target_ops target_null_ops;
extern const struct target_ops target_fault_ops;
extern const struct target_ops target_verify_ops;

#endif
