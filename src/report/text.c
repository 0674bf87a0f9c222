#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fail.h"
#include "report/page.h"
#include "report/tables.h"
#include "report/words.h"

enum { LEAST_COLUMNS = 80 };

struct printer {
	FILE *out;
	unsigned columns;
};

static void print_table(void *context, const struct table *table)
{
	const struct printer *printer = context;

	table_print(table, printer->out, printer->columns);
}

static void print_head(const struct summary *summary, FILE *out, unsigned columns)
{
	_cleanup_buf_ struct buf line = BUF_INIT;

	buf_printf(&line, "%s: %s", summary->target,
		   summary->modelled ? "MODELLED, no hardware was measured" : "measured");
	if (*summary->description)
		buf_printf(&line, ". %s", summary->description);
	text_wrap(line.text, out, columns, "", "");
	buf_free(&line);
	buf_printf(&line, "plan %s, seed %s, drivebay %s", *summary->plan ? summary->plan : "-",
		   *summary->seed ? summary->seed : "-", *summary->version ? summary->version : "-");
	if (*summary->bed)
		buf_printf(&line, ", bed %s", summary->bed);
	if (summary->scale > 1)
		buf_printf(&line, "; run at 1/%llu of its size, %s", (unsigned long long)summary->scale,
			   summary->single ? "for the time given"
					   : "durations and capacity divided alike");
	text_wrap(line.text, out, columns, "", "");
	if (summary_order(summary))
		fprintf(out, "maximum runs: %s\n", summary_order(summary));
	fprintf(out, "\n");
}

static void print_caveats(const struct summary *summary, FILE *out, unsigned columns)
{
	if (summary->caveat_count || summary->overload)
		fprintf(out, "%s\n\n", summary->caveat_count ? "What fell short" : "Note");
	for (size_t i = 0; i < summary->caveat_count; i++)
		text_wrap(summary->caveats[i], out, columns, "- ", "  ");
	if (summary->overload)
		text_wrap(summary->overload, out, columns, "- ", "  ");
}

/* Takes `table`; NULL is fine. */
static void visit_table(struct table *table, void (*visit)(void *, const struct table *), void *context)
{
	if (table)
		visit(context, table);
	table_free(table);
}

void page_tables(struct summary *summary, bool curves, void (*visit)(void *, const struct table *),
		 void *context)
{
	for (size_t i = 0; i < summary->application_count; i++)
		visit_table(tables_application(&summary, 1, summary->applications[i].name), visit, context);
	visit_table(tables_application_drive(&summary, 1), visit, context);
	visit_table(tables_peaks(&summary, 1), visit, context);
	visit_table(tables_checks(&summary, 1), visit, context);
	visit_table(tables_busy(&summary, 1), visit, context);
	visit_table(tables_endurance(&summary, 1), visit, context);
	visit_table(tables_health(&summary, 1), visit, context);
	visit_table(tables_steady(&summary, 1), visit, context);
	for (size_t i = 0; i < summary->group_count; i++) {
		const struct group_summary *group = &summary->groups[i];

		if (group->steady.present)
			visit_table(tables_rounds(group, NULL), visit, context);
		if (curves && group->has_curve)
			visit_table(tables_curve(group, NULL), visit, context);
	}
}

/* What is good, then what is bad; the table below has the figures. */
static void print_words(const struct summary *summary, FILE *out, unsigned columns)
{
	struct words words = words_about(summary);

	for (int good = 1; good >= 0; good--)
		for (size_t i = 0; i < words.count; i++)
			if (words.sentences[i].good == (bool)good)
				text_wrap(words.sentences[i].text, out, columns, good ? "+ " : "- ", "  ");
	if (words.count)
		fprintf(out, "\n");
	words_clear(&words);
}

void page_print(struct summary *summary, FILE *out, unsigned columns, bool curves)
{
	struct printer printer = { out, columns < LEAST_COLUMNS ? LEAST_COLUMNS : columns };

	print_head(summary, out, printer.columns);
	print_words(summary, out, printer.columns);
	page_tables(summary, curves, print_table, &printer);
	print_caveats(summary, out, printer.columns);
}

static int print(struct result *result, FILE *out, unsigned columns, bool curves)
{
	struct summary *summary;
	int err = summary_read(result, &summary);

	if (err)
		return err;
	page_print(summary, out, columns, curves);
	summary_free(summary);
	return 0;
}

int report_print(struct result *result, FILE *out, unsigned columns)
{
	return print(result, out, columns, false);
}

int report_print_curves(struct result *result, FILE *out, unsigned columns)
{
	return print(result, out, columns, true);
}
