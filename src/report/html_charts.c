/* The sections with charts: curves, and what ran against time. */
#include "report/html_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "report/escape.h"
#include "report/tables.h"

static void put_legend(struct page *page, const char *name, bool curve)
{
	struct buf *out = page->out;

	buf_puts(out, "<ul class=\"legend\" aria-label=\"Legend\">");
	for (size_t i = 0; i < page->count && page->count > 1; i++) {
		const struct group_summary *group = summary_group(page->summaries[i], name);

		if (!group)
			continue;
		buf_printf(out, "<li><svg width=\"14\" height=\"14\" aria-hidden=\"true\"><rect width=\"14\" "
			   "height=\"14\" rx=\"2\" fill=\"var(--s%zu)\"/></svg>", i % 8);
		escape_html(out, page->summaries[i]->label);
		buf_puts(out, "</li>");
	}
#define LINE(style) "<li><svg width=\"30\" height=\"10\" aria-hidden=\"true\"><line x1=\"0\" y1=\"5\" " \
	"x2=\"30\" y2=\"5\" stroke=\"currentColor\" " style "/></svg>"
	buf_puts(out, LINE("stroke-width=\"2\"") "mean</li>"
		 LINE("stroke-width=\"1.5\" stroke-dasharray=\"5 4\"") "p99</li>");
	if (!curve && page->count == 1)
		buf_puts(out, LINE("stroke-width=\"1.25\" stroke-dasharray=\"1 2\"") "max</li>");
	if (curve)
		buf_puts(out, "<li><svg width=\"14\" height=\"14\" aria-hidden=\"true\"><circle cx=\"7\" cy=\"7\" "
			 "r=\"6\" fill=\"currentColor\"/></svg>peak</li>"
			 "<li><svg width=\"12\" height=\"12\" aria-hidden=\"true\"><circle cx=\"6\" cy=\"6\" r=\"4\" "
			 "fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"/></svg>"
			 "overloaded or not sustained</li>"
			 "<li><svg width=\"12\" height=\"12\" aria-hidden=\"true\"><path d=\"M1,1L11,11M1,11L11,1\" "
			 "stroke=\"currentColor\" stroke-width=\"2\"/></svg>maximum run</li>");
#undef LINE
	buf_puts(out, "</ul>\n");
}

static void put_plot(struct page *page, const char *kind, size_t g)
{
	buf_printf(page->out, "<div class=\"plot\" data-chart=\"%s-%zu\"><p class=\"note\">The chart is drawn by "
		   "the page's script; the table has its figures.</p></div>\n", kind, g);
}

static const struct group_summary *first_of(const struct page *page, const char *name)
{
	for (size_t i = 0; i < page->count; i++) {
		const struct group_summary *group = summary_group(page->summaries[i], name);

		if (group)
			return group;
	}
	return NULL;
}

static void put_group_head(struct page *page, const struct group_summary *group, size_t g)
{
	buf_printf(page->out, "<h3 id=\"g-%zu\">", g);
	escape_html(page->out, group->title);
	buf_puts(page->out, "</h3>\n<p class=\"sub\">");
	escape_html(page->out, group->name);
	buf_printf(page->out, ", at most %u outstanding</p>\n", group->outstanding);
}

/* The table of one kind for each result that has the group. */
static void put_group_tables(struct page *page, const char *name, const char *words,
			     struct table *(*make)(const struct group_summary *, const char *))
{
	for (size_t i = 0; i < page->count; i++) {
		const struct group_summary *group = summary_group(page->summaries[i], name);
		const char *label = page->count > 1 ? page->summaries[i]->label : NULL;
		_cleanup_free_ char *line = label ? xasprintf("%s: %s", words, label) : xstrdup(words);

		if (group)
			put_folded(page, make(group, label), line);
	}
}

static void put_percentiles(struct page *page, size_t g)
{
	const char *name = page->groups[g];

	if (!charts_has_percentiles(page->summaries, page->count, name))
		return;
	buf_puts(page->out, "<details><summary>Latency by percentile, at the peak</summary>\n<figure>"
		 "<figcaption class=\"note\">From submission, up to five nines: how long all but one in a "
		 "hundred, a thousand ... take at most. A line ends where fewer than ten requests lie "
		 "above.</figcaption>\n");
	put_plot(page, "percentiles", g);
	buf_puts(page->out, "</figure>\n");
	put_folded(page, tables_percentiles(page->summaries, page->count, name), "As a table");
	buf_puts(page->out, "</details>\n");
}

