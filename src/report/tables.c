#include "report/tables.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "base/units.h"

/* A series in a table has at most this many rows; the chart has them all. */
enum { SERIES_ROWS = 40 };

static void cell_latency(struct table *table, double ns)
{
	table_latency(table, ns);
}

static void cell_percentile(struct table *table, const struct percentile *percentile)
{
	if (percentile->known)
		cell_latency(table, (double)percentile->ns);
	else
		table_cell(table, "n/a");
}

/*
 * From the moment due. Where requests were left unsent the backlog grew until the end, and
 * a figure would tell the length of the run.
 */
static void cell_due(struct table *table, const struct run_summary *run)
{
	if (run->unissued)
		table_cell(table, "overload");
	else
		cell_percentile(table, &run->due.p99);
}

/* Below 1 while part of what was written waits in the buffer, or was written over there. */
static void cell_waf(struct table *table, bool known, double waf)
{
	if (!known)
		table_cell(table, "-");
	else if (waf < 1)
		table_cell(table, "<1");
	else
		table_cell(table, "%.2f", waf);
}

static void cell_share(struct table *table, double share)
{
	table_cell(table, "%.0f", share * 100);
}

static void cell_shares(struct table *table, const struct run_summary *run, enum resource read,
			enum resource write)
{
	table_cell(table, "%.0f / %.0f", run->busy[read] * 100, run->busy[write] * 100);
}

/* With its sign; what would be "-0.00" is no difference. */
static void cell_difference(struct table *table, const char *before, double share, int decimals)
{
	double percent = share * 100, least = decimals == 2 ? 0.005 : 0.05;

	if (percent > -least && percent < least)
		percent = 0;
	table_cell(table, "%s%+.*f %%", before, decimals, percent);
}

static void cell_little(struct table *table, const struct run_summary *run)
{
	if (run->submit.count == 0)
		table_cell(table, "n/a");
	else
		cell_difference(table, run->little_agrees ? "" : "FAILS ", run->little_error, 2);
}

/* "80 %" of the maximum run, or what kind of phase it was. */
static void cell_where(struct table *table, const struct run_summary *run)
{
	if (run->kind == PHASE_POINT)
		table_cell(table, "%u %%", run->percent);
	else
		table_cell(table, "%s", run->kind == PHASE_ROUNDS ? "rounds" : "run");
}

static void cell_limiter(struct table *table, const struct run_summary *run)
{
	table_cell(table, "%s", run->limited ? resource_name(run->limiter) : "nothing full");
}

/* The names of a row: its workload, and its drive where there are several. */
static void name_columns(struct table *table, size_t summary_count)
{
	table_column(table, "Workload", "", COLUMN_TEXT);
	if (summary_count > 1)
		table_column(table, "Drive", "", COLUMN_TEXT);
	table->grouped = summary_count > 1;
}

static bool title_shared(struct summary *const *summaries, size_t count,
			 const struct group_summary *group)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < summaries[i]->group_count; k++) {
			const struct group_summary *other = &summaries[i]->groups[k];

			if (strcmp(other->name, group->name) && !strcmp(other->title, group->title)
			    && other->steady.present == group->steady.present)
				return true;
		}
	}
	return false;
}

static void name_cells(struct table *table, struct summary *const *summaries, size_t count,
		       const struct summary *summary, const struct group_summary *group)
{
	if (title_shared(summaries, count, group) && *group->plan)
		table_cell(table, "%s (%s)", group->title, group->plan);
	else
		table_cell(table, "%s", group->title);
	if (count > 1)
		table_cell(table, "%s", summary->label);
}

/*
 * Calls `row` for each group of each result that has a peak worth a row, workload by
 * workload. Groups that only look for a steady state have a table of their own.
 */
static void each_peak(struct table *table, struct summary *const *summaries, size_t count,
		      void (*row)(struct table *, struct summary *const *, size_t,
				  const struct summary *, const struct group_summary *))
{
	size_t group_count;
	const char **names = summary_groups(summaries, count, &group_count);

	for (size_t g = 0; g < group_count; g++) {
		for (size_t i = 0; i < count; i++) {
			const struct group_summary *group = summary_group(summaries[i], names[g]);

			if (group && (group->has_curve || group->maximum != SUMMARY_NONE))
				row(table, summaries, count, summaries[i], group);
		}
	}
	free(names);
}

