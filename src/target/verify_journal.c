#include "target/verify_journal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "target/verify_stamp.h"

enum { PAGE_BYTES = 4096, JOURNAL_VERSION = 1 };

struct verify_header {
	char magic[8];
	uint32_t version, block_bytes;
	uint64_t size_bytes, owner;
	uint64_t next;    /* generation */
	uint64_t flushed; /* the newest that is safe, with all before it */
};

static const char magic[8] = "DBYvrfyJ";

static uint64_t round_up(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

static int map_file(struct verify_journal *journal, const struct verify_header *wanted, bool *is_new)
{
	struct stat st;

	journal->fd = open(journal->path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (journal->fd < 0 || fstat(journal->fd, &st) < 0)
		return fail(errno, "verify: journal %s: %s", journal->path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return fail(EINVAL, "verify: journal %s: is no regular file", journal->path);
	if (flock(journal->fd, LOCK_EX | LOCK_NB) < 0)
		return fail(EBUSY, "verify: journal %s: another run uses it", journal->path);
	*is_new = st.st_size == 0;
	if (*is_new && ftruncate(journal->fd, (off_t)journal->map_bytes) < 0)
		return fail(errno, "verify: journal %s: cannot be given its size: %s", journal->path,
			    strerror(errno));
	if (!*is_new) {
		struct verify_header header;

		if (pread(journal->fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
		    memcmp(header.magic, magic, sizeof(magic)))
			return fail(EINVAL, "verify: journal %s: is no journal of drivebay's",
				    journal->path);
		if (header.version != JOURNAL_VERSION || header.next < VERIFY_FIRST ||
		    header.flushed >= header.next)
			return fail(EINVAL, "verify: journal %s: is of another version, or damaged",
				    journal->path);
		if (header.size_bytes != wanted->size_bytes || header.block_bytes != wanted->block_bytes ||
		    st.st_size != (off_t)journal->map_bytes)
			return fail(EINVAL, "verify: journal %s: is of a target of %llu bytes in blocks of "
				    "%u, and this one has %llu in blocks of %u", journal->path,
				    (unsigned long long)header.size_bytes, header.block_bytes,
				    (unsigned long long)wanted->size_bytes, wanted->block_bytes);
	}
	journal->base = mmap(NULL, journal->map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, journal->fd, 0);
	return 0;
}

static int map_all(struct verify_journal *journal, const struct verify_header *wanted)
{
	bool is_new = true;
	int err = 0;

	if (journal->path)
		err = map_file(journal, wanted, &is_new);
	else
		journal->base = mmap(NULL, journal->map_bytes, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (err)
		return err;
	if (journal->base == MAP_FAILED)
		return fail(errno, "verify: %zu bytes for what each block should hold: %s",
			    journal->map_bytes, strerror(errno));
	journal->header = journal->base;
	if (is_new)
		*journal->header = *wanted;
	return 0;
}

int verify_journal_open(struct verify_journal *journal, const char *path, uint64_t size_bytes,
			uint32_t block_bytes, uint64_t owner, bool is_synced)
{
	struct verify_header wanted = {
		.version = JOURNAL_VERSION, .block_bytes = block_bytes, .size_bytes = size_bytes,
		.owner = owner, .next = VERIFY_FIRST,
	};
	uint64_t chunk_bytes;
	int err;

	memcpy(wanted.magic, magic, sizeof(magic));
	*journal = (struct verify_journal){
		.path = path ? xstrdup(path) : NULL,
		.fd = -1,
		.base = MAP_FAILED,
		.is_synced = is_synced,
		.block_bytes = block_bytes,
		.block_count = size_bytes / block_bytes,
		.chunk_count = (size_bytes + VERIFY_CHUNK_BYTES - 1) / VERIFY_CHUNK_BYTES,
	};
	chunk_bytes = round_up(journal->chunk_count, PAGE_BYTES);
	journal->map_bytes = PAGE_BYTES + chunk_bytes + journal->block_count * sizeof(struct verify_entry);
	err = map_all(journal, &wanted);
	if (err) {
		verify_journal_close(journal);
		return err;
	}
	journal->chunks = (uint8_t *)journal->base + PAGE_BYTES;
	journal->entries = (struct verify_entry *)(void *)(journal->chunks + chunk_bytes);
	journal->session_begin = journal->header->next;
	return 0;
}

void verify_journal_close(struct verify_journal *journal)
{
	if (journal->base != MAP_FAILED && journal->base)
		munmap(journal->base, journal->map_bytes);
	if (journal->fd >= 0)
		close(journal->fd);
	free(journal->path);
	*journal = (struct verify_journal){ .fd = -1, .base = MAP_FAILED };
}

uint64_t verify_journal_owner(const struct verify_journal *journal)
{
	return journal->header->owner;
}

uint64_t verify_journal_next(struct verify_journal *journal)
{
	return journal->header->next++;
}

uint64_t verify_journal_last(const struct verify_journal *journal)
{
	return journal->header->next - 1;
}

uint64_t verify_journal_flushed(const struct verify_journal *journal)
{
	return journal->header->flushed;
}

static void sync_range(const struct verify_journal *journal, const void *from, size_t bytes)
{
	uintptr_t begin = (uintptr_t)from / PAGE_BYTES * PAGE_BYTES;

	if (journal->is_synced)
		msync((void *)begin, (uintptr_t)from + bytes - begin, MS_SYNC);
}

void verify_journal_flush(struct verify_journal *journal, uint64_t up_to)
{
	if (up_to <= journal->header->flushed)
		return;
	journal->header->flushed = up_to;
	sync_range(journal, journal->header, sizeof(*journal->header));
}

void verify_journal_issue(struct verify_journal *journal, uint64_t block, uint64_t count, uint64_t value)
{
	uint64_t chunk = block * journal->block_bytes / VERIFY_CHUNK_BYTES;
	uint64_t last = (block + count) * journal->block_bytes - 1;

	assert(block + count <= journal->block_count);
	for (; chunk <= last / VERIFY_CHUNK_BYTES; chunk++)
		journal->chunks[chunk] = 1;
	sync_range(journal, journal->chunks + chunk - 1, 1);
	for (uint64_t i = block; i < block + count; i++) {
		struct verify_entry *entry = &journal->entries[i];

		/* One that failed may have been done or not; with two of them it is beyond telling. */
		if (entry->issued != entry->acked)
			entry->acked = VERIFY_UNKNOWN;
		entry->issued = value;
	}
	sync_range(journal, journal->header, sizeof(*journal->header));
	sync_range(journal, journal->entries + block, count * sizeof(*journal->entries));
}

void verify_journal_ack(struct verify_journal *journal, uint64_t block, uint64_t count, uint64_t value)
{
	for (uint64_t i = block; i < block + count; i++)
		journal->entries[i].acked = journal->entries[i].issued = value;
	sync_range(journal, journal->entries + block, count * sizeof(*journal->entries));
}

void verify_journal_forget(struct verify_journal *journal, uint64_t block)
{
	verify_journal_ack(journal, block, 1, VERIFY_UNKNOWN);
}
