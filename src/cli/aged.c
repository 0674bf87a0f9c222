/* aged.c - a model in the steady state of a workload before its first request. */
#include "cli/aged.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "load/run.h"

enum {
	FILL_BYTES = 128 << 10,
	AGED_PASSES = 3,   /* of the flash: what the fill left behind is gone after one or two */
	PASS_ROUNDS = 16,
	ROUNDS_MAX = 4096, /* a workload that writes next to nothing */
};

int aged_check(const char *name)
{
	struct workload *workload;
	int err = workload_load(name, &workload);

	if (err)
		return err;
	if (workload->read_percent == 100 || workload->trim_percent == 100)
		err = fail(EINVAL, "--aged: %s writes nothing, and reads leave a drive as it is", name);
	workload_free(workload);
	return err;
}

static uint64_t flash_written(struct target *target)
{
	struct health health;

	return target_health(target, &health) ? 0 : health.nand_written_bytes;
}

/* Requests that write about a sixteenth of the drive. */
static uint64_t round_requests(const struct target *target, const struct workload *workload)
{
	uint64_t requests = target->size_bytes / PASS_ROUNDS / workload_max_bytes(workload);

	return requests * 100 / (100 - workload->read_percent) + 1;
}

static int wear_in(struct chain_run *run, struct target *target, const struct workload *workload)
{
	_cleanup_free_ struct stats *stats = xcalloc(1, sizeof(*stats));
	uint64_t end = flash_written(target) + AGED_PASSES * target->size_bytes;
	struct run_config config = {
		.workload = workload,
		.seed = run->config->seed,
		.duration_ns = UINT64_MAX,
		.max_ios = round_requests(target, workload),
		.stop = run->stop,
	};
	int err = 0;

	for (unsigned i = 0; !err && i < ROUNDS_MAX && flash_written(target) < end; i++) {
		_cleanup_free_ char *name = xasprintf("aged/round-%u", i);

		config.name = name;
		err = run_threads(&target, 1, &config, stats);
	}
	return err;
}

static int age(struct chain_run *run, struct target *target)
{
	_cleanup_free_ struct stats *stats = xcalloc(1, sizeof(*stats));
	const struct run_config fill = { .seed = run->config->seed, .name = "aged/fill", .stop = run->stop };
	struct workload *workload;
	int err = workload_load(run->config->aged, &workload);

	if (err)
		return err;
	err = run_fill(target, FILL_BYTES, &fill, stats);
	if (!err)
		err = wear_in(run, target, workload);
	if (!err)
		err = target_settle(target);
	workload_free(workload);
	return err;
}

int aged_prepare(struct chain_run *run)
{
	struct target_options options = run->config->options;
	struct target *small;
	int err;

	options.scale = TARGET_SCALE_AUTO;
	err = target_open(run->config->target, &options, &small);
	if (err)
		return err;
	if (small->scale <= run->target->scale) {
		err = age(run, run->target); /* small enough as it is */
	} else {
		err = age(run, small);
		if (!err)
			err = target_enlarge(run->target, small);
	}
	if (!err)
		progress_note(run->progress, "aged by %s at 1/%u of its size", run->config->aged,
			      small->scale > run->target->scale ? small->scale : run->target->scale);
	target_close(small);
	return err;
}
