#include "cli/execute.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "cli/progress.h"

static volatile sig_atomic_t stop_requested;

struct counters {
	bool has_usage, has_health;
	struct usage usage;
	struct health health;
};

/* One chain under way in this process. */
struct chain_run {
	const struct execute_config *config;
	struct progress *progress;
	struct result *result;
	struct target *target;    /* targets[0] */
	struct target **targets;  /* a real device: one handle for each load thread */
	unsigned target_count;
	unsigned chain;
	bool shows;               /* this process owns the terminal */

	/* the phase under way */
	size_t phase;
	uint64_t window_base, window_index, window_offset_ns;
	int window_err;
	uint64_t last_third_ns, last_third_ios, last_third_elapsed_ns;
	struct counters before;   /* what the outcome's usage and health are counted from */
};

static void read_counters(struct target *target, struct counters *out)
{
	out->has_usage = target_usage(target, &out->usage) == 0;
	out->has_health = target_health(target, &out->health) == 0;
}

static void on_signal(int number)
{
	(void)number;
	stop_requested = 1;
}

/* `flags`: SA_RESETHAND lets a second signal end the process at once, which loses no more
   than a kill does. */
static void catch_signals(int flags, struct sigaction old[static 2])
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, &old[0]);
	sigaction(SIGTERM, &action, &old[1]);
}

static void restore_signals(const struct sigaction old[static 2])
{
	sigaction(SIGINT, &old[0], NULL);
	sigaction(SIGTERM, &old[1], NULL);
}

/* ---- the state of a model, beside the result ---- */

static char *state_path(const struct chain_run *run, size_t phase)
{
	return xasprintf("%s-state-%u-%zu", run->config->path, run->chain, phase);
}

static void drop_state(const struct chain_run *run, size_t phase)
{
	_cleanup_free_ char *path = state_path(run, phase);

	unlink(path);
}

/* All of them, and what a kill has left behind. */
static void drop_states(const struct chain_run *run)
{
	const struct plan *plan = run->config->plan;

	for (size_t i = 0; i < plan->phase_count; i++) {
		_cleanup_free_ char *draft = NULL;

		if (plan->phases[i].chain != run->chain)
			continue;
		draft = xasprintf("%s-state-%u-%zu.draft", run->config->path, run->chain, i);
		unlink(draft);
		drop_state(run, i);
	}
}

/* Nothing waits for the disk here: a state that a power cut takes costs time, not the result. */
static int save_state(const struct chain_run *run, size_t phase)
{
	_cleanup_free_ char *path = state_path(run, phase);
	_cleanup_free_ char *draft = xasprintf("%s.draft", path);
	int fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), err;

	if (fd < 0)
		return fail(errno, "%s: %s", draft, strerror(errno));
	err = target_snapshot(run->target, fd);
	if (err) {
		_cleanup_free_ char *why = xstrdup(fail_message());

		err = fail(-err, "%s: %s", path, why);
	}
	if (close(fd) < 0 && !err)
		err = fail(errno, "%s: %s", path, strerror(errno));
	if (!err && rename(draft, path) < 0)
		err = fail(errno, "%s: %s", path, strerror(errno));
	if (err)
		unlink(draft);
	return err;
}

static int load_state(const struct chain_run *run, size_t phase)
{
	_cleanup_free_ char *path = state_path(run, phase);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	int err;

	if (fd < 0)
		return fail(errno, "%s: %s", path, strerror(errno));
	err = target_restore(run->target, fd);
	if (err) {
		_cleanup_free_ char *why = xstrdup(fail_message());

		err = fail(-err, "%s: %s", path, why);
	}
	return err;
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
		.window_ns = phase->window_ns,
		.on_window = on_window,
		.on_progress = on_progress,
		.context = run,
		.stop = &stop_requested,
	};
}

static int run_load(struct chain_run *run, const struct run_config *config, struct stats *out)
{
	int err = run_threads(run->targets, run->target_count, config, out);

	return run->window_err ? run->window_err : err;
}

