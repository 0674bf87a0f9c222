/* job_fio.c - a fio job file as a plan: a phase for each job, those between stonewalls together. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "cli/job.h"
#include "wire/fio.h"

typedef unsigned __int128 uint128; /* C11 has no name for it */

struct job_fio {
	struct job base;
	struct fio_file *file;
};

static const uint64_t unlimited_ns = 30ull * 86400 * 1000000000; /* jobs that end by their bytes */

static const struct job_fio *fio_of(const struct job *job)
{
	return (const struct job_fio *)(const void *)job; /* which it begins with */
}

/* ---- reading ---- */

/* The first thing that is no comment is a section. */
static const char *recognise_fio(const char *text, size_t size)
{
	const char *end = text + size;

	while (text < end) {
		while (text < end && (*text == ' ' || *text == '\t' || *text == '\r' || *text == '\n'))
			text++;
		if (text == end || (*text != ';' && *text != '#'))
			break;
		while (text < end && *text != '\n')
			text++;
	}
	return text < end && *text == '[' ? "a fio job file (--format fio)" : NULL;
}

static bool is_called_fio(const char *format)
{
	return !strcmp(format, "fio");
}

static const char *variable(void *context, const char *name)
{
	(void)context;
	return getenv(name);
}

/* As fio has it: from where drivebay was started. */
static int include(void *context, const char *path, char **text, size_t *size)
{
	_cleanup_file_ FILE *file = fopen(path, "re");
	const size_t most = 1 << 20;

	(void)context;
	if (!file)
		return fail(EINVAL, "%s", strerror(errno));
	*text = xmalloc(most);
	*size = fread(*text, 1, most, file);
	if (!ferror(file) && *size < most)
		return 0;
	free(*text);
	*text = NULL;
	return fail(EINVAL, "cannot be read, or is longer than 1 MiB");
}

static int load(const char *path, const char *text, size_t size, const struct job_options *options,
		struct job **out)
{
	const struct fio_world world = { variable, include, NULL };
	struct job_fio *job = xcalloc(1, sizeof(*job));
	int err = fio_parse(path, text, size, &world, &job->file);

	(void)options;
	if (err) {
		free(job);
		return err;
	}
	job_say_notes(job->file->notes, job->file->note_count);
	*out = &job->base;
	return 0;
}

static void free_fio(struct job *job)
{
	fio_file_free(fio_of(job)->file);
	free(job);
}

/* ---- a job as a workload ---- */

static int job_fail(const struct job *base, const struct fio_job *job, const char *what)
{
	return fail(EINVAL, "%s:%u: [%.60s]: %s", base->path, job->line, job->name, what);
}

static void job_note(const struct job *base, const struct fio_job *job, const char *what)
{
	fprintf(stderr, "note: %s:%u: [%s]: %s\n", base->path, job->line, job->name, what);
}

static void set_mix(struct size_mix *mix, const struct fio_sizes *sizes)
{
	mix->count = sizes->count;
	for (size_t i = 0; i < sizes->count; i++)
		mix->shares[i] = (struct size_share){ (uint32_t)sizes->shares[i].bytes,
						      sizes->shares[i].weight };
}

static void set_kinds(const struct fio_job *job, struct workload *workload)
{
	const struct fio_sizes *writes = &job->sizes[job->does[FIO_TRIMS] ? FIO_TRIMS : FIO_WRITES];
	bool mixes = job->does[FIO_READS] && job->does[FIO_WRITES];

	workload->read_percent = mixes ? job->read_percent : job->does[FIO_READS] ? 100 : 0;
	workload->trim_percent = job->does[FIO_TRIMS] ? 100 : 0;
	if (workload->read_percent > 0)
		set_mix(&workload->read_sizes, &job->sizes[FIO_READS]);
	if (workload->read_percent < 100)
		set_mix(&workload->write_sizes, writes);
}

