/* applications.c - what applications came to: tables, and bars side by side. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "report/escape.h"
#include "report/tables.h"

/* What a figure is called, in words; a name that is not here is shown as it is. */
static const struct words {
	const char *name, *words;
} known[] = {
	{ "tps", "Transactions a second" },
	{ "tps_per_instance", "Transactions a second and instance" },
	{ "latency_mean", "Mean latency" },
	{ "latency_p99", "99th percentile" },
	{ "latency_p999", "99.9th percentile" },
	{ "latency_max", "Longest" },
	{ "time", "Time, at full size" },
};

static char *words_of(const char *name)
{
	char *words;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].name, name))
			return xstrdup(known[i].words);
	words = xstrdup(name);
	for (char *c = words; *c; c++)
		if (*c == '_')
			*c = ' ';
	words[0] = (char)(words[0] >= 'a' && words[0] <= 'z' ? words[0] - 'a' + 'A' : words[0]);
	return words;
}

static const struct application_summary *nth(struct summary *const *summaries, size_t count,
					     const char *name, const struct merit **row, size_t n)
{
	for (size_t i = 0; i < count; i++) {
		const struct application_summary *one = summary_application(summaries[i], name);

		if (one && n < one->merits.count) {
			*row = &one->merits.rows[n];
			return one;
		}
	}
	return NULL;
}

static const char *status_words(const struct application_summary *one)
{
	switch (one->run.status) {
	case PHASE_PENDING:
		return "pending";
	case PHASE_RUNNING:
		return "cut off";
	case PHASE_FAILED:
		return "failed";
	case PHASE_SKIPPED:
		return "not run";
	case PHASE_DONE:
		return "n/a";
	}
	abort();
}

static void cells(struct table *table, struct summary *const *summaries, size_t count,
		  const char *application, const char *figure)
{
	for (size_t i = 0; i < count; i++) {
		const struct application_summary *one = summary_application(summaries[i], application);
		const struct merit *merit = one ? merits_find(&one->merits, figure) : NULL;

		if (merit)
			table_number(table, merit->value);
		else
			table_cell(table, "%s", one ? status_words(one) : "-");
	}
}

/* Those that stand for a program; all others send just what the benchmark itself sends. */
static bool stands_for_a_program(const char *file)
{
	static const char *const kinds[] = { "oltp", "tpcc", "out-of-core" };
	const char *kind = file ? strstr(file, "\nkind: ") : NULL;

	for (size_t i = 0; kind && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strncmp(kind + strlen("\nkind: "), kinds[i], strlen(kinds[i])))
			return true;
	return false;
}

static bool is_application_model(struct summary *const *summaries, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		const struct application_summary *one = summary_application(summaries[i], name);

		if (one && summaries[i]->modelled && stands_for_a_program(one->text))
			return true;
	}
	return false;
}

static void note_reasons(struct table *table, struct summary *const *summaries, size_t count,
			 const char *name)
{
	_cleanup_buf_ struct buf text = BUF_INIT;

	buf_puts(&text, is_application_model(summaries, count, name) ?
		 "A model of the application in virtual time, closed loop on the drive: not the program "
		 "itself (doc/applications.md)." : "");
	for (size_t i = 0; i < count; i++) {
		const struct application_summary *one = summary_application(summaries[i], name);

		if (!one || one->run.status == PHASE_DONE || !one->run.note)
			continue;
		if (text.size)
			buf_puts(&text, " ");
		if (count > 1)
			buf_printf(&text, "%s: ", summaries[i]->label);
		buf_printf(&text, "%s: %s.", one->run.status == PHASE_SKIPPED ? "Not run" :
			   status_words(one), one->run.note);
	}
	if (text.size)
		table_note(table, "%s", text.text);
}

struct table *tables_application(struct summary *const *summaries, size_t count, const char *name)
{
	const struct merit *row;
	struct table *table = NULL;

	for (size_t i = 0; i < count && !table; i++) {
		const struct application_summary *one = summary_application(summaries[i], name);

		if (one)
			table = is_application_model(summaries, count, name) ?
					table_new("%s (model of the application)", one->title) :
					table_new("%s", one->title);
	}
	if (!table)
		return NULL;
	note_reasons(table, summaries, count, name);
	table_column(table, "Figure", "", COLUMN_TEXT);
	table_column(table, "Unit", "", COLUMN_TEXT);
	for (size_t i = 0; i < count; i++)
		table_column(table, count > 1 ? summaries[i]->label : "Value", "", 0);
	for (size_t n = 0; nth(summaries, count, name, &row, n); n++) {
		_cleanup_free_ char *words = words_of(row->name);

		table_row(table);
		table_cell(table, "%s", words);
		table_cell(table, "%s", row->unit);
		cells(table, summaries, count, name, row->name);
	}
	if (!table->row_count) {
		table_row(table);
		table_cell(table, "Result");
		table_cell(table, "%s", "");
		cells(table, summaries, count, name, "");
	}
	return table;
}

