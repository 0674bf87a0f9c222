/*
 * summary_parts.h - what the files of summary.h share; private to report/.
 *
 * summary.c builds a summary phase by phase, summary_run.c tells what one phase came to,
 * summary_series.c its windows against time, summary_workload.c what was sent, summary_caveats.c
 * what to doubt, summary_read.c takes all of it from a result, summary_label.c tells several apart.
 */
#ifndef DRIVEBAY_REPORT_SUMMARY_PARTS_H
#define DRIVEBAY_REPORT_SUMMARY_PARTS_H

#include "report/summary.h"

char *summary_copy(const char *text); /* of NULL: "" */

/* 0 of nothing. */
static inline double summary_share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

struct run_summary run_summarise(const struct result_phase *phase);

struct series series_summarise(const struct result_phase *phase, const struct window *windows,
			       size_t count, uint64_t size_bytes);

/* How much was written by `time_s`: along the line between the samples around it. */
double series_written_at(const struct series *series, double time_s);

/* "4k-random-write" as one writes it in a heading: "4K random write"; to be freed. */
char *workload_title(const char *workload);

/* Takes an application from a result; then, of all, the files that say what they are. */
int summary_read_application(struct result *result, struct summary *summary,
			     const struct result_phase *phase);
int summary_read_application_texts(struct result *result, struct summary *summary);
void summary_free_applications(struct summary *summary);

/* Fills caveats and overload, once peaks are known. */
void summary_doubt(struct summary *summary);

#endif