static void set_places(const struct fio_job *job, struct workload *workload)
{
	workload->span_millipercent = 100000;
	workload->align_bytes = (uint32_t)job->align_bytes;
	workload->shares_span = true;
	if (!job->is_random || job->random_percent == 0) {
		workload->pattern = PATTERN_SEQUENTIAL;
		return;
	}
	workload->random_percent = job->random_percent;
	workload->pattern = job->zipf_theta_milli ? PATTERN_ZIPF : PATTERN_UNIFORM;
	workload->zipf_theta_milli = job->zipf_theta_milli;
}

static void say_differences(const struct job *base, const struct fio_job *job)
{
	if (!job->is_async && job->iodepth > 1)
		job_note(base, job, "iodepth has no effect with fio's own choice of engine, psync, and its "
			 "like: one request is in flight for each clone; ioengine=libaio or io_uring keeps more");
	if (job->is_random && !job->may_repeat && !job->zipf_theta_milli)
		job_note(base, job, "places are drawn independently, as with norandommap: one may come twice "
			 "before another comes at all");
	if (!job->is_random && job->does[FIO_READS] && job->does[FIO_WRITES])
		job_note(base, job, "reads and writes go on behind each other, not each kind behind its own");
	if (job->flush_writes && job->is_async && job->iodepth > 1)
		job_note(base, job, "a flush goes out between other requests: those in flight are not waited "
			 "for first");
}

static int make_workload(const struct job *base, const struct fio_job *job, const char *name,
			 struct workload **out)
{
	struct workload *workload;
	uint32_t depth = job->is_async ? job->iodepth : 1;

	if ((uint64_t)job->numjobs * depth > WORKLOAD_OUTSTANDING_MAX)
		return job_fail(base, job, "numjobs times iodepth is more than 65536 outstanding");
	if (job->offset_step.is_given && job->numjobs > 1 && !job->size.is_given)
		return job_fail(base, job, "offset_increment needs a size, which is how much each clone goes "
				"over");
	workload = xcalloc(1, sizeof(*workload));
	workload->name = xstrdup(name);
	workload->help = xasprintf("job [%s] of %s", job->name, base->path);
	workload->source = xasprintf("ours: %s, line %u", base->path, job->line);
	workload->threads = job->numjobs;
	workload->depth = depth;
	workload->flush_writes = job->flush_writes;
	set_kinds(job, workload);
	set_places(job, workload);
	*out = workload;
	return 0;
}

/* ---- rates ---- */

static double mean_bytes(const struct fio_sizes *sizes)
{
	double sum = 0, weight = 0;

	for (size_t i = 0; i < sizes->count; i++) {
		sum += (double)sizes->shares[i].bytes * sizes->shares[i].weight;
		weight += sizes->shares[i].weight;
	}
	return sum / weight;
}

/* Requests a second of this kind and clone; 0: as many as possible. */
static double rate_of(const struct fio_job *job, int kind)
{
	if (job->rate_iops[kind])
		return (double)job->rate_iops[kind];
	return (double)job->rate_bytes[kind] / mean_bytes(&job->sizes[kind]);
}

/* Two rates are one when they have the shares of the mix. */
static int total_rate(const struct job *base, const struct fio_job *job, double *out)
{
	double reads = rate_of(job, FIO_READS), writes = rate_of(job, FIO_WRITES), off;

	if (!job->does[FIO_READS] || !job->does[FIO_WRITES]) {
		*out = rate_of(job, job->does[FIO_READS] ? FIO_READS :
			       job->does[FIO_WRITES] ? FIO_WRITES : FIO_TRIMS);
		return 0;
	}
	off = reads * (100 - job->read_percent) - writes * job->read_percent;
	if (off > (reads + writes) / 10 || off < -(reads + writes) / 10)
		return job_fail(base, job, "rates of reads and of writes that are not as rwmixread shares "
				"them are not supported; give both so (rwmixread=70: rate_iops=700,300), "
				"or make two jobs of it");
	*out = reads + writes;
	return 0;
}

