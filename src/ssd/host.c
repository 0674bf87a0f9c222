/*
 * host.c - commands: what the host sends, the engines and links it passes, what comes back.
 *
 * A command above MDTS costs as many commands as the driver would split it into. Reads of units
 * that were never written (or trimmed), and of units that are still in the buffer, need no flash.
 * A write that covers a unit only in part first reads the rest of it. Write zeroes unmaps whole
 * units, in their turn among the writes; those that it covers in part are written.
 */
#include "ssd/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

enum { POOL_STEP = 64 };

static struct command *new_command(struct ssd *ssd, struct io *io)
{
	struct command *command = ssd->free_commands;

	if (!command) {
		command = ssd_chunk(ssd, POOL_STEP, sizeof(*command));
		for (int i = 1; i < POOL_STEP; i++) {
			command[i].next = ssd->free_commands;
			ssd->free_commands = &command[i];
		}
	} else {
		ssd->free_commands = command->next;
	}
	*command = (struct command){ .io = io };
	return command;
}

struct access *host_new_access(struct ssd *ssd)
{
	struct access *access = ssd->free_accesses;

	if (!access) {
		access = ssd_chunk(ssd, POOL_STEP, sizeof(*access));
		for (int i = 1; i < POOL_STEP; i++)
			host_free_access(ssd, &access[i]);
	} else {
		ssd->free_accesses = access->next;
	}
	return access;
}

void host_free_access(struct ssd *ssd, struct access *access)
{
	access->next = ssd->free_accesses;
	ssd->free_accesses = access;
}

static uint64_t link_ns(const struct ssd *ssd, uint64_t bytes)
{
	return bytes * 1000000000u / ssd->link_bytes_per_s;
}

static uint64_t commands_of(const struct ssd *ssd, const struct io *io)
{
	return (io->size_bytes + ssd->drive->mdts_bytes - 1) / ssd->drive->mdts_bytes;
}

/* ---- reads ---- */

static bool needs_flash(const struct ssd *ssd, uint32_t place)
{
	return is_place(place) && map_in_flash(ssd, place);
}

/*
 * The accesses that units [begin, end) need: neighbours that one sense reads share one. Returns how
 * many groups that are, which is what the controller pays for.
 */
static uint32_t collect_accesses(struct ssd *ssd, struct command *command, uint32_t begin,
				 uint32_t end)
{
	struct access *last = NULL;
	uint32_t groups = 0;

	for (uint32_t unit = begin; unit < end; unit++) {
		uint32_t place = ssd->l2p[unit], group, lane;

		if (ssd->lost_count && wear_is_lost(ssd, unit)) {
			command->error = -EIO;
			ssd->count.media_errors++;
			continue;
		}
		if (!needs_flash(ssd, place))
			continue;
		group = divide(place, ssd->by_group);
		lane = nand_lane_of(ssd, place);
		if (last && last->group == group && last->lane == lane) {
			last->units++;
			continue;
		}
		groups += !last || last->group != group;
		last = host_new_access(ssd);
		*last = (struct access){
			.next = command->accesses,
			.command = command,
			.die = die_of(ssd, place),
			.units = 1,
			.group = group,
			.sense = (uint16_t)nand_sense_of(ssd, place),
			.lane = (uint16_t)lane,
		};
		command->accesses = last;
		command->waiting++;
	}
	return groups;
}

static void start_accesses(struct ssd *ssd, struct access **list)
{
	struct access *access = *list;

	*list = NULL;
	while (access) {
		struct access *next = access->next;

		nand_read(ssd, access);
		access = next;
	}
}

static void send(struct ssd *ssd, struct command *command, uint32_t bytes)
{
	uint64_t sent_ns;

	if (bytes > command->link_bytes || command->waiting == 0)
		bytes = command->link_bytes;
	command->link_bytes -= bytes;
	sent_ns = server_book(&ssd->link_read, ssd->sim->now_ns,
			      warm_cost_ns(ssd, link_ns(ssd, bytes)));
	if (command->waiting == 0)
		sim_fifo_put(ssd->sim, &ssd->sent, sent_ns + ssd->drive->read_latency_ns, command);
}

/* The pages of the map that it needs and that have to be read first; what that costs. */
static uint64_t look_up(struct ssd *ssd, struct command *command, uint32_t begin, uint32_t end)
{
	uint32_t part_units = 1u << ssd->map_part_shift;

	for (uint32_t unit = begin; unit < end; unit = (unit / part_units + 1) * part_units) {
		uint32_t place = mapcache_look_up(ssd, unit);
		struct access *access;

		if (place == UNIT_NONE)
			continue;
		access = nand_map_access(ssd, command, place);
		access->next = command->maps;
		command->maps = access;
		command->maps_waiting++;
	}
	return command->maps_waiting ? ssd->drive->map_miss_ns : 0;
}