static struct table *unless_empty(struct table *table)
{
	if (table->row_count)
		return table;
	table_free(table);
	return NULL;
}

/* A row of n/a for a group without a peak: a gap that shows. */
static bool cells_missing(struct table *table, const struct run_summary *run)
{
	if (run && run->measured)
		return false;
	while (table->filled < table->column_count)
		table_cell(table, "n/a");
	table_mark(table, "bad");
	return true;
}

/* Whether a run was given a rate, so that what counts is the latency from the due time. */
static bool has_rate(struct summary *const *summaries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < summaries[i]->group_count; k++) {
			const struct run_summary *peak = group_peak(&summaries[i]->groups[k]);

			if (peak && peak->kind == PHASE_RUN && peak->offered_iops > 0)
				return true;
		}
	}
	return false;
}

static bool has_curve(struct summary *const *summaries, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < summaries[i]->group_count; k++)
			if (summaries[i]->groups[k].has_curve)
				return true;
	return false;
}

static bool all_single(struct summary *const *summaries, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!summaries[i]->single)
			return false;
	return true;
}

static void row_peak(struct table *table, struct summary *const *summaries, size_t count,
		     const struct summary *summary, const struct group_summary *group)
{
	const struct run_summary *peak = group_peak(group);
	bool rate = has_rate(summaries, count);

	table_row(table);
	name_cells(table, summaries, count, summary, group);
	if (cells_missing(table, peak))
		return;
	table_number(table, peak->iops);
	table_number(table, peak->mb_per_s);
	cell_latency(table, peak->submit.mean_ns);
	cell_percentile(table, &peak->submit.p50);
	cell_percentile(table, &peak->submit.p99);
	if (rate)
		cell_due(table, peak);
	cell_percentile(table, &peak->submit.p999);
	cell_latency(table, (double)peak->submit.max_ns);
	cell_latency(table, peak->submit.stddev_ns);
	cell_percentile(table, &peak->submit.p9999);
	if (!rate)
		cell_due(table, peak);
}

struct table *tables_peaks(struct summary *const *summaries, size_t count)
{
	bool single = all_single(summaries, count), rate = has_rate(summaries, count);
	struct table *table = table_new(single ? "Result" : "Peak of each workload");

	table_note(table, "%sLatency is from submission in microseconds unless another unit stands there, due p99 from the moment the "
		   "request was due ('overload': due requests were left unsent, it grows with the "
		   "run); MB is 10^6 bytes; n/a: fewer than ten samples lie above that percentile.",
		   single ? "" : "The peak is the best point of the curve that the drive sustained. ");
	name_columns(table, count);
	table_column(table, "IOPS", "1/s", 0);
	table_column(table, "MB/s", "", 0);
	table_column(table, "Mean", "us", 0);
	table_column(table, "p50", "us", rate ? COLUMN_WIDE : 0);
	table_column(table, "p99", "us", 0);
	if (rate)
		table_column(table, "Due p99", "us", 0);
	table_column(table, "p99.9", "us", rate ? COLUMN_WIDE : 0);
	table_column(table, "Max", "us", 0);
	table_column(table, "Std dev", "us", COLUMN_WIDE);
	table_column(table, "p99.99", "us", COLUMN_WIDE);
	if (!rate)
		table_column(table, "Due p99", "us", COLUMN_WIDE);
	each_peak(table, summaries, count, row_peak);
	return unless_empty(table);
}

/* "5.8 % in 6": how far the points lie apart that had the drive to the full. */
static void cell_full(struct table *table, const struct group_summary *group)
{
	if (group->full_count < 2)
		table_cell(table, "-");
	else
		table_cell(table, "%.1f %% in %zu",
			   (1 - group->full_least / group->full_most) * 100, group->full_count);
}

static void row_check(struct table *table, struct summary *const *summaries, size_t count,
		      const struct summary *summary, const struct group_summary *group)
{
	const struct run_summary *peak = group_peak(group), *maximum = group_maximum(group);

	table_row(table);
	name_cells(table, summaries, count, summary, group);
	if (cells_missing(table, peak))
		return;
	cell_where(table, peak);
	table_cell(table, "%.1f of %u", peak->outstanding, peak->allowed);
	cell_little(table, peak);
	if (!peak->little_agrees)
		table_mark(table, "bad");
	if (!has_curve(summaries, count))
		return;
	cell_full(table, group);
	if (maximum && maximum->measured)
		table_number(table, maximum->iops);
	else
		table_cell(table, "n/a");
	if (group->has_burst)
		table_cell(table, "%.2f", group->burst);
	else
		table_cell(table, "-");
}

