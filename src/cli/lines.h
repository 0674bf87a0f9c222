/*
 * lines.h - the lines of a file of any length, packed with gzip or zstd or not.
 */
#ifndef DRIVEBAY_CLI_LINES_H
#define DRIVEBAY_CLI_LINES_H

#include <stddef.h>
#include <stdint.h>

struct lines;

/* 0 or a negative errno with a sentence that begins with the path, as all here. */
int lines_open(const char *path, struct lines **out);
void lines_close(struct lines *lines); /* NULL is fine */

/* 1: *line, without its end, valid until the next call; 0: that was all; -errno. */
int lines_next(struct lines *lines, const char **line, size_t *length);

/* The number of the last one, from 1. */
uint64_t lines_number(const struct lines *lines);

/* The beginning of a file, unpacked: at most `room` bytes; how many are in *size. */
int lines_head(const char *path, char *out, size_t room, size_t *size);

#endif
