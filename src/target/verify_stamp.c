#include "target/verify_stamp.h"

#include <assert.h>
#include <isa-l/crc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct stamp {
	uint64_t magic, owner, offset_bytes, generation;
	uint32_t crc; /* of the block with 0 here */
	uint32_t unused;
	uint64_t reserved;
};

_Static_assert(sizeof(struct stamp) == VERIFY_STAMP_BYTES, "verify: a stamp is 48 bytes");

static const uint64_t magic = 0x3179667265766244; /* "Dbverfy1" */

static uint64_t end_of(const uint8_t *block, uint32_t size_bytes)
{
	uint64_t generation;

	memcpy(&generation, block + size_bytes - sizeof(generation), sizeof(generation));
	return generation;
}

static void set_end(uint8_t *block, uint32_t size_bytes, uint64_t generation)
{
	memcpy(block + size_bytes - sizeof(generation), &generation, sizeof(generation));
}

/* ISA-L takes memory that may be written, and does not write it. */
static uint32_t crc_on(uint32_t crc, const void *bytes, size_t size)
{
	return crc32_iscsi((unsigned char *)(uintptr_t)bytes, (int)size, crc);
}

/* Of a block as it would be with this stamp and this end. */
static uint32_t crc_of(const uint8_t *block, uint32_t size_bytes, const struct stamp *stamp, uint64_t end)
{
	struct stamp plain = *stamp;
	uint32_t crc;

	plain.crc = 0;
	crc = crc_on(UINT32_MAX, &plain, sizeof(plain));
	crc = crc_on(crc, block + sizeof(plain), size_bytes - sizeof(plain) - sizeof(end));
	return ~crc_on(crc, &end, sizeof(end));
}

void verify_stamp(uint8_t *block, const struct verify_place *place, uint64_t generation)
{
	struct stamp stamp = {
		.magic = magic,
		.owner = place->owner,
		.offset_bytes = place->offset_bytes,
		.generation = generation,
	};

	assert(place->size_bytes >= 512);
	assert(generation >= VERIFY_FIRST);
	stamp.crc = crc_of(block, place->size_bytes, &stamp, generation);
	memcpy(block, &stamp, sizeof(stamp));
	set_end(block, place->size_bytes, generation);
}

static bool is_zero(const uint8_t *block, uint32_t size_bytes)
{
	return block[0] == 0 && memcmp(block, block + 1, size_bytes - 1) == 0;
}

static bool is_intact(const uint8_t *block, uint32_t size_bytes, const struct stamp *stamp)
{
	uint64_t end = end_of(block, size_bytes);

	return stamp->magic == magic && stamp->generation == end &&
	       stamp->crc == crc_of(block, size_bytes, stamp, end);
}

/* A whole block, but not the expected one. */
static enum verify_finding judge_intact(const struct stamp *stamp, const struct verify_place *place,
					uint64_t newest)
{
	if (stamp->owner != place->owner)
		return VERIFY_FOREIGN;
	if (stamp->offset_bytes != place->offset_bytes)
		return VERIFY_MISPLACED;
	return stamp->generation < newest ? VERIFY_STALE : VERIFY_FOREIGN;
}

/*
 * Begins as the last write made it and ends as an earlier one did (or the other way round): torn,
 * unless the whole is that of one write but for one bit in one of the two.
 */
static bool is_torn(const uint8_t *block, const struct stamp *stamp, const struct verify_place *place,
		    uint64_t newest)
{
	uint64_t end = end_of(block, place->size_bytes);
	struct stamp mended = *stamp;

	if (stamp->generation == end || stamp->generation > newest || end > newest)
		return false;
	if (stamp->magic != magic || stamp->owner != place->owner ||
	    stamp->offset_bytes != place->offset_bytes)
		return false;
	if (__builtin_popcountll(stamp->generation ^ end) > 1)
		return true;
	mended.generation = end;
	return stamp->crc != crc_of(block, place->size_bytes, stamp, stamp->generation) &&
	       stamp->crc != crc_of(block, place->size_bytes, &mended, end);
}

/* A bit that has turned spares most of a stamp, wherever it is. */
static bool is_ours(const uint8_t *block, const struct stamp *stamp, const struct verify_place *place,
		    uint64_t acked, uint64_t issued)
{
	uint64_t end = end_of(block, place->size_bytes);
	int same = (stamp->magic == magic) + (stamp->owner == place->owner) +
		   (stamp->offset_bytes == place->offset_bytes) +
		   (stamp->generation == acked || stamp->generation == issued) +
		   (end == acked || end == issued);

	return same >= 3;
}

static bool is_expected(const uint8_t *block, const struct stamp *stamp, const struct verify_place *place,
			bool intact, uint64_t expected)
{
	if (expected == VERIFY_UNKNOWN)
		return true;
	if (expected == VERIFY_ZEROES)
		return is_zero(block, place->size_bytes);
	return intact && stamp->owner == place->owner && stamp->offset_bytes == place->offset_bytes &&
	       stamp->generation == expected;
}

enum verify_finding verify_judge(const uint8_t *block, const struct verify_place *place, uint64_t acked,
				 uint64_t issued, uint64_t *found)
{
	uint64_t newest = acked > issued ? acked : issued;
	struct stamp stamp;
	bool intact;

	memcpy(&stamp, block, sizeof(stamp));
	intact = is_intact(block, place->size_bytes, &stamp);
	*found = stamp.magic == magic && stamp.owner == place->owner ? stamp.generation : 0;
	/* Where anything may stand, a block of another place was not put there by its owner. */
	if (intact && stamp.owner == place->owner && stamp.offset_bytes != place->offset_bytes)
		return VERIFY_MISPLACED;
	if (is_expected(block, &stamp, place, intact, acked) ||
	    is_expected(block, &stamp, place, intact, issued))
		return VERIFY_RIGHT;
	if (newest == VERIFY_ZEROES) /* older data, or zeroes with bits in them */
		return intact ? VERIFY_STALE : VERIFY_FLIPPED;
	if (intact)
		return judge_intact(&stamp, place, newest);
	if (is_zero(block, place->size_bytes))
		return VERIFY_STALE;
	if (is_torn(block, &stamp, place, newest))
		return VERIFY_TORN;
	return is_ours(block, &stamp, place, acked, issued) ? VERIFY_FLIPPED : VERIFY_FOREIGN;
}

const char *verify_finding_name(enum verify_finding finding)
{
	switch (finding) {
	case VERIFY_RIGHT:
		return "right";
	case VERIFY_FLIPPED:
		return "flipped";
	case VERIFY_STALE:
		return "stale";
	case VERIFY_TORN:
		return "torn";
	case VERIFY_MISPLACED:
		return "misplaced";
	case VERIFY_FOREIGN:
		return "foreign";
	case VERIFY_LOST:
		return "lost";
	}
	abort();
}
