/*
 * boot.c - kind boot: can a drive boot a server's machines, reading fast while it is written?
 *
 * The drive is written over at random. Then in each step N read jobs, a write job with flushes and
 * a trim job run at the same time; load/boot.h decides which N is next and judges the step.
 * A step is drained before the next begins, as separate runs of a script are.
 */
#include <errno.h>
#include <stdlib.h>

#include "app/app.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "load/boot.h"
#include "load/run.h"

struct boot_app {
	struct app base;
	uint64_t passes, fill_bytes, fill_depth;
	uint64_t read_bytes, write_bytes, write_rate, trim_rate, flush_writes;
	uint64_t write_least, trim_least, cycle_ns;
	uint64_t p99_ns, p999_ns, max_ns, pass_iops;
	uint64_t first, most, climb_ns, bisect_ns, confirm_ns, confirmations;
	uint64_t least_step_ns;
};

enum { LOADS = 3, READS = 0, WRITES = 1, TRIMS = 2 };

static const struct boot_app *boot_of(const struct app *app)
{
	return (const struct boot_app *)(const void *)app; /* its first member */
}

#define VALUE(key, field, type, low, high, words) \
	{ key, app_read_value, offsetof(struct boot_app, field), true, words, low, high, \
	  .context = &app_number_##type }
#define STEP_MOST_NS 3600000000000

static const struct yml_key keys[] = {
	APP_KEYS,
	VALUE("passes", passes, count, 1, 10, "how often the drive is written over beforehand"),
	VALUE("fill_size", fill_bytes, size, 4096, 16 << 20, "a request of that"),
	VALUE("fill_depth", fill_depth, count, 1, 1024, "requests of that in flight"),
	VALUE("read_size", read_bytes, size, 512, 16 << 20, "a read"),
	VALUE("write_size", write_bytes, size, 512, 16 << 20, "a write, a trim"),
	VALUE("write_rate", write_rate, size, 1 << 16, 1ull << 40, "bytes a second written"),
	VALUE("trim_rate", trim_rate, size, 1 << 16, 1ull << 40, "bytes a second trimmed"),
	VALUE("flush", flush_writes, count, 1, 1000000000, "writes between two flushes"),
	VALUE("write_least", write_least, size, 0, 1ull << 40, "gate: bytes a second written in each cycle"),
	VALUE("trim_least", trim_least, size, 0, 1ull << 40, "gate: likewise trimmed"),
	VALUE("cycle", cycle_ns, duration, 1000000, STEP_MOST_NS, "over which these are counted"),
	VALUE("p99", p99_ns, duration, 1, STEP_MOST_NS, "gate: of reads"),
	VALUE("p999", p999_ns, duration, 1, STEP_MOST_NS, "gate: of reads"),
	VALUE("max", max_ns, duration, 1, STEP_MOST_NS, "gate: of reads"),
	VALUE("pass", pass_iops, count, 0, 1000000000, "reads a second above which it passes"),
	VALUE("first", first, count, 1, 1024, "read jobs of the first step"),
	VALUE("most", most, count, 1, 65536, "read jobs of the last"),
	VALUE("climb", climb_ns, duration, 1000000, STEP_MOST_NS, "a step while it doubles"),
	VALUE("bisect", bisect_ns, duration, 1000000, STEP_MOST_NS, "a step of the bisection"),
	VALUE("confirm", confirm_ns, duration, 1000000, STEP_MOST_NS, "a step of the confirmation"),
	VALUE("confirmations", confirmations, count, 1, 100, "valid steps in a row that it takes"),
	VALUE("least_step", least_step_ns, duration, 1000000, STEP_MOST_NS,
	      "on a drive that is scaled down a step is shorter, but not than this"),
	{ NULL },
};

static int check(const struct app *app, const char *path)
{
	const struct boot_app *boot = boot_of(app);

	if (boot->first > boot->most)
		return fail(EINVAL, "%s: first: %llu jobs are more than the most, %llu", path,
			    (unsigned long long)boot->first, (unsigned long long)boot->most);
	return 0;
}

static uint64_t needs_bytes(const struct app *app)
{
	return boot_of(app)->fill_bytes;
}

/* ---- loads ---- */

static struct workload one_size(const char *name, uint64_t bytes, uint32_t threads, uint32_t depth)
{
	struct workload workload = {
		.name = (char *)(uintptr_t)name, .pattern = PATTERN_UNIFORM, .random_percent = 100,
		.threads = threads, .depth = depth, .span_millipercent = 100000,
	};

	workload.read_sizes.count = workload.write_sizes.count = 1;
	workload.read_sizes.shares[0] = workload.write_sizes.shares[0] =
		(struct size_share){ .size_bytes = (uint32_t)bytes, .weight = 1 };
	return workload;
}

static int write_over(const struct boot_app *boot, struct target *target,
		      const struct app_config *config)
{
	const struct workload workload =
		one_size(config->name, boot->fill_bytes, 1, (uint32_t)boot->fill_depth);
	_cleanup_free_ struct stats *unused = xcalloc(1, sizeof(*unused));
	_cleanup_free_ char *name = xasprintf("%s/fill", config->name);
	const struct run_config fill = {
		.workload = &workload, .seed = config->seed, .name = name,
		.duration_ns = UINT64_MAX, .max_bytes = boot->passes * target->size_bytes,
		.window_ns = 1000000000, .on_progress = config->on_progress,
		.context = config->context, .stop = config->stop,
	};

	stats_clear(unused);
	return run(target, &fill, unused);
}

/* ---- a step ---- */

struct cycle { /* the slowest so far */
	uint64_t whole_ns, least_bytes_per_s;
	bool known;
};

/* The last cycle is only part of one. */
static void on_cycle(void *context, const struct window *window)
{
	struct cycle *cycle = context;
	uint64_t rate;

	if (window->elapsed_ns < cycle->whole_ns)
		return;
	rate = (uint64_t)((unsigned __int128)window->bytes * 1000000000u / window->elapsed_ns);
	if (!cycle->known || rate < cycle->least_bytes_per_s)
		cycle->least_bytes_per_s = rate;
	cycle->known = true;
}

struct bench {
	const struct boot_app *app;
	struct target *target;
	const struct app_config *config;
	struct stats *outs[LOADS];
	struct stats *total;
	unsigned steps;
	uint64_t limit_p99_ns, limit_p999_ns, limit_max_ns; /* of the last step that was not valid */
	uint32_t limit_jobs;
};

static uint64_t step_ns(const struct bench *bench, enum boot_stage stage)
{
	uint64_t full_ns = stage == BOOT_CLIMB ? bench->app->climb_ns :
			   stage == BOOT_BISECT ? bench->app->bisect_ns : bench->app->confirm_ns;
	uint64_t ns = app_scaled(bench->target, full_ns), least_ns = bench->app->least_step_ns;

	if (ns >= least_ns)
		return ns;
	return least_ns < full_ns ? least_ns : full_ns;
}

static uint64_t rate_of(uint64_t bytes_per_s, uint64_t bytes)
{
	uint64_t rate = bytes_per_s / bytes;

	return rate ? rate : 1;
}

static int run_step(struct bench *bench, uint32_t jobs, enum boot_stage stage,
		    struct boot_measured *out)
{
	const struct boot_app *app = bench->app;
	_cleanup_free_ char *name = xasprintf("%s/step-%u", bench->config->name, ++bench->steps);
	uint64_t time_ns = step_ns(bench, stage), cycle_ns = app->cycle_ns < time_ns / 2 ?
							     app->cycle_ns : time_ns / 2;
	struct cycle cycles[LOADS] = { [WRITES] = { cycle_ns, 0, false }, [TRIMS] = { cycle_ns, 0, false } };
	struct workload workloads[LOADS] = {
		one_size(name, app->read_bytes, jobs, 1), one_size(name, app->write_bytes, 1, 1),
		one_size(name, app->write_bytes, 1, 1),
	};
	struct run_config configs[LOADS];
	struct target *targets[LOADS] = { bench->target, bench->target, bench->target };
	_cleanup_free_ char *read_name = xasprintf("%s/read", name);
	_cleanup_free_ char *write_name = xasprintf("%s/write", name);
	_cleanup_free_ char *trim_name = xasprintf("%s/trim", name);
	const char *const names[LOADS] = { read_name, write_name, trim_name };
	int err;

	workloads[READS].read_percent = 100;
	workloads[WRITES].flush_writes = (uint32_t)app->flush_writes;
	workloads[TRIMS].trim_percent = 100;
	for (int i = 0; i < LOADS; i++) {
		stats_clear(bench->outs[i]);
		configs[i] = (struct run_config){
			.workload = &workloads[i], .seed = bench->config->seed,
			.name = names[i],
			.arrivals = ARRIVALS_DETERMINISTIC, .duration_ns = time_ns,
			.window_ns = i == READS ? 0 : cycle_ns,
			.on_window = i == READS ? NULL : on_cycle, .context = &cycles[i],
			.stop = bench->config->stop,
		};
	}
	configs[WRITES].rate = rate_of(app->write_rate, app->write_bytes);
	configs[TRIMS].rate = rate_of(app->trim_rate, app->write_bytes);
	err = run_together(targets, configs, LOADS, bench->outs);
	if (err)
		return err;
	*out = (struct boot_measured){
		.read_iops = (uint64_t)(stats_iops(bench->outs[READS]) + 0.5),
		.read_p99_ns = hist_quantile(&bench->outs[READS]->hist_submit, 990000, NULL),
		.read_p999_ns = hist_quantile(&bench->outs[READS]->hist_submit, 999000, NULL),
		.read_max_ns = bench->outs[READS]->from_submit.max_ns,
		.write_bytes_per_s = cycles[WRITES].least_bytes_per_s,
		.trim_bytes_per_s = cycles[TRIMS].least_bytes_per_s,
	};
	for (int i = 0; i < LOADS; i++) {
		out->errors += bench->outs[i]->errors;
		stats_merge(bench->total, bench->outs[i]);
	}
	return 0;
}

static const char *stage_word(enum boot_stage stage)
{
	return stage == BOOT_CLIMB ? "climb" : stage == BOOT_BISECT ? "bisect" : "confirm";
}

/* Each step is a figure: the reads a second, and in its unit whether it was valid. */
static void add_step(const struct bench *bench, const struct boot *boot,
		     const struct boot_measured *measured, struct merits *merits)
{
	enum boot_gate gate = boot_judge(boot->rules, measured);
	_cleanup_free_ char *name = xasprintf("step %u: %s, %u jobs", bench->steps,
					      stage_word(boot->stage), boot->jobs);
	_cleanup_free_ char *unit = gate == BOOT_VALID ? xstrdup("1/s, valid") :
				    xasprintf("1/s, FAILS: %s", boot_gate_words(gate));

	merits_add(merits, name, unit, (double)measured->read_iops);
}

static int climb(struct bench *bench, struct boot *boot, struct merits *merits)
{
	struct boot_measured measured;
	int err = 0;

	while (boot->stage != BOOT_OVER) {
		err = run_step(bench, boot->jobs, boot->stage, &measured);
		if (err)
			return err;
		add_step(bench, boot, &measured, merits);
		if (boot_judge(boot->rules, &measured) != BOOT_VALID) {
			bench->limit_jobs = boot->jobs;
			bench->limit_p99_ns = measured.read_p99_ns;
			bench->limit_p999_ns = measured.read_p999_ns;
			bench->limit_max_ns = measured.read_max_ns;
		}
		boot_take(boot, &measured);
		if (bench->config->on_progress &&
		    !bench->config->on_progress(bench->config->context, bench->total,
						bench->total->elapsed_ns))
			return -EINTR;
	}
	return 0;
}

static void add_merits(const struct bench *bench, const struct boot *boot, struct merits *merits)
{
	_cleanup_free_ char *unit = xasprintf("1/s, %s", !boot->jobs ? "DNF" :
					      boot_passes(boot) ? "PASS" : "FAIL");
	_cleanup_free_ char *limit = xasprintf("jobs, first not valid: %s", boot_gate_words(boot->limit));

	merits_add(merits, "read_iops", unit, (double)boot->least_iops);
	merits_add(merits, "needed_iops", "1/s", (double)boot->rules->pass_iops);
	merits_add(merits, "sustained_jobs", "jobs", boot->jobs);
	if (!bench->limit_jobs)
		return;
	merits_add(merits, "limit_jobs", limit, bench->limit_jobs);
	merits_add(merits, "limit_read_p99", "us", (double)bench->limit_p99_ns / 1e3);
	merits_add(merits, "limit_read_p999", "us", (double)bench->limit_p999_ns / 1e3);
	merits_add(merits, "limit_read_max", "us", (double)bench->limit_max_ns / 1e3);
}

static int run_boot(const struct app *app, struct target *target, const struct app_config *config,
		    struct stats *stats, struct merits *merits)
{
	const struct boot_app *boot_app = boot_of(app);
	const struct boot_rules rules = {
		.first = (uint32_t)boot_app->first, .most = (uint32_t)boot_app->most,
		.confirmations = (uint32_t)boot_app->confirmations,
		.read_p99_ns = boot_app->p99_ns, .read_p999_ns = boot_app->p999_ns,
		.read_max_ns = boot_app->max_ns,
		.write_least_bytes_per_s = boot_app->write_least,
		.trim_least_bytes_per_s = boot_app->trim_least, .pass_iops = boot_app->pass_iops,
	};
	struct bench bench = { .app = boot_app, .target = target, .config = config, .total = stats };
	struct merits steps = { NULL, 0 };
	struct boot boot;
	int err = write_over(boot_app, target, config);

	for (int i = 0; i < LOADS; i++)
		bench.outs[i] = xcalloc(1, sizeof(*bench.outs[i]));
	boot_begin(&boot, &rules);
	if (config->on_measure)
		config->on_measure(config->context);
	if (!err)
		err = climb(&bench, &boot, &steps);
	if (!err) {
		add_merits(&bench, &boot, merits);
		for (size_t i = 0; i < steps.count; i++)
			merits_add(merits, steps.rows[i].name, steps.rows[i].unit, steps.rows[i].value);
	}
	merits_clear(&steps);
	for (int i = 0; i < LOADS; i++)
		free(bench.outs[i]);
	return err;
}

const struct app_kind app_boot = {
	.name = "boot",
	.help = "the boot-drive benchmark: reads that must stay quick beside writes and trims",
	.size = sizeof(struct boot_app),
	.keys = keys,
	.check = check,
	.needs_bytes = needs_bytes,
	.run = run_boot,
};
