/*
 * job_vdbench.c - a vdbench parameter file as a plan: a phase for each workload of a run and each
 * turn of its loops and rates; the workloads of one run together.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "cli/job.h"
#include "wire/vdbench.h"

typedef unsigned __int128 uint128; /* C11 has no name for it */

enum {
	PHASES_MAX = 5000,
	TURN_NAME = 160, /* five loops and their values */
};

/* What a workload of the plan was made of. */
struct use {
	const struct vdb_sd *sd;
	const struct vdb_wd *wd;
};

struct job_vdb {
	struct job base;
	struct vdb_file *file;
	struct use *uses; /* of plan->workloads[i] */
};

/* One turn of the loops of a run; 0 (reads, seeks: UINT64_MAX): as the wd has it. */
struct turn {
	uint64_t threads, xfer, reads, seeks;
	char name[TURN_NAME];
};

/* The workloads of a run, and their shares of its rate. */
struct party {
	const struct vdb_rd *rd;
	const struct vdb_wd *wds[VDB_LIST];
	double shares[VDB_LIST];
	size_t count;
};

static const struct job_vdb *vdb_of(const struct job *job)
{
	return (const struct job_vdb *)(const void *)job; /* which it begins with */
}

/* ---- reading ---- */

static const char *recognise(const char *text, size_t size)
{
	static const char *const words[] = { "general=", "hd=", "sd=", "wd=", "rd=", "fsd=", "fwd=" };
	const char *end = text + size;

	while (text < end) {
		while (text < end && (*text == ' ' || *text == '\t' || *text == '\r' || *text == '\n'))
			text++;
		if (text == end || !strchr("*#/", *text))
			break;
		while (text < end && *text != '\n')
			text++;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if ((size_t)(end - text) > strlen(words[i]) && !strncmp(text, words[i], strlen(words[i])))
			return "a vdbench parameter file (--format vdbench)";
	return NULL;
}

static bool is_called(const char *format)
{
	return !strcmp(format, "vdbench");
}

static int load(const char *path, const char *text, size_t size, const struct job_options *options,
		struct job **out)
{
	struct job_vdb *job = xcalloc(1, sizeof(*job));
	int err = vdb_parse(path, text, size, &job->file);

	(void)options;
	if (err) {
		free(job);
		return err;
	}
	job_say_notes(job->file->notes, job->file->note_count);
	*out = &job->base;
	return 0;
}

static void free_vdb(struct job *base)
{
	struct job_vdb *job = container_of(base, struct job_vdb, base);

	vdb_free(job->file);
	free(job->uses);
	free(job);
}

static int line_fail(const struct job *base, unsigned line, const char *name, const char *what)
{
	return fail(EINVAL, "%s:%u: %.60s: %s", base->path, line, name, what);
}

/* ---- who takes part ---- */

/* The one sd of a workload. */
static int find_sd(const struct job *base, const struct vdb_wd *wd, const struct vdb_sd **out)
{
	const struct vdb_file *file = vdb_of(base)->file;
	unsigned found = 0;

	for (size_t i = 0; i < file->sd_count; i++)
		if (vdb_matches(wd->sd ? wd->sd : "*", file->sds[i].name)) {
			*out = &file->sds[i];
			found++;
		}
	if (found == 1)
		return 0;
	return line_fail(base, wd->line, wd->name, found ? "uses several sds, and one TARGET is measured; give "
			 "each a run of its own" : "its sd is not there");
}

/* What no skew was given for shares what is left. */
static int share_out(const struct job *base, struct party *party)
{
	uint32_t given = 0;
	size_t open = 0;

	for (size_t i = 0; i < party->count; i++) {
		given += party->wds[i]->skew_percent;
		open += !party->wds[i]->skew_percent;
	}
	if (given > 100 || (open && given == 100) || (!open && given != 100 && party->count > 1))
		return line_fail(base, party->rd->line, party->rd->name, "the skews of its workloads do not add up "
				 "to 100");
	for (size_t i = 0; i < party->count; i++)
		party->shares[i] = party->count == 1 ? 1 :
				   party->wds[i]->skew_percent ? party->wds[i]->skew_percent / 100.0 :
				   (100 - given) / 100.0 / (double)open;
	if (given && party->count > 1 && party->rd->rate == VDB_MAX)
		return line_fail(base, party->rd->line, party->rd->name, "with iorate=max skews are not kept; leave "
				 "them out, or give an iorate");
	return 0;
}

static int gather(const struct job *base, const struct vdb_rd *rd, struct party *party)
{
	const struct vdb_file *file = vdb_of(base)->file;

	*party = (struct party){ .rd = rd };
	for (size_t i = 0; i < rd->wd_count; i++) {
		bool found = false;

		for (size_t k = 0; k < file->wd_count; k++) {
			if (!vdb_matches(rd->wds[i], file->wds[k].name))
				continue;
			if (party->count == VDB_LIST)
				return line_fail(base, rd->line, rd->name, "more than 64 workloads");
			party->wds[party->count++] = &file->wds[k];
			found = true;
		}
		if (!found)
			return fail(EINVAL, "%s:%u: %.60s: no wd is called '%.60s'", base->path, rd->line,
				    rd->name, rd->wds[i]);
	}
	return share_out(base, party);
}

/* ---- workloads and phases ---- */

static void set_sizes(struct workload *workload, const struct vdb_wd *wd, const struct turn *turn)
{
	struct size_mix mix = { .count = wd->sizes.count };

	for (size_t i = 0; i < mix.count; i++)
		mix.shares[i] = (struct size_share){ (uint32_t)wd->sizes.shares[i].bytes,
						     wd->sizes.shares[i].weight };
	if (turn->xfer)
		mix = (struct size_mix){ 1, { { (uint32_t)turn->xfer, 1 } } };
	if (workload->read_percent > 0)
		workload->read_sizes = mix;
	if (workload->read_percent < 100)
		workload->write_sizes = mix;
}

static uint32_t threads_of(const struct party *party, size_t index, const struct vdb_sd *sd,
			   const struct turn *turn)
{
	const struct vdb_wd *wd = party->wds[index];
	double share = (double)(turn->threads ? turn->threads : sd->threads) * party->shares[index];

	if (wd->threads && !turn->threads)
		return wd->threads;
	return share < 1 ? 1 : (uint32_t)share;
}

static int add_workload(const struct job *base, struct plan *plan, const struct party *party,
			size_t index, const struct turn *turn)
{
	struct job_vdb *job = (struct job_vdb *)(uintptr_t)vdb_of(base);
	const struct vdb_wd *wd = party->wds[index];
	size_t count = plan->workload_count;
	uint64_t seeks = turn->seeks == UINT64_MAX ? wd->seek_percent : turn->seeks;
	const struct vdb_sd *sd = NULL;
	struct workload *workload;
	int err = find_sd(base, wd, &sd);

	if (err)
		return err;
	workload = xcalloc(1, sizeof(*workload));
	workload->name = party->count > 1 ? xasprintf("%s%s/%s", party->rd->name, turn->name, wd->name) :
					    xasprintf("%s%s", party->rd->name, turn->name);
	workload->help = xasprintf("rd=%s, wd=%s of %s", party->rd->name, wd->name, base->path);
	workload->source = xasprintf("ours: %s, line %u", base->path, wd->line);
	workload->read_percent = turn->reads == UINT64_MAX ? wd->read_percent : (uint32_t)turn->reads;
	workload->pattern = seeks ? PATTERN_UNIFORM : PATTERN_SEQUENTIAL;
	workload->random_percent = (uint32_t)seeks;
	workload->align_bytes = (uint32_t)sd->align_bytes;
	workload->threads = 1; /* all threads of vdbench go on with one sequence */
	workload->depth = threads_of(party, index, sd, turn);
	workload->span_millipercent = 100000;
	workload->shares_span = true;
	set_sizes(workload, wd, turn);
	plan->workloads = xrealloc(plan->workloads, (count + 1) * sizeof(*plan->workloads));
	job->uses = xrealloc(job->uses, (count + 1) * sizeof(*job->uses));
	plan->workloads[count] = workload;
	job->uses[count] = (struct use){ sd, wd };
	plan->workload_count++;
	return 0;
}

/* A phase of each workload, together; what they differ in, `phase`, has no name yet. */
static int add_phases(const struct job *base, struct plan *plan, const struct party *party,
		      const char *suffix, double rate, struct phase phase)
{
	size_t first = plan->workload_count - party->count, base_phase = phase.base;

	if (plan->phase_count + party->count > PHASES_MAX)
		return line_fail(base, party->rd->line, party->rd->name, "its loops make more than 5,000 phases");
	plan->phases = xrealloc(plan->phases, (plan->phase_count + party->count) * sizeof(*plan->phases));
	for (size_t i = 0; i < party->count; i++) {
		struct workload *workload = plan->workloads[first + i];

		phase.workload = workload;
		phase.name = xasprintf("%s%s", workload->name, suffix);
		/* A curve is one chart; whatever else was run has one of its own. */
		phase.group = xstrdup(phase.kind == PHASE_POINT || !strcmp(suffix, "/max") ?
				      workload->name : phase.name);
		phase.rate = (uint64_t)(rate * party->shares[i] + 0.5);
		if (rate > 0 && phase.rate == 0)
			phase.rate = 1;
		phase.arrivals = party->rd->is_exponential ? ARRIVALS_EXPONENTIAL : ARRIVALS_DETERMINISTIC;
		phase.base = base_phase + i;
		phase.is_beside = i > 0;
		phase.window_ns = party->rd->interval_s * 1000000000;
		if (phase.window_ns > phase.duration_ns)
			phase.window_ns = phase.duration_ns;
		plan->phases[plan->phase_count++] = phase;
	}
	return 0;
}

/* At this rate (0: as many as possible), with the warm-up before it. */
static int add_run(const struct job *base, struct plan *plan, const struct party *party,
		   const char *suffix, double rate)
{
	const struct vdb_rd *rd = party->rd;
	_cleanup_free_ char *warmup = xasprintf("%s/warmup", suffix);
	int err = 0;

	if (rd->warmup_s)
		err = add_phases(base, plan, party, warmup, rate, (struct phase){
			.kind = PHASE_RUN, .duration_ns = rd->warmup_s * 1000000000,
		});
	if (err)
		return err;
	return add_phases(base, plan, party, suffix, rate, (struct phase){
		.kind = PHASE_RUN, .duration_ns = rd->elapsed_s * 1000000000, .max_bytes = rd->max_bytes,
	});
}

static int add_curve(const struct job *base, struct plan *plan, const struct party *party)
{
	static const struct vdb_list usual = { 6, { 10, 50, 70, 80, 90, 100 } };
	const struct vdb_list *curve = party->rd->curve.count ? &party->rd->curve : &usual;
	size_t maximum;
	int err = add_run(base, plan, party, "/max", 0);

	maximum = plan->phase_count - party->count;
	for (size_t i = 0; !err && i < curve->count; i++) {
		_cleanup_free_ char *suffix = xasprintf("/%03u", (unsigned)curve->values[i]);

		err = add_phases(base, plan, party, suffix, 0, (struct phase){
			.kind = PHASE_POINT, .duration_ns = party->rd->elapsed_s * 1000000000,
			.percent = (uint32_t)curve->values[i], .base = maximum,
		});
	}
	return err;
}

static int add_workloads(const struct job *base, struct plan *plan, const struct party *party,
			 const struct turn *turn)
{
	int err = 0;

	for (size_t i = 0; !err && i < party->count; i++)
		err = add_workload(base, plan, party, i, turn);
	return err;
}

/* A list of rates is a loop too: each has workloads of its own, so that their names tell them apart. */
static int add_rates(const struct job *base, struct plan *plan, const struct party *party,
		     const struct turn *turn)
{
	const struct vdb_list *rates = &party->rd->rates;
	int err = 0;

	for (size_t i = 0; !err && i < rates->count; i++) {
		struct turn one = *turn;
		size_t length = strlen(one.name);

		if (rates->count > 1)
			snprintf(one.name + length, sizeof(one.name) - length, ",iorate=%llu",
				 (unsigned long long)rates->values[i]);
		err = add_workloads(base, plan, party, &one);
		if (!err)
			err = add_run(base, plan, party, "", (double)rates->values[i]);
	}
	return err;
}

static int add_turn(const struct job *base, struct plan *plan, const struct party *party,
		    const struct turn *turn)
{
	int err;

	if (party->rd->rate == VDB_RATES)
		return add_rates(base, plan, party, turn);
	err = add_workloads(base, plan, party, turn);
	if (!err && party->rd->rate == VDB_CURVE)
		err = add_curve(base, plan, party);
	else if (!err)
		err = add_run(base, plan, party, "", 0);
	return err;
}

/* ---- loops ---- */

static size_t turns(const struct vdb_list *list)
{
	return list->count ? list->count : 1;
}

static uint64_t pick(const struct vdb_list *list, size_t index, uint64_t otherwise, const char *what,
		     char name[static TURN_NAME])
{
	size_t length = strlen(name);

	if (!list->count)
		return otherwise;
	if (list->count > 1)
		snprintf(name + length, TURN_NAME - length, ",%s=%llu", what,
			 (unsigned long long)list->values[index]);
	return list->values[index];
}

static int add_rd(const struct job *base, struct plan *plan, const struct vdb_rd *rd)
{
	struct party party;
	size_t count = turns(&rd->threads) * turns(&rd->xfers) * turns(&rd->reads) * turns(&rd->seeks);
	int err = gather(base, rd, &party);

	if (!err && count > PHASES_MAX)
		err = line_fail(base, rd->line, rd->name, "its loops make more than 5,000 phases");
	for (size_t i = 0; !err && i < count; i++) {
		struct turn turn = { .name = "" };
		size_t at = i;

		/* The last loop turns fastest. */
		turn.seeks = pick(&rd->seeks, at % turns(&rd->seeks), UINT64_MAX, "seekpct", turn.name);
		at /= turns(&rd->seeks);
		turn.reads = pick(&rd->reads, at % turns(&rd->reads), UINT64_MAX, "rdpct", turn.name);
		at /= turns(&rd->reads);
		turn.xfer = pick(&rd->xfers, at % turns(&rd->xfers), 0, "xfersize", turn.name);
		at /= turns(&rd->xfers);
		turn.threads = pick(&rd->threads, at, 0, "threads", turn.name);
		err = add_turn(base, plan, &party, &turn);
	}
	return err;
}

static int make_plan(struct job *base, struct plan **out)
{
	const struct vdb_file *file = vdb_of(base)->file;
	struct plan *plan = job_plan_new(base->path, 1, 1);
	int err = 0;

	for (size_t i = 0; !err && i < file->rd_count; i++) {
		for (size_t k = 0; k < i; k++)
			if (!strcmp(file->rds[i].name, file->rds[k].name))
				err = line_fail(base, file->rds[i].line, file->rds[i].name, "there is an rd of this "
						"name already");
		if (!err)
			err = add_rd(base, plan, &file->rds[i]);
	}
	if (err) {
		plan_free(plan);
		return err;
	}
	*out = plan;
	return 0;
}

/* ---- what depends on the target ---- */

static int fit(struct job *base, const struct target *target, struct plan *plan)
{
	uint32_t block = target->block_bytes;

	for (size_t i = 0; i < plan->workload_count; i++) {
		const struct vdb_sd *sd = vdb_of(base)->uses[i].sd;
		const struct vdb_wd *wd = vdb_of(base)->uses[i].wd;
		const uint32_t *range = wd->range_milli[1] ? wd->range_milli : sd->range_milli;
		uint64_t size = sd->size_bytes, low = 0;

		if (sd->offset_bytes >= target->size_bytes)
			return line_fail(base, sd->line, sd->name, "its offset is beyond the end of the target");
		if (!size)
			size = target->size_bytes - sd->offset_bytes;
		if (range[1]) {
			low = (uint64_t)((uint128)size * range[0] / 100000);
			size = (uint64_t)((uint128)size * range[1] / 100000) - low;
		}
		low -= low % block;
		size -= size % block;
		if (size == 0)
			return line_fail(base, sd->line, sd->name, "is no logical block of the target");
		plan->workloads[i]->offset_bytes = sd->offset_bytes + low;
		plan->workloads[i]->span_bytes = size;
	}
	return 0;
}

const struct job_ops job_vdbench_ops = {
	.formats = "vdbench",
	.is_text = true,
	.recognise = recognise,
	.is_called = is_called,
	.load = load,
	.plan = make_plan,
	.fit = fit,
	.free = free_vdb,
};
