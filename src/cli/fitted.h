/*
 * fitted.h - the calibrated values of a drive or bed file, as its text has them.
 *
 * Both kinds of file are mappings of values with a mark; what a value is fitted to, what it would
 * be without, and what there is to choose from stand beside it (doc/drive-format.md). This reads
 * those, and makes the text of the same file with other values, everything else byte for byte.
 */
#ifndef DRIVEBAY_CLI_FITTED_H
#define DRIVEBAY_CLI_FITTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A figure that a value was fitted to. */
struct fitted_row {
	char *drive, *test, *statistic;
	unsigned line;
};

enum fitted_kind {
	FITTED_CHOICE,   /* one of `among` */
	FITTED_DURATION, /* searched, in ns */
	FITTED_SPEED,    /* searched, in bytes per second */
};

struct fitted_value {
	char *name;          /* "controller.copy_unit"; in a bed "command" */
	unsigned line;       /* of its key */
	enum fitted_kind kind;
	char *value, *prior; /* prior: NULL where rows are not named, and then there are no rows */
	size_t at;           /* where `value` stands in the text */
	size_t among_count, row_count;
	char **among;
	struct fitted_row *rows;
};

struct fitted_file {
	char *path, *text;
	size_t count;
	struct fitted_value *values; /* all with mark: calibrated, in the file's order */
};

/*
 * Reads `path`, which drive_load() or bed_load() has accepted. Rows without a drive are those of
 * `drive`; NULL (a bed): each has to name one. -EINVAL with file and line for that, for a value
 * that can neither be searched (a duration or a speed) nor chosen (among), and for one in quotes.
 */
int fitted_load(const char *path, const char *drive, struct fitted_file **out);
int fitted_parse(const char *path, const char *text, size_t size, const char *drive,
		 struct fitted_file **out);
void fitted_free(struct fitted_file *file); /* NULL is fine */

/* The text with texts[i] for values[i]; NULL: as it is. To be freed. */
char *fitted_text(const struct fitted_file *file, const char *const *texts);

/* Puts that in place of the file, whole or not at all. */
int fitted_write(const struct fitted_file *file, const char *const *texts);

/* A duration or speed as a number (ns, bytes per second), and a number as the text of one, with
   three significant digits: "5.13us", "1.83GB/s". */
double fitted_number(enum fitted_kind kind, const char *text);
char *fitted_format(enum fitted_kind kind, double number);

#endif
