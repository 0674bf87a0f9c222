/* The plan of a result, to be run again or gone on with. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "store/file.h"

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
	return 0;
}

static const struct workload *workload_named(const struct plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->workload_count; i++)
		if (strcmp(plan->workloads[i]->name, name) == 0)
			return plan->workloads[i];
	return NULL;
}

static int take_phase(const char *path, struct plan *plan, struct result_phase *row)
{
	struct phase *phase = &plan->phases[plan->phase_count];

	phase->workload = workload_named(plan, row->workload);
	if (*row->workload && !phase->workload)
		return fail(EBADMSG, "%s: corrupt: phase %zu runs workload '%s', which is not there",
			    path, row->index, row->workload);
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
	phase->chain = row->chain;
	plan->phase_count++;
	if (plan->chain_count <= row->chain)
		plan->chain_count = row->chain + 1;
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
