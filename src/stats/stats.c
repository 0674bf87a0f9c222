#include "stats/stats.h"

#include <math.h>
#include <string.h>

static void latency_clear(struct latency *latency)
{
	memset(latency, 0, sizeof(*latency));
	latency->min_ns = UINT64_MAX;
}

static inline void latency_add(struct latency *latency, uint64_t value_ns)
{
	latency->count++;
	if (value_ns < latency->min_ns)
		latency->min_ns = value_ns;
	if (value_ns > latency->max_ns)
		latency->max_ns = value_ns;
	latency->sum_ns += value_ns;
	latency->sum_square_ns += (unsigned __int128)value_ns * value_ns;
}

static void latency_merge(struct latency *into, const struct latency *from)
{
	into->count += from->count;
	if (from->min_ns < into->min_ns)
		into->min_ns = from->min_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	into->sum_ns += from->sum_ns;
	into->sum_square_ns += from->sum_square_ns;
}

static void clear_numbers(struct stats *stats)
{
	stats->elapsed_ns = 0;
	memset(stats->ios, 0, sizeof(stats->ios));
	memset(stats->bytes, 0, sizeof(stats->bytes));
	stats->errors = 0;
	latency_clear(&stats->from_submit);
	latency_clear(&stats->from_due);
	latency_clear(&stats->read_from_submit);
	latency_clear(&stats->write_from_submit);
	stats->outstanding_ns = 0;
	stats->unfinished = 0;
	stats->unfinished_ns = 0;
	stats->unissued = 0;
	stats->late_max_ns = 0;
}

void stats_clear(struct stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	clear_numbers(stats);
}

void stats_reset(struct stats *stats)
{
	clear_numbers(stats);
	hist_clear(&stats->hist_submit);
	hist_clear(&stats->hist_due);
	hist_clear(&stats->hist_not_read);
}

void stats_add(struct stats *stats, const struct io *io)
{
	uint64_t from_submit_ns = io->completed_ns - io->submitted_ns;
	uint64_t late_ns = io->submitted_ns - io->due_ns;

	if (late_ns > stats->late_max_ns)
		stats->late_max_ns = late_ns;
	if (io->error) {
		stats->errors++;
		stats->unfinished_ns += from_submit_ns;
		return;
	}
	stats->ios[io->op]++;
	stats->bytes[io->op] += io->size_bytes;
	latency_add(&stats->from_submit, from_submit_ns);
	latency_add(&stats->from_due, from_submit_ns + late_ns);
	if (io->op == IO_READ) {
		latency_add(&stats->read_from_submit, from_submit_ns);
	} else {
		if (io->op == IO_WRITE)
			latency_add(&stats->write_from_submit, from_submit_ns);
		hist_add(&stats->hist_not_read, from_submit_ns);
	}
	hist_add(&stats->hist_submit, from_submit_ns);
	hist_add(&stats->hist_due, from_submit_ns + late_ns);
}

static void add_waiting(struct stats *stats, uint64_t waited_ns, uint64_t count)
{
	struct latency *latency = &stats->from_due;

	if (waited_ns > latency->max_ns)
		latency->max_ns = waited_ns;
	if (stats->from_submit.count == 0 && waited_ns < latency->min_ns)
		latency->min_ns = waited_ns;
	latency->count += count;
	latency->sum_ns += (unsigned __int128)waited_ns * count;
	latency->sum_square_ns += (unsigned __int128)waited_ns * waited_ns * count;
	hist_add_many(&stats->hist_due, waited_ns, count);
}

void stats_add_unfinished(struct stats *stats, uint64_t waited_ns, uint64_t outstanding_ns)
{
	add_waiting(stats, waited_ns, 1);
	stats->unfinished++;
	stats->unfinished_ns += outstanding_ns;
}

void stats_add_unissued(struct stats *stats, uint64_t waited_ns, uint64_t count)
{
	if (count == 0)
		return;
	add_waiting(stats, waited_ns, count);
	stats->unissued += count;
	if (waited_ns > stats->late_max_ns)
		stats->late_max_ns = waited_ns;
}

/* Those that were waiting at the end have a say in the minimum only where there are no others. */
static uint64_t min_from_due(const struct stats *a, const struct stats *b)
{
	if (a->from_submit.count && !b->from_submit.count)
		return a->from_due.min_ns;
	if (b->from_submit.count && !a->from_submit.count)
		return b->from_due.min_ns;
	return a->from_due.min_ns < b->from_due.min_ns ? a->from_due.min_ns : b->from_due.min_ns;
}

