#include "cli/setup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "app/app.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/data.h"
#include "base/fail.h"
#include "base/units.h"
#include "cli/aged.h"
#include "cli/command.h"
#include "cli/doctor.h"
#include "cli/execute.h"
#include "cli/memory.h"
#include "report/report.h"
#include "ssd/drive.h"
#include "store/result.h"
#include "target/bed.h"

static char *worn_text;
static char *output, *bed, *serial, *size_text, *seed_text, *scale_text, *workers_text;
static int full_size, destroy_data, quiet;

const struct poptOption setup_options[] = {
	{ "output", 'o', POPT_ARG_STRING, &output, 0, "result file, a new one (default: ./NAME-DATE.drivebay); the page is FILE.html", "FILE" },
	{ "seed", 0, POPT_ARG_STRING, &seed_text, 0, "same seed, same requests (default: 1)", "N" },
	{ "bed", 0, POPT_ARG_STRING, &bed, 0, "the host around a modelled drive (default: bare-metal)", "NAME" },
	{ "worn", 0, POPT_ARG_STRING, &worn_text, 0, "a modelled drive that has had so many of the erases it is good for: 80%", "PERCENT" },
	{ "full-size", 0, POPT_ARG_NONE, &full_size, 0, "run a modelled drive at its full size and time", NULL },
	{ "scale", 0, POPT_ARG_STRING, &scale_text, 0, "divide a modelled drive, and the time on it, by N", "N" },
	{ "size", 0, POPT_ARG_STRING, &size_text, 0, "create the file to test with this size", "SIZE" },
	{ "destroy-data", 0, POPT_ARG_NONE, &destroy_data, 0, "overwrite what is on the device or in the file", NULL },
	{ "serial", 0, POPT_ARG_STRING, &serial, 0, "the device's serial: yes, with the partition table or file system on it", "SERIAL" },
	{ "workers", 0, POPT_ARG_STRING, &workers_text, 0, "processes for a model, load threads for a device (default: one a core, and 1)", "N" },
	{ "quiet", 'q', POPT_ARG_NONE, &quiet, 0, "no progress", NULL },
	POPT_TABLEEND
};

enum { WORN_MOST_MILLIPERCENT = 1000000 };
enum { FILL_WRITERS = 32 }; /* what run_fill() has in flight */

/* What the options came to. */
struct choices {
	struct target_options target;
	uint64_t seed, workers;
};

static int parse_option(const char *name, const char *text, int (*parse)(const char *, uint64_t *),
			uint64_t *value)
{
	_cleanup_free_ char *why = NULL;

	if (!text || parse(text, value) == 0)
		return 0;
	why = xstrdup(fail_message());
	return fail(EINVAL, "--%s: %s", name, why);
}

static int choose_scale(struct choices *choices)
{
	uint64_t scale = TARGET_SCALE_AUTO;
	int err = parse_option("scale", scale_text, parse_count, &scale);

	if (err)
		return err;
	if (scale_text && full_size)
		return fail(EINVAL, "--scale and --full-size contradict each other");
	if (scale_text && (scale < 1 || scale > 65536))
		return fail(EINVAL, "--scale: %s is not between 1 and 65536", scale_text);
	choices->target.scale = full_size ? 1 : (uint32_t)scale;
	return 0;
}

static int read_choices(struct choices *choices)
{
	uint64_t size = 0;
	int err;

	*choices = (struct choices){ .seed = 1, .workers = 0 };
	err = parse_option("seed", seed_text, parse_count, &choices->seed);
	if (!err)
		err = parse_option("size", size_text, parse_size, &size);
	if (!err)
		err = parse_option("workers", workers_text, parse_count, &choices->workers);
	if (!err)
		err = choose_scale(choices);
	if (!err)
		err = parse_option("worn", worn_text, parse_percent, &choices->target.worn_millipercent);
	if (err)
		return err;
	if (choices->target.worn_millipercent > WORN_MOST_MILLIPERCENT)
		return fail(EINVAL, "--worn: %s is not between 0%% and 1000%%", worn_text);
	if (size_text && (scale_text || full_size || bed || worn_text))
		return fail(EINVAL, "--size is for a file, --scale, --full-size, --worn and --bed are for a model");
	if (workers_text && (choices->workers < 1 || choices->workers > 256))
		return fail(EINVAL, "--workers: %s is not between 1 and 256", workers_text);
	choices->target.size_bytes = size;
	choices->target.seed = choices->seed;
	choices->target.bed = bed;
	choices->target.destroy_data = destroy_data;
	choices->target.serial = serial;
	return 0;
}

