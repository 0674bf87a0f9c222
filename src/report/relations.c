#include "report/relations.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "report/table.h"
#include "report/validate.h"

/* ---- reading ---- */

enum column_name {
	WORDS, DRIVE, BED, TEST, STATISTIC, OP, OTHER_TEST, OTHER_STATISTIC, FACTOR, LOW, HIGH,
	PUBLISHED, COLUMNS
};

static const char *const names[COLUMNS] = {
	"relation", "drive_id", "bed", "test_id", "statistic", "op", "other_test_id",
	"other_statistic", "factor", "low", "high", "published",
};

static int read_number(const struct csv *csv, size_t row, const size_t *at, enum column_name which,
		       double *out)
{
	const char *text = csv_cell(csv, row, at[which]);
	char *end;

	*out = strtod(text, &end);
	if (!*text || *end || isnan(*out))
		return fail(EINVAL, "%s:%u: %s: '%s' is not a number", csv->path, csv->lines[row],
			    names[which], text);
	return 0;
}

static int read_relation(const struct csv *csv, size_t row, const size_t *at,
			 struct relation *relation)
{
	const char *op = csv_cell(csv, row, at[OP]);
	int err;

	*relation = (struct relation){
		.words = csv_cell(csv, row, at[WORDS]),
		.drive = csv_cell(csv, row, at[DRIVE]),
		.bed = csv_cell(csv, row, at[BED]),
		.first = { .test = csv_cell(csv, row, at[TEST]),
			   .statistic = csv_cell(csv, row, at[STATISTIC]) },
		.second = { .test = csv_cell(csv, row, at[OTHER_TEST]),
			    .statistic = csv_cell(csv, row, at[OTHER_STATISTIC]) },
		.op = *op,
	};
	if (strcmp(op, "") && strcmp(op, "/") && strcmp(op, "*"))
		return fail(EINVAL, "%s:%u: op: '%s' is neither '/' nor '*' nor empty", csv->path,
			    csv->lines[row], op);
	err = read_number(csv, row, at, FACTOR, &relation->factor);
	if (!err)
		err = read_number(csv, row, at, LOW, &relation->low);
	if (!err)
		err = read_number(csv, row, at, HIGH, &relation->high);
	if (!err)
		err = read_number(csv, row, at, PUBLISHED, &relation->published);
	if (!err && relation->low > relation->high)
		err = fail(EINVAL, "%s:%u: low: %g is above high, %g", csv->path, csv->lines[row],
			   relation->low, relation->high);
	return err;
}

int relations_read(const struct csv *csv, struct relations **out)
{
	struct relations *relations = xcalloc(1, sizeof(*relations));
	size_t at[COLUMNS];
	int err = 0;

	for (size_t i = 0; !err && i < COLUMNS; i++)
		err = csv_column(csv, names[i], &at[i]);
	relations->relations = xcalloc(csv->row_count, sizeof(*relations->relations));
	for (size_t i = 0; !err && i < csv->row_count; i++)
		err = read_relation(csv, i, at, &relations->relations[relations->count++]);
	if (err) {
		relations_free(relations);
		return err;
	}
	*out = relations;
	return 0;
}

void relations_free(struct relations *relations)
{
	if (!relations)
		return;
	free(relations->relations);
	free(relations);
}

/* ---- figures ---- */

static void take_side(struct relation_side *side, const char *plan, const struct summary *summary)
{
	if (!side->known && *side->test)
		side->known = validate_value(summary, plan, side->test, side->statistic,
					     &side->value);
}

void relations_take(struct relations *relations, const char *drive, const char *bed,
		    const char *plan, const struct summary *summary)
{
	for (size_t i = 0; i < relations->count; i++) {
		struct relation *relation = &relations->relations[i];

		if (strcmp(relation->drive, drive) || strcmp(relation->bed, bed))
			continue;
		relation->run = true;
		take_side(&relation->first, plan, summary);
		take_side(&relation->second, plan, summary);
	}
}

bool relation_value(const struct relation *relation, double *out)
{
	double first = relation->first.value, second = relation->second.value;

	if (!relation->first.known || (relation->op && !relation->second.known))
		return false;
	if (relation->op == '/' && second == 0)
		return false;
	if (relation->op == '/')
		*out = first / second * relation->factor;
	else if (relation->op == '*')
		*out = first * second * relation->factor;
	else
		*out = first * relation->factor;
	return true;
}

/* ---- the table ---- */

static void add_side(struct table *table, const struct relation_side *side, bool present)
{
	if (!present)
		table_cell(table, "%s", "");
	else if (side->known)
		table_number(table, side->value);
	else
		table_cell(table, "n/a");
}

/* "0.85 to 1.15", "at least 1" */
static void add_bounds(struct table *table, const struct relation *relation)
{
	_cleanup_buf_ struct buf bounds = BUF_INIT;

	if (isinf(relation->high))
		buf_puts(&bounds, "at least ");
	number_put(&bounds, relation->low);
	if (!isinf(relation->high)) {
		buf_puts(&bounds, " to ");
		number_put(&bounds, relation->high);
	}
	table_cell(table, "%s", bounds.text);
}

static void add_relation(struct table *table, const struct relation *relation)
{
	double value;
	bool known = relation_value(relation, &value);

	table_row(table);
	table_cell(table, "%s", relation->words);
	add_side(table, &relation->first, true);
	add_side(table, &relation->second, relation->op != 0);
	table_number(table, relation->published);
	if (known)
		table_number(table, value);
	else
		table_cell(table, "n/a");
	add_bounds(table, relation);
	table_cell(table, "%s", !known ? "n/a" :
		   value >= relation->low && value <= relation->high ? "yes" : "NO");
}

struct table *relations_table(const struct relations *relations)
{
	struct table *table = table_new("Relations that must hold");
	size_t others = 0;

	table_column(table, "Relation", "", COLUMN_TEXT);
	table_column(table, "First", "", COLUMN_WIDE);
	table_column(table, "Second", "", COLUMN_WIDE);
	table_column(table, "Published", "", 0);
	table_column(table, "Modelled", "", 0);
	table_column(table, "Asked", "", COLUMN_TEXT);
	table_column(table, "Holds", "", COLUMN_TEXT);
	for (size_t i = 0; i < relations->count; i++) {
		if (relations->relations[i].run)
			add_relation(table, &relations->relations[i]);
		else
			others++;
	}
	if (others)
		table_note(table, "%zu more relations are of drives that were not run", others);
	return table;
}

void relations_print(const struct relations *relations, FILE *out, unsigned columns)
{
	struct table *table = relations_table(relations);

	if (table->row_count)
		table_print(table, out, columns);
	else if (table->note)
		fprintf(out, "%s\n", table->note);
	table_free(table);
}
