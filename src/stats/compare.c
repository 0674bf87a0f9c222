#include "stats/compare.h"

#include <math.h>

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	f = d;
	for (int m = 1; m < 500; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		for (int half = 0; half < 2; half++) {
			double term = half ? odd : even;

			d = 1 + term * d;
			c = 1 + term / c;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = fabs(c) < tiny ? tiny : c;
			f *= c * d;
		}
		if (fabs(c * d - 1) < 1e-15)
			break;
	}
	return f;
}

/* The regularised incomplete beta function. */
static double beta_share(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* The chance of a value beyond -t and t. */
static double student_tails(double t, double df)
{
	return beta_share(df / 2, 0.5, df / (df + t * t));
}

double student_quantile(double alpha, double df)
{
	double low = 0, high = 1;

	while (student_tails(high, df) > alpha && high < 1e12)
		high *= 2;
	for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
		double middle = (low + high) / 2;

		if (student_tails(middle, df) > alpha)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

struct sums {
	double value, weight;
};

static struct sums sum(const struct compare_window *windows, size_t count)
{
	struct sums sums = { 0, 0 };

	for (size_t i = 0; i < count; i++) {
		sums.value += windows[i].value;
		sums.weight += windows[i].weight;
	}
	return sums;
}

/*
 * How far a window pulls its side's mean from where it is, as a share of it (so the sum over
 * all windows is 0): the linear part of the error of a ratio.
 */
static double pull(const struct compare_window *window, const struct sums *sums, size_t count)
{
	double mean = sums->value / sums->weight;

	return (window->value - mean * window->weight) / (sums->value / (double)count);
}

struct batches {
	size_t count;
	double variance;    /* of a batch's mean */
	double correlation; /* of neighbours */
};

static struct batches judge_batches(const double *means, size_t count)
{
	double squares = 0, products = 0, mean = 0;

	for (size_t i = 0; i < count; i++)
		mean += means[i] / (double)count;
	for (size_t i = 0; i < count; i++) {
		squares += (means[i] - mean) * (means[i] - mean);
		if (i)
			products += (means[i] - mean) * (means[i - 1] - mean);
	}
	return (struct batches){
		.count = count,
		.variance = squares / (double)(count - 1),
		.correlation = squares > 0 ? products / squares : 0,
	};
}

/* The mean pull of each of `batch_count` batches, the windows dealt out evenly. */
static void fill_batches(const struct compare_window *a, const struct compare_window *b, size_t count,
			 double *means, size_t batch_count)
{
	struct sums of_a = sum(a, count), of_b = sum(b, count);
	size_t from = 0;

	for (size_t k = 0; k < batch_count; k++) {
		size_t to = count * (k + 1) / batch_count, taken = to - from;
		double total = 0;

		for (; from < to; from++)
			total += pull(&b[from], &of_b, count) - pull(&a[from], &of_a, count);
		means[k] = total / (double)taken;
	}
}

/* Longer and longer batches, until neighbours do not resemble each other. */
static struct batches find_batches(const struct compare_window *a, const struct compare_window *b,
				   size_t count, size_t most)
{
	double means[COMPARE_BATCHES];
	size_t batch_count = most < COMPARE_BATCHES ? most : COMPARE_BATCHES;

	for (;;) {
		struct batches batches;

		fill_batches(a, b, count, means, batch_count);
		batches = judge_batches(means, batch_count);
		if (batches.correlation <= 1 / sqrt((double)batch_count) ||
		    batch_count / 2 < COMPARE_LEAST)
			return batches;
		batch_count /= 2;
	}
}

struct compare_ratio compare_windows(const struct compare_window *a, const struct compare_window *b,
				     size_t count, size_t least_batch, double alpha)
{
	struct compare_ratio out = { 0 };
	struct sums of_a = sum(a, count), of_b = sum(b, count);
	struct batches batches;
	double left, error;

	if (!(of_a.weight > 0) || !(of_b.weight > 0) || !(of_a.value > 0) || !(of_b.value > 0))
		return out;
	out.known = true;
	out.ratio = of_b.value / of_b.weight / (of_a.value / of_a.weight);
	if (count / least_batch < COMPARE_WINDOWS)
		return out;
	batches = find_batches(a, b, count, count / least_batch);
	/* An estimate from few batches says too little rather than too much: never below 0. */
	left = batches.correlation > 0 ? (batches.correlation < .9 ? batches.correlation : .9) : 0;
	out.batches = batches.count;
	out.effective = (double)batches.count * (1 - left) / (1 + left);
	error = sqrt(batches.variance / out.effective) *
		student_quantile(alpha, out.effective > 2 ? out.effective - 1 : 1);
	out.judged = true;
	out.low = out.ratio * exp(-error);
	out.high = out.ratio * exp(error);
	return out;
}
