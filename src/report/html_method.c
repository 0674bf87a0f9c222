/* How it was measured, and what was run. */
#include "report/html_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "report/escape.h"
#include "report/tables.h"

static size_t longest_merge(const struct page *page)
{
	size_t most = 1;

	for (size_t i = 0; i < page->count; i++)
		for (size_t g = 0; g < page->summaries[i]->group_count; g++)
			if (page->summaries[i]->groups[g].series.merged > most)
				most = page->summaries[i]->groups[g].series.merged;
	return most;
}

static void put_overload(struct page *page)
{
	for (size_t i = 0; i < page->count; i++) {
		if (!page->summaries[i]->overload)
			continue;
		buf_puts(page->out, "<dt>Overload</dt><dd>");
		if (page->count > 1) {
			escape_html(page->out, page->summaries[i]->label);
			buf_puts(page->out, ": ");
		}
		escape_html(page->out, page->summaries[i]->overload);
		buf_puts(page->out, "</dd>\n");
	}
}

static void put_order(struct page *page)
{
	for (size_t i = 0; i < page->count; i++) {
		const char *order = summary_order(page->summaries[i]);

		if (!order)
			continue;
		buf_puts(page->out, page->count > 1 ? " " : "Here they were made ");
		if (page->count > 1) {
			escape_html(page->out, page->summaries[i]->label);
			buf_puts(page->out, ": ");
		}
		buf_printf(page->out, "%s.", order);
	}
}

static void put_plans(struct page *page)
{
	for (size_t i = 0; i < page->count; i++) {
		const struct summary *summary = page->summaries[i];
		bool told = false;

		for (size_t k = 0; k < i; k++)
			told |= !strcmp(page->summaries[k]->plan, summary->plan);
		if (told || (!*summary->plan_help && !*summary->plan_source))
			continue;
		buf_puts(page->out, "<dt>Plan</dt><dd>");
		put_or(page, summary->plan, "unnamed");
		if (*summary->plan_help) {
			buf_puts(page->out, ": ");
			escape_html(page->out, summary->plan_help);
		}
		if (*summary->plan_source) {
			buf_puts(page->out, ". Source: ");
			escape_html(page->out, summary->plan_source);
		}
		buf_puts(page->out, ".</dd>\n");
	}
}

/* What the figures of a model rest on, by the marks in the drive file that the result keeps. */
static void put_marks(struct page *page, const struct summary *summary)
{
	size_t count = summary->spec_count + summary->fitted_count + summary->assumed_count;
	struct buf *out = page->out;

	if (!summary->modelled || !count)
		return;
	buf_puts(out, " ");
	if (page->count > 1) {
		escape_html(out, summary->label);
		buf_puts(out, ": ");
	}
	buf_printf(out, "%s its %zu values %zu are from specifications, ", page->count > 1 ? "of" : "Of",
		   count, summary->spec_count);
	if (summary->fitted_count)
		buf_printf(out, "%zu were fitted to published figures (which the drive file names) ",
			   summary->fitted_count);
	else
		buf_puts(out, "none were fitted to published figures ");
	buf_printf(out, "and %zu are assumed.", summary->assumed_count);
}

static void put_model(struct page *page)
{
	buf_puts(page->out, "<dt>Model</dt><dd>Results marked MODELLED come from a simulation of the drive's "
		 "mechanisms; the same seed gives the same figures on any machine.");
	for (size_t i = 0; i < page->count; i++)
		put_marks(page, page->summaries[i]);
	buf_puts(page->out, " <code>drivebay validate</code> prints the model's error against published "
		 "figures.</dd>\n");
}

void put_method(struct page *page)
{
	struct buf *out = page->out;

	buf_puts(out, "<section aria-labelledby=\"method\"><h2 id=\"method\">Method and caveats</h2>\n<dl>\n");
	put_plans(page);
	buf_puts(out, "<dt>Peak</dt><dd>The best point of the curve that the drive sustained: the last third of the "
		 "point ran at 95&nbsp;% of its mean or more. The points were offered at a percentage of what "
		 "the maximum run reached, open loop, with at most the workload's outstanding requests.</dd>\n"
		 "<dt>Maximum run</dt><dd>Flat out before the curve; where no steady state was established "
		 "first, it can end before garbage collection has begun: a burst, not a promise. ");
	put_order(page);
	buf_puts(out, "</dd>\n"
		 "<dt>Latency</dt><dd>From submission, as laboratories publish it. <em>Due</em> latency "
		 "counts from the moment a request should have gone out, so a stall is not hidden by "
		 "requests that were held back.</dd>\n"
		 "<dt>Little's law</dt><dd>IOPS x mean latency must equal the requests outstanding. They were "
		 "counted over time, independently of both; a difference above 1&nbsp;% is flagged.</dd>\n"
		 "<dt>Percentiles</dt><dd>n/a where fewer than ten samples lie above. Histogram error at most "
		 "0.4&nbsp;%.</dd>\n"
		 "<dt>Steady state</dt><dd>By SNIA's rule over five rounds: range at most 20&nbsp;%, slope at most "
		 "10&nbsp;% of their average.</dd>\n"
		 "<dt>Units</dt><dd>MB is 10<sup>6</sup> bytes, K of IOPS is 1,000, K of a request is "
		 "1,024 bytes.</dd>\n<dt>Charts</dt><dd>");
	if (longest_merge(page) > 1)
		buf_printf(out, "Long series are merged into at most %d samples (up to %zu windows each): rates "
			   "and means are weighted, p99 and max are the greatest of the windows merged. ",
			   SUMMARY_SAMPLES, longest_merge(page));
	else
		buf_puts(out, "Every measured window is drawn. ");
	buf_puts(out, "Each chart has its figures in a table below it.</dd>\n");
	if (!page_all(page, false))
		put_model(page);
	put_overload(page);
	buf_puts(out, "</dl>\n");
	put_folded(page, tables_workloads(page->summaries, page->count),
		   "Workload definitions and where they come from");
	buf_puts(out, "</section>\n");
}

void put_run(struct page *page)
{
	struct buf *out = page->out;

	buf_puts(out, "<section aria-labelledby=\"run\"><h2 id=\"run\">What was run</h2>\n<div class=\"facts\">\n");
	put_table(page, tables_facts(page->summaries, page->count));
	buf_puts(out, "</div>\n");
	for (size_t i = 0; i < page->count; i++) {
		_cleanup_free_ char *words = xasprintf("Phases of %s, one by one",
						       page->summaries[i]->label);

		put_folded(page, tables_phases(page->summaries[i]), words);
	}
	buf_puts(out, "</section>\n");
}
