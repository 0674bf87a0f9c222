#include "load/plan.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/data.h"
#include "base/fail.h"
#include "base/yaml.h"

enum {
	ROUNDS_MAX = 25,       /* SNIA's limit, of the rounds that --precondition steady inserts */
	QUICK_ROUNDS_MAX = 8,
	PERCENTS_MAX = 100,    /* points of a curve */
	PHASES_MAX = 5000,
};

#define MS_NS 1000000ull
#define S_NS 1000000000ull
#define DAY_NS (86400 * S_NS)

/* --- A plan file, as written. --- */

enum step_kind { STEP_PURGE, STEP_FILL, STEP_CURVE, STEP_ROUNDS, STEP_RUN, STEP_APPLICATION };

static const char *const step_words[] = { "purge", "fill", "curve", "rounds", "run", "application", NULL };

_Static_assert(STEP_PURGE == 0 && STEP_APPLICATION == 5, "step_words");

struct percents {
	uint32_t values[PERCENTS_MAX];
	size_t count;
};

/* Durations of a real measurement, or of a quick one; 0 and empty: not given. */
struct lengths {
	uint64_t maximum_ns, point_ns, steady_ns; /* curve */
	struct percents percents;
	uint64_t round_ns;                        /* rounds */
	uint32_t round_max;
	uint64_t time_ns;                         /* run */
	uint64_t window_ns;
};

struct step {
	uint64_t kind; /* enum step_kind */
	const struct yml_node *node;
	const struct yml_node *workloads; /* a name or a list of names */
	const struct yml_node *application;
	uint64_t cycle_scale_milli;
	const struct yml_node *loads;     /* run: a list of threads x depth */
	uint32_t fill_bytes, passes;
	uint64_t min_fill_millipercent;
	struct lengths full, quick;
};

static int read_percents(const struct yml *yaml, const struct yml_node *node,
			 const struct yml_key *key, void *to)
{
	static const struct yml_key percent = { .min = 1, .max = 1000 };
	struct percents *percents = to;

	(void)key;
	if (node->kind != YML_LIST || !node->first)
		return yml_fail(yaml, node, "a list of percentages must stand here, such as [50, 100]");
	for (const struct yml_node *one = node->first; one; one = one->next) {
		uint32_t *value = &percents->values[percents->count];
		int err;

		if (percents->count == PERCENTS_MAX)
			return yml_fail(yaml, one, "more than %d points", PERCENTS_MAX);
		err = yml_read_count32(yaml, one, &percent, value);
		if (err)
			return err;
		for (size_t i = 0; i < percents->count; i++)
			if (percents->values[i] == *value)
				return yml_fail(yaml, one, "%u is in the list already", *value);
		percents->count++;
	}
	return 0;
}

/* The names are looked up when all of the step is known to be right. */
static int read_workloads(const struct yml *yaml, const struct yml_node *node,
			  const struct yml_key *key, void *to)
{
	struct yml_strings names = { NULL, 0 };
	int err = yml_read_strings(yaml, node, key, &names);

	if (!err && names.count == 0)
		err = yml_fail(yaml, node, "the list of workloads is empty");
	yml_strings_free(&names);
	*(const struct yml_node **)to = node;
	return err;
}

static int read_application(const struct yml *yaml, const struct yml_node *node,
			    const struct yml_key *key, void *to)
{
	char *name = NULL;
	int err = yml_read_string(yaml, node, key, &name);

	free(name);
	*(const struct yml_node **)to = node;
	return err;
}

/* "16x4": threads and what each keeps outstanding. */
static int parse_load(const struct yml *yaml, const struct yml_node *node, uint32_t *threads,
		      uint32_t *depth)
{
	unsigned long first = 0, second = 0;
	char *end = NULL;

	if (node->kind == YML_SCALAR && *node->text >= '1' && *node->text <= '9') {
		first = strtoul(node->text, &end, 10);
		if (*end == 'x' && end[1] >= '1' && end[1] <= '9')
			second = strtoul(end + 1, &end, 10);
	}
	if (!second || *end || first > WORKLOAD_OUTSTANDING_MAX || second > WORKLOAD_OUTSTANDING_MAX ||
	    first * second > WORKLOAD_OUTSTANDING_MAX)
		return yml_fail(yaml, node, "threads x depth must stand here, such as 16x4, at most %d "
				"outstanding", WORKLOAD_OUTSTANDING_MAX);
	*threads = (uint32_t)first;
	*depth = (uint32_t)second;
	return 0;
}

