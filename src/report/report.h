/*
 * report.h - results as tables in the terminal and as one HTML page.
 *
 * Only result files are read; nothing here changes a run or a result. A killed run is
 * reported as far as it went, and the report says what is missing.
 */
#ifndef DRIVEBAY_REPORT_REPORT_H
#define DRIVEBAY_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "store/result.h"

/*
 * The tables of one result as plain text, `columns` wide (80 is the least; wider ones show
 * more). The second also prints every point of every curve.
 */
int report_print(struct result *result, FILE *out, unsigned columns);
int report_print_curves(struct result *result, FILE *out, unsigned columns);

/*
 * The same tables for programs. CSV: each after an empty line and a line with its title, which
 * begins with "# "; then a line of column names with their units, "IOPS (1/s)". JSON: one
 * object with "words", "caveats" and "tables" (title, columns, rows). Numbers are without
 * thousands separators; what is not known is empty in CSV and null in JSON.
 */
int report_print_csv(struct result *result, FILE *out, bool curves);
int report_print_json(struct result *result, FILE *out, bool curves);

enum { REPORT_RESULTS = 16 }; /* the most that stand side by side */

/*
 * One self-contained page about these results side by side: no network, charts and tables,
 * light and dark, phone to paper. Written beside `path` and renamed onto it, so that a full
 * disk (-ENOSPC) leaves what was there. -EEXIST when `path` exists and is not a page that
 * drivebay wrote; report_overwrite_html() replaces any regular file. report_may_write_html()
 * says so beforehand: 0, or the same error with its sentence.
 */
int report_may_write_html(const char *path);
int report_write_html(struct result *const *results, size_t count, const char *path);
int report_overwrite_html(struct result *const *results, size_t count, const char *path);

#endif
