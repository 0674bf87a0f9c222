/*
 * workload.h - what to send: sizes, reads and writes, addresses, threads.
 *
 * Plain data, read from workloads/NAME.yaml (format: doc/workload-format.md) and
 * constant from then on.
 */
#ifndef DRIVEBAY_LOAD_WORKLOAD_H
#define DRIVEBAY_LOAD_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pattern {
	PATTERN_UNIFORM,    /* any aligned place of the span, each equally likely */
	PATTERN_SEQUENTIAL, /* each thread walks its own equal part of the span, and wraps */
	PATTERN_ZIPF,       /* popularity by rank^-theta, ranks scattered over the span */
	PATTERN_FILL,       /* each place of the span once: sequential as above, but whose turn it
			       is gets drawn, as among writers that owe each other nothing. Not
			       for workload files: see run_fill() */
	PATTERN_TRACE,      /* the requests of `replay`; what else is here describes them, and sizes
			       are the largest of each kind. Not for workload files either */
};

struct replay;

/* At a rate: when. */
enum arrivals {
	ARRIVALS_DETERMINISTIC, /* every 1/rate */
	ARRIVALS_EXPONENTIAL,   /* a Poisson process: what many independent users make */
};

enum {
	WORKLOAD_SIZES = 32,
	WORKLOAD_THETA_MILLI_MAX = 2000,
	WORKLOAD_OUTSTANDING_MAX = 65536, /* an NVMe queue */
};

struct size_share {
	uint32_t size_bytes;
	uint32_t weight; /* relative */
};

struct size_mix {
	size_t count; /* at least 1 where the workload has such requests */
	struct size_share shares[WORKLOAD_SIZES];
};

struct workload {
	char *name, *help, *source; /* source: published, derived or ours, with words */
	uint32_t read_percent;      /* of the requests; the rest are writes */
	uint32_t trim_percent;      /* of the requests that are not reads */
	uint32_t zeroes_percent;    /* likewise, write zeroes; both together at most 100 */
	uint32_t compress_percent;  /* of what is written, how much a compressor can take away */
	enum pattern pattern;
	uint32_t random_percent;    /* 100: every request random; the rest go on after their
				       thread's last address. Meaningful with UNIFORM and ZIPF */
	uint32_t zipf_theta_milli;  /* 1..2000; 1200 is theta 1.2 */
	struct size_mix read_sizes, write_sizes; /* empty where there are no such requests;
				       trims and write zeroes have the sizes of writes */
	uint32_t align_bytes;       /* addresses are multiples of this; 0: of the request's size
				       when all sizes are equal, else of the smallest */
	uint32_t threads, depth;    /* outstanding = threads x depth */
	uint64_t span_millipercent; /* of the target; 100000 is all of it */

	/* What the files of other programs ask for; zero where nobody did. */
	uint64_t offset_bytes;      /* where the span begins */
	uint64_t span_bytes;        /* its size, instead of span_millipercent, which is 100000 */
	bool shares_span;           /* every thread goes over the whole span, also in sequence,
				       instead of over a part of its own */
	uint64_t thread_step_bytes; /* shares_span: the span of a thread begins so far behind that of
				       the thread before it */
	struct replay *replay;      /* PATTERN_TRACE: not owned, and not in a result */
	uint32_t flush_writes;      /* a flush after so many writes of a thread; 0: none */
};

/*
 * The workload `name` or path; freed with workload_free(). -EINVAL with file, line
 * and suggestion for anything wrong in it.
 */
int workload_load(const char *name, struct workload **out);

/* The same from memory: `size` bytes, which messages call `path`. */
int workload_parse(const char *path, const char *text, size_t size, struct workload **out);
void workload_free(struct workload *workload);

/* Whether a request may have this size: a multiple of 512 bytes up to 1 GiB. */
bool workload_size_is_valid(uint64_t bytes);

/* Whether it has writes, those with data. */
bool workload_writes(const struct workload *workload);

uint32_t workload_outstanding(const struct workload *workload);
uint32_t workload_max_bytes(const struct workload *workload); /* its largest request */

#endif