struct table *tables_checks(struct summary *const *summaries, size_t count)
{
	bool curve = has_curve(summaries, count);
	struct table *table = table_new(all_single(summaries, count) ? "Checks" : "Checks at the peak");

	table_note(table, "Little's law: IOPS x mean latency against the outstanding requests that "
		   "were counted, to agree within 1 %%.%s",
		   !curve ? "" : " Spread: how far below the best the worst lies of the points that "
		   "were sustained with at least 90 % of the requests outstanding, and how many these are; "
		   "the peak is the best of them. Burst is the maximum run over the peak: well above 1, the maximum "
		   "was taken before the drive was in steady state.");
	name_columns(table, count);
	table_column(table, "At", "", 0);
	table_column(table, "Outstanding", "", 0);
	table_column(table, "Little", "", 0);
	if (curve) {
		table_column(table, "Spread", "", 0);
		table_column(table, "Max run", "1/s", 0);
		table_column(table, "Burst", "", 0);
	}
	each_peak(table, summaries, count, row_check);
	return unless_empty(table);
}

static void row_busy(struct table *table, struct summary *const *summaries, size_t count,
		     const struct summary *summary, const struct group_summary *group)
{
	const struct run_summary *peak = group_peak(group);

	if (!peak || !peak->has_busy)
		return;
	table_row(table);
	name_cells(table, summaries, count, summary, group);
	cell_limiter(table, peak);
	cell_share(table, peak->busy[RESOURCE_BED]);
	cell_shares(table, peak, RESOURCE_LINK_READ, RESOURCE_LINK_WRITE);
	cell_shares(table, peak, RESOURCE_CONTROLLER_READ, RESOURCE_CONTROLLER_WRITE);
	cell_share(table, peak->busy[RESOURCE_CHANNELS]);
	cell_share(table, peak->busy[RESOURCE_DIES]);
	cell_waf(table, peak->has_waf, peak->waf);
}

struct table *tables_busy(struct summary *const *summaries, size_t count)
{
	struct table *table = table_new(all_single(summaries, count) ? "Busy shares"
								      : "Busy shares at the peak");

	table_note(table, "How much of the time each resource was busy, as the mean over its units; one "
		   "that is at least 90 %% busy sets the rate. 'nothing full': the requests "
		   "outstanding do. WAF: bytes programmed into NAND over bytes written by the host; <1: "
		   "part of them is still in the buffer or was written over there.");
	name_columns(table, count);
	table_column(table, "Limited by", "", COLUMN_TEXT);
	table_column(table, "Host", "%", 0);
	table_column(table, "Link", "r/w %", 0);
	table_column(table, "Ctrl", "r/w %", 0);
	table_column(table, "Chans", "%", 0);
	table_column(table, "Dies", "%", 0);
	table_column(table, "WAF", "", 0);
	each_peak(table, summaries, count, row_busy);
	return unless_empty(table);
}

static void row_endurance(struct table *table, struct summary *const *summaries, size_t count,
			  const struct summary *summary, const struct group_summary *group)
{
	const struct run_summary *run;

	if (group->dirtiest == SUMMARY_NONE)
		return;
	run = &group->runs[group->dirtiest];
	table_row(table);
	name_cells(table, summaries, count, summary, group);
	cell_waf(table, run->has_waf, run->waf);
	table_number(table, run->endurance.lasts_bytes / 1e12);
	if (run->endurance.rated_bytes > 0)
		table_number(table, run->endurance.rated_bytes / 1e12);
	else
		table_cell(table, "n/a");
	table_number(table, run->endurance.dwpd);
	table_number(table, run->mb_per_s);
	table_number(table, run->endurance.years);
}

struct table *tables_endurance(struct summary *const *summaries, size_t count)
{
	struct table *table = table_new("Endurance");

	table_note(table, "What the drive would take of each workload until its blocks have the erases "
		   "they are good for, wear spread evenly, at the write amplification of the last run "
		   "that wrote: terabytes of the host beside what the maker warrants; drive writes a day "
		   "for five years; and years of writing at the rate of that run without a pause.");
	name_columns(table, count);
	table_column(table, "WAF", "", 0);
	table_column(table, "Lasts", "TB", 0);
	table_column(table, "Rated", "TB", 0);
	table_column(table, "DWPD", "", 0);
	table_column(table, "At", "MB/s", 0);
	table_column(table, "Years", "", 0);
	each_peak(table, summaries, count, row_endurance);
	return unless_empty(table);
}