/* An option that would do nothing here is a misunderstanding, and may be a costly one. */
static int check_fit(const struct setup *setup, const struct target *target)
{
	const char *name = setup->target;

	if (!target->is_virtual && setup->aged)
		return fail(EINVAL, "%s: is no model: a drive is aged by writing it, without --aged", name);
	if (!target->is_virtual && (setup->load_state || setup->save_state))
		return fail(EINVAL, "%s: is no model: a drive keeps its state itself, without --load-state "
			    "and --save-state", name);
	if (target->is_alone && workers_text && strcmp(workers_text, "1"))
		return fail(EINVAL, "%s: what is verified is kept by one load thread: without --workers",
			    name);
	if (target->is_virtual && size_text)
		return fail(EINVAL, "%s: a model has the size of its drive, or a part of it by --scale, "
			    "not by --size", name);
	if (target->is_virtual && (destroy_data || serial))
		return fail(EINVAL, "%s: a model has no data: --destroy-data and --serial are for devices "
			    "and files", name);
	if (!target->is_virtual && (scale_text || full_size || bed || worn_text))
		return fail(EINVAL, "%s: is no model, and --scale, --full-size, --worn and --bed are for models",
			    name);
	return 0;
}

/* What is wrong with an application is said before anything is done for it. */
static int check_applications(const struct plan *plan, const struct target *target)
{
	bool only = plan->application_count > 0;
	int err = 0;

	for (size_t i = 0; i < plan->phase_count; i++)
		only = only && (plan->phases[i].kind == PHASE_APPLICATION ||
				plan->phases[i].kind == PHASE_PURGE);
	for (size_t i = 0; !err && i < plan->application_count; i++) {
		const struct application *one = plan->applications[i];
		struct app *app;

		err = app_parse(one->name, one->text, strlen(one->text), &app);
		if (!err)
			app_free(app);
	}
	if (!err && only && !target->is_virtual)
		err = fail(EINVAL, "%s: is a model of the application, for modelled drives; on a real drive "
				   "run the program itself", plan->applications[0]->name);
	return err;
}

/* A plan of days must not end at a workload that the drive is too small for. */
static int check_workloads(const struct plan *plan, const struct target *target)
{
	int err = 0;

	for (size_t i = 0; !err && i < plan->workload_count; i++)
		err = run_fits(target, plan->workloads[i]);
	return err;
}

static uint32_t most_outstanding(const struct plan *plan)
{
	uint64_t most = 0, together = 0;

	for (size_t i = 0; i < plan->phase_count; i++) {
		const struct phase *phase = &plan->phases[i];

		together = (phase->is_beside ? together : 0) +
			   (phase->workload ? workload_outstanding(phase->workload) : 0);
		if (together > most)
			most = together;
	}
	if (most > UINT32_MAX)
		most = UINT32_MAX;
	return most > FILL_WRITERS ? (uint32_t)most : FILL_WRITERS;
}

/* Then nothing needs to be claimed, and consent is not asked for. */
static bool only_reads(const struct plan *plan)
{
	for (size_t i = 0; i < plan->phase_count; i++) {
		const struct workload *workload = plan->phases[i].workload;

		if (!workload || workload->read_percent < 100 || workload->trim_percent > 0)
			return false;
	}
	return true;
}

/* ---- the result and what is kept with it ---- */

static char *default_output(const char *target)
{
	char date[32];
	time_t now = time(NULL);
	struct tm local;
	const char *base = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
	_cleanup_free_ char *name = xstrdup(*base ? base : "target");
	_cleanup_free_ char *first = NULL;

	for (char *c = name; *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_", *c))
			*c = '-';
	localtime_r(&now, &local);
	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &local);
	first = xasprintf("%s-%s.drivebay", name, date);
	for (int i = 2; access(first, F_OK) == 0; i++) {
		free(first);
		first = xasprintf("%s-%s-%d.drivebay", name, date, i);
	}
	return xstrdup(first);
}

