/*
 * application.h - an application of workloads/apps/, as a plan carries it.
 *
 * Plain data: what plans, results and reports need to know of it. What it does is in its text,
 * which src/app reads.
 */
#ifndef DRIVEBAY_LOAD_APPLICATION_H
#define DRIVEBAY_LOAD_APPLICATION_H

#include <stdbool.h>
#include <stdint.h>

struct application {
	char *name, *help, *source;
	char *text;       /* the whole file */
	uint64_t time_ns; /* how long it is measured; 0: until its work is done */
};

/* The application `name` or path; freed with application_free(). -EINVAL with file and line. */
int application_load(const char *name, struct application **out);

/* The same from memory: `size` bytes, which messages call `path`. */
int application_parse(const char *path, const char *text, size_t size, struct application **out);
void application_free(struct application *application); /* NULL is fine */

/* Whether `name` is one: of workloads/apps/, or the path of a file with a `kind`. */
bool application_exists(const char *name);

#endif
