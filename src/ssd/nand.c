/*
 * nand.c - dies and channels.
 *
 * A die does one thing at a time and holds its register until the data have crossed the
 * channel (no cache reads). Who comes first on a die: reads of the host, what was suspended for
 * them, reads of garbage collection, erases, programs; but one of the latter when none of them
 * got anywhere for four program times. A read of the host stops a program or an erase that is
 * under way, up to suspends_max times each.
 *
 * A channel serves transfers in the order in which they become ready. Programs cross it page
 * by page, so that a read waits for one page at most, not for the whole program.
 */
#include "ssd/state.h"

#include <stdlib.h>

#include "base/fail.h"

/* Programs that one die may have queued, the one under way included. */
enum { DIE_PROGRAMS = 2 };

static void die_next(struct die *die);
static bool may_stop(const struct die *die);
static void stop(struct die *die);
static void background_added(struct die *die);
static void background_served(struct die *die);

static void queue_init(struct access_queue *queue)
{
	queue->first = NULL;
	queue->last = &queue->first;
}

static void queue_put(struct access_queue *queue, struct access *access)
{
	access->next = NULL;
	*queue->last = access;
	queue->last = &access->next;
}

static struct access *queue_take(struct access_queue *queue)
{
	struct access *access = queue->first;

	queue->first = access->next;
	if (!queue->first)
		queue->last = &queue->first;
	return access;
}

static void die_begin(struct die *die, enum die_state state)
{
	if (die->state == DIE_IDLE)
		die->busy_since_ns = die->ssd->sim->now_ns;
	die->state = state;
}

static void die_enter(struct die *die, enum die_state state, uint64_t until_ns)
{
	die_begin(die, state);
	sim_at(die->ssd->sim, &die->event, until_ns);
}

static void die_rest(struct die *die)
{
	die->busy_ns += die->ssd->sim->now_ns - die->busy_since_ns;
	die->busy_since_ns = die->ssd->sim->now_ns;
	die->state = DIE_IDLE;
}

static void start_read(struct die *die, struct access *access)
{
	struct ssd *ssd = die->ssd;

	die->reading = access;
	ssd->count.flash_accesses++;
	die_begin(die, DIE_SENSING);
	/* All of a kind take the same tR and none is stopped: they come due in their order. */
	sim_fifo_put(ssd->sim, &ssd->senses[access->sense].sensed,
		     ssd->sim->now_ns + ssd->senses[access->sense].read_ns, die);
}

uint32_t nand_sense_of(const struct ssd *ssd, uint32_t physical)
{
	uint32_t group, page;

	if (ssd->slc_count && ssd->superblocks[superblock_of(ssd, physical)].slc)
		return SENSE_SLC;
	if (ssd->page_types == 1)
		return 0;
	group = divide(physical, ssd->by_group);
	page = group - divide(group, ssd->by_page_type) * ssd->by_page_type.divisor;
	return page * ssd->page_types / ssd->by_page_type.divisor;
}

static void send_read(struct sim *sim, void *context, void *item)
{
	struct ssd *ssd = context;
	struct die *die = item;
	uint64_t cost_ns = ssd->drive->channel_command_ns +
			   die->reading->units * ssd->unit_transfer_ns;

	assert(die->state == DIE_SENSING);
	ssd->count.read_units += die->reading->units;
	die_enter(die, DIE_SENDING,
		  server_book(&ssd->channels[die->channel], sim->now_ns, cost_ns));
}

static void read_done(struct die *die)
{
	struct access *access = die->reading;

	die->reading = NULL;
	if (!access->command)
		background_served(die);
	die_rest(die);
	die_next(die);
	if (access->kind == ACCESS_MAP && access->command)
		host_map_done(die->ssd, access);
	else if (access->kind == ACCESS_MAP)
		mapcache_loaded(die->ssd, access);
	else if (access->command)
		host_access_done(die->ssd, access);
	else
		gc_access_done(die->ssd, access);
}

static void load_page(struct die *die)
{
	struct ssd *ssd = die->ssd;

	die->programs->chunks_left--;
	die_enter(die, DIE_LOADING,
		  server_book(&ssd->channels[die->channel], ssd->sim->now_ns,
			      ssd->drive->channel_command_ns + ssd->page_transfer_ns));
}

static void start_program(struct die *die)
{
	die->suspends = 0;
	load_page(die);
}

static void start_pulse(struct die *die)
{
	struct ssd *ssd = die->ssd;
	uint64_t pulse_ns = die->programs->slc ? ssd->drive->slc_program_ns : ssd->drive->program_ns;

	die_enter(die, DIE_PROGRAMMING, ssd->sim->now_ns + pulse_ns);
	/* Reads that came while the pages crossed the channel have waited long enough. */
	if (die->host_reads.first && may_stop(die))
		stop(die);
}

