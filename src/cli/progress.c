#include "cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"

enum { SHOW_EVERY_MS = 200, MESSAGE_BYTES = 1024 };

struct chain {
	bool running;
	size_t phase;
	double done;        /* of the present phase, 0 to 1 */
	double iops, mean_us;
	int err;
	char message[MESSAGE_BYTES];
};

struct progress {
	const struct plan *plan;
	size_t bytes;
	bool quiet, on_terminal, line_shown;
	uint64_t began_ns, shown_ns;
	double weight_skipped;  /* of phases that an earlier run had finished */
	size_t finished;
	double weight_finished; /* written by several chains: a race costs a wrong digit on screen */
	double weight_total;
	struct chain chains[];
};

/* How long a phase is compared to the others; a fill's time is not known in advance. */
static double weight(const struct plan *plan, size_t phase)
{
	uint64_t planned_ns = phase_planned_ns(&plan->phases[phase]);

	if (planned_ns)
		return (double)planned_ns;
	return plan->phases[phase].kind == PHASE_FILL ? 0.05 : 0.001; /* of the plan: see total() */
}

static double scaled_weight(const struct progress *progress, size_t phase)
{
	double own = weight(progress->plan, phase);

	return own < 1 ? own * progress->weight_total : own;
}

struct progress *progress_new(const struct plan *plan, bool quiet)
{
	size_t bytes = sizeof(struct progress) + plan->chain_count * sizeof(struct chain);
	struct progress *progress = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double known = 0;

	if (progress == MAP_FAILED) {
		fputs("drivebay: out of memory\n", stderr);
		exit(1);
	}
	progress->plan = plan;
	progress->bytes = bytes;
	progress->quiet = quiet;
	progress->on_terminal = isatty(STDERR_FILENO);
	progress->began_ns = clock_ns();
	for (size_t i = 0; i < plan->phase_count; i++)
		known += weight(plan, i);
	progress->weight_total = known > 1 ? known : 1;
	return progress;
}

void progress_free(struct progress *progress)
{
	if (progress)
		munmap(progress, progress->bytes);
}

static struct chain *chain_of(struct progress *progress, size_t phase)
{
	return &progress->chains[progress->plan->phases[phase].chain];
}

void progress_phase(struct progress *progress, size_t phase)
{
	struct chain *chain = chain_of(progress, phase);

	chain->phase = phase;
	chain->done = 0;
	chain->iops = 0;
	chain->mean_us = 0;
	chain->running = true;
}

void progress_update(struct progress *progress, size_t phase, const struct stats *so_far,
		     uint64_t elapsed_ns)
{
	struct chain *chain = chain_of(progress, phase);
	uint64_t planned_ns = phase_planned_ns(&progress->plan->phases[phase]);

	uint64_t max_bytes = progress->plan->phases[phase].max_bytes, bytes = 0;

	for (int op = 0; op < IO_OP_COUNT; op++)
		bytes += so_far->bytes[op];
	chain->done = planned_ns ? (double)elapsed_ns / (double)planned_ns : 0;
	if (max_bytes && (double)bytes / (double)max_bytes > chain->done)
		chain->done = (double)bytes / (double)max_bytes;
	if (chain->done > 1)
		chain->done = 1;
	if (elapsed_ns && so_far->from_submit.count) {
		chain->iops = (double)so_far->from_submit.count * 1e9 / (double)elapsed_ns;
		chain->mean_us = latency_mean_ns(&so_far->from_submit) / 1e3;
	}
}

void progress_done(struct progress *progress, size_t phase, const struct stats *stats,
		   const char *note, bool skipped)
{
	const struct phase *what = &progress->plan->phases[phase];
	struct chain *chain = chain_of(progress, phase);

	chain->running = false;
	progress->finished++;
	progress->weight_finished += scaled_weight(progress, phase);
	if (skipped)
		progress->weight_skipped += scaled_weight(progress, phase);
	if (progress->quiet || progress->on_terminal)
		return;
	if (skipped)
		fprintf(stderr, "[%zu/%zu] %s: done before\n", phase + 1, progress->plan->phase_count,
			what->name);
	else if (stats && stats->from_submit.count)
		fprintf(stderr, "[%zu/%zu] %s: %.0f IOPS, %.1f MB/s, mean %.1f us%s%s\n", phase + 1,
			progress->plan->phase_count, what->name, stats_iops(stats),
			stats_bytes_per_s(stats) / 1e6, latency_mean_ns(&stats->from_submit) / 1e3,
			note ? "; " : "", note ? note : "");
	else
		fprintf(stderr, "[%zu/%zu] %s: done%s%s\n", phase + 1, progress->plan->phase_count,
			what->name, note ? "; " : "", note ? note : "");
}

static void print_left(const struct progress *progress, double share)
{
	double fresh = share - progress->weight_skipped / progress->weight_total;
	double wall_s = (double)(clock_ns() - progress->began_ns) / 1e9;

	fprintf(stderr, "  %2.0f %%", share * 100);
	if (fresh > 0.01 && wall_s > 1) {
		double left_s = wall_s * (1 - share) / fresh;

		if (left_s < 100)
			fprintf(stderr, ", %.0f s left", left_s + 1);
		else if (left_s < 6000)
			fprintf(stderr, ", %.0f min left", left_s / 60 + 0.5);
		else
			fprintf(stderr, ", %.1f h left", left_s / 3600);
	}
}

void progress_show(struct progress *progress)
{
	uint64_t now_ns = clock_ns();
	const struct chain *shown = NULL;
	double done = progress->weight_finished;

	if (progress->quiet || !progress->on_terminal ||
	    now_ns - progress->shown_ns < SHOW_EVERY_MS * 1000000u)
		return;
	progress->shown_ns = now_ns;
	for (unsigned i = 0; i < progress->plan->chain_count; i++) {
		const struct chain *chain = &progress->chains[i];

		if (!chain->running)
			continue;
		shown = shown ? shown : chain;
		done += chain->done * scaled_weight(progress, chain->phase);
	}
	if (!shown)
		return;
	done /= progress->weight_total;
	fprintf(stderr, "\r\033[K[%zu/%zu] %s", shown->phase + 1, progress->plan->phase_count,
		progress->plan->phases[shown->phase].name);
	if (shown->iops > 0)
		fprintf(stderr, "  %.0f IOPS, mean %.0f us", shown->iops, shown->mean_us);
	print_left(progress, done < 1 ? done : 1);
	fflush(stderr);
	progress->line_shown = true;
}

void progress_wipe(struct progress *progress)
{
	if (progress->line_shown)
		fputs("\r\033[K", stderr);
	progress->line_shown = false;
}

void progress_note(struct progress *progress, const char *format, ...)
{
	char text[MESSAGE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "%sdrivebay: %s\n", progress->on_terminal ? "\r\033[K" : "", text);
}

const char *progress_phase_name(const struct progress *progress, unsigned chain)
{
	return progress->plan->phases[progress->chains[chain].phase].name;
}

void progress_set_message(struct progress *progress, unsigned chain, int err, const char *message)
{
	progress->chains[chain].err = err;
	snprintf(progress->chains[chain].message, MESSAGE_BYTES, "%s", message);
}

int progress_message(const struct progress *progress, unsigned chain, const char **message)
{
	*message = progress->chains[chain].message;
	return progress->chains[chain].err;
}
