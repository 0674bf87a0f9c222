/*
 * bench_rate.c - does the generator keep a rate, and the distribution that it promises?
 *
 * 10,000 requests a second with exponential gaps on `null` for 10 s, of 4 KiB and of a mix of sizes,
 * from the moments at which they went out: the rate within 0.5 %, the gaps by the test of Kolmogorov
 * and Smirnov (1.63 is exceeded by chance once in a hundred times), sizes in their shares. A host
 * that is busy otherwise shows here; what was due does not depend on it. Exit status 1 when
 * something is missed. A host with nothing else to do is wanted; root may try chrt -f 1.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "load/run.h"
#include "target/target.h"

enum { RATE = 10000, SECONDS = 10, MOST = 2 * RATE * SECONDS };

static const uint64_t second_ns = 1000000000;

/* Around null: writes down when requests go out. */
struct recorder {
	struct target base;
	struct target *inner;
	uint64_t count, small;
	uint64_t due_ns[MOST], sent_ns[MOST];
};

static struct recorder recorder;

static void record_submit(struct target *target, struct io *io)
{
	(void)target;
	if (recorder.count < MOST) {
		recorder.due_ns[recorder.count] = io->due_ns;
		recorder.sent_ns[recorder.count] = io->submitted_ns;
		recorder.small += io->size_bytes == 4096;
		recorder.count++;
	}
	target_forward(recorder.inner, io);
}

static struct io *record_reap(struct target *target, uint64_t until_ns)
{
	(void)target;
	return target_reap(recorder.inner, until_ns);
}

static uint64_t record_now(struct target *target)
{
	(void)target;
	return target_now(recorder.inner);
}

static const struct target_ops record_ops = {
	.name = "record", .submit = record_submit, .reap = record_reap, .now = record_now,
};

static int by_size(const void *a, const void *b)
{
	double x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x < y ? -1 : x > y;
}

/* The largest distance from the exponential distribution, times the root of their number. */
static double distance(const uint64_t *moments, uint64_t count)
{
	static double gaps[MOST];
	double worst = 0, mean_ns = (double)second_ns / RATE;

	for (uint64_t i = 1; i < count; i++)
		gaps[i - 1] = ((double)(moments[i] - moments[i - 1]) + 0.5) / mean_ns;
	count--;
	qsort(gaps, count, sizeof(gaps[0]), by_size);
	for (uint64_t i = 0; i < count; i++) {
		double expected = 1 - exp(-gaps[i]);

		worst = fmax(worst, fabs(expected - (double)i / (double)count));
		worst = fmax(worst, fabs(expected - (double)(i + 1) / (double)count));
	}
	return worst * sqrt((double)count);
}

static const char *verdict(bool holds, bool *all)
{
	*all = *all && holds;
	return holds ? "" : "  missed";
}

static uint64_t lateness(double share)
{
	static double late[MOST];

	for (uint64_t i = 0; i < recorder.count; i++)
		late[i] = (double)(recorder.sent_ns[i] - recorder.due_ns[i]);
	qsort(late, recorder.count, sizeof(late[0]), by_size);
	return (uint64_t)late[(uint64_t)((double)(recorder.count - 1) * share)];
}

static bool measure(const char *name, struct size_mix sizes, double small_share)
{
	static struct stats stats;
	struct workload workload = {
		.name = (char[]){ "rate" }, .read_percent = 100, .pattern = PATTERN_UNIFORM,
		.random_percent = 100, .read_sizes = sizes, .threads = 1, .depth = 128,
		.span_millipercent = 100000,
	};
	struct run_config config = {
		.workload = &workload, .seed = 1, .name = "rate", .rate = RATE,
		.arrivals = ARRIVALS_EXPONENTIAL, .duration_ns = SECONDS * second_ns,
	};
	double error, due, sent, share;
	bool all = true;

	recorder.count = recorder.small = 0;
	if (run(&recorder.base, &config, &stats)) {
		fprintf(stderr, "bench_rate: %s\n", fail_message());
		return false;
	}
	error = stats_iops(&stats) / RATE - 1;
	due = distance(recorder.due_ns, recorder.count);
	sent = distance(recorder.sent_ns, recorder.count);
	share = (double)recorder.small / (double)recorder.count;
	printf("%-12s rate %+.3f %% (0.5)%s\n", name, error * 100, verdict(fabs(error) <= 0.005, &all));
	printf("%-12s gaps as due %.2f, as sent %.2f (1.63)%s\n", "", due, sent,
	       verdict(due < 1.63 && sent < 1.63, &all));
	printf("%-12s sent late by %.1f us in the middle, %.1f us at p99, %.1f us at most\n", "",
	       (double)lateness(0.5) / 1e3, (double)lateness(0.99) / 1e3, (double)lateness(1) / 1e3);
	printf("%-12s %.2f %% of 4 KiB (%.0f, 0.5)%s\n", "", share * 100, small_share * 100,
	       verdict(fabs(share - small_share) <= 0.005, &all));
	return all;
}

int main(void)
{
	const struct target_options options = { 0 };
	const struct size_mix one = { 1, { { 4096, 1 } } };
	const struct size_mix mix = { 3, { { 4096, 70 }, { 8192, 20 }, { 65536, 10 } } };
	bool one_holds, mix_holds;

	if (target_null_ops.open("1T", &options, &recorder.inner))
		return 1;
	recorder.base = *recorder.inner;
	recorder.base.ops = &record_ops;
	one_holds = measure("4 KiB", one, 1);
	mix_holds = measure("size mix", mix, 0.7);
	target_close(recorder.inner);
	return one_holds && mix_holds ? 0 : 1;
}
