/*
 * rng.h - chance from a seed, one named sequence for each user of it.
 *
 * A new draw somewhere leaves all other sequences as they were. All results are
 * the same on every machine: only integer arithmetic and IEEE add, multiply,
 * divide; no libm. Not for secrets.
 */
#ifndef DRIVEBAY_BASE_RNG_H
#define DRIVEBAY_BASE_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state[4]; /* xoshiro256**, Blackman and Vigna 2018 */
};

/* The sequence called `name` of this seed. */
struct rng rng_stream(uint64_t seed, const char *name);

static inline uint64_t rng_rotate(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

/* 64 uniform bits. */
static inline uint64_t rng_next(struct rng *rng)
{
	uint64_t *s = rng->state;
	uint64_t result = rng_rotate(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rng_rotate(s[3], 45);
	return result;
}

/* Uniform in [0, limit); limit > 0. The bias is below limit / 2^64. */
static inline uint64_t rng_below(struct rng *rng, uint64_t limit)
{
	return (uint64_t)(((unsigned __int128)rng_next(rng) * limit) >> 64);
}

/* Uniform in [0, 1), 53 bits. */
static inline double rng_unit(struct rng *rng)
{
	return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

/* Exponential with this mean (ns, say), rounded down; mean < 2^53. */
uint64_t rng_exponential(struct rng *rng, uint64_t mean);

/*
 * Natural logarithm (x > 0) and exponential, to about 1e-15 relative, the same
 * bits on every IEEE machine: for whoever shapes a distribution.
 */
double rng_log(double x);
double rng_exp(double x);

#endif
