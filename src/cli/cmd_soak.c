/*
 * cmd_soak.c - random drives under random requests, each from a seed.
 *
 * Each seed runs in a process of its own, so that an assertion of the model ends that seed and
 * not the soak; the parent, which knows the drive too, prints it. A seed that hangs is ended
 * by a limit on processor time.
 */
#include "cli/command.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "base/rng.h"
#include "base/units.h"
#include "cli/soak_cuts.h"
#include "ssd/ssd.h"

enum { SLOTS = 64, HANG_S = 120, STOPS = 4 };

static char *seed_text, *count_text;

static const struct poptOption options[] = {
	{ "seed", '\0', POPT_ARG_STRING, &seed_text, 0, "the first seed (default 1)", "N" },
	{ "count", '\0', POPT_ARG_STRING, &count_text, 0, "how many seeds, one after another (default 100)", "N" },
	POPT_TABLEEND
};

/* ---- a drive ---- */

/* What a value is drawn from: every power of two of the range as likely as the next. */
struct range {
	uint64_t min, max, multiple; /* multiple 0: nobody said how to draw this value */
	bool may_be_absent;          /* 0 in half of the drives */
};

static const struct range ranges[DRIVE_VALUE_COUNT] = {
	[DRIVE_VALUE_user_bytes] = { 1, 1, 1 }, /* follows from the others */
	[DRIVE_VALUE_sector_bytes] = { 512, 512, 512 },
	[DRIVE_VALUE_channels] = { 1, 4, 1 },
	[DRIVE_VALUE_dies] = { 1, 16, 1 },
	[DRIVE_VALUE_planes] = { 1, 4, 1 },
	[DRIVE_VALUE_page_bytes] = { 4096, 16384, 4096 },
	[DRIVE_VALUE_pages_per_block] = { 1, 64, 1 }, /* times pages_per_program */
	[DRIVE_VALUE_blocks_per_plane] = { 12, 256, 1 },
	[DRIVE_VALUE_pages_per_program] = { 1, 4, 1 },
	[DRIVE_VALUE_read_ns] = { 1000, 200000, 1 },
	[DRIVE_VALUE_read_spread_millipercent] = { 1, 60000, 1, true },
	[DRIVE_VALUE_plane_reads] = { PLANES_TOGETHER, PLANES_APART, 1 },
	[DRIVE_VALUE_nand_cache] = { NAND_CACHE_NONE, NAND_CACHE_BOTH, 1 },
	[DRIVE_VALUE_program_ns] = { 10000, 5000000, 1 },
	[DRIVE_VALUE_erase_ns] = { 10000, 20000000, 1 },
	[DRIVE_VALUE_suspend_ns] = { 1, 50000, 1, true },
	[DRIVE_VALUE_resume_ns] = { 1, 50000, 1, true },
	[DRIVE_VALUE_suspends_max] = { 1, 16, 1, true },
	[DRIVE_VALUE_channel_bytes_per_s] = { 100000000, 2400000000, 1 },
	[DRIVE_VALUE_channel_command_ns] = { 1, 1000000, 1, true },
	[DRIVE_VALUE_read_command_ns] = { 1, 20000, 1, true },
	[DRIVE_VALUE_read_access_ns] = { 1, 20000, 1, true },
	[DRIVE_VALUE_read_latency_ns] = { 1, 50000, 1, true },
	[DRIVE_VALUE_write_command_ns] = { 1, 20000, 1, true },
	[DRIVE_VALUE_write_bytes_per_s] = { 1000000, 8000000000, 1 },
	[DRIVE_VALUE_write_latency_ns] = { 1, 50000, 1, true },
	[DRIVE_VALUE_copy_unit_ns] = { 1, 20000, 1, true },
	[DRIVE_VALUE_mdts_bytes] = { 4096, 1 << 21, 4096 },
	[DRIVE_VALUE_map_cache_bytes] = { 4096, 1 << 17, 1, true },
	[DRIVE_VALUE_map_hmb_bytes] = { 4096, 1 << 17, 1, true },
	[DRIVE_VALUE_map_page_bytes] = { 4096, 4096, 4096 },
	[DRIVE_VALUE_map_read_ns] = { 1000, 100000, 1 },
	[DRIVE_VALUE_map_miss_ns] = { 1, 20000, 1, true },
	[DRIVE_VALUE_slc_static_bytes] = { 4096, 1 << 24, 4096, true },
	[DRIVE_VALUE_slc_dynamic_bytes] = { 4096, 1 << 28, 4096, true },
	[DRIVE_VALUE_slc_program_ns] = { 1000, 500000, 1 },
	[DRIVE_VALUE_slc_read_ns] = { 1000, 50000, 1 },
	[DRIVE_VALUE_slc_idle_ns] = { 1, 1000000000, 1, true },
	[DRIVE_VALUE_slc_full] = { SLC_FULL_DIRECT, SLC_FULL_FOLD, 1 },
	[DRIVE_VALUE_endurance_cycles] = { 1, 10000, 1, true },
	[DRIVE_VALUE_rated_bytes] = { 1, 1 << 30, 1, true },
	[DRIVE_VALUE_factory_bad_millipercent] = { 1, 5000, 1, true },
	[DRIVE_VALUE_survive_erases] = { 1, 200, 1 },
	[DRIVE_VALUE_leveling_erases] = { 1, 20, 1, true },
	[DRIVE_VALUE_errors_ppb] = { 1, 1000000, 1, true },
	[DRIVE_VALUE_errors_worn_ppb] = { 1, 10000000, 1, true },
	[DRIVE_VALUE_errors_time_ppb] = { 1, 1000000, 1, true },
	[DRIVE_VALUE_errors_reads_ppb] = { 1, 1000000, 1, true },
	[DRIVE_VALUE_correctable_ppb] = { 1, 10000000, 1, true },
	[DRIVE_VALUE_retries_max] = { 1, 10, 1, true },
	[DRIVE_VALUE_retry_leaves_millipercent] = { 1, 100000, 1, true },
	[DRIVE_VALUE_reads_max] = { 1, 10000, 1, true },
	[DRIVE_VALUE_idle_mw] = { 1, 10000, 1, true },
	[DRIVE_VALUE_die_mw] = { 1, 1000, 1, true },
	[DRIVE_VALUE_transfer_mw] = { 1, 10000, 1, true },
	[DRIVE_VALUE_sleep_mw] = { 1, 1000, 1, true },
	[DRIVE_VALUE_sleep_after_ns] = { 1, 10000000, 1, true },
	[DRIVE_VALUE_wake_ns] = { 1, 1000000, 1, true },
	[DRIVE_VALUE_rise_millikelvin_per_w] = { 1, 100000, 1, true },
	[DRIVE_VALUE_thermal_ns] = { 1, 1000000000, 1, true },
	[DRIVE_VALUE_throttle_celsius] = { 1, 100, 1, true },
	[DRIVE_VALUE_throttle_millipercent] = { 1000, 100000, 1 },
	[DRIVE_VALUE_link_generation] = { 1, 6, 1 },
	[DRIVE_VALUE_link_lanes] = { 1, 16, 1 },
	[DRIVE_VALUE_link_payload_millipercent] = { 50000, 100000, 1 },
	[DRIVE_VALUE_buffer_bytes] = { 4096, 1 << 24, 4096 },
	[DRIVE_VALUE_buffer_kind] = { BUFFER_CAPACITOR, BUFFER_VOLATILE, 1 },
	[DRIVE_VALUE_gc_policy] = { GC_GREEDY, GC_COST_BENEFIT, 1 },
	[DRIVE_VALUE_gc_choices] = { 1, 64, 1 },
	[DRIVE_VALUE_gc_streams] = { GC_STREAMS_SHARED, GC_STREAMS_SEPARATE, 1 },
	[DRIVE_VALUE_gc_burst] = { 1, 1000, 1, true },
	[DRIVE_VALUE_gc_idle_ns] = { 1, 1000000000, 1, true },
	[DRIVE_VALUE_idle_free_millipercent] = { 1, 20000, 1, true },
	[DRIVE_VALUE_reserve_millipercent] = { 1, 20000, 1, true },
};

