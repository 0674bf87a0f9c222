/* Windows against time. */
#include "report/summary_parts.h"

#include <stdlib.h>

#include "base/fail.h"

/* One sample of `count` windows that begin at base_ns + windows[0].start_ns. */
static struct sample merge(const struct window *windows, size_t count, double base_ns,
			   double *written_bytes, uint64_t size_bytes)
{
	double ios = 0, elapsed_ns = 0, latency = 0, outstanding = 0, waf = 0, waf_bytes = 0;
	double end_ns = (double)(windows[count - 1].start_ns + windows[count - 1].elapsed_ns);
	struct sample sample = {
		.time_s = (base_ns + ((double)windows[0].start_ns + end_ns) / 2) / 1e9,
	};

	for (size_t i = 0; i < count; i++) {
		const struct window *window = &windows[i];
		double write_share = summary_share((double)(window->ios - window->read_ios),
					   (double)window->ios);
		double written = (double)window->bytes * write_share;

		ios += (double)window->ios;
		elapsed_ns += (double)window->elapsed_ns;
		latency += (double)window->mean_ns * (double)window->ios;
		outstanding += (double)window->outstanding_milli / 1e3 * (double)window->elapsed_ns;
		*written_bytes += written;
		if (window->waf_milli) {
			waf += (double)window->waf_milli / 1e3 * written;
			waf_bytes += written;
		}
		if ((double)window->max_ns > sample.max_ns)
			sample.max_ns = (double)window->max_ns;
		if ((double)window->p99_ns > sample.p99_ns)
			sample.p99_ns = (double)window->p99_ns;
		if ((double)window->p999_ns > sample.p999_ns)
			sample.p999_ns = (double)window->p999_ns;
		sample.p50_ns += (double)window->p50_ns * (double)window->ios;
	}
	sample.elapsed_s = elapsed_ns / 1e9;
	sample.iops = summary_share(ios, sample.elapsed_s);
	sample.outstanding = summary_share(outstanding, elapsed_ns);
	sample.served = ios > 0;
	sample.mean_ns = summary_share(latency, ios);
	sample.has_p99 = sample.p99_ns > 0;
	sample.p50_ns = summary_share(sample.p50_ns, ios);
	sample.has_waf = waf_bytes > 0;
	sample.waf = summary_share(waf, waf_bytes);
	sample.written = summary_share(*written_bytes, (double)size_bytes);
	return sample;
}

struct series series_summarise(const struct result_phase *phase,
				      const struct window *windows, size_t count,
				      uint64_t size_bytes)
{
	size_t merged = (count + SUMMARY_SAMPLES - 1) / SUMMARY_SAMPLES;
	struct series series = { .phase = summary_copy(phase->name), .window_count = count,
				 .merged = merged };
	double written_bytes = 0, base_ns = 0;

	if (count == 0)
		return series;
	series.samples = xcalloc(count / merged + 1, sizeof(*series.samples));
	for (size_t i = 0; i < count;) {
		size_t take = 1;

		/* The next round counts from its own beginning: it goes on where the last ended. */
		if (i > 0 && windows[i].start_ns < windows[i - 1].start_ns)
			base_ns += (double)(windows[i - 1].start_ns + windows[i - 1].elapsed_ns);
		while (take < merged && i + take < count
		       && windows[i + take].start_ns > windows[i + take - 1].start_ns)
			take++;
		if (series.count > count / merged)
			series.samples = xrealloc(series.samples,
				(series.count + 1) * sizeof(*series.samples));
		series.samples[series.count++] = merge(&windows[i], take, base_ns, &written_bytes,
						       size_bytes);
		i += take;
	}
	series.has_written = size_bytes > 0 && written_bytes > 0;
	return series;
}

/* As merge(), of samples; what was written since `written` weighs the WAF. */
static struct sample merge_samples(const struct sample *samples, size_t count, double written)
{
	const struct sample *last = &samples[count - 1];
	struct sample sum = { .written = last->written };
	double ios = 0, latency = 0, outstanding = 0, waf = 0, waf_written = 0;

	sum.time_s = (samples[0].time_s - samples[0].elapsed_s / 2
		      + last->time_s + last->elapsed_s / 2) / 2;
	for (size_t i = 0; i < count; i++) {
		const struct sample *sample = &samples[i];

		sum.elapsed_s += sample->elapsed_s;
		ios += sample->iops * sample->elapsed_s;
		latency += sample->mean_ns * sample->iops * sample->elapsed_s;
		outstanding += sample->outstanding * sample->elapsed_s;
		if (sample->has_waf) {
			waf += sample->waf * (sample->written - written);
			waf_written += sample->written - written;
			sum.waf = sample->waf;
			sum.has_waf = true;
		}
		if (sample->max_ns > sum.max_ns)
			sum.max_ns = sample->max_ns;
		if (sample->p99_ns > sum.p99_ns)
			sum.p99_ns = sample->p99_ns;
		if (sample->p999_ns > sum.p999_ns)
			sum.p999_ns = sample->p999_ns;
		sum.p50_ns += sample->p50_ns * sample->iops * sample->elapsed_s;
		sum.served |= sample->served;
		written = sample->written;
	}
	sum.iops = summary_share(ios, sum.elapsed_s);
	sum.outstanding = summary_share(outstanding, sum.elapsed_s);
	sum.mean_ns = summary_share(latency, ios);
	sum.has_p99 = sum.p99_ns > 0;
	sum.p50_ns = summary_share(sum.p50_ns, ios);
	if (waf_written > 0)
		sum.waf = waf / waf_written;
	return sum;
}

struct series series_thin(const struct series *series, size_t most)
{
	size_t step = most ? (series->count + most - 1) / most : 1;
	struct series thin = { .phase = summary_copy(series->phase), .window_count = series->window_count,
			       .merged = series->merged * step,
			       .has_written = series->has_written };
	double written = 0;

	if (series->count == 0)
		return thin;
	thin.samples = xcalloc(series->count / step + 1, sizeof(*thin.samples));
	for (size_t i = 0; i < series->count; i += step) {
		size_t take = series->count - i < step ? series->count - i : step;

		thin.samples[thin.count++] = merge_samples(&series->samples[i], take, written);
		written = series->samples[i + take - 1].written;
	}
	return thin;
}

void series_clear(struct series *series)
{
	free(series->samples);
	free(series->phase);
	*series = (struct series){ 0 };
}

/* How much was written by `time_s`: along the line between the samples around it. */
double series_written_at(const struct series *series, double time_s)
{
	struct sample last = { 0 };

	for (size_t i = 0; i < series->count; i++) {
		const struct sample *next = &series->samples[i];

		if (next->time_s >= time_s)
			return last.written + (next->written - last.written)
				* summary_share(time_s - last.time_s, next->time_s - last.time_s);
		last = *next;
	}
	return last.written;
}
