#include "report/html_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "base/units.h"
#include "report/assets.h"
#include "report/escape.h"
#include "report/tables.h"

/*
 * No request leaves the page: the policy forbids every source but the page itself. Vega's
 * expressions are interpreted, not compiled, so script text never becomes code either.
 */
static const char head[] =
	"<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n"
	"<meta name=\"generator\" content=\"drivebay\">\n";

void put_table(struct page *page, struct table *table)
{
	if (table)
		table_html(table, page->out);
	table_free(table);
}

void put_folded(struct page *page, struct table *table, const char *words)
{
	if (!table)
		return;
	buf_printf(page->out, "<details%s><summary>", table->prose ? " class=\"prose\"" : "");
	escape_html(page->out, words);
	buf_puts(page->out, "</summary>\n");
	put_table(page, table);
	buf_puts(page->out, "</details>\n");
}

bool page_all(const struct page *page, bool modelled)
{
	for (size_t i = 0; i < page->count; i++)
		if (page->summaries[i]->modelled != modelled)
			return false;
	return true;
}

static void put_kind(struct page *page, const struct summary *summary)
{
	buf_printf(page->out, " <span class=\"kind %s\">%s</span>",
		   summary->modelled ? "modelled" : "measured",
		   summary->modelled ? "MODELLED" : "MEASURED");
}

void put_or(struct page *page, const char *text, const char *otherwise)
{
	escape_html(page->out, *text ? text : otherwise);
}

/* In plain words what this is about: the first thing to read. */
static void put_lede(struct page *page, const struct summary *summary)
{
	char full[UNITS_BYTES];
	struct buf *out = page->out;

	buf_puts(out, "<p class=\"lede\">");
	if (page->count > 1) {
		buf_puts(out, "<strong>");
		escape_html(out, summary->label);
		buf_puts(out, "</strong>");
		put_kind(page, summary);
		buf_puts(out, " ");
	}
	put_or(page, summary->description, "No description of the drive was recorded");
	buf_puts(out, ". ");
	if (summary->modelled) {
		buf_puts(out, "No hardware was measured: the figures come from a model of the drive, "
			 "in virtual time");
		if (summary->scale > 1) {
			buf_printf(out, ", run at 1/%llu of its size", (unsigned long long)summary->scale);
			if (summary->full_size_bytes)
				buf_printf(out, " (the drive has %s)",
					   format_size(summary->full_size_bytes, full));
			buf_puts(out, summary->single ? "; only the capacity is divided, the time given was "
				 "run as it is" : "; durations and capacity are divided alike");
		}
		buf_puts(out, ". Host (bed): ");
		put_or(page, summary->bed, "not recorded");
	} else {
		buf_puts(out, "Measured");
		if (*summary->host) {
			buf_puts(out, " on ");
			escape_html(out, summary->host);
		}
	}
	buf_puts(out, ". Seed ");
	put_or(page, summary->seed, "not recorded");
	buf_puts(out, ", plan ");
	put_or(page, summary->plan, "not recorded");
	buf_puts(out, ", drivebay ");
	put_or(page, summary->version, "of an unknown version");
	buf_puts(out, ".</p>\n");
}

static void put_caveats(struct page *page)
{
	for (size_t i = 0; i < page->count; i++) {
		const struct summary *summary = page->summaries[i];

		if (!summary->caveat_count)
			continue;
		buf_puts(page->out, "<div class=\"callout\"><h3>What fell short");
		if (page->count > 1) {
			buf_puts(page->out, ": ");
			escape_html(page->out, summary->label);
		}
		buf_puts(page->out, "</h3><ul>\n");
		for (size_t k = 0; k < summary->caveat_count; k++) {
			buf_puts(page->out, "<li>");
			escape_html(page->out, summary->caveats[k]);
			buf_puts(page->out, "</li>\n");
		}
		buf_puts(page->out, "</ul></div>\n");
	}
}

