/*
 * buf.h - a string that grows.
 *
 * Starts as BUF_INIT, ends with buf_free(). `text` is always NUL-terminated once
 * something was added, and NULL before that. Out of memory ends the program.
 */
#ifndef DRIVEBAY_BASE_BUF_H
#define DRIVEBAY_BASE_BUF_H

#include <stddef.h>

struct buf {
	char *text;
	size_t size;     /* bytes used, without the NUL */
	size_t capacity; /* bytes allocated */
};

#define BUF_INIT { NULL, 0, 0 }

void buf_append(struct buf *buf, const void *bytes, size_t size);
void buf_puts(struct buf *buf, const char *text);
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_free(struct buf *buf);

#define _cleanup_buf_ __attribute__((cleanup(buf_free)))

#endif
