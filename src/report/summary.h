/*
 * summary.h - what one result comes to: plain numbers, computed once.
 *
 * A printer (text, HTML, charts) reads these structs and computes nothing; nothing here
 * prints. Latency is in ns, time in s, MB are 10^6 bytes. What is not known is a flag,
 * never a NaN: a share of nothing, a percentile with fewer than ten samples above it.
 *
 * A group is what belongs into one chart ("corners/4k-random-write"): the rounds until
 * steady, the maximum run, the points of the curve, whichever it has. Results of killed
 * or failed runs are summarised as far as they go, and say in `caveats` what is missing.
 */
#ifndef DRIVEBAY_REPORT_SUMMARY_H
#define DRIVEBAY_REPORT_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/result.h"

#define SUMMARY_NONE SIZE_MAX /* an index of nothing */

/* The longest series of a page; longer ones are merged, the greatest maximum kept. */
enum { SUMMARY_SAMPLES = 600 };

struct percentile {
	uint64_t ns;
	bool known; /* at least ten samples lie above it */
};

/* Where the percentile plot has its points, in millionths: half to five nines. */
enum { SUMMARY_LEVELS = 16 };

extern const uint32_t summary_levels_ppm[SUMMARY_LEVELS];

struct latency_summary {
	struct percentile levels[SUMMARY_LEVELS];
	uint64_t count;
	double mean_ns, stddev_ns;
	struct percentile p50, p99, p999, p9999;
	uint64_t max_ns;
};

/* In the order in which a request meets them. */
enum resource {
	RESOURCE_BED,
	RESOURCE_LINK_READ,
	RESOURCE_LINK_WRITE,
	RESOURCE_CONTROLLER_READ,
	RESOURCE_CONTROLLER_WRITE,
	RESOURCE_CHANNELS,
	RESOURCE_DIES,
};

enum { RESOURCE_COUNT = RESOURCE_DIES + 1 };

const char *resource_name(enum resource resource); /* "ctrl write" */

/* How long the drive would live if it were written like this for ever; at full size. */
struct endurance {
	double lasts_bytes;       /* of the host, until all blocks have their rated erases */
	double rated_bytes;       /* warranted; 0: unknown */
	double dwpd;              /* the former as drive writes a day, five years long */
	double years;             /* at the rate of the run */
};

/* What the drive was like at the end of a run, and what the run did to it. */
struct drive_state {
	double used, spare;       /* shares */
	uint64_t bad_blocks, media_errors, read_retries;
	double celsius, throttled; /* throttled: a share of the run */
	double watts;             /* on the average */
};

/* One phase of a group, measured. */
struct run_summary {
	char *name;
	enum phase_kind kind;
	enum phase_status status;
	char *note;               /* or NULL */
	bool measured;            /* something was counted; all below is 0 otherwise */
	uint32_t percent;         /* points: of the maximum run */
	double offered_iops;      /* points; 0: closed loop */
	double iops, mb_per_s, elapsed_s;
	struct latency_summary submit, due;
	uint32_t allowed;         /* outstanding requests that the workload may have */
	double outstanding;       /* counted */
	bool little_agrees;
	double little_error;      /* computed / counted - 1 */
	uint64_t errors, unissued, late_max_ns;
	bool sustained;
	bool overloaded;          /* offered more than it took: some due requests were not sent */
	bool flash_idle;          /* it read only, and no page of flash was read for it */
	bool has_busy;
	double busy[RESOURCE_COUNT]; /* shares, 0..1 */
	enum resource limiter;    /* the busiest of them */
	bool limited;             /* it was busy enough to be the reason, 90 % or more */
	bool has_waf;
	double waf;               /* NAND written / host written */
	bool has_state;           /* of the drive at its end: the model has wear and heat */
	struct drive_state state;
	bool has_endurance;       /* it wrote, and the drive's endurance is known */
	struct endurance endurance;
};

/* A moment of a series: one window, or several merged into one. */
struct sample {
	double time_s, elapsed_s; /* its middle, since the phase began; its length */
	double written;           /* drive writes so far: bytes written / capacity */
	double iops, outstanding;
	bool served;              /* requests completed, so mean and max exist */
	double mean_ns, max_ns;
	bool has_p99, has_waf;
	double p99_ns, waf;       /* p99: the greatest of the merged windows */
	double p50_ns, p999_ns;   /* p50: their mean; p99.9: the greatest; 0: not known */
};

struct series {
	char *phase;              /* its name */
	size_t window_count;      /* measured; `merged` of them make one sample */
	size_t merged;
	size_t count;
	struct sample *samples;
	bool has_written;         /* the capacity is known and something was written */
};

/* The verdict over the rounds of a phase. */
struct steady_summary {
	bool present;             /* the group has rounds */
	bool ended;               /* and they came to an end */
	bool judged;              /* there were enough of them, and enough was written */
	struct steady verdict;
	size_t round_count;
	uint64_t *rounds;         /* the tracked value of each: IOPS */
	double from_s, to_s;      /* the window judged, in the series' time */
	double from_written, to_written;
};