static const struct run_summary *last_with_state(const struct group_summary *group)
{
	for (size_t i = group->run_count; i-- > 0;)
		if (group->runs[i].has_state)
			return &group->runs[i];
	return NULL;
}

static void row_health(struct table *table, struct summary *const *summaries, size_t count,
		       const struct summary *summary, const struct group_summary *group)
{
	const struct run_summary *run = last_with_state(group);

	if (!run)
		return;
	table_row(table);
	name_cells(table, summaries, count, summary, group);
	cell_share(table, run->state.used);
	cell_share(table, run->state.spare);
	table_number(table, (double)run->state.bad_blocks);
	table_number(table, (double)run->state.media_errors);
	table_number(table, (double)run->state.read_retries);
	table_number(table, run->state.celsius);
	cell_share(table, run->state.throttled);
	table_number(table, run->state.watts);
}

struct table *tables_health(struct summary *const *summaries, size_t count)
{
	struct table *table = table_new("Health");

	table_note(table, "At the end of the last run of each workload: erases of the mean block in parts "
		   "of those it is good for; blocks that may still go bad before the drive is read only; "
		   "blocks that have; temperature. During that run: reads that could not be corrected, "
		   "reads that were repeated, time slowed down by heat, power on the average.");
	name_columns(table, count);
	table_column(table, "Used", "%", 0);
	table_column(table, "Spare", "%", 0);
	table_column(table, "Bad blocks", "", 0);
	table_column(table, "Media errors", "", 0);
	table_column(table, "Retries", "", 0);
	table_column(table, "Temp", "C", 0);
	table_column(table, "Hot", "%", 0);
	table_column(table, "Power", "W", 0);
	each_peak(table, summaries, count, row_health);
	return unless_empty(table);
}

static const struct run_summary *rounds_of(const struct group_summary *group)
{
	for (size_t i = 0; i < group->run_count; i++)
		if (group->runs[i].kind == PHASE_ROUNDS)
			return &group->runs[i];
	return NULL;
}

/* Within SNIA's rule, and yet a series that has not come to rest. */
#define MOVING_SHARE 0.05

static const char *verdict_words(const struct steady_summary *steady)
{
	if (steady->verdict.steady && steady->verdict.slope_share >= MOVING_SHARE)
		return steady->verdict.slope < 0 ? "steady, still falling" : "steady, still rising";
	if (steady->verdict.steady)
		return "steady";
	if (!steady->ended)
		return "unfinished";
	return steady->judged || steady->round_count < STEADY_ROUNDS ? "NOT STEADY" : "NOT JUDGED";
}

static void row_steady(struct table *table, struct summary *const *summaries, size_t count,
		       const struct summary *summary, const struct group_summary *group)
{
	const struct steady_summary *steady = &group->steady;
	const struct run_summary *run = rounds_of(group);

	table_row(table);
	name_cells(table, summaries, count, summary, group);
	table_cell(table, "%s", verdict_words(steady));
	table_cell(table, "%zu", steady->round_count);
	if (steady->judged) {
		table_number(table, steady->verdict.average);
		table_cell(table, "%.1f %%", steady->verdict.range_share * 100);
		table_cell(table, "%.1f %%", steady->verdict.slope_share * 100);
	} else {
		for (int i = 0; i < 3; i++)
			table_cell(table, "n/a");
	}
	if (run && run->measured && run->submit.count) {
		cell_latency(table, run->submit.mean_ns);
		cell_percentile(table, &run->submit.p99);
		cell_latency(table, (double)run->submit.max_ns);
	} else {
		for (int i = 0; i < 3; i++)
			table_cell(table, "n/a");
	}
	cell_waf(table, run && run->has_waf, run ? run->waf : 0);
	if (!steady->verdict.steady)
		table_mark(table, "bad");
}

struct table *tables_steady(struct summary *const *summaries, size_t count)
{
	struct table *table = table_new("Steady state");
	size_t group_count;
	const char **names = summary_groups(summaries, count, &group_count);

