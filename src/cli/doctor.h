/*
 * doctor.h - what on this host would spoil a measurement of a device or file.
 *
 * Reads /sys and /proc only: nothing is opened for writing, nothing is changed, the device is
 * left alone. What the kernel does not tell is no finding. A check is a function and a line in
 * one of the two tables: of the device (doctor_device.c) or of the host (doctor_host.c).
 */
#ifndef DRIVEBAY_CLI_DOCTOR_H
#define DRIVEBAY_CLI_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"

struct finding {
	bool spoils;   /* figures will be wrong or differ from run to run; else: good to know */
	char *what;    /* "scheduler" */
	char *where;   /* "/sys/block/sda/queue/scheduler" */
	char *found;   /* "mq-deadline" */
	char *why;     /* a sentence */
	char *mend;    /* what to type or do, a sentence or a command; "" when there is nothing */
};

/* A block device that requests to the target pass through. */
struct doctor_layer {
	dev_t dev;
	char *path;    /* in sysfs, below the root: "/sys/devices/.../nvme0n1" */
	char *name;    /* "nvme0n1" */
	bool is_disk;  /* at the bottom: nothing lies beneath it, and it is no partition */
};

enum { DOCTOR_LAYERS = 16 };

struct doctor {
	char *root;    /* before every path of /sys and /proc: "", or a directory that a test made */
	dev_t dev;     /* the device; of a file that of its file system */
	bool is_file;
	size_t layer_count;
	struct doctor_layer layers[DOCTOR_LAYERS]; /* the target first, disks last */
	size_t finding_count;
	struct finding *findings;
};

/*
 * Examines what stands behind device number `dev`, or a file whose file system has that number.
 * `root` is "" for this machine, else a directory that holds its sys/ and proc/. Never fails:
 * what cannot be read is left out. Ended with doctor_free().
 */
struct doctor *doctor_examine(const char *root, dev_t dev, bool is_file);

/* The same of the device or file called `path` ("uring:" may stand before it) on this machine;
   -EINVAL with a sentence when it is neither. */
int doctor_examine_path(const char *path, struct doctor **out);
void doctor_free(struct doctor *doctor); /* NULL is fine */

/* The finding called `what`, or NULL; how many spoil a measurement. */
const struct finding *doctor_finding(const struct doctor *doctor, const char *what);
size_t doctor_spoilers(const struct doctor *doctor);

/* One line each, for the host facts of a result: "! scheduler: mq-deadline (/sys/...): why"; those
   that spoil nothing begin with "-". */
void doctor_put_lines(const struct doctor *doctor, struct buf *out);

/* For the checks. */

/* The text of root + path, tidied, at most `size` - 1 bytes; false when there is none. */
bool doctor_text(const struct doctor *doctor, char *out, size_t size, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* A whole number there; false when there is none. */
bool doctor_number(const struct doctor *doctor, long long *out, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The whole of a file with its lines ("" when there is none), to be freed. */
char *doctor_file(const struct doctor *doctor, const char *path);
/* Names in a directory that begin with `prefix`, sorted; freed with doctor_names_free(). */
char **doctor_names(const struct doctor *doctor, const char *path, const char *prefix, size_t *count);
void doctor_names_free(char **names, size_t count);
/* "none [mq-deadline] kyber": what stands in brackets; false when nothing does. */
bool doctor_chosen(const char *text, char *out, size_t size);

/* Adds a finding: `where` and `found` as they are, `why` and `mend` printed. Returns it. */
void doctor_add(struct doctor *doctor, bool spoils, const char *what, const char *where,
		const char *found, const char *why, const char *mend);

void doctor_check_layers(struct doctor *doctor);
void doctor_check_device(struct doctor *doctor, const struct doctor_layer *disk);
void doctor_check_host(struct doctor *doctor);

#endif
