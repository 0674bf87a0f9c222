/* vdbench_read.h - what the parts of the reader of vdbench files share; private to wire/vdbench*.c. */
#ifndef DRIVEBAY_WIRE_VDBENCH_READ_H
#define DRIVEBAY_WIRE_VDBENCH_READ_H

#include "wire/vdbench.h"

enum { VDB_PARTS = 2 * VDB_LIST };

/* key=value or key=(a,b,c). */
struct vdb_pair {
	const char *path;
	unsigned line;
	char *key;
	char *parts[VDB_PARTS];
	size_t count;
};

struct vdb_reader {
	const char *path;
	struct vdb_file *file;
	struct vdb_sd sd;  /* the defaults so far */
	struct vdb_wd wd;
	struct vdb_rd rd;
};

int vdb_fail(const struct vdb_pair *pair, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void vdb_note(struct vdb_reader *reader, const struct vdb_pair *pair, const char *sentence);

/* One statement: its first pair names it. */
int vdb_statement(struct vdb_reader *reader, struct vdb_pair *pairs, size_t count);

#endif
