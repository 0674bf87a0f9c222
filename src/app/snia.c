/*
 * snia.c - kind snia: the tests of the SNIA Performance Test Specification that go in rounds.
 *
 * A round runs every cell of a matrix, shares of reads x sizes of requests, for a time each. It
 * goes on until the tracked cell is steady by stats/steady.h, or for so many rounds; the figure
 * of a cell is its mean over the rounds that were judged. The drive is written beforehand.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "base/units.h"
#include "load/run.h"
#include "stats/steady.h"

enum { CELLS_SIDE = 16, CELLS = CELLS_SIDE * CELLS_SIDE };

enum snia_value { SNIA_IOPS, SNIA_MB_PER_S, SNIA_LATENCY };

static const char *const value_words[] = { "iops", "throughput", "latency", NULL };
static const char *const pattern_words[] = { "uniform", "sequential", NULL };

struct snia {
	struct app base;
	uint64_t passes, fill_bytes, cell_ns, rounds, threads, depth;
	uint64_t value, pattern;
	uint64_t reads[CELLS_SIDE], sizes[CELLS_SIDE];
	size_t read_count, size_count;
	uint64_t tracked_read, tracked_bytes;
};

static const struct snia *snia_of(const struct app *app)
{
	return (const struct snia *)(const void *)app; /* its first member */
}

static int read_list(const struct yml *yaml, const struct yml_node *node,
		     const struct yml_key *number, uint64_t *values, size_t *count)
{
	int err = 0;

	if (node->kind != YML_LIST || !node->first)
		return yml_fail(yaml, node, "a list must stand here");
	for (const struct yml_node *one = node->first; one && !err; one = one->next) {
		if (*count == CELLS_SIDE)
			return yml_fail(yaml, one, "more than %d of them", CELLS_SIDE);
		err = number->read(yaml, one, number, &values[(*count)++]);
	}
	return err;
}

static const struct yml_key a_share = { .read = yml_read_count, .max = 100 };
static const struct yml_key a_size = { .read = yml_read_size, .min = 512, .max = 128 << 20 };

static int read_reads(const struct yml *yaml, const struct yml_node *node, const struct yml_key *key,
		      void *to)
{
	struct snia *snia = to;

	(void)key;
	return read_list(yaml, node, &a_share, snia->reads, &snia->read_count);
}

static int read_sizes(const struct yml *yaml, const struct yml_node *node, const struct yml_key *key,
		      void *to)
{
	struct snia *snia = to;

	(void)key;
	return read_list(yaml, node, &a_size, snia->sizes, &snia->size_count);
}