static int set_rate(const struct job *base, const struct fio_job *job, struct phase *phase)
{
	double rate = 0;
	int err = total_rate(base, job, &rate);

	if (err)
		return err;
	rate *= job->numjobs;
	if (rate > 1e9)
		return job_fail(base, job, "more than a thousand million requests a second");
	phase->rate = (uint64_t)(rate + 0.5);
	phase->arrivals = job->is_poisson ? ARRIVALS_EXPONENTIAL : ARRIVALS_DETERMINISTIC;
	if (rate > 0 && phase->rate == 0)
		return job_fail(base, job, "the rate is less than one request in two seconds");
	if (rate > 0 && ((double)phase->rate > 1.001 * rate || (double)phase->rate < 0.999 * rate))
		fprintf(stderr, "note: %s:%u: [%s]: the rate comes to %.2f requests a second; %llu are "
			"offered\n", base->path, job->line, job->name, rate,
			(unsigned long long)phase->rate);
	return 0;
}

/* ---- phases ---- */

/* "reads", or "reads-2" for the second of that name. */
static char *unique_name(const struct fio_file *file, size_t index)
{
	unsigned before = 0;

	for (size_t i = 0; i < index; i++)
		before += !strcmp(file->jobs[i].name, file->jobs[index].name);
	return before ? xasprintf("%s-%u", file->jobs[index].name, before + 1) :
			xstrdup(file->jobs[index].name);
}

static int add_phase(const struct job *base, struct plan *plan, size_t index, bool is_ramp,
		     bool is_first)
{
	const struct fio_job *job = &fio_of(base)->file->jobs[index];
	struct workload *workload = plan->workloads[index];
	struct phase *phase = &plan->phases[plan->phase_count++];
	uint64_t run_ns = job->runtime_ns ? job->runtime_ns : unlimited_ns;

	*phase = (struct phase){
		.kind = PHASE_RUN,
		.name = xasprintf("%s%s", workload->name, is_ramp ? "/ramp" : ""),
		.workload = workload,
		.duration_ns = is_ramp ? job->ramp_ns : run_ns,
		.max_bytes = is_ramp || job->is_time_based ? 0 : 1, /* how many: see fit() */
		.is_beside = !is_first,
	};
	phase->group = xstrdup(phase->name);
	phase->window_ns = job_window_ns(phase->duration_ns);
	return set_rate(base, job, phase);
}

/* Jobs first..end-1 run at the same time. */
static int add_group(const struct job *base, struct plan *plan, size_t first, size_t end)
{
	const struct fio_job *jobs = fio_of(base)->file->jobs;
	int err = 0;

	for (size_t i = first; i < end; i++)
		if (jobs[i].ramp_ns != jobs[first].ramp_ns)
			return job_fail(base, &jobs[i], "jobs at the same time must have the same ramp_time");
	for (size_t i = first; !err && jobs[first].ramp_ns && i < end; i++)
		err = add_phase(base, plan, i, true, i == first);
	for (size_t i = first; !err && i < end; i++)
		err = add_phase(base, plan, i, false, i == first);
	return err;
}

static int make_workloads(const struct job *base, struct plan *plan)
{
	const struct fio_file *file = fio_of(base)->file;
	int err = 0;

	for (size_t i = 0; !err && i < file->job_count; i++) {
		_cleanup_free_ char *name = unique_name(file, i);

		err = make_workload(base, &file->jobs[i], name, &plan->workloads[i]);
		plan->workload_count += !err;
	}
	return err;
}

static int make_plan(struct job *base, struct plan **out)
{
	const struct fio_file *file = fio_of(base)->file;
	struct plan *plan = job_plan_new(base->path, file->job_count, 2 * file->job_count);
	int err = make_workloads(base, plan);

	for (size_t first = 0, end; !err && first < file->job_count; first = end) {
		for (end = first + 1; end < file->job_count && !file->jobs[end].is_stonewalled;)
			end++;
		err = add_group(base, plan, first, end);
	}
	if (err) {
		plan_free(plan);
		return err;
	}
	*out = plan;
	return 0;
}

