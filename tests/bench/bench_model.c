/*
 * bench_model.c - how many requests a modelled drive serves for a second of processor time,
 * and what memory it takes.
 *
 *	bench_model [FIGURE...]
 *
 * Through the door that everybody uses: target_open() by name with the default bed, run() with
 * a series and full statistics. A line a figure: the median of several slices, the best, and
 * what it was measured on. Machines differ and are busy: compare ratios of one sitting.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fail.h"
#include "load/run.h"
#include "stats/stats.h"
#include "target/target.h"

enum { SLICES = 5, KB = 1024 };

static const char drive_name[] = "samsung-983-dct";
static const double gib = 1024.0 * 1024 * 1024;

static uint64_t windows;

static void on_window(void *context, const struct window *window)
{
	(void)context;
	(void)window;
	windows++;
}

static bool on_progress(void *context, const struct stats *so_far, uint64_t elapsed_ns)
{
	(void)context;
	(void)so_far;
	(void)elapsed_ns;
	return true;
}

static void check(int err)
{
	if (!err)
		return;
	fprintf(stderr, "bench_model: %s\n", fail_message());
	exit(1);
}

static struct target *open_drive(uint32_t scale)
{
	const struct target_options options = { .scale = scale, .seed = 1 };
	struct target *target;

	check(target_open(drive_name, &options, &target));
	return target;
}

/* One slice: so many requests of a workload. Returns the processor time. */
static uint64_t send(struct target *target, const struct workload *workload, uint64_t requests,
		     const char *name)
{
	static struct stats stats;
	const struct run_config config = {
		.workload = workload,
		.seed = 1,
		.name = name,
		.duration_ns = UINT64_MAX,
		.max_ios = requests,
		.window_ns = 1000000000,
		.on_window = on_window,
		.on_progress = on_progress,
	};
	uint64_t before_ns = clock_cpu_ns();

	check(run(target, &config, &stats));
	assert(stats.ios[IO_READ] + stats.ios[IO_WRITE] == requests);
	return clock_cpu_ns() - before_ns;
}

static void fill(struct target *target, uint32_t size_bytes)
{
	static struct stats stats;
	const struct run_config config = { .seed = 1, .name = "fill", .on_progress = on_progress };

	check(run_fill(target, size_bytes, &config, &stats));
	check(target_settle(target));
}

