/*
 * fio.h - fio job files: bytes in, jobs out.
 *
 * What a file says is taken as fio takes it: [global] and job sections, `key=value` or a bare
 * key, ';' and '#' begin a comment, ${NAME} is the environment's, `include FILE`, sizes by
 * kb_base, a value for each of reads, writes and trims behind commas.
 *
 * A key is read, or accepted with a note (it tunes fio itself, or says what is the case here
 * anyway), or refused with a sentence that says what to do. An unknown key is an error. Nothing
 * is replaced in silence.
 *
 * No file but the one given is opened here: whoever calls brings what include and ${NAME} need.
 */
#ifndef DRIVEBAY_WIRE_FIO_H
#define DRIVEBAY_WIRE_FIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FIO_READS, FIO_WRITES, FIO_TRIMS, FIO_KINDS };

enum { FIO_SIZES = 32 };

/* Bytes, or a share of the target in 1/1000 of a percent. */
struct fio_amount {
	bool is_given, is_percent;
	uint64_t value;
};

/* Sizes of requests and their weights, relative to each other. */
struct fio_sizes {
	size_t count;
	struct fio_share {
		uint64_t bytes;
		uint32_t weight;
	} shares[FIO_SIZES];
};

struct fio_job {
	char *name;
	unsigned line;                    /* of its section */
	bool does[FIO_KINDS];
	bool is_random;
	bool may_repeat;                  /* norandommap: a place may come twice before all came */
	struct fio_sizes sizes[FIO_KINDS];
	uint64_t align_bytes;             /* 0: not given */
	uint32_t read_percent;            /* of a mix */
	uint32_t random_percent;          /* is_random: the rest goes on behind the last one */
	uint32_t zipf_theta_milli;        /* 0: every place equally likely */
	uint32_t iodepth, numjobs;
	bool is_async;                    /* its engine keeps more than one in flight */
	char *engine;                     /* NULL: fio's own choice, psync */
	char *filename;                   /* NULL: each clone has a file of its own */
	struct fio_amount size, io_size, offset, offset_step;
	uint64_t loops;
	bool is_time_based;
	uint64_t runtime_ns, ramp_ns;     /* 0: none */
	uint64_t rate_bytes[FIO_KINDS];   /* a second; 0: none */
	uint64_t rate_iops[FIO_KINDS];
	bool is_poisson;
	uint32_t flush_writes;            /* fsync=N, fdatasync=N; 0: never */
	bool is_stonewalled;              /* begins when all before it are through */
	uint32_t kb_base;
};

struct fio_file {
	struct fio_job *jobs;
	size_t job_count;
	char **notes;                     /* what was accepted and has no effect: a line each */
	size_t note_count;
};

/* What lies outside of the file. */
struct fio_world {
	/* A variable's value; NULL: not set. */
	const char *(*variable)(void *context, const char *name);
	/* The text of an included file, to be freed, and its size; -EINVAL with a sentence. */
	int (*include)(void *context, const char *path, char **text, size_t *size);
	void *context;
};

/*
 * Reads `size` bytes that messages call `path`. 0, or -EINVAL with a sentence that names line and
 * key. Freed with fio_file_free(); NULL is fine.
 */
int fio_parse(const char *path, const char *text, size_t size, const struct fio_world *world,
	      struct fio_file **out);
void fio_file_free(struct fio_file *file);

#endif
