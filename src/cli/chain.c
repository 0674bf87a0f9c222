/* chain.c - where a chain begins or goes on, and what it runs on. */
#include "cli/chain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "cli/aged.h"

/* ---- targets ---- */

/* A real target has one for each load thread, and for each of the phases beside each other. */
static size_t handles(const struct chain_run *run)
{
	const struct plan *plan = run->config->plan;
	size_t most = run->config->workers;

	for (size_t i = 0; i < plan->phase_count; i++)
		if (phase_company(plan, i) > most)
			most = phase_company(plan, i);
	return most;
}

/* What an application of this chain asks for that no scale may take away. */
static int least_bytes(const struct chain_run *run, uint64_t *out)
{
	const struct plan *plan = run->config->plan;
	int err = 0;

	*out = 0;
	for (size_t i = 0; i < plan->phase_count && !err; i++) {
		const struct application *application = plan->phases[i].application;
		struct app *app;

		if (plan->phases[i].chain != run->chain || !application)
			continue;
		err = app_parse(application->name, application->text, strlen(application->text), &app);
		if (err)
			continue;
		if (app->kind->least_bytes > *out)
			*out = app->kind->least_bytes;
		app_free(app);
	}
	return err;
}

/* A model that is too small for what cannot be scaled is opened again, larger. */
static int enlarge(struct chain_run *run, struct target_options *options)
{
	struct target *target = run->targets[0];
	uint64_t least;
	int err = least_bytes(run, &least);
	uint32_t scale = target->scale;

	if (err || !target->is_virtual || scale <= 1 || target->size_bytes >= least)
		return err;
	while (options->scale > 1 && target->size_bytes * scale / options->scale < least)
		options->scale /= 2;
	run->is_enlarged = true;
	target_close(target);
	run->targets[0] = NULL;
	return target_open(run->config->target, options, &run->targets[0]);
}

static int open_targets(struct chain_run *run)
{
	const struct execute_config *config = run->config;
	struct target_options options = config->options;
	size_t count = handles(run);
	int err = 0;

	run->targets = xcalloc(count, sizeof(struct target *));
	err = target_open(config->target, &options, &run->targets[0]);
	if (!err)
		err = enlarge(run, &options);
	if (err) {
		target_close(run->targets[0]);
		return err;
	}
	run->target = run->targets[0];
	run->target_count = 1;
	while (!err && !run->target->is_virtual && run->target_count < count) {
		err = target_open(config->target, &options,
				  &run->targets[run->target_count]);
		run->target_count += !err;
	}
	return err;
}

static void close_targets(struct chain_run *run)
{
	while (run->target_count > 0)
		target_close(run->targets[--run->target_count]);
	free(run->targets);
	run->targets = NULL;
}

/* A model as it was opened, in the place of one whose state could not be loaded. */
static int reopen_target(struct chain_run *run)
{
	close_targets(run);
	return open_targets(run);
}

/* ---- a chain ---- */

int chain_phase_status(struct result *result, size_t index, enum phase_status *status,
			uint64_t *ended_ns)
{
	struct result_phase phase;
	int err = result_phase_read(result, index, &phase);

	if (err)
		return err;
	*status = phase.outcome.status;
	*ended_ns = phase.outcome.ended_ns;
	result_phase_free(&phase);
	return 0;
}

bool chain_phase_is_over(enum phase_status status)
{
	return status == PHASE_DONE || status == PHASE_SKIPPED;
}

/* The first phase of the chain that is not done; the plan's end when there is none. */
static int first_open_phase(struct chain_run *run, size_t *out, uint64_t *ended_ns)
{
	const struct plan *plan = run->config->plan;
	enum phase_status status;
	uint64_t phase_ended_ns;
	int err = 0;

	*ended_ns = 0;
	for (*out = 0; *out < plan->phase_count; (*out)++) {
		if (plan->phases[*out].chain != run->chain)
			continue;
		err = chain_phase_status(run->result, *out, &status, &phase_ended_ns);
		if (err || !chain_phase_is_over(status))
			break;
		*ended_ns = phase_ended_ns;
	}
	return err;
}

static size_t first_phase(const struct chain_run *run)
{
	size_t first = 0;

	while (run->config->plan->phases[first].chain != run->chain)
		first++;
	return first;
}

/* Brings a model to where phase `changed` left it, and lets the time pass that others took. */
static int catch_up(struct chain_run *run, size_t changed, uint64_t ended_ns)
{
	enum phase_status status;
	uint64_t left_ns;
	int err = state_load(run, changed);

	if (!err)
		err = chain_phase_status(run->result, changed, &status, &left_ns);
	if (err)
		return err;
	if (target_now(run->target) != left_ns) {
		_cleanup_free_ char *path = state_path(run, changed);

		return fail(EBADMSG, "%s: is not what %s left", path,
			    run->config->plan->phases[changed].name);
	}
	if (target_reap(run->target, ended_ns))
		abort(); /* nothing was in flight */
	return 0;
}

/*
 * Where the chain goes on. What a phase leaves in a model is only in its state, so without it
 * the chain starts again: it owes nothing to the others, and comes to the same bytes.
 */
static int find_place(struct chain_run *run, size_t *next)
{
	const struct plan *plan = run->config->plan;
	uint64_t ended_ns;
	size_t changed, first = first_phase(run);
	int err = first_open_phase(run, next, &ended_ns);

	while (!err && *next > first && *next < plan->phase_count && plan->phases[*next].is_beside)
		--*next; /* what runs together begins together */
	if (err || *next == first)
		return err;
	if (*next < plan->phase_count && run->target->is_virtual &&
	    state_last_change(run, *next, &changed) && catch_up(run, changed, ended_ns)) {
		progress_note(run->progress, "%s; starting again with %s", fail_message(),
			      plan->phases[first].name);
		*next = first;
		return reopen_target(run);
	}
	for (size_t i = first; i < *next; i++)
		if (plan->phases[i].chain == run->chain)
			progress_done(run->progress, i, NULL, NULL, true);
	return 0;
}

static int run_phases(struct chain_run *run)
{
	const struct plan *plan = run->config->plan;
	size_t next;
	int err = find_place(run, &next);

	if (!err && run->config->load_state && next == first_phase(run))
		err = state_load_from(run, run->config->load_state);
	if (!err && run->config->aged && next == first_phase(run))
		err = aged_prepare(run);
	if (!err && run->config->shelved_ns && next == first_phase(run))
		err = target_shelve(run->target, run->config->shelved_ns);
	if (err == -ENOTSUP && run->config->shelved_ns)
		err = fail(ENOTSUP, "%s: nothing can be said of what lay without power here",
			   run->config->target);
	for (size_t i = next, count; !err && i < plan->phase_count; i += count) {
		count = phase_company(plan, i);
		if (plan->phases[i].chain == run->chain)
			err = count == 1 ? phase_run(run, i) : phase_run_together(run, i, count);
		if (!err && *run->stop)
			err = -EINTR;
	}
	if (!err && run->config->save_state)
		err = state_save_to(run, run->config->save_state);
	if (!err)
		state_drop_all(run);
	return err;
}

int chain_run_all(struct chain_run *run)
{
	int err = open_targets(run);

	if (!err) {
		result_batch(run->result, run->target->is_virtual);
		err = run_phases(run);
	}
	close_targets(run);
	return err;
}