static int read_loads(const struct yml *yaml, const struct yml_node *node,
		      const struct yml_key *key, void *to)
{
	uint32_t threads, depth;
	int err = 0;

	(void)key;
	if (node->kind != YML_LIST || !node->first)
		return yml_fail(yaml, node, "a list of threads x depth must stand here, such as [2x2, 16x16]");
	for (const struct yml_node *one = node->first; one && !err; one = one->next)
		err = parse_load(yaml, one, &threads, &depth);
	*(const struct yml_node **)to = node;
	return err;
}

#define AT(field) offsetof(struct step, field)
#define DO { "do", yml_read_word, AT(kind), true, "what the step does", 0, 0, step_words }
#define DURATION(name, field, required, help) \
	{ name, yml_read_duration, AT(field), required, help, MS_NS, 30 * DAY_NS }
#define WORKLOAD \
	{ "workload", read_workloads, AT(workloads), true, "a workload or a list of them" }
#define WINDOWS \
	DURATION("window", full.window_ns, false, NULL), \
	DURATION("quick_window", quick.window_ns, false, NULL)

static const struct yml_key purge_keys[] = { DO, { NULL } };

static const struct yml_key fill_keys[] = {
	DO,
	{ "size", yml_read_size32, AT(fill_bytes), true, "size of a request", 4096, 128 << 20 },
	{ "passes", yml_read_count32, AT(passes), true, "how often the whole drive is written", 1, 100 },
	{ NULL },
};

static const struct yml_key curve_keys[] = {
	DO,
	WORKLOAD,
	DURATION("maximum", full.maximum_ns, true, "length of the maximum run"),
	DURATION("point", full.point_ns, true, "length of each point"),
	DURATION("steady", full.steady_ns, false, NULL),
	{ "percents", read_percents, AT(full.percents), true, "the points, in percent of the maximum" },
	DURATION("quick_maximum", quick.maximum_ns, false, NULL),
	DURATION("quick_point", quick.point_ns, false, NULL),
	DURATION("quick_steady", quick.steady_ns, false, NULL),
	{ "quick_percents", read_percents, AT(quick.percents), false, NULL },
	WINDOWS,
	{ NULL },
};

static const struct yml_key rounds_keys[] = {
	DO,
	WORKLOAD,
	DURATION("round", full.round_ns, true, "length of a round"),
	{ "max", yml_read_count32, AT(full.round_max), true, "rounds after which it gives up", 5, 1000 },
	{ "min_fill", yml_read_percent, AT(min_fill_millipercent), false, NULL, 0, 10000000 },
	DURATION("quick_round", quick.round_ns, false, NULL),
	{ "quick_max", yml_read_count32, AT(quick.round_max), false, NULL, 5, 1000 },
	WINDOWS,
	{ NULL },
};

static const struct yml_key run_keys[] = {
	DO,
	WORKLOAD,
	{ "loads", read_loads, AT(loads), false, NULL },
	DURATION("time", full.time_ns, true, "length of the run"),
	DURATION("quick_time", quick.time_ns, false, NULL),
	WINDOWS,
	{ NULL },
};

static const struct yml_key application_keys[] = {
	DO,
	{ "application", read_application, AT(application), true, "the name of an application" },
	{ "cycle_scale", yml_read_milli, AT(cycle_scale_milli), false, NULL, 1, 100000 },
	WINDOWS,
	{ NULL },
};

static const struct yml_key *keys_of(enum step_kind kind)
{
	switch (kind) {
	case STEP_PURGE:
		return purge_keys;
	case STEP_FILL:
		return fill_keys;
	case STEP_CURVE:
		return curve_keys;
	case STEP_ROUNDS:
		return rounds_keys;
	case STEP_RUN:
		return run_keys;
	case STEP_APPLICATION:
		return application_keys;
	}
	abort();
}

static int read_step(const struct yml *yaml, const struct yml_node *node, struct step *step)
{
	const struct yml_key only_do[] = { DO, { NULL } };
	const struct yml_node *kind = node->kind == YML_MAP ? yml_child(node, "do") : NULL;
	int err;

	*step = (struct step){ .node = node };
	if (!kind) /* which is the first thing to say about it */
		return yml_read_map(yaml, node, only_do, step);
	err = yml_read_word(yaml, kind, only_do, &step->kind);
	if (!err)
		err = yml_read_map(yaml, node, keys_of((enum step_kind)step->kind), step);
	return err;
}

/* --- From steps to phases. --- */

/* A plan file whose phases are there. */
struct laid {
	char *path;
	unsigned chain;      /* its last */
	bool chain_filled;
	bool continued;      /* by another plan */
};

