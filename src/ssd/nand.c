/*
 * nand.c - dies and channels.
 *
 * A die does one thing at a time and holds its register until the data have crossed the
 * channel. With a cache (nand.cache) it has a second register: it senses the next page, or takes
 * in the next program, meanwhile. With planes that read apart (nand.planes) each of them is a lane
 * that senses for the host on its own; garbage collection, programs and erases take all of them.
 * Who comes first on a die: reads of the host, what was suspended for
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
static void start_pulse(struct die *die);
static void page_loaded(struct die *die);
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

static bool has_cache(const struct ssd *ssd, enum nand_cache which)
{
	return ssd->drive->nand_cache & which;
}

/* ---- reads ---- */

static void start_read(struct lane *lane, struct access *access)
{
	struct die *die = lane->die;
	struct ssd *ssd = die->ssd;

	lane->sensing = access;
	die->reads_under_way++;
	ssd->count.flash_accesses++;
	if (ssd->wears)
		wear_sensed(ssd, access);
	die_begin(die, DIE_READING);
	/* All of a kind take the same tR and none is stopped: they come due in their order. */
	sim_fifo_put(ssd->sim, &ssd->senses[access->sense].sensed,
		     ssd->sim->now_ns + ssd->senses[access->sense].read_ns, lane);
}

static bool may_sense(const struct lane *lane)
{
	return !lane->sensing && (!lane->sending || has_cache(lane->die->ssd, NAND_CACHE_READ));
}

/* Reads that are not the host's take all planes. */
static bool reads_for_host(const struct die *die)
{
	const struct access *access = die->lanes->sensing ? die->lanes->sensing : die->lanes->sending;

	return die->state == DIE_READING && (!access || access->command);
}

