/*
 * verify_journal.h - what each block of a target should hold; in memory, or in a file that
 * outlives the process.
 *
 * The file is sparse and mapped: it takes 16 bytes for each block that was written. What was
 * put into it survives the end of the process, whatever that was. Only with `is_synced`, at the
 * price of a sync for each write, does it survive a power cut of the host that it lies on: then
 * it belongs on another drive than the one under test.
 */
#ifndef DRIVEBAY_TARGET_VERIFY_JOURNAL_H
#define DRIVEBAY_TARGET_VERIFY_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct verify_entry {
	uint64_t acked;  /* what the block holds, as far as was heard */
	uint64_t issued; /* what was written last; another than `acked`: not heard of (yet) */
};

struct verify_journal {
	char *path;      /* NULL: in memory */
	int fd;
	void *base;
	size_t map_bytes;
	bool is_synced;
	uint32_t block_bytes;
	uint64_t block_count, chunk_count;
	uint64_t session_begin;      /* generations from here on are of this process */
	struct verify_header *header;
	uint8_t *chunks;             /* one for each VERIFY_CHUNK_BYTES: something is known there */
	struct verify_entry *entries;
};

enum { VERIFY_CHUNK_BYTES = 1 << 20 };

/*
 * `path` NULL: in memory. A file that is not there is made, with `owner` in all its blocks; one of a
 * target of another size, or anything else, is -EINVAL with a sentence.
 */
int verify_journal_open(struct verify_journal *journal, const char *path, uint64_t size_bytes,
			uint32_t block_bytes, uint64_t owner, bool is_synced);
void verify_journal_close(struct verify_journal *journal);

uint64_t verify_journal_owner(const struct verify_journal *journal);
uint64_t verify_journal_next(struct verify_journal *journal); /* a new generation */
uint64_t verify_journal_last(const struct verify_journal *journal); /* the newest */

/* Of all writes up to here a flush has said that they are safe. */
uint64_t verify_journal_flushed(const struct verify_journal *journal);
void verify_journal_flush(struct verify_journal *journal, uint64_t up_to);

/* A write of `count` blocks is about to go out, or was heard of. */
void verify_journal_issue(struct verify_journal *journal, uint64_t block, uint64_t count, uint64_t value);
void verify_journal_ack(struct verify_journal *journal, uint64_t block, uint64_t count, uint64_t value);

/* What was found wrong and told is not told again: nothing is known of the block any more. */
void verify_journal_forget(struct verify_journal *journal, uint64_t block);

#endif