/* The files under way: one that goes on after itself would have no beginning. */
struct under_way {
	const char *path;
	const struct under_way *outer;
};

struct expansion {
	const struct plan_options *options;
	struct plan *plan;
	size_t laid_count;
	struct laid *laid;
	size_t phase_capacity;
	char **paths;        /* of plan->workloads */
	unsigned *uses;      /* likewise: in the file being read */

	/* Of the file being read. */
	const struct yml *yaml;
	char *name, *help, *source;
	size_t first_phase;
	unsigned purges, fills;
	unsigned chain;
	bool continues;      /* it goes on in the chain of another plan */
	bool chain_filled;   /* --precondition steady: has this chain been written twice? */
};

static uint64_t scaled(const struct expansion *expansion, uint64_t ns)
{
	uint64_t out = ns / (expansion->options->scale ? expansion->options->scale : 1);

	return out ? out : 1;
}

static uint64_t choose(const struct expansion *expansion, uint64_t full, uint64_t quick)
{
	return expansion->options->quick && quick ? quick : full;
}

static uint64_t duration(const struct expansion *expansion, uint64_t full, uint64_t quick)
{
	return scaled(expansion, choose(expansion, full, quick));
}

/* A second of the file's time, unless it says otherwise; never longer than the phase. */
static uint64_t window(const struct expansion *expansion, const struct step *step)
{
	return duration(expansion, step->full.window_ns ? step->full.window_ns : S_NS,
			step->quick.window_ns);
}

/* "PLAN/purge", "PLAN/purge-2": the n-th of this file. */
static char *count_name(const struct expansion *expansion, const char *word, unsigned n)
{
	if (n == 1)
		return xasprintf("%s/%s", expansion->name, word);
	return xasprintf("%s/%s-%u", expansion->name, word, n);
}

/* A hundred and twenty of them; where the end is not known, minutes of a drive's full time. */
static uint64_t application_window_ns(uint64_t duration_ns, uint32_t scale)
{
	uint64_t window_ns = duration_ns ? duration_ns / 120 : 60 * S_NS / (scale ? scale : 1);

	return window_ns ? window_ns : 1;
}

static bool has_group(const struct plan *plan, const char *group)
{
	for (size_t i = 0; i < plan->phase_count; i++)
		if (strcmp(plan->phases[i].group, group) == 0)
			return true;
	return false;
}

/* "PLAN/WORKLOAD", or "PLAN/WORKLOAD-2" for its next use: a chart of its own. */
static char *new_group(struct expansion *expansion, const struct workload *workload)
{
	unsigned *uses = expansion->uses;
	char *group = NULL;

	for (size_t i = 0; expansion->plan->workloads[i] != workload; i++)
		uses++;
	do {
		free(group);
		group = count_name(expansion, workload->name, ++*uses);
	} while (has_group(expansion->plan, group));
	return group;
}

/* Takes over the texts of `phase`. */
static int add_phase(struct expansion *expansion, const struct step *step, struct phase phase)
{
	struct plan *plan = expansion->plan;

	if (plan->phase_count == PHASES_MAX) {
		free(phase.name);
		free(phase.group);
		return yml_fail(expansion->yaml, step->node, "the plan has more than %d phases",
				PHASES_MAX);
	}
	if (plan->phase_count == expansion->phase_capacity) {
		expansion->phase_capacity = expansion->phase_capacity * 2 + 64;
		plan->phases = xrealloc(plan->phases,
					expansion->phase_capacity * sizeof(*plan->phases));
	}
	phase.chain = expansion->chain;
	if (phase.window_ns > phase.duration_ns && phase.duration_ns)
		phase.window_ns = phase.duration_ns;
	plan->phases[plan->phase_count++] = phase;
	return 0;
}

static int lay_purge(struct expansion *expansion, const struct step *step)
{
	expansion->chain = expansion->plan->chain_count++;
	expansion->chain_filled = false;
	return add_phase(expansion, step, (struct phase){
		.kind = PHASE_PURGE,
		.name = count_name(expansion, "purge", ++expansion->purges),
		.group = xstrdup(""),
	});
}

static int lay_fill(struct expansion *expansion, const struct step *step, uint32_t bytes,
		    uint32_t passes)
{
	return add_phase(expansion, step, (struct phase){
		.kind = PHASE_FILL,
		.name = count_name(expansion, "fill", ++expansion->fills),
		.group = xstrdup(""),
		.fill_bytes = bytes,
		.passes = passes,
	});
}