static void start_host_reads(struct die *die)
{
	uint32_t lanes = die->ssd->lane_count;

	for (uint32_t i = 0; i < lanes && die->reads_queued; i++) {
		struct lane *lane = &die->lanes[i];

		if (!lane->host_reads.first || !may_sense(lane))
			continue;
		die->reads_queued--;
		start_read(lane, queue_take(&lane->host_reads));
	}
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

uint32_t nand_lane_of(const struct ssd *ssd, uint32_t physical)
{
	uint32_t page;

	if (ssd->lane_count == 1)
		return 0;
	page = divide(physical, ssd->by_page);
	return page - divide(physical, ssd->by_group) * ssd->lane_count;
}

static void send_read(struct lane *lane)
{
	struct ssd *ssd = lane->die->ssd;
	uint64_t cost_ns = ssd->drive->channel_command_ns +
			   lane->sensing->units * ssd->unit_transfer_ns;

	lane->sending = lane->sensing;
	lane->sensing = NULL;
	lane->sensed = false;
	ssd->count.read_units += lane->sending->units;
	sim_at(ssd->sim, &lane->sent_event,
	       server_book(&ssd->channels[lane->die->channel], ssd->sim->now_ns, cost_ns));
	if (lane->die->reads_queued && has_cache(ssd, NAND_CACHE_READ))
		die_next(lane->die);
}

static void sensed(struct sim *sim, void *context, void *item)
{
	struct lane *lane = item;

	(void)sim;
	(void)context;
	assert(lane->die->state == DIE_READING);
	if (lane->sending)
		lane->sensed = true;
	else
		send_read(lane);
}

static void queue_again(struct lane *lane, struct access *access)
{
	struct access_queue *queue = access->command ? &lane->host_reads : &lane->die->gc_reads;

	access->next = queue->first;
	if (!queue->first)
		queue->last = &access->next;
	queue->first = access;
	lane->die->reads_queued += access->command != NULL;
}

static void sent(struct sim *sim, struct event *event)
{
	struct lane *lane = container_of(event, struct lane, sent_event);
	struct die *die = lane->die;
	struct access *access = lane->sending;
	bool again = die->ssd->wears && wear_read_again(die->ssd, access);

	(void)sim;
	lane->sending = NULL;
	die->reads_under_way--;
	if (again)
		queue_again(lane, access);
	else if (!access->command)
		background_served(die);
	if (lane->sensed)
		send_read(lane);
	if (!die->reads_under_way)
		die_rest(die);
	die_next(die);
	if (again)
		return;
	if (access->kind == ACCESS_MAP && access->command)
		host_map_done(die->ssd, access);
	else if (access->kind == ACCESS_MAP)
		mapcache_loaded(die->ssd, access);
	else if (access->command)
		host_access_done(die->ssd, access);
	else
		gc_access_done(die->ssd, access);
	if (die->ssd->tired_news) {
		die->ssd->tired_news = false;
		write_engine_run(die->ssd);
	}
}

static void load_page(struct die *die)
{
	struct ssd *ssd = die->ssd;

	die->programs->chunks_left--;
	die_enter(die, DIE_LOADING,
		  server_book(&ssd->channels[die->channel], ssd->sim->now_ns,
			      ssd->drive->channel_command_ns + ssd->page_transfer_ns));
}

/* With a cache, pages of the next program cross the channel during the pulse of this one. */
static void preload(struct die *die)
{
	struct ssd *ssd = die->ssd;
	struct program *next = die->programs->next;

	if (!has_cache(ssd, NAND_CACHE_PROGRAM) || die->preloading || !next || !next->chunks_left)
		return;
	next->chunks_left--;
	die->preloading = true;
	sim_at(ssd->sim, &die->load_event,
	       server_book(&ssd->channels[die->channel], ssd->sim->now_ns,
			   ssd->drive->channel_command_ns + ssd->page_transfer_ns));
}

static void start_program(struct die *die)
{
	die->suspends = 0;
	if (die->preloading)
		die_begin(die, DIE_LOADING); /* preloaded() goes on */
	else if (die->programs->chunks_left)
		load_page(die);
	else
		start_pulse(die);
}

static void start_pulse(struct die *die)
{
	struct ssd *ssd = die->ssd;
	uint64_t pulse_ns = die->programs->slc ? ssd->drive->slc_program_ns : ssd->drive->program_ns;

	die_enter(die, DIE_PROGRAMMING, ssd->sim->now_ns + pulse_ns);
	preload(die);
	/* Reads that came while the pages crossed the channel have waited long enough. */
	if (die->reads_queued && may_stop(die))
		stop(die);
}

static void page_loaded(struct die *die)
{
	if (die->programs->chunks_left)
		load_page(die);
	else
		start_pulse(die);
}

static void preloaded(struct sim *sim, struct event *event)
{
	struct die *die = container_of(event, struct die, load_event);

	(void)sim;
	die->preloading = false;
	if (die->state == DIE_LOADING)
		page_loaded(die);
	else if (die->state == DIE_PROGRAMMING || die->stopped == DIE_PROGRAMMING)
		preload(die);
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

	if (ssd->wears)
		wear_erased(ssd, superblock, (uint32_t)(die - ssd->dies));
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
		start_read(die->lanes, queue_take(&die->gc_reads));
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
	bool overdue = background_is_overdue(die);

	if (!overdue && die->reads_queued)
		start_host_reads(die);
	if (!die->reads_under_way)
		start_background(die, overdue);
}

static void die_event(struct sim *sim, struct event *event)
{
	struct die *die = container_of(event, struct die, event);

	(void)sim;
	switch (die->state) {
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
	case DIE_READING:
		break;
	}
	abort();
}

void nand_read(struct ssd *ssd, struct access *access)
{
	struct die *die = &ssd->dies[access->die];

	if (access->command) {
		queue_put(&die->lanes[access->lane].host_reads, access);
		die->reads_queued++;
	} else {
		queue_put(&die->gc_reads, access);
		background_added(die);
	}
	if (die->state == DIE_IDLE || (ssd->reads_overlap && access->command && reads_for_host(die)))
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
		.lane = command ? (uint16_t)nand_lane_of(ssd, physical) : 0,
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
	if (die->state == DIE_PROGRAMMING)
		preload(die);
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
	sim_fifo_init(ssd->sim, &ssd->senses[kind].sensed, sensed, ssd);
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

static void lanes_init(struct die *die, struct lane *lanes)
{
	die->lanes = lanes;
	for (uint32_t i = 0; i < die->ssd->lane_count; i++) {
		lanes[i].die = die;
		lanes[i].sent_event.fire = sent;
		queue_init(&lanes[i].host_reads);
	}
}

void nand_init(struct ssd *ssd)
{
	senses_init(ssd);
	ssd->channels = xcalloc(ssd->drive->channels, sizeof(*ssd->channels));
	ssd->dies = xcalloc(ssd->drive->dies, sizeof(*ssd->dies));
	ssd->lane_count = ssd->drive->plane_reads == PLANES_APART ? (uint32_t)ssd->drive->planes : 1;
	ssd->reads_overlap = ssd->lane_count > 1 || has_cache(ssd, NAND_CACHE_READ);
	ssd->lanes = xcalloc(ssd->drive->dies * ssd->lane_count, sizeof(*ssd->lanes));
	for (uint32_t i = 0; i < ssd->drive->dies; i++) {
		struct die *die = &ssd->dies[i];

		die->event.fire = die_event;
		die->ssd = ssd;
		die->waiting_since_ns = UINT64_MAX;
		die->channel = i % (uint32_t)ssd->drive->channels;
		queue_init(&die->gc_reads);
		die->load_event.fire = preloaded;
		lanes_init(die, &ssd->lanes[i * ssd->lane_count]);
		die->programs_last = &die->programs;
	}
}

void nand_free(struct ssd *ssd)
{
	for (unsigned i = 0; i < SENSES; i++)
		sim_fifo_free(&ssd->senses[i].sensed);
	free(ssd->channels);
	free(ssd->lanes);
	free(ssd->dies);
}