static void put_header(struct page *page)
{
	struct buf *out = page->out;

	buf_puts(out, "<header>\n<h1>");
	if (page->count == 1) {
		put_or(page, page->summaries[0]->heading, "An unnamed drive");
		put_kind(page, page->summaries[0]);
	} else {
		buf_printf(out, "%zu results side by side%s", page->count,
			   page_all(page, true) ? " <span class=\"kind modelled\">MODELLED</span>" : "");
	}
	buf_puts(out, "</h1>\n");
	for (size_t i = 0; i < page->count; i++)
		put_lede(page, page->summaries[i]);
	buf_puts(out, "<nav aria-label=\"Sections\"><ul>"
		 "<li><a href=\"#words\">In words</a></li>"
		 "<li><a href=\"#key\">Key figures</a></li>"
		 "<li><a href=\"#curves\">Latency against IOPS</a></li>"
		 "<li><a href=\"#time\">Against time, steady state</a></li>"
		 "<li><a href=\"#method\">Method and caveats</a></li>"
		 "<li><a href=\"#run\">What was run</a></li></ul></nav>\n</header>\n<main id=\"main\">\n");
}

static void put_applications(struct page *page)
{
	size_t count;
	const char **names = applications_of(page->summaries, page->count, &count);

	for (size_t i = 0; i < count; i++) {
		applications_bars(page->summaries, page->count, names[i], page->out);
		put_table(page, tables_application(page->summaries, page->count, names[i]));
	}
	put_table(page, tables_application_drive(page->summaries, page->count));
	free(names);
}

static void put_key(struct page *page)
{
	struct buf *out = page->out;

	buf_puts(out, "<section aria-labelledby=\"key\"><h2 id=\"key\">Key figures</h2>\n");
	put_caveats(page);
	put_table(page, tables_peaks(page->summaries, page->count));
	put_table(page, tables_checks(page->summaries, page->count));
	put_table(page, tables_busy(page->summaries, page->count));
	put_table(page, tables_endurance(page->summaries, page->count));
	put_table(page, tables_health(page->summaries, page->count));
	put_table(page, tables_steady(page->summaries, page->count));
	put_applications(page);
	buf_puts(out, "</section>\n");
}

/* The licence of the library must go with every copy of it. */
static void put_licence(struct buf *out)
{
	buf_puts(out, "<!-- The chart library in this page is Vega; its copyright file:\n");
	for (size_t i = 0; i < asset_vega_licence_bytes; i++) {
		/* Two hyphens could end the comment. */
		if (asset_vega_licence[i] == '-')
			buf_puts(out, "- ");
		else
			buf_append(out, &asset_vega_licence[i], 1);
	}
	buf_puts(out, "-->\n");
}

void page_begin(struct buf *out, const char *title)
{
	buf_puts(out, PAGE_MARK);
	buf_puts(out, head);
	buf_puts(out, "<title>");
	escape_html(out, title);
	buf_puts(out, "</title>\n<style>\n");
	buf_append(out, asset_style, asset_style_bytes);
	buf_puts(out, "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">To the figures</a>\n"
		 "<div class=\"page\">\n");
}

void page_end(struct buf *out, const struct buf *json)
{
	buf_puts(out, "</main>\n<footer>Written by drivebay from result files alone. Charts: Vega "
		 "(licence in the source of this page).</footer>\n</div>\n"
		 "<script type=\"application/json\" id=\"data\">");
	buf_append(out, json->text, json->size);
	buf_puts(out, "</script>\n");
	put_licence(out);
	buf_puts(out, "<script>\n");
	buf_append(out, asset_vega, asset_vega_bytes);
	buf_puts(out, "</script>\n<script>\n");
	buf_append(out, asset_script, asset_script_bytes);
	buf_puts(out, "</script>\n</body></html>\n");
}

static char *title_of(struct summary *const *summaries, size_t count)
{
	struct buf title = BUF_INIT;

	for (size_t i = 0; i < count; i++)
		buf_printf(&title, "%s%s", i ? ", " : "", summaries[i]->label);
	buf_puts(&title, ": drivebay report");
	return title.text;
}

void page_html(struct summary *const *summaries, size_t count, struct buf *out)
{
	struct page page = { .summaries = summaries, .count = count, .out = out };
	_cleanup_free_ char *title = title_of(summaries, count);
	_cleanup_buf_ struct buf json = BUF_INIT;

	page.groups = summary_groups(summaries, count, &page.group_count);
	page_begin(out, title);
	put_header(&page);
	put_words(&page);
	put_key(&page);
	put_charts(&page);
	put_method(&page);
	put_run(&page);
	charts_json(summaries, count, &json);
	page_end(out, &json);
	free(page.groups);
}