/*
 * What --precondition steady asks for before a maximum run: the drive written twice, once a
 * chain; then the workload itself until steady. Writes are not judged before they went over
 * their span twice.
 */
static int lay_precondition(struct expansion *expansion, const struct step *step,
			    const char *group, const struct workload *workload)
{
	uint64_t round_ns = duration(expansion,
				     step->full.steady_ns ? step->full.steady_ns : step->full.point_ns,
				     step->quick.steady_ns ? step->quick.steady_ns : step->quick.point_ns);
	int err = 0;

	if (!expansion->options->precondition_steady)
		return 0;
	if (!expansion->chain_filled)
		err = lay_fill(expansion, step, 128 << 10, 2);
	expansion->chain_filled = true;
	if (err)
		return err;
	return add_phase(expansion, step, (struct phase){
		.kind = PHASE_ROUNDS,
		.name = xasprintf("%s/precondition", group),
		.group = xasprintf("%s/precondition", group),
		.workload = workload,
		.duration_ns = round_ns,
		.window_ns = window(expansion, step),
		.round_max = (uint32_t)choose(expansion, ROUNDS_MAX, QUICK_ROUNDS_MAX),
		.min_fill_millipercent =
			workload->read_percent < 100 ? 2 * workload->span_millipercent : 0,
	});
}

static int lay_points(struct expansion *expansion, const struct step *step, const char *group,
		      const struct workload *workload, size_t base)
{
	const struct percents *percents = &step->full.percents;
	int err = 0;

	if (expansion->options->quick && step->quick.percents.count)
		percents = &step->quick.percents;
	for (size_t i = 0; i < percents->count && !err; i++)
		err = add_phase(expansion, step, (struct phase){
			.kind = PHASE_POINT,
			.name = xasprintf("%s/%03u", group, percents->values[i]),
			.group = xstrdup(group),
			.workload = workload,
			.duration_ns = duration(expansion, step->full.point_ns, step->quick.point_ns),
			.window_ns = window(expansion, step),
			.percent = percents->values[i],
			.base = base,
		});
	return err;
}

static int lay_curve(struct expansion *expansion, const struct step *step, const char *group,
		     const struct workload *workload)
{
	int err = lay_precondition(expansion, step, group, workload);
	size_t base = expansion->plan->phase_count;

	if (!err)
		err = add_phase(expansion, step, (struct phase){
			.kind = PHASE_RUN,
			.name = xasprintf("%s/max", group),
			.group = xstrdup(group),
			.workload = workload,
			.duration_ns = duration(expansion, step->full.maximum_ns,
						step->quick.maximum_ns),
			.window_ns = window(expansion, step),
		});
	if (!err)
		err = lay_points(expansion, step, group, workload, base);
	return err;
}

static int lay_rounds(struct expansion *expansion, const struct step *step, const char *group,
		      const struct workload *workload)
{
	if (step->min_fill_millipercent && workload->read_percent == 100)
		return yml_fail(expansion->yaml, yml_child(step->node, "min_fill"),
				"%s only reads: it never fills anything", workload->name);
	return add_phase(expansion, step, (struct phase){
		.kind = PHASE_ROUNDS,
		.name = xasprintf("%s/rounds", group),
		.group = xstrdup(group),
		.workload = workload,
		.duration_ns = duration(expansion, step->full.round_ns, step->quick.round_ns),
		.window_ns = window(expansion, step),
		.round_max = (uint32_t)choose(expansion, step->full.round_max, step->quick.round_max),
		.min_fill_millipercent = step->min_fill_millipercent,
	});
}

static int lay_run(struct expansion *expansion, const struct step *step, const char *group,
		   const struct workload *workload)
{
	return add_phase(expansion, step, (struct phase){
		.kind = PHASE_RUN,
		.name = xasprintf("%s/run", group),
		.group = xstrdup(group),
		.workload = workload,
		.duration_ns = duration(expansion, step->full.time_ns, step->quick.time_ns),
		.window_ns = window(expansion, step),
	});
}

/* Takes over both. */
static void own_workload(struct expansion *expansion, struct workload *workload, char *path)
{
	struct plan *plan = expansion->plan;
	size_t count = plan->workload_count;

	plan->workloads = xrealloc(plan->workloads, (count + 1) * sizeof(*plan->workloads));
	expansion->paths = xrealloc(expansion->paths, (count + 1) * sizeof(*expansion->paths));
	expansion->uses = xrealloc(expansion->uses, (count + 1) * sizeof(*expansion->uses));
	plan->workloads[count] = workload;
	expansion->uses[count] = 0;
	expansion->paths[count] = path;
	plan->workload_count++;
}

