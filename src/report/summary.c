#include "report/summary_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

/* A point with so many of the requests it may have outstanding had the drive to the full. */
#define FULL_SHARE 0.9

enum { DWPD_YEARS = 5 };

char *summary_copy(const char *text)
{
	return xstrdup(text ? text : "");
}

static struct steady_summary summarise_rounds(const struct result_phase *phase,
					      const struct series *series,
					      const uint64_t *rounds, size_t count)
{
	struct steady_summary steady = {
		.present = true,
		.ended = phase->outcome.status == PHASE_DONE,
		.verdict = phase->outcome.steady,
		.judged = phase->outcome.steady.steady ||
			  (count >= STEADY_ROUNDS && phase->outcome.steady.average > 0),
		.round_count = count,
	};
	double round_s = (double)phase->duration_ns / 1e9;
	size_t last = steady.verdict.first + STEADY_ROUNDS;

	if (count) {
		steady.rounds = xcalloc(count, sizeof(*rounds));
		memcpy(steady.rounds, rounds, count * sizeof(*rounds));
	}
	if (last > count)
		last = count;
	steady.from_s = (double)steady.verdict.first * round_s;
	steady.to_s = (double)last * round_s;
	steady.from_written = series_written_at(series, steady.from_s);
	steady.to_written = series_written_at(series, steady.to_s);
	return steady;
}

static const struct group_summary *group_with_run(const struct summary *summary, const char *name)
{
	for (size_t i = 0; i < summary->group_count; i++)
		for (size_t k = 0; k < summary->groups[i].run_count; k++)
			if (!strcmp(summary->groups[i].runs[k].name, name))
				return &summary->groups[i];
	return NULL;
}

static struct group_summary *group_for(struct summary *summary, const struct result_phase *phase)
{
	const char *name = phase->group && *phase->group ? phase->group : phase->name;
	const char *workload = phase->workload && *phase->workload ? phase->workload : name;
	const char *slash = strchr(name, '/');
	struct group_summary *group;

	for (size_t i = 0; i < summary->group_count; i++)
		if (!strcmp(summary->groups[i].name, name))
			return &summary->groups[i];
	summary->groups = xrealloc(summary->groups,
				   (summary->group_count + 1) * sizeof(*summary->groups));
	group = &summary->groups[summary->group_count++];
	*group = (struct group_summary){
		.name = xstrdup(name),
		.title = workload_title(workload),
		.plan = slash ? strndup(name, (size_t)(slash - name)) : xstrdup(""),
		.workload = xstrdup(workload),
		.outstanding = phase->outstanding,
		.maximum = SUMMARY_NONE,
		.peak = SUMMARY_NONE,
	};
	return group;
}

/* What the phases before this one of its chain tell about the state that it found. */
static void find_order(const struct summary *summary, const struct result_phase *phase,
		       struct group_summary *group)
{
	for (size_t i = 0; i < summary->phase_count; i++) {
		const struct phase_summary *before = &summary->phases[i];
		const struct group_summary *rounds;

		if (before->kind != PHASE_ROUNDS || before->chain != phase->chain
		    || strcmp(before->workload, phase->workload ? phase->workload : ""))
			continue;
		group->after_rounds = true;
		rounds = group_with_run(summary, before->name);
		group->after_steady = rounds && rounds->steady.verdict.steady;
	}
}

static void add_to_group(struct group_summary *group, const struct result_phase *phase,
			 const struct window *windows, size_t window_count,
			 const uint64_t *rounds, size_t round_count, uint64_t size_bytes)
{
	struct run_summary *run;
	bool wants_series = phase->kind == PHASE_ROUNDS
		|| (phase->kind == PHASE_RUN && !group->steady.present);

	group->runs = xrealloc(group->runs, (group->run_count + 1) * sizeof(*group->runs));
	run = &group->runs[group->run_count];
	*run = run_summarise(phase);
	if (phase->kind == PHASE_RUN && group->maximum == SUMMARY_NONE)
		group->maximum = group->run_count;
	if (phase->kind == PHASE_POINT) {
		group->has_curve = true;
		group->point_count += run->measured;
	}
	group->run_count++;
	if (wants_series && !group->series.count) {
		series_clear(&group->series);
		group->series = series_summarise(phase, windows, window_count, size_bytes);
	}
	if (phase->kind == PHASE_ROUNDS && !group->steady.present)
		group->steady = summarise_rounds(phase, &group->series, rounds, round_count);
}

