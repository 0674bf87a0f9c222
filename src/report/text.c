#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fail.h"
#include "report/page.h"
#include "report/tables.h"
#include "report/words.h"

enum { LEAST_COLUMNS = 80 };

static void print_table(struct table *table, FILE *out, unsigned columns)
{
	if (table)
		table_print(table, out, columns);
	table_free(table);
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

static void print_applications(struct summary *summary, FILE *out, unsigned columns)
{
	for (size_t i = 0; i < summary->application_count; i++)
		print_table(tables_application(&summary, 1, summary->applications[i].name), out, columns);
	print_table(tables_application_drive(&summary, 1), out, columns);
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
	if (columns < LEAST_COLUMNS)
		columns = LEAST_COLUMNS;
	print_head(summary, out, columns);
	print_words(summary, out, columns);
	print_applications(summary, out, columns);
	print_table(tables_peaks(&summary, 1), out, columns);
	print_table(tables_checks(&summary, 1), out, columns);
	print_table(tables_busy(&summary, 1), out, columns);
	print_table(tables_endurance(&summary, 1), out, columns);
	print_table(tables_health(&summary, 1), out, columns);
	print_table(tables_steady(&summary, 1), out, columns);
	for (size_t i = 0; i < summary->group_count; i++) {
		const struct group_summary *group = &summary->groups[i];

		if (group->steady.present)
			print_table(tables_rounds(group, NULL), out, columns);
		if (curves && group->has_curve)
			print_table(tables_curve(group, NULL), out, columns);
	}
	print_caveats(summary, out, columns);
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
