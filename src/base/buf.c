#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

static void reserve(struct buf *buf, size_t more)
{
	size_t need = buf->size + more + 1;

	if (need <= buf->capacity)
		return;
	while (buf->capacity < need)
		buf->capacity = buf->capacity ? buf->capacity * 2 : 256;
	buf->text = xrealloc(buf->text, buf->capacity);
}

void buf_append(struct buf *buf, const void *bytes, size_t size)
{
	reserve(buf, size);
	if (size)
		memcpy(buf->text + buf->size, bytes, size);
	buf->size += size;
	buf->text[buf->size] = '\0';
}

void buf_puts(struct buf *buf, const char *text)
{
	buf_append(buf, text, strlen(text));
}

void buf_printf(struct buf *buf, const char *format, ...)
{
	va_list args, again;
	int length;

	va_start(args, format);
	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length > 0) {
		reserve(buf, (size_t)length);
		vsnprintf(buf->text + buf->size, (size_t)length + 1, format, again);
		buf->size += (size_t)length;
	}
	va_end(again);
}

void buf_free(struct buf *buf)
{
	free(buf->text);
	*buf = (struct buf)BUF_INIT;
}
