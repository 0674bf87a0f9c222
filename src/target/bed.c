/* bed.c - the host around a modelled drive: two delays and a serial cost for each command. */
#include "target/bed.h"

#include <assert.h>
#include <stdlib.h>

#include "base/fail.h"

/* Requests on their way in one direction, in order of arrival. */
struct path {
	struct traveller {
		uint64_t at_ns;
		struct io *io;
	} *ring; /* a power of two */
	size_t head, tail, capacity;
};

struct bed_target {
	struct target base;
	struct target *inner;
	struct bed *bed;
	uint64_t free_ns, busy_ns; /* of the serial part */
	struct path down, up;
};

static struct bed_target *bed_of(struct target *target)
{
	return container_of(target, struct bed_target, base);
}

static struct traveller *path_at(const struct path *path, size_t position)
{
	return &path->ring[position & (path->capacity - 1)];
}

static void path_grow(struct path *path)
{
	struct path larger = *path;

	larger.capacity = path->capacity ? path->capacity * 2 : 256;
	larger.ring = xmalloc(larger.capacity * sizeof(*larger.ring));
	for (size_t i = path->head; i < path->tail; i++)
		*path_at(&larger, i) = *path_at(path, i);
	free(path->ring);
	*path = larger;
}

static void path_put(struct path *path, uint64_t at_ns, struct io *io)
{
	if (path->tail - path->head == path->capacity)
		path_grow(path);
	assert(path->head == path->tail || path_at(path, path->tail - 1)->at_ns <= at_ns);
	*path_at(path, path->tail++) = (struct traveller){ at_ns, io };
}

static uint64_t path_next_ns(const struct path *path)
{
	return path->head == path->tail ? UINT64_MAX : path_at(path, path->head)->at_ns;
}

static struct io *path_take(struct path *path)
{
	return path_at(path, path->head++)->io;
}

static void bed_close(struct target *target)
{
	struct bed_target *bed = bed_of(target);

	target_close(bed->inner);
	bed_free(bed->bed);
	free(bed->down.ring);
	free(bed->up.ring);
	free(bed);
}

static void bed_submit(struct target *target, struct io *io)
{
	struct bed_target *bed = bed_of(target);
	uint64_t now_ns = target_now(bed->inner);

	if (bed->free_ns < now_ns)
		bed->free_ns = now_ns;
	bed->free_ns += bed->bed->command_ns;
	bed->busy_ns += bed->bed->command_ns;
	target_expect(bed->inner, io);
	path_put(&bed->down, bed->free_ns + bed->bed->submit_ns, io);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static struct io *bed_reap(struct target *target, uint64_t until_ns)
{
	struct bed_target *bed = bed_of(target);

	for (;;) {
		uint64_t down_ns = path_next_ns(&bed->down), up_ns = path_next_ns(&bed->up);
		uint64_t stop_ns = least(until_ns, least(down_ns, up_ns));
		struct io *io = target_reap(bed->inner, stop_ns);

		if (io) {
			path_put(&bed->up, io->completed_ns + bed->bed->complete_ns, io);
		} else if (up_ns == stop_ns) {
			io = path_take(&bed->up);
			io->completed_ns = up_ns;
			return io;
		} else if (down_ns == stop_ns) {
			target_forward(bed->inner, path_take(&bed->down));
		} else {
			return NULL;
		}
	}
}

static uint64_t bed_now(struct target *target)
{
	return target_now(bed_of(target)->inner);
}

static uint64_t bed_due(struct target *target)
{
	const struct bed_target *bed = bed_of(target);

	return least(target_due(bed->inner),
		     least(path_next_ns(&bed->down), path_next_ns(&bed->up)));
}

static const char *bed_describe(struct target *target)
{
	return target_describe(bed_of(target)->inner);
}

static int bed_health(struct target *target, struct health *out)
{
	return target_health(bed_of(target)->inner, out);
}

static int bed_usage(struct target *target, struct usage *out)
{
	const struct bed_target *bed = bed_of(target);
	uint64_t now_ns = target_now(bed->inner);
	int err = target_usage(bed->inner, out);

	out->bed_ns = bed->busy_ns; /* less what is booked beyond the present */
	if (bed->free_ns > now_ns)
		out->bed_ns -= bed->free_ns - now_ns;
	return err;
}

static int bed_purge(struct target *target)
{
	return target_purge(bed_of(target)->inner);
}

static int bed_settle(struct target *target)
{
	return target_settle(bed_of(target)->inner);
}

static int bed_snapshot(struct target *target, int fd)
{
	return target_snapshot(bed_of(target)->inner, fd);
}

static int bed_restore(struct target *target, int fd)
{
	return target_restore(bed_of(target)->inner, fd);
}

static int bed_enlarge(struct target *target, struct target *small)
{
	return target_enlarge(bed_of(target)->inner, bed_of(small)->inner);
}

static int bed_shelve(struct target *target, uint64_t time_ns)
{
	return target_shelve(bed_of(target)->inner, time_ns);
}

/* Not a kind of its own on the command line: --bed chooses it. */
static const struct target_ops bed_ops = {
	.name = "bed",
	.help = "the host around a model",
	.close = bed_close,
	.submit = bed_submit,
	.reap = bed_reap,
	.now = bed_now,
	.due = bed_due,
	.describe = bed_describe,
	.health = bed_health,
	.usage = bed_usage,
	.purge = bed_purge,
	.settle = bed_settle,
	.snapshot = bed_snapshot,
	.restore = bed_restore,
	.enlarge = bed_enlarge,
	.shelve = bed_shelve,
};

struct target *bed_wrap(struct target *inner, struct bed *bed)
{
	struct bed_target *wrapper = xcalloc(1, sizeof(*wrapper));

	assert(inner->is_virtual);
	wrapper->base = *inner;
	wrapper->base.ops = &bed_ops;
	wrapper->base.in_flight = 0;
	wrapper->inner = inner;
	wrapper->bed = bed;
	return &wrapper->base;
}