/* Before anything is created or written: a run of hours must not end at this. */
static int check_output(const char *path)
{
	_cleanup_free_ char *page = xasprintf("%s.html", path);
	_cleanup_free_ char *directory = xstrdup(path);
	char *slash = strrchr(directory, '/');
	struct stat st;

	if (lstat(path, &st) == 0)
		return fail(EEXIST, "%s: exists already; a result is never overwritten", path);
	if (slash)
		slash[slash == directory] = '\0';
	if (access(slash ? directory : ".", W_OK | X_OK) < 0)
		return fail(errno == EINVAL ? EIO : errno, "%s: cannot be created: %s", path,
			    strerror(errno));
	return report_may_write_html(page);
}

static int set_number(struct result *result, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return result_set(result, key, text);
}

/* The model's own description and bed, so that the result tells all that it hangs on. */
static int keep_model(struct result *result, const char *target_name, const char *bed_name)
{
	const char *colon = strrchr(target_name, ':');
	struct drive *drive;
	struct bed *host;
	int err = drive_load(colon ? colon + 1 : target_name, &drive);

	if (err)
		return err;
	err = result_set(result, "drive", drive->name);
	if (!err)
		err = result_set(result, "drive_model", drive->model);
	if (!err)
		err = result_set(result, "drive_file", drive->text);
	if (!err)
		err = set_number(result, "full_size_bytes", drive->user_bytes);
	drive_free(drive);
	if (!err)
		err = bed_load(bed_name ? bed_name : "bare-metal", &host);
	if (err)
		return err;
	err = result_set(result, "bed", host->name);
	if (!err)
		err = result_set(result, "bed_file", host->text);
	bed_free(host);
	return err;
}

static int keep_host(struct result *result, const char *invocation)
{
	struct utsname name;
	char started[64];
	time_t now = time(NULL);
	struct tm utc;
	int err;

	uname(&name);
	gmtime_r(&now, &utc);
	strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", &utc);
	err = result_set_host(result, "kernel", name.release);
	if (!err)
		err = result_set_host(result, "hostname", name.nodename);
	if (!err)
		err = result_set_host(result, "machine", name.machine);
	if (!err)
		err = result_set_host(result, "started", started);
	if (!err)
		err = result_set_host(result, "invocation", invocation);
	return err;
}

/* What spoils a measurement is told before the hours that it costs, and kept with the figures. */
static int keep_findings(struct result *result, const char *target)
{
	_cleanup_buf_ struct buf lines = BUF_INIT;
	struct doctor *doctor;
	size_t spoilers;

	if (doctor_examine_path(target, &doctor) < 0)
		return 0; /* null, or a wrapper: there is no device to look at */
	spoilers = doctor_spoilers(doctor);
	if (spoilers && !quiet)
		fprintf(stderr, "drivebay: %zu thing%s on this host would spoil the measurement; "
			"'drivebay doctor %s' tells what, and how to mend it\n", spoilers,
			spoilers == 1 ? "" : "s", target);
	buf_puts(&lines, "");
	doctor_put_lines(doctor, &lines);
	doctor_free(doctor);
	return result_set_host(result, "doctor", lines.text);
}

static int keep_texts(struct result *result, const struct setup *setup)
{
	const struct setup_text *text = setup->texts ? setup->texts(setup->context) : NULL;
	int err = 0;

	for (; !err && text && text->key; text++)
		err = result_set(result, text->key, text->value);
	return err;
}

/* "target" comes last: a result that has it can be resumed. */
static int keep_run(struct result *result, const struct setup *setup, const struct choices *choices,
		    struct target *target)
{
	_cleanup_free_ char *description = setup->aged ?
		xasprintf("%s; before the first request in the steady state of %s", target_describe(target),
			  setup->aged) : xstrdup(target_describe(target));
	int err = result_set(result, "target_description", description);

