/*
 * boot.h - the boot-drive benchmark's decisions: how many read jobs next, and when it is over.
 *
 * Pure: the caller runs the step that boot_step() names and tells boot_take() how it went.
 *
 *	climb   4, 8, 16 ... jobs while steps are valid
 *	bisect  between the last valid and the first that was not, until they are neighbours
 *	confirm from the most that was valid down, until `confirmations` steps in a row are valid at
 *	        one number; the least IOPS of these count
 *
 * Not valid at the first step: DNF, as is a confirmation that finds no number.
 */
#ifndef DRIVEBAY_LOAD_BOOT_H
#define DRIVEBAY_LOAD_BOOT_H

#include <stdbool.h>
#include <stdint.h>

struct boot_rules {
	uint32_t first, most;       /* jobs: 4, 256 */
	uint32_t confirmations;     /* 3 */
	uint64_t read_p99_ns, read_p999_ns, read_max_ns;
	uint64_t write_least_bytes_per_s, trim_least_bytes_per_s; /* in each cycle */
	uint64_t pass_iops;         /* a pass is above it */
};

enum boot_gate {
	BOOT_VALID,
	BOOT_READ_P99,
	BOOT_READ_P999,
	BOOT_READ_MAX,
	BOOT_WRITE_RATE,
	BOOT_TRIM_RATE,
	BOOT_ERRORS,
	BOOT_GATES,
};

/* What a step came to. Rates are those of its slowest cycle. */
struct boot_measured {
	uint64_t read_iops, read_p99_ns, read_p999_ns, read_max_ns;
	uint64_t write_bytes_per_s, trim_bytes_per_s, errors;
};

/* The first gate that the step failed at, in the order above; BOOT_VALID: none. */
enum boot_gate boot_judge(const struct boot_rules *rules, const struct boot_measured *measured);
const char *boot_gate_words(enum boot_gate gate);

enum boot_stage { BOOT_CLIMB, BOOT_BISECT, BOOT_CONFIRM, BOOT_OVER };

struct boot {
	const struct boot_rules *rules;
	enum boot_stage stage;
	uint32_t jobs;              /* of the step to be run; when it is over: what was sustained, 0: DNF */
	uint32_t valid, invalid;    /* the most jobs that were, the least that were not; 0: none yet */
	uint32_t in_a_row;          /* confirm */
	uint64_t least_iops;        /* of these; when it is over, the result */
	enum boot_gate limit;       /* what the last step that was not valid failed at */
};

void boot_begin(struct boot *boot, const struct boot_rules *rules);

/* What came of the step with boot->jobs. */
void boot_take(struct boot *boot, const struct boot_measured *measured);

/* When it is over: more IOPS sustained than asked for. */
bool boot_passes(const struct boot *boot);

#endif
