#include "cli/soak_cuts.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/rng.h"
#include "ssd/ssd.h"

enum { REQUESTS = 4000, DEPTH_MAX = 32, UNITS_MAX = 48 /* of a request */ };

static uint64_t between(struct rng *rng, uint64_t least, uint64_t most)
{
	return least + rng_below(rng, most - least + 1);
}

/* ---- what is asked of it, and what is known of its data ---- */

struct cuts {
	const struct drive *drive;
	struct sim sim;
	struct ssd *ssd;
	struct rng rng;
	uint64_t units;

	/* By unit: the write that was acknowledged last, and one that must survive; 0: none. */
	uint32_t *acknowledged, *durable;
	bool *busy;                /* a request for it is under way: only one at a time */

	struct asked {
		struct io io;
		bool outstanding;
		uint32_t *promised;    /* flush: what was acknowledged when it was sent */
	} asked[DEPTH_MAX];
	uint32_t depth, outstanding;
	uint64_t hot_units;
	struct soak_cuts_totals *totals;
};

static int wrong(const char *sentence)
{
	return fail(EPROTO, "%s", sentence);
}

static uint64_t first_of(const struct io *io)
{
	return io->offset_bytes / UNIT_BYTES;
}

/* One behind the last, which may be touched in part only. */
static uint64_t end_of(const struct io *io)
{
	return (io->offset_bytes + io->size_bytes + UNIT_BYTES - 1) / UNIT_BYTES;
}

static void set_busy(struct cuts *cuts, const struct io *io, bool busy)
{
	if (io->op == IO_WRITE || io->op == IO_TRIM || io->op == IO_WRITE_ZEROES)
		memset(&cuts->busy[first_of(io)], busy, end_of(io) - first_of(io));
}

static bool is_free(const struct cuts *cuts, const struct io *io)
{
	return !memchr(&cuts->busy[first_of(io)], true, end_of(io) - first_of(io));
}

static void choose(struct cuts *cuts, struct io *io)
{
	uint64_t kind = rng_below(&cuts->rng, 100), units = cuts->units;
	uint64_t count = rng_below(&cuts->rng, 4) ? 1 : between(&cuts->rng, 1, UNITS_MAX);

	if (rng_below(&cuts->rng, 2))
		units = cuts->hot_units;
	if (count > units)
		count = units;
	*io = (struct io){
		.op = kind < 2 ? IO_FLUSH : kind < 8 ? IO_TRIM :
		      kind < 10 ? IO_WRITE_ZEROES : kind < 30 ? IO_READ : IO_WRITE,
	};
	if (io->op == IO_FLUSH)
		return;
	io->offset_bytes = rng_below(&cuts->rng, units - count + 1) * UNIT_BYTES;
	io->size_bytes = (uint32_t)(count * UNIT_BYTES);
	/* In part, but for trims: those of a part of a unit do nothing. */
	if (io->op != IO_TRIM && io->op != IO_WRITE_ZEROES && rng_below(&cuts->rng, 8) == 0) {
		io->offset_bytes += 512 * rng_below(&cuts->rng, 4);
		io->size_bytes -= 512 * (uint32_t)between(&cuts->rng, 4, 7);
	}
}

static void submit(struct cuts *cuts, struct asked *asked)
{
	do {
		choose(cuts, &asked->io);
	} while (asked->io.op != IO_FLUSH && asked->io.op != IO_READ && !is_free(cuts, &asked->io));
	set_busy(cuts, &asked->io, true);
	asked->outstanding = true;
	cuts->outstanding++;
	cuts->totals->requests++;
	if (asked->io.op == IO_FLUSH)
		memcpy(asked->promised, cuts->acknowledged, cuts->units * sizeof(*asked->promised));
	ssd_submit(cuts->ssd, &asked->io);
}