void stats_merge(struct stats *into, const struct stats *from)
{
	uint64_t due_min_ns = min_from_due(into, from);

	into->elapsed_ns += from->elapsed_ns;
	for (int op = 0; op < IO_OP_COUNT; op++) {
		into->ios[op] += from->ios[op];
		into->bytes[op] += from->bytes[op];
	}
	into->errors += from->errors;
	latency_merge(&into->from_submit, &from->from_submit);
	latency_merge(&into->from_due, &from->from_due);
	into->from_due.min_ns = due_min_ns;
	latency_merge(&into->read_from_submit, &from->read_from_submit);
	latency_merge(&into->write_from_submit, &from->write_from_submit);
	hist_merge(&into->hist_submit, &from->hist_submit);
	hist_merge(&into->hist_due, &from->hist_due);
	hist_merge(&into->hist_not_read, &from->hist_not_read);
	into->outstanding_ns += from->outstanding_ns;
	into->unfinished += from->unfinished;
	into->unfinished_ns += from->unfinished_ns;
	into->unissued += from->unissued;
	if (from->late_max_ns > into->late_max_ns)
		into->late_max_ns = from->late_max_ns;
}

uint64_t latency_quantile(const struct latency *latency, const struct hist *hist, uint32_t ppm,
			  uint64_t *above)
{
	uint64_t value = hist_quantile(hist, ppm, above);

	if (latency->count == 0)
		return 0;
	if (value > latency->max_ns)
		return latency->max_ns;
	return value < latency->min_ns ? latency->min_ns : value;
}

double latency_mean_ns(const struct latency *latency)
{
	return latency->count ? (double)latency->sum_ns / (double)latency->count : 0;
}

/*
 * Around the mean rounded down, not around 0: sum (x - m)^2 = sum x^2 - 2 m sum x + n m^2
 * wraps in between but its result fits, so it is exact, where the difference of two large
 * squares in floating point is not.
 */
double latency_stddev_ns(const struct latency *latency)
{
	unsigned __int128 mean, around;
	double rest, variance;

	if (latency->count == 0)
		return 0;
	mean = latency->sum_ns / latency->count;
	around = latency->sum_square_ns - 2 * mean * latency->sum_ns + mean * mean * latency->count;
	rest = (double)(latency->sum_ns % latency->count) / (double)latency->count;
	variance = (double)around / (double)latency->count - rest * rest;
	return variance > 0 ? sqrt(variance) : 0;
}

static uint64_t total_of(const uint64_t values[static IO_OP_COUNT])
{
	uint64_t total = 0;

	for (int op = 0; op < IO_OP_COUNT; op++)
		total += values[op];
	return total;
}

static double per_second(const struct stats *stats, double count)
{
	return stats->elapsed_ns ? count * 1e9 / (double)stats->elapsed_ns : 0;
}

double stats_iops(const struct stats *stats)
{
	return per_second(stats, (double)total_of(stats->ios));
}

double stats_bytes_per_s(const struct stats *stats)
{
	return per_second(stats, (double)total_of(stats->bytes));
}

double stats_outstanding(const struct stats *stats)
{
	return stats->elapsed_ns ? (double)stats->outstanding_ns / (double)stats->elapsed_ns : 0;
}

bool stats_little_agrees(const struct stats *stats, double *error)
{
	double counted = stats_outstanding(stats);
	double computed = stats_iops(stats) * latency_mean_ns(&stats->from_submit) / 1e9;

	if (stats->elapsed_ns)
		computed += (double)stats->unfinished_ns / (double)stats->elapsed_ns;

	if (error)
		*error = counted > 0 ? computed / counted - 1 : 0;
	if (counted < 0.5 && computed < 0.5)
		return true;
	return computed >= 0.99 * counted && computed <= 1.01 * counted;
}

/* An anecdote is no percentile. */
static uint64_t quantile_or_0(const struct latency *latency, const struct hist *hist, uint32_t ppm)
{
	uint64_t above, value = latency_quantile(latency, hist, ppm, &above);

	return above < 10 ? 0 : value;
}

static uint64_t rounded(unsigned __int128 sum, uint64_t count)
{
	return count ? (uint64_t)((sum + count / 2) / count) : 0;
}

void stats_window(const struct stats *stats, uint64_t start_ns, struct window *out)
{
	const struct latency *latency = &stats->from_submit;

	*out = (struct window){
		.start_ns = start_ns,
		.elapsed_ns = stats->elapsed_ns,
		.ios = total_of(stats->ios),
		.read_ios = stats->ios[IO_READ],
		.bytes = total_of(stats->bytes),
		.errors = stats->errors,
		.mean_ns = rounded(latency->sum_ns, latency->count),
		.p50_ns = quantile_or_0(latency, &stats->hist_submit, 500000),
		.p99_ns = quantile_or_0(latency, &stats->hist_submit, 990000),
		.p999_ns = quantile_or_0(latency, &stats->hist_submit, 999000),
		.max_ns = latency->max_ns,
		.stddev_ns = (uint64_t)(latency_stddev_ns(latency) + 0.5),
		.due_p99_ns = quantile_or_0(&stats->from_due, &stats->hist_due, 990000),
		.due_max_ns = stats->from_due.max_ns,
		.outstanding_milli = rounded(stats->outstanding_ns * 1000, stats->elapsed_ns),
	};
}
