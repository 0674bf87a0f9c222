/*
 * report_sample.h - results made by hand, for the tests of the report: four corners with
 * curves and a write saturation until steady, every figure from a formula.
 */
#ifndef DRIVEBAY_TESTS_REPORT_SAMPLE_H
#define DRIVEBAY_TESTS_REPORT_SAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "store/result.h"

/* What is made: the knobs of a made-up drive, and what went wrong with it. */
struct sample_options {
	const char *target, *description;
	bool measured;       /* no model, no busy shares */
	double speed;        /* of everything; 1: about 500,000 IOPS of 4K reads */
	size_t cut_after;    /* killed after this many phases; 0: complete */
	bool unsteady;       /* the rounds do not settle */
	bool broken_little;  /* the outstanding requests are counted wrongly */
	bool errors;
};

enum { SAMPLE_POINTS = 12, SAMPLE_ROUNDS = 9, SAMPLE_ROUND_WINDOWS = 30, SAMPLE_WINDOWS = 90 };

struct sample_corner {
	const char *name;
	uint32_t read_percent, size_bytes, outstanding;
	double iops, burst;  /* what it sustains; the maximum run over that */
};

static const struct sample_corner sample_corners[] = {
	{ "4k-random-read", 100, 4096, 128, 540000, 1.02 },
	{ "4k-random-write", 0, 4096, 128, 52800, 6.7 },
	{ "64k-sequential-read", 100, 65536, 32, 51500, 1.0 },
	{ "64k-sequential-write", 0, 65536, 16, 21600, 1.4 },
};

enum { SAMPLE_CORNERS = sizeof(sample_corners) / sizeof(*sample_corners) };

static inline struct workload *sample_workload(const struct sample_corner *corner)
{
	struct workload *workload = xcalloc(1, sizeof(*workload));
	struct size_mix mix = { 1, { { corner->size_bytes, 1 } } };

	workload->name = xstrdup(corner->name);
	workload->help = xstrdup("one corner of the load curves");
	workload->source = xstrdup("published: size, mix and pattern; derived: outstanding");
	workload->read_percent = corner->read_percent;
	workload->random_percent = strstr(corner->name, "random") ? 100 : 0;
	workload->pattern = workload->random_percent ? PATTERN_UNIFORM : PATTERN_SEQUENTIAL;
	if (corner->read_percent)
		workload->read_sizes = mix;
	else
		workload->write_sizes = mix;
	workload->threads = 4;
	workload->depth = corner->outstanding / 4;
	workload->span_millipercent = 25000;
	return workload;
}

static inline struct phase *sample_phase(struct plan *plan, enum phase_kind kind, char *name,
					 const char *group, const struct workload *workload)
{
	struct phase *phase = &plan->phases[plan->phase_count++];

	*phase = (struct phase){ .kind = kind, .name = name, .group = xstrdup(group),
				 .workload = workload, .window_ns = 1000000000 };
	return phase;
}

static inline void sample_plan(struct plan *plan)
{
	struct phase *phase;

	*plan = (struct plan){ .name = (char *)(uintptr_t)"corners+saturation",
			       .help = (char *)(uintptr_t)"four corners, then write saturation",
			       .source = (char *)(uintptr_t)"published order; lengths ours",
			       .chain_count = 2 };
	plan->phases = xcalloc(4 + SAMPLE_CORNERS * (1 + SAMPLE_POINTS), sizeof(*plan->phases));
	plan->workloads = xcalloc(SAMPLE_CORNERS, sizeof(*plan->workloads));
	sample_phase(plan, PHASE_PURGE, xstrdup("corners/purge"), "", NULL);
	phase = sample_phase(plan, PHASE_FILL, xstrdup("corners/fill"), "", NULL);
	phase->passes = 1;
	phase->fill_bytes = 131072;
	for (size_t i = 0; i < SAMPLE_CORNERS; i++) {
		const char *name = sample_corners[i].name;
		_cleanup_free_ char *group = xasprintf("corners/%s", name);
		struct workload *workload = sample_workload(&sample_corners[i]);
		size_t base = plan->phase_count;

		plan->workloads[plan->workload_count++] = workload;
		phase = sample_phase(plan, PHASE_RUN, xasprintf("corners/%s/max", name), group, workload);
		phase->duration_ns = (uint64_t)SAMPLE_WINDOWS * 1000000000;
		for (uint32_t p = 1; p <= SAMPLE_POINTS; p++) {
			phase = sample_phase(plan, PHASE_POINT,
					     xasprintf("corners/%s/%03u", name, p * 10), group, workload);
			phase->percent = p * 10;
			phase->base = base;
			phase->duration_ns = 300000000000;
		}
	}
	phase = sample_phase(plan, PHASE_PURGE, xstrdup("saturation/purge"), "", NULL);
	phase->chain = 1;
	phase = sample_phase(plan, PHASE_ROUNDS, xstrdup("saturation/4k-random-write/rounds"),
			     "saturation/4k-random-write", plan->workloads[1]);
	phase->chain = 1;
	phase->duration_ns = (uint64_t)SAMPLE_ROUND_WINDOWS * 1000000000;
	phase->round_max = 25;
}

