/*
 * test_waf.c - write amplification against theory.
 *
 * The theory knows blocks that hold data, of S units each, and nothing of those that are erased,
 * open or being cleaned. So the physical space it is given is what the model had in use, as a mean
 * over the measurement: at four superblocks kept free of a thousand the difference is small.
 */
#include "tiny_drive.h"

#include <math.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/rng.h"

enum { SUPERBLOCKS = 1000, UNITS = 64 /* of a superblock */ };

static struct drive spared(double spare, enum gc_policy policy)
{
	struct drive description = tiny_drive();

	description.pages_per_block = UNITS / description.dies;
	description.blocks_per_plane = SUPERBLOCKS;
	description.user_bytes = (uint64_t)(SUPERBLOCKS * UNITS / (1 + spare)) * UNIT_BYTES;
	description.gc_policy = policy;
	return description;
}

/* What a share `writes` of the requests goes to: the first `data` of the drive, the rest to the rest. */
struct hotness {
	double data, writes;
};

static const struct hotness uniform = { 1, 1 };

static uint64_t some_unit(struct rng *rng, const struct hotness *heat)
{
	uint64_t hot = (uint64_t)((double)ssd->user_units * heat->data);

	if ((double)rng_below(rng, 1000000) < heat->writes * 1e6)
		return rng_below(rng, hot);
	return hot + rng_below(rng, ssd->user_units - hot);
}

struct measured {
	double waf;
	double space; /* physical units in use over those of the user */
};

static struct measured measure(double spare, enum gc_policy policy, const struct hotness *heat)
{
	struct rng rng = rng_stream(1, "waf");
	struct ssd_counters before, after;
	double in_use = 0;
	uint64_t count;

	make(spared(spare, policy));
	for (uint64_t unit = 0; unit < ssd->user_units; unit++)
		alone_ns(IO_WRITE, unit);
	count = 4 * (uint64_t)ssd->user_units;
	for (uint64_t i = 0; i < count; i++)
		alone_ns(IO_WRITE, some_unit(&rng, heat));
	before = counted();
	for (uint64_t i = 0; i < count; i++) {
		alone_ns(IO_WRITE, some_unit(&rng, heat));
		in_use += (double)(ssd->total_units - map_free_units(ssd)) / (double)count;
	}
	after = counted();
	in_use /= ssd->user_units;
	ssd_settle(ssd);
	drop();
	return (struct measured){
		.waf = 1 + (double)(after.copied_units - before.copied_units) /
				   (double)(after.host_units - before.host_units),
		.space = in_use,
	};
}

/*
 * The emptiest block of all, blocks of b units, in the limit of many blocks (mean field: Van Houdt,
 * SIGMETRICS 2013, d-choices without bound; Bux and Iliadis 2010). Of N units of the user each lives
 * for N writes on the average, so a block stays for N / j of them at j valid units. Blocks are taken
 * when they reach the level m, but a share f of them only at m - 1. One is taken for every
 * b - m + f writes, and there are as many as are made in their mean life:
 *
 *	space = b * (the sum of 1/j for j from m + 1 to b, plus f/m) / (b - m + f)
 */
static double space_of_greedy(double b, double m, double f)
{
	double life = f / m;

	for (double j = b; j > m; j--)
		life += 1 / j;
	return b * life / (b - m + f);
}

static double waf_of_greedy(double space, double b)
{
	double m = b - 1, least = 0, most = 1;

	while (m > 1 && space_of_greedy(b, m, 1) < space)
		m--;
	for (int i = 0; i < 60; i++) {
		double f = (least + most) / 2;

		if (space_of_greedy(b, m, f) < space)
			least = f;
		else
			most = f;
	}
	return b / (b - m + least);
}

/*
 * Victims in rotation, hot and cold data in the same blocks. With x writes of the host per unit of
 * the user in a rotation, a share exp(-x writes/data) of what a rotation wrote of the hot data is
 * valid when its turn comes again, and is copied: of the hot data x writes / (1 - that) are
 * written in a rotation, likewise of the cold ones, and both together are the space. WAF = space / x
 * (Menon 1995; Desnoyers, SYSTOR 2012).
 */
