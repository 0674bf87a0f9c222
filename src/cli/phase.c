/* phase.c - one phase of a chain: the load, what it is counted from, what it came to. */
#include "cli/chain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "base/units.h"
#include "load/replay.h"

static void read_counters(struct target *target, struct counters *out)
{
	out->at_ns = target_now(target);
	out->has_usage = target_usage(target, &out->usage) == 0;
	out->has_health = target_health(target, &out->health) == 0;
}

/* ---- windows and progress of the phase under way ---- */

static void on_window(void *context, const struct window *window)
{
	struct chain_run *run = context;
	struct window moved = *window;

	moved.start_ns += run->window_offset_ns;
	if (!run->window_err)
		run->window_err = result_window(run->result, run->phase,
						run->window_base + run->window_index++, &moved);
	if (window->start_ns >= run->last_third_ns) {
		run->last_third_ios += window->ios;
		run->last_third_elapsed_ns += window->elapsed_ns;
	}
}

static bool on_progress(void *context, const struct stats *so_far, uint64_t elapsed_ns)
{
	struct chain_run *run = context;

	progress_update(run->progress, run->phase, so_far, run->window_offset_ns + elapsed_ns);
	if (run->shows)
		progress_show(run->progress);
	return run->window_err == 0;
}

static struct run_config config_of(struct chain_run *run, const char *name)
{
	const struct phase *phase = &run->config->plan->phases[run->phase];

	run->last_third_ns = phase->duration_ns / 3 * 2;
	run->last_third_ios = 0;
	run->last_third_elapsed_ns = 0;
	return (struct run_config){
		.workload = phase->workload,
		.seed = run->config->seed,
		.name = name,
		.arrivals = run->config->arrivals,
		.duration_ns = phase->duration_ns,
		.max_bytes = phase->max_bytes,
		.window_ns = phase->window_ns,
		.on_window = on_window,
		.on_progress = on_progress,
		.context = run,
		.stop = run->stop,
	};
}

static int run_load(struct chain_run *run, const struct run_config *config, struct stats *out)
{
	unsigned threads = run->target_count < run->config->workers ? run->target_count :
								      run->config->workers;
	int err = run_threads(run->targets, threads, config, out);

	return run->window_err ? run->window_err : err;
}

/* A rate that falls off towards the end was a burst. */
static bool was_sustained(const struct chain_run *run, const struct stats *stats)
{
	double expected = stats_iops(stats) * (double)run->last_third_elapsed_ns / 1e9;
	double missing = expected - (double)run->last_third_ios;

	if (run->config->plan->phases[run->phase].max_bytes && run->last_third_elapsed_ns == 0)
		return true; /* it came to its end early */
	if (expected <= 0)
		return false;
	/* What chance leaves out of so many arrivals is no fall: three standard deviations. */
	return missing <= 0.05 * expected || missing * missing <= 9 * expected;
}

/* ---- phases ---- */

static int do_purge(struct chain_run *run, struct phase_result *out)
{
	int err = target_purge(run->target);

	if (err == -ENOTSUP || err == -EOPNOTSUPP) {
		out->note = xasprintf("not purged: %s", fail_message());
		return 0;
	}
	return err;
}

static int do_fill(struct chain_run *run, struct phase_result *out)
{
	const struct phase *phase = &run->config->plan->phases[run->phase];
	struct run_config config = config_of(run, phase->name);
	int err = 0;

	config.duration_ns = 0;
	for (uint32_t i = 0; !err && i < phase->passes; i++) {
		struct stats *pass = xcalloc(1, sizeof(*pass));

		run->window_base += run->window_index;
		run->window_index = 0;
		run->window_offset_ns = out->stats.elapsed_ns;
		err = run_fill(run->target, phase->fill_bytes, &config, pass);
		if (run->window_err)
			err = run->window_err;
		stats_merge(&out->stats, pass);
		free(pass);
	}
	return err;
}

/* The configuration of a run, with what decides when its requests go out. */
static struct run_config run_config_of(struct chain_run *run, struct phase_result *out, uint64_t rate)
{
	const struct phase *phase = &run->config->plan->phases[run->phase];
	struct run_config config = config_of(run, phase->name);

	if (phase->kind == PHASE_RUN && phase->rate) {
		rate = phase->rate;
		config.arrivals = phase->arrivals;
	}
	config.rate = rate;
	out->offered_iops = rate;
	return config;
}

