/*
 * compare.h - is one series of windows faster than another, or is it chance?
 *
 * The figure is a ratio of means: of B's windows over A's, each a sum of `value` over a sum
 * of `weight` (requests over seconds is a rate; latency times requests over requests is a
 * mean latency). Windows are taken in pairs, the first with the first: what every run of a
 * plan does at the same moment (the cliff of a fresh drive) is then no noise.
 *
 * Windows that follow each other resemble each other, so a hundred of them are not a
 * hundred witnesses. They are joined into ever longer batches, whose means are taken as
 * independent once neighbours no longer resemble each other; what resemblance is left makes
 * the interval wider, and `effective` says how many independent values there were. A drift
 * that never ends leaves few batches and a wide interval: rather no verdict than a wrong one.
 */
#ifndef DRIVEBAY_STATS_COMPARE_H
#define DRIVEBAY_STATS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

enum {
	COMPARE_WINDOWS = 4,  /* fewer, or fewer batches, tell nothing about chance */
	COMPARE_BATCHES = 32, /* the most that windows are joined into */
	COMPARE_LEAST = 8,    /* no longer batches than that leave this many */
};

struct compare_window {
	double value, weight;
};

struct compare_ratio {
	bool known;        /* both sides have something to divide by */
	double ratio;      /* B : A */
	bool judged;       /* enough windows for an interval */
	double low, high;  /* of the ratio, at the confidence asked for */
	double effective;  /* independent values */
	size_t batches;
};

/*
 * `alpha` is the chance of an interval that misses the truth: 0.05 is 95 % confidence. Who
 * asks for `m` intervals and wants all of them to hold together passes alpha / m. No batch has
 * fewer than `least_batch` (1) windows: what disturbs for seconds makes shorter ones look more
 * independent than they are.
 */
struct compare_ratio compare_windows(const struct compare_window *a, const struct compare_window *b,
				     size_t count, size_t least_batch, double alpha);

/*
 * What lies between -t and t of Student's distribution with `df` > 0 degrees of freedom is
 * 1 - alpha; 0 < alpha < 1.
 */
double student_quantile(double alpha, double df);

#endif
