/* What one phase came to. */
#include "report/summary_parts.h"

#include <stdlib.h>

#include "base/fail.h"

/* A resource this busy is the reason for the rate; queueing makes the rest. */
#define LIMIT_SHARE 0.9

#define YEAR_S (365.0 * 86400)

/*
 * A point that could not send one due request in a thousand was asked too much. (The rate
 * achieved is no witness: few exponential arrivals miss the rate offered by chance.)
 */
enum { UNSENT_OF = 1000 };

const char *resource_name(enum resource resource)
{
	switch (resource) {
	case RESOURCE_BED:
		return "host";
	case RESOURCE_LINK_READ:
		return "link read";
	case RESOURCE_LINK_WRITE:
		return "link write";
	case RESOURCE_CONTROLLER_READ:
		return "ctrl read";
	case RESOURCE_CONTROLLER_WRITE:
		return "ctrl write";
	case RESOURCE_CHANNELS:
		return "channels";
	case RESOURCE_DIES:
		return "dies";
	}
	abort();
}

const uint32_t summary_levels_ppm[SUMMARY_LEVELS] = {
	500000, 750000, 900000, 950000, 980000, 990000, 995000, 998000,
	999000, 999500, 999800, 999900, 999950, 999980, 999990, 999995,
};

static struct percentile percentile(const struct hist *hist, uint32_t ppm)
{
	uint64_t above = 0;
	uint64_t ns = hist_quantile(hist, ppm, &above);

	return (struct percentile){ ns, hist->count > 0 && above >= 10 };
}

static struct latency_summary summarise_latency(const struct latency *latency,
						const struct hist *hist)
{
	struct latency_summary summary = {
		.count = latency->count,
		.mean_ns = latency_mean_ns(latency),
		.stddev_ns = latency_stddev_ns(latency),
		.p50 = percentile(hist, 500000),
		.p99 = percentile(hist, 990000),
		.p999 = percentile(hist, 999000),
		.p9999 = percentile(hist, 999900),
		.max_ns = latency->count ? latency->max_ns : 0,
	};

	for (size_t i = 0; i < SUMMARY_LEVELS; i++)
		summary.levels[i] = percentile(hist, summary_levels_ppm[i]);
	return summary;
}

static void summarise_busy(struct run_summary *run, const struct phase_result *outcome)
{
	const struct usage *usage = &outcome->usage;
	double elapsed_ns = (double)outcome->stats.elapsed_ns;

	if (!outcome->has_usage || outcome->stats.elapsed_ns == 0)
		return;
	run->has_busy = true;
	run->busy[RESOURCE_BED] = summary_share((double)usage->bed_ns, elapsed_ns);
	run->busy[RESOURCE_LINK_READ] = summary_share((double)usage->link_read_ns, elapsed_ns);
	run->busy[RESOURCE_LINK_WRITE] = summary_share((double)usage->link_write_ns, elapsed_ns);
	run->busy[RESOURCE_CONTROLLER_READ] = summary_share((double)usage->controller_read_ns, elapsed_ns);
	run->busy[RESOURCE_CONTROLLER_WRITE] = summary_share((double)usage->controller_write_ns, elapsed_ns);
	run->busy[RESOURCE_CHANNELS] = summary_share((double)usage->channels_ns, elapsed_ns);
	run->busy[RESOURCE_DIES] = summary_share((double)usage->dies_ns, elapsed_ns);
	for (int i = 0; i < RESOURCE_COUNT; i++)
		if (run->busy[i] > run->busy[run->limiter])
			run->limiter = (enum resource)i;
	run->limited = run->busy[run->limiter] >= LIMIT_SHARE;
}

/* Of the drive as it was run: where that is scaled down, scale_endurance() makes up for it. */
static void summarise_endurance(struct run_summary *run, const struct phase_result *outcome)
{
	const struct health *health = &outcome->health;
	double elapsed_s = (double)outcome->stats.elapsed_ns / 1e9;

	if (!outcome->has_health || !health->endurance_bytes || !health->host_written_bytes
	    || !health->nand_written_bytes)
		return;
	run->has_endurance = true;
	run->endurance = (struct endurance){
		.lasts_bytes = (double)health->endurance_bytes
			* (double)health->host_written_bytes / (double)health->nand_written_bytes,
		.rated_bytes = (double)health->rated_bytes,
		.years = (double)health->endurance_bytes / (double)health->nand_written_bytes
			* elapsed_s / YEAR_S,
	};
}

static void summarise_state(struct run_summary *run, const struct phase_result *outcome)
{
	const struct health *health = &outcome->health;
	double elapsed_s = (double)outcome->stats.elapsed_ns / 1e9;

	if (!outcome->has_health || (!health->spare_millipercent && !health->energy_mj))
		return;
	run->has_state = true;
	run->state = (struct drive_state){
		.used = (double)health->used_millipercent / 1e5,
		.spare = (double)health->spare_millipercent / 1e5,
		.bad_blocks = health->bad_blocks,
		.media_errors = health->media_errors,
		.read_retries = health->read_retries,
		.celsius = (double)health->temperature_millicelsius / 1000,
		.throttled = summary_share((double)health->throttled_ns / 1e9, elapsed_s),
		.watts = (double)health->energy_mj / 1000 / elapsed_s,
	};
}

struct run_summary run_summarise(const struct result_phase *phase)
{
	const struct phase_result *outcome = &phase->outcome;
	const struct stats *stats = &outcome->stats;
	struct run_summary run = {
		.name = summary_copy(phase->name),
		.kind = phase->kind,
		.status = outcome->status,
		.note = outcome->note ? xstrdup(outcome->note) : NULL,
		.percent = phase->percent,
		.offered_iops = (double)outcome->offered_iops,
		.allowed = phase->outstanding,
		.errors = stats->errors,
		.unissued = stats->unissued,
		.late_max_ns = stats->late_max_ns,
	};

	if (stats->elapsed_ns == 0)
		return run;
	run.measured = true;
	run.elapsed_s = (double)stats->elapsed_ns / 1e9;
	run.iops = stats_iops(stats);
	run.mb_per_s = stats_bytes_per_s(stats) / 1e6;
	run.submit = summarise_latency(&stats->from_submit, &stats->hist_submit);
	run.due = summarise_latency(&stats->from_due, &stats->hist_due);
	run.outstanding = stats_outstanding(stats);
	run.little_agrees = stats_little_agrees(stats, &run.little_error);
	run.sustained = outcome->sustained;
	run.overloaded = outcome->offered_iops > 0
		&& run.unissued * (UNSENT_OF - 1) > run.submit.count;
	summarise_busy(&run, outcome);
	run.flash_idle = outcome->has_health && run.has_busy && outcome->usage.dies_ns == 0
		&& outcome->health.host_read_bytes > 0 && outcome->health.nand_read_bytes == 0
		&& outcome->health.host_written_bytes == 0;
	summarise_endurance(&run, outcome);
	summarise_state(&run, outcome);
	if (outcome->has_health && outcome->health.host_written_bytes > 0) {
		run.has_waf = true;
		run.waf = summary_share((double)outcome->health.nand_written_bytes,
				(double)outcome->health.host_written_bytes);
	}
	return run;
}
