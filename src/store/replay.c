/*
 * replay.c - the plan of a result, to be run again or gone on with.
 *
 * It goes straight to the generator, so it must be one that could have come from a file of
 * workloads/: the limits here are those of its reader.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "store/file.h"

enum {
	BLOCK_BYTES = 512,
	REQUEST_BYTES_MAX = 1 << 30,
	OUTSTANDING_MAX = 65536,
	WEIGHT_MAX = 1000000000,
	PERCENT_MAX = 1000, /* of a point */
	PASSES_MAX = 100,
	ROUNDS_MAX = 1000,
};

static bool is_size(uint32_t bytes)
{
	return bytes > 0 && bytes % BLOCK_BYTES == 0 && bytes <= REQUEST_BYTES_MAX;
}

static const char *mix_fault(const struct size_mix *mix, bool needed)
{
	if (needed && mix->count == 0)
		return "lacks the sizes of its requests";
	for (size_t i = 0; i < mix->count; i++) {
		if (!is_size(mix->shares[i].size_bytes))
			return "has a size that is no multiple of 512 up to 1 GiB";
		if (mix->shares[i].weight == 0 || mix->shares[i].weight > WEIGHT_MAX)
			return "has a weight that is none";
	}
	return NULL;
}

/* What makes this workload impossible, or NULL. */
static const char *workload_fault(const struct workload *workload)
{
	const char *fault;

	if (workload->read_percent > 100 || workload->trim_percent > 100 ||
	    workload->random_percent > 100 || workload->compress_percent > 100 ||
	    workload->zeroes_percent > 100 - workload->trim_percent)
		return "has a share above 100 %";
	if (workload->pattern == PATTERN_FILL)
		return "has the pattern of a fill";
	if (workload->pattern == PATTERN_ZIPF &&
	    (workload->zipf_theta_milli < 1 || workload->zipf_theta_milli > 2000))
		return "has a theta that is not between 0.001 and 2";
	if (workload->align_bytes != 0 && !is_size(workload->align_bytes))
		return "has an alignment that is no multiple of 512 up to 1 GiB";
	if (workload->threads == 0 || workload->depth == 0 ||
	    (uint64_t)workload->threads * workload->depth > OUTSTANDING_MAX)
		return "has nothing, or too much, outstanding";
	if (workload->span_millipercent == 0 || workload->span_millipercent > 100000)
		return "has a span that is not between 0.001 % and 100 %";
	fault = mix_fault(&workload->read_sizes, workload->read_percent > 0);
	return fault ? fault : mix_fault(&workload->write_sizes, workload->read_percent < 100);
}

static const char *phase_fault(const struct plan *plan, const struct phase *phase)
{
	switch (phase->kind) {
	case PHASE_PURGE:
		return NULL;
	case PHASE_FILL:
		if (!is_size(phase->fill_bytes))
			return "fills with a size that is no multiple of 512 up to 1 GiB";
		return phase->passes >= 1 && phase->passes <= PASSES_MAX ? NULL :
		       "fills never, or too often";
	case PHASE_POINT:
		if (phase->percent == 0 || phase->percent > PERCENT_MAX)
			return "asks for a percentage that is none";
		if (plan->phases[phase->base].kind != PHASE_RUN)
			return "is a percentage of a phase that is no maximum run";
		break;
	case PHASE_ROUNDS:
		if (phase->round_max < STEADY_ROUNDS || phase->round_max > ROUNDS_MAX)
			return "has too few rounds, or too many";
		break;
	case PHASE_RUN:
		break;
	case PHASE_APPLICATION:
		return phase->application ? NULL : "lacks its application";
	}
	if (!phase->workload)
		return "lacks its workload";
	return phase->duration_ns > 0 ? NULL : "takes no time";
}

/* The phase before it is of its chain, and a run too. */
static bool has_company(const struct plan *plan, const struct phase *phase)
{
	const struct phase *before = phase - 1;

	return phase > plan->phases && before->chain == phase->chain && before->kind == phase->kind &&
	       (phase->kind == PHASE_RUN || phase->kind == PHASE_POINT);
}

