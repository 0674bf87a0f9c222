#include "base/fail.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char message[1024];

int fail(int code, const char *format, ...)
{
	va_list args;

	assert(code > 0);
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return -code;
}

const char *fail_message(void)
{
	return message;
}

static void *or_die(void *memory)
{
	if (!memory) {
		fputs("drivebay: out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

void *xmalloc(size_t bytes)
{
	return or_die(malloc(bytes ? bytes : 1));
}

void *xcalloc(size_t count, size_t bytes)
{
	return or_die(calloc(count ? count : 1, bytes ? bytes : 1));
}

void *xrealloc(void *old, size_t bytes)
{
	return or_die(realloc(old, bytes ? bytes : 1));
}

char *xstrdup(const char *text)
{
	return or_die(strdup(text));
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	return or_die(length < 0 ? NULL : text);
}