struct group_summary {
	char *name;               /* "corners/4k-random-write" */
	char *title;              /* "4K random write" */
	char *plan;               /* "corners", or "" */
	char *workload;
	uint32_t outstanding;
	size_t run_count;
	struct run_summary *runs; /* in the order they were made */
	size_t maximum;           /* the closed-loop run at full outstanding, or SUMMARY_NONE */
	size_t peak;              /* the best sustained point of the curve; without a curve the
				     maximum run or the rounds; or SUMMARY_NONE */
	bool has_curve;
	bool after_rounds;        /* the maximum run came after rounds of the same workload */
	bool after_steady;        /* and they had become steady */
	size_t point_count;       /* points measured */
	size_t full_count;        /* of these, sustained and with (nearly) all that may be outstanding */
	double full_least, full_most; /* their IOPS: the peak is the best of what the drive can do */
	size_t dirtiest;          /* the run that wrote last: what endurance is reckoned from */
	bool has_burst;
	double burst;             /* maximum run : peak */
	struct steady_summary steady;
	struct series series;     /* of the rounds, or of the maximum run */
};

/* What a workload sends, in words. */
struct workload_summary {
	char *name, *help, *source;
	char *sends;              /* "70 % read, 8 KiB, uniform, 16 x 16 outstanding, 25 % of the drive" */
};

/* An application: what it came to, and what the drive had to do meanwhile. */
struct application_summary {
	char *name, *title;       /* "oltp", "OLTP" */
	char *text;               /* its file */
	struct run_summary run;   /* the requests that reached the drive; its name, status, note */
	struct merits merits;     /* none when it was not run */
};

/* A line of the log: every phase of the plan, purge and fill too. */
struct phase_summary {
	char *name, *note;        /* note: or NULL */
	enum phase_kind kind;
	enum phase_status status;
	double elapsed_s;         /* on the target's clock */
	double mb_per_s;          /* 0: moved nothing */
	unsigned chain;
	char *workload;
};

struct summary {
	char *target, *description, *bed, *seed, *version, *plan, *arrivals, *host, *started;
	char *drive;              /* a model's name; of anything else the target */
	char *heading;            /* what the drive is called: "Samsung SSD 983 DCT 1.92TB" */
	char *label;              /* short and, among the results of one report, unique */
	bool modelled;
	bool single;              /* of `drivebay run`: one workload, for the time given */
	size_t spec_count, fitted_count, assumed_count; /* values of the model's drive file */
	uint64_t scale;           /* 1: full size */
	uint64_t full_size_bytes, size_bytes; /* 0: unknown */
	uint64_t tail_bytes;      /* at the end of the device, and not addressed */
	size_t phase_count, done_count; /* phases of the plan, and those that are done */
	struct phase_summary *phases;
	size_t group_count;
	struct group_summary *groups;
	size_t application_count;
	struct application_summary *applications;
	char *plan_help, *plan_source;
	size_t workload_count;
	struct workload_summary *workloads;
	size_t caveat_count;
	char **caveats;           /* sentences: what fell short or is missing */
	char *findings;           /* of doctor on the host, one a line: "! scheduler: bfq (...): why" */
	char *overload;           /* which points were offered more than the drive took: a curve
				     that goes on to 120 % is meant to; NULL: none */
};

/* Everything of a result. 0, or a negative errno with a sentence in fail(). */
int summary_read(struct result *result, struct summary **out);
void summary_free(struct summary *summary); /* NULL is fine */

/*
 * The same by hand: a summary without phases, then its phases in order, then the
 * conclusions (peaks, caveats). summary_read() is made of these.
 */
struct summary *summary_new(void);
void summary_add_workload(struct summary *summary, const struct workload *workload);
void summary_add(struct summary *summary, const struct result_phase *phase,
		 const struct window *windows, size_t window_count,
		 const uint64_t *rounds, size_t round_count);
void summary_add_application(struct summary *summary, const struct result_phase *phase,
			     const struct merits *merits);
void summary_conclude(struct summary *summary);

/* Labels that tell the results of one report apart. */
void summary_label(struct summary *const *summaries, size_t count);

/*
 * The same series in at most `most` samples: rates and means weighted, WAF by what was
 * written, p99 and maximum the greatest of those merged. Ended with series_clear().
 */
struct series series_thin(const struct series *series, size_t most);
void series_clear(struct series *series);

/* "before steady state", "in steady state" ...: when the maximum runs were made; NULL: none. */
const char *summary_order(const struct summary *summary);

/* The application called `name`, or NULL. */
const struct application_summary *summary_application(const struct summary *summary,
						      const char *name);

/* The group called `name`, or NULL. */
const struct group_summary *summary_group(const struct summary *summary, const char *name);

/*
 * The names of all groups of these results, each once, in the order of their appearance;
 * the array is the caller's, the names are the summaries'.
 */
const char **summary_groups(struct summary *const *summaries, size_t count, size_t *group_count);

/* The peak of a group, or NULL; likewise its maximum run. */
const struct run_summary *group_peak(const struct group_summary *group);
const struct run_summary *group_maximum(const struct group_summary *group);

#endif