static void read_submit(struct ssd *ssd, struct command *command)
{
	const struct io *io = command->io;
	uint32_t begin = (uint32_t)(io->offset_bytes / UNIT_BYTES);
	uint32_t end = (uint32_t)((io->offset_bytes + io->size_bytes + UNIT_BYTES - 1) / UNIT_BYTES);
	uint64_t cost_ns;

	command->link_bytes = io->size_bytes;
	cost_ns = commands_of(ssd, io) * ssd->drive->read_command_ns +
		  collect_accesses(ssd, command, begin, end) * ssd->drive->read_access_ns;
	if (ssd->map_units)
		cost_ns += look_up(ssd, command, begin, end);
	sim_fifo_put(ssd->sim, &ssd->arrivals,
		     server_book(&ssd->read_engine, ssd->sim->now_ns, warm_cost_ns(ssd, cost_ns)),
		     command);
	ssd->count.host_read_bytes += io->size_bytes;
}

/* The drive knows where everything is. */
static void fetch(struct ssd *ssd, struct command *command)
{
	if (command->waiting)
		start_accesses(ssd, &command->accesses);
	else
		send(ssd, command, command->link_bytes);
}

void host_map_done(struct ssd *ssd, struct access *access)
{
	struct command *command = access->command;

	host_free_access(ssd, access);
	if (ssd->cut)
		return;
	if (--command->maps_waiting == 0)
		fetch(ssd, command);
}

static void read_arrived(struct sim *sim, void *context, void *item)
{
	struct ssd *ssd = context;
	struct command *command = item;

	(void)sim;
	if (command->maps)
		start_accesses(ssd, &command->maps);
	else
		fetch(ssd, command);
}

/* ---- writes, trim, flush: in the order in which they cross the link ---- */

static void read_partial_units(struct ssd *ssd, struct command *command)
{
	const struct io *io = command->io;
	uint64_t end_bytes = io->offset_bytes + io->size_bytes;
	uint32_t first = (uint32_t)(io->offset_bytes / UNIT_BYTES);
	uint32_t last = (uint32_t)((end_bytes - 1) / UNIT_BYTES);
	bool first_partial = io->offset_bytes % UNIT_BYTES;
	bool last_partial = end_bytes % UNIT_BYTES;

	if (first_partial || (last_partial && first == last))
		collect_accesses(ssd, command, first, first + 1);
	if (last_partial && first != last)
		collect_accesses(ssd, command, last, last + 1);
}

static void trim(struct ssd *ssd, const struct io *io)
{
	uint32_t begin = (uint32_t)((io->offset_bytes + UNIT_BYTES - 1) / UNIT_BYTES);
	uint32_t end = (uint32_t)((io->offset_bytes + io->size_bytes) / UNIT_BYTES);

	server_book(&ssd->write_engine, ssd->sim->now_ns, ssd->drive->write_command_ns);
	for (uint32_t unit = begin; unit < end; unit++)
		map_unmap(ssd, unit);
}

/* A drive that ran out of spare blocks takes nothing more. */
static bool refused(struct ssd *ssd, struct command *command)
{
	if (!ssd->read_only)
		return false;
	command->error = -EROFS;
	host_acknowledge(ssd, command);
	return true;
}

static void landed(struct sim *sim, void *context, void *item)
{
	struct ssd *ssd = context;
	struct command *command = item;

	(void)sim;
	switch (command->io->op) {
	case IO_WRITE_ZEROES:
		if (refused(ssd, command))
			return;
		server_book(&ssd->write_engine, ssd->sim->now_ns, ssd->drive->write_command_ns);
		/* fall through */
	case IO_WRITE:
		if (refused(ssd, command))
			return;
		read_partial_units(ssd, command);
		if (command->error && !command->waiting)
			host_acknowledge(ssd, command);
		else if (command->waiting)
			start_accesses(ssd, &command->accesses);
		else
			buffer_write(ssd, command);
		return;
	case IO_TRIM:
		trim(ssd, command->io);
		host_acknowledge(ssd, command);
		return;
	case IO_FLUSH:
		buffer_flush(ssd, command);
		return;
	case IO_READ:
		break;
	}
	abort();
}

static void land(struct ssd *ssd, struct command *command)
{
	const struct io *io = command->io;
	uint64_t bytes = io->op == IO_WRITE ? io->size_bytes : 0;
	uint64_t crossed_ns = server_book(&ssd->link_write, ssd->sim->now_ns,
					  warm_cost_ns(ssd, link_ns(ssd, bytes)));
	uint64_t intake_ns = (bytes + UNIT_BYTES - 1) / UNIT_BYTES * ssd->host_unit_ns;

	/* Across the link first, then through the controller into the buffer. */
	sim_fifo_put(ssd->sim, &ssd->landed, server_book(&ssd->intake, crossed_ns, warm_cost_ns(ssd, intake_ns)),
		     command);
	ssd->count.host_written_bytes += bytes;
}

