/* What to doubt: each caveat is a whole sentence. */
#include "report/summary_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fail.h"

static void caveat(struct summary *summary, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void caveat(struct summary *summary, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	summary->caveats = xrealloc(summary->caveats, (summary->caveat_count + 1) * sizeof(char *));
	summary->caveats[summary->caveat_count++] = xstrdup(text);
}

static void doubt_missing(struct summary *summary)
{
	for (size_t i = 0; i < summary->phase_count; i++) {
		const struct phase_summary *phase = &summary->phases[i];
		const char *note = phase->note && *phase->note ? phase->note : "no reason recorded";

		if (phase->status == PHASE_RUNNING)
			caveat(summary, "%s was cut off before its end.", phase->name);
		else if (phase->status == PHASE_FAILED)
			caveat(summary, "%s failed: %s.", phase->name, note);
		else if (phase->status == PHASE_SKIPPED)
			caveat(summary, "%s was skipped: %s.", phase->name, note);
	}
}

static void doubt_unfinished(struct summary *summary)
{
	size_t pending = 0;
	const char *first = NULL;

	for (size_t i = 0; i < summary->phase_count; i++) {
		if (summary->phases[i].status != PHASE_PENDING)
			continue;
		if (!pending++)
			first = summary->phases[i].name;
	}
	if (pending)
		caveat(summary, "Not complete: %zu of %zu phases were not run (the first is %s); "
		       "'drivebay review --resume' goes on.", pending, summary->phase_count, first);
}

static void doubt_steady(struct summary *summary, const struct group_summary *group)
{
	const struct steady *verdict = &group->steady.verdict;

	if (!group->steady.present || verdict->steady)
		return;
	if (group->steady.round_count < STEADY_ROUNDS)
		caveat(summary, "%s: not steady: %zu rounds measured, the rule needs %d.",
		       group->name, group->steady.round_count, STEADY_ROUNDS);
	else if (!group->steady.judged)
		caveat(summary, "%s: never judged in %zu rounds: too little was written for a burst to be "
		       "told from a steady state; more rounds, or longer ones, would do.", group->name,
		       group->steady.round_count);
	else
		caveat(summary, "%s: not steady after %zu rounds: range %.1f %% of the average "
		       "(limit 20 %%), slope %.1f %% (limit 10 %%).", group->name,
		       group->steady.round_count, verdict->range_share * 100,
		       verdict->slope_share * 100);
}

/* What is wrong with single runs: one sentence a kind and group, with the worst case. */
static void doubt_runs(struct summary *summary, const struct group_summary *group)
{
	size_t little = 0;
	const struct run_summary *worst = NULL;
	uint64_t errors = 0;

	for (size_t i = 0; i < group->run_count; i++) {
		const struct run_summary *run = &group->runs[i];

		errors += run->errors;
		if (!run->measured)
			continue;
		if (run->submit.count == 0)
			caveat(summary, "%s: no request completed.", run->name);
		if (summary->modelled && run->flash_idle)
			caveat(summary, "%s: reads of %s met only places that were never written, which "
			       "need no flash: these are not the drive's figures; fill it first%s.",
			       run->name, group->workload, summary->single ? " (run --fill)" : "");
		if (!run->little_agrees && run->submit.count > 0) {
			little++;
			if (!worst || run->little_error * run->little_error
			    > worst->little_error * worst->little_error)
				worst = run;
		}
	}
	if (little)
		caveat(summary, "%s: Little's law fails in %zu run%s, worst in %s: computed and "
		       "counted outstanding differ by %.1f %% (limit 1 %%).", group->name, little,
		       little == 1 ? "" : "s", worst->name, worst->little_error * 100);
	if (errors)
		caveat(summary, "%s: %llu requests failed; they are in no latency figure.",
		       group->name, (unsigned long long)errors);
}

static void doubt_peak(struct summary *summary, const struct group_summary *group)
{
	const struct run_summary *peak = group_peak(group);

	if (!peak) {
		if (group->point_count)
			caveat(summary, "%s: no point of the curve was sustained, so it has no peak.",
			       group->name);
		return;
	}
	if (!group->has_curve && peak->kind == PHASE_RUN && !peak->sustained)
		caveat(summary, "%s: the rate fell during the run: its last third ran below 95 %% of "
		       "its mean.", group->name);
	if (peak->limited && peak->limiter == RESOURCE_BED)
		caveat(summary, "%s: bound by the host (%.0f %% busy), not by the drive.",
		       group->name, peak->busy[RESOURCE_BED] * 100);
}

/* A curve that ends above what the drive takes is meant to: one sentence for all of them. */
static void note_overload(struct summary *summary)
{
	_cleanup_buf_ struct buf where = BUF_INIT;

	for (size_t i = 0; i < summary->group_count; i++) {
		const struct group_summary *group = &summary->groups[i];
		size_t first = 0;

		while (first < group->run_count && !group->runs[first].overloaded)
			first++;
		if (first == group->run_count)
			continue;
		buf_printf(&where, "%s%s", where.size ? ", " : "", group->name);
		if (group->runs[first].kind == PHASE_POINT)
			buf_printf(&where, " from %u %%", group->runs[first].percent);
	}
	if (where.size)
		summary->overload = xasprintf("Offered more than the drive took, so that due requests were not sent and "
			"latency from the due time grows with the length of the run: %s.", where.text);
}

/* "scheduler: bfq" of each line that begins with "! " */
static void doubt_host(struct summary *summary)
{
	_cleanup_buf_ struct buf list = BUF_INIT;
	const char *line = summary->findings ? summary->findings : "";
	size_t count = 0;

	for (; *line; line += strcspn(line, "\n"), line += *line != '\0') {
		const char *end = strstr(line, " (");
		size_t length = strcspn(line, "\n");

		if (strncmp(line, "! ", 2))
			continue;
		if (end && end < line + length)
			length = (size_t)(end - line);
		buf_printf(&list, "%s%.*s", count++ ? "; " : "", (int)(length - 2), line + 2);
	}
	if (count)
		caveat(summary, "The host was not fit for it, says drivebay doctor: %s.", list.text);
}

void summary_doubt(struct summary *summary)
{
	doubt_host(summary);
	doubt_unfinished(summary);
	doubt_missing(summary);
	for (size_t i = 0; i < summary->group_count; i++) {
		doubt_steady(summary, &summary->groups[i]);
		doubt_runs(summary, &summary->groups[i]);
		doubt_peak(summary, &summary->groups[i]);
	}
	note_overload(summary);
	if (!summary->phase_count)
		caveat(summary, "The result holds no phases.");
}