/* A rate that falls off towards the end was a burst. */
static bool was_sustained(const struct chain_run *run, const struct stats *stats)
{
	double last = run->last_third_elapsed_ns ? (double)run->last_third_ios * 1e9 /
							    (double)run->last_third_elapsed_ns :
						    0;

	return stats_iops(stats) > 0 && last >= 0.95 * stats_iops(stats);
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

static int do_run(struct chain_run *run, struct phase_result *out, uint64_t rate)
{
	struct run_config config = config_of(run, run->config->plan->phases[run->phase].name);
	int err;

	config.rate = rate;
	out->offered_iops = rate;
	err = run_load(run, &config, &out->stats);
	out->sustained = was_sustained(run, &out->stats);
	return err;
}

static int do_point(struct chain_run *run, struct phase_result *out)
{
	const struct phase *phase = &run->config->plan->phases[run->phase];
	struct result_phase base;
	uint64_t rate;
	int err = result_phase_read(run->result, phase->base, &base);

	if (err)
		return err;
	rate = (uint64_t)(stats_iops(&base.outcome.stats) * phase->percent / 100 + 0.5);
	result_phase_free(&base);
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

static int do_phase(struct chain_run *run, struct phase_result *out)
{
	switch (run->config->plan->phases[run->phase].kind) {
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
		.host_read_bytes = b->host_read_bytes - a->host_read_bytes,
		.host_written_bytes = b->host_written_bytes - a->host_written_bytes,
		.nand_read_bytes = b->nand_read_bytes - a->nand_read_bytes,
		.nand_written_bytes = b->nand_written_bytes - a->nand_written_bytes,
		.gc_copied_bytes = b->gc_copied_bytes - a->gc_copied_bytes,
		.erase_count = b->erase_count - a->erase_count,
		.user_bytes = b->user_bytes,
		.media_errors = b->media_errors - a->media_errors,
	};
}

static void count_since(struct chain_run *run, struct phase_result *out)
{
	struct counters after;

	read_counters(run->target, &after);
	out->has_usage = after.has_usage && run->before.has_usage;
	out->has_health = after.has_health && run->before.has_health;
	if (out->has_usage)
		out->usage = usage_between(&run->before.usage, &after.usage);
	if (out->has_health)
		out->health = health_between(&run->before.health, &after.health);
}

static bool changes_the_drive(const struct phase *phase)
{
	return !phase->workload || phase->workload->read_percent < 100;
}

/* The latest phase before `phase` of this chain that left the drive different. */
static bool last_change(const struct chain_run *run, size_t phase, size_t *out)
{
	const struct plan *plan = run->config->plan;

	while (phase-- > 0) {
		if (plan->phases[phase].chain != run->chain || !changes_the_drive(&plan->phases[phase]))
			continue;
		*out = phase;
		return true;
	}
	return false;
}

/*
 * The state is saved before the phase is marked as done and an older one dropped afterwards:
 * whenever we are cut off, the state after the last phase that is marked is there.
 */
static int finish_phase(struct chain_run *run, struct phase_result *out)
{
	const struct phase *phase = &run->config->plan->phases[run->phase];
	bool keeps = run->config->keep_states && run->target->is_virtual &&
		     changes_the_drive(phase);
	size_t older;
	int err = target_settle(run->target);

	out->ended_ns = target_now(run->target);
	if (!err && keeps)
		err = save_state(run, run->phase);
	if (!err)
		err = result_phase_end(run->result, run->phase, out);
	if (!err && keeps && last_change(run, run->phase, &older))
		drop_state(run, older);
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

static int run_phase(struct chain_run *run, size_t index)
{
	struct phase_result *out = xcalloc(1, sizeof(*out));
	int err;

	run->phase = index;
	run->window_base = run->window_index = run->window_offset_ns = 0;
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
		err = finish_phase(run, out);
	else if (err != -EINTR)
		phase_failed(run, out);
	if (!err)
		progress_done(run->progress, index, &out->stats, out->note, false);
	free(out->note);
	free(out);
	return err;
}

/* ---- targets ---- */

static int open_targets(struct chain_run *run)
{
	const struct execute_config *config = run->config;
	int err = 0;

	run->targets = xcalloc(config->workers, sizeof(struct target *));
	err = target_open(config->target, &config->options, &run->targets[0]);
	if (err)
		return err;
	run->target = run->targets[0];
	run->target_count = 1;
	while (!err && !run->target->is_virtual && run->target_count < config->workers) {
		err = target_open(config->target, &config->options,
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

static int phase_status(struct result *result, size_t index, enum phase_status *status,
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

static bool is_settled_status(enum phase_status status)
{
	return status == PHASE_DONE || status == PHASE_SKIPPED;
}

int execute_is_complete(const struct plan *plan, struct result *result, bool *out)
{
	enum phase_status status;
	uint64_t ended_ns;
	int err = 0;

	*out = true;
	for (size_t i = 0; !err && *out && i < plan->phase_count; i++) {
		err = phase_status(result, i, &status, &ended_ns);
		*out = !err && is_settled_status(status);
	}
	return err;
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
		err = phase_status(run->result, *out, &status, &phase_ended_ns);
		if (err || !is_settled_status(status))
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
	int err = load_state(run, changed);

	if (!err)
		err = phase_status(run->result, changed, &status, &left_ns);
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

	if (err || *next == first)
		return err;
	if (*next < plan->phase_count && run->target->is_virtual &&
	    last_change(run, *next, &changed) && catch_up(run, changed, ended_ns)) {
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

	for (size_t i = next; !err && i < plan->phase_count; i++) {
		if (plan->phases[i].chain == run->chain)
			err = run_phase(run, i);
		if (!err && stop_requested)
			err = -EINTR;
	}
	if (!err)
		drop_states(run);
	return err;
}

static int run_chain(struct chain_run *run)
{
	int err = open_targets(run);

	if (!err) {
		result_batch(run->result, run->target->is_virtual);
		err = run_phases(run);
	}
	close_targets(run);
	return err;
}

/* ---- chains ---- */

/* The chains that run at the moment, each in a process. */
struct children {
	pid_t *pids;  /* by chain; 0: not started, or over */
	unsigned started, running;
	bool told_to_stop;
};

static int child_main(const struct execute_config *config, struct progress *progress,
		      struct result *result, unsigned chain)
{
	struct chain_run run = {
		.config = config, .progress = progress, .result = result, .chain = chain,
	};
	struct sigaction unused[2];
	int err;

	catch_signals(0, unused); /* more than one: from the terminal, and passed on */
	err = run_chain(&run);
	if (err)
		progress_set_message(progress, chain, err, fail_message());
	result_close(result);
	return err;
}

static pid_t fork_chain(const struct execute_config *config, struct progress *progress,
			struct result *result, unsigned chain)
{
	pid_t parent = getpid(), pid;

	fflush(stdout);
	fflush(stderr);
	pid = fork();
	if (pid != 0)
		return pid;
	/* Nobody writes a result that nobody waits for. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	_exit(child_main(config, progress, result, chain) ? 1 : 0);
}

static void chain_died(const struct execute_config *config, struct progress *progress,
		       unsigned chain, int status)
{
	_cleanup_free_ char *what = NULL;
	const char *phase = progress_phase_name(progress, chain);
	const char *message;

	if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || progress_message(progress, chain, &message)))
		return;
	if (WIFEXITED(status))
		what = xasprintf("%s: its process gave up; what was finished before is in %s", phase,
				 config->path);
	else
		what = xasprintf("%s: its process was ended by signal %d (%s); what was finished before "
				 "is in %s", phase, WTERMSIG(status), strsignal(WTERMSIG(status)),
				 config->path);
	progress_set_message(progress, chain, -EPROTO, what);
}

/* A signal from elsewhere than the terminal reaches the parent alone. */
static void pass_on_stop(struct children *children)
{
	if (!stop_requested || children->told_to_stop)
		return;
	children->told_to_stop = true;
	for (unsigned i = 0; i < children->started; i++)
		if (children->pids[i] > 0)
			kill(children->pids[i], SIGTERM);
}

/* Waits until a chain is over, showing progress. */
static void wait_for_one(const struct execute_config *config, struct progress *progress,
			 struct children *children)
{
	for (;;) {
		for (unsigned i = 0; i < children->started; i++) {
			int status;

			if (children->pids[i] <= 0 ||
			    waitpid(children->pids[i], &status, WNOHANG) != children->pids[i])
				continue;
			chain_died(config, progress, i, status);
			children->pids[i] = 0;
			children->running--;
			return;
		}
		pass_on_stop(children);
		progress_show(progress);
		usleep(20000);
	}
}

static int chain_outcome(const struct progress *progress, unsigned count)
{
	int interrupted = 0;

	for (unsigned i = 0; i < count; i++) {
		const char *message;
		int err = progress_message(progress, i, &message);

		if (err == -EINTR)
			interrupted = err;
		else if (err)
			return fail(-err, "%s", message);
	}
	return interrupted;
}

/* Starts what may run beside what runs already. */
static int start_chains(const struct execute_config *config, struct progress *progress,
			struct result *result, struct children *children)
{
	while (children->started < config->plan->chain_count &&
	       children->running < config->workers && !stop_requested) {
		pid_t pid = fork_chain(config, progress, result, children->started);

		if (pid < 0 && children->running)
			return 0; /* when one of these is over there is room for another */
		if (pid < 0)
			return fail(errno, "cannot start a process: %s", strerror(errno));
		children->pids[children->started++] = pid;
		children->running++;
	}
	return 0;
}

static int run_forked(const struct execute_config *config, struct progress *progress,
		      struct result *result)
{
	unsigned count = config->plan->chain_count;
	_cleanup_free_ pid_t *pids = xcalloc(count, sizeof(*pids));
	struct children children = { .pids = pids };
	int err = result_detach(result);

	while (!err && (children.running || (children.started < count && !stop_requested))) {
		err = start_chains(config, progress, result, &children);
		if (!err && children.running)
			wait_for_one(config, progress, &children);
	}
	if (!err)
		err = chain_outcome(progress, count);
	return !err && children.started < count ? -EINTR : err;
}

static int run_in_place(const struct execute_config *config, struct progress *progress,
			struct result *result)
{
	int err = 0;

	for (unsigned chain = 0; !err && chain < config->plan->chain_count; chain++) {
		struct chain_run run = {
			.config = config, .progress = progress, .result = result, .chain = chain,
			.shows = true,
		};

		err = run_chain(&run);
	}
	return err;
}

/* Opens the target once to see what it is, before anything is forked or written. */
static int is_virtual(const struct execute_config *config, bool *out)
{
	struct target_options options = config->options;
	struct target *target;
	int err = target_open(config->target, &options, &target);

	if (err)
		return err;
	*out = target->is_virtual;
	target_close(target);
	return 0;
}

/* Nothing is left to be done, but for what a kill may have left behind. */
static void tidy(const struct execute_config *config, struct progress *progress)
{
	struct chain_run run = { .config = config };

	for (size_t i = 0; i < config->plan->phase_count; i++)
		progress_done(progress, i, NULL, NULL, true);
	for (; run.chain < config->plan->chain_count; run.chain++)
		drop_states(&run);
}

static int run_what_is_open(const struct execute_config *config, struct progress *progress,
			    struct result *result)
{
	bool complete = false, on_a_model = false;
	int err = execute_is_complete(config->plan, result, &complete);

	if (!err && complete) {
		tidy(config, progress);
		return 0;
	}
	if (!err)
		err = is_virtual(config, &on_a_model);
	if (err)
		return err;
	return on_a_model ? run_forked(config, progress, result) :
			    run_in_place(config, progress, result);
}

int execute(const struct execute_config *config, struct result *result)
{
	struct progress *progress = progress_new(config->plan, config->quiet);
	struct sigaction old[2];
	int err;

	assert(config->workers >= 1);
	stop_requested = 0;
	catch_signals(SA_RESETHAND, old);
	err = run_what_is_open(config, progress, result);
	progress_wipe(progress);
	restore_signals(old);
	progress_free(progress);
	return err;
}
