/*
 * server.h - a tiny target in virtual time for tests: a queue before `servers` servers that
 * each need `service_ns` a request. What it must do can be computed by hand.
 */
#ifndef DRIVEBAY_TESTS_SERVER_H
#define DRIVEBAY_TESTS_SERVER_H

#include <assert.h>

#include "target/target.h"

enum { SERVERS_MAX = 64 };

struct server {
	struct target base;
	unsigned servers;
	uint64_t service_ns, now_ns, free_ns[SERVERS_MAX];
	uint64_t lie_ns;        /* completions claim to have come this much sooner */
	uint64_t step_ns;       /* its clock stands still in between and jumps; 0: it does not */
	uint64_t fail_every;    /* every n-th fails; 0: none */
	uint64_t submitted, reaped;
	uint64_t waf;           /* bytes to the flash for each that the host writes */
	struct health health;   /* handed out as it is, when has_health */
	bool has_health;
	struct io *first, **end;
};

static struct server *server_of(struct target *target)
{
	return container_of(target, struct server, base);
}

static void server_submit(struct target *target, struct io *io)
{
	struct server *server = server_of(target);
	unsigned least = 0;
	uint64_t start_ns;

	for (unsigned i = 1; i < server->servers; i++)
		if (server->free_ns[i] < server->free_ns[least])
			least = i;
	start_ns = server->free_ns[least];
	if (start_ns < server->now_ns)
		start_ns = server->now_ns;
	io->completed_ns = server->free_ns[least] = start_ns + server->service_ns;
	if (server->fail_every && ++server->submitted % server->fail_every == 0)
		io->error = -5;
	if (io->op == IO_WRITE) {
		server->health.host_written_bytes += io->size_bytes;
		server->health.nand_written_bytes += io->size_bytes * server->waf;
	}
	io->next = NULL;
	*server->end = io; /* equal service times: they finish in order */
	server->end = &io->next;
}

static struct io *server_reap(struct target *target, uint64_t until_ns)
{
	struct server *server = server_of(target);
	struct io *io = server->first;

	if (!io || io->completed_ns > until_ns) {
		assert(until_ns != TARGET_FOREVER);
		if (until_ns > server->now_ns)
			server->now_ns = until_ns;
		return NULL;
	}
	if (io->completed_ns > server->now_ns)
		server->now_ns = io->completed_ns;
	if (server->step_ns && server->now_ns % server->step_ns)
		server->now_ns += server->step_ns - server->now_ns % server->step_ns;
	server->first = io->next;
	if (!server->first)
		server->end = &server->first;
	server->reaped++;
	io->completed_ns -= server->lie_ns < io->completed_ns - io->submitted_ns ?
			    server->lie_ns : io->completed_ns - io->submitted_ns;
	return io;
}

static uint64_t server_now(struct target *target)
{
	return server_of(target)->now_ns;
}

static int server_health(struct target *target, struct health *out)
{
	if (!server_of(target)->has_health)
		return -95;
	*out = server_of(target)->health;
	return 0;
}

static void server_close(struct target *target)
{
	(void)target;
}

static const struct target_ops server_ops = {
	.name = "server",
	.help = "a test's",
	.close = server_close,
	.submit = server_submit,
	.reap = server_reap,
	.now = server_now,
	.health = server_health,
};

static inline void server_init(struct server *server, unsigned servers, uint64_t service_ns)
{
	*server = (struct server){
		.base = { .ops = &server_ops, .size_bytes = 1ull << 30, .block_bytes = 512,
			  .is_virtual = true },
		.servers = servers,
		.service_ns = service_ns,
	};
	server->end = &server->first;
}

#endif