	table_note(table, "SNIA's rule over the last five rounds: max - min at most 20 %% of their "
		   "average, and their least-squares line moves by at most 10 %% of it. Latency is that "
		   "of these five rounds.");
	name_columns(table, count);
	table_column(table, "Verdict", "", COLUMN_TEXT);
	table_column(table, "Rounds", "", 0);
	table_column(table, "Average", "1/s", 0);
	table_column(table, "Range", "", 0);
	table_column(table, "Slope", "", 0);
	table_column(table, "Mean", "us", 0);
	table_column(table, "p99", "us", COLUMN_WIDE);
	table_column(table, "Max", "us", COLUMN_WIDE);
	table_column(table, "WAF", "", COLUMN_WIDE);
	for (size_t g = 0; g < group_count; g++) {
		for (size_t i = 0; i < count; i++) {
			const struct group_summary *group = summary_group(summaries[i], names[g]);

			if (group && group->steady.present)
				row_steady(table, summaries, count, summaries[i], group);
		}
	}
	free(names);
	return unless_empty(table);
}

static struct table *titled(const char *what, const struct group_summary *group, const char *label)
{
	return label ? table_new("%s: %s, %s", group->title, what, label)
		     : table_new("%s: %s", group->title, what);
}

/* Why a point is not a clean figure; "" when it is. */
static const char *remark(const struct run_summary *run)
{
	if (run->status == PHASE_RUNNING)
		return "cut off";
	if (run->status == PHASE_FAILED)
		return "failed";
	if (!run->little_agrees && run->submit.count)
		return "Little fails";
	if (run->overloaded)
		return "overloaded";
	if (run->kind != PHASE_ROUNDS && !run->sustained)
		return "not sustained";
	return "";
}

static void row_run(struct table *table, const struct run_summary *run, bool is_peak)
{
	const char *words = remark(run);

	table_row(table);
	if (run->kind == PHASE_POINT)
		table_cell(table, "%u %%", run->percent);
	else
		table_cell(table, "%s", run->kind == PHASE_ROUNDS ? "rounds" : "maximum");
	if (cells_missing(table, run))
		return;
	if (run->kind == PHASE_POINT)
		table_number(table, run->offered_iops);
	else
		table_cell(table, "-");
	table_number(table, run->iops);
	cell_latency(table, run->submit.mean_ns);
	cell_percentile(table, &run->submit.p99);
	cell_latency(table, (double)run->submit.max_ns);
	cell_due(table, run);
	table_cell(table, "%s%s%s", is_peak ? "peak" : "", is_peak && *words ? ", " : "", words);
	table_cell(table, "%.1f", run->outstanding);
	cell_little(table, run);
	table_number(table, run->mb_per_s);
	cell_percentile(table, &run->submit.p50);
	cell_percentile(table, &run->submit.p999);
	cell_latency(table, run->submit.stddev_ns);
	table_number(table, (double)run->unissued);
	table_number(table, (double)run->errors);
	if (is_peak)
		table_mark(table, "peak");
	else if (!run->little_agrees || run->status != PHASE_DONE)
		table_mark(table, "bad");
	else if (*words)
		table_mark(table, "quiet");
}

struct table *tables_curve(const struct group_summary *group, const char *label)
{
	struct table *table = titled("every point", group, label);

	table_column(table, "Point", "", COLUMN_TEXT);
	table_column(table, "Offered", "1/s", 0);
	table_column(table, "IOPS", "1/s", 0);
	table_column(table, "Mean", "us", 0);
	table_column(table, "p99", "us", 0);
	table_column(table, "Max", "us", 0);
	table_column(table, "Due p99", "us", 0);
	table_column(table, "Remark", "", COLUMN_TEXT);
	table_column(table, "Outstanding", "", COLUMN_WIDE);
	table_column(table, "Little", "", COLUMN_WIDE);
	table_column(table, "MB/s", "", COLUMN_WIDE);
	table_column(table, "p50", "us", COLUMN_WIDE);
	table_column(table, "p99.9", "us", COLUMN_WIDE);
	table_column(table, "Std dev", "us", COLUMN_WIDE);
	table_column(table, "Unsent", "", COLUMN_WIDE);
	table_column(table, "Errors", "", COLUMN_WIDE);
	for (size_t i = 0; i < group->run_count; i++)
		row_run(table, &group->runs[i], i == group->peak);
	return unless_empty(table);
}

struct table *tables_rounds(const struct group_summary *group, const char *label)
{
	const struct steady_summary *steady = &group->steady;
	struct table *table = titled("rounds", group, label);