static void add_to_log(struct summary *summary, const struct result_phase *phase)
{
	const struct phase_result *outcome = &phase->outcome;
	struct phase_summary *line;

	summary->phases = xrealloc(summary->phases,
				   (summary->phase_count + 1) * sizeof(*summary->phases));
	line = &summary->phases[summary->phase_count++];
	*line = (struct phase_summary){
		.name = summary_copy(phase->name),
		.note = outcome->note ? xstrdup(outcome->note) : NULL,
		.kind = phase->kind,
		.status = outcome->status,
		.chain = phase->chain,
		.workload = summary_copy(phase->workload),
		.mb_per_s = outcome->stats.elapsed_ns ? stats_bytes_per_s(&outcome->stats) / 1e6 : 0,
	};
	if (outcome->ended_ns > outcome->began_ns)
		line->elapsed_s = (double)(outcome->ended_ns - outcome->began_ns) / 1e9;
	summary->done_count += outcome->status == PHASE_DONE;
}

struct summary *summary_new(void)
{
	struct summary *summary = xcalloc(1, sizeof(*summary));

	summary->scale = 1;
	return summary;
}

void summary_add(struct summary *summary, const struct result_phase *phase,
		 const struct window *windows, size_t window_count,
		 const uint64_t *rounds, size_t round_count)
{
	struct group_summary *group;

	add_to_log(summary, phase);
	switch (phase->kind) {
	case PHASE_PURGE:
	case PHASE_FILL:
	case PHASE_APPLICATION: /* see summary_add_application() */
		return;
	case PHASE_RUN:
	case PHASE_POINT:
	case PHASE_ROUNDS:
		group = group_for(summary, phase);
		if (phase->kind == PHASE_RUN)
			find_order(summary, phase, group);
		add_to_group(group, phase, windows, window_count, rounds, round_count,
			     summary->size_bytes);
		return;
	}
	abort();
}

static size_t best_point(const struct group_summary *group)
{
	size_t best = SUMMARY_NONE;

	for (size_t i = 0; i < group->run_count; i++) {
		const struct run_summary *run = &group->runs[i];

		if (run->kind != PHASE_POINT || run->status != PHASE_DONE || !run->measured
		    || !run->sustained)
			continue;
		if (best == SUMMARY_NONE || run->iops > group->runs[best].iops)
			best = i;
	}
	return best;
}

/* The points at which the drive had all it could have, and kept it up. */
static void find_full_points(struct group_summary *group)
{
	for (size_t i = 0; i < group->run_count; i++) {
		const struct run_summary *run = &group->runs[i];

		if (run->kind != PHASE_POINT || !run->measured || !run->sustained
		    || run->outstanding < FULL_SHARE * run->allowed)
			continue;
		if (!group->full_count || run->iops < group->full_least)
			group->full_least = run->iops;
		if (!group->full_count || run->iops > group->full_most)
			group->full_most = run->iops;
		group->full_count++;
	}
}

static void scale_endurance(const struct summary *summary, struct group_summary *group)
{
	double scale = (double)summary->scale;

	for (size_t i = 0; i < group->run_count; i++) {
		struct endurance *endurance = &group->runs[i].endurance;

		endurance->lasts_bytes *= scale;
		endurance->rated_bytes *= scale;
		endurance->years *= scale;
		if (summary->size_bytes)
			endurance->dwpd = endurance->lasts_bytes / scale / (double)summary->size_bytes
				/ (DWPD_YEARS * 365);
	}
}

static void find_dirtiest(struct group_summary *group)
{
	group->dirtiest = SUMMARY_NONE;
	for (size_t i = 0; i < group->run_count; i++)
		if (group->runs[i].has_endurance)
			group->dirtiest = i;
}

