/*
 * app_target.h - a drive whose numbers can be added up in the head, for tests of applications:
 * every read, write and flush takes the same time, however many there are.
 */
#ifndef DRIVEBAY_TESTS_APP_TARGET_H
#define DRIVEBAY_TESTS_APP_TARGET_H

#include <stdlib.h>

#include "base/fail.h"
#include "target/target.h"

struct even {
	struct target base;
	uint64_t now_ns, each_ns;
	struct io *first, **last;
	uint64_t reads, writes, flushes, written_bytes;
	uint64_t fail_after; /* requests; 0: never */
	uint64_t most_bytes; /* of one request */
};

static struct even *even_of(struct target *target)
{
	return container_of(target, struct even, base);
}

static void even_submit(struct target *target, struct io *io)
{
	struct even *even = even_of(target);
	uint64_t count = ++*(io->op == IO_READ ? &even->reads :
			     io->op == IO_WRITE ? &even->writes : &even->flushes);

	if (io->op == IO_WRITE)
		even->written_bytes += io->size_bytes;
	if (io->size_bytes > even->most_bytes)
		even->most_bytes = io->size_bytes;
	io->error = even->fail_after && count > even->fail_after ? -5 : 0;
	io->completed_ns = even->now_ns + even->each_ns;
	io->next = NULL;
	*even->last = io;
	even->last = &io->next;
}

static struct io *even_reap(struct target *target, uint64_t until_ns)
{
	struct even *even = even_of(target);
	struct io *io = even->first;

	if (!io || io->completed_ns > until_ns) {
		if (until_ns != TARGET_FOREVER && until_ns > even->now_ns)
			even->now_ns = until_ns;
		return NULL;
	}
	even->first = io->next;
	if (!even->first)
		even->last = &even->first;
	even->now_ns = io->completed_ns;
	return io;
}

static uint64_t even_now(struct target *target)
{
	return even_of(target)->now_ns;
}

static void even_close(struct target *target)
{
	free(even_of(target));
}

static const struct target_ops even_ops = {
	.name = "even", .close = even_close, .submit = even_submit, .reap = even_reap,
	.now = even_now,
};

static struct target *even_new(uint64_t size_bytes, uint64_t each_ns)
{
	struct even *even = xcalloc(1, sizeof(*even));

	even->base = (struct target){ .ops = &even_ops, .size_bytes = size_bytes, .block_bytes = 4096,
				      .scale = 1, .is_virtual = true };
	even->each_ns = each_ns;
	even->last = &even->first;
	return &even->base;
}

#endif