/* The texts of a row move into what the plan owns. */
static int take_workloads(struct result *result, struct plan *plan)
{
	struct workload *rows;
	size_t count;
	int err = file_read_rows(result, &table_workloads, PHASE_ANY, sizeof(*rows), &rows, &count);

	if (err)
		return err;
	plan->workloads = xcalloc(count, sizeof(*plan->workloads));
	plan->workload_count = count;
	for (size_t i = 0; i < count; i++) {
		plan->workloads[i] = xmalloc(sizeof(rows[i]));
		*plan->workloads[i] = rows[i];
	}
	free(rows);
	for (size_t i = 0; i < count; i++) {
		const char *fault = workload_fault(plan->workloads[i]);

		if (fault)
			return fail(EBADMSG, "%s: corrupt: workload '%s' %s", result->path,
				    plan->workloads[i]->name, fault);
	}
	return 0;
}

static const struct workload *workload_named(const struct plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->workload_count; i++)
		if (strcmp(plan->workloads[i]->name, name) == 0)
			return plan->workloads[i];
	return NULL;
}

static int take_applications(struct result *result, struct plan *plan)
{
	struct application *rows;
	size_t count;
	int err = file_read_rows(result, &table_applications, PHASE_ANY, sizeof(*rows), &rows, &count);

	if (err)
		return err;
	plan->applications = xcalloc(count, sizeof(*plan->applications));
	plan->application_count = count;
	for (size_t i = 0; i < count; i++) {
		plan->applications[i] = xmalloc(sizeof(rows[i]));
		*plan->applications[i] = rows[i];
	}
	free(rows);
	return 0;
}

static const struct application *application_named(const struct plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->application_count; i++)
		if (strcmp(plan->applications[i]->name, name) == 0)
			return plan->applications[i];
	return NULL;
}

static int take_phase(const char *path, struct plan *plan, struct result_phase *row)
{
	struct phase *phase = &plan->phases[plan->phase_count];
	const char *fault;

	phase->workload = workload_named(plan, row->workload);
	if (*row->workload && !phase->workload)
		return fail(EBADMSG, "%s: corrupt: phase %zu runs workload '%s', which is not there",
			    path, row->index, row->workload);
	if (row->application && *row->application)
		phase->application = application_named(plan, row->application);
	phase->cycle_scale_milli = row->cycle_scale_milli;
	phase->kind = row->kind;
	phase->name = xstrdup(row->name);
	phase->group = xstrdup(row->group);
	phase->duration_ns = row->duration_ns;
	phase->window_ns = row->window_ns;
	phase->percent = row->percent;
	phase->base = row->base;
	phase->passes = row->passes;
	phase->fill_bytes = row->fill_bytes;
	phase->round_max = row->round_max;
	phase->min_fill_millipercent = row->min_fill_millipercent;
	phase->rate = row->rate;
	phase->arrivals = row->arrivals;
	phase->max_bytes = row->max_bytes;
	phase->is_beside = row->is_beside;
	phase->chain = row->chain;
	plan->phase_count++;
	if (row->chain > plan->chain_count)
		return fail(EBADMSG, "%s: corrupt: phase %zu is of chain %u, and there are %u before it",
			    path, row->index, row->chain, plan->chain_count);
	if (row->chain == plan->chain_count)
		plan->chain_count++;
	fault = phase_fault(plan, phase);
	if (!fault && phase->is_beside && !has_company(plan, phase))
		fault = "is at the same time as one that it cannot be beside";
	if (fault)
		return fail(EBADMSG, "%s: corrupt: phase %zu %s", path, row->index, fault);
	return 0;
}

static int take_phases(struct result *result, struct plan *plan)
{
	struct result_phase *row = xcalloc(1, sizeof(*row));
	size_t count;
	int err = result_phase_count(result, &count);

	plan->phases = xcalloc(count, sizeof(*plan->phases));
	for (size_t i = 0; !err && i < count; i++) {
		err = result_phase_read(result, i, row);
		if (!err) {
			err = take_phase(result->path, plan, row);
			result_phase_free(row);
		}
	}
	free(row);
	return err;
}

static char *text_or_empty(struct result *result, const char *key)
{
	const char *text = result_get(result, key);

	return xstrdup(text ? text : "");
}

int result_plan_read(struct result *result, struct plan **out)
{
	struct plan *plan = xcalloc(1, sizeof(*plan));
	int err = take_workloads(result, plan);

	if (!err)
		err = take_applications(result, plan);
	plan->name = text_or_empty(result, "plan");
	plan->help = text_or_empty(result, "plan_help");
	plan->source = text_or_empty(result, "plan_source");
	if (!err)
		err = take_phases(result, plan);
	if (err) {
		plan_free(plan);
		plan = NULL;
	}
	*out = plan;
	return err;
}
