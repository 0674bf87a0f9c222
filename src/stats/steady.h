/*
 * steady.h - SNIA's steady state, as arithmetic.
 *
 * SNIA PTS Enterprise: over the last five rounds the tracked value is steady when
 * (1) max - min is at most 20 % of the average, and (2) the least-squares line moves
 * by at most 10 % of the average from the first round of the window to the last.
 * Edges are inclusive: exactly 20 % and exactly 10 % are steady.
 */
#ifndef DRIVEBAY_STATS_STEADY_H
#define DRIVEBAY_STATS_STEADY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STEADY_ROUNDS = 5 };

struct steady {
	bool steady;
	size_t first;          /* round (0-based) that begins the window judged */
	double average;
	double range_share;    /* (max - min) / average */
	double slope_share;    /* |movement of the line across the window| / average */
	double slope, intercept; /* the line: value = intercept + slope * (round - first) */
};

/*
 * Judges the last five of `count` rounds; with fewer than five it is not steady and
 * the shares are 0. An average of 0 is not steady.
 */
struct steady steady_judge(const uint64_t *rounds, size_t count);

#endif