	if (!err)
		err = result_set(result, "version", DRIVEBAY_VERSION);
	if (!err)
		err = keep_texts(result, setup);
	if (!err && target->serial)
		err = result_set(result, "serial", target->serial);
	if (!err && setup->load_state)
		err = result_set(result, "loaded_state", setup->load_state);
	if (!err && setup->aged)
		err = result_set(result, "aged", setup->aged);
	if (!err && setup->shelved_ns)
		err = set_number(result, "shelved_ns", setup->shelved_ns);
	if (!err && choices->target.worn_millipercent)
		err = set_number(result, "worn_millipercent", choices->target.worn_millipercent);
	if (!err && size_text)
		err = set_number(result, "asked_bytes", choices->target.size_bytes);
	if (!err)
		err = result_set(result, "model", target->is_virtual ? "1" : "0");
	if (!err)
		err = set_number(result, "seed", choices->seed);
	if (!err)
		err = set_number(result, "scale", target->scale ? target->scale : 1);
	if (!err)
		err = set_number(result, "size_bytes", target->size_bytes);
	if (!err)
		err = set_number(result, "tail_bytes", target->tail_bytes);
	if (!err)
		err = set_number(result, "rate", setup->rate);
	if (!err)
		err = result_set(result, "arrivals", setup->arrivals == ARRIVALS_EXPONENTIAL ?
							     "exponential" : "deterministic");
	if (!err && target->is_virtual)
		err = keep_model(result, setup->target, choices->target.bed);
	if (!err)
		err = keep_host(result, setup->invocation);
	if (!err && !target->is_virtual)
		err = keep_findings(result, setup->target);
	if (!err && choices->target.bed)
		err = result_set_host(result, "bed_argument", choices->target.bed);
	return err ? err : result_set(result, "target", setup->target);
}

/* ---- the end ---- */

static unsigned terminal_columns(void)
{
	struct winsize window;

	if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 &&
	    window.ws_col >= 80)
		return window.ws_col;
	return 100;
}

static int print_and_draw(struct result *result, const char *path)
{
	_cleanup_free_ char *page = xasprintf("%s.html", path);
	int err = report_print(result, stdout, terminal_columns());

	if (err)
		return err;
	err = report_write_html(&result, 1, page);
	if (err) {
		_cleanup_free_ char *why = xstrdup(fail_message());

		return fail(-err, "%s; the result is complete, and 'drivebay report' makes its page", why);
	}
	fprintf(stderr, "result: %s\nreport: %s\n", path, page);
	return 0;
}

static unsigned default_workers(bool is_virtual)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	if (!is_virtual || cores < 1)
		return 1;
	return cores > 64 ? 64 : (unsigned)cores;
}

/* A word as a shell takes it back. */
static void put_word(struct buf *out, const char *word)
{
	if (*word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"0123456789%+,-./:=@_")]) {
		buf_puts(out, word);
		return;
	}
	buf_puts(out, "'");
	for (; *word; word++)
		buf_printf(out, *word == '\'' ? "'\\''" : "%c", *word);
	buf_puts(out, "'");
}

static int interrupted(const struct execute_config *config)
{
	_cleanup_buf_ struct buf command = BUF_INIT;

	if (!config->keep_states)
		return fail(EINTR, "interrupted; what was measured is in %s", config->path);
	put_word(&command, config->path);
	if (config->options.destroy_data)
		buf_puts(&command, " --destroy-data");
	if (config->options.serial) {
		buf_puts(&command, " --serial ");
		put_word(&command, config->options.serial);
	}
	return fail(EINTR, "interrupted; go on with: drivebay review --resume %s", command.text);
}

static int finish(struct execute_config *config, struct result *result)
{
	int err = execute(config, result);

	if (err == -EINTR)
		err = interrupted(config);
	if (!err)
		err = print_and_draw(result, config->path);
	return err ? command_failed(err) : EXIT_OK;
}

/*
 * The plan first, as it is for a drive that is not scaled, so that a mistake in it leaves no
 * new file behind; then the target, and the plan as the target wants it.
 */
static int open_and_plan(const struct setup *setup, struct choices *choices, struct target **target,
			 struct plan **plan)
{
	/* What --size creates, as far as it is known before it is there. */
	const struct target file = { .size_bytes = choices->target.size_bytes, .block_bytes = 512 };
	int err = setup->make_plan(setup->context, 1, plan);

