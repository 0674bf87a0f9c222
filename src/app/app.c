#include "app/app.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/data.h"
#include "base/fail.h"
#include "base/units.h"

/* A new kind of application is a new file and a line here. */
static const struct app_kind *const kinds[] = {
	&app_oltp,
	&app_tpcc,
	&app_boot,
	&app_crystal,
	&app_snia,
	&app_video,
	&app_out_of_core,
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* ---- reading ---- */

const struct yml_key app_number_count = { .read = yml_read_count };
const struct yml_key app_number_size = { .read = yml_read_size };
const struct yml_key app_number_duration = { .read = yml_read_duration };
const struct yml_key app_number_percent = { .read = yml_read_percent };
const struct yml_key app_number_milli = { .read = yml_read_milli };

int app_read_value(const struct yml *yaml, const struct yml_node *node, const struct yml_key *key,
		   void *to)
{
	struct yml_key number = *(const struct yml_key *)key->context;
	struct yml_marked marked;
	int err;

	number.help = key->help;
	number.min = key->min;
	number.max = key->max;
	err = yml_read_marked(yaml, node, &number, &marked);
	if (err)
		return err;
	*(uint64_t *)to = marked.value;
	free(marked.source); /* app->text has it */
	return 0;
}

static int find_kind(const struct yml *yaml, const struct yml_node *node,
		     const struct app_kind **out)
{
	const char *words[KINDS + 1] = { NULL };
	const struct yml_key key = { .words = words };
	uint64_t which;
	int err;

	for (size_t i = 0; i < KINDS; i++)
		words[i] = kinds[i]->name;
	err = yml_read_word(yaml, node, &key, &which);
	if (!err)
		*out = kinds[which];
	return err;
}

int app_read_kind(const struct yml *yaml, const struct yml_node *node, const struct yml_key *key,
		  void *to)
{
	struct app *app = to;

	(void)key;
	return find_kind(yaml, node, &app->kind);
}

/* Only the kind knows the other keys. */
static int kind_of(const struct yml *yaml, const struct app_kind **out)
{
	const struct yml_node *node = yml_child(yaml->root, "kind");

	if (!node)
		return yml_fail(yaml, yaml->root, "kind is missing: what kind of application it is");
	return find_kind(yaml, node, out);
}

static int app_of(const struct yml *yaml, struct app **out)
{
	const struct app_kind *kind = NULL;
	struct app *app;
	int err = kind_of(yaml, &kind);

	if (err)
		return err;
	app = xcalloc(1, kind->size);
	app->kind = kind;
	err = yml_read_map(yaml, yaml->root, kind->keys, app);
	if (!err && kind->check)
		err = kind->check(app, yaml->path);
	if (err) {
		app_free(app);
		return err;
	}
	app->text = xstrdup(yaml->text);
	*out = app;
	return 0;
}

int app_parse(const char *path, const char *text, size_t size, struct app **out)
{
	struct yml *yaml;
	int err = yml_parse(path, text, size, &yaml);

	if (err)
		return err;
	err = app_of(yaml, out);
	yml_free(yaml);
	return err;
}

int app_load(const char *name, struct app **out)
{
	_cleanup_free_ char *path = NULL;
	struct yml *yaml;
	int err = data_find("workloads/apps", name, &path);

	if (!err)
		err = yml_load(path, &yaml);
	if (err)
		return err;
	err = app_of(yaml, out);
	yml_free(yaml);
	return err;
}

void app_free(struct app *app)
{
	if (!app)
		return;
	if (app->kind->clean)
		app->kind->clean(app);
	free(app->name);
	free(app->help);
	free(app->source);
	free(app->text);
	free(app);
}

/* ---- running ---- */

char *app_misfit(const struct app *app, const struct target *target)
{
	uint64_t scale = target->scale ? target->scale : 1;
	uint64_t needs_bytes = app->kind->needs_bytes(app);
	char needs[UNITS_BYTES], has[UNITS_BYTES];

	if (!target->is_virtual && !app->kind->any_target)
		return xasprintf("it is a model of the application and runs on modelled drives only");
	if ((app->kind->least_bytes ? needs_bytes : needs_bytes / scale) <= target->size_bytes)
		return NULL;
	if (app->kind->least_bytes)
		scale = 1;
	return xasprintf("its data take %s and the drive has %s", format_size(needs_bytes, needs),
			 format_size(target->size_bytes * scale, has));
}

uint64_t app_time_ns(const struct app *app, const struct target *target,
		     const struct app_config *config)
{
	return config->duration_ns ? config->duration_ns : app_scaled(target, app->time_ns);
}

uint64_t app_warm_up_ns(const struct app *app, const struct target *target,
			const struct app_config *config)
{
	assert(app->time_ns > 0);
	return (uint64_t)((unsigned __int128)app_time_ns(app, target, config) * app->warm_up_ns /
			  app->time_ns);
}

int app_run(const struct app *app, struct target *target, const struct app_config *config,
	    struct stats *stats, struct merits *merits)
{
	char *why = app_misfit(app, target);
	int err;

	if (!why)
		return app->kind->run(app, target, config, stats, merits);
	err = fail(EINVAL, "%s: %s", app->name, why);
	free(why);
	return err;
}
