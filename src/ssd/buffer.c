/*
 * buffer.c - the write buffer, the write engine and its programs.
 *
 * A unit enters the buffer when there is space and is acknowledged then. It leaves its slot
 * when the write engine gives it a place in a program, and its space is free again when that
 * program is in the flash. The write engine is serial: it pays for each unit of the host
 * (write_rate, and write_command once a command) and for each unit that garbage collection
 * moves (copy_unit). How it divides itself between the two is gc.c's answer.
 */
#include "ssd/state.h"

#include <stdlib.h>

#include "base/fail.h"

static struct program *program_new(struct ssd *ssd, uint32_t first_unit, bool slc)
{
	struct program *program = ssd->free_programs;

	if (program)
		ssd->free_programs = program->next;
	else
		program = ssd_chunk(ssd, 1, sizeof(*program) +
						    ssd->program_units * sizeof(program->before[0]));
	*program = (struct program){
		.first_unit = first_unit,
		.die = die_of(ssd, first_unit),
		.slc = slc,
	};
	return program;
}

/* From here on its completion is waited for, in the order of the numbers. */
static void program_launch(struct ssd *ssd, struct program *program)
{
	program->number = ssd->program_number++;
	/* Dies have short queues and take turns, so no program gets far ahead of another. */
	assert(program->number - ssd->oldest_flying < ssd->flying_count);
	ssd->flying[program->number % ssd->flying_count] = program;
	assert(!ssd->ready);
	ssd->ready = program;
}

static void program_free(struct ssd *ssd, struct program *program)
{
	program->next = ssd->free_programs;
	ssd->free_programs = program;
}

static struct slot *slot_at(struct ssd *ssd, uint64_t position)
{
	return &ssd->slots[position & (ssd->slot_count - 1)];
}

/* ---- what a power cut would go back to ---- */

void buffer_hold(struct ssd *ssd, uint32_t place)
{
	if (ssd->keeps_before && is_place(place))
		ssd->superblocks[superblock_of(ssd, place)].held++;
}

void buffer_release(struct ssd *ssd, uint32_t place)
{
	struct superblock *superblock;

	if (!ssd->keeps_before || !is_place(place))
		return;
	superblock = &ssd->superblocks[superblock_of(ssd, place)];
	assert(superblock->held > 0);
	superblock->held--;
}

static void add_buffered(struct ssd *ssd, uint32_t place, uint32_t one)
{
	if (ssd->keeps_before && is_place(place))
		ssd->superblocks[superblock_of(ssd, place)].held_buffered += one;
}

bool buffer_holds(const struct ssd *ssd, uint32_t superblock)
{
	return ssd->superblocks[superblock].held_buffered > 0;
}

/* ---- the way in ---- */

static bool buffer_full(const struct ssd *ssd)
{
	return ssd->buffer_used >= ssd->buffer_units;
}

static void admit_unit(struct ssd *ssd, uint32_t unit, bool first)
{
	uint32_t place = ssd->l2p[unit];

	/* Newer data for a unit that still waits in the buffer takes its slot over. */
	if (is_buffered(place)) {
		if (first)
			server_book(&ssd->write_engine, ssd->sim->now_ns, ssd->drive->write_command_ns);
		ssd->slots[place - UNIT_BUFFERED].placed.generation = ++ssd->last_generation;
		return;
	}
	buffer_hold(ssd, place);
	add_buffered(ssd, place, 1);
	map_unmap(ssd, unit);
	ssd->l2p[unit] = UNIT_BUFFERED + (uint32_t)(ssd->slot_tail & (ssd->slot_count - 1));
	ssd->mapped_units++;
	*slot_at(ssd, ssd->slot_tail++) = (struct slot){ { unit, place, ++ssd->last_generation }, first };
	ssd->buffer_used++;
}

/*
 * What a volatile buffer holds keeps superblocks from being erased. When space is so short that the
 * host has to stop, nothing more is let in: the buffer empties, and cleaning has its way.
 */
static bool takes_more(const struct ssd *ssd)
{
	return !buffer_full(ssd) && (!ssd->keeps_before || gc_host_may_write(ssd));
}