static int do_run(struct chain_run *run, struct phase_result *out, uint64_t rate)
{
	struct run_config config = run_config_of(run, out, rate);
	int err = run_load(run, &config, &out->stats);

	out->sustained = was_sustained(run, &out->stats);
	if (config.workload->pattern == PATTERN_TRACE && config.workload->replay->is_timed) {
		char late[UNITS_BYTES];

		out->note = xasprintf("sent up to %s late", format_duration(out->stats.late_max_ns, late));
	}
	return err;
}

static int point_rate(struct chain_run *run, uint64_t *out)
{
	const struct phase *phase = &run->config->plan->phases[run->phase];
	struct result_phase base;
	int err = result_phase_read(run->result, phase->base, &base);

	if (err)
		return err;
	*out = (uint64_t)(stats_iops(&base.outcome.stats) * phase->percent / 100 + 0.5);
	result_phase_free(&base);
	return 0;
}

static int do_point(struct chain_run *run, struct phase_result *out)
{
	uint64_t rate;
	int err = point_rate(run, &rate);

	if (err)
		return err;
	if (rate == 0) {
		out->status = PHASE_SKIPPED;
		out->note = xstrdup("its maximum run reached no IOPS");
		return 0;
	}
	return do_run(run, out, rate);
}

/* The last rounds, so that what is reported is the window that was judged. */
struct round_ring {
	struct stats stats[STEADY_ROUNDS];
	struct counters before[STEADY_ROUNDS];
};

static void sum_up_rounds(struct chain_run *run, struct phase_result *out,
			  const struct round_ring *ring, size_t count)
{
	size_t used = count < STEADY_ROUNDS ? count : STEADY_ROUNDS;

	stats_clear(&out->stats);
	for (size_t i = 0; i < used; i++)
		stats_merge(&out->stats, &ring->stats[i]);
	if (count)
		run->before = ring->before[(count - used) % STEADY_ROUNDS];
}

static uint64_t written_bytes(const struct stats *stats)
{
	return stats->bytes[IO_WRITE];
}

static int one_round(struct chain_run *run, size_t index, struct stats *out)
{
	const struct phase *phase = &run->config->plan->phases[run->phase];
	_cleanup_free_ char *name = xasprintf("%s/round-%zu", phase->name, index);
	struct run_config config = config_of(run, name);
	int err;

	run->window_base += run->window_index;
	run->window_index = 0;
	err = run_load(run, &config, out);
	run->window_offset_ns += out->elapsed_ns;
	if (!err)
		err = result_round(run->result, run->phase, index,
				   (uint64_t)(stats_iops(out) + 0.5));
	return err;
}

static int do_rounds(struct chain_run *run, struct phase_result *out)
{
	const struct phase *phase = &run->config->plan->phases[run->phase];
	_cleanup_free_ struct round_ring *ring = xcalloc(1, sizeof(*ring));
	_cleanup_free_ uint64_t *values = xcalloc(phase->round_max + 1, sizeof(*values));
	uint64_t needed = (uint64_t)((unsigned __int128)run->target->size_bytes *
				     phase->min_fill_millipercent / 100000);
	uint64_t written = 0;
	size_t count = 0, first = SIZE_MAX;
	int err = 0;

	while (!err && count < phase->round_max && !out->steady.steady) {
		struct stats *round = &ring->stats[count % STEADY_ROUNDS];

		if (first == SIZE_MAX && written >= needed)
			first = count;
		stats_clear(round);
		read_counters(run->target, &ring->before[count % STEADY_ROUNDS]);
		err = one_round(run, count, round);
		values[count++] = (uint64_t)(stats_iops(round) + 0.5);
		written += written_bytes(round);
		if (first != SIZE_MAX) {
			out->steady = steady_judge(values + first, count - first);
			out->steady.first += first;
		}
	}
	sum_up_rounds(run, out, ring, count);
	out->sustained = out->steady.steady;
	if (!err && first == SIZE_MAX)
		out->note = xasprintf("not judged: %.0f %% of the target was written, %.0f %% are "
				      "needed", 100.0 * (double)written /
				      (double)run->target->size_bytes,
				      (double)phase->min_fill_millipercent / 1000);
	else if (!err && !out->steady.steady)
		out->note = xasprintf("steady state was not reached in %zu rounds", count);
	return err;
}

/* ---- applications ---- */

/* Loading and warming up are no part of what is counted. */
static void on_measure(void *context)
{
	struct chain_run *run = context;

	read_counters(run->target, &run->before);
}

