/*
 * merit.h - figures of merit: what a test came to, as named numbers with units.
 *
 * For tests whose result is not the latency of requests: transactions a second, response
 * times, seconds. Names are those of published/ ("tps", "latency_p99") where it has them.
 */
#ifndef DRIVEBAY_STATS_MERIT_H
#define DRIVEBAY_STATS_MERIT_H

#include <stddef.h>

struct merit {
	char *name, *unit; /* unit: "1/s", "us", "s", "bytes", "%", "" */
	double value;      /* finite */
};

struct merits { /* zeroed: empty */
	struct merit *rows;
	size_t count;
};

/* In the order in which they are to be shown; names are unique. */
void merits_add(struct merits *merits, const char *name, const char *unit, double value);

/* The figure of this name, or NULL. */
const struct merit *merits_find(const struct merits *merits, const char *name);
void merits_clear(struct merits *merits);

#endif
