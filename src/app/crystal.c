/*
 * crystal.c - kind crystal: a disk benchmark as owners of client drives run it.
 *
 * A file; then each test several times with pauses between, reads before writes, and the best of
 * the runs counts. Figures are bytes a second; the first test's are bytes_per_s_read and _write.
 */
#include <stdlib.h>
#include <string.h>

#include "app/client.h"
#include "base/cleanup.h"
#include "base/fail.h"

enum { TESTS_MAX = 16 };

struct crystal_test {
	char *name;
	uint64_t pattern;
	uint32_t size_bytes, threads, depth;
};

struct crystal {
	struct app base;
	uint64_t file_bytes, runs, run_time_ns, model_run_time_ns, pause_ns;
	struct crystal_test tests[TESTS_MAX];
	size_t test_count;
};

static const struct crystal *crystal_of(const struct app *app)
{
	return (const struct crystal *)(const void *)app; /* its first member */
}

static const char *const pattern_words[] = { "uniform", "sequential", NULL };

static const struct yml_key test_keys[] = {
	{ "name", yml_read_string, offsetof(struct crystal_test, name), true, "what the figure is called" },
	{ "pattern", yml_read_word, offsetof(struct crystal_test, pattern), true,
	  "uniform or sequential", 0, 0, pattern_words },
	{ "size", yml_read_size32, offsetof(struct crystal_test, size_bytes), true,
	  "size of a request", 4096, 128 << 20 },
	{ "depth", yml_read_count32, offsetof(struct crystal_test, depth), true,
	  "requests each thread keeps outstanding", 1, 1024 },
	{ "threads", yml_read_count32, offsetof(struct crystal_test, threads), true,
	  "how many send at the same time", 1, 64 },
	{ NULL },
};

static int read_tests(const struct yml *yaml, const struct yml_node *node, const struct yml_key *key,
		      void *to)
{
	struct crystal *crystal = to;
	int err = 0;

	(void)key;
	if (node->kind != YML_LIST || !node->first)
		return yml_fail(yaml, node, "a list of tests must stand here (- name: ...)");
	for (const struct yml_node *one = node->first; one && !err; one = one->next) {
		if (crystal->test_count == TESTS_MAX)
			return yml_fail(yaml, one, "more than %d tests", TESTS_MAX);
		err = yml_read_map(yaml, one, test_keys, &crystal->tests[crystal->test_count++]);
	}
	return err;
}

#define VALUE(key, field, type, low, high, words) \
	{ key, app_read_value, offsetof(struct crystal, field), true, words, low, high, \
	  .context = &app_number_##type }

static const struct yml_key keys[] = {
	APP_KEYS,
	VALUE("file", file_bytes, size, 128 << 20, 1ull << 40, "size of the file"),
	VALUE("runs", runs, count, 1, 9, "runs of a test: the best counts"),
	VALUE("run_time", run_time_ns, duration, 1000000, 100000000000, "length of a run"),
	VALUE("model_run_time", model_run_time_ns, duration, 1000000, 100000000000,
	      "length of a run in virtual time"),
	VALUE("pause", pause_ns, duration, 0, 1000000000000, "between two tests"),
	{ "tests", read_tests, 0, true, "what is run, in order" },
	{ NULL },
};

static uint64_t needs_bytes(const struct app *app)
{
	return crystal_of(app)->file_bytes;
}

static void clean(struct app *app)
{
	struct crystal *crystal = (struct crystal *)(void *)app;

	for (size_t i = 0; i < crystal->test_count; i++)
		free(crystal->tests[i].name);
}

static int best_of(const struct crystal *crystal, const struct crystal_test *test,
		   struct client *client, bool reads, double *best)
{
	const struct client_load load = {
		.pattern = test->pattern ? PATTERN_SEQUENTIAL : PATTERN_UNIFORM,
		.size_bytes = test->size_bytes,
		.threads = test->threads,
		.depth = test->depth,
		.read_percent = reads ? 100 : 0,
		.time_ns = client->target->is_virtual ? crystal->model_run_time_ns : crystal->run_time_ns,
	};
	int err = 0;

	*best = 0;
	client_pause(client, crystal->pause_ns);
	for (uint64_t i = 0; i < crystal->runs && !err; i++) {
		double bytes_per_s = 0;

		err = client_load(client, &load, &bytes_per_s);
		if (bytes_per_s > *best)
			*best = bytes_per_s;
	}
	return err;
}

static int run_tests(const struct crystal *crystal, struct client *client, bool reads,
		     struct merits *merits)
{
	const char *word = reads ? "read" : "write";
	int err = 0;

	for (size_t i = 0; i < crystal->test_count && !err; i++) {
		const struct crystal_test *test = &crystal->tests[i];
		_cleanup_free_ char *name = xasprintf("%s_%s", test->name, word);
		_cleanup_free_ char *first = xasprintf("bytes_per_s_%s", word);
		double best;

		err = best_of(crystal, test, client, reads, &best);
		if (err)
			break;
		if (i == 0)
			merits_add(merits, first, "bytes/s", best);
		merits_add(merits, name, "MB/s", best / 1e6);
	}
	return err;
}

static int run_crystal(const struct app *app, struct target *target, const struct app_config *config,
		       struct stats *stats, struct merits *merits)
{
	const struct crystal *crystal = crystal_of(app);
	struct client client;
	int err;

	client_init(&client, target, config, crystal->file_bytes, stats);
	err = client_make_file(&client, 1 << 20);
	if (config->on_measure)
		config->on_measure(config->context);
	if (!err)
		err = run_tests(crystal, &client, true, merits);
	if (!err)
		err = run_tests(crystal, &client, false, merits);
	client_free(&client);
	if (!err)
		merits_add(merits, "drive_bytes", "bytes", (double)target->size_bytes);
	return err;
}

const struct app_kind app_crystal = {
	.name = "crystal",
	.help = "a disk benchmark on a file, best of several runs",
	.size = sizeof(struct crystal),
	.keys = keys,
	.clean = clean,
	.needs_bytes = needs_bytes,
	.least_bytes = 200000000000,
	.any_target = true,
	.run = run_crystal,
};