static int run_application(struct chain_run *run, const struct app *app, struct phase_result *out)
{
	const struct phase *phase = &run->config->plan->phases[run->phase];
	const struct app_config config = {
		.seed = run->config->seed,
		.name = phase->name,
		.duration_ns = phase->duration_ns,
		.window_ns = phase->window_ns,
		.cycle_scale_milli = phase->cycle_scale_milli,
		.on_measure = on_measure,
		.on_window = on_window,
		.on_progress = on_progress,
		.context = run,
		.stop = run->stop,
	};
	struct merits merits = { NULL, 0 };
	int err;

	run->last_third_ns = phase->duration_ns / 3 * 2;
	err = app_run(app, run->target, &config, &out->stats, &merits);
	if (!err)
		err = run->window_err;
	if (!err)
		err = result_figures(run->result, run->phase, &merits);
	out->sustained = was_sustained(run, &out->stats);
	merits_clear(&merits);
	return err;
}

static int do_application(struct chain_run *run, struct phase_result *out)
{
	const struct application *application =
		run->config->plan->phases[run->phase].application;
	struct app *app;
	int err = app_parse(application->name, application->text, strlen(application->text), &app);

	if (err)
		return err;
	out->note = app_misfit(app, run->target);
	if (out->note)
		out->status = PHASE_SKIPPED;
	else
		err = run_application(run, app, out);
	app_free(app);
	return err;
}

static int do_phase(struct chain_run *run, struct phase_result *out)
{
	const struct phase *phase = &run->config->plan->phases[run->phase];

	if (phase->workload && run_fits(run->target, phase->workload)) {
		out->status = PHASE_SKIPPED;
		out->note = xasprintf("does not fit: %s", fail_message());
		return 0;
	}
	switch (phase->kind) {
	case PHASE_PURGE:
		return do_purge(run, out);
	case PHASE_FILL:
		return do_fill(run, out);
	case PHASE_RUN:
		return do_run(run, out, run->config->rate);
	case PHASE_POINT:
		return do_point(run, out);
	case PHASE_ROUNDS:
		return do_rounds(run, out);
	case PHASE_APPLICATION:
		return do_application(run, out);
	}
	abort();
}

static struct usage usage_between(const struct usage *a, const struct usage *b)
{
	return (struct usage){
		.dies_ns = b->dies_ns - a->dies_ns,
		.channels_ns = b->channels_ns - a->channels_ns,
		.controller_read_ns = b->controller_read_ns - a->controller_read_ns,
		.controller_write_ns = b->controller_write_ns - a->controller_write_ns,
		.link_read_ns = b->link_read_ns - a->link_read_ns,
		.link_write_ns = b->link_write_ns - a->link_write_ns,
		.bed_ns = b->bed_ns - a->bed_ns,
	};
}

static struct health health_between(const struct health *a, const struct health *b)
{
	return (struct health){
#define grows(member) b->member - a->member
#define is(member) b->member
#define BETWEEN(member, how, version) .member = how(member),
		HEALTH_COUNTERS(BETWEEN)
#undef BETWEEN
#undef is
#undef grows
	};
}

/*
 * Busy time was read when the last request had been drained; the statistics end with the run.
 * Brought to the length of the latter, busy over elapsed is the share.
 */
static void fit_usage(struct usage *usage, uint64_t elapsed_ns, uint64_t counted_ns)
{
	uint64_t *busy[] = { &usage->dies_ns, &usage->channels_ns, &usage->controller_read_ns,
			     &usage->controller_write_ns, &usage->link_read_ns,
			     &usage->link_write_ns, &usage->bed_ns };

	for (size_t i = 0; counted_ns && i < sizeof(busy) / sizeof(busy[0]); i++)
		*busy[i] = (uint64_t)((unsigned __int128)*busy[i] * elapsed_ns / counted_ns);
}

static void count_since(struct chain_run *run, struct phase_result *out)
{
	struct counters after;

	read_counters(run->target, &after);
	out->has_usage = after.has_usage && run->before.has_usage;
	out->has_health = after.has_health && run->before.has_health;
	if (out->has_usage)
		out->usage = usage_between(&run->before.usage, &after.usage);
	fit_usage(&out->usage, out->stats.elapsed_ns, after.at_ns - run->before.at_ns);
	if (out->has_health)
		out->health = health_between(&run->before.health, &after.health);
}

/*
 * The state is saved before the phase is marked as done and an older one dropped afterwards:
 * whenever we are cut off, the state after the last phase that is marked is there.
 */
