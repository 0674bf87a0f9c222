/*
 * words.h - what a drive is good and bad at, in sentences.
 *
 * Each sentence rests on one figure of one group and names it; the page links to the chart it is
 * from. Nothing is said where the figure is missing or in between: a sentence is either praise
 * or blame, and its thresholds are below, so that one can disagree with them.
 */
#ifndef DRIVEBAY_REPORT_WORDS_H
#define DRIVEBAY_REPORT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/summary.h"

#define WORDS_COLLAPSE 1.5  /* writes that lose more than this factor collapse */
#define WORDS_HOLD 1.1      /* those that lose less than this hold their rate */
#define WORDS_TAIL_BAD 10.0 /* p99 : p50 at the busiest point that is not overloaded */
#define WORDS_TAIL_GOOD 3.0
#define WORDS_KNEE_GOOD 0.8 /* share of the peak at which mean latency is still below twice the idle one */
#define WORDS_KNEE_BAD 0.5
#define WORDS_WEAR_BAD 0.8  /* of what the maker warrants */
#define WORDS_LEAD 1.05     /* of drives side by side: less is no lead */

struct sentence {
	bool good;
	char *text;
	const char *group; /* whose figure it is: the summary's; NULL: of none */
};

struct words {
	size_t count;
	struct sentence *sentences;
};

/* What one result comes to. Ended with words_clear(). */
struct words words_about(const struct summary *summary);

/* Of several, group by group: who leads, by how much, and who comes last. All are `good`. */
struct words words_beside(struct summary *const *summaries, size_t count);

void words_clear(struct words *words);

#endif