/* The workload that `node` names, loaded once for all plans. */
static int find_workload(struct expansion *expansion, const struct yml_node *node,
			 const struct workload **out)
{
	struct plan *plan = expansion->plan;
	size_t count = plan->workload_count;
	struct workload *workload;
	char *path;
	int err = data_find("workloads", node->text, &path);

	if (err) {
		_cleanup_free_ char *why = xstrdup(fail_message());

		return yml_fail(expansion->yaml, node, "%s", why);
	}
	for (size_t i = 0; i < count; i++)
		if (strcmp(expansion->paths[i], path) == 0) {
			*out = plan->workloads[i];
			free(path);
			return 0;
		}
	err = workload_load(path, &workload);
	if (err) {
		free(path);
		return err;
	}
	own_workload(expansion, workload, path);
	*out = workload;
	return 0;
}

/* An application of the plan, loaded once. */
static int find_application(struct expansion *expansion, const struct yml_node *node,
			    const struct application **out)
{
	struct plan *plan = expansion->plan;
	struct application *application;
	int err = application_load(node->text, &application);

	if (err)
		return err;
	for (size_t i = 0; i < plan->application_count; i++)
		if (!strcmp(plan->applications[i]->name, application->name)) {
			application_free(application);
			*out = plan->applications[i];
			return 0;
		}
	plan->applications = xrealloc(plan->applications, (plan->application_count + 1) *
				      sizeof(*plan->applications));
	plan->applications[plan->application_count++] = application;
	*out = application;
	return 0;
}

static int lay_application(struct expansion *expansion, const struct step *step)
{
	const struct application *application;
	_cleanup_free_ char *name = NULL;
	uint64_t duration_ns;
	int err = find_application(expansion, step->application, &application);

	if (err)
		return err;
	duration_ns = application->time_ns ? scaled(expansion, application->time_ns) : 0;
	name = xasprintf("%s/%s", expansion->name, application->name);
	if (has_group(expansion->plan, name))
		return yml_fail(expansion->yaml, step->node, "%s is in the plan already", application->name);
	return add_phase(expansion, step, (struct phase){
		.kind = PHASE_APPLICATION,
		.name = xstrdup(name),
		.group = xstrdup(name),
		.application = application,
		.cycle_scale_milli = (uint32_t)step->cycle_scale_milli,
		.duration_ns = duration_ns,
		.window_ns = step->full.window_ns ?
			duration(expansion, step->full.window_ns, step->quick.window_ns) :
			application_window_ns(duration_ns, expansion->options->scale),
	});
}

static const struct workload *known_workload(const struct expansion *expansion, const char *path)
{
	for (size_t i = 0; i < expansion->plan->workload_count; i++)
		if (!strcmp(expansion->paths[i], path))
			return expansion->plan->workloads[i];
	return NULL;
}

/* The same with other threads and depth, as "NAME-16tx4q". */
static const struct workload *with_load(struct expansion *expansion, const struct workload *workload,
					uint32_t threads, uint32_t depth)
{
	char *name = xasprintf("%s-%ut-%uq", workload->name, threads, depth);
	const struct workload *known = known_workload(expansion, name);
	struct workload *changed;

	if (known) {
		free(name);
		return known;
	}
	changed = xmalloc(sizeof(*changed));
	*changed = *workload;
	changed->name = xstrdup(name);
	changed->help = xasprintf("%s; here %u threads x %u outstanding", workload->help, threads, depth);
	changed->source = xstrdup(workload->source);
	changed->threads = threads;
	changed->depth = depth;
	own_workload(expansion, changed, name);
	return changed;
}

static int lay_with(struct expansion *expansion, const struct step *step,
		    const struct workload *workload);

static int lay_loads(struct expansion *expansion, const struct step *step,
		     const struct workload *workload)
{
	struct step once = *step;
	uint32_t threads = 0, depth = 0;
	int err = 0;

	once.loads = NULL;
	for (const struct yml_node *one = step->loads->first; one && !err; one = one->next) {
		err = parse_load(expansion->yaml, one, &threads, &depth);
		if (!err)
			err = lay_with(expansion, &once,
				       with_load(expansion, workload, threads, depth));
	}
	return err;
}

