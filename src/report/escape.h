/*
 * escape.h - text from files, made harmless where it goes.
 *
 * Names and notes come from files that anybody can have written. Whatever is not UTF-8
 * becomes U+FFFD, control characters become '?' on a terminal and spaces in HTML.
 */
#ifndef DRIVEBAY_REPORT_ESCAPE_H
#define DRIVEBAY_REPORT_ESCAPE_H

#include <stddef.h>

#include "base/buf.h"

/* Into HTML text or a double-quoted attribute. */
void escape_html(struct buf *buf, const char *text);

/* As a JSON string with its quotes; safe inside <script>: no '<', '>' or '&' remains. */
void escape_json(struct buf *buf, const char *text);

/* Onto a terminal: no escape sequence gets through. */
void escape_terminal(struct buf *buf, const char *text);

/* Columns on a terminal: characters, one column each. */
size_t text_width(const char *text);

#endif