static const size_t offsets[DRIVE_VALUE_COUNT] = {
#define OFFSET(section, key, field, type, help) [DRIVE_VALUE_##field] = offsetof(struct drive, field),
	DRIVE_VALUES(OFFSET)
#undef OFFSET
};

static uint64_t draw(struct rng *rng, const struct range *range)
{
	uint64_t span = range->max - range->min, value;
	unsigned bits = 0;

	assert(range->multiple);
	if (range->may_be_absent && rng_below(rng, 2))
		return 0;
	while (span >> bits)
		bits++;
	do {
		value = rng_below(rng, 1ull << rng_below(rng, bits + 1));
	} while (value > span);
	return range->min + value / range->multiple * range->multiple;
}

static uint64_t power_of_two(uint64_t value)
{
	uint64_t power = 1;

	while (power * 2 <= value)
		power *= 2;
	return power;
}

static bool is_small(const struct drive *drive)
{
	return drive_raw_bytes(drive) <= 1ull << 28;
}

/* The most that the check lets the host have, or less: the edge is where cleaning has least room. */
static bool give_user(struct drive *drive, struct rng *rng)
{
	uint64_t units = drive_raw_bytes(drive) / UNIT_BYTES;

	for (; units >= 64; units -= units / 64) {
		drive->user_bytes = units * UNIT_BYTES;
		if (drive_check(drive) == 0)
			break;
	}
	if (rng_below(rng, 2))
		drive->user_bytes = (units - rng_below(rng, units / 2)) * UNIT_BYTES;
	return units >= 64 && drive_check(drive) == 0;
}

