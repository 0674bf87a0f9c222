/* state.c - what a model is like after a phase, in a file beside the result. */
#include "cli/chain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fail.h"

char *state_path(const struct chain_run *run, size_t phase)
{
	return xasprintf("%s-state-%u-%zu", run->config->path, run->chain, phase);
}

void state_drop(const struct chain_run *run, size_t phase)
{
	_cleanup_free_ char *path = state_path(run, phase);

	unlink(path);
}

/* All of them, and what a kill has left behind. */
void state_drop_all(const struct chain_run *run)
{
	const struct plan *plan = run->config->plan;

	for (size_t i = 0; i < plan->phase_count; i++) {
		_cleanup_free_ char *draft = NULL;

		if (plan->phases[i].chain != run->chain)
			continue;
		draft = xasprintf("%s-state-%u-%zu.draft", run->config->path, run->chain, i);
		unlink(draft);
		state_drop(run, i);
	}
}

/* Nothing waits for the disk here: a state that a power cut takes costs time, not the result. */
int state_save_to(const struct chain_run *run, const char *path)
{
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

int state_save(const struct chain_run *run, size_t phase)
{
	_cleanup_free_ char *path = state_path(run, phase);

	return state_save_to(run, path);
}

int state_load_from(const struct chain_run *run, const char *path)
{
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

int state_load(const struct chain_run *run, size_t phase)
{
	_cleanup_free_ char *path = state_path(run, phase);

	return state_load_from(run, path);
}

bool state_changes(const struct phase *phase)
{
	return !phase->workload || phase->workload->read_percent < 100;
}

/* The latest phase before `phase` of this chain that left the drive different. */
bool state_last_change(const struct chain_run *run, size_t phase, size_t *out)
{
	const struct plan *plan = run->config->plan;

	while (phase-- > 0) {
		if (plan->phases[phase].chain != run->chain || !state_changes(&plan->phases[phase]))
			continue;
		*out = phase;
		return true;
	}
	return false;
}
