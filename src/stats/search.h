/*
 * search.h - the argument at which a function is zero, or the candidate at which it is least, with
 * few calls: each call may be the run of a model.
 *
 * The function is an error with its sign. It is taken to rise or to fall over the range; which
 * of both is found out. Noise and steps are fine: then the end of the last bracket with the
 * smaller error is the answer.
 */
#ifndef DRIVEBAY_STATS_SEARCH_H
#define DRIVEBAY_STATS_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

struct search {
	/* 0 and the error at x; or a negative errno, which ends the search. */
	int (*error)(void *context, double x, double *out);
	void *context;
	double start;     /* above 0: where to begin */
	double low, high; /* 0 < low <= start <= high: not looked at beyond */
	double enough;    /* an absolute error up to this is no error */
	double narrow;    /* a bracket is narrow enough when its ends differ by this share */
};

struct search_found {
	double x, error;  /* the best that was seen */
	bool is_zero;     /* its error is small enough, or a bracket was narrowed down around it */
	unsigned calls;
};

/*
 * Goes up or down from `start`, in steps that grow, until the error changes its sign, then
 * narrows that bracket down. Without a change of sign within the range the best x seen is the answer, with is_zero
 * false.
 */
int search_zero(const struct search *search, struct search_found *out);

/* The candidate with the least absolute error; of equals the first. `count` is at least 1. */
int search_least(size_t count, int (*error)(void *context, size_t candidate, double *out),
		 void *context, size_t *best);

#endif