static inline void sample_plan_clear(struct plan *plan)
{
	for (size_t i = 0; i < plan->phase_count; i++) {
		free(plan->phases[i].name);
		free(plan->phases[i].group);
	}
	for (size_t i = 0; i < plan->workload_count; i++) {
		free(plan->workloads[i]->name);
		free(plan->workloads[i]->help);
		free(plan->workloads[i]->source);
		free(plan->workloads[i]);
	}
	free(plan->phases);
	free(plan->workloads);
}

/*
 * `count` requests at this rate with this mean latency: most near it, one in a hundred four
 * times as long, one in a thousand twenty times, from a fixed sequence.
 */
static inline void sample_stats(struct stats *stats, uint64_t count, double iops, double mean_us,
				const struct sample_corner *corner)
{
	uint32_t chance = 12345;

	stats_clear(stats);
	for (uint64_t i = 0; i < count; i++) {
		double factor;
		struct io io = { .op = corner->read_percent ? IO_READ : IO_WRITE,
				 .size_bytes = corner->size_bytes };

		chance = chance * 1664525 + 1013904223;
		factor = 0.85 + (chance >> 16) % 200 / 1000.0;
		if (i % 100 == 50)
			factor = 4;
		if (i % 1000 == 500)
			factor = 20;
		io.completed_ns = (uint64_t)(mean_us * 1000 * factor);
		stats_add(stats, &io);
	}
	stats->elapsed_ns = (uint64_t)((double)count / iops * 1e9);
	stats->outstanding_ns = stats->from_submit.sum_ns;
}

static inline void sample_busy(struct phase_result *outcome, const struct sample_corner *corner,
			       double load)
{
	double elapsed_ns = (double)outcome->stats.elapsed_ns * load;

	outcome->has_usage = true;
	outcome->usage = (struct usage){ .dies_ns = (uint64_t)(elapsed_ns * .97),
					 .channels_ns = (uint64_t)(elapsed_ns * .41),
					 .bed_ns = (uint64_t)(elapsed_ns * .22) };
	if (corner->read_percent) {
		outcome->usage.controller_read_ns = (uint64_t)(elapsed_ns * .63);
		outcome->usage.link_read_ns = (uint64_t)(elapsed_ns * .71);
		return;
	}
	outcome->usage.controller_write_ns = (uint64_t)(elapsed_ns * .24);
	outcome->usage.link_write_ns = (uint64_t)(elapsed_ns * .07);
	outcome->has_health = true;
	outcome->health.host_written_bytes = 1000000;
	outcome->health.nand_written_bytes = 3210000;
}

/* One second: a burst that ends after 0.18 drive writes, then the sustained rate. */
static inline struct window sample_window(size_t second, double burst_iops, double iops,
					  double cliff_s, const struct sample_corner *corner)
{
	double time_s = (double)second;
	double now = time_s < cliff_s ? burst_iops
		: iops * (1 + .25 * (cliff_s / (time_s + 1)) - .02 * (double)(second % 3));
	double mean_ns = corner->outstanding / now * 1e9;

	return (struct window){
		.start_ns = second * 1000000000, .elapsed_ns = 1000000000,
		.ios = (uint64_t)now, .read_ios = corner->read_percent ? (uint64_t)now : 0,
		.bytes = (uint64_t)now * corner->size_bytes,
		.mean_ns = (uint64_t)mean_ns, .p50_ns = (uint64_t)(mean_ns * .95),
		.p99_ns = (uint64_t)(mean_ns * 4), .p999_ns = (uint64_t)(mean_ns * 20),
		.max_ns = (uint64_t)(mean_ns * (24 + second % 7)), .stddev_ns = (uint64_t)(mean_ns * .7),
		.due_p99_ns = (uint64_t)(mean_ns * 4), .due_max_ns = (uint64_t)(mean_ns * 30),
		.outstanding_milli = corner->outstanding * 1000,
		.waf_milli = corner->read_percent ? 0 : time_s < cliff_s ? 1000 : 3210,
	};
}

static inline void sample_outcome(const struct phase *phase, const struct sample_options *options,
				  struct phase_result *outcome, uint64_t *now_ns)
{
	const struct sample_corner *corner = sample_corners;
	double iops, wanted, mean_us;

