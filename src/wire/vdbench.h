/*
 * vdbench.h - vdbench parameter files: bytes in, runs out.
 *
 * Statements begin with general=, hd=, sd=, wd= or rd=; `key=value` between commas, lists in brackets,
 * a comma at the end goes on in the next line, what begins with '*', '#' or '/' and what stands behind a blank is a
 * comment. Keys may be abbreviated where only one begins so. `default` entries hold for those behind them.
 *
 * A key is read, or accepted with a note, or refused with a sentence that names line and key.
 */
#ifndef DRIVEBAY_WIRE_VDBENCH_H
#define DRIVEBAY_WIRE_VDBENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VDB_LIST = 64, VDB_SIZES = 32 };

/* Sizes of requests and their weights. */
struct vdb_sizes {
	size_t count;
	struct vdb_share {
		uint64_t bytes;
		uint32_t weight;
	} shares[VDB_SIZES];
};

/* A list of numbers, as `for` loops and rates have them. */
struct vdb_list {
	size_t count;
	uint64_t values[VDB_LIST];
};

struct vdb_sd {
	char *name;
	unsigned line;
	uint32_t threads;
	uint64_t size_bytes, offset_bytes, align_bytes; /* 0: not given */
	uint32_t range_milli[2]; /* of the size, in 1/1000 of a percent; 0, 0: all of it */
};

struct vdb_wd {
	char *name, *sd;       /* sd: a name, or with a star at its end */
	unsigned line;
	struct vdb_sizes sizes;
	uint32_t read_percent, seek_percent;
	uint32_t skew_percent; /* 0: its part of what is left */
	uint32_t threads;      /* 0: the sd's */
	uint32_t range_milli[2];
};

enum vdb_rate { VDB_MAX, VDB_CURVE, VDB_RATES };

struct vdb_rd {
	char *name;
	unsigned line;
	char *wds[VDB_LIST];   /* names, or with a star at the end */
	size_t wd_count;
	enum vdb_rate rate;
	struct vdb_list rates, curve; /* VDB_RATES; VDB_CURVE: percent of the maximum */
	uint64_t elapsed_s, interval_s, warmup_s, max_bytes;
	bool is_exponential;
	struct vdb_list threads, reads, seeks; /* loops; count 0: none */
	struct vdb_list xfers;
};

struct vdb_file {
	struct vdb_sd *sds;
	struct vdb_wd *wds;
	struct vdb_rd *rds;
	size_t sd_count, wd_count, rd_count;
	char **notes;
	size_t note_count;
};

/* 0 or -EINVAL with a sentence. Freed with vdb_free(); NULL is fine. */
int vdb_parse(const char *path, const char *text, size_t size, struct vdb_file **out);
void vdb_free(struct vdb_file *file);

/* Does `name` fit the pattern: the same, or up to a star at its end? */
bool vdb_matches(const char *pattern, const char *name);

#endif