/* Of write zeroes: covered as a whole. */
static bool is_zeroed(const struct io *io, uint32_t unit)
{
	return io->op == IO_WRITE_ZEROES && unit * (uint64_t)UNIT_BYTES >= io->offset_bytes &&
	       (unit + 1) * (uint64_t)UNIT_BYTES <= io->offset_bytes + io->size_bytes;
}

/* As many units of the command as fit; true when all are in. */
static bool admit(struct ssd *ssd, struct command *command)
{
	const struct io *io = command->io;
	uint32_t begin = (uint32_t)(io->offset_bytes / UNIT_BYTES);
	uint32_t end = (uint32_t)((io->offset_bytes + io->size_bytes + UNIT_BYTES - 1) / UNIT_BYTES);

	for (; command->next_unit < end; command->next_unit++) {
		if (is_zeroed(io, command->next_unit)) {
			map_unmap(ssd, command->next_unit);
			continue;
		}
		if (!takes_more(ssd))
			return false;
		admit_unit(ssd, command->next_unit,
			   io->op == IO_WRITE && command->next_unit == begin);
	}
	return true;
}

void buffer_write(struct ssd *ssd, struct command *command)
{
	command->next_unit = (uint32_t)(command->io->offset_bytes / UNIT_BYTES);
	if (!ssd->writes_first && admit(ssd, command)) {
		host_acknowledge(ssd, command);
	} else {
		command->next = NULL;
		*ssd->writes_last = command;
		ssd->writes_last = &command->next;
	}
	write_engine_run(ssd);
}

static void admit_waiting(struct ssd *ssd)
{
	while (ssd->writes_first && admit(ssd, ssd->writes_first)) {
		struct command *command = ssd->writes_first;

		ssd->writes_first = command->next;
		if (!ssd->writes_first)
			ssd->writes_last = &ssd->writes_first;
		host_acknowledge(ssd, command);
	}
}

void buffer_forget(struct ssd *ssd, uint32_t slot)
{
	/* Its space comes back when the engine meets it. */
	ssd->slots[slot].placed.unit = UNIT_NONE;
	add_buffered(ssd, ssd->slots[slot].placed.before, -1u);
	buffer_release(ssd, ssd->slots[slot].placed.before);
	gc_programs_done(ssd);
}

/* ---- flush ---- */

static bool nothing_buffered(const struct ssd *ssd)
{
	return ssd->slot_head == ssd->slot_tail;
}

static void finish_flushes(struct ssd *ssd)
{
	while (ssd->flushes_first && ssd->oldest_flying >= ssd->flushes_first->barrier) {
		struct command *command = ssd->flushes_first;

		ssd->flushes_first = command->next;
		if (!ssd->flushes_first)
			ssd->flushes_last = &ssd->flushes_first;
		host_acknowledge(ssd, command);
	}
}

/*
 * A capacitor-backed buffer is durable as it is. A volatile one is written out: everything
 * that was acknowledged before, into programs that are padded when they are not full.
 */
void buffer_flush(struct ssd *ssd, struct command *command)
{
	if (ssd->drive->buffer_kind == BUFFER_CAPACITOR) {
		host_acknowledge(ssd, command);
		return;
	}
	command->next = NULL;
	command->slot_barrier = ssd->slot_tail;
	command->barrier = UINT64_MAX;
	*ssd->flushes_last = command;
	ssd->flushes_last = &command->next;
	write_engine_run(ssd);
}

static bool pad(struct ssd *ssd, unsigned stream);

/*
 * The first flush that does not know its barrier yet: once all its units have places, the program
 * that holds the last of them is padded out, and all up to it have numbers. Copies of garbage
 * collection are not waited for: what they are copies of is still there.
 */
static bool serve_flush(struct ssd *ssd)
{
	static const unsigned streams[] = { STREAM_HOST, STREAM_SLC };
	struct command *command = ssd->flushes_first;

	while (command && command->barrier != UINT64_MAX)
		command = command->next;
	if (!command || ssd->slot_head < command->slot_barrier)
		return false;
	for (size_t i = 0; i < sizeof(streams) / sizeof(*streams); i++) {
		const struct program *open = ssd->points[streams[i]].program;

		if (open && open->host_units)
			return pad(ssd, streams[i]);
	}
	command->barrier = ssd->program_number;
	finish_flushes(ssd);
	return true;
}

