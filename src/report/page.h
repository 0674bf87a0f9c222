/*
 * page.h - the printers behind report.h, on summaries made by hand or read.
 */
#ifndef DRIVEBAY_REPORT_PAGE_H
#define DRIVEBAY_REPORT_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/buf.h"
#include "report/summary.h"
#include "report/table.h"

/* The tables of one summary as text. */
void page_print(struct summary *summary, FILE *out, unsigned columns, bool curves);

/* The tables of page_print() in their order, each given to `visit` for as long as it runs. */
void page_tables(struct summary *summary, bool curves, void (*visit)(void *, const struct table *),
		 void *context);

/* The whole page about these summaries (at least one; labelled). */
void page_html(struct summary *const *summaries, size_t count, struct buf *out);

/*
 * What every page begins and ends with: style and title, then, after what the caller puts
 * (ending inside <main id="main">), the charts' data, library and script.
 */
void page_begin(struct buf *out, const char *title);
void page_end(struct buf *out, const struct buf *json);

/* A finished page into a new file or onto an old page of ours: see report_write_html(). */
int page_write(const struct buf *page, const char *path);

/*
 * The data of all charts as one JSON object, safe inside <script>. Which charts there are
 * and what page.js does with them: see charts.c.
 */
void charts_json(struct summary *const *summaries, size_t count, struct buf *out);

/* Whether group `name` has anything to draw: a curve in any result, or a series. */
bool charts_has_curve(struct summary *const *summaries, size_t count, const char *name);
bool charts_has_series(struct summary *const *summaries, size_t count, const char *name);
bool charts_has_percentiles(struct summary *const *summaries, size_t count, const char *name);

/* Every page that drivebay writes begins with this. */
#define PAGE_MARK "<!DOCTYPE html>\n<!-- drivebay report -->\n"

#endif
