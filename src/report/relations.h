/*
 * relations.h - what must hold between figures of a drive, whatever each is by itself.
 *
 * A relation is a row of published/relations/relations.csv: two figures of one drive, divided or
 * multiplied, times a factor, lie between two bounds. Columns:
 *
 *	relation      what it says, in words
 *	drive_id, bed, test_id, statistic   the first figure
 *	op            "/" or "*"; empty: the first figure stands alone
 *	other_test_id, other_statistic      the second figure, of the same drive and bed
 *	factor, low, high                   low <= first op second x factor <= high; `inf` is a bound
 *	published     what the laboratory's own figures give
 *	source        where the claim comes from (not read)
 */
#ifndef DRIVEBAY_REPORT_RELATIONS_H
#define DRIVEBAY_REPORT_RELATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/csv.h"
#include "report/summary.h"
#include "report/table.h"

struct relation_side {
	const char *test, *statistic;
	bool known;
	double value;
};

struct relation {
	const char *words, *drive, *bed;
	struct relation_side first, second;
	char op;      /* '/', '*', or 0: there is no second figure */
	double factor, low, high, published;
	bool run;     /* a result of this drive in this bed was looked at */
};

struct relations {
	size_t count;
	struct relation *relations;
};

/* The csv must outlive what is read. -EINVAL with a sentence, file and line. */
int relations_read(const struct csv *csv, struct relations **out);
void relations_free(struct relations *relations); /* NULL is fine */

/* Takes the figures that a result of `plan` on this drive in this bed gives. */
void relations_take(struct relations *relations, const char *drive, const char *bed,
		    const char *plan, const struct summary *summary);

/* False when a figure of it is not known. */
bool relation_value(const struct relation *relation, double *out);

/* The table of those whose drive was run: figures, bounds, yes or no. */
struct table *relations_table(const struct relations *relations);
void relations_print(const struct relations *relations, FILE *out, unsigned columns);

#endif
