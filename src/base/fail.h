/*
 * fail.h - say what went wrong once, where it is known.
 *
 * The place that knows the reason calls fail() with the whole sentence and
 * returns its result; everybody above passes the code on; main() prints the
 * sentence once, as "drivebay: SENTENCE". A good sentence names the place, the
 * thing, the value found and what would do.
 *
 * The code decides the exit status: EINVAL means that the asker was wrong (an
 * argument, or the content of a file given as input) and ends in status 2; every
 * other code means that we tried and failed, or refused, and ends in status 1.
 */
#ifndef DRIVEBAY_BASE_FAIL_H
#define DRIVEBAY_BASE_FAIL_H

#include <stddef.h>

/*
 * Keeps the sentence for this thread (a later one replaces it) and returns
 * -code. `code` is a positive errno.
 */
int fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The last sentence of this thread; "" when there was none. */
const char *fail_message(void);

/* Out of memory while setting up: says so on stderr and ends with status 1. */
void *xmalloc(size_t bytes);
void *xcalloc(size_t count, size_t bytes);
void *xrealloc(void *old, size_t bytes);
char *xstrdup(const char *text);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