/* ---- the write engine ---- */

struct program *write_engine_take(struct ssd *ssd, unsigned stream, const struct placed *placed,
				  uint64_t cost_ns)
{
	struct write_point *point = &ssd->points[stream];
	uint32_t physical = map_place(ssd, stream, placed);
	struct program *program = point->program;

	if (!program)
		program = point->program = program_new(ssd, physical, stream == STREAM_SLC);
	program->before[program->count++] = placed->before;
	server_book(&ssd->write_engine, ssd->sim->now_ns, warm_cost_ns(ssd, cost_ns));
	if (program->count == (program->slc ? ssd->group_units : ssd->program_units)) {
		point->program = NULL;
		program_launch(ssd, program);
		gc_program_filled(ssd, stream);
	}
	return program;
}

static bool take_host_unit(struct ssd *ssd)
{
	const struct slot *slot;
	uint64_t cost_ns;

	/* What was trimmed while it waited only gives its space back. */
	while (ssd->slot_head != ssd->slot_tail && slot_at(ssd, ssd->slot_head)->placed.unit == UNIT_NONE) {
		ssd->slot_head++;
		ssd->buffer_used--;
		admit_waiting(ssd);
	}
	if (ssd->slot_head == ssd->slot_tail)
		return false;
	slot = slot_at(ssd, ssd->slot_head);
	if (ssd->map_units && !mapcache_change(ssd, slot->placed.unit))
		return false; /* mapcache_loaded() comes back to it */
	ssd->slot_head++;
	add_buffered(ssd, slot->placed.before, -1u);
	cost_ns = ssd->host_unit_ns + (slot->first ? ssd->drive->write_command_ns : 0);
	write_engine_take(ssd, slc_host_stream(ssd), &slot->placed, cost_ns)->host_units++;
	ssd->count.host_units++;
	return true;
}

/* A unit of the map or of its journal. */
static bool take_map_unit(struct ssd *ssd)
{
	struct placed placed = { .before = UNIT_NONE };

	if (!ssd->map_units || !mapcache_take(ssd, &placed.unit))
		return false;
	if (placed.unit != UNIT_NONE) {
		placed.before = ssd->l2p[placed.unit];
		buffer_hold(ssd, placed.before);
		ssd->map_units_stored += placed.before == UNIT_NONE;
		map_unmap(ssd, placed.unit);
		ssd->mapped_units++;
	}
	write_engine_take(ssd, slc_host_stream(ssd), &placed, ssd->host_unit_ns);
	ssd->count.map_units++;
	return true;
}

static bool pad(struct ssd *ssd, unsigned stream)
{
	static const struct placed padding = { UNIT_NONE, UNIT_NONE, 0 };

	if (!ssd->points[stream].program)
		return false;
	write_engine_take(ssd, stream, &padding, 0);
	ssd->count.padded_units++;
	return true;
}

/*
 * A small buffer can be full of units in programs of two streams, neither of which gets full: then
 * nothing under way would ever make room for what waits.
 */
static bool is_stuck(const struct ssd *ssd)
{
	return ssd->writes_first && nothing_buffered(ssd) && ssd->oldest_flying == ssd->program_number;
}

/* One unit into a program, whose turn it is; false when there is nothing to do. */
static bool take_one(struct ssd *ssd)
{
	const uint64_t ONE = 65536, burst = ssd->drive->gc_burst ? ssd->drive->gc_burst : 1;
	uint64_t share = gc_share(ssd);

	if (ssd->flushes_first && serve_flush(ssd))
		return true;
	if (take_map_unit(ssd))
		return true;
	if (share && !ssd->gc_turn_left && ssd->gc_credit + share >= burst * ONE)
		ssd->gc_turn_left = (uint32_t)burst;
	if (share && ssd->gc_turn_left && gc_move_one(ssd)) {
		ssd->gc_turn_left--;
		ssd->gc_credit += share;
		ssd->gc_credit -= ssd->gc_credit < ONE ? ssd->gc_credit : ONE;
		return true;
	}
	if (share && ssd->gc_turn_left && burst > 1 && ssd->gc_under_way)
		return false; /* it goes on as soon as what it moves has been read */
	ssd->gc_turn_left = 0;
	if ((gc_host_may_write(ssd) || gc_waits_for_buffer(ssd)) && take_host_unit(ssd)) {
		if (ssd->gc_credit < (burst + 256) * ONE)
			ssd->gc_credit += share;
		return true;
	}
	if ((share || ssd->draining) && gc_move_one(ssd))
		return true;
	if (gc_waits_for_open_program(ssd))
		return pad(ssd, ssd->gc_stream);
	if (((gc_waits_for_host(ssd) && !gc_waits_for_buffer(ssd)) || is_stuck(ssd)) &&
	    (pad(ssd, STREAM_HOST) || pad(ssd, STREAM_SLC)))
		return true;
	return ssd->draining && nothing_buffered(ssd) &&
	       (pad(ssd, STREAM_HOST) || pad(ssd, STREAM_GC) || pad(ssd, STREAM_SLC));
}

