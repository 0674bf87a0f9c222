/*
 * null.c - "null:SIZE": completes everything at once, on the wall clock.
 *
 * Nothing can be faster, so a run on it measures the generator. What is in flight is
 * finished, all of it, at the moment it is first asked for: one reading of the clock
 * stamps the batch.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/units.h"
#include "target/target.h"

enum {
	NULL_BLOCK_BYTES = 512,
	SPIN_NS = 100000,
};

struct null_target {
	struct target base;
	struct io *waiting;  /* submitted and not asked for */
	struct io **waiting_end;
	struct io *finished; /* stamped */
	uint64_t stamp_ns;
	bool is_fresh;       /* nothing was called since the stamp: it is still the time */
	char description[64];
};

static struct null_target *null_of(struct target *target)
{
	return container_of(target, struct null_target, base);
}

static int null_open(const char *arg, const struct target_options *options, struct target **out)
{
	struct null_target *null;
	char text[UNITS_BYTES];
	uint64_t size_bytes;

	(void)options;
	if (parse_size(arg, &size_bytes))
		return fail(EINVAL, "null:%s: '%s' is not a size; null:1G would do", arg, arg);
	if (size_bytes < NULL_BLOCK_BYTES)
		return fail(EINVAL, "null:%s: smaller than a block of %d bytes", arg, NULL_BLOCK_BYTES);
	null = xcalloc(1, sizeof(*null));
	null->base.ops = &target_null_ops;
	null->base.block_bytes = NULL_BLOCK_BYTES;
	null->base.tail_bytes = size_bytes % NULL_BLOCK_BYTES;
	null->base.size_bytes = size_bytes - null->base.tail_bytes;
	null->waiting_end = &null->waiting;
	snprintf(null->description, sizeof(null->description), "null, %s: completes at once",
		 format_size(size_bytes, text));
	*out = &null->base;
	return 0;
}

static void null_close(struct target *target)
{
	free(null_of(target));
}

static void null_submit(struct target *target, struct io *io)
{
	struct null_target *null = null_of(target);

	null->is_fresh = false;
	io->next = NULL;
	*null->waiting_end = io;
	null->waiting_end = &io->next;
}

/*
 * A sleep ends late, by more than a gap between requests at a high rate: the last stretch is spent
 * looking at the clock.
 */
static void wait_until(uint64_t until_ns)
{
	uint64_t wake_ns = until_ns - SPIN_NS;
	struct timespec wake = {
		.tv_sec = (time_t)(wake_ns / 1000000000u),
		.tv_nsec = (long)(wake_ns % 1000000000u),
	};

	if (until_ns == TARGET_FOREVER)
		abort(); /* nothing is in flight that could be waited for */
	if (clock_ns() + SPIN_NS < until_ns)
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
	while (clock_ns() < until_ns)
		;
}

static struct io *null_reap(struct target *target, uint64_t until_ns)
{
	struct null_target *null = null_of(target);
	struct io *io;

	null->is_fresh = false;
	if (!null->finished) {
		if (!null->waiting) {
			if (until_ns > 0) /* not just a look */
				wait_until(until_ns);
			return NULL;
		}
		null->finished = null->waiting;
		null->waiting = NULL;
		null->waiting_end = &null->waiting;
		null->stamp_ns = clock_ns();
		null->is_fresh = true;
	}
	io = null->finished;
	null->finished = io->next;
	io->completed_ns = null->stamp_ns;
	return io;
}

static uint64_t null_now(struct target *target)
{
	struct null_target *null = null_of(target);

	if (null->is_fresh) {
		null->is_fresh = false;
		return null->stamp_ns;
	}
	return clock_ns();
}

static const char *null_describe(struct target *target)
{
	return null_of(target)->description;
}

const struct target_ops target_null_ops = {
	.name = "null",
	.help = "null:SIZE completes everything at once: measures the generator itself",
	.open = null_open,
	.close = null_close,
	.submit = null_submit,
	.reap = null_reap,
	.now = null_now,
	.describe = null_describe,
};
