#include "base/rng.h"

#include <assert.h>
#include <string.h>

/* SplitMix64 (Steele, Lea, Flood 2014): spreads a seed over the whole state. */
static uint64_t spread(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* FNV-1a, 64 bits. */
static uint64_t hash_name(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 0x100000001b3u;
	return hash;
}

struct rng rng_stream(uint64_t seed, const char *name)
{
	uint64_t name_state = hash_name(name);
	uint64_t state = seed;
	struct rng rng;

	/* Both are spread before they meet, so that seed 1 of "a" and seed 2 of "b" do not. */
	state = spread(&state) ^ spread(&name_state);
	for (int i = 0; i < 4; i++)
		rng.state[i] = spread(&state);
	return rng;
}

/* ln 2 in two parts: the first has 21 zero bits at its end, so that n * high is exact. */
static const double ln2_high = 0x1.62e42fee00000p-1;
static const double ln2_low = 0x1.a39ef35793c76p-33;

static double from_bits(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static uint64_t to_bits(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

/*
 * x = 2^n * m with m in [sqrt 1/2, sqrt 2); ln m = 2 atanh(s), s = (m - 1) / (m + 1), whose
 * series in s^2 <= 0.0295 needs eleven terms. Odd and even terms are summed apart: two
 * short chains of multiplications instead of a long one.
 */
double rng_log(double x)
{
	uint64_t bits;
	int64_t n = 0;
	double m, s, z, w, odd, even;

	assert(x > 0);
	if (x < 0x1p-1022) { /* a subnormal */
		x *= 0x1p54;
		n = -54;
	}
	bits = to_bits(x);
	assert(bits < 0x7ff0000000000000u);
	/* Adding 1 - sqrt 1/2 to the mantissa carries into the exponent when m >= sqrt 2. */
	bits += 0x3ff0000000000000u - 0x3fe6a09e667f3bcdu;
	n += (int64_t)(bits >> 52) - 1023;
	m = from_bits((bits & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu);

	s = (m - 1) / (m + 1);
	z = s * s;
	w = z * z;
	even = w * (1.0 / 5 + w * (1.0 / 9 + w * (1.0 / 13 + w * (1.0 / 17 + w * (1.0 / 21)))));
	odd = z * (1.0 / 3 + w * (1.0 / 7 + w * (1.0 / 11 + w * (1.0 / 15 + w * (1.0 / 19)))));
	return (double)n * ln2_high + ((double)n * ln2_low + 2 * s * (odd + even) + 2 * s);
}

/* x = n ln 2 + r with |r| <= 0.35; the Taylor series of e^r needs fourteen terms. */
double rng_exp(double x)
{
	double r, z, odd, even;
	int64_t n;

	if (x > 709.78)
		return from_bits(0x7ff0000000000000u); /* infinity */
	if (x < -708)
		return 0; /* or a subnormal, which nobody here needs */
	n = (int64_t)(x * 0x1.71547652b82fep+0 + (x < 0 ? -0.5 : 0.5));
	r = (x - (double)n * ln2_high) - (double)n * ln2_low;
	z = r * r;
	even = 1.0 / 2 + z * (1.0 / 24 + z * (1.0 / 720 + z * (1.0 / 40320 +
	       z * (1.0 / 3628800 + z * (1.0 / 479001600)))));
	odd = 1.0 / 6 + z * (1.0 / 120 + z * (1.0 / 5040 + z * (1.0 / 362880 +
	      z * (1.0 / 39916800 + z * (1.0 / 6227020800)))));
	r = 1 + (r + (z * even + z * r * odd));
	if (n > 1023) /* 2^1024 is not a number, its half is */
		return r * 2 * from_bits((uint64_t)(n - 1 + 1023) << 52);
	return r * from_bits((uint64_t)(n + 1023) << 52);
}

uint64_t rng_exponential(struct rng *rng, uint64_t mean)
{
	assert(mean < 1ull << 53);
	/* 1 - unit is in (0, 1]: never the logarithm of 0. */
	return (uint64_t)(-rng_log(1 - rng_unit(rng)) * (double)mean);
}