	table_column(table, "Round", "", COLUMN_TEXT);
	table_column(table, "IOPS", "1/s", 0);
	table_column(table, "To average", "", 0);
	table_column(table, "Judged", "", COLUMN_TEXT);
	for (size_t i = 0; i < steady->round_count; i++) {
		bool judged = steady->judged && steady->round_count >= STEADY_ROUNDS
			&& i >= steady->verdict.first && i < steady->verdict.first + STEADY_ROUNDS;

		table_row(table);
		table_cell(table, "%zu", i + 1);
		table_number(table, (double)steady->rounds[i]);
		if (steady->verdict.average > 0)
			cell_difference(table, "",
					(double)steady->rounds[i] / steady->verdict.average - 1, 1);
		else
			table_cell(table, "-");
		table_cell(table, "%s", judged ? "yes" : "");
		if (judged)
			table_mark(table, "peak");
	}
	return unless_empty(table);
}

static void row_sample(struct table *table, const struct series *series,
		       const struct sample *sample)
{
	table_row(table);
	table_number(table, sample->time_s);
	if (series->has_written)
		table_cell(table, "%.3f", sample->written);
	else
		table_cell(table, "-");
	table_number(table, sample->iops);
	if (sample->served)
		cell_latency(table, sample->mean_ns);
	else
		table_cell(table, "n/a");
	if (sample->has_p99)
		cell_latency(table, sample->p99_ns);
	else
		table_cell(table, "n/a");
	if (sample->served)
		cell_latency(table, sample->max_ns);
	else
		table_cell(table, "n/a");
	table_cell(table, "%.1f", sample->outstanding);
	cell_waf(table, sample->has_waf, sample->waf);
}

struct table *tables_series(const struct group_summary *group, const char *label)
{
	struct series series = series_thin(&group->series, SERIES_ROWS);
	struct table *table = titled("against time", group, label);

	table_column(table, "Time", "s", 0);
	table_column(table, "Drive writes", "", 0);
	table_column(table, "IOPS", "1/s", 0);
	table_column(table, "Mean", "us", 0);
	table_column(table, "p99", "us", 0);
	table_column(table, "Max", "us", 0);
	table_column(table, "Outstanding", "", 0);
	table_column(table, "WAF", "", 0);
	for (size_t i = 0; i < series.count; i++)
		row_sample(table, &series, &series.samples[i]);
	if (series.merged > 1)
		table_note(table, "Each row stands for %zu of %zu measured windows: rates and means are "
			   "weighted, p99 and max are the greatest of them.", series.merged,
			   series.window_count);
	series_clear(&series);
	return unless_empty(table);
}

static const char *or_dash(const char *text)
{
	return *text ? text : "-";
}

static void fact(struct table *table, const char *name, struct summary *const *summaries,
		 size_t count, char *(*text)(const struct summary *))
{
	table_row(table);
	table_cell(table, "%s", name);
	for (size_t i = 0; i < count; i++) {
		_cleanup_free_ char *value = text(summaries[i]);

		table_cell(table, "%s", or_dash(value));
	}
}

static char *kind_text(const struct summary *summary)
{
	return xstrdup(summary->modelled ? "MODELLED: no hardware was measured" : "measured");
}

static char *description_text(const struct summary *summary)
{
	return xstrdup(summary->description);
}

static char *size_text(const struct summary *summary)
{
	char full[UNITS_BYTES], run[UNITS_BYTES];
	uint64_t bytes = summary->full_size_bytes ? summary->full_size_bytes : summary->size_bytes;

	if (!bytes)
		return xstrdup("");
	if (summary->tail_bytes)
		return xasprintf("%s, and %llu bytes at its end that were not addressed",
				 format_size(bytes, full), (unsigned long long)summary->tail_bytes);
	if (summary->scale == 1)
		return xstrdup(format_size(bytes, full));
	return xasprintf("%s, run at 1/%llu of it (%s)", format_size(bytes, full),
			 (unsigned long long)summary->scale, format_size(summary->size_bytes, run));
}

static char *bed_text(const struct summary *summary)
{
	return xstrdup(summary->bed);
}

static char *seed_text(const struct summary *summary)
{
	return xstrdup(summary->seed);
}

static char *plan_text(const struct summary *summary)
{
	return xasprintf("%s%s%zu of %zu phases done", summary->plan, *summary->plan ? ", " : "",
			 summary->done_count, summary->phase_count);
}

