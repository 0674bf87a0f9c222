#include "load/application.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/data.h"
#include "base/fail.h"
#include "base/yaml.h"

/* Of the keys that are needed here; src/app knows all of them. */
static int read_time(const struct yml *yaml, uint64_t *out)
{
	static const struct yml_key duration = { .read = yml_read_duration };
	const struct yml_node *node = yml_child(yaml->root, "time");
	struct yml_marked marked;
	int err;

	*out = 0;
	if (!node)
		return 0;
	err = yml_read_marked(yaml, node, &duration, &marked);
	if (err)
		return err;
	*out = marked.value;
	free(marked.source);
	return 0;
}

static int read_text(const struct yml *yaml, const char *key, const char *what, char **out)
{
	const struct yml_key row = { .name = key, .help = what };
	const struct yml_node *node = yml_child(yaml->root, key);

	if (!node)
		return yml_fail(yaml, yaml->root, "%s is missing: %s", key, what);
	return yml_read_string(yaml, node, &row, out);
}

static int application_of(const struct yml *yaml, struct application **out)
{
	struct application *application = xcalloc(1, sizeof(*application));
	int err = read_text(yaml, "name", "the name of this file", &application->name);

	if (!err)
		err = read_text(yaml, "help", "what it is, in one line", &application->help);
	if (!err)
		err = read_text(yaml, "source", "published, derived or ours, and where",
				&application->source);
	if (!err)
		err = read_time(yaml, &application->time_ns);
	if (err) {
		application_free(application);
		return err;
	}
	application->text = xstrdup(yaml->text);
	*out = application;
	return 0;
}

int application_parse(const char *path, const char *text, size_t size, struct application **out)
{
	struct yml *yaml;
	int err = yml_parse(path, text, size, &yaml);

	if (err)
		return err;
	err = application_of(yaml, out);
	yml_free(yaml);
	return err;
}

int application_load(const char *name, struct application **out)
{
	_cleanup_free_ char *path = NULL;
	struct yml *yaml;
	int err = data_find("workloads/apps", name, &path);

	if (!err)
		err = yml_load(path, &yaml);
	if (err)
		return err;
	err = application_of(yaml, out);
	yml_free(yaml);
	return err;
}

void application_free(struct application *application)
{
	if (!application)
		return;
	free(application->name);
	free(application->help);
	free(application->source);
	free(application->text);
	free(application);
}

bool application_exists(const char *name)
{
	_cleanup_free_ char *path = NULL;
	struct yml *yaml;
	bool found;

	if (data_find("workloads/apps", name, &path) || yml_load(path, &yaml))
		return false;
	found = yml_child(yaml->root, "kind") != NULL;
	yml_free(yaml);
	return found;
}
