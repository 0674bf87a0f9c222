/*
 * verify_stamp.h - what a verified block holds, and what can have happened to one.
 *
 * A block begins with a stamp: whose it is, where it belongs, which write made it (its
 * generation, a number that no two writes of a journal share) and a CRC32C of all of the block.
 * The generation stands at its end once more: where the two differ, two writes met in one block.
 * What lies between is the load's own data.
 */
#ifndef DRIVEBAY_TARGET_VERIFY_STAMP_H
#define DRIVEBAY_TARGET_VERIFY_STAMP_H

#include <stdint.h>

/* What a block is expected to hold: a generation, or one of these. */
enum {
	VERIFY_UNKNOWN = 0, /* nobody has written it, or it was trimmed: anything */
	VERIFY_ZEROES = 1,
	VERIFY_FIRST = 2,   /* the first generation */
};

enum verify_finding {
	VERIFY_RIGHT,
	VERIFY_FLIPPED,   /* bits differ from what was written */
	VERIFY_STALE,     /* what an earlier write had made, or nothing: the last one is not there */
	VERIFY_TORN,      /* a part is of the last write, a part of an earlier one */
	VERIFY_MISPLACED, /* a whole block that was written to another place */
	VERIFY_FOREIGN,   /* nothing that was written under this journal */
	VERIFY_LOST,      /* stale, after a restart: an acknowledged write that did not survive */
};

enum { VERIFY_FINDINGS = VERIFY_LOST + 1, VERIFY_STAMP_BYTES = 48 };

struct verify_place {
	uint64_t owner;        /* of all blocks of one journal */
	uint64_t offset_bytes;
	uint32_t size_bytes;   /* of a block; at least 512 */
};

/* Writes stamp and end into a block that holds its data. */
void verify_stamp(uint8_t *block, const struct verify_place *place, uint64_t generation);

/*
 * What the block holds, if it should be `acked`, or `issued` where that write has not been heard of
 * yet (else both are equal). *found becomes the generation that it says it is of, or 0. Never
 * VERIFY_LOST: that takes a journal.
 */
enum verify_finding verify_judge(const uint8_t *block, const struct verify_place *place, uint64_t acked,
				 uint64_t issued, uint64_t *found);

const char *verify_finding_name(enum verify_finding finding);

#endif