#define VALUE(key, field, type, low, high, words) \
	{ key, app_read_value, offsetof(struct snia, field), true, words, low, high, \
	  .context = &app_number_##type }

static const struct yml_key keys[] = {
	APP_KEYS,
	VALUE("passes", passes, count, 0, 10, "how often the drive is written beforehand"),
	VALUE("fill_size", fill_bytes, size, 4096, 16 << 20, "a request of that"),
	VALUE("cell", cell_ns, duration, 1000000, 3600000000000, "length of a cell of a round"),
	VALUE("rounds", rounds, count, STEADY_ROUNDS, 100, "rounds after which it gives up"),
	VALUE("threads", threads, count, 1, 1024, "how many send"),
	VALUE("depth", depth, count, 1, 1024, "requests each keeps outstanding"),
	{ "value", yml_read_word, offsetof(struct snia, value), true, "iops, throughput or latency", 0, 0,
	  value_words },
	{ "pattern", yml_read_word, offsetof(struct snia, pattern), true, "uniform or sequential", 0, 0,
	  pattern_words },
	{ "reads", read_reads, 0, true, "shares of reads, in percent" },
	{ "sizes", read_sizes, 0, true, "sizes of requests" },
	VALUE("tracked_reads", tracked_read, count, 0, 100, "the cell that must be steady: its share"),
	VALUE("tracked_size", tracked_bytes, size, 512, 128 << 20, "and its size"),
	{ NULL },
};

static bool is_tracked(const struct snia *snia, size_t cell)
{
	return snia->reads[cell / snia->size_count] == snia->tracked_read &&
	       snia->sizes[cell % snia->size_count] == snia->tracked_bytes;
}

static int check(const struct app *app, const char *path)
{
	const struct snia *snia = snia_of(app);

	for (size_t i = 0; i < snia->read_count * snia->size_count; i++)
		if (is_tracked(snia, i))
			return 0;
	return fail(EINVAL, "%s: tracked_reads, tracked_size: no cell of the matrix is that", path);
}

static uint64_t needs_bytes(const struct app *app)
{
	const struct snia *snia = snia_of(app);
	uint64_t most = snia->fill_bytes;

	for (size_t i = 0; i < snia->size_count; i++)
		if (snia->sizes[i] * snia->threads > most)
			most = snia->sizes[i] * snia->threads;
	return most;
}

/* ---- running ---- */

struct cell {
	double values[STEADY_ROUNDS]; /* a ring */
	double p99999_us, max_us;     /* latency: the largest of all rounds */
};

struct matrix {
	const struct snia *snia;
	struct target *target;
	const struct app_config *config;
	struct stats *one, *total;
	struct cell *cells;
	size_t count;
	uint64_t tracked[128];
};

static int fill(struct matrix *matrix)
{
	struct run_config config = {
		.seed = matrix->config->seed, .window_ns = 1000000000,
		.on_progress = matrix->config->on_progress, .context = matrix->config->context,
		.stop = matrix->config->stop,
	};
	int err = 0;

	for (uint64_t i = 0; i < matrix->snia->passes && !err; i++) {
		_cleanup_free_ char *name = xasprintf("%s/fill-%llu", matrix->config->name,
						      (unsigned long long)i);

		config.name = name;
		stats_clear(matrix->one);
		err = run_fill(matrix->target, (uint32_t)matrix->snia->fill_bytes, &config, matrix->one);
	}
	return err;
}

static double value_of(const struct snia *snia, const struct stats *stats)
{
	switch ((enum snia_value)snia->value) {
	case SNIA_IOPS:
		return stats_iops(stats);
	case SNIA_MB_PER_S:
		return stats_bytes_per_s(stats) / 1e6;
	case SNIA_LATENCY:
		return stats->from_submit.count ? (double)stats->from_submit.sum_ns /
						  (double)stats->from_submit.count / 1e3 : 0;
	}
	abort();
}

static int run_cell(struct matrix *matrix, uint64_t round, size_t at)
{
	const struct snia *snia = matrix->snia;
	struct cell *cell = &matrix->cells[at];
	uint64_t reads = snia->reads[at / snia->size_count], bytes = snia->sizes[at % snia->size_count];
	_cleanup_free_ char *name = xasprintf("%s/round-%llu/%zu", matrix->config->name,
					      (unsigned long long)round, at);
	struct workload workload = {
		.name = name, .read_percent = (uint32_t)reads, .span_millipercent = 100000,
		.pattern = snia->pattern ? PATTERN_SEQUENTIAL : PATTERN_UNIFORM,
		.random_percent = snia->pattern ? 0 : 100,
		.threads = (uint32_t)snia->threads, .depth = (uint32_t)snia->depth,
	};
	const struct run_config config = {
		.workload = &workload, .seed = matrix->config->seed, .name = name,
		.duration_ns = app_scaled(matrix->target, snia->cell_ns),
		.stop = matrix->config->stop,
	};
	int err;

	workload.read_sizes.count = reads > 0;
	workload.write_sizes.count = reads < 100;
	workload.read_sizes.shares[0] = workload.write_sizes.shares[0] =
		(struct size_share){ .size_bytes = (uint32_t)bytes, .weight = 1 };
	stats_clear(matrix->one);
	err = run(matrix->target, &config, matrix->one);
	if (err)
		return err;
	stats_merge(matrix->total, matrix->one);
	cell->values[round % STEADY_ROUNDS] = value_of(snia, matrix->one);
	if (snia->value == SNIA_LATENCY) {
		double p99999 = (double)hist_quantile(&matrix->one->hist_submit, 999990, NULL) / 1e3;
		double max = (double)matrix->one->from_submit.max_ns / 1e3;

		cell->p99999_us = p99999 > cell->p99999_us ? p99999 : cell->p99999_us;
		cell->max_us = max > cell->max_us ? max : cell->max_us;
	}
	if (is_tracked(snia, at))
		matrix->tracked[round] = (uint64_t)(cell->values[round % STEADY_ROUNDS] * 1000 + 0.5);
	return 0;
}

/* Smaller than a sector of this target: not to be had. */
static bool is_possible(const struct matrix *matrix, size_t at)
{
	return matrix->snia->sizes[at % matrix->snia->size_count] % matrix->target->block_bytes == 0;
}

static int run_round(struct matrix *matrix, uint64_t round)
{
	int err = 0;

	for (size_t at = 0; at < matrix->count && !err; at++)
		if (is_possible(matrix, at))
			err = run_cell(matrix, round, at);
	if (!err && matrix->config->on_progress &&
	    !matrix->config->on_progress(matrix->config->context, matrix->total,
					 matrix->total->elapsed_ns))
		err = -EINTR;
	return err;
}

static void add_cell(const struct matrix *matrix, size_t at, struct merits *merits)
{
	static const char *const units[] = { "1/s", "MB/s", "us" };
	const struct snia *snia = matrix->snia;
	unsigned long long reads = snia->reads[at / snia->size_count];
	uint64_t bytes = snia->sizes[at % snia->size_count];
	_cleanup_free_ char *name = bytes < 1024 ?
		xasprintf("%llu/%llu %.1f KiB", reads, 100 - reads, (double)bytes / 1024) :
		xasprintf("%llu/%llu %llu KiB", reads, 100 - reads, (unsigned long long)bytes / 1024);
	_cleanup_free_ char *p99999 = xasprintf("%s p99.999", name), *max = xasprintf("%s max", name);
	double sum = 0;

	for (int i = 0; i < STEADY_ROUNDS; i++)
		sum += matrix->cells[at].values[i];
	merits_add(merits, name, units[snia->value], sum / STEADY_ROUNDS);
	if (snia->value != SNIA_LATENCY)
		return;
	merits_add(merits, p99999, "us", matrix->cells[at].p99999_us);
	merits_add(merits, max, "us", matrix->cells[at].max_us);
}

static void add_merits(const struct matrix *matrix, uint64_t rounds, const struct steady *steady,
		       struct merits *merits)
{
	merits_add(merits, "rounds", steady->steady ? "steady" : "NOT STEADY", (double)rounds);
	merits_add(merits, "range", "% of the average", steady->range_share * 100);
	merits_add(merits, "slope", "% of the average", steady->slope_share * 100);
	for (size_t at = 0; at < matrix->count; at++)
		if (is_possible(matrix, at))
			add_cell(matrix, at, merits);
}

static int run_snia(const struct app *app, struct target *target, const struct app_config *config,
		    struct stats *stats, struct merits *merits)
{
	const struct snia *snia = snia_of(app);
	struct matrix matrix = {
		.snia = snia, .target = target, .config = config, .total = stats,
		.one = xcalloc(1, sizeof(*matrix.one)),
		.cells = xcalloc(CELLS, sizeof(*matrix.cells)),
		.count = snia->read_count * snia->size_count,
	};
	struct steady steady = { 0 };
	uint64_t round = 0;
	int err = fill(&matrix);

	if (config->on_measure)
		config->on_measure(config->context);
	while (!err && round < snia->rounds && !steady.steady) {
		err = run_round(&matrix, round++);
		steady = steady_judge(matrix.tracked, round);
	}
	if (!err)
		add_merits(&matrix, round, &steady, merits);
	free(matrix.cells);
	free(matrix.one);
	return err;
}

const struct app_kind app_snia = {
	.name = "snia",
	.help = "a matrix of loads in rounds until steady, as SNIA's PTS has it",
	.size = sizeof(struct snia),
	.keys = keys,
	.check = check,
	.needs_bytes = needs_bytes,
	.any_target = true,
	.run = run_snia,
};