static int lay_with(struct expansion *expansion, const struct step *step,
		    const struct workload *workload)
{
	_cleanup_free_ char *group = new_group(expansion, workload);

	switch ((enum step_kind)step->kind) {
	case STEP_CURVE:
		return lay_curve(expansion, step, group, workload);
	case STEP_ROUNDS:
		return lay_rounds(expansion, step, group, workload);
	case STEP_RUN:
		return lay_run(expansion, step, group, workload);
	case STEP_PURGE:
	case STEP_FILL:
	case STEP_APPLICATION:
		break;
	}
	abort();
}

static int lay_step(struct expansion *expansion, const struct step *step)
{
	const struct yml_node *node = step->workloads;
	bool list = node && node->kind == YML_LIST;
	int err = 0;

	if (step->kind == STEP_PURGE)
		return lay_purge(expansion, step);
	if (expansion->plan->phase_count == expansion->first_phase && !expansion->continues)
		return yml_fail(expansion->yaml, step->node,
				"the first step must be a purge: a plan owes nothing to what ran before");
	if (step->kind == STEP_FILL)
		return lay_fill(expansion, step, step->fill_bytes, step->passes);
	if (step->kind == STEP_APPLICATION)
		return lay_application(expansion, step);
	for (node = list ? node->first : node; node && !err; node = list ? node->next : NULL) {
		const struct workload *workload = NULL;

		err = find_workload(expansion, node, &workload);
		if (!err)
			err = step->loads ? lay_loads(expansion, step, workload) :
					    lay_with(expansion, step, workload);
	}
	return err;
}

static int read_steps(const struct yml *yaml, const struct yml_node *node,
		      const struct yml_key *key, void *to)
{
	_cleanup_free_ struct step *step = xmalloc(sizeof(*step));
	int err = 0;

	(void)key;
	if (node->kind != YML_LIST || !node->first)
		return yml_fail(yaml, node, "a list of steps must stand here (- do: ...)");
	for (const struct yml_node *one = node->first; one && !err; one = one->next) {
		err = read_step(yaml, one, step);
		if (!err)
			err = lay_step(to, step);
	}
	return err;
}

static struct laid *find_laid(struct expansion *expansion, const char *path)
{
	for (size_t i = 0; i < expansion->laid_count; i++)
		if (!strcmp(expansion->laid[i].path, path))
			return &expansion->laid[i];
	return NULL;
}

/* The plan that this one goes on after was laid before this file was begun. */
static int read_after(const struct yml *yaml, const struct yml_node *node,
		      const struct yml_key *key, void *to)
{
	struct expansion *expansion = to;
	_cleanup_free_ char *path = NULL;
	_cleanup_free_ char *name = NULL;
	struct laid *before;
	int err = yml_read_string(yaml, node, key, &name);

	if (!err && data_find("workloads/plans", name, &path))
		err = -EINVAL; /* which was said when it was looked for */
	if (err)
		return err;
	before = find_laid(expansion, path);
	assert(before);
	if (before->continued)
		return yml_fail(yaml, node, "another plan goes on after '%.60s' already; leave one of "
				"the two out", name);
	before->continued = true;
	expansion->continues = true;
	expansion->chain = before->chain;
	expansion->chain_filled = before->chain_filled;
	return 0;
}

/* Read in this order: the steps need the name, and where they go on. */
static const struct yml_key file_keys[] = {
	{ "name", yml_read_string, offsetof(struct expansion, name), true, "the name of this file" },
	{ "help", yml_read_string, offsetof(struct expansion, help), true,
	  "what it is for, in one line" },
	{ "source", yml_read_string, offsetof(struct expansion, source), true,
	  "published, derived or ours, and where" },
	{ "after", read_after, 0, false, NULL },
	{ "steps", read_steps, 0, true, "what is done, in order" },
	{ NULL },
};

/* "four-corners+write-saturation": a review is several plans in one. */
static void join(char **text, const char *separator, const char *more)
{
	char *joined = *text ? xasprintf("%s%s%s", *text, separator, more) : xstrdup(more);

	free(*text);
	*text = joined;
}

/* Lays the chains of one file behind those that are there. */
static int lay_file(struct expansion *expansion, const struct yml *yaml)
{
	struct plan *plan = expansion->plan;
	int err;

	expansion->yaml = yaml;
	expansion->first_phase = plan->phase_count;
	expansion->purges = expansion->fills = 0;
	expansion->continues = false;
	for (size_t i = 0; i < plan->workload_count; i++)
		expansion->uses[i] = 0;
	err = yml_read_map(yaml, yaml->root, file_keys, expansion);
	if (!err) {
		join(&plan->name, "+", expansion->name);
		join(&plan->help, "; ", expansion->help);
		join(&plan->source, "; ", expansion->source);
	}
	free(expansion->name);
	free(expansion->help);
	free(expansion->source);
	expansion->name = expansion->help = expansion->source = NULL;
	return err;
}