static int finish_phase(struct chain_run *run, struct phase_result *out)
{
	const struct phase *phase = &run->config->plan->phases[run->phase];
	bool keeps = run->config->keep_states && run->target->is_virtual && !run->is_enlarged &&
		     state_changes(phase);
	size_t older;
	int err = 0;

	out->ended_ns = target_now(run->target);
	if (keeps)
		err = state_save(run, run->phase);
	if (!err)
		err = result_phase_end(run->result, run->phase, out);
	if (!err && keeps && state_last_change(run, run->phase, &older))
		state_drop(run, older);
	return err;
}

static void phase_failed(struct chain_run *run, struct phase_result *out)
{
	_cleanup_free_ char *why = xstrdup(fail_message());

	out->status = PHASE_FAILED;
	out->note = xstrdup(why);
	out->ended_ns = target_now(run->target);
	result_phase_end(run->result, run->phase, out);
	fail(EIO, "%s", why); /* the first sentence is the one that counts */
}

int phase_run(struct chain_run *run, size_t index)
{
	struct phase_result *out = xcalloc(1, sizeof(*out));
	int err;

	run->phase = index;
	run->window_base = run->window_index = run->window_offset_ns = 0;
	run->last_third_ios = run->last_third_elapsed_ns = 0;
	stats_clear(&out->stats);
	progress_phase(run->progress, index);
	out->status = PHASE_DONE;
	out->began_ns = target_now(run->target);
	read_counters(run->target, &run->before);
	err = result_phase_begin(run->result, index, out->began_ns);
	if (!err)
		err = do_phase(run, out);
	count_since(run, out);
	if (!err)
		err = target_settle(run->target); /* may find that something is wrong with it */
	if (!err)
		err = finish_phase(run, out);
	else if (err != -EINTR)
		phase_failed(run, out);
	if (!err)
		progress_done(run->progress, index, &out->stats, out->note, false);
	free(out->note);
	free(out);
	return err;
}

/* ---- phases at the same time ---- */

size_t phase_company(const struct plan *plan, size_t index)
{
	size_t count = 1;

	while (index + count < plan->phase_count && plan->phases[index + count].is_beside)
		count++;
	return count;
}

/* One of them: a run of its own, but for the counters of the drive, which are everybody's. */
struct part {
	struct chain_run run;
	struct phase_result *out;
};

static int part_begin(struct part *part, const struct chain_run *run, size_t index,
		      struct run_config *config)
{
	uint64_t rate = run->config->rate;
	int err = 0;

	part->run = *run;
	part->run.phase = index;
	part->run.window_base = part->run.window_index = part->run.window_offset_ns = 0;
	part->run.window_err = 0;
	part->out = xcalloc(1, sizeof(*part->out));
	part->out->status = PHASE_DONE;
	part->out->began_ns = target_now(run->target);
	read_counters(run->target, &part->run.before);
	stats_clear(&part->out->stats);
	if (run->config->plan->phases[index].kind == PHASE_POINT)
		err = point_rate(&part->run, &rate);
	if (!err)
		err = result_phase_begin(run->result, index, part->out->began_ns);
	*config = run_config_of(&part->run, part->out, rate);
	if (!err && rate == 0 && run->config->plan->phases[index].kind == PHASE_POINT)
		err = fail(EIO, "%s: its maximum run reached no IOPS", config->name);
	return err;
}

static int part_end(struct part *part, int err)
{
	struct phase_result *out = part->out;

	out->sustained = was_sustained(&part->run, &out->stats);
	count_since(&part->run, out);
	if (part->run.window_err)
		err = part->run.window_err;
	if (!err)
		err = finish_phase(&part->run, out);
	else if (err != -EINTR)
		phase_failed(&part->run, out);
	if (!err)
		progress_done(part->run.progress, part->run.phase, &out->stats, out->note, false);
	return err;
}

int phase_run_together(struct chain_run *run, size_t index, size_t count)
{
	struct part *parts = xcalloc(count, sizeof(*parts));
	struct run_config *configs = xcalloc(count, sizeof(*configs));
	struct stats **outs = xcalloc(count, sizeof(struct stats *));
	size_t begun = 0;
	int err = 0, end_err;

	progress_phase(run->progress, index);
	for (; !err && begun < count; begun++) {
		err = part_begin(&parts[begun], run, index + begun, &configs[begun]);
		outs[begun] = &parts[begun].out->stats;
	}
	if (!err)
		err = run_together(run->targets, configs, count, outs);
	for (size_t i = 0; i < begun; i++) {
		end_err = part_end(&parts[i], err);
		if (!err)
			err = end_err;
		free(parts[i].out->note);
		free(parts[i].out);
	}
	free(outs);
	free(configs);
	free(parts);
	return err;
}
