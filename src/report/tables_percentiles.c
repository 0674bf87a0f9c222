/* The percentiles of a group's peak: what the percentile plot draws. */
#include "report/tables.h"

#include <stdlib.h>

static const struct run_summary *peak_of(const struct summary *summary, const char *name)
{
	const struct group_summary *group = summary_group(summary, name);

	return group ? group_peak(group) : NULL;
}

struct table *tables_percentiles(struct summary *const *summaries, size_t count, const char *name)
{
	struct table *table = table_new("Latency by percentile, at the peak");

	table_column(table, "Percentile", "", COLUMN_TEXT);
	for (size_t i = 0; i < count && table->column_count < TABLE_COLUMNS; i++)
		if (peak_of(summaries[i], name))
			table_column(table, count > 1 ? summaries[i]->label : "Latency", "us", 0);
	for (size_t level = 0; level < SUMMARY_LEVELS; level++) {
		table_row(table);
		table_cell(table, "p%g", summary_levels_ppm[level] / 1e4);
		for (size_t i = 0; i < count && table->filled < table->column_count; i++) {
			const struct run_summary *run = peak_of(summaries[i], name);

			if (!run)
				continue;
			if (run->submit.levels[level].known)
				table_number(table, (double)run->submit.levels[level].ns / 1e3);
			else
				table_cell(table, "n/a");
		}
	}
	if (table->column_count > 1)
		return table;
	table_free(table);
	return NULL;
}
