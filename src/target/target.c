#include "target/target.h"

#include <assert.h>
#include <errno.h>
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
	if (!ops)
		ops = &target_model_ops;
	err = ops->open(arg, options, out);
	if (err)
		return err;
	assert((*out)->ops);
	assert((*out)->block_bytes > 0);
	assert((*out)->size_bytes % (*out)->block_bytes == 0);
	return 0;
}

void target_close(struct target *target)
{
	if (!target)
		return;
	assert(target->in_flight == 0);
	target->ops->close(target);
}

void target_submit(struct target *target, struct io *io)
{
	assert(io->size_bytes <= target->size_bytes);
	assert(io->offset_bytes <= target->size_bytes - io->size_bytes);
	assert(io->size_bytes % target->block_bytes == 0);
	assert(io->offset_bytes % target->block_bytes == 0);
	io->submitted_ns = target->ops->now(target);
	io->error = 0;
	target->in_flight++;
	target->ops->submit(target, io);
}

struct io *target_reap(struct target *target, uint64_t until_ns)
{
	struct io *io;

	assert(until_ns != TARGET_FOREVER || target->in_flight > 0);
	io = target->ops->reap(target, until_ns);
	if (!io)
		return NULL;
	assert(target->in_flight > 0);
	assert(io->completed_ns >= io->submitted_ns);
	target->in_flight--;
	return io;
}

uint64_t target_now(struct target *target)
{
	return target->ops->now(target);
}

uint64_t target_due(struct target *target)
{
	return target->ops->due ? target->ops->due(target) : target->ops->now(target);
}

const char *target_describe(struct target *target)
{
	return target->ops->describe ? target->ops->describe(target) : target->ops->name;
}

int target_health(struct target *target, struct health *out)
{
	memset(out, 0, sizeof(*out));
	return target->ops->health ? target->ops->health(target, out) : -ENOTSUP;
}

int target_usage(struct target *target, struct usage *out)
{
	memset(out, 0, sizeof(*out));
	return target->ops->usage ? target->ops->usage(target, out) : -ENOTSUP;
}

int target_purge(struct target *target)
{
	assert(target->in_flight == 0);
	if (!target->ops->purge)
		return fail(ENOTSUP, "%s: this kind of target cannot be purged", target->ops->name);
	return target->ops->purge(target);
}

int target_snapshot(struct target *target, int fd)
{
	assert(target->in_flight == 0);
	return target->ops->snapshot ? target->ops->snapshot(target, fd) : -ENOTSUP;
}

int target_restore(struct target *target, int fd)
{
	assert(target->in_flight == 0);
	return target->ops->restore ? target->ops->restore(target, fd) : -ENOTSUP;
}