static void expansion_begin(struct expansion *expansion, const struct plan_options *options)
{
	*expansion = (struct expansion){ .options = options,
					 .plan = xcalloc(1, sizeof(*expansion->plan)) };
}

static int expansion_end(struct expansion *expansion, int err, struct plan **out)
{
	for (size_t i = 0; i < expansion->plan->workload_count; i++)
		free(expansion->paths[i]);
	for (size_t i = 0; i < expansion->laid_count; i++)
		free(expansion->laid[i].path);
	free(expansion->laid);
	free(expansion->paths);
	free(expansion->uses);
	if (err)
		plan_free(expansion->plan);
	else
		*out = expansion->plan;
	return err;
}

static void note_laid(struct expansion *expansion, const char *path)
{
	expansion->laid = xrealloc(expansion->laid,
				   (expansion->laid_count + 1) * sizeof(*expansion->laid));
	expansion->laid[expansion->laid_count++] = (struct laid){
		.path = xstrdup(path),
		.chain = expansion->chain,
		.chain_filled = expansion->chain_filled,
	};
}

static int lay_path(struct expansion *expansion, const char *path, const struct under_way *outer);

/* What the file goes on after comes first. */
static int lay_before(struct expansion *expansion, const struct yml *yaml,
		      const struct under_way *under_way)
{
	const struct yml_node *after =
		yaml->root->kind == YML_MAP ? yml_child(yaml->root, "after") : NULL;
	_cleanup_free_ char *path = NULL;

	if (!after || after->kind != YML_SCALAR)
		return 0;
	if (data_find("workloads/plans", after->text, &path)) {
		_cleanup_free_ char *why = xstrdup(fail_message());

		return yml_fail(yaml, after, "%s", why);
	}
	for (const struct under_way *one = under_way; one; one = one->outer)
		if (!strcmp(one->path, path))
			return yml_fail(yaml, after, "the plan goes on after itself");
	return find_laid(expansion, path) ? 0 : lay_path(expansion, path, under_way);
}

static int lay_yaml(struct expansion *expansion, const char *path, const struct yml *yaml,
		    const struct under_way *outer)
{
	const struct under_way under_way = { path, outer };
	int err = lay_before(expansion, yaml, &under_way);

	if (!err)
		err = lay_file(expansion, yaml);
	if (!err)
		note_laid(expansion, path);
	return err;
}

static int lay_path(struct expansion *expansion, const char *path, const struct under_way *outer)
{
	struct yml *yaml;
	int err = yml_load(path, &yaml);

	if (err)
		return err;
	err = lay_yaml(expansion, path, yaml, outer);
	yml_free(yaml);
	return err;
}

/* Not again what another plan went on after. */
static int lay_name(struct expansion *expansion, const char *name)
{
	_cleanup_free_ char *path = NULL;
	int err = data_find("workloads/plans", name, &path);

	if (err || find_laid(expansion, path))
		return err;
	return lay_path(expansion, path, NULL);
}

int plan_load(const char *const *names, size_t count, const struct plan_options *options,
	      struct plan **out)
{
	struct expansion expansion;
	int err = 0;

	if (count == 0)
		return fail(EINVAL, "no plan is named");
	expansion_begin(&expansion, options);
	for (size_t i = 0; i < count && !err; i++) {
		for (size_t j = 0; j < i && !err; j++)
			if (strcmp(names[i], names[j]) == 0)
				err = fail(EINVAL, "plan '%.60s' is named twice", names[i]);
		if (!err)
			err = lay_name(&expansion, names[i]);
	}
	return expansion_end(&expansion, err, out);
}

int plan_parse(const char *path, const char *text, size_t size,
	       const struct plan_options *options, struct plan **out)
{
	struct expansion expansion;
	struct yml *yaml;
	int err = yml_parse(path, text, size, &yaml);

	if (err)
		return err;
	expansion_begin(&expansion, options);
	err = lay_yaml(&expansion, path, yaml, NULL);
	yml_free(yaml);
	return expansion_end(&expansion, err, out);
}

struct plan *plan_for(struct workload *workload, uint64_t duration_ns, uint64_t window_ns)
{
	struct plan *plan = xcalloc(1, sizeof(*plan));