static void put_curve(struct page *page, size_t g)
{
	const char *name = page->groups[g];
	const struct group_summary *group = first_of(page, name);

	put_group_head(page, group, g);
	buf_puts(page->out, "<figure><figcaption class=\"note\">Latency from submission against the IOPS "
		 "achieved, one point for each offered rate.</figcaption>\n");
	put_legend(page, name, true);
	put_plot(page, "curve", g);
	buf_puts(page->out, "</figure>\n");
	put_group_tables(page, name, "Every point as a table", tables_curve);
	put_percentiles(page, g);
	if (!charts_has_series(page->summaries, page->count, name))
		return;
	buf_puts(page->out, "<details><summary>The run before the curve, against time</summary>\n<figure>\n");
	put_legend(page, name, false);
	put_plot(page, "series", g);
	buf_puts(page->out, "</figure>\n");
	put_group_tables(page, name, "As a table", tables_series);
	buf_puts(page->out, "</details>\n");
}

static void put_verdict(struct page *page, const struct summary *summary,
			const struct group_summary *group)
{
	const struct steady_summary *steady = &group->steady;
	struct buf *out = page->out;

	if (!steady->present)
		return;
	buf_puts(out, "<p class=\"verdict\">");
	if (page->count > 1) {
		escape_html(out, summary->label);
		buf_puts(out, ": ");
	}
	if (steady->verdict.steady)
		buf_puts(out, "<strong class=\"yes\">Steady</strong>");
	else
		buf_printf(out, "<strong class=\"no\">%s</strong>",
			   steady->ended ? "Not steady" : "Unfinished");
	buf_printf(out, " after %zu round%s", steady->round_count, steady->round_count == 1 ? "" : "s");
	if (steady->judged) {
		buf_puts(out, ": over the last five the average is ");
		number_put(out, steady->verdict.average);
		buf_printf(out, " IOPS, their range %.1f&nbsp;%% of it (limit 20&nbsp;%%), their slope %.1f&nbsp;%% (limit "
			   "10&nbsp;%%)", steady->verdict.range_share * 100, steady->verdict.slope_share * 100);
	}
	buf_puts(out, ".</p>\n");
}

/* Time in a chart is as it ran: a drive at 1/64 of its size is full 64 times as soon. */
static void put_scale_note(struct page *page)
{
	for (size_t i = 0; i < page->count; i++) {
		unsigned long long scale = page->summaries[i]->scale;

		if (scale == 1 || page->summaries[i]->single)
			continue;
		buf_puts(page->out, " ");
		if (page->count > 1) {
			escape_html(page->out, page->summaries[i]->label);
			buf_puts(page->out, ": ");
		}
		buf_printf(page->out, "%s is as run at 1/%llu of the drive's size: the whole drive takes %llu "
			   "times as long.", page->count > 1 ? "time" : "Time", scale, scale);
	}
}

static void put_series(struct page *page, size_t g)
{
	const char *name = page->groups[g];
	const struct group_summary *group = first_of(page, name);
	bool steady = false;

	put_group_head(page, group, g);
	for (size_t i = 0; i < page->count; i++) {
		const struct group_summary *mine = summary_group(page->summaries[i], name);

		if (!mine)
			continue;
		put_verdict(page, page->summaries[i], mine);
		steady |= mine->steady.present;
	}
	if (charts_has_series(page->summaries, page->count, name)) {
		buf_printf(page->out, "<figure><figcaption class=\"note\">%s",
			   steady ? "The five rounds that were judged are shaded; the dotted line is their "
				    "least-squares line." : "From the first request to the last.");
		put_scale_note(page);
		buf_puts(page->out, "</figcaption>\n");
		put_legend(page, name, false);
		put_plot(page, "series", g);
		buf_puts(page->out, "</figure>\n");
	} else {
		buf_puts(page->out, "<p class=\"note\">No window was measured, so there is no chart.</p>\n");
	}
	put_percentiles(page, g);
	put_group_tables(page, name, "Rounds as a table", tables_rounds);
	put_group_tables(page, name, "Series as a table", tables_series);
}

static bool draws_curve(const struct page *page, size_t g)
{
	for (size_t i = 0; i < page->count; i++) {
		const struct group_summary *group = summary_group(page->summaries[i], page->groups[g]);

		if (group && group->has_curve)
			return true;
	}
	return false;
}

void put_charts(struct page *page)
{
	struct buf *out = page->out;
	size_t curves = 0;

	buf_puts(out, "<section aria-labelledby=\"curves\"><h2 id=\"curves\">Latency against IOPS</h2>\n");
	for (size_t g = 0; g < page->group_count; g++) {
		if (!draws_curve(page, g))
			continue;
		put_curve(page, g);
		curves++;
	}
	if (!curves)
		buf_puts(out, "<p>No curve was run.</p>\n");
	buf_puts(out, "</section>\n<section aria-labelledby=\"time\"><h2 id=\"time\">Against time, steady state</h2>\n");
	if (curves == page->group_count)
		buf_puts(out, "<p>No run until steady state was made.</p>\n");
	for (size_t g = 0; g < page->group_count; g++)
		if (!draws_curve(page, g))
			put_series(page, g);
	buf_puts(out, "</section>\n");
}
