/* job_trace.c - a trace as a plan of one phase, and what was counted in it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/units.h"
#include "cli/job.h"
#include "cli/lines.h"
#include "cli/trace_source.h"

struct job_trace {
	struct job base;
	const struct job_options *options;
	struct trace_source source;
	enum trace_scaling scaling;
	char *path;
};

enum {
	DEPTH = 256,                /* the most requests in flight, unless --depth says more */
	POOL_BYTES = 512 << 20,     /* of memory for their data */
};

static const uint64_t unlimited_ns = 30ull * 86400 * 1000000000; /* it ends with its last request */

static const char *recognise(const char *head, size_t size)
{
	static char words[128];
	const struct trace_format *format = trace_guess(head, size);

	if (!format)
		return NULL;
	snprintf(words, sizeof(words), "%s (--format %s)", trace_format_help(format),
		 trace_format_name(format));
	return words;
}

static bool is_called(const char *format)
{
	return trace_format_by_name(format) != NULL;
}

static int choose_scaling(const char *word, enum trace_scaling *out)
{
	*out = TRACE_FIT;
	if (!word || !strcmp(word, "fit"))
		return 0;
	*out = TRACE_WRAP;
	if (!strcmp(word, "wrap"))
		return 0;
	*out = TRACE_NONE;
	if (!strcmp(word, "none"))
		return 0;
	return fail(EINVAL, "--scale-addresses: '%.60s' is neither fit nor wrap nor none", word);
}

static int find_format(const char *path, const char *name, const struct trace_format **out)
{
	char *head = xmalloc(1 << 16);
	size_t size;
	int err = 0;

	if (name) {
		*out = trace_format_by_name(name);
	} else {
		err = lines_head(path, head, 1 << 16, &size);
		*out = err ? NULL : trace_guess(head, size);
	}
	free(head);
	return err;
}

static void free_trace(struct job *base)
{
	struct job_trace *job = container_of(base, struct job_trace, base);

	trace_source_clear(&job->source);
	free(job->path);
	free(job);
}

static int load(const char *path, const char *text, size_t size, const struct job_options *options,
		struct job **out)
{
	struct job_trace *job = xcalloc(1, sizeof(*job));
	const struct trace_format *format = NULL;
	int err = choose_scaling(options->scaling, &job->scaling);

	(void)text;
	(void)size;
	if (!err)
		err = find_format(path, options->format, &format);
	job->options = options;
	job->path = xstrdup(path);
	if (!err) {
		trace_source_init(&job->source, job->path, format, options->device);
		err = trace_scan(&job->source);
	}
	if (err) {
		free_trace(&job->base);
		return err;
	}
	*out = &job->base;
	return 0;
}

/* ---- the plan ---- */

/* A share that is none or all of them only where it is exactly so. */
static uint32_t percent_of(uint64_t part, uint64_t whole)
{
	uint32_t percent = whole ? (uint32_t)((double)part * 100 / (double)whole + 0.5) : 0;

	if (part > 0 && percent == 0)
		return 1;
	return part < whole && percent == 100 ? 99 : percent;
}

static void describe(const struct trace_counts *counts, struct workload *workload)
{
	uint64_t all = 0, others;

	for (int op = 0; op < IO_OP_COUNT; op++)
		all += counts->requests[op];
	others = all - counts->requests[IO_READ];
	workload->read_percent = percent_of(counts->requests[IO_READ], all);
	workload->trim_percent = percent_of(counts->requests[IO_TRIM], others);
	workload->read_sizes = workload->write_sizes = (struct size_mix){ 0 };
	if (counts->requests[IO_READ])
		workload->read_sizes = (struct size_mix){ 1, { { (uint32_t)counts->read_max_bytes, 1 } } };
	if (others)
		workload->write_sizes = (struct size_mix){ 1, {
			{ counts->write_max_bytes ? (uint32_t)counts->write_max_bytes : 4096, 1 } } };
}

static uint32_t depth_of(const struct job_trace *job)
{
	const struct trace_counts *counts = &job->source.counts;
	uint64_t most = counts->requests[IO_WRITE] && counts->write_max_bytes > counts->read_max_bytes ?
			counts->write_max_bytes : counts->read_max_bytes;
	uint64_t depth = most ? POOL_BYTES / most : DEPTH;

	if (job->options->depth)
		return job->options->depth;
	return depth < 1 ? 1 : depth < DEPTH ? (uint32_t)depth : DEPTH;
}

static int make_plan(struct job *base, struct plan **out)
{
	struct job_trace *job = container_of(base, struct job_trace, base);
	struct plan *plan = job_plan_new(base->path, 1, 1);
	struct workload *workload = xcalloc(1, sizeof(*workload));
	const struct trace_counts *counts = &job->source.counts;

	job->source.base.is_timed = counts->has_times && !job->options->asap;
	workload->name = xstrdup(plan->name);
	workload->help = xasprintf("the requests of %s, %s", base->path, job->source.base.is_timed ?
				   "at their recorded times" : "as fast as the depth allows");
	workload->source = xasprintf("ours: %s, a recorded trace", base->path);
	workload->pattern = PATTERN_TRACE;
	workload->replay = &job->source.base;
	workload->threads = 1;
	workload->depth = depth_of(job);
	workload->span_millipercent = 100000;
	workload->align_bytes = 512;
	describe(counts, workload);
	plan->workloads[0] = workload;
	plan->workload_count = plan->phase_count = 1;
	plan->phases[0] = (struct phase){
		.kind = PHASE_RUN,
		.name = xstrdup(plan->name),
		.group = xstrdup(plan->name),
		.workload = workload,
		.duration_ns = unlimited_ns,
		.window_ns = job_window_ns(counts->length_ns ? counts->length_ns : 20000000000u),
		.max_bytes = counts->sent_bytes + 1, /* it never ends before its last request */
	};
	*out = plan;
	return 0;
}

