#include "stats/search.h"

#include <assert.h>
#include <math.h>

enum { CALLS_MAX = 40 };

struct point {
	double x, error;
};

static bool is_enough(const struct search *search, struct point point)
{
	return fabs(point.error) <= search->enough;
}

/* Of equal errors the first stays the best: where nothing matters, the start. */
static int look(const struct search *search, double x, struct search_found *found,
		struct point *out)
{
	int err;

	*out = (struct point){ .x = x };
	err = search->error(search->context, x, &out->error);
	if (err)
		return err;
	if (found->calls++ == 0 || fabs(out->error) < fabs(found->error)) {
		found->x = x;
		found->error = out->error;
	}
	return 0;
}

static bool opposite(struct point a, struct point b)
{
	return (a.error < 0) != (b.error < 0);
}

/* A step twice as large as the error, were x and the error in proportion; at most a doubling. */
static double first_step(struct point start)
{
	double step = 2 * fabs(start.error);

	return 1 + (step < 0.02 ? 0.02 : step > 1 ? 1 : step);
}

/*
 * Goes from *from up, or down, in steps that grow to doublings, until the sign changes: then *from
 * and *to hold the bracket. Going on is in vain when the range ends, or when a step made the error
 * larger.
 */
static int go(const struct search *search, bool up, struct search_found *found, struct point *from,
	      struct point *to, bool *bracketed)
{
	double factor = first_step(*from);

	*bracketed = false;
	for (;; factor = factor * factor < 2 ? factor * factor : 2) {
		double x = up ? from->x * factor : from->x / factor;
		int err;

		if (x < search->low)
			x = search->low;
		if (x > search->high)
			x = search->high;
		if (x == from->x)
			return 0;
		err = look(search, x, found, to);
		if (err)
			return err;
		*bracketed = opposite(*from, *to);
		if (*bracketed || is_enough(search, *to) || fabs(to->error) > fabs(from->error))
			return 0;
		*from = *to;
	}
}

/*
 * The line between the ends, each end's error halved while it stays (the Illinois method); the
 * middle where the line would hardly move an end.
 */
static double between(struct point a, struct point b)
{
	double x = (a.x * b.error - b.x * a.error) / (b.error - a.error);
	double margin = fabs(b.x - a.x) / 20;
	double low = (a.x < b.x ? a.x : b.x) + margin, high = (a.x < b.x ? b.x : a.x) - margin;

	return x < low ? low : x > high ? high : x;
}

static bool is_narrow(const struct search *search, struct point a, struct point b)
{
	double low = a.x < b.x ? a.x : b.x;

	return fabs(a.x - b.x) <= search->narrow * low;
}

/* `a` and `b` have errors of opposite signs. */
static int narrow(const struct search *search, struct search_found *found, struct point a,
		  struct point b)
{
	while (!is_narrow(search, a, b) && found->calls < CALLS_MAX) {
		struct point middle;
		int err = look(search, between(a, b), found, &middle);

		if (err || is_enough(search, middle))
			return err;
		if (fabs(middle.error) == fabs(found->error))
			found->x = middle.x; /* nearer to the edge of a step */
		if (opposite(middle, b)) {
			a = middle;
			b.error /= 2;
		} else {
			b = middle;
			a.error /= 2;
		}
	}
	return 0;
}

int search_zero(const struct search *search, struct search_found *out)
{
	struct point start, from, to;
	bool bracketed = false;
	int err;

	assert(search->low > 0);
	assert(search->low <= search->start);
	assert(search->start <= search->high);
	*out = (struct search_found){ .x = search->start };
	err = look(search, search->start, out, &start);
	for (int up = 1; !err && up >= 0 && !bracketed && fabs(out->error) > search->enough; up--) {
		from = start;
		err = go(search, up, out, &from, &to, &bracketed);
	}
	if (!err && bracketed)
		err = narrow(search, out, from, to);
	out->is_zero = bracketed || fabs(out->error) <= search->enough;
	return err;
}

int search_least(size_t count, int (*error)(void *context, size_t candidate, double *out),
		 void *context, size_t *best)
{
	double least = 0;

	assert(count >= 1);
	for (size_t i = 0; i < count; i++) {
		double value;
		int err = error(context, i, &value);

		if (err)
			return err;
		if (i && fabs(value) >= least)
			continue;
		least = fabs(value);
		*best = i;
	}
	return 0;
}