	memset(outcome, 0, sizeof(*outcome));
	outcome->status = PHASE_DONE;
	outcome->began_ns = *now_ns;
	*now_ns += phase->duration_ns ? phase->duration_ns : 5000000000;
	outcome->ended_ns = *now_ns;
	if (!phase->workload)
		return;
	while (strcmp(corner->name, phase->workload->name))
		corner++;
	iops = corner->iops * options->speed;
	wanted = phase->kind == PHASE_POINT ? iops * corner->burst * phase->percent / 100
		: phase->kind == PHASE_RUN ? iops * corner->burst : iops;
	outcome->offered_iops = phase->kind == PHASE_POINT ? (uint64_t)wanted : 0;
	outcome->sustained = wanted <= iops * 1.001;
	mean_us = corner->outstanding / iops * 1e6 * .3;
	if (phase->kind != PHASE_POINT || wanted >= iops * .97)
		mean_us = corner->outstanding / (phase->kind == PHASE_RUN ? wanted : iops) * 1e6;
	else
		mean_us *= 1 + wanted / iops;
	sample_stats(&outcome->stats, 12000, phase->kind == PHASE_RUN || wanted < iops ? wanted : iops,
		     mean_us / 1.017, corner);
	if (phase->kind == PHASE_POINT && wanted > iops) {
		outcome->stats.unissued = (uint64_t)((wanted - iops) * 300);
		outcome->sustained = corner->burst < 2 || phase->percent > 20;
	}
	if (options->broken_little && phase->kind == PHASE_POINT && phase->percent == 80)
		outcome->stats.outstanding_ns += outcome->stats.outstanding_ns / 20;
	if (options->errors && phase->percent == 50)
		outcome->stats.errors = 7;
	if (!options->measured)
		sample_busy(outcome, corner, phase->kind == PHASE_POINT && wanted < iops
			    ? wanted / iops : 1);
}

static inline int sample_run(struct result *result, const struct phase *phase, size_t index,
			     const struct sample_options *options, struct phase_result *outcome)
{
	const struct sample_corner *corner = sample_corners;
	uint64_t rounds[SAMPLE_ROUNDS];
	size_t count = 0;
	int err = 0;

	if (phase->kind != PHASE_RUN && phase->kind != PHASE_ROUNDS)
		return 0;
	while (strcmp(corner->name, phase->workload->name))
		corner++;
	if (phase->kind == PHASE_RUN)
		for (size_t i = 0; !err && i < SAMPLE_WINDOWS; i++) {
			struct window window = sample_window(i, corner->iops * corner->burst * options->speed,
							     corner->iops * options->speed, 1e9, corner);

			err = result_window(result, index, i, &window);
		}
	for (size_t r = 0; phase->kind == PHASE_ROUNDS && r < SAMPLE_ROUNDS; r++) {
		double sum = 0;

		for (size_t i = 0; !err && i < SAMPLE_ROUND_WINDOWS; i++) {
			double drift = options->unsteady && r % 2 ? .7 : 1;
			struct window window = sample_window(r * SAMPLE_ROUND_WINDOWS + i,
				354000 * options->speed, corner->iops * options->speed * drift, 50, corner);

			sum += (double)window.ios;
			err = result_window(result, index, count++, &window);
		}
		rounds[r] = (uint64_t)(sum / SAMPLE_ROUND_WINDOWS);
		if (!err)
			err = result_round(result, index, r, rounds[r]);
	}
	if (phase->kind == PHASE_ROUNDS)
		outcome->steady = steady_judge(rounds, SAMPLE_ROUNDS);
	return err;
}

static inline int sample_texts(struct result *result, const struct sample_options *options)
{
	const char *const texts[][2] = {
		{ "target", options->target }, { "target_description", options->description },
		{ "seed", "1" }, { "version", "0.1.0" }, { "full_size_bytes", "1920383410176" },
		{ "scale", options->measured ? "1" : "64" }, { "model", options->measured ? "0" : "1" },
		{ "bed", options->measured ? "" : "bare-metal" },
	};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(texts) / sizeof(*texts); i++)
		err = result_set(result, texts[i][0], texts[i][1]);
	if (!err)
		err = result_set_host(result, "kernel", "Linux 6.1.0");
	if (!err)
		err = result_set_host(result, "cpu", "Some CPU, 2 cores");
	return err ? err : result_set_host(result, "started", "2024-05-01T12:00:00Z");
}

/* Writes the result to `path`; 0 or a negative errno with a sentence. */
static inline int sample_make(const char *path, const struct sample_options *options)
{
	struct phase_result *outcome = xcalloc(1, sizeof(*outcome));
	struct plan plan;
	struct result *result;
	uint64_t now_ns = 0;
	int err;

	sample_plan(&plan);
	err = result_create(path, &plan, &result);
	if (!err) {
		result_batch(result, true);
		err = sample_texts(result, options);
		for (size_t i = 0; !err && i < plan.phase_count; i++) {
			if (options->cut_after && i > options->cut_after)
				break;
			err = result_phase_begin(result, i, now_ns);
			sample_outcome(&plan.phases[i], options, outcome, &now_ns);
			if (!err)
				err = sample_run(result, &plan.phases[i], i, options, outcome);
			if (!err && options->cut_after != i + 1)
				err = result_phase_end(result, i, outcome);
			if (options->cut_after == i + 1)
				break;
		}
		result_close(result);
	}
	sample_plan_clear(&plan);
	free(outcome);
	return err;
}

#endif