	if (err)
		return err;
	choices->target.read_only = only_reads(*plan);
	choices->target.depth = most_outstanding(*plan);
	if (size_text)
		err = check_workloads(*plan, &file);
	if (!err)
		err = target_open(setup->target, &choices->target, target);
	if (!err)
		err = check_fit(setup, *target);
	if (!err && setup->fit_plan)
		err = setup->fit_plan(setup->context, *target, *plan);
	if (!err && !setup->skips_misfits)
		err = check_workloads(*plan, *target);
	if (!err)
		err = check_applications(*plan, *target);
	if (err || (*target)->scale <= 1 || setup->fit_plan)
		return err;
	plan_free(*plan);
	*plan = NULL;
	return setup->make_plan(setup->context, (*target)->scale, plan);
}

/* A result that does not say what it is of is none. */
static int create(const char *path, const struct setup *setup, const struct choices *choices,
		  struct target *target, const struct plan *plan, struct result **out)
{
	int err = result_create(path, plan, out);

	if (err)
		return err;
	err = keep_run(*out, setup, choices, target);
	if (!err)
		return 0;
	result_discard(*out);
	*out = NULL;
	return err;
}

/* Before hours are spent on what cannot be begun, or not be kept. */
static int check_states(const struct setup *setup)
{
	const char *load = setup->load_state, *save = setup->save_state;

	if (size_text && (load || save || setup->aged))
		return fail(EINVAL, "--size is for a file, --load-state, --save-state and --aged are for a model");
	if (load && setup->aged)
		return fail(EINVAL, "--load-state and --aged contradict each other");
	if (setup->aged && aged_check(setup->aged))
		return -EINVAL;
	if (load && access(load, R_OK) < 0)
		return fail(errno == ENOENT ? EINVAL : errno, "--load-state: %s: %s", load,
			    strerror(errno));
	if (save && access(save, F_OK) == 0)
		return fail(EEXIST, "--save-state: %s: exists already; a state is never overwritten", save);
	return 0;
}

/* As many as cores, or as were asked for; of a large model no more than fit into memory. */
static int choose_workers(struct choices *choices, const char *name, const struct target *target,
			  const struct plan *plan)
{
	unsigned workers = choices->workers ? (unsigned)choices->workers : default_workers(target->is_virtual);
	unsigned fitting = workers < plan->chain_count ? workers : plan->chain_count, wanted = fitting;
	int err = memory_fits(name, target->memory_bytes, memory_available_bytes(), &fitting);

	choices->workers = fitting < wanted ? fitting : workers;
	return err;
}

int setup_run(const struct setup *setup)
{
	_cleanup_free_ char *path = output ? xstrdup(output) : default_output(setup->target);
	struct choices choices;
	struct target *target = NULL;
	struct plan *plan = NULL;
	struct result *result = NULL;
	struct execute_config config;
	int status, err = read_choices(&choices);

	if (!err)
		err = check_output(path);
	if (!err)
		err = check_states(setup);
	if (!err)
		err = open_and_plan(setup, &choices, &target, &plan);
	if (!err)
		err = choose_workers(&choices, setup->target, target, plan);
	if (!err)
		err = create(path, setup, &choices, target, plan, &result);
	if (!err) {
		/* Children get the drive that was asked for, not one that is chosen anew. */
		choices.target.scale = target->scale;
		config = (struct execute_config){
			.target = setup->target,
			.options = choices.target,
			.plan = plan,
			.path = path,
			.seed = choices.seed,
			.workers = (unsigned)choices.workers,
			.rate = setup->rate,
			.arrivals = setup->arrivals,
			.keep_states = setup->keep_states,
			.load_state = setup->load_state,
			.shelved_ns = setup->shelved_ns,
			.save_state = setup->save_state,
			.aged = setup->aged,
			.quiet = quiet,
		};
	}
	target_close(target);
	status = err ? command_failed(err) : finish(&config, result);
	result_close(result);
	plan_free(plan);
	return status;
}

/* ---- resume ---- */

static uint64_t number_of(struct result *result, const char *key, uint64_t otherwise)
{
	const char *text = result_get(result, key);
	uint64_t value;

	return text && parse_count(text, &value) == 0 ? value : otherwise;
}