/* ---- what is in it, in words and for the result ---- */

static void add_number(struct job *base, const char *key, uint64_t value)
{
	job_add_text(base, key, xasprintf("%llu", (unsigned long long)value));
}

static void keep_counts(struct job *base, const struct job_trace *job)
{
	static const char *const scalings[] = { "fit", "wrap", "none" };
	const struct trace_counts *counts = &job->source.counts;

	job_add_text(base, "trace_format", xstrdup(trace_format_name(job->source.format)));
	job_add_text(base, "trace_replay", xstrdup(job->source.base.is_timed ? "recorded times" : "asap"));
	job_add_text(base, "trace_scale_addresses", xstrdup(scalings[job->scaling]));
	if (job->options->device)
		job_add_text(base, "trace_device", xstrdup(job->options->device));
	add_number(base, "trace_lines", counts->lines);
	add_number(base, "trace_empty_lines", counts->empty);
	add_number(base, "trace_other_lines", counts->other);
	add_number(base, "trace_other_devices", counts->other_devices);
	add_number(base, "trace_reads", counts->requests[IO_READ]);
	add_number(base, "trace_writes", counts->requests[IO_WRITE]);
	add_number(base, "trace_trims", counts->requests[IO_TRIM]);
	add_number(base, "trace_flushes", counts->requests[IO_FLUSH]);
	add_number(base, "trace_no_size", counts->no_size);
	add_number(base, "trace_negative_times", counts->negative);
	add_number(base, "trace_unordered_times", counts->unordered);
	add_number(base, "trace_missed_times", counts->missed);
	add_number(base, "trace_rounded", counts->rounded);
	add_number(base, "trace_cut", counts->cut);
	add_number(base, "trace_end_bytes", counts->end_bytes);
	add_number(base, "trace_length_ns", counts->length_ns);
}

static void note(const struct job *base, uint64_t count, const char *words)
{
	if (count)
		fprintf(stderr, "note: %s: %llu %s\n", base->path, (unsigned long long)count, words);
}

static void say_counts(const struct job *base, const struct job_trace *job)
{
	const struct trace_counts *counts = &job->source.counts;
	char text[UNITS_BYTES], size[UNITS_BYTES];

	fprintf(stderr, "note: %s: %llu reads, %llu writes, %llu trims, %llu flushes over %s, up to %s, of %zu "
		"device%s\n", base->path, (unsigned long long)counts->requests[IO_READ],
		(unsigned long long)counts->requests[IO_WRITE],
		(unsigned long long)counts->requests[IO_TRIM],
		(unsigned long long)counts->requests[IO_FLUSH],
		format_duration(counts->length_ns, text), format_size(counts->end_bytes, size),
		counts->devices, counts->devices == 1 ? "" : "s");
	note(base, counts->empty, "empty lines and comments");
	note(base, counts->other, "lines of something that is no request");
	note(base, counts->other_devices, "requests of other devices than --device are left out");
	note(base, counts->no_size, "requests of no bytes are left out");
	note(base, counts->negative, "times are below zero");
	note(base, counts->unordered, "times go back; the requests are put in order");
	note(base, counts->missed, "of them come too late for that, and go out with those that they missed; "
	     "a sorted trace has none");
	note(base, counts->rounded, "requests are no whole blocks of the target and are rounded up to them");
	note(base, counts->cut, "requests are larger than 16 MiB (trims: 1 GiB) and go out in pieces");
	if (!job->options->device && counts->devices > 1)
		note(base, counts->devices, "devices share the target's addresses; --device NAME takes one");
	if (!counts->has_times && !job->options->asap)
		fprintf(stderr, "note: %s: has no times: replayed as fast as %u requests in flight allow, as with "
			"--asap\n", base->path, depth_of(job));
	if (counts->end_bytes > job->source.target_bytes)
		fprintf(stderr, "note: %s: goes further than the target: addresses are %s\n", base->path,
			job->scaling == TRACE_WRAP ? "wrapped (divided by its size, the rest)" :
			"moved together in regions of 1 MiB (--scale-addresses fit)");
}

static int fit(struct job *base, const struct target *target, struct plan *plan)
{
	struct job_trace *job = container_of(base, struct job_trace, base);
	struct workload *workload = plan->workloads[0];
	int err = trace_fit(&job->source, target, job->scaling);

	if (err)
		return err;
	describe(&job->source.counts, workload);
	workload->depth = depth_of(job);
	workload->align_bytes = target->block_bytes;
	for (size_t i = 0; i < plan->phase_count; i++)
		if (plan->phases[i].workload == workload)
			plan->phases[i].max_bytes = job->source.counts.sent_bytes + 1;
	keep_counts(base, job);
	say_counts(base, job);
	return 0;
}

const struct job_ops job_trace_ops = {
	.formats = "blkparse, iolog, msr, systor, alibaba, tencent, spc",
	.recognise = recognise,
	.is_called = is_called,
	.load = load,
	.plan = make_plan,
	.fit = fit,
	.free = free_trace,
};