static bool draw_drive(struct drive *drive, struct rng *rng)
{
	*drive = (struct drive){ .scale = 1 };
	for (size_t i = 0; i < DRIVE_VALUE_COUNT; i++)
		*(uint64_t *)(void *)((char *)drive + offsets[i]) = draw(rng, &ranges[i]);
	drive->pages_per_block *= drive->pages_per_program;
	drive->link_lanes = power_of_two(drive->link_lanes);
	drive->dies = (drive->dies + drive->channels - 1) / drive->channels * drive->channels;
	if (rng_below(rng, 2))
		drive->sector_bytes = UNIT_BYTES;
	if (rng_below(rng, 2))
		drive->slc_static_bytes = drive->slc_dynamic_bytes = 0;
	if (rng_below(rng, 2)) /* the smallest that works */
		drive->buffer_bytes = drive->planes * drive->page_bytes * drive->pages_per_program;
	if (!drive->idle_mw)
		drive->throttle_celsius = 0;
	if (!drive->endurance_cycles)
		drive->correctable_ppb = 0;
	if (drive->factory_bad_millipercent > drive->reserve_millipercent)
		drive->factory_bad_millipercent = drive->reserve_millipercent;
	if (drive->map_cache_bytes) /* parts of a page, so that a small drive has many */
		drive->scale = 1u << rng_below(rng, 8);
	return is_small(drive) && give_user(drive, rng);
}

static struct drive drive_of_seed(uint64_t seed)
{
	struct rng rng = rng_stream(seed, "drive");
	struct drive drive;

	while (!draw_drive(&drive, &rng))
		;
	return drive;
}

static void print_drive(const struct drive *drive, uint64_t seed)
{
	printf("name: soak-%" PRIu64 "\nmodel: random drive of seed %" PRIu64 "\nclass: enterprise\n",
	       seed, seed);
	if (drive->scale > 1)
		printf("# run as if scaled by %" PRIu32 " already: caches of parts of map pages\n",
		       drive->scale);
	drive_print_values(drive, "drawn", stdout);
}

/* ---- what is done to it ---- */

struct soak {
	uint64_t seed;
	const struct drive *drive;
	struct rng rng;
	struct sim sim;
	struct ssd *ssd;
	struct io ios[SLOTS];
	bool is_out[SLOTS];
	unsigned depth, in_flight;
	unsigned reads, trims, flushes, pauses; /* of 1000; the rest writes */
	uint64_t size_units;                    /* the largest */
	uint64_t hot_units;                     /* half of the requests go there */
	bool is_sequential;
	uint64_t next_unit;
	uint64_t requests, units, digest, last_ns;
};

static void wrong(const char *what)
{
	fflush(stdout);
	fprintf(stderr, "drivebay: soak: %s\n", what);
	abort();
}

static void must(bool holds, const char *what)
{
	if (!holds)
		wrong(what);
}

static void completed(struct soak *soak, struct io *io)
{
	size_t slot = (size_t)(io - soak->ios);

	must(slot < SLOTS && soak->is_out[slot], "a request came back that was not outstanding");
	must(!io->error || drive_wears(soak->drive), "a request failed");
	must(io->completed_ns >= io->due_ns, "a request came back before it was sent");
	must(io->completed_ns >= soak->last_ns, "requests came back out of the order of time");
	must(io->completed_ns <= soak->sim.now_ns, "a request came back from the future");
	soak->last_ns = io->completed_ns;
	soak->digest = (soak->digest ^ io->completed_ns ^ slot) * 0x100000001b3;
	soak->is_out[slot] = false;
	soak->in_flight--;
}

static void reap_one(struct soak *soak)
{
	struct io *io = ssd_reap(soak->ssd, UINT64_MAX);

	must(io != NULL, "nothing came back while requests were outstanding");
	completed(soak, io);
}

static void drain(struct soak *soak)
{
	while (soak->in_flight)
		reap_one(soak);
	ssd_settle(soak->ssd);
	if (ssd_broken_law(soak->ssd))
		wrong(ssd_broken_law(soak->ssd));
}

