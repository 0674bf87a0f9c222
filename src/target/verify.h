/*
 * verify.h - "verify:KEY=VALUE,...:INNER": a target around a target that must give back what it
 * was given.
 *
 *	journal=FILE  what each block should hold lives in this file, and so outlives the process:
 *	              after a power cut of the drive the next run tells what became of it
 *	sync=yes      and each entry is on its disk before the write goes out: also after a power
 *	              cut of the host (FILE then lies on another drive)
 *
 * Each block that is written gets a stamp (verify_stamp.h) in place of its first 48 and its last 8
 * bytes; the rest is the load's data. Each read is checked, and target_settle() reads everything
 * that was ever written under the journal and gives the verdict: 0, or -EILSEQ with a sentence
 * that counts what was found. A request that read a wrong block fails with -EILSEQ.
 *
 * What a read or write may meet must be certain, so requests that overlap one another wait for
 * each other. One that failed leaves its blocks as they were or as it would have made them. Trimmed
 * blocks may hold anything. A target that keeps no data, a model or null, is refused: its
 * reads have nothing in them that could be wrong.
 */
#ifndef DRIVEBAY_TARGET_VERIFY_H
#define DRIVEBAY_TARGET_VERIFY_H

#include "target/target.h"
#include "target/verify_stamp.h"

struct verify_options {
	const char *journal; /* NULL: in memory */
	bool is_synced;
	uint64_t owner;      /* of a new journal: another number for each */
};

/* Takes over `inner`, closing *out closes it; -EINVAL with a sentence leaves it to the caller. */
int verify_wrap(struct target *inner, const struct verify_options *options, struct target **out);

/* How often each finding was met so far; VERIFY_RIGHT counts blocks that were checked and right. */
void verify_counts(struct target *target, uint64_t out[static VERIFY_FINDINGS]);

#endif
