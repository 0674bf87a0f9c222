/* The reader of beds/NAME.yaml; what a bed does to requests is in bed.c. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/data.h"
#include "base/fail.h"
#include "base/yaml.h"
#include "target/bed.h"

/* A bed that adds a second to every command is a typo. */
static const struct yml_key number_duration = { .read = yml_read_duration, .max = 1000000000 };
static const struct yml_key number_count = { .read = yml_read_count, .max = 200 };
static const struct yml_key number_size = { .read = yml_read_size, .max = 1ull << 40 };

static int read_value(const struct yml *yaml, const struct yml_node *node,
		      const struct yml_key *key, void *to)
{
	struct yml_key number = *(const struct yml_key *)key->context;
	struct yml_marked marked;
	int err;

	number.help = key->help;
	err = yml_read_marked(yaml, node, &number, &marked);

	if (err)
		return err;
	*(uint64_t *)to = marked.value;
	free(marked.source); /* bed->text has it */
	return 0;
}

#define BED_KEY(key, field, type, needed, help) \
	{ #key, read_value, offsetof(struct bed, field), needed, help, .context = &number_##type },

static const struct yml_key file_keys[] = {
	{ "name", yml_read_string, offsetof(struct bed, name), true, "the name of this file" },
	{ "help", yml_read_string, offsetof(struct bed, help), true, "the host in one line" },
	{ "source", yml_read_string, offsetof(struct bed, source), true,
	  "which review, or why it exists" },
	BED_VALUES(BED_KEY)
	{ NULL },
};

static int bed_of(struct yml *yaml, struct bed **out)
{
	struct bed *bed = xcalloc(1, sizeof(*bed));
	int err;

	bed->ambient_celsius = 25;
	err = yml_read_map(yaml, yaml->root, file_keys, bed);

	if (err) {
		bed_free(bed);
		return err;
	}
	bed->text = xstrdup(yaml->text);
	*out = bed;
	return 0;
}

int bed_parse(const char *path, const char *text, size_t size, struct bed **out)
{
	struct yml *yaml;
	int err = yml_parse(path, text, size, &yaml);

	if (err)
		return err;
	err = bed_of(yaml, out);
	yml_free(yaml);
	return err;
}

int bed_load(const char *name, struct bed **out)
{
	_cleanup_free_ char *path = NULL;
	struct yml *yaml;
	int err = data_find("beds", name, &path);

	if (!err)
		err = yml_load(path, &yaml);
	if (err)
		return err;
	err = bed_of(yaml, out);
	yml_free(yaml);
	return err;
}

void bed_free(struct bed *bed)
{
	if (!bed)
		return;
	free(bed->name);
	free(bed->help);
	free(bed->source);
	free(bed->text);
	free(bed);
}