/* The full program goes to its die when the engine's time has come and the die has room. */
static bool dispatch_ready(struct ssd *ssd)
{
	struct program *program = ssd->ready;

	if (ssd->write_engine.free_ns > ssd->sim->now_ns) {
		if (!event_is_scheduled(&ssd->write_engine_event))
			sim_at(ssd->sim, &ssd->write_engine_event, ssd->write_engine.free_ns);
		return false;
	}
	if (!nand_takes_program(ssd, program->die))
		return false; /* buffer_program_done() comes back to it */
	ssd->ready = NULL;
	nand_program(ssd, program);
	return true;
}

static void take_all(struct ssd *ssd)
{
	ssd->busy_writing = true;
	for (;;) {
		if (ssd->keeps_before && ssd->writes_first && takes_more(ssd))
			admit_waiting(ssd);
		if (ssd->ready && !dispatch_ready(ssd))
			break;
		if (!take_one(ssd))
			break;
	}
	ssd->busy_writing = false;
}

void write_engine_run(struct ssd *ssd)
{
	if (ssd->busy_writing)
		return;
	do {
		take_all(ssd);
		gc_read_ahead(ssd);
		/* A victim without valid units is done at once, and nobody else would come back. */
	} while (!ssd->ready && gc_waits_for_open_program(ssd));
}

static void write_engine_fire(struct sim *sim, struct event *event)
{
	(void)sim;
	write_engine_run(container_of(event, struct ssd, write_engine_event));
}

void buffer_program_done(struct ssd *ssd, struct program *program)
{
	map_set_in_flash(ssd, program->first_unit);
	for (uint32_t i = 0; ssd->keeps_before && i < program->count; i++)
		buffer_release(ssd, program->before[i]);
	program->done = true;
	assert(ssd->buffer_used >= program->host_units);
	ssd->buffer_used -= program->host_units;
	while (ssd->oldest_flying < ssd->program_number) {
		struct program **oldest = &ssd->flying[ssd->oldest_flying % ssd->flying_count];

		if (!(*oldest)->done)
			break;
		program_free(ssd, *oldest);
		*oldest = NULL;
		ssd->oldest_flying++;
	}
	gc_programs_done(ssd);
	finish_flushes(ssd);
	admit_waiting(ssd);
	write_engine_run(ssd);
}

void buffer_init(struct ssd *ssd)
{
	const struct drive *drive = ssd->drive;

	ssd->buffer_units = (uint32_t)(drive->buffer_bytes / UNIT_BYTES);
	ssd->keeps_before = drive->buffer_kind == BUFFER_VOLATILE;
	ssd->slot_count = 1;
	while (ssd->slot_count < ssd->buffer_units + 1)
		ssd->slot_count *= 2;
	ssd->slots = xcalloc(ssd->slot_count, sizeof(*ssd->slots));
	/*
	 * Programs finish out of order on different dies: while the oldest waits for its die
	 * (an erase, suspensions), the others go on. The ring leaves room for many rounds.
	 */
	ssd->flying_count = (uint32_t)drive->dies * 64;
	ssd->flying = xcalloc(ssd->flying_count, sizeof(struct program *));
	ssd->write_engine_event.fire = write_engine_fire;
	ssd->writes_last = &ssd->writes_first;
	ssd->flushes_last = &ssd->flushes_first;
}

void buffer_free(struct ssd *ssd)
{
	free(ssd->flying);
	free(ssd->slots);
}
