/*
 * test_age.c - a drive put into the state of a smaller one, against one that was really written.
 */
#include "tiny_drive.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/rng.h"

/* A drive and the time it lives in; the pointers of struct ssd go into it. */
struct world {
	struct drive drive;
	struct sim sim;
	struct ssd *ssd;
};

/* 512 superblocks of 64 programs of 6 units, 22 % more than the user has. */
static struct drive whole(void)
{
	struct drive description = tiny_drive();

	description.planes = 2;
	description.pages_per_program = 3;
	description.pages_per_block = 96;
	description.blocks_per_plane = 512;
	description.user_bytes = 161000ull * UNIT_BYTES;
	description.buffer_bytes = 64 * UNIT_BYTES;
	description.gc_policy = GC_SAMPLED;
	description.gc_choices = 8;
	return description;
}

static struct world *world_of(struct drive description, uint32_t scale, bool blank)
{
	struct world *world = xcalloc(1, sizeof(*world));

	world->drive = description;
	if (drive_check(&world->drive) || drive_scale(&world->drive, scale))
		tap_fail("%s", fail_message());
	sim_init(&world->sim);
	world->ssd = (blank ? ssd_new_blank : ssd_new)(&world->drive, &world->sim, 1);
	return world;
}

static void end(struct world *world)
{
	ssd_settle(world->ssd);
	check(ssd_broken_law(world->ssd) == NULL);
	ssd_free(world->ssd);
	sim_free(&world->sim);
	free(world);
}

static void request(struct world *world, enum io_op op, uint64_t unit, uint32_t units)
{
	struct io io = { .op = op, .size_bytes = units * UNIT_BYTES, .offset_bytes = unit * UNIT_BYTES };

	ssd_submit(world->ssd, &io);
	check(ssd_reap(world->ssd, UINT64_MAX) == &io);
}

/* So many writes as the drive has units, times `passes`: 80 % of them to the first fifth of it. */
static void wear_in(struct world *world, double passes, uint64_t seed)
{
	struct rng rng = rng_stream(seed, "wear");
	uint64_t units = world->ssd->user_units, hot = units / 5, count = (uint64_t)(passes * (double)units);

	for (uint64_t i = 0; i < count; i++)
		request(world, IO_WRITE, rng_below(&rng, 5) ? rng_below(&rng, hot) :
					 hot + rng_below(&rng, units - hot), 1);
}

static void fill(struct world *world)
{
	uint64_t units = world->ssd->user_units;

	for (uint64_t unit = 0; unit < units; unit += 16)
		request(world, IO_WRITE, unit, units - unit < 16 ? (uint32_t)(units - unit) : 16);
}

/* A large drive in the state of this small one. */
static struct world *enlarged(struct drive description, const struct world *small)
{
	struct world *world = world_of(description, 1, true);
	const char *broken;

	if (ssd_enlarge(world->ssd, small->ssd)) tap_fail("%s", fail_message());
	broken = ssd_broken_law(world->ssd);
	if (broken)
		tap_fail("%s", broken);
	return world;
}

static struct world *worn(struct drive description, uint32_t scale, double passes)
{
	struct world *world = world_of(description, scale, false);

	fill(world);
	wear_in(world, passes, 7);
	ssd_settle(world->ssd);
	return world;
}

static double waf_over(struct world *world, double passes)
{
	struct ssd_counters before, after;

	ssd_count(world->ssd, &before);
	wear_in(world, passes, 99);
	ssd_count(world->ssd, &after);
	return 1 + (double)(after.copied_units - before.copied_units) /
			   (double)(after.host_units - before.host_units);
}

enum { QUANTILES = 64 };

