#include "report/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/fail.h"
#include "report/table.h"

static void say(struct words *words, bool good, const char *group, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static void say(struct words *words, bool good, const char *group, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	words->sentences = xrealloc(words->sentences,
				    (words->count + 1) * sizeof(*words->sentences));
	words->sentences[words->count++] = (struct sentence){ good, xstrdup(text), group };
}

/* Several at once, as arguments of one call. */
enum { NUMBERS = 8, NUMBER_BYTES = 48 };

static const char *number(double value)
{
	static _Thread_local char texts[NUMBERS][NUMBER_BYTES];
	static _Thread_local unsigned next;
	char *text = texts[next++ % NUMBERS];
	struct buf buf = BUF_INIT;

	number_put(&buf, value);
	snprintf(text, NUMBER_BYTES, "%s", buf.text);
	buf_free(&buf);
	return text;
}

static const char *duration(double ns)
{
	static _Thread_local char texts[NUMBERS][NUMBER_BYTES + 8];
	static _Thread_local unsigned next;
	char *text = texts[next++ % NUMBERS];

	if (ns >= 1e9)
		snprintf(text, sizeof(texts[0]), "%s s", number(ns / 1e9));
	else if (ns >= 1e6)
		snprintf(text, sizeof(texts[0]), "%s ms", number(ns / 1e6));
	else
		snprintf(text, sizeof(texts[0]), "%s us", number(ns / 1e3));
	return text;
}

/* Writes until steady */

/* When the rate had fallen to the middle (the geometric mean) of both: drive writes by then. */
static double collapse_at(const struct series *series, double from, double to)
{
	for (size_t i = 0; i < series->count; i++)
		if (series->samples[i].iops * series->samples[i].iops <= from * to)
			return series->samples[i].written;
	return 0;
}

static void say_writes(struct words *words, const struct group_summary *group)
{
	const struct steady_summary *steady = &group->steady;
	const struct series *series = &group->series;
	double from, to, at;

	if (!steady->present || !series->has_written || series->count == 0)
		return;
	if (!steady->verdict.steady) {
		if (steady->ended && steady->judged)
			say(words, false, group->name, "Does not settle: %s was not steady after %zu rounds; their "
			    "range is %.0f %% of the average.", group->title, steady->round_count,
			    steady->verdict.range_share * 100);
		return;
	}
	from = series->samples[0].iops;
	to = steady->verdict.average;
	if (from > WORDS_COLLAPSE * to) {
		at = collapse_at(series, from, to);
		say(words, false, group->name, "Writes collapse %.1f x after %.1f drive fill%s: %s falls from %s to %s "
		    "IOPS.", from / to, at, at == 1 ? "" : "s", group->title, number(from), number(to));
	} else if (from < WORDS_HOLD * to) {
		say(words, true, group->name, "Writes hold their rate: %s ends at %.0f %% of where it began, %s IOPS, "
		    "and is steady.", group->title, to / from * 100, number(to));
	}
}

/* Curves */

static void say_burst(struct words *words, const struct group_summary *group)
{
	const struct run_summary *maximum = group_maximum(group), *peak = group_peak(group);

	if (!group->has_burst || !maximum || !peak || group->burst <= WORDS_COLLAPSE)
		return;
	say(words, false, group->name, "A burst, not a rate: %s reached %s IOPS at first and sustains %s, %.0f %% of it.",
	    group->title, number(maximum->iops), number(peak->iops), 100 / group->burst);
}

static bool is_calm_point(const struct run_summary *run)
{
	return run->kind == PHASE_POINT && run->measured && run->sustained && !run->overloaded
		&& run->submit.count > 0;
}

/* The busiest point at which everything that was due went out, and at the rate offered. */
static const struct run_summary *busiest_calm(const struct group_summary *group)
{
	const struct run_summary *found = NULL;

	for (size_t i = 0; i < group->run_count; i++)
		if (is_calm_point(&group->runs[i]) && (!found || group->runs[i].iops > found->iops))
			found = &group->runs[i];
	return found;
}

static void say_tail(struct words *words, const struct group_summary *group)
{
	const struct run_summary *run = busiest_calm(group);
	double ratio;

	if (!run || !run->submit.p99.known || !run->submit.p50.known || !run->submit.p50.ns)
		return;
	ratio = (double)run->submit.p99.ns / (double)run->submit.p50.ns;
	if (ratio >= WORDS_TAIL_BAD)
		say(words, false, group->name, "A long tail: at %s IOPS one in a hundred of %s takes %.1f x the "
		    "median or more, p99 %s.", number(run->iops), group->title, ratio,
		    duration((double)run->submit.p99.ns));
	else if (ratio <= WORDS_TAIL_GOOD)
		say(words, true, group->name, "Answers evenly: at %s IOPS the p99 of %s is %.1f x its median, %s.",
		    number(run->iops), group->title, ratio, duration((double)run->submit.p99.ns));
}

/* Up to which rate latency stays below twice that of the first point. */
static void say_knee(struct words *words, const struct group_summary *group)
{
	const struct run_summary *peak = group_peak(group), *first = NULL, *last = NULL;
	double share;

	for (size_t i = 0; i < group->run_count; i++) {
		const struct run_summary *run = &group->runs[i];

		if (!is_calm_point(run))
			continue;
		if (!first)
			first = run;
		if (run->submit.mean_ns <= 2 * first->submit.mean_ns && (!last || run->iops > last->iops))
			last = run;
	}
	if (!group->has_curve || !peak || !last || last == first || peak->iops <= 0)
		return;
	share = last->iops / peak->iops;
	if (share >= WORDS_KNEE_GOOD)
		say(words, true, group->name, "Stays quick under load: the mean latency of %s is below twice that of "
		    "an idle drive up to %s IOPS, %.0f %% of the peak.", group->title, number(last->iops),
		    share * 100);
	else if (share < WORDS_KNEE_BAD)
		say(words, false, group->name, "Slows down early: the mean latency of %s doubles beyond %s IOPS, %.0f %% "
		    "of the peak.", group->title, number(last->iops), share * 100);
}

static void say_wear(struct words *words, const struct group_summary *group)
{
	const struct run_summary *run;
	const struct endurance *endurance;
	double share;

	if (group->dirtiest == SUMMARY_NONE)
		return;
	run = &group->runs[group->dirtiest];
	endurance = &run->endurance;
	if (!run->has_endurance || !(endurance->rated_bytes > 0))
		return;
	share = endurance->lasts_bytes / endurance->rated_bytes;
	if (share >= 1)
		say(words, true, group->name, "Outlasts its warranty under %s: its blocks take %s TB, %s are warranted.",
		    group->title, number(endurance->lasts_bytes / 1e12), number(endurance->rated_bytes / 1e12));
	else if (share < WORDS_WEAR_BAD)
		say(words, false, group->name, "Wears out before its warranty under %s: its blocks take %s of the %s TB "
		    "that are warranted.", group->title, number(endurance->lasts_bytes / 1e12),
		    number(endurance->rated_bytes / 1e12));
}

/* A new kind of sentence is a line here. */
static void (*const sayings[])(struct words *, const struct group_summary *) = {
	say_writes, say_burst, say_tail, say_knee, say_wear,
};

static const char *title_of(const struct summary *summary, const char *group)
{
	for (size_t i = 0; i < summary->group_count; i++)
		if (summary->groups[i].name == group)
			return summary->groups[i].title;
	return group;
}

/* How many of a kind are said in full; the others are named in one more sentence. */
enum { SAID_IN_FULL = 2 };

/* Of the sentences from `begin` on, which are of one kind, those that praise, or those that blame. */
static void condense(struct words *words, size_t begin, bool good, const struct summary *summary)
{
	_cleanup_buf_ struct buf names = BUF_INIT;
	size_t count = 0, said = 0, kept = begin, more = 0;

	for (size_t i = begin; i < words->count; i++)
		count += words->sentences[i].good == good;
	if (count <= SAID_IN_FULL + 1)
		return;
	for (size_t i = begin; i < words->count; i++) {
		struct sentence *sentence = &words->sentences[i];

		if (sentence->good == good && said++ >= SAID_IN_FULL) {
			buf_printf(&names, "%s%s", names.size ? ", " : "",
				   title_of(summary, sentence->group));
			free(sentence->text);
			sentence->text = NULL;
			if (more++)
				continue;
		}
		words->sentences[kept++] = *sentence;
	}
	words->count = kept;
	for (size_t i = begin; i < words->count; i++)
		if (!words->sentences[i].text)
			words->sentences[i].text = xasprintf("So it is with %zu more workloads: %s.", more,
							     names.text);
}

struct words words_about(const struct summary *summary)
{
	struct words words = { 0 };

	for (size_t k = 0; k < sizeof(sayings) / sizeof(*sayings); k++) {
		size_t begin = words.count;

		for (size_t i = 0; i < summary->group_count; i++)
			sayings[k](&words, &summary->groups[i]);
		condense(&words, begin, true, summary);
		condense(&words, begin, false, summary);
	}
	return words;
}

/* Side by side */

struct ranked {
	const struct summary *summary;
	double iops;
};

static struct ranked ranked(const struct summary *summary, const char *name)
{
	const struct group_summary *group = summary_group(summary, name);
	const struct run_summary *peak = group ? group_peak(group) : NULL;

	if (group && !group->has_curve && group->steady.present)
		return (struct ranked){ summary, group->steady.verdict.steady ? group->steady.verdict.average : 0 };
	return (struct ranked){ summary, peak && peak->measured ? peak->iops : 0 };
}

static void say_ranks(struct words *words, struct summary *const *summaries, size_t count,
		      const char *name)
{
	struct ranked best = { NULL, 0 }, worst = { NULL, 0 };
	const char *title = NULL;
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		struct ranked mine = ranked(summaries[i], name);

		if (!(mine.iops > 0))
			continue;
		if (!found++ || mine.iops > best.iops)
			best = mine;
		if (found == 1 || mine.iops < worst.iops)
			worst = mine;
		title = summary_group(summaries[i], name)->title;
	}
	if (found < 2)
		return;
	if (best.iops < WORDS_LEAD * worst.iops)
		say(words, true, name, "%s: no lead worth a word, all reach %s to %s IOPS.", title,
		    number(worst.iops), number(best.iops));
	else
		say(words, true, name, "%s: %s leads with %s IOPS, %.1f x %s, the last of %zu.", title,
		    best.summary->label, number(best.iops), best.iops / worst.iops, worst.summary->label, found);
}

struct words words_beside(struct summary *const *summaries, size_t count)
{
	struct words words = { 0 };
	size_t group_count;
	const char **names = summary_groups(summaries, count, &group_count);

	for (size_t g = 0; g < group_count; g++)
		say_ranks(&words, summaries, count, names[g]);
	free(names);
	return words;
}

void words_clear(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->sentences[i].text);
	free(words->sentences);
	*words = (struct words){ 0 };
}