	plan->workloads = xcalloc(1, sizeof(*plan->workloads));
	plan->workloads[0] = workload;
	plan->workload_count = plan->chain_count = plan->phase_count = 1;
	plan->name = xstrdup(workload->name);
	plan->help = xstrdup(workload->help);
	plan->source = xstrdup(workload->source);
	plan->phases = xcalloc(1, sizeof(*plan->phases));
	plan->phases[0] = (struct phase){
		.kind = PHASE_RUN,
		.name = xstrdup(plan->name),
		.group = xstrdup(plan->name),
		.workload = workload,
		.duration_ns = duration_ns,
		.window_ns = window_ns,
	};
	return plan;
}

static void put_first(struct plan *plan, struct phase phase)
{
	plan->phases = xrealloc(plan->phases, (plan->phase_count + 1) * sizeof(*plan->phases));
	memmove(plan->phases + 1, plan->phases, plan->phase_count * sizeof(*plan->phases));
	plan->phases[0] = phase;
	plan->phase_count++;
}

void plan_rounds_first(struct plan *plan, uint64_t round_ns, uint32_t round_max)
{
	const struct workload *workload = plan->workloads[0];

	put_first(plan, (struct phase){
		.kind = PHASE_ROUNDS,
		.name = xasprintf("%s/precondition", plan->name),
		.group = xasprintf("%s/precondition", plan->name),
		.workload = workload,
		.duration_ns = round_ns,
		.window_ns = plan->phases[plan->phase_count - 1].window_ns,
		.round_max = round_max,
		.min_fill_millipercent = workload_writes(workload) ? workload->span_millipercent : 0,
	});
}

int plan_of_application(const char *name, uint64_t duration_ns, uint32_t scale,
			uint32_t cycle_scale_milli, struct plan **out)
{
	struct application *application;
	struct plan *plan;
	int err = application_load(name, &application);

	if (err)
		return err;
	if (!duration_ns)
		duration_ns = application->time_ns / (scale ? scale : 1);
	plan = xcalloc(1, sizeof(*plan));
	plan->applications = xcalloc(1, sizeof(*plan->applications));
	plan->applications[0] = application;
	plan->application_count = plan->chain_count = 1;
	plan->name = xstrdup(application->name);
	plan->help = xstrdup(application->help);
	plan->source = xstrdup(application->source);
	plan->phase_count = 2;
	plan->phases = xcalloc(2, sizeof(*plan->phases));
	plan->phases[0] = (struct phase){ .kind = PHASE_PURGE, .group = xstrdup(""),
					  .name = xasprintf("%s/purge", plan->name) };
	plan->phases[1] = (struct phase){
		.kind = PHASE_APPLICATION,
		.name = xstrdup(plan->name),
		.group = xstrdup(plan->name),
		.application = application,
		.cycle_scale_milli = cycle_scale_milli,
		.duration_ns = duration_ns,
		.window_ns = application_window_ns(duration_ns, scale),
	};
	*out = plan;
	return 0;
}

void plan_fill_first(struct plan *plan, uint32_t fill_bytes)
{
	put_first(plan, (struct phase){
		.kind = PHASE_FILL,
		.name = xasprintf("%s/fill", plan->name),
		.group = xstrdup(""),
		.passes = 1,
		.fill_bytes = fill_bytes,
	});
}

void plan_free(struct plan *plan)
{
	if (!plan)
		return;
	for (size_t i = 0; i < plan->phase_count; i++) {
		free(plan->phases[i].name);
		free(plan->phases[i].group);
	}
	for (size_t i = 0; i < plan->workload_count; i++)
		workload_free(plan->workloads[i]);
	for (size_t i = 0; i < plan->application_count; i++)
		application_free(plan->applications[i]);
	free(plan->phases);
	free(plan->workloads);
	free(plan->applications);
	free(plan->name);
	free(plan->help);
	free(plan->source);
	free(plan);
}

const char *phase_kind_name(enum phase_kind kind)
{
	switch (kind) {
	case PHASE_PURGE:
		return "purge";
	case PHASE_FILL:
		return "fill";
	case PHASE_RUN:
		return "run";
	case PHASE_POINT:
		return "point";
	case PHASE_ROUNDS:
		return "rounds";
	case PHASE_APPLICATION:
		return "application";
	}
	abort();
}

uint64_t phase_planned_ns(const struct phase *phase)
{
	switch (phase->kind) {
	case PHASE_RUN:
	case PHASE_POINT:
	case PHASE_APPLICATION:
		return phase->duration_ns;
	case PHASE_ROUNDS:
		return phase->duration_ns * phase->round_max;
	case PHASE_PURGE:
	case PHASE_FILL:
		return 0;
	}
	abort();
}
