/*
 * tables.h - summaries as tables, one or several results side by side.
 *
 * Each function makes a table for both printers; NULL when there is nothing to show. With
 * more than one summary a column names the drive. Freed with table_free().
 */
#ifndef DRIVEBAY_REPORT_TABLES_H
#define DRIVEBAY_REPORT_TABLES_H

#include "report/summary.h"
#include "report/table.h"

/* What each workload came to: rate and latency of its peak. */
struct table *tables_peaks(struct summary *const *summaries, size_t count);

/* Whether to believe it: outstanding, Little's law, burst, limiter. */
struct table *tables_checks(struct summary *const *summaries, size_t count);

/* Where the time went at the peak: busy shares. */
struct table *tables_busy(struct summary *const *summaries, size_t count);

/* How long the drive would last under each workload that writes. */
struct table *tables_health(struct summary *const *summaries, size_t count);
struct table *tables_endurance(struct summary *const *summaries, size_t count);

/* Verdicts of the steady-state rounds. */
struct table *tables_steady(struct summary *const *summaries, size_t count);

/*
 * What an application came to, a column a result; and what all of them asked of the drive.
 * The names of the applications of these results, each once; the array is the caller's.
 */
struct table *tables_application(struct summary *const *summaries, size_t count, const char *name);
struct table *tables_application_drive(struct summary *const *summaries, size_t count);
const char **applications_of(struct summary *const *summaries, size_t count, size_t *name_count);

/* The figures that tell drives apart, as bars in HTML. */
void applications_bars(struct summary *const *summaries, size_t count, const char *name,
		       struct buf *out);

/* One group of one result: the points of its curve; its rounds; its series, thinned. */
struct table *tables_curve(const struct group_summary *group, const char *label);
struct table *tables_rounds(const struct group_summary *group, const char *label);
struct table *tables_series(const struct group_summary *group, const char *label);

/* The percentiles of a group's peak, a column a result. */
struct table *tables_percentiles(struct summary *const *summaries, size_t count, const char *name);

/* What was run: one column a result; the definitions of the workloads; and
   the log of phases of one. */
struct table *tables_facts(struct summary *const *summaries, size_t count);
struct table *tables_workloads(struct summary *const *summaries, size_t count);
struct table *tables_phases(const struct summary *summary);

#endif