static double written_in_rotation(double x, double writes, double data)
{
	if (writes * x < 1e-9)
		return data; /* never written by the host: copied once */
	return x * writes / (1 - exp(-x * writes / data));
}

static double space_of_rotation(double x, const struct hotness *heat)
{
	double space = written_in_rotation(x, heat->writes, heat->data);

	if (heat->data < 1)
		space += written_in_rotation(x, 1 - heat->writes, 1 - heat->data);
	return space;
}

static double waf_of_rotation(double space, const struct hotness *heat)
{
	double least = 0, most = space;

	for (int i = 0; i < 60; i++) {
		double x = (least + most) / 2;

		if (space_of_rotation(x, heat) < space)
			least = x;
		else
			most = x;
	}
	return space / least;
}

static void compare(const char *what, double spare, double waf, double theory)
{
	printf("# %s, %.1f %% spare: WAF %.3f, theory %.3f, %+.1f %%\n", what, spare * 100, waf, theory,
	       (waf / theory - 1) * 100);
	check(waf < 1.03 * theory);
	check(waf > 0.97 * theory);
}

static const double spares[] = { 0.07, 0.145, 0.28, 0.37 };

TEST(the_emptiest_victims_cost_what_the_mean_field_says)
{
	for (size_t i = 0; i < sizeof(spares) / sizeof(*spares); i++) {
		struct measured got = measure(spares[i], GC_GREEDY, &uniform);

		compare("greedy", spares[i], got.waf, waf_of_greedy(got.space, UNITS));
	}
}

TEST(victims_in_rotation_cost_what_the_closed_form_says)
{
	for (size_t i = 0; i < sizeof(spares) / sizeof(*spares); i++) {
		struct measured got = measure(spares[i], GC_FIFO, &uniform);

		compare("rotation", spares[i], got.waf, waf_of_rotation(got.space, &uniform));
	}
}

TEST(hot_and_cold_data_in_the_same_blocks_cost_what_the_closed_form_says)
{
	static const struct hotness heats[] = { { 0.2, 0.8 }, { 0.1, 0.9 }, { 0.25, 1 } };

	for (size_t i = 0; i < sizeof(heats) / sizeof(*heats); i++) {
		struct measured got = measure(0.28, GC_FIFO, &heats[i]);
		_cleanup_free_ char *what = xasprintf("rotation, %.0f %% of the writes to %.0f %%",
						      heats[i].writes * 100, heats[i].data * 100);

		compare(what, 0.28, got.waf, waf_of_rotation(got.space, &heats[i]));
	}
}

/* Cases that can be done by hand. */
TEST(the_theory_is_right_where_it_is_known)
{
	/* Half the units of a victim are valid when space (1 - 1/2) = ln 2; WAF is 2 then. */
	double waf = waf_of_rotation(2 * 0.6931472, &uniform);

	check(waf > 1.9999);
	check(waf < 2.0001);
	/* Hot data that are all the data are no hot data. */
	check(waf_of_rotation(1.3, &(struct hotness){ 0.5, 0.5 }) > 0.9999 * waf_of_rotation(1.3, &uniform));
	check(waf_of_rotation(1.3, &(struct hotness){ 0.5, 0.5 }) < 1.0001 * waf_of_rotation(1.3, &uniform));
	/* Endless space, and hardly any. */
	check(waf_of_greedy(1e9, UNITS) < 1.02);
	check(waf_of_greedy(1.0001, UNITS) > 30);
	/* Large blocks are all alike: rotation and greed are the same. */
	check(waf_of_greedy(1.28, 100000) > 0.999 * waf_of_rotation(1.28, &uniform));
	check(waf_of_greedy(1.28, 100000) < 1.001 * waf_of_rotation(1.28, &uniform));
}

int main(void)
{
	return tap_run();
}