static int acknowledge(struct cuts *cuts, struct asked *asked)
{
	const struct io *io = &asked->io;

	if (!asked->outstanding)
		return wrong("a request was answered twice");
	asked->outstanding = false;
	cuts->outstanding--;
	set_busy(cuts, io, false);
	if (io->error)
		return 0; /* the flash is worn out */
	switch (io->op) {
	case IO_READ:
		return 0;
	case IO_FLUSH:
		for (uint64_t unit = 0; unit < cuts->units; unit++)
			if (cuts->durable[unit] && asked->promised[unit] > cuts->durable[unit])
				cuts->durable[unit] = asked->promised[unit];
			else if (!cuts->durable[unit] && asked->promised[unit] == cuts->acknowledged[unit])
				cuts->durable[unit] = asked->promised[unit];
		return 0;
	case IO_TRIM:
	case IO_WRITE_ZEROES:
		for (uint64_t unit = first_of(io); unit < end_of(io); unit++)
			cuts->acknowledged[unit] = cuts->durable[unit] = 0;
		return 0;
	case IO_WRITE:
		break;
	}
	for (uint64_t unit = first_of(io); unit < end_of(io); unit++) {
		uint32_t found = ssd_generation(cuts->ssd, unit);

		if (found <= cuts->acknowledged[unit])
			return wrong("a write was acknowledged that nobody would read");
		cuts->acknowledged[unit] = found;
		if (cuts->drive->buffer_kind == BUFFER_CAPACITOR)
			cuts->durable[unit] = found;
	}
	return 0;
}

static int reap(struct cuts *cuts, uint64_t until_ns)
{
	struct io *io = ssd_reap(cuts->ssd, until_ns);

	return io ? acknowledge(cuts, container_of(io, struct asked, io)) : 0;
}

static int reap_all(struct cuts *cuts)
{
	int err = 0;

	while (!err && cuts->outstanding)
		err = reap(cuts, UINT64_MAX);
	return err;
}

static int check_laws(struct cuts *cuts)
{
	const char *broken = ssd_broken_law(cuts->ssd);

	return broken ? wrong(broken) : 0;
}

static int settle(struct cuts *cuts)
{
	int err = reap_all(cuts);

	if (err)
		return err;
	ssd_settle(cuts->ssd);
	for (uint64_t unit = 0; unit < cuts->units; unit++)
		if (ssd_generation(cuts->ssd, unit) != cuts->acknowledged[unit])
			return wrong("a read would not find the last write that was acknowledged");
	return check_laws(cuts);
}

/* ---- what happens to it ---- */

static int check_survivor(const struct cuts *cuts, uint64_t unit)
{
	uint32_t found = ssd_generation(cuts->ssd, unit);

	if (found < cuts->durable[unit])
		return wrong(found ? "a power cut brought back what had been written over durably" :
				     "a power cut took away what was durable");
	if (cuts->busy[unit])
		return 0; /* old, new, or trimmed */
	if (found > cuts->acknowledged[unit])
		return wrong("a power cut brought data that were never acknowledged, and nobody asked for");
	if (cuts->drive->buffer_kind == BUFFER_CAPACITOR && found != cuts->acknowledged[unit])
		return wrong("a power cut took away what the capacitors had to save");
	return 0;
}

/* A trim or write zeroes under way may have been done. */
static void forget_trims(struct cuts *cuts)
{
	for (uint32_t i = 0; i < cuts->depth; i++) {
		const struct io *io = &cuts->asked[i].io;

		if (!cuts->asked[i].outstanding || (io->op != IO_TRIM && io->op != IO_WRITE_ZEROES))
			continue;
		memset(&cuts->durable[first_of(io)], 0,
		       (end_of(io) - first_of(io)) * sizeof(*cuts->durable));
	}
}

