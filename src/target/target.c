#include "target/target.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/fail.h"

void target_close(struct target *target)
{
	if (!target)
		return;
	assert(target->in_flight == 0);
	target->ops->close(target);
}

void target_forward(struct target *target, struct io *io)
{
	assert(io->size_bytes <= target->size_bytes);
	assert(io->offset_bytes <= target->size_bytes - io->size_bytes);
	assert(((io->offset_bytes | io->size_bytes) & (target->block_bytes - 1)) == 0);
	io->error = 0;
	target->in_flight++;
	target->ops->submit(target, io);
}

void target_submit_at(struct target *target, struct io *io, uint64_t now_ns)
{
	io->submitted_ns = now_ns;
	target_forward(target, io);
}

void target_submit(struct target *target, struct io *io)
{
	target_submit_at(target, io, target->ops->now(target));
}

void target_expect(struct target *target, const struct io *io)
{
	if (target->ops->expect)
		target->ops->expect(target, io);
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

int target_buffers(struct target *target, void *base, size_t bytes)
{
	assert(target->in_flight == 0);
	return target->ops->buffers ? target->ops->buffers(target, base, bytes) : -ENOTSUP;
}

int target_purge(struct target *target)
{
	assert(target->in_flight == 0);
	if (!target->ops->purge)
		return fail(ENOTSUP, "%s: this kind of target cannot be purged", target->ops->name);
	return target->ops->purge(target);
}

int target_settle(struct target *target)
{
	assert(target->in_flight == 0);
	return target->ops->settle ? target->ops->settle(target) : 0;
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

int target_enlarge(struct target *target, struct target *small)
{
	assert(target->in_flight == 0);
	assert(small->in_flight == 0);
	if (!target->ops->enlarge || small->ops != target->ops)
		return fail(ENOTSUP, "%s: this kind of target cannot be put into an aged state",
			    target->ops->name);
	return target->ops->enlarge(target, small);
}

int target_shelve(struct target *target, uint64_t time_ns)
{
	assert(target->in_flight == 0);
	return target->ops->shelve ? target->ops->shelve(target, time_ns) : -ENOTSUP;
}
