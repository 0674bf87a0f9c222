/*
 * html_parts.h - what the files of the page share; private to report/.
 *
 * html.c puts the page together, html_charts.c the sections with charts, html_method.c how it was
 * measured, html_words.c the summary at the top, html_file.c writes files.
 */
#ifndef DRIVEBAY_REPORT_HTML_PARTS_H
#define DRIVEBAY_REPORT_HTML_PARTS_H

#include "report/page.h"
#include "report/table.h"

struct page {
	struct summary *const *summaries;
	size_t count;
	struct buf *out;
	const char **groups; /* names, of all results */
	size_t group_count;
};

void put_table(struct page *page, struct table *table); /* takes it; NULL is fine */
/* A long table, folded away under `words`. */
void put_folded(struct page *page, struct table *table, const char *words);
void put_or(struct page *page, const char *text, const char *otherwise);
bool page_all(const struct page *page, bool modelled); /* whether all are, or none */

void put_words(struct page *page);
void put_charts(struct page *page);
void put_method(struct page *page);
void put_run(struct page *page);

#endif
