#include "stats/steady.h"

/* Sum of (round - 2) * value over five rounds: the numerator of the least-squares slope. */
static __int128 weighted(const uint64_t *rounds)
{
	return 2 * ((__int128)rounds[4] - rounds[0]) + ((__int128)rounds[3] - rounds[1]);
}

struct steady steady_judge(const uint64_t *rounds, size_t count)
{
	struct steady verdict = { 0 };
	unsigned __int128 sum = 0, rise;
	uint64_t low = UINT64_MAX, high = 0;
	__int128 tilt;

	if (count < STEADY_ROUNDS)
		return verdict;
	verdict.first = count - STEADY_ROUNDS;
	rounds += verdict.first;
	for (size_t i = 0; i < STEADY_ROUNDS; i++) {
		sum += rounds[i];
		low = rounds[i] < low ? rounds[i] : low;
		high = rounds[i] > high ? rounds[i] : high;
	}
	if (sum == 0)
		return verdict;
	tilt = weighted(rounds);
	rise = (unsigned __int128)(tilt < 0 ? -tilt : tilt);

	/*
	 * In integers, so that the edges are where they are said to be. With average sum / 5
	 * and slope tilt / 10, high - low <= 20 % of the average is 25 (high - low) <= sum, and
	 * 4 slopes <= 10 % of the average is 20 tilt <= sum.
	 */
	verdict.steady = 25 * (unsigned __int128)(high - low) <= sum && 20 * rise <= sum;

	verdict.average = (double)sum / STEADY_ROUNDS;
	verdict.range_share = (double)(high - low) / verdict.average;
	verdict.slope = (double)tilt / 10;
	verdict.slope_share = (double)rise * 4 / 10 / verdict.average;
	verdict.intercept = verdict.average - 2 * verdict.slope;
	return verdict;
}