static void pass_time(struct soak *soak)
{
	uint64_t until_ns = soak->sim.now_ns + rng_below(&soak->rng, 1ull << rng_below(&soak->rng, 32));
	struct io *io;

	while ((io = ssd_reap(soak->ssd, until_ns)))
		completed(soak, io);
}

static void fill_in(struct soak *soak, struct io *io)
{
	struct rng *rng = &soak->rng;
	uint64_t user = soak->drive->user_bytes / UNIT_BYTES, draw_1000 = rng_below(rng, 1000);
	uint64_t units = 1 + rng_below(rng, soak->size_units);
	uint64_t space = rng_below(rng, 2) ? user : soak->hot_units;

	*io = (struct io){ .op = IO_FLUSH, .due_ns = soak->sim.now_ns };
	if (draw_1000 < soak->flushes)
		return;
	draw_1000 -= soak->flushes;
	io->op = draw_1000 < soak->trims ? (draw_1000 % 4 ? IO_TRIM : IO_WRITE_ZEROES) :
		 draw_1000 < soak->trims + soak->reads ? IO_READ : IO_WRITE;
	if (soak->next_unit + units > user)
		soak->next_unit = 0;
	io->offset_bytes = UNIT_BYTES * (soak->is_sequential ? soak->next_unit :
					 rng_below(rng, (space < user - units ? space : user - units) + 1));
	io->size_bytes = (uint32_t)(units * UNIT_BYTES);
	soak->next_unit += units;
	if (soak->drive->sector_bytes < UNIT_BYTES && rng_below(rng, 4) == 0)
		io->size_bytes -= (uint32_t)(rng_below(rng, 8) * 512);
	soak->units += io->op == IO_READ ? 0 : units;
}

static void send_one(struct soak *soak)
{
	size_t slot = 0;

	while (soak->in_flight >= soak->depth)
		reap_one(soak);
	while (soak->is_out[slot])
		slot++;
	fill_in(soak, &soak->ios[slot]);
	soak->is_out[slot] = true;
	soak->in_flight++;
	soak->requests++;
	ssd_submit(soak->ssd, &soak->ios[slot]);
	if (rng_below(&soak->rng, 1000) < soak->pauses)
		pass_time(soak);
}

static void draw_workload(struct soak *soak)
{
	struct rng *rng = &soak->rng;
	uint64_t user = soak->drive->user_bytes / UNIT_BYTES;
	uint64_t size = 1ull << rng_below(rng, 11);

	soak->depth = 1u << rng_below(rng, 7);
	soak->reads = (unsigned)rng_below(rng, 600);
	soak->trims = rng_below(rng, 2) ? (unsigned)rng_below(rng, 300) : 0;
	soak->flushes = rng_below(rng, 2) ? (unsigned)rng_below(rng, 100) : 0;
	soak->pauses = rng_below(rng, 2) ? (unsigned)rng_below(rng, 20) : 0;
	soak->size_units = size < user / 2 ? size : user / 2;
	soak->hot_units = 1 + rng_below(rng, user);
	soak->is_sequential = rng_below(rng, 4) == 0;
}

/* The state goes through a file into another drive, which has to be the same and goes on. */
static void save_and_load(struct soak *soak)
{
	_cleanup_close_ int fd = memfd_create("soak", MFD_CLOEXEC);
	struct ssd_counters before, after;

	must(fd >= 0, "no memory for a saved state");
	must(ssd_save(soak->ssd, fd) == 0, "the state could not be saved");
	ssd_count(soak->ssd, &before);
	ssd_free(soak->ssd);
	sim_free(&soak->sim);
	sim_init(&soak->sim);
	soak->last_ns = 0;
	soak->ssd = ssd_new(soak->drive, &soak->sim, soak->seed);
	must(lseek(fd, 0, SEEK_SET) == 0, "a saved state could not be read again");
	must(ssd_load(soak->ssd, fd) == 0, fail_message());
	ssd_count(soak->ssd, &after);
	must(before.mapped_units == after.mapped_units, "a loaded drive holds other units");
	must(before.erases == after.erases, "a loaded drive counts other erases");
	must(before.programs == after.programs, "a loaded drive counts other programs");
	if (ssd_broken_law(soak->ssd))
		wrong(ssd_broken_law(soak->ssd));
}

static void format_it(struct soak *soak)
{
	struct ssd_counters count;

	ssd_format(soak->ssd);
	ssd_count(soak->ssd, &count);
	must(count.mapped_units == 0, "a formatted drive holds units");
}