static struct workload workload_of(uint32_t read_percent, uint32_t size_bytes,
				   uint64_t span_percent)
{
	return (struct workload){
		.name = (char[]){ "bench" },
		.read_percent = read_percent,
		.pattern = PATTERN_UNIFORM,
		.random_percent = 100,
		.read_sizes = { 1, { { size_bytes, 1 } } },
		.write_sizes = { 1, { { size_bytes, 1 } } },
		.threads = 16,
		.depth = 8,
		.span_millipercent = span_percent * 1000,
	};
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Of the slices of one figure, in M requests per CPU-second. */
struct rates {
	double median, best;
	double moves; /* units that GC moved, in M per CPU-second, over all slices */
	double waf;
};

static struct rates measure(struct target *target, const struct workload *workload,
			    uint64_t slice_requests)
{
	double rates[SLICES];
	struct health before, after;
	uint64_t spent_ns = 0, written_bytes;

	target_health(target, &before);
	for (int i = 0; i < SLICES; i++) {
		char name[32];
		uint64_t slice_ns;

		snprintf(name, sizeof(name), "slice-%d", i);
		slice_ns = send(target, workload, slice_requests, name);
		rates[i] = (double)slice_requests * 1e3 / (double)slice_ns;
		spent_ns += slice_ns;
	}
	target_health(target, &after);
	qsort(rates, SLICES, sizeof(rates[0]), by_size);
	written_bytes = after.host_written_bytes - before.host_written_bytes;
	return (struct rates){
		.median = rates[SLICES / 2],
		.best = rates[SLICES - 1],
		.moves = (double)(after.gc_copied_bytes - before.gc_copied_bytes) / 4096 * 1e3 /
			 (double)spent_ns,
		.waf = written_bytes ? (double)(after.nand_written_bytes - before.nand_written_bytes) /
					       (double)written_bytes : 0,
	};
}

static void print(const char *what, const struct rates *rates, const struct target *target)
{
	printf("%-42s %7.3f M requests/CPU-s (best %.3f), %.1f GiB drive", what, rates->median,
	       rates->best, (double)target->size_bytes / gib);
	if (rates->waf > 0)
		printf(", WAF %.2f", rates->waf);
	if (rates->moves > 0)
		printf(", %.3f M moves/CPU-s", rates->moves);
	printf("\n");
	fflush(stdout);
}

static void read_4k(void)
{
	struct target *target = open_drive(TARGET_SCALE_AUTO);
	const struct workload workload = workload_of(100, 4 * KB, 100);
	struct rates rates;

	fill(target, 128 * KB);
	rates = measure(target, &workload, 2000000);
	print("4K random read", &rates, target);
	target_close(target);
}

/* Into free space: as much as the drive holds, less what would start the cleaning. */
static void write_4k_fresh(void)
{
	struct target *target = open_drive(TARGET_SCALE_AUTO);
	const struct workload workload = workload_of(0, 4 * KB, 100);
	struct rates rates = measure(target, &workload, target->size_bytes / 4096 / SLICES);

	print("4K random write, fresh", &rates, target);
	target_close(target);
}

/* The published curves: a quarter of a full drive is written over and over. */
static void write_4k_cleaning(void)
{
	struct target *target = open_drive(TARGET_SCALE_AUTO);
	const struct workload workload = workload_of(0, 4 * KB, 25);
	struct rates rates;

	fill(target, 128 * KB);
	send(target, &workload, target->size_bytes / 4096 / 2, "until it is used to it");
	rates = measure(target, &workload, 500000);
	print("4K random write, GC, full drive", &rates, target);
	target_close(target);
}

/* Seven tenths of a drive that holds nothing else: as if it had 70 % more flash. */
static void write_4k_roomy(void)
{
	struct target *target = open_drive(TARGET_SCALE_AUTO);
	const struct workload workload = workload_of(0, 4 * KB, 70);
	struct rates rates;

	send(target, &workload, target->size_bytes / 4096 * 2, "until it is used to it");
	rates = measure(target, &workload, 1000000);
	print("4K random write, GC, much spare", &rates, target);
	target_close(target);
}

static void write_128k(bool is_full)
{
	struct target *target = open_drive(TARGET_SCALE_AUTO);
	struct workload workload = workload_of(0, 128 * KB, 100);
	struct rates rates;

	workload.pattern = PATTERN_SEQUENTIAL;
	workload.threads = 1;
	workload.depth = 32;
	if (is_full)
		fill(target, 128 * KB);
	rates = measure(target, &workload, 200000);
	print(is_full ? "128K sequential write, over a full drive" : "128K sequential write", &rates,
	      target);
	target_close(target);
}

/* From fresh, round and round: each pass overwrites the last one in its order. */
static void write_128k_fresh(void)
{
	write_128k(false);
}

/* The fill came from many writers at once, so that what is overwritten lies everywhere. */
static void write_128k_over(void)
{
	write_128k(true);
}

/* ---- full size ---- */

static uint64_t resident_bytes(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	unsigned long long kib = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmRSS: %llu kB", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib * KB;
}

static void print_memory(const char *when, const struct target *target, uint64_t base_bytes)
{
	uint64_t bytes = resident_bytes();

	printf("memory, %-34s %7.3f MB per GiB of drive: %.0f MB resident, %.0f before it was opened\n",
	       when, (double)bytes / 1e6 / ((double)target->size_bytes / gib), (double)bytes / 1e6,
	       (double)base_bytes / 1e6);
	fflush(stdout);
}

static void full_size(void)
{
	uint64_t base_bytes = resident_bytes();
	struct target *target = open_drive(1);
	const struct workload reads = workload_of(100, 4 * KB, 100);
	const struct workload writes = workload_of(0, 4 * KB, 100);
	struct rates rates;

	print_memory("full size, formatted", target, base_bytes);
	fill(target, 1024 * KB);
	print_memory("full size, filled", target, base_bytes);
	rates = measure(target, &reads, 2000000);
	print("4K random read, full size", &rates, target);
	rates = measure(target, &writes, 2000000);
	print("4K random write, full size", &rates, target);
	print_memory("after 20 M requests more", target, base_bytes);
	target_close(target);
}

static const struct figure {
	const char *name;
	void (*measure)(void);
} figures[] = {
	{ "read", read_4k },
	{ "fresh", write_4k_fresh },
	{ "cleaning", write_4k_cleaning },
	{ "roomy", write_4k_roomy },
	{ "sequential", write_128k_fresh },
	{ "sequential-over", write_128k_over },
	{ "full", full_size },
};

enum { FIGURES = sizeof(figures) / sizeof(figures[0]) };

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		bool known = false;

		for (int k = 0; k < FIGURES; k++)
			known |= !strcmp(argv[i], figures[k].name);
		if (known)
			continue;
		fprintf(stderr, "bench_model: %s: no such figure; these are:", argv[i]);
		for (int k = 0; k < FIGURES; k++)
			fprintf(stderr, " %s", figures[k].name);
		fprintf(stderr, "\n");
		return 2;
	}
	for (int k = 0; k < FIGURES; k++) {
		bool wanted = argc == 1;

		for (int i = 1; i < argc; i++)
			wanted |= !strcmp(argv[i], figures[k].name);
		if (wanted)
			figures[k].measure();
	}
	return 0;
}