void host_access_done(struct ssd *ssd, struct access *access)
{
	struct command *command = access->command;
	uint32_t bytes = access->units * UNIT_BYTES;

	if (access->is_lost)
		command->error = -EIO;
	host_free_access(ssd, access);
	if (ssd->cut)
		return; /* nobody waits for it any more */
	command->waiting--;
	if (command->io->op == IO_READ)
		send(ssd, command, bytes);
	else if (command->waiting == 0 && command->error)
		host_acknowledge(ssd, command); /* what it leaves of a unit is lost: nothing is written */
	else if (command->waiting == 0)
		buffer_write(ssd, command);
}

void host_acknowledge(struct ssd *ssd, struct command *command)
{
	sim_fifo_put(ssd->sim, &ssd->acknowledged,
		     ssd->sim->now_ns + ssd->drive->write_latency_ns, command);
}

/* ---- in and out ---- */

static void finished(struct sim *sim, void *context, void *item)
{
	struct ssd *ssd = context;
	struct command *command = item;
	struct io *io = command->io;

	io->completed_ns = sim->now_ns;
	if (command->error)
		io->error = command->error;
	io->next = NULL;
	*ssd->finished_last = io;
	ssd->finished_last = &io->next;
	command->next = ssd->free_commands;
	ssd->free_commands = command;
}

void ssd_submit(struct ssd *ssd, struct io *io)
{
	struct command *command = new_command(ssd, io);

	assert(io->offset_bytes + io->size_bytes <= ssd->drive->user_bytes);
	if (ssd->draws)
		heat_request_came(ssd);
	ssd->outstanding++;
	if (io->op == IO_READ) {
		read_submit(ssd, command);
		return;
	}
	if (io->op == IO_WRITE || io->op == IO_WRITE_ZEROES)
		rest_write_came(ssd);
	land(ssd, command);
}

void ssd_expect(const struct ssd *ssd, const struct io *io)
{
	__builtin_prefetch(&ssd->l2p[io->offset_bytes / UNIT_BYTES]);
}

static void dump(const struct ssd *ssd)
{
	fprintf(stderr, "drivebay: the model is wrong: %u requests outstanding and no event left\n"
		"  now %llu ns, buffer %u of %u units, %llu without a place, free %llu units, "
		"victims %u, retiring %u, moving %u, programs %llu to %llu under way\n",
		ssd->outstanding, (unsigned long long)ssd->sim->now_ns, ssd->buffer_used,
		ssd->buffer_units, (unsigned long long)(ssd->slot_tail - ssd->slot_head),
		(unsigned long long)map_free_units(ssd), ssd->unretired, ssd->retirement_count,
		ssd->gc_under_way, (unsigned long long)ssd->oldest_flying,
		(unsigned long long)ssd->program_number);
	for (uint32_t i = 0; i < ssd->drive->dies; i++)
		if (ssd->dies[i].state != DIE_IDLE || ssd->dies[i].program_count)
			fprintf(stderr, "  die %u: state %d, %u programs queued\n", i,
				(int)ssd->dies[i].state, ssd->dies[i].program_count);
}

struct io *ssd_reap(struct ssd *ssd, uint64_t until_ns)
{
	struct io *io;

	if (ssd->slc_closed)
		rest_watch(ssd, REST_SLC);
	if (gc_could_clean_ahead(ssd))
		rest_watch(ssd, REST_CLEAN);
	while (!ssd->finished) {
		if (sim_step_until(ssd->sim, until_ns))
			continue;
		if (ssd->outstanding && sim_next_ns(ssd->sim) == UINT64_MAX) {
			dump(ssd);
			abort();
		}
		sim_advance(ssd->sim, until_ns);
		return NULL;
	}
	io = ssd->finished;
	ssd->finished = io->next;
	if (!ssd->finished)
		ssd->finished_last = &ssd->finished;
	if (--ssd->outstanding == 0)
		ssd->rested_since_ns = io->completed_ns;
	return io;
}

void host_init(struct ssd *ssd)
{
	ssd->finished_last = &ssd->finished;
	sim_fifo_init(ssd->sim, &ssd->arrivals, read_arrived, ssd);
	sim_fifo_init(ssd->sim, &ssd->landed, landed, ssd);
	sim_fifo_init(ssd->sim, &ssd->sent, finished, ssd);
	sim_fifo_init(ssd->sim, &ssd->acknowledged, finished, ssd);
}

void host_free(struct ssd *ssd)
{
	sim_fifo_free(&ssd->arrivals);
	sim_fifo_free(&ssd->landed);
	sim_fifo_free(&ssd->sent);
	sim_fifo_free(&ssd->acknowledged);
}