/* Between stops: one workload, until a part of the drive was written over or it grows long. */
static void work(struct soak *soak)
{
	uint64_t end = soak->units + soak->drive->user_bytes / UNIT_BYTES;

	draw_workload(soak);
	for (int i = 0; i < 10000 && soak->units < end; i++)
		send_one(soak);
	drain(soak);
}

static void run_seed(struct soak *soak)
{
	soak->rng = rng_stream(soak->seed, "soak");
	sim_init(&soak->sim);
	soak->ssd = ssd_new(soak->drive, &soak->sim, soak->seed);
	for (int stop = 0; stop < STOPS; stop++) {
		work(soak);
		if (stop == STOPS / 2 - 1)
			save_and_load(soak);
		else if (rng_below(&soak->rng, 8) == 0)
			format_it(soak);
	}
	ssd_free(soak->ssd);
	sim_free(&soak->sim);
}

/* ---- one process for each seed ---- */

struct outcome {
	uint64_t requests, cuts, digest;
};

static void child(uint64_t seed, const struct drive *drive, int fd)
{
	struct rlimit no_core = { 0, 0 }, seconds = { HANG_S, HANG_S };
	struct soak_cuts_totals totals = { 0, 0 };
	static struct soak soak;
	struct outcome outcome;

	setrlimit(RLIMIT_CORE, &no_core);
	setrlimit(RLIMIT_CPU, &seconds);
	soak = (struct soak){ .seed = seed, .drive = drive };
	run_seed(&soak);
	if (soak_cuts(drive, seed, &totals))
		wrong(fail_message());
	outcome = (struct outcome){ soak.requests + totals.requests, totals.power_cuts, soak.digest };
	_exit(write(fd, &outcome, sizeof(outcome)) == sizeof(outcome) ? 0 : 1);
}

static int soak_one(uint64_t seed, const struct drive *drive, struct outcome *out)
{
	int ends[2], status;
	bool whole;
	pid_t pid;

	if (pipe(ends) < 0)
		return fail(errno, "no pipe to seed %" PRIu64 ": %s", seed, strerror(errno));
	fflush(stdout);
	pid = fork();
	if (pid < 0) {
		close(ends[0]);
		close(ends[1]);
		return fail(EAGAIN, "no process for seed %" PRIu64, seed);
	}
	if (pid == 0)
		child(seed, drive, ends[1]);
	close(ends[1]);
	whole = read(ends[0], out, sizeof(*out)) == sizeof(*out);
	close(ends[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (whole && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	print_drive(drive, seed);
	if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
		return fail(EIO, "seed %" PRIu64 " did not end in %d s; the drive is above; again: "
			    "drivebay soak --seed %" PRIu64 " --count 1", seed, HANG_S, seed);
	return fail(EIO, "seed %" PRIu64 " failed; the drive is above; again: "
		    "drivebay soak --seed %" PRIu64 " --count 1", seed, seed);
}

static int parse_number(const char *option, const char *text, uint64_t min, uint64_t *out)
{
	char why[256];

	if (!text)
		return 0;
	if (parse_count(text, out)) {
		snprintf(why, sizeof(why), "%s", fail_message());
		return fail(EINVAL, "--%s: %s", option, why);
	}
	if (*out < min)
		return fail(EINVAL, "--%s: %s is too few; 1 would do", option, text);
	return 0;
}

static int run_soak(int argument_count, const char **arguments)
{
	uint64_t first = 1, count = 100, requests = 0, cuts = 0, digest = 0;
	int err = parse_number("seed", seed_text, 0, &first);

	(void)argument_count;
	(void)arguments;
	if (!err)
		err = parse_number("count", count_text, 1, &count);
	for (uint64_t i = 0; !err && i < count; i++) {
		struct drive drive = drive_of_seed(first + i);
		struct outcome outcome = { 0, 0, 0 };

		err = soak_one(first + i, &drive, &outcome);
		requests += outcome.requests;
		cuts += outcome.cuts;
		digest = (digest ^ outcome.digest) * 0x100000001b3;
	}
	if (err)
		return command_failed(err);
	printf("%" PRIu64 " drives from seed %" PRIu64 ", %" PRIu64 " requests, %" PRIu64 " power cuts: "
	       "all laws held, nothing durable was lost; digest %016" PRIx64 "\n", count, first, requests,
	       cuts, digest);
	return EXIT_OK;
}

const struct command command_soak = {
	.name = "soak",
	.arguments = "",
	.help = "random drives, requests and power cuts: the laws of the model",
	.example = "drivebay soak --seed 1 --count 1000",
	.options = options,
	.run = run_soak,
};