static int by_share(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The valid shares of its full superblocks, from the emptiest to the fullest. */
static void distribution(const struct world *world, double quantiles[static QUANTILES])
{
	const struct ssd *it = world->ssd;
	double *shares = xcalloc(it->superblock_count, sizeof(*shares));
	uint32_t count = 0;

	for (uint32_t i = 0; i < it->superblock_count; i++)
		if (it->superblocks[i].state == SB_CLOSED)
			shares[count++] = (double)it->superblocks[i].valid / it->superblock_units;
	qsort(shares, count, sizeof(*shares), by_share);
	for (uint32_t i = 0; i < QUANTILES; i++)
		quantiles[i] = shares[(2 * i + 1) * count / (2 * QUANTILES)];
	free(shares);
}

/* How far apart the valid shares are, as a mean: what would have to be moved to make them the same. */
static double apart(const struct world *one, const struct world *other)
{
	double a[QUANTILES], b[QUANTILES], sum = 0;

	distribution(one, a);
	distribution(other, b);
	for (int i = 0; i < QUANTILES; i++)
		sum += a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
	printf("# valid: %.3f to %.3f to %.3f, and %.3f to %.3f to %.3f\n", a[0], a[QUANTILES / 2],
	       a[QUANTILES - 1], b[0], b[QUANTILES / 2], b[QUANTILES - 1]);
	return sum / QUANTILES;
}

static void compare_policy(const char *what, enum gc_policy policy, enum gc_streams streams, uint32_t scale,
			   double tolerance)
{
	struct drive description = whole();
	struct world *small, *real, *aged;
	double distance, real_waf, aged_waf;

	description.gc_policy = policy;
	description.gc_streams = streams;
	small = worn(description, scale, 4);
	real = worn(description, 1, 4);
	aged = enlarged(description, small);
	distance = apart(real, aged);
	real_waf = waf_over(real, 0.5);
	aged_waf = waf_over(aged, 0.5);
	printf("# %s: shares %.4f apart, WAF %.3f and %.3f\n", what, distance, real_waf, aged_waf);
	check(distance < 0.015); /* of a superblock; the open ones count for much in a small drive */
	check(aged_waf > (1 - tolerance) * real_waf);
	check(aged_waf < (1 + tolerance) * real_waf);
	end(small);
	end(real);
	end(aged);
}

TEST(it_goes_on_as_the_drive_that_was_written_does)
{
	compare_policy("sampled victims", GC_SAMPLED, GC_STREAMS_SHARED, 4, 0.02);
	compare_policy("victims in rotation", GC_FIFO, GC_STREAMS_SHARED, 4, 0.02);
}

/* These clean in waves of their own, in which one drive is ahead of the other. */
TEST(it_does_so_where_hot_and_cold_data_part)
{
	compare_policy("the emptiest victims", GC_GREEDY, GC_STREAMS_SEPARATE, 4, 0.05);
	compare_policy("victims by cost and benefit", GC_COST_BENEFIT, GC_STREAMS_SEPARATE, 4, 0.05);
}

TEST(it_does_so_where_superblocks_are_fewer_and_not_only_smaller)
{
	compare_policy("a sixth", GC_SAMPLED, GC_STREAMS_SHARED, 6, 0.02);
	compare_policy("an eighth", GC_SAMPLED, GC_STREAMS_SHARED, 8, 0.02);
}

static int saved_bytes(struct world *world, uint8_t **bytes, size_t *size)
{
	int fd = memfd_create("age", 0);

	check(fd >= 0);
	check_equal(ssd_save(world->ssd, fd), 0);
	*size = (size_t)lseek(fd, 0, SEEK_END);
	*bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	check(*bytes != MAP_FAILED);
	return fd;
}

TEST(the_same_small_drive_makes_the_same_large_one)
{
	struct world *small = worn(whole(), 8, 1), *one = enlarged(whole(), small), *two = enlarged(whole(), small);
	uint8_t *bytes[2];
	size_t sizes[2];
	int fds[2] = { saved_bytes(one, &bytes[0], &sizes[0]), saved_bytes(two, &bytes[1], &sizes[1]) };

	check_equal(sizes[0], sizes[1]);
	check(memcmp(bytes[0], bytes[1], sizes[0]) == 0);
	for (int i = 0; i < 2; i++) {
		munmap(bytes[i], sizes[i]);
		close(fds[i]);
	}
	end(small);
	end(one);
	end(two);
}

/* Reads of 16 units from all over: how many accesses of the flash they need each. */
static double accesses_of_reads(struct world *world)
{
	struct rng rng = rng_stream(1, "reads");
	struct ssd_counters before, after;

	ssd_count(world->ssd, &before);
	for (int i = 0; i < 2000; i++)
		request(world, IO_READ, rng_below(&rng, world->ssd->user_units / 16) * 16, 16);
	ssd_count(world->ssd, &after);
	return (double)(after.flash_accesses - before.flash_accesses) / 2000;
}

static void compare_accesses(double passes, double least, double most)
{
	struct world *small = worn(whole(), 8, passes), *real = worn(whole(), 1, passes);
	struct world *aged = enlarged(whole(), small);
	double of_real = accesses_of_reads(real), of_aged = accesses_of_reads(aged);

	printf("# %.2f accesses of a read, and %.2f\n", of_real, of_aged);
	check(of_real > least);
	check(of_real < most);
	check(of_aged > 0.98 * of_real);
	check(of_aged < 1.02 * of_real);
	end(small);
	end(real);
	end(aged);
}

TEST(what_was_written_together_lies_together_and_what_was_not_does_not)
{
	compare_accesses(0, 7.9, 9.5);
	compare_accesses(2, 11, 16);
}

TEST(a_part_of_the_drive_is_what_that_part_was)
{
	struct world *small = world_of(whole(), 8, false), *aged;
	uint32_t units = small->ssd->user_units, mapped = 0;

	/* The second quarter; a drive that is not nearly full. */
	for (uint32_t unit = units / 4; unit < units / 2; unit++)
		request(small, IO_WRITE, unit, 1);
	ssd_settle(small->ssd);
	aged = enlarged(whole(), small);
	units = aged->ssd->user_units;
	for (uint32_t unit = 0; unit < units; unit++) {
		bool is_mapped = aged->ssd->l2p[unit] != UNIT_NONE;

		mapped += is_mapped;
		/* To a chunk, of which a drive has more than 64. */
		if (unit > units / 4 + units / 64 && unit < units / 2 - units / 64)
			check(is_mapped);
		if (unit < units / 4 - units / 64 || unit > units / 2 + units / 64)
			check(!is_mapped);
	}
	check(mapped > 0.99 * units / 4);
	check(mapped < 1.01 * units / 4);
	check(aged->ssd->free_count > 0.7 * aged->ssd->superblock_count);
	end(small);
	end(aged);
}

TEST(a_fresh_drive_makes_a_fresh_one)
{
	struct world *small = world_of(whole(), 8, false), *aged;

	ssd_settle(small->ssd);
	aged = enlarged(whole(), small);
	check_equal(aged->ssd->mapped_units, 0);
	check_equal(aged->ssd->free_count, aged->ssd->usable_superblocks);
	end(small);
	end(aged);
}

/* Writes, rewrites, trims, pauses. */
static void disturb(struct world *world, uint64_t seed)
{
	struct rng rng = rng_stream(seed, "disturb");
	uint32_t units = world->ssd->user_units;

	for (int i = 0; i < 20000; i++) {
		uint32_t size = 1 + (uint32_t)rng_below(&rng, 20), unit = (uint32_t)rng_below(&rng, units - size);

		request(world, rng_below(&rng, 8) ? IO_WRITE : rng_below(&rng, 2) ? IO_TRIM : IO_READ, unit, size);
		if (rng_below(&rng, 4000) == 0)
			check(ssd_reap(world->ssd, world->sim.now_ns + 100000000) == NULL);
	}
}

static struct drive of_kind(unsigned kind)
{
	struct drive description = whole();

	if (kind & 1) {
		description.slc_static_bytes = description.slc_dynamic_bytes = 4 << 20;
		description.slc_program_ns = description.slc_read_ns = TR;
		description.slc_idle_ns = 50000000;
		description.slc_full = SLC_FULL_FOLD;
	}
	if (kind & 2) {
		description.page_bytes = 4 * UNIT_BYTES;
		description.pages_per_block = 24 * 3;
		description.user_bytes = 440000ull * UNIT_BYTES;
		description.map_cache_bytes = 200 << 10;
		description.map_page_bytes = 2 * UNIT_BYTES;
		description.map_read_ns = TR;
	}
	if (kind & 4)
		description.buffer_kind = BUFFER_VOLATILE;
	if (kind & 8)
		description.gc_streams = GC_STREAMS_SEPARATE;
	description.buffer_bytes = 256 * UNIT_BYTES;
	return description;
}

TEST(the_laws_hold_for_drives_of_every_kind_at_every_scale)
{
	for (unsigned kind = 0; kind < 16; kind++) {
		struct drive description = of_kind(kind);
		struct world *small = world_of(description, 2 + kind % 5, false), *aged;

		if (kind % 3)
			fill(small);
		disturb(small, kind);
		ssd_settle(small->ssd);
		aged = enlarged(description, small);
		disturb(aged, kind + 1);
		end(small);
		end(aged);
	}
}

TEST(the_map_of_a_drive_without_dram_comes_along)
{
	struct drive description = of_kind(2);
	struct world *small = worn(description, 4, 0.5), *aged = enlarged(description, small);
	uint32_t cached = 0, cached_small = 0;

	check(small->ssd->map_units_stored > 0);
	check(aged->ssd->map_units_stored > 3.9 * small->ssd->map_units_stored);
	check(aged->ssd->map_units_stored < 4.1 * small->ssd->map_units_stored);
	for (uint32_t i = 0; i < small->ssd->map_slots; i++)
		cached_small += small->ssd->slot_part[i] != UNIT_NONE;
	for (uint32_t i = 0; i < aged->ssd->map_slots; i++)
		cached += aged->ssd->slot_part[i] != UNIT_NONE;
	check(cached_small > 0);
	check(cached * small->ssd->map_slots > 0.9 * cached_small * aged->ssd->map_slots);
	end(small);
	end(aged);
}

TEST(a_drive_gets_the_state_of_no_other)
{
	struct drive other = whole();
	struct world *small = world_of(whole(), 8, false), *large;

	ssd_settle(small->ssd);
	other.channels = other.dies;
	large = world_of(other, 1, true);
	check_equal(ssd_enlarge(large->ssd, small->ssd), -EINVAL);
	check(strstr(fail_message(), "same drive"));
	ssd_free(large->ssd);
	sim_free(&large->sim);
	free(large);
	large = world_of(whole(), 16, true);
	check_equal(ssd_enlarge(large->ssd, small->ssd), -EINVAL);
	check(strstr(fail_message(), "smaller"));
	ssd_free(large->ssd);
	sim_free(&large->sim);
	free(large);
	end(small);
}

int main(void)
{
	return tap_run();
}