static bool same_text(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* A model whose description has changed would go on as another drive. */
static int check_same_drive(struct result *result, const char *target)
{
	const char *colon = strrchr(target, ':');
	struct drive *drive;
	bool same;
	int err = drive_load(colon ? colon + 1 : target, &drive);

	if (err)
		return err;
	same = same_text(result_get(result, "drive_file"), drive->text);
	drive_free(drive);
	if (!same)
		return fail(EPERM, "%s: its description has changed since the run began; start a "
				   "new run", target);
	return 0;
}

/* What --bed said: a path is no name. */
static const char *bed_argument(struct result *result)
{
	const char *said = result_get_host(result, "bed_argument");

	return said ? said : result_get(result, "bed");
}

static int check_same_bed(struct result *result)
{
	const char *name = bed_argument(result);
	struct bed *host;
	bool same;
	int err = bed_load(name ? name : "bare-metal", &host);

	if (err)
		return err;
	same = same_text(result_get(result, "bed_file"), host->text);
	bed_free(host);
	if (!same)
		return fail(EPERM, "%s: the bed's description has changed since the run began; start a "
				   "new run", name ? name : "bare-metal");
	return 0;
}

static int check_same_model(struct result *result, const char *path, const char *target)
{
	const char *version = result_get(result, "version");
	int err;

	if (!same_text(version, DRIVEBAY_VERSION))
		return fail(EPERM, "%s: was begun by drivebay %s, and this is %s, whose models may differ; "
			    "go on with that one, or start a new run", path, version ? version : "(unknown)",
			    DRIVEBAY_VERSION);
	err = check_same_drive(result, target);
	return err ? err : check_same_bed(result);
}

/* Another drive may have got the name: it must not be overwritten for the first one's sake. */
static int check_same_device(struct result *result, const char *name,
			     const struct target_options *options)
{
	const char *known = result_get(result, "serial");
	struct target_options look = *options;
	struct target *target;
	bool same;
	int err;

	look.read_only = true;
	look.destroy_data = false;
	err = target_open(name, &look, &target);
	if (err)
		return err;
	same = (!known && !target->serial) || same_text(known, target->serial);
	if (!same)
		err = fail(EPERM, "%s: is not the device that the run began on (%s, not %s)", name,
			   target->serial ? target->serial : "none", known ? known : "none");
	else if (target->size_bytes != number_of(result, "size_bytes", 0))
		err = fail(EPERM, "%s: had %s bytes when the run began and has %llu now; start a new run",
			   name, result_get(result, "size_bytes"), (unsigned long long)target->size_bytes);
	target_close(target);
	return err;
}

/* Nothing of the kind is asked for again: it is as the run began with it. */
static int refuse_options(void)
{
	if (!seed_text && !scale_text && !full_size && !bed && !output && !size_text && !worn_text)
		return 0;
	return fail(EINVAL, "--resume takes seed, scale, bed, wear, size and output from the result");
}

/* What is complete needs its target no more. */
static int check_same_target(struct result *result, const struct execute_config *config)
{
	bool complete;
	int err = execute_is_complete(config->plan, result, &complete);

	if (err || complete)
		return err;
	if (number_of(result, "model", 0))
		return check_same_model(result, config->path, config->target);
	return check_same_device(result, config->target, &config->options);
}

static int read_config(struct result *result, const char *path, const struct choices *choices,
		       const struct plan *plan, struct execute_config *config)
{
	const char *target = result_get(result, "target"), *arrivals = result_get(result, "arrivals");

	if (!target)
		return fail(EBADMSG, "%s: was cut off before the run began; start a new one", path);
	*config = (struct execute_config){
		.target = target,
		.options = choices->target,
		.plan = plan,
		.path = path,
		.seed = number_of(result, "seed", 1),
		.workers = choices->workers ? (unsigned)choices->workers :
					      default_workers(number_of(result, "model", 0)),
		.rate = number_of(result, "rate", 0),
		.arrivals = same_text(arrivals, "exponential") ? ARRIVALS_EXPONENTIAL :
								 ARRIVALS_DETERMINISTIC,
		.keep_states = true,
		.quiet = quiet,
	};
	config->options.seed = config->seed;
	config->options.scale = (uint32_t)number_of(result, "scale", 1);
	config->options.worn_millipercent = number_of(result, "worn_millipercent", 0);
	config->options.bed = bed_argument(result);
	config->options.size_bytes = number_of(result, "asked_bytes", 0);
	config->options.must_exist = true;
	config->options.read_only = only_reads(plan);
	config->options.depth = most_outstanding(plan);
	return check_same_target(result, config);
}

int setup_resume(const char *path)
{
	struct choices choices;
	struct plan *plan = NULL;
	struct result *result = NULL;
	struct execute_config config;
	int status, err = read_choices(&choices);

	if (!err)
		err = refuse_options();
	if (!err)
		err = result_open(path, true, &result);
	if (!err)
		err = result_claim(result);
	if (!err)
		err = result_plan_read(result, &plan);
	if (!err)
		err = read_config(result, path, &choices, plan, &config);
	status = err ? command_failed(err) : finish(&config, result);
	result_close(result);
	plan_free(plan);
	return status;
}

/* ---- many models ---- */

static int run_model(const struct setup_model *model, const struct choices *choices,
		     struct target *target, struct result *result, const struct plan *plan)
{
	const struct setup setup = { .target = model->drive, .invocation = "validate",
				     .arrivals = ARRIVALS_EXPONENTIAL };
	struct execute_config config = {
		.target = model->drive,
		.options = choices->target,
		.plan = plan,
		.path = model->path,
		.seed = model->seed,
		.workers = 1,
		.arrivals = ARRIVALS_EXPONENTIAL,
		.quiet = true,
	};
	int err = keep_run(result, &setup, choices, target);

	config.options.scale = target->scale;
	return err ? err : execute(&config, result);
}

/* Runs, points and rounds last longer or shorter; what is written beforehand stays as it is. */
static void stretch(struct plan *plan, uint32_t percent)
{
	for (size_t i = 0; percent && i < plan->phase_count; i++)
		plan->phases[i].duration_ns = plan->phases[i].duration_ns * percent / 100;
}

/* Is this phase a part of the test, as itself or on a part of a client drive? */
static bool is_of_test(const struct phase *phase, const char *test)
{
	const char *slash = strchr(phase->group, '/');
	size_t length = strlen(test);

	if (!slash || strncmp(slash + 1, test, length))
		return false;
	return !slash[1 + length] || !strcmp(slash + 1 + length, "-client");
}

/* The index behind the last phase that is needed; 0: no phase is. */
static size_t needed_phases(const struct plan *plan, const struct setup_model *model)
{
	size_t needed = 0;

	for (size_t n = 0; n < model->need_count; n++) {
		bool passed = false; /* its first point */

		for (size_t i = 0; i < plan->phase_count; i++) {
			if (!is_of_test(&plan->phases[i], model->needs[n].test))
				continue;
			if (i >= needed && !(passed && model->needs[n].first_point))
				needed = i + 1;
			passed = passed || plan->phases[i].kind == PHASE_POINT;
		}
	}
	while (needed && needed < plan->phase_count && plan->phases[needed].is_beside)
		needed++;
	return needed;
}

static void cut_after_needed(struct plan *plan, const struct setup_model *model)
{
	size_t needed = needed_phases(plan, model);

	while (needed && plan->phase_count > needed) {
		struct phase *last = &plan->phases[--plan->phase_count];

		free(last->name);
		free(last->group);
	}
}

int setup_model_run(const struct setup_model *model)
{
	struct choices choices = {
		.target = { .bed = model->bed, .seed = model->seed, .scale = model->scale },
		.seed = model->seed,
	};
	struct plan_options options = { 0 };
	struct target *target = NULL;
	struct result *result = NULL;
	struct plan *plan = NULL;
	int err = target_open(model->drive, &choices.target, &target);

	if (!err) {
		options.scale = target->scale;
		err = plan_load(&model->plan, 1, &options, &plan);
	}
	if (!err)
		stretch(plan, model->lengths_percent);
	if (!err)
		cut_after_needed(plan, model);
	if (!err)
		err = result_create(model->path, plan, &result);
	if (!err)
		err = run_model(model, &choices, target, result, plan);
	target_close(target);
	result_close(result);
	plan_free(plan);
	return err;
}
