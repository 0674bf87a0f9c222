/*
 * client.h - what the tests of a client drive share: a file at the beginning of the drive, loads
 * on it one after another, pauses.
 *
 * The loads are those of load/run.h, so these tests run on any target. Their statistics are added
 * up, and each can be looked at by itself.
 */
#ifndef DRIVEBAY_APP_CLIENT_H
#define DRIVEBAY_APP_CLIENT_H

#include <stdint.h>

#include "app/app.h"
#include "load/workload.h"

struct client {
	struct target *target;
	const struct app_config *config;
	uint64_t file_bytes;
	unsigned loads;         /* so far: each has random sequences of its own */
	struct stats *total;    /* of those that count */
	struct stats *last;     /* of the last load */
};

struct client_load {
	enum pattern pattern;   /* PATTERN_SEQUENTIAL: every thread from the beginning of the file */
	uint32_t size_bytes, threads, depth;
	uint32_t read_percent;  /* 100 or 0 */
	uint64_t time_ns, max_bytes; /* ends by what comes first; 0: not by this */
};

void client_init(struct client *client, struct target *target, const struct app_config *config,
		 uint64_t file_bytes, struct stats *total);
void client_free(struct client *client);

/* Writes the file; it does not count. As client_load(). */
int client_make_file(struct client *client, uint32_t size_bytes);

/* Runs a load; its bytes per second are in *bytes_per_s. 0; -EINTR when stopped; another negative errno. */
int client_load(struct client *client, const struct client_load *load, double *bytes_per_s);

/* The host does nothing for so long; the drive may tidy up. */
void client_pause(struct client *client, uint64_t ns);

#endif