/* ---- what depends on the target ---- */

static uint64_t bytes_of(const struct fio_amount *amount, uint64_t whole_bytes, uint32_t block_bytes)
{
	uint64_t bytes;

	if (!amount->is_percent)
		return amount->value;
	bytes = (uint64_t)((uint128)whole_bytes * amount->value / 100000);
	return bytes - bytes % block_bytes;
}

/* What no request can address is left out, and it is said. */
static uint64_t whole_blocks(const struct job *base, const struct fio_job *job, uint64_t bytes,
			     uint32_t block_bytes)
{
	if (bytes % block_bytes)
		fprintf(stderr, "note: %s:%u: [%s]: the last %llu bytes of its size are no logical block of "
			"%u and are left out\n", base->path, job->line, job->name,
			(unsigned long long)(bytes % block_bytes), block_bytes);
	return bytes - bytes % block_bytes;
}

/* Where each job goes. One that names no file has files of its own, which lie behind each other. */
static int fit_places(const struct job *base, const struct fio_job *job, const struct target *target,
		      struct workload *workload, uint64_t *files_bytes)
{
	uint64_t offset = bytes_of(&job->offset, target->size_bytes, target->block_bytes);
	uint64_t size = whole_blocks(base, job,
				     bytes_of(&job->size, target->size_bytes, target->block_bytes),
				     target->block_bytes);
	bool has_files = !job->filename && job->size.is_given && !job->size.is_percent;

	if (job->size.is_given && size == 0)
		return job_fail(base, job, "its size is no logical block of the target");
	workload->offset_bytes = offset;
	workload->span_bytes = size;
	workload->thread_step_bytes = bytes_of(&job->offset_step, target->size_bytes,
					       target->block_bytes);
	if (!has_files)
		return 0;
	workload->offset_bytes += *files_bytes;
	if (!job->offset_step.is_given)
		workload->thread_step_bytes = offset + size;
	if (workload->thread_step_bytes > (UINT64_MAX - *files_bytes) / job->numjobs / 2)
		return job_fail(base, job, "its files are larger than any target");
	*files_bytes += workload->thread_step_bytes * (job->numjobs - 1) + offset + size;
	return 0;
}

static uint64_t limit_of(const struct fio_job *job, const struct target *target,
			 const struct workload *workload)
{
	uint128 bytes = workload->span_bytes;

	if (!bytes && workload->offset_bytes < target->size_bytes)
		bytes = target->size_bytes - workload->offset_bytes;
	if (job->io_size.is_given)
		bytes = job->io_size.is_percent ? bytes * job->io_size.value / 100000 : job->io_size.value;
	bytes *= job->loops;
	bytes *= job->numjobs;
	if (bytes == 0)
		return 1;
	return bytes > INT64_MAX ? INT64_MAX : (uint64_t)bytes;
}

static int fit(struct job *base, const struct target *target, struct plan *plan)
{
	const struct fio_file *file = fio_of(base)->file;
	uint64_t files_bytes = 0;
	int err = 0;

	for (size_t i = 0; !err && i < file->job_count; i++) {
		struct workload *workload = plan->workloads[i];

		err = fit_places(base, &file->jobs[i], target, workload, &files_bytes);
		for (size_t k = 0; !err && k < plan->phase_count; k++)
			if (plan->phases[k].workload == workload && plan->phases[k].max_bytes)
				plan->phases[k].max_bytes = limit_of(&file->jobs[i], target, workload);
		if (!err)
			say_differences(base, &file->jobs[i]);
	}
	return err;
}

const struct job_ops job_fio_ops = {
	.formats = "fio",
	.is_text = true,
	.recognise = recognise_fio,
	.is_called = is_called_fio,
	.load = load,
	.plan = make_plan,
	.fit = fit,
	.free = free_fio,
};
