/*
 * compare.h - two results of one plan, figure by figure: is the second one any different?
 *
 * A figure is what one phase came to: its rate, its mean latency, the p99 of its windows.
 * Each has the ratio B : A and an interval for it (stats/compare.h). All intervals of a
 * comparison hold together with the confidence asked for: with a hundred figures at 95 %
 * each, five would be wrong.
 *
 * Not every difference that can be proven is worth a word, and what changes from one run to
 * the next (the seed, where the blocks lie) does not show within a run. So a figure counts as
 * different only when its whole interval lies more than `margin` away from 1.
 *
 * Rounds until steady end sooner or later by chance and still fall a little: the last five that
 * both have are compared, round by round. A point is
 * offered a share of what its maximum run reached, which differs by chance: it is compared
 * only where both were offered the same, or both more than they took.
 */
#ifndef DRIVEBAY_REPORT_COMPARE_H
#define DRIVEBAY_REPORT_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"
#include "stats/compare.h"
#include "store/result.h"

enum compare_figure { COMPARE_IOPS, COMPARE_MEAN, COMPARE_P99 };

enum compare_verdict {
	COMPARE_SAME,     /* no difference, as far as the margin and the noise allow to tell */
	COMPARE_FASTER,   /* B is: more IOPS, less latency */
	COMPARE_SLOWER,
	COMPARE_UNJUDGED, /* `why` says what is missing */
};

struct compare_line {
	char *phase;
	enum phase_kind kind;
	enum compare_figure figure;
	double a, b;               /* IOPS, or ns */
	struct compare_ratio ratio; /* of the figures as they are: B : A */
	enum compare_verdict verdict;
	char *why;                 /* unjudged: a reason; else NULL */
	size_t window_count, least_batch;
	struct compare_window *windows_a, *windows_b;
};

struct comparison {
	char *name_a, *name_b;     /* of the drives */
	double confidence, margin; /* 0.95, 0.01 */
	bool measured;             /* one of them at least is of a real drive */
	size_t line_count, judged_count, faster_count, slower_count;
	struct compare_line *lines;
	size_t note_count;
	char **notes;              /* sentences: in what else the two differ */
};

struct compare_options {
	double confidence, margin;
	bool anyway;               /* beds, scales, plans that differ are only noted */
};

/*
 * 0, or a negative errno with a sentence: -EINVAL when the two cannot be compared, because plan,
 * bed or scale differ, one is modelled and one measured, or no phase is common to both.
 */
int compare_results(struct result *a, struct result *b, const struct compare_options *options,
		    struct comparison **out);
void comparison_free(struct comparison *comparison); /* NULL is fine */

/* How well B does beside A in this figure: below 1 it is worse, whichever way the figure counts. */
double compare_goodness(const struct compare_line *line);

/*
 * The worst line that is slower beyond doubt and by its best estimate reaches less than
 * `least` (0.95) of A, or NULL.
 */
const struct compare_line *compare_failure(const struct comparison *comparison, double least);

/* Tables: those of maximum runs and rounds and whatever differs, or all; and the verdict in words. */
void compare_print(const struct comparison *comparison, FILE *out, unsigned columns, bool all);
void compare_json(const struct comparison *comparison, struct buf *out);

const char *compare_figure_name(enum compare_figure figure);

#endif
