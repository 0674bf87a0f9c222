#include "target/target.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/data.h"
#include "base/fail.h"

/* A new kind of target is a new file and a line here. */
static const struct target_ops *const kinds[] = {
	&target_model_ops,
	&target_uring_ops,
	&target_null_ops,
	&target_fault_ops,
	&target_verify_ops,
	NULL,
};

const struct target_ops *const *target_kinds(void)
{
	return kinds;
}

static const struct target_ops *kind_of(const char *spec, const char **arg)
{
	const char *colon = strchr(spec, ':');

	for (size_t i = 0; colon && kinds[i]; i++) {
		size_t length = strlen(kinds[i]->name);

		if ((size_t)(colon - spec) == length && !strncmp(spec, kinds[i]->name, length)) {
			*arg = colon + 1;
			return kinds[i];
		}
	}
	return NULL;
}

static bool looks_like_a_path(const char *spec)
{
	struct stat st;

	return strchr(spec, '/') || stat(spec, &st) == 0;
}

static bool looks_like_a_drive_file(const char *spec)
{
	size_t length = strlen(spec);

	return length > 5 && !strcmp(spec + length - 5, ".yaml");
}

/* A plain word that is neither a drive nor a file: both may have been meant. */
static int no_such_target(const char *spec)
{
	char *path = NULL, *why;
	int err = data_find("drives", spec, &path);

	free(path);
	if (!err)
		return 0;
	why = xstrdup(fail_message());
	err = fail(-err, "%s, nor is it a file", why);
	free(why);
	return err;
}

int target_open(const char *spec, const struct target_options *options, struct target **out)
{
	const char *arg = spec;
	const struct target_ops *ops = kind_of(spec, &arg);
	int err;

	*out = NULL;
	if (!ops && looks_like_a_path(spec) && !looks_like_a_drive_file(spec))
		ops = &target_uring_ops;
	/* A plain new file name with a size to create it. */
	if (!ops && options->size_bytes && !looks_like_a_drive_file(spec)) {
		bool known;
		char *path = NULL;

		known = data_find("drives", spec, &path) == 0;
		free(path);
		if (!known)
			ops = &target_uring_ops;
	}
	if (!ops) {
		ops = &target_model_ops;
		err = no_such_target(spec);
		if (err)
			return err;
	}
	err = ops->open(arg, options, out);
	if (err)
		return err;
	assert((*out)->ops);
	assert((*out)->block_bytes > 0);
	assert(((*out)->block_bytes & ((*out)->block_bytes - 1)) == 0);
	assert((*out)->size_bytes % (*out)->block_bytes == 0);
	return 0;
}
