#include "load/run.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/fail.h"
#include "load/loop.h"
#include "load/stream.h"
#include "load/together.h"

/* One loop, its callbacks called by the thread that runs it. */
struct single {
	struct loop loop;
	const struct run_config *config;
	struct stats *out;
	struct stats so_far; /* with the interval that has not ended */
};

static bool single_interval(void *context, const struct loop *loop)
{
	struct single *single = context;
	const struct run_config *config = single->config;
	struct window window;

	stats_merge(single->out, &loop->interval);
	if (!config->window_ns || loop->interval.elapsed_ns == 0) /* ended early, on an edge */
		return true;
	if (config->on_window) {
		stats_window(&loop->interval, loop->window_start_ns - loop->start_ns, &window);
		window.waf_milli = loop->waf_milli;
		config->on_window(config->context, &window);
	}
	if (loop->target->is_virtual && config->on_progress)
		return config->on_progress(config->context, single->out, single->out->elapsed_ns);
	return true;
}

static bool single_progress(void *context, const struct loop *loop, uint64_t elapsed_ns)
{
	struct single *single = context;

	stats_reset(&single->so_far);
	stats_merge(&single->so_far, single->out);
	stats_merge(&single->so_far, &loop->interval);
	single->so_far.elapsed_ns = elapsed_ns;
	return single->config->on_progress(single->config->context, &single->so_far, elapsed_ns);
}

int run_fits(const struct target *target, const struct workload *workload)
{
	struct stream_space space = { target->size_bytes, target->block_bytes, 0, 1 };
	struct stream stream;
	int err = stream_init(&stream, workload, &space, 0, "");

	stream_free(&stream);
	if (err || workload->read_percent == 100)
		return err;
	if (workload->trim_percent && target->cannot_ops & 1u << IO_TRIM)
		return fail(EINVAL, "%s: it trims, and this device cannot discard", workload->name);
	if (workload->zeroes_percent && target->cannot_ops & 1u << IO_WRITE_ZEROES)
		return fail(EINVAL, "%s: it has write zeroes, and this device has no such command (the "
			    "kernel would write pages of zeroes, which is another load)", workload->name);
	return 0;
}

int run(struct target *target, const struct run_config *config, struct stats *out)
{
	struct single *single = xcalloc(1, sizeof(*single));
	int err;

	stats_clear(out);
	stats_clear(&single->so_far);
	single->config = config;
	single->out = out;
	err = loop_init(&single->loop, target, config, 0, 1);
	if (!err) {
		single->loop.sink.interval = single_interval;
		single->loop.sink.progress = config->on_progress ? single_progress : NULL;
		single->loop.sink.context = single;
		err = loop_run(&single->loop, target_now(target));
		stats_merge(out, &single->loop.rest);
	}
	loop_free(&single->loop);
	free(single);
	return err;
}

static int run_in_turns(struct target *target, const struct run_config *configs, size_t count,
			struct stats *const *outs)
{
	struct single *singles = xcalloc(count, sizeof(*singles));
	struct loop **loops = xcalloc(count, sizeof(struct loop *));
	int err = 0;

	for (size_t i = 0; i < count; i++) {
		struct single *single = &singles[i];

		stats_clear(outs[i]);
		stats_clear(&single->so_far);
		single->config = &configs[i];
		single->out = outs[i];
		loops[i] = &single->loop;
		if (!err)
			err = loop_init(loops[i], target, &configs[i], 0, 1);
		loops[i]->sink.interval = single_interval;
		loops[i]->sink.context = single;
	}
	if (!err)
		err = loops_run(loops, count, target_now(target));
	for (size_t i = 0; i < count; i++) {
		if (loops[i]->ios && (!err || err == -EINTR))
			stats_merge(outs[i], &loops[i]->rest);
		loop_free(loops[i]);
	}
	free(loops);
	free(singles);
	return err;
}

int run_together(struct target **targets, const struct run_config *configs, size_t count,
		 struct stats *const *outs)
{
	assert(count > 0);
	if (targets[0]->is_virtual)
		return run_in_turns(targets[0], configs, count, outs);
	return run_side_by_side(targets, configs, count, outs);
}

enum { FILL_WRITERS = 32 };

int run_fill(struct target *target, uint32_t size_bytes, const struct run_config *config,
	     struct stats *out)
{
	uint64_t places = target->size_bytes / size_bytes;
	uint32_t most_bytes = places ? size_bytes : (uint32_t)target->size_bytes;
	uint32_t writers = places > FILL_WRITERS ? FILL_WRITERS : places ? (uint32_t)places : 1;
	const struct workload workload = {
		.name = (char[]){ "fill" },
		.pattern = PATTERN_FILL,
		.write_sizes = { .count = 1, .shares = { { most_bytes, 1 } } },
		.threads = writers,
		.depth = (FILL_WRITERS + writers - 1) / writers,
		.span_millipercent = 100000,
	};
	struct run_config fill = *config;

	assert(size_bytes > 0);
	fill.workload = &workload;
	fill.rate = 0;
	fill.duration_ns = UINT64_MAX;
	fill.max_ios = stream_fill_requests(target->size_bytes, most_bytes, writers);
	return run_threads(&target, 1, &fill, out);
}