static char *order_text(const struct summary *summary)
{
	const char *order = summary_order(summary);

	return xstrdup(order ? order : "");
}

static char *arrivals_text(const struct summary *summary)
{
	return xstrdup(summary->arrivals);
}

static char *version_text(const struct summary *summary)
{
	return xstrdup(summary->version);
}

static char *host_text(const struct summary *summary)
{
	return xstrdup(summary->host);
}

static char *started_text(const struct summary *summary)
{
	return xstrdup(summary->started);
}

struct table *tables_facts(struct summary *const *summaries, size_t count)
{
	struct table *table = table_new("What was run");

	assert(count < TABLE_COLUMNS);
	table_column(table, "", "", COLUMN_TEXT);
	for (size_t i = 0; i < count; i++)
		table_column(table, summaries[i]->label, "", COLUMN_TEXT);
	fact(table, "Kind", summaries, count, kind_text);
	fact(table, "Drive", summaries, count, description_text);
	fact(table, "Capacity", summaries, count, size_text);
	fact(table, "Bed (host)", summaries, count, bed_text);
	fact(table, "Plan", summaries, count, plan_text);
	fact(table, "Maximum runs", summaries, count, order_text);
	fact(table, "Arrivals", summaries, count, arrivals_text);
	fact(table, "Seed", summaries, count, seed_text);
	fact(table, "drivebay", summaries, count, version_text);
	fact(table, "Run on", summaries, count, host_text);
	fact(table, "Started", summaries, count, started_text);
	return table;
}

/* Definitions are the same for all drives; one that differs by result has a row for each. */
static bool defined_before(struct summary *const *summaries, size_t count, size_t which,
			   const struct workload_summary *workload)
{
	for (size_t i = 0; i < count && i < which; i++)
		for (size_t k = 0; k < summaries[i]->workload_count; k++)
			if (!strcmp(summaries[i]->workloads[k].name, workload->name)
			    && !strcmp(summaries[i]->workloads[k].sends, workload->sends))
				return true;
	return false;
}

struct table *tables_workloads(struct summary *const *summaries, size_t count)
{
	struct table *table = table_new("Workload definitions");

	table_note(table, "published: printed by a laboratory or a standard; derived: follows from its "
		   "printed results by arithmetic; ours: our own choice where nothing is published.");
	table_column(table, "Workload", "", COLUMN_TEXT);
	table->prose = true;
	table_column(table, "Sends", "", COLUMN_TEXT);
	table_column(table, "Source", "", COLUMN_TEXT);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < summaries[i]->workload_count; k++) {
			const struct workload_summary *workload = &summaries[i]->workloads[k];

			if (defined_before(summaries, count, i, workload))
				continue;
			table_row(table);
			table_cell(table, "%s", workload->name);
			table_cell(table, "%s", workload->sends);
			table_cell(table, "%s", or_dash(workload->source));
		}
	}
	return unless_empty(table);
}

static const char *status_word(enum phase_status status)
{
	switch (status) {
	case PHASE_PENDING:
		return "not run";
	case PHASE_RUNNING:
		return "cut off";
	case PHASE_DONE:
		return "done";
	case PHASE_FAILED:
		return "failed";
	case PHASE_SKIPPED:
		return "skipped";
	}
	abort();
}

struct table *tables_phases(const struct summary *summary)
{
	struct table *table = table_new("Phases of %s", summary->label ? summary->label
								       : summary->target);

	table_column(table, "Phase", "", COLUMN_TEXT);
	table_column(table, "Status", "", COLUMN_TEXT);
	table_column(table, "Took", "s", 0);
	table_column(table, "MB/s", "", 0);
	table_column(table, "Note", "", COLUMN_TEXT);
	for (size_t i = 0; i < summary->phase_count; i++) {
		const struct phase_summary *phase = &summary->phases[i];

		table_row(table);
		table_cell(table, "%s", phase->name);
		table_cell(table, "%s", status_word(phase->status));
		table_number(table, phase->elapsed_s);
		if (phase->mb_per_s > 0)
			table_number(table, phase->mb_per_s);
		else
			table_cell(table, "-");
		table_cell(table, "%s", phase->note ? phase->note : "");
		if (phase->status != PHASE_DONE)
			table_mark(table, "bad");
	}
	return unless_empty(table);
}