static void find_peak(struct group_summary *group)
{
	const struct run_summary *maximum = group_maximum(group);

	if (group->has_curve) {
		group->peak = best_point(group);
	} else if (maximum && maximum->measured) {
		group->peak = group->maximum;
	} else {
		for (size_t i = 0; i < group->run_count; i++)
			if (group->runs[i].measured && group->peak == SUMMARY_NONE)
				group->peak = i;
	}
	if (group->has_curve && group->peak != SUMMARY_NONE && maximum && maximum->measured
	    && group->runs[group->peak].iops > 0) {
		group->has_burst = true;
		group->burst = maximum->iops / group->runs[group->peak].iops;
	}
}

void summary_conclude(struct summary *summary)
{
	for (size_t i = 0; i < summary->group_count; i++) {
		find_peak(&summary->groups[i]);
		find_full_points(&summary->groups[i]);
		find_dirtiest(&summary->groups[i]);
		scale_endurance(summary, &summary->groups[i]);
	}
	summary_doubt(summary);
}

static void group_free(struct group_summary *group)
{
	for (size_t i = 0; i < group->run_count; i++) {
		free(group->runs[i].name);
		free(group->runs[i].note);
	}
	free(group->runs);
	free(group->steady.rounds);
	series_clear(&group->series);
	free(group->name);
	free(group->title);
	free(group->plan);
	free(group->workload);
}

void summary_free(struct summary *summary)
{
	if (!summary)
		return;
	for (size_t i = 0; i < summary->group_count; i++)
		group_free(&summary->groups[i]);
	summary_free_applications(summary);
	for (size_t i = 0; i < summary->phase_count; i++) {
		free(summary->phases[i].name);
		free(summary->phases[i].note);
		free(summary->phases[i].workload);
	}
	for (size_t i = 0; i < summary->caveat_count; i++)
		free(summary->caveats[i]);
	for (size_t i = 0; i < summary->workload_count; i++) {
		free(summary->workloads[i].name);
		free(summary->workloads[i].help);
		free(summary->workloads[i].source);
		free(summary->workloads[i].sends);
	}
	free(summary->workloads);
	free(summary->arrivals);
	free(summary->drive);
	free(summary->heading);
	free(summary->plan_help);
	free(summary->overload);
	free(summary->plan_source);
	free(summary->groups);
	free(summary->phases);
	free(summary->caveats);
	free(summary->target);
	free(summary->description);
	free(summary->bed);
	free(summary->seed);
	free(summary->version);
	free(summary->plan);
	free(summary->host);
	free(summary->findings);
	free(summary->started);
	free(summary->label);
	free(summary);
}

const char *summary_order(const struct summary *summary)
{
	size_t maxima = 0, after_rounds = 0, after_steady = 0;

	for (size_t i = 0; i < summary->group_count; i++) {
		if (!summary->groups[i].has_curve || summary->groups[i].maximum == SUMMARY_NONE)
			continue;
		maxima++;
		after_rounds += summary->groups[i].after_rounds;
		after_steady += summary->groups[i].after_steady;
	}
	if (!maxima)
		return NULL;
	if (after_steady == maxima)
		return "in steady state (the stricter order)";
	if (!after_rounds)
		return "before steady state (the published order)";
	return after_rounds == maxima ? "after preconditioning that did not always become steady"
				      : "some before steady state, some after preconditioning";
}

const struct group_summary *summary_group(const struct summary *summary, const char *name)
{
	for (size_t i = 0; i < summary->group_count; i++)
		if (!strcmp(summary->groups[i].name, name))
			return &summary->groups[i];
	return NULL;
}

const struct run_summary *group_peak(const struct group_summary *group)
{
	return group->peak == SUMMARY_NONE ? NULL : &group->runs[group->peak];
}

const struct run_summary *group_maximum(const struct group_summary *group)
{
	return group->maximum == SUMMARY_NONE ? NULL : &group->runs[group->maximum];
}