static int cut(struct cuts *cuts)
{
	int err = 0;

	ssd_power_cut(cuts->ssd);
	/* What had its answer at that moment is handed over still. */
	for (struct io *io; !err && (io = ssd_reap(cuts->ssd, cuts->sim.now_ns)) != NULL;)
		err = acknowledge(cuts, container_of(io, struct asked, io));
	forget_trims(cuts);
	for (uint64_t unit = 0; !err && unit < cuts->units; unit++)
		err = check_survivor(cuts, unit);
	for (uint32_t i = 0; i < cuts->depth; i++) {
		set_busy(cuts, &cuts->asked[i].io, false);
		cuts->asked[i].outstanding = false;
	}
	cuts->outstanding = 0;
	for (uint64_t unit = 0; unit < cuts->units; unit++)
		cuts->acknowledged[unit] = cuts->durable[unit] = ssd_generation(cuts->ssd, unit);
	cuts->totals->power_cuts++;
	return err ? err : check_laws(cuts);
}

static int format(struct cuts *cuts)
{
	int err = settle(cuts);

	if (err)
		return err;
	ssd_format(cuts->ssd);
	memset(cuts->acknowledged, 0, cuts->units * sizeof(*cuts->acknowledged));
	memset(cuts->durable, 0, cuts->units * sizeof(*cuts->durable));
	return check_laws(cuts);
}

static int step(struct cuts *cuts)
{
	uint64_t what = rng_below(&cuts->rng, 1000);

	if (what < 4)
		return cut(cuts);
	if (what < 6)
		return settle(cuts);
	if (what < 7)
		return format(cuts);
	if (what < 12)
		return reap(cuts, cuts->sim.now_ns + rng_below(&cuts->rng, 20000000));
	if (cuts->outstanding == cuts->depth)
		return reap(cuts, UINT64_MAX);
	for (uint32_t i = 0; i < cuts->depth; i++) {
		if (cuts->asked[i].outstanding)
			continue;
		submit(cuts, &cuts->asked[i]);
		return 0;
	}
	return wrong("requests that are neither outstanding nor answered");
}

static void begin(struct cuts *cuts, const struct drive *drive, uint64_t seed)
{
	cuts->drive = drive;
	cuts->rng = rng_stream(seed, "power cuts");
	sim_init(&cuts->sim);
	cuts->ssd = ssd_new(drive, &cuts->sim, seed);
	ssd_track(cuts->ssd);
	cuts->units = drive->user_bytes / UNIT_BYTES;
	cuts->hot_units = cuts->units / between(&cuts->rng, 1, 20) + 1;
	if (cuts->hot_units > cuts->units)
		cuts->hot_units = cuts->units;
	cuts->depth = (uint32_t)between(&cuts->rng, 1, DEPTH_MAX);
	cuts->acknowledged = xcalloc(cuts->units, sizeof(*cuts->acknowledged));
	cuts->durable = xcalloc(cuts->units, sizeof(*cuts->durable));
	cuts->busy = xcalloc(cuts->units, sizeof(*cuts->busy));
	for (uint32_t i = 0; i < cuts->depth; i++)
		cuts->asked[i].promised = xcalloc(cuts->units, sizeof(uint32_t));
}

static void end(struct cuts *cuts)
{
	for (uint32_t i = 0; i < cuts->depth; i++)
		free(cuts->asked[i].promised);
	free(cuts->acknowledged);
	free(cuts->durable);
	free(cuts->busy);
	ssd_free(cuts->ssd);
	sim_free(&cuts->sim);
}

int soak_cuts(const struct drive *drive, uint64_t seed, struct soak_cuts_totals *totals)
{
	struct cuts *cuts = xcalloc(1, sizeof(*cuts));
	int err = 0;

	cuts->totals = totals;
	begin(cuts, drive, seed);
	/* Enough to write a part of the drive over: cleaning must have had its share. */
	for (uint64_t i = 0; !err && i < REQUESTS + cuts->units / 4; i++)
		err = step(cuts);
	if (!err)
		err = settle(cuts);
	end(cuts);
	free(cuts);
	return err;
}
