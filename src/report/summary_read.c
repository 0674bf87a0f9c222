/* From a result to its summary. */
#include "report/summary_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fail.h"

static uint64_t number(const char *text, uint64_t otherwise)
{
	char *end;
	unsigned long long value;

	if (!text || !isdigit((unsigned char)*text))
		return otherwise;
	value = strtoull(text, &end, 10);
	return *end ? otherwise : value;
}

/* "host, kernel 6.1.0, x86_64", of what was recorded. */
static char *read_host(struct result *result)
{
	static const char *const keys[][2] = { { "hostname", "" }, { "kernel", "kernel " },
					       { "machine", "" }, { "cpu", "" } };
	struct buf host = BUF_INIT;

	buf_puts(&host, "");
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const char *value = result_get_host(result, keys[i][0]);

		if (value && *value)
			buf_printf(&host, "%s%s%s", host.size ? ", " : "", keys[i][1], value);
	}
	return host.text;
}

/* How often this mark stands in the text of a drive file; comments do not count. */
static size_t count_marks(const char *text, const char *mark)
{
	size_t count = 0;

	for (const char *line = text; line && *line; line += strcspn(line, "\n"), line += *line != 0) {
		size_t length = strcspn(line, "\n");
		const char *first = line + strspn(line, " ");

		for (const char *at = strstr(first, mark); *first != '#' && at && at < line + length;
		     at = strstr(at + 1, mark))
			count++;
	}
	return count;
}

static void read_marks(struct result *result, struct summary *summary)
{
	const char *text = result_get(result, "drive_file");

	summary->spec_count = count_marks(text, "mark: spec");
	summary->fitted_count = count_marks(text, "mark: calibrated");
	summary->assumed_count = count_marks(text, "mark: assumed");
}

/* Older results do not say which command made them: one run without a curve is that of `run`. */
static bool is_single(struct result *result, const struct summary *summary)
{
	const char *invocation = result_get_host(result, "invocation");

	if (invocation && *invocation)
		return !strcmp(invocation, "run");
	return summary->group_count == 1 && !summary->application_count && !summary->groups->has_curve
		&& !summary->groups->steady.present;
}

static void read_identity(struct result *result, struct summary *summary)
{
	const char *target = result_get(result, "target"), *drive = result_get(result, "drive");
	const char *model = result_get(result, "drive_model");

	summary->target = summary_copy(target);
	summary->drive = summary_copy(drive ? drive : target);
	summary->heading = summary_copy(model ? model : target);
	summary->arrivals = summary_copy(result_get(result, "arrivals"));
	summary->description = summary_copy(result_get(result, "target_description"));
	summary->bed = summary_copy(result_get(result, "bed"));
	summary->seed = summary_copy(result_get(result, "seed"));
	summary->version = summary_copy(result_get(result, "version"));
	summary->plan = summary_copy(result_get(result, "plan"));
	summary->plan_help = summary_copy(result_get(result, "plan_help"));
	summary->plan_source = summary_copy(result_get(result, "plan_source"));
	summary->started = summary_copy(result_get_host(result, "started"));
	summary->findings = summary_copy(result_get_host(result, "doctor"));
	summary->host = read_host(result);
	summary->modelled = number(result_get(result, "model"), 0) != 0;
	summary->scale = number(result_get(result, "scale"), 1);
	if (summary->scale == 0)
		summary->scale = 1;
	summary->full_size_bytes = number(result_get(result, "full_size_bytes"), 0);
	summary->tail_bytes = number(result_get(result, "tail_bytes"), 0);
	summary->size_bytes = number(result_get(result, "size_bytes"),
				     summary->full_size_bytes / summary->scale);
}

static int read_phase(struct result *result, struct summary *summary, size_t index)
{
	struct result_phase phase = { 0 };
	struct window *windows = NULL;
	uint64_t *rounds = NULL;
	size_t window_count = 0, round_count = 0;
	int err = result_phase_read(result, index, &phase);

	if (err)
		return err;
	if (phase.kind == PHASE_RUN || phase.kind == PHASE_ROUNDS)
		err = result_windows_read(result, index, &windows, &window_count);
	if (!err && phase.kind == PHASE_ROUNDS)
		err = result_rounds_read(result, index, &rounds, &round_count);
	if (!err)
		summary_add(summary, &phase, windows, window_count, rounds, round_count);
	if (!err && phase.kind == PHASE_APPLICATION)
		err = summary_read_application(result, summary, &phase);
	free(windows);
	free(rounds);
	result_phase_free(&phase);
	return err;
}

static int read_workloads(struct result *result, struct summary *summary)
{
	struct plan *plan;
	int err = result_plan_read(result, &plan);

	if (err)
		return err;
	for (size_t i = 0; i < plan->workload_count; i++)
		summary_add_workload(summary, plan->workloads[i]);
	plan_free(plan);
	return 0;
}

int summary_read(struct result *result, struct summary **out)
{
	struct summary *summary = summary_new();
	size_t count;
	int err = result_phase_count(result, &count);

	read_identity(result, summary);
	if (!err)
		err = read_workloads(result, summary);
	for (size_t i = 0; !err && i < count; i++)
		err = read_phase(result, summary, i);
	if (!err)
		err = summary_read_application_texts(result, summary);
	if (err) {
		summary_free(summary);
		return err;
	}
	read_marks(result, summary);
	summary->single = is_single(result, summary);
	summary_conclude(summary);
	*out = summary;
	return 0;
}
