#include "load/zipf.h"

#include <assert.h>

/* The density, continued to real numbers: x^-theta. */
static double density(const struct zipf *zipf, double x)
{
	return rng_exp(-zipf->theta * rng_log(x));
}

/* Its integral from 1 to x. */
static double area(const struct zipf *zipf, double x)
{
	double log_x = rng_log(x);

	if (zipf->one_minus_theta == 0)
		return log_x;
	return (rng_exp(zipf->one_minus_theta * log_x) - 1) / zipf->one_minus_theta;
}

/* The x up to which the integral is `y`. */
static double area_inverse(const struct zipf *zipf, double y)
{
	if (zipf->one_minus_theta == 0)
		return rng_exp(y);
	return rng_exp(rng_log(1 + zipf->one_minus_theta * y) / zipf->one_minus_theta);
}

static void scatter_init(struct zipf *zipf)
{
	uint32_t bits = zipf->count > 1 ? 64u - (uint32_t)__builtin_clzll(zipf->count - 1) : 1;

	zipf->mask = (2ull << (bits - 1)) - 1;
	zipf->shift = (bits + 1) / 2;
	zipf->add = rng_next(&zipf->rng);
	zipf->multiplier[0] = rng_next(&zipf->rng) | 1;
	zipf->multiplier[1] = rng_next(&zipf->rng) | 1;
}

void zipf_init(struct zipf *zipf, uint64_t count, uint32_t theta_milli, const struct rng *rng)
{
	assert(count > 0);
	assert(count < 1ull << 53);
	assert(theta_milli > 0);
	zipf->count = count;
	zipf->theta = theta_milli / 1000.0;
	zipf->one_minus_theta = (1000 - (int)theta_milli) / 1000.0;
	zipf->area_first = area(zipf, 1.5) - 1;
	zipf->area_all = area(zipf, (double)count + 0.5);
	zipf->squeeze = 2 - area_inverse(zipf, area(zipf, 2.5) - density(zipf, 2));
	zipf->rng = *rng;
	scatter_init(zipf);
}

uint64_t zipf_rank(struct zipf *zipf)
{
	for (;;) {
		double y = zipf->area_all + rng_unit(&zipf->rng) * (zipf->area_first - zipf->area_all);
		double x = area_inverse(zipf, y);
		double k = (double)(uint64_t)(x + 0.5);

		if (k < 1)
			k = 1;
		if (k > (double)zipf->count)
			k = (double)zipf->count;
		if (k - x <= zipf->squeeze || y >= area(zipf, k + 0.5) - density(zipf, k))
			return (uint64_t)k;
	}
}

/* Every step can be undone, so it is a bijection of the numbers up to the mask. */
static uint64_t scramble(const struct zipf *zipf, uint64_t x)
{
	x = (x + zipf->add) & zipf->mask;
	x ^= x >> zipf->shift;
	x = (x * zipf->multiplier[0]) & zipf->mask;
	x ^= x >> zipf->shift;
	x = (x * zipf->multiplier[1]) & zipf->mask;
	x ^= x >> zipf->shift;
	return x;
}

/*
 * The mask covers less than twice the count. What falls outside is scrambled again until
 * it is inside ("cycle walking"): still a bijection, and fewer than two steps on average.
 */
uint64_t zipf_place(const struct zipf *zipf, uint64_t rank)
{
	uint64_t x = rank - 1;

	assert(rank >= 1 && rank <= zipf->count);
	do
		x = scramble(zipf, x);
	while (x >= zipf->count);
	return x;
}
