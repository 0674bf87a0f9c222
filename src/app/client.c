#include "app/client.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "load/run.h"

void client_init(struct client *client, struct target *target, const struct app_config *config,
		 uint64_t file_bytes, struct stats *total)
{
	*client = (struct client){
		.target = target,
		.config = config,
		.file_bytes = file_bytes,
		.total = total,
		.last = xcalloc(1, sizeof(*client->last)),
	};
}

void client_free(struct client *client)
{
	free(client->last);
	client->last = NULL;
}

static int run_it(struct client *client, const struct client_load *load)
{
	_cleanup_free_ char *name = xasprintf("%s/%u", client->config->name, client->loads++);
	struct workload workload = {
		.name = name,
		.read_percent = load->read_percent,
		.pattern = load->pattern,
		.random_percent = load->pattern == PATTERN_SEQUENTIAL ? 0 : 100,
		.threads = load->threads,
		.depth = load->depth,
		.span_millipercent = 100000,
		.span_bytes = client->file_bytes,
		.shares_span = true,
	};
	struct run_config config = {
		.workload = &workload,
		.seed = client->config->seed,
		.name = name,
		.duration_ns = load->time_ns ? load->time_ns : UINT64_MAX,
		.max_bytes = load->max_bytes,
		.window_ns = load->time_ns / 20,
		.on_progress = client->config->on_progress,
		.context = client->config->context,
		.stop = client->config->stop,
	};
	struct size_mix *mix = load->read_percent ? &workload.read_sizes : &workload.write_sizes;

	assert(load->time_ns || load->max_bytes);
	mix->count = 1;
	mix->shares[0] = (struct size_share){ .size_bytes = load->size_bytes, .weight = 1 };
	stats_clear(client->last);
	return run(client->target, &config, client->last);
}

int client_load(struct client *client, const struct client_load *load, double *bytes_per_s)
{
	int err = run_it(client, load);

	if (err)
		return err;
	stats_merge(client->total, client->last);
	*bytes_per_s = stats_bytes_per_s(client->last);
	if (client->last->errors)
		return fail(EIO, "%s: %llu requests failed", client->config->name,
			    (unsigned long long)client->last->errors);
	return 0;
}

int client_make_file(struct client *client, uint32_t size_bytes)
{
	const struct client_load load = {
		.pattern = PATTERN_SEQUENTIAL, .size_bytes = size_bytes, .threads = 1, .depth = 8,
		.max_bytes = client->file_bytes,
	};

	return run_it(client, &load);
}

void client_pause(struct client *client, uint64_t ns)
{
	uint64_t until_ns = target_now(client->target) + ns;

	if (target_reap(client->target, until_ns))
		abort(); /* nothing is in flight */
}
