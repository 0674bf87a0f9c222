#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "base/units.h"
#include "report/assets.h"
#include "report/escape.h"
#include "report/page.h"
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

struct page {
	struct summary *const *summaries;
	size_t count;
	struct buf *out;
	const char **groups; /* names, of all results */
	size_t group_count;
};

static void put_table(struct page *page, struct table *table)
{
	if (table)
		table_html(table, page->out);
	table_free(table);
}

/* A long table, folded away under `words`. */
static void put_folded(struct page *page, struct table *table, const char *words)
{
	if (!table)
		return;
	buf_printf(page->out, "<details%s><summary>", table->prose ? " class=\"prose\"" : "");
	escape_html(page->out, words);
	buf_puts(page->out, "</summary>\n");
	put_table(page, table);
	buf_puts(page->out, "</details>\n");
}

static bool all(const struct page *page, bool modelled)
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

static void put_or(struct page *page, const char *text, const char *otherwise)
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
			   all(page, true) ? " <span class=\"kind modelled\">MODELLED</span>" : "");
	}
	buf_puts(out, "</h1>\n");
	for (size_t i = 0; i < page->count; i++)
		put_lede(page, page->summaries[i]);
	buf_puts(out, "<nav aria-label=\"Sections\"><ul>"
		 "<li><a href=\"#key\">Key figures</a></li>"
		 "<li><a href=\"#curves\">Latency against IOPS</a></li>"
		 "<li><a href=\"#time\">Against time, steady state</a></li>"
		 "<li><a href=\"#method\">Method and caveats</a></li>"
		 "<li><a href=\"#run\">What was run</a></li></ul></nav>\n</header>\n<main id=\"main\">\n");
}

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

static void put_group_head(struct page *page, const struct group_summary *group)
{
	buf_puts(page->out, "<h3>");
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

static void put_curve(struct page *page, size_t g)
{
	const char *name = page->groups[g];
	const struct group_summary *group = first_of(page, name);

	put_group_head(page, group);
	buf_puts(page->out, "<figure><figcaption class=\"note\">Latency from submission against the IOPS "
		 "achieved, one point for each offered rate.</figcaption>\n");
	put_legend(page, name, true);
	put_plot(page, "curve", g);
	buf_puts(page->out, "</figure>\n");
	put_group_tables(page, name, "Every point as a table", tables_curve);
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

	put_group_head(page, group);
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

static void put_sections(struct page *page)
{
	struct buf *out = page->out;
	size_t curves = 0;

	buf_puts(out, "<section aria-labelledby=\"key\"><h2 id=\"key\">Key figures</h2>\n");
	put_caveats(page);
	put_table(page, tables_peaks(page->summaries, page->count));
	put_table(page, tables_checks(page->summaries, page->count));
	put_table(page, tables_busy(page->summaries, page->count));
	put_table(page, tables_endurance(page->summaries, page->count));
	put_table(page, tables_steady(page->summaries, page->count));
	put_applications(page);
	buf_puts(out, "</section>\n<section aria-labelledby=\"curves\"><h2 id=\"curves\">Latency against IOPS</h2>\n");
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

static void put_method(struct page *page)
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
	if (!all(page, false))
		put_model(page);
	put_overload(page);
	buf_puts(out, "</dl>\n");
	put_folded(page, tables_workloads(page->summaries, page->count),
		   "Workload definitions and where they come from");
	buf_puts(out, "</section>\n");
}

static void put_run(struct page *page)
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
	put_sections(&page);
	put_method(&page);
	put_run(&page);
	charts_json(summaries, count, &json);
	page_end(out, &json);
	free(page.groups);
}

/* -EEXIST when there is something at `path` that must stay. */
static int may_replace(const char *path, bool force)
{
	char found[sizeof(PAGE_MARK) - 1];
	struct stat st;
	_cleanup_close_ int fd = -1;

	if (stat(path, &st) < 0)
		return errno == ENOENT ? 0 : fail(errno, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return fail(EEXIST, "%s: is not a regular file; the report goes to a new file or onto "
			    "an old report", path);
	if (force)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail(errno, "%s: %s", path, strerror(errno));
	if (read(fd, found, sizeof(found)) != (ssize_t)sizeof(found)
	    || memcmp(found, PAGE_MARK, sizeof(found)))
		return fail(EEXIST, "%s: exists and is no report of drivebay; choose another name with "
			    "--output, or replace it with 'drivebay report --force'", path);
	return 0;
}

static int write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t written = write(fd, bytes, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		bytes += written;
		size -= (size_t)written;
	}
	return fsync(fd) < 0 && errno != EINVAL ? -errno : 0;
}

/* Beside it first, then renamed: whoever looks sees the old page or the new one, whole. */
static int write_file(const char *path, const struct buf *page)
{
	_cleanup_free_ char *beside = xasprintf("%s.XXXXXX", path);
	mode_t mask = umask(0);
	int fd = mkostemp(beside, O_CLOEXEC);
	int err;

	umask(mask);
	if (fd < 0)
		return fail(errno, "%s: cannot be written: %s", path, strerror(errno));
	err = write_all(fd, page->text, page->size);
	if (!err && fchmod(fd, 0666 & ~mask) < 0)
		err = -errno;
	if (close(fd) < 0 && !err)
		err = -errno;
	if (!err && rename(beside, path) < 0)
		err = -errno;
	if (!err)
		return 0;
	unlink(beside);
	return fail(-err, "%s: cannot be written: %s", path, strerror(-err));
}

int page_write(const struct buf *page, const char *path)
{
	int err = may_replace(path, false);

	return err ? err : write_file(path, page);
}

static int write_page(struct result *const *results, size_t count, const char *path, bool force)
{
	_cleanup_buf_ struct buf page = BUF_INIT;
	struct summary **summaries;
	int err;

	if (count > REPORT_RESULTS)
		return fail(EINVAL, "%zu results do not fit on one page; at most %d stand side by side",
			    count, REPORT_RESULTS);
	err = may_replace(path, force);
	if (err)
		return err;
	summaries = xcalloc(count, sizeof(*summaries));
	for (size_t i = 0; !err && i < count; i++)
		err = summary_read(results[i], &summaries[i]);
	if (!err) {
		summary_label(summaries, count);
		page_html(summaries, count, &page);
		err = write_file(path, &page);
	}
	for (size_t i = 0; i < count; i++)
		summary_free(summaries[i]);
	free(summaries);
	return err;
}

int report_may_write_html(const char *path)
{
	return may_replace(path, false);
}

int report_write_html(struct result *const *results, size_t count, const char *path)
{
	return write_page(results, count, path, false);
}

int report_overwrite_html(struct result *const *results, size_t count, const char *path)
{
	return write_page(results, count, path, true);
}