static void page_loaded(struct die *die)
{
	if (die->programs->chunks_left)
		load_page(die);
	else
		start_pulse(die);
}

static void program_done(struct die *die)
{
	struct program *program = die->programs;

	die->programs = program->next;
	if (!die->programs)
		die->programs_last = &die->programs;
	die->program_count--;
	if (program->slc)
		die->ssd->count.slc_programs++;
	else
		die->ssd->count.programs++;
	background_served(die);
	die_rest(die);
	die_next(die);
	buffer_program_done(die->ssd, program);
}

static bool has_erase(const struct die *die)
{
	return die->erased < die->ssd->erase_tail;
}

static void start_erase(struct die *die)
{
	die->suspends = 0;
	die_enter(die, DIE_ERASING, die->ssd->sim->now_ns + die->ssd->drive->erase_ns);
}

static void erase_done(struct die *die)
{
	struct ssd *ssd = die->ssd;
	uint32_t superblock = ssd->erases[die->erased++ % ssd->erase_ring];

	ssd->count.erases++;
	background_served(die);
	die_rest(die);
	die_next(die);
	gc_erase_done(ssd, superblock);
}

static void stop(struct die *die)
{
	struct ssd *ssd = die->ssd;

	die->stopped = die->state;
	die->remaining_ns = die->event.at_ns - ssd->sim->now_ns + ssd->drive->resume_ns;
	die->suspends++;
	ssd->count.suspends++;
	sim_cancel(ssd->sim, &die->event);
	die_enter(die, DIE_STOPPING, ssd->sim->now_ns + ssd->drive->suspend_ns);
}

static void go_on(struct die *die)
{
	enum die_state stopped = die->stopped;

	die->stopped = DIE_IDLE;
	die_enter(die, stopped, die->ssd->sim->now_ns + die->remaining_ns);
}

static bool has_background(const struct die *die)
{
	return die->stopped != DIE_IDLE || die->gc_reads.first || die->programs || has_erase(die);
}

/* Work that is not the host's reads has come. */
static void background_added(struct die *die)
{
	if (die->waiting_since_ns == UINT64_MAX)
		die->waiting_since_ns = die->ssd->sim->now_ns;
}

/* A piece of it is done. */
static void background_served(struct die *die)
{
	die->waiting_since_ns = has_background(die) ? die->ssd->sim->now_ns : UINT64_MAX;
}

/*
 * So that an endless stream of reads of the host cannot hold back programs, erases and cleaning
 * for ever: when none of these got anywhere for four program times, one of them goes first.
 */
static bool background_is_overdue(const struct die *die)
{
	const struct ssd *ssd = die->ssd;

	return die->waiting_since_ns != UINT64_MAX &&
	       ssd->sim->now_ns - die->waiting_since_ns > 4 * ssd->drive->program_ns;
}

/*
 * Worth stopping for a read: it may be stopped once more, and would not be finished anyway by
 * the time it has stopped.
 */
static bool may_stop(const struct die *die)
{
	const struct ssd *ssd = die->ssd;

	if (die->state != DIE_PROGRAMMING && die->state != DIE_ERASING)
		return false;
	return die->suspends < ssd->drive->suspends_max && !background_is_overdue(die) &&
	       die->event.at_ns - ssd->sim->now_ns > ssd->drive->suspend_ns;
}

/* Reads of garbage collection first, but in turn with the others when the host leaves little. */
static void start_background(struct die *die, bool in_turn)
{
	bool others = die->programs || has_erase(die);

	if (die->stopped != DIE_IDLE) {
		go_on(die);
	} else if (die->gc_reads.first && !(in_turn && others && die->gc_read_last)) {
		die->gc_read_last = true;
		start_read(die, queue_take(&die->gc_reads));
	} else if (has_erase(die)) {
		die->gc_read_last = false;
		start_erase(die);
	} else if (die->programs) {
		die->gc_read_last = false;
		start_program(die);
	}
}

static void die_next(struct die *die)
{
	if (background_is_overdue(die))
		start_background(die, true);
	else if (die->host_reads.first)
		start_read(die, queue_take(&die->host_reads));
	else
		start_background(die, false);
}

static void die_event(struct sim *sim, struct event *event)
{
	struct die *die = container_of(event, struct die, event);

	(void)sim;
	switch (die->state) {
	case DIE_SENDING:
		read_done(die);
		return;
	case DIE_LOADING:
		page_loaded(die);
		return;
	case DIE_PROGRAMMING:
		program_done(die);
		return;
	case DIE_ERASING:
		erase_done(die);
		return;
	case DIE_STOPPING:
		die_rest(die);
		die_next(die);
		return;
	case DIE_IDLE:
	case DIE_SENSING:
		break;
	}
	abort();
}

