/*
 * bench_generator.c - what the generator itself costs, in processor time per request.
 *
 * On `null`, which completes at once on the wall clock, and on a server in virtual time that
 * does next to nothing. Compare with `fio --ioengine=null` on the same machine.
 */
#include <errno.h>

#include "base/clock.h"
#include "load/run.h"
#include "../server.h"

static bool on_progress(void *context, const struct stats *so_far, uint64_t elapsed_ns)
{
	(void)context;
	(void)so_far;
	(void)elapsed_ns;
	return true;
}

static uint64_t windows;

static void on_window(void *context, const struct window *window)
{
	(void)context;
	(void)window;
	windows++;
}

static void measure(const char *name, struct target *target, struct workload workload, uint64_t rate,
		    uint64_t duration_ns)
{
	static struct stats stats;
	struct run_config config = {
		.workload = &workload,
		.seed = 1,
		.name = "bench",
		.rate = rate,
		.arrivals = ARRIVALS_EXPONENTIAL,
		.duration_ns = duration_ns,
		.window_ns = duration_ns / 10,
		.on_window = on_window,
		.on_progress = on_progress,
	};
	uint64_t before_ns = clock_cpu_ns(), spent_ns, ios;

	run(target, &config, &stats);
	spent_ns = clock_cpu_ns() - before_ns;
	ios = stats.ios[IO_READ] + stats.ios[IO_WRITE];
	printf("%-34s %7.1f ns/request  %6.2f M requests/CPU-second\n", name,
	       (double)spent_ns / (double)ios, (double)ios * 1e3 / (double)spent_ns);
}

int main(void)
{
	struct workload workload = {
		.name = (char[]){ "bench" },
		.read_percent = 100,
		.pattern = PATTERN_UNIFORM,
		.random_percent = 100,
		.read_sizes = { 1, { { 4096, 1 } } },
		.write_sizes = { 3, { { 4096, 5 }, { 8192, 3 }, { 65536, 2 } } },
		.threads = 1,
		.depth = 1,
		.span_millipercent = 100000,
	};
	const struct target_options options = { 0 };
	static struct server server;
	struct target *null;

	if (target_null_ops.open("1T", &options, &null))
		return 1;
	measure("null, depth 1", null, workload, 0, 500000000);
	workload.depth = 32;
	measure("null, depth 32", null, workload, 0, 500000000);
	target_close(null);

	server_init(&server, 32, 10000);
	measure("virtual, depth 32", &server.base, workload, 0, 1000000000);
	server_init(&server, 32, 10000);
	measure("virtual, open loop", &server.base, workload, 2000000, 1000000000);
	workload.read_percent = 70;
	server_init(&server, 32, 10000);
	measure("virtual, depth 32, mixed", &server.base, workload, 0, 1000000000);
	workload.pattern = PATTERN_ZIPF;
	workload.zipf_theta_milli = 990;
	server_init(&server, 32, 10000);
	measure("virtual, depth 32, mixed, zipf", &server.base, workload, 0, 1000000000);
	return 0;
}