static void row_drive(struct table *table, const struct summary *summary, size_t count,
		      const struct application_summary *one)
{
	const struct run_summary *run = &one->run;

	table_row(table);
	table_cell(table, "%s", one->title);
	if (count > 1)
		table_cell(table, "%s", summary->label);
	table_number(table, run->iops);
	table_number(table, run->mb_per_s);
	table_latency(table, run->submit.mean_ns);
	if (run->submit.p99.known)
		table_latency(table, (double)run->submit.p99.ns);
	else
		table_cell(table, "n/a");
	table_cell(table, "%.1f", run->outstanding);
	table_cell(table, "%s%+.2f %%", run->little_agrees ? "" : "FAILS ", run->little_error * 100 + 0.0);
	if (!run->little_agrees)
		table_mark(table, "bad");
	if (!run->has_busy) {
		while (table->filled < table->column_count)
			table_cell(table, "-");
		return;
	}
	table_cell(table, "%s", run->limited ? resource_name(run->limiter) : "nothing full");
	table_cell(table, "%.0f", run->busy[RESOURCE_BED] * 100);
	table_cell(table, "%.0f / %.0f", run->busy[RESOURCE_CONTROLLER_READ] * 100,
		   run->busy[RESOURCE_CONTROLLER_WRITE] * 100);
	table_cell(table, "%.0f", run->busy[RESOURCE_DIES] * 100);
	if (run->has_waf)
		table_cell(table, "%.2f", run->waf);
	else
		table_cell(table, "-");
}

struct table *tables_application_drive(struct summary *const *summaries, size_t count)
{
	struct table *table = table_new("What the applications asked of the drive");

	table_note(table, "Reads and writes that reached the drive while the application was measured, "
		   "latency in microseconds from submission; busy shares in percent; Little's law as "
		   "above, within 1 %%.");
	table_column(table, "Application", "", COLUMN_TEXT);
	if (count > 1)
		table_column(table, "Drive", "", COLUMN_TEXT);
	table_column(table, "IOPS", "1/s", 0);
	table_column(table, "MB/s", "", 0);
	table_column(table, "Mean", "us", 0);
	table_column(table, "p99", "us", 0);
	table_column(table, "Outst.", "", 0);
	table_column(table, "Little", "", 0);
	table_column(table, "Limited by", "", COLUMN_TEXT);
	table_column(table, "Host", "%", COLUMN_WIDE);
	table_column(table, "Ctrl", "r/w %", COLUMN_WIDE);
	table_column(table, "Dies", "%", COLUMN_WIDE);
	table_column(table, "WAF", "", COLUMN_WIDE);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < summaries[i]->application_count; k++)
			if (summaries[i]->applications[k].run.measured)
				row_drive(table, summaries[i], count, &summaries[i]->applications[k]);
	if (table->row_count)
		return table;
	table_free(table);
	return NULL;
}

const char **applications_of(struct summary *const *summaries, size_t count, size_t *name_count)
{
	const char **names = NULL;
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < summaries[i]->application_count; k++) {
			const char *name = summaries[i]->applications[k].name;
			bool known_already = false;

			for (size_t n = 0; n < found; n++)
				known_already = known_already || !strcmp(names[n], name);
			if (known_already)
				continue;
			names = xrealloc(names, (found + 1) * sizeof(*names));
			names[found++] = name;
		}
	*name_count = found;
	return names;
}

/* ---- bars ---- */

/* The figures worth a bar, and what is better. */
static const struct bar {
	const char *name, *better;
} bars[] = {
	{ "tps", "more is better" },
	{ "latency_mean", "less is better" },
	{ "latency_p99", "less is better" },
	{ "time", "less is better" },
};

static double greatest(struct summary *const *summaries, size_t count, const char *application,
		       const char *figure)
{
	double most = 0;

	for (size_t i = 0; i < count; i++) {
		const struct application_summary *one = summary_application(summaries[i], application);
		const struct merit *merit = one ? merits_find(&one->merits, figure) : NULL;

		if (merit && merit->value > most)
			most = merit->value;
	}
	return most;
}

/* One line a drive; the length is the figure, from zero. */
static void put_bar(struct buf *out, const struct summary *summary, const char *application,
		    const char *figure, double most)
{
	const struct application_summary *one = summary_application(summary, application);
	const struct merit *merit = one ? merits_find(&one->merits, figure) : NULL;

	buf_puts(out, "<li><span class=\"bar-name\">");
	escape_html(out, summary->label);
	if (!merit) {
		buf_printf(out, "</span> <span class=\"bar-value\">%s</span></li>\n",
			   one ? status_words(one) : "-");
		return;
	}
	buf_printf(out, "</span> <span class=\"bar-track\"><span class=\"bar\" style=\"width:%.1f%%\"></span>"
		   "</span> <span class=\"bar-value\">", most > 0 ? merit->value / most * 100 : 0);
	number_put(out, merit->value);
	buf_puts(out, " ");
	escape_html(out, merit->unit);
	buf_puts(out, "</span></li>\n");
}

void applications_bars(struct summary *const *summaries, size_t count, const char *name,
		       struct buf *out)
{
	for (size_t b = 0; b < sizeof(bars) / sizeof(bars[0]); b++) {
		double most = greatest(summaries, count, name, bars[b].name);
		_cleanup_free_ char *words = words_of(bars[b].name);

		if (most <= 0)
			continue;
		buf_printf(out, "<figure class=\"bars\"><figcaption>%s <span class=\"note\">(%s)</span>"
			   "</figcaption><ul>\n", words, bars[b].better);
		for (size_t i = 0; i < count; i++)
			put_bar(out, summaries[i], name, bars[b].name, most);
		buf_puts(out, "</ul></figure>\n");
	}
}