void nand_read(struct ssd *ssd, struct access *access)
{
	struct die *die = &ssd->dies[access->die];

	queue_put(access->command ? &die->host_reads : &die->gc_reads, access);
	if (!access->command)
		background_added(die);
	if (die->state == DIE_IDLE)
		die_next(die);
	else if (access->command && may_stop(die))
		stop(die);
}

struct access *nand_map_access(struct ssd *ssd, struct command *command, uint32_t physical)
{
	struct access *access = host_new_access(ssd);

	*access = (struct access){
		.command = command,
		.kind = ACCESS_MAP,
		.die = die_of(ssd, physical),
		.units = ssd->map_page_units,
		.group = divide(physical, ssd->by_group),
		.sense = SENSE_MAP,
	};
	return access;
}

bool nand_takes_program(const struct ssd *ssd, uint32_t die)
{
	return ssd->dies[die].program_count < DIE_PROGRAMS;
}

void nand_program(struct ssd *ssd, struct program *program)
{
	struct die *die = &ssd->dies[program->die];

	assert(die->program_count < DIE_PROGRAMS);
	program->next = NULL;
	program->chunks_left = (uint32_t)ssd->drive->planes *
			       (program->slc ? 1 : (uint32_t)ssd->drive->pages_per_program);
	*die->programs_last = program;
	die->programs_last = &program->next;
	die->program_count++;
	background_added(die);
	if (die->state == DIE_IDLE)
		die_next(die);
}

void nand_erase(struct ssd *ssd, uint32_t superblock)
{
	ssd->erases[ssd->erase_tail++ % ssd->erase_ring] = superblock;
	ssd->superblocks[superblock].erases_left = (uint32_t)ssd->drive->dies;
	for (uint32_t i = 0; i < ssd->drive->dies; i++) {
		background_added(&ssd->dies[i]);
		if (ssd->dies[i].state == DIE_IDLE)
			die_next(&ssd->dies[i]);
	}
}

/* Page t of the n of a word line: from spread below the mean to spread above it. */
static uint64_t page_type_ns(const struct drive *drive, uint32_t t, uint32_t n)
{
	uint64_t least_ns = drive->read_ns * (100000 - drive->read_spread_millipercent) / 100000;

	return n == 1 ? drive->read_ns : least_ns + 2 * (drive->read_ns - least_ns) * t / (n - 1);
}

static void sense_init(struct ssd *ssd, unsigned kind, uint64_t read_ns)
{
	ssd->senses[kind].read_ns = read_ns;
	sim_fifo_init(ssd->sim, &ssd->senses[kind].sensed, send_read, ssd);
}

static void senses_init(struct ssd *ssd)
{
	const struct drive *drive = ssd->drive;
	uint64_t pages = drive->pages_per_program;

	ssd->page_types = 1;
	if (drive->read_spread_millipercent)
		ssd->page_types = (uint32_t)(pages < PAGE_TYPES_MAX ? pages : PAGE_TYPES_MAX);
	ssd->by_page_type = divider_of((uint32_t)pages);
	for (uint32_t t = 0; t < ssd->page_types; t++)
		sense_init(ssd, t, page_type_ns(drive, t, ssd->page_types));
	if (ssd->slc_static + ssd->slc_dynamic)
		sense_init(ssd, SENSE_SLC, drive->slc_read_ns);
	if (ssd->map_units)
		sense_init(ssd, SENSE_MAP, drive->map_read_ns);
}

void nand_init(struct ssd *ssd)
{
	senses_init(ssd);
	ssd->channels = xcalloc(ssd->drive->channels, sizeof(*ssd->channels));
	ssd->dies = xcalloc(ssd->drive->dies, sizeof(*ssd->dies));
	for (uint32_t i = 0; i < ssd->drive->dies; i++) {
		struct die *die = &ssd->dies[i];

		die->event.fire = die_event;
		die->ssd = ssd;
		die->waiting_since_ns = UINT64_MAX;
		die->channel = i % (uint32_t)ssd->drive->channels;
		queue_init(&die->host_reads);
		queue_init(&die->gc_reads);
		die->programs_last = &die->programs;
	}
}

void nand_free(struct ssd *ssd)
{
	for (unsigned i = 0; i < SENSES; i++)
		sim_fifo_free(&ssd->senses[i].sensed);
	free(ssd->channels);
	free(ssd->dies);
}
