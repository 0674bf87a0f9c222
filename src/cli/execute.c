#include "cli/execute.h"

#include <assert.h>
#include <errno.h>
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
#include "cli/chain.h"
#include "cli/progress.h"

static volatile sig_atomic_t stop_requested;

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
		.stop = &stop_requested,
	};
	struct sigaction unused[2];
	int err;

	catch_signals(0, unused); /* more than one: from the terminal, and passed on */
	err = chain_run_all(&run);
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
			.stop = &stop_requested,
			.shows = true,
		};

		err = chain_run_all(&run);
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
		state_drop_all(&run);
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

int execute_is_complete(const struct plan *plan, struct result *result, bool *out)
{
	enum phase_status status;
	uint64_t ended_ns;
	int err = 0;

	*out = true;
	for (size_t i = 0; !err && *out && i < plan->phase_count; i++) {
		err = chain_phase_status(result, i, &status, &ended_ns);
		*out = !err && chain_phase_is_over(status);
	}
	return err;
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
