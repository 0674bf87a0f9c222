/*
 * zipf.h - ranks that are drawn with probability proportional to rank^-theta, and a
 * bijection that scatters them.
 *
 * Rejection-inversion (Hoermann and Derflinger 1996): exact for any theta > 0 and any
 * number of ranks, O(1), about 1.1 tries a draw.
 */
#ifndef DRIVEBAY_LOAD_ZIPF_H
#define DRIVEBAY_LOAD_ZIPF_H

#include <stdint.h>

#include "base/rng.h"

struct zipf {
	uint64_t count;                    /* ranks 1..count */
	double theta, one_minus_theta;     /* the second is exactly 0 for theta 1 */
	double area_first, area_all, squeeze;
	uint64_t mask, multiplier[2], add; /* of the bijection */
	uint32_t shift;
	struct rng rng;
};

/* count < 2^53; theta_milli > 0. The bijection and the ranks are both drawn from `rng`. */
void zipf_init(struct zipf *zipf, uint64_t count, uint32_t theta_milli, const struct rng *rng);

/* A rank, from 1, the most popular. */
uint64_t zipf_rank(struct zipf *zipf);

/* Where rank `rank` lives: a bijection of 1..count onto 0..count-1. */
uint64_t zipf_place(const struct zipf *zipf, uint64_t rank);

#endif
