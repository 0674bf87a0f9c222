/*
 * fio_read.h - what the parts of the reader of fio job files share; private to wire/fio*.c.
 */
#ifndef DRIVEBAY_WIRE_FIO_READ_H
#define DRIVEBAY_WIRE_FIO_READ_H

#include "wire/fio.h"

/* A key of a section, as it stands there, ${NAME} replaced. */
struct fio_entry {
	char *key, *value; /* value NULL: a bare key */
	const char *path;
	unsigned line;
};

struct fio_reader {
	const char *path;          /* of the file being read */
	const struct fio_world *world;
	struct fio_file *file;
	struct fio_job defaults;   /* of [global] so far */
	char **paths;              /* of what was included: entries point to them */
	size_t path_count;
	unsigned depth;            /* of includes */

	bool in_section, is_global;
	char *section;
	unsigned section_line;
	struct fio_entry *entries; /* of the section being read */
	size_t entry_count;
};

/* -EINVAL: "PATH:LINE: KEY=VALUE: SENTENCE". */
int fio_fail(const struct fio_entry *entry, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Keeps a note on this entry, once for each sentence. */
void fio_note(struct fio_reader *reader, const struct fio_entry *entry, const char *sentence);

/* One entry into the job. */
int fio_apply(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job);

/*
 * Numbers as fio writes them, of `length` bytes at text; decimals are exact or refused. Amounts
 * take a percentage too. 0 or -EINVAL with a sentence.
 */
int fio_bytes(const struct fio_entry *entry, const char *text, size_t length, uint32_t kb_base,
	      uint64_t *out);
int fio_amount(const struct fio_entry *entry, uint32_t kb_base, struct fio_amount *out);
int fio_time(const struct fio_entry *entry, uint64_t unit_ns, uint64_t *ns);
int fio_milli(const struct fio_entry *entry, const char *text, size_t length, uint64_t *out);

#endif
