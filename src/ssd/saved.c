/*
 * saved.c - the state of a settled drive in a file.
 *
 * The file: a head with all that is single; the tables, each at a multiple of ALIGN, so that a large
 * one can be mapped as it is; a checksum for every BLOCK of every table; and one over the head and
 * all of those. They tell a damaged state, not a forged one. Blocks are checked by two threads, since
 * a state of gigabytes that lies in the page cache is there at once but for this.
 */
#include "ssd/ssd.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "ssd/state.h"

enum {
	ALIGN = 4096,
	PARTS = 10,
};

#define BLOCK ((size_t)16 << 20)
#define MAP_BYTES ((size_t)256 << 20) /* below, a copy in huge pages is made in no time, and is faster */

/* The members of struct ssd that are saved as they are; the rest follows from the drive, or is empty. */
#define SAVED_MEMBERS(X) \
	X(free_first) X(free_last) X(free_count) X(closed_first) X(closed_last) X(closings) \
	X(mapped_units) X(map_hand) X(journal_entries) X(map_units_stored) X(slc_count) X(slc_closed) \
	X(last_write_ns) X(gc_credit) X(gc_turn_left) X(scan_victim) X(scan_group) X(unretired) \
	X(victim_credit) X(program_number) X(erase_tail) X(gc_rng) X(count) \
	X(tired) X(victims) X(live_superblocks) X(spares_used) X(lost_count) X(read_only)

struct head {
	char magic[8];
	uint64_t file_bytes;
	uint64_t now_ns;
	uint32_t user_units, total_units, superblock_count, program_units, map_parts, map_slots;
	struct {
		uint32_t superblock, used;
	} points[STREAM_COUNT];
#define MEMBER(name) __typeof__(((struct ssd *)NULL)->name) name;
	SAVED_MEMBERS(MEMBER)
#undef MEMBER
	uint64_t energy_nj, throttled_ns, is_throttled;
	int64_t microcelsius;
};

static const char head_magic[8] = "dbssd05";

struct part {
	char *memory;
	size_t bytes;
	bool can_be_mapped; /* memory is a mapping of its own */
};

/* The tables that make up the state, in the order in which they stand in the file. */
static void parts_of(struct ssd *ssd, struct part parts[static PARTS])
{
	size_t words = ((size_t)ssd->superblock_count * ssd->superblock_programs + 63) / 64;
	const struct part all[PARTS] = {
		{ (char *)ssd->superblocks, ssd->superblock_count * sizeof(*ssd->superblocks), false },
		{ (char *)ssd->done, words * sizeof(*ssd->done), false },
		{ (char *)ssd->l2p, ((size_t)ssd->user_units + ssd->map_units) * sizeof(*ssd->l2p), true },
		{ (char *)ssd->p2l, (size_t)ssd->total_units * sizeof(*ssd->p2l), true },
		{ (char *)ssd->part_slot, ssd->map_parts * sizeof(*ssd->part_slot), false },
		{ (char *)ssd->slot_part, ssd->map_slots * sizeof(*ssd->slot_part), false },
		{ (char *)ssd->slot_flags, ssd->map_slots * sizeof(*ssd->slot_flags), false },
		{ (char *)ssd->block_limits,
		  ssd->wears * ssd->superblock_count * ssd->drive->dies * sizeof(*ssd->block_limits), false },
		{ (char *)ssd->spares, ssd->wears * ssd->drive->dies * sizeof(*ssd->spares), false },
		{ (char *)ssd->lost, ssd->wears * wear_lost_bytes(ssd), false },
	};

	memcpy(parts, all, sizeof(all));
}

static size_t aligned(size_t bytes)
{
	return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

/* ---- checksums ---- */

struct block {
	const char *memory;
	size_t bytes;
	uint64_t sum;
};

struct blocks {
	size_t count;
	struct block *all;
};

static struct blocks blocks_of(const struct part parts[static PARTS])
{
	struct blocks blocks = { 0 };

	for (int i = 0; i < PARTS; i++)
		blocks.count += (parts[i].bytes + BLOCK - 1) / BLOCK;
	blocks.all = xcalloc(blocks.count, sizeof(*blocks.all));
	blocks.count = 0;
	for (int i = 0; i < PARTS; i++)
		for (size_t at = 0; at < parts[i].bytes; at += BLOCK)
			blocks.all[blocks.count++] = (struct block){
				.memory = parts[i].memory + at,
				.bytes = parts[i].bytes - at < BLOCK ? parts[i].bytes - at : BLOCK,
			};
	return blocks;
}

static void sum_up(struct blocks *blocks, size_t begin, size_t end)
{
	for (size_t i = begin; i < end; i++)
		blocks->all[i].sum = XXH3_64bits(blocks->all[i].memory, blocks->all[i].bytes);
}

static void *sum_up_second_half(void *context)
{
	struct blocks *blocks = context;

	sum_up(blocks, blocks->count / 2, blocks->count);
	return NULL;
}

static void sum_up_all(struct blocks *blocks)
{
	pthread_t thread;
	bool helped = blocks->count > PARTS + 2 &&
		      pthread_create(&thread, NULL, sum_up_second_half, blocks) == 0;

	sum_up(blocks, 0, helped ? blocks->count / 2 : blocks->count);
	if (helped)
		pthread_join(thread, NULL);
}

/* The end of the file: a sum for each block, and the one over the head and these. */
static uint64_t *trailer_of(const struct head *head, struct blocks *blocks, size_t *bytes)
{
	uint64_t *trailer = xcalloc(blocks->count + 1, sizeof(*trailer));

	sum_up_all(blocks);
	for (size_t i = 0; i < blocks->count; i++)
		trailer[i] = blocks->all[i].sum;
	trailer[blocks->count] = XXH3_64bits_withSeed(trailer, blocks->count * sizeof(*trailer),
						      XXH3_64bits(head, sizeof(*head)));
	*bytes = (blocks->count + 1) * sizeof(*trailer);
	return trailer;
}

static uint64_t file_bytes(const struct part parts[static PARTS])
{
	uint64_t bytes = aligned(sizeof(struct head)), blocks = 0;

	for (int i = 0; i < PARTS; i++) {
		bytes += aligned(parts[i].bytes);
		blocks += (parts[i].bytes + BLOCK - 1) / BLOCK;
	}
	return bytes + (blocks + 1) * sizeof(uint64_t);
}

/* ---- to the file ---- */

static int write_all(int fd, const void *memory, size_t bytes)
{
	const char *at = memory;

	while (bytes) {
		ssize_t done = write(fd, at, bytes);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return fail(done ? errno : EIO, "saving the drive's state: %s",
				    strerror(done ? errno : EIO));
		at += done;
		bytes -= (size_t)done;
	}
	return 0;
}

static int write_aligned(int fd, const void *memory, size_t bytes)
{
	static const char zeroes[ALIGN];
	int err = write_all(fd, memory, bytes);

	return err ? err : write_all(fd, zeroes, aligned(bytes) - bytes);
}

static void fill_head(const struct ssd *ssd, const struct part parts[static PARTS], struct head *head)
{
	memset(head, 0, sizeof(*head)); /* padding too: the same state, the same bytes */
	memcpy(head->magic, head_magic, sizeof(head->magic));
	head->file_bytes = file_bytes(parts);
	head->now_ns = ssd->sim->now_ns;
	head->user_units = ssd->user_units;
	head->total_units = ssd->total_units;
	head->superblock_count = ssd->superblock_count;
	head->program_units = ssd->program_units;
	head->map_parts = ssd->map_parts;
	head->map_slots = ssd->map_slots;
	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		assert(!ssd->points[i].program);
		head->points[i].superblock = ssd->points[i].superblock;
		head->points[i].used = ssd->points[i].used;
	}
#define SAVE(name) head->name = ssd->name;
	SAVED_MEMBERS(SAVE)
#undef SAVE
	head->energy_nj = ssd->heat.energy_nj;
	head->throttled_ns = ssd->heat.throttled_ns;
	head->is_throttled = ssd->heat.is_throttled;
	head->microcelsius = ssd->heat.microcelsius;
}

int ssd_save(struct ssd *ssd, int fd)
{
	struct head head;
	struct part parts[PARTS];
	struct blocks blocks;
	uint64_t *trailer;
	size_t trailer_bytes;
	int err;

	assert(ssd->outstanding == 0);
	assert(sim_next_ns(ssd->sim) == UINT64_MAX);
	assert(ssd->map_queue_head == ssd->map_queue_tail);
	ssd->heat = heat_now(ssd);
	parts_of(ssd, parts);
	fill_head(ssd, parts, &head);
	blocks = blocks_of(parts);
	trailer = trailer_of(&head, &blocks, &trailer_bytes);
	err = write_aligned(fd, &head, sizeof(head));
	for (int i = 0; !err && i < PARTS; i++)
		err = write_aligned(fd, parts[i].memory, parts[i].bytes);
	if (!err)
		err = write_all(fd, trailer, trailer_bytes);
	free(trailer);
	free(blocks.all);
	return err;
}

/* ---- and back ---- */

static int damaged(void)
{
	return fail(EBADMSG, "loading the drive's state: the file is damaged");
}

static int read_all(int fd, void *memory, size_t bytes)
{
	char *at = memory;

	while (bytes) {
		ssize_t done = read(fd, at, bytes);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return fail(errno, "loading the drive's state: %s", strerror(errno));
		if (done == 0)
			return fail(EBADMSG, "loading the drive's state: the file ends too early");
		at += done;
		bytes -= (size_t)done;
	}
	return 0;
}

/* What fills up to a multiple of ALIGN has no checksum, and can only be zero. */
static int read_padding(int fd, size_t bytes)
{
	static const char zeroes[ALIGN];
	char padding[ALIGN];
	size_t size = aligned(bytes) - bytes;
	int err = read_all(fd, padding, size);

	if (err)
		return err;
	return memcmp(padding, zeroes, size) ? damaged() : 0;
}

/*
 * Puts the file in the place of the table; false when that cannot be, and nothing has changed then.
 * The mapping is made elsewhere first: a failure over the table itself would leave a hole.
 */
static bool map_part(int fd, const struct part *part)
{
	off_t at = lseek(fd, 0, SEEK_CUR);
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (part->bytes + page - 1) / page * page;
	void *mapping;

	if (at < 0 || (size_t)at % page || lseek(fd, (off_t)part->bytes, SEEK_CUR) < 0)
		return false;
	mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, at);
	if (mapping != MAP_FAILED &&
	    mremap(mapping, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, part->memory) != MAP_FAILED) {
#ifdef MADV_POPULATE_READ
		madvise(part->memory, bytes, MADV_POPULATE_READ); /* less than a fault at each page costs */
#endif
		return true;
	}
	if (mapping != MAP_FAILED)
		munmap(mapping, bytes);
	lseek(fd, at, SEEK_SET);
	return false;
}

static int load_part(int fd, const struct part *part, size_t map_bytes)
{
	int err = 0;

	if (!part->can_be_mapped || part->bytes < map_bytes || !map_part(fd, part))
		err = read_all(fd, part->memory, part->bytes);
	return err ? err : read_padding(fd, part->bytes);
}

/* A mapping beyond the end of a file would only tell when it is touched, by a signal. */
static int check_size(int fd, const struct head *head)
{
	struct stat st;
	off_t at = lseek(fd, 0, SEEK_CUR);

	if (fstat(fd, &st) < 0)
		return fail(errno, "loading the drive's state: %s", strerror(errno));
	if (!S_ISREG(st.st_mode) || at < 0)
		return 0;
	if ((uint64_t)(st.st_size - at) + sizeof(*head) < head->file_bytes)
		return fail(EBADMSG, "loading the drive's state: the file ends too early");
	return 0;
}

static int check_head(const struct ssd *ssd, const struct part parts[static PARTS], const struct head *head)
{
	if (memcmp(head->magic, head_magic, 5))
		return fail(EBADMSG, "this is not the saved state of a drive");
	if (memcmp(head->magic, head_magic, sizeof(head->magic)))
		return fail(EBADMSG, "the state was saved by another version of drivebay (format %.8s, and "
			    "this one reads %s): make it again", head->magic, head_magic);
	if (head->user_units != ssd->user_units || head->total_units != ssd->total_units ||
	    head->superblock_count != ssd->superblock_count ||
	    head->program_units != ssd->program_units || head->map_parts != ssd->map_parts ||
	    head->map_slots != ssd->map_slots || head->file_bytes != file_bytes(parts))
		return fail(EBADMSG, "the saved state is not of this drive at this scale");
	if (head->now_ns < ssd->sim->now_ns)
		return fail(EBADMSG, "the saved state lies before the present of this drive");
	return 0;
}

static void take_head(struct ssd *ssd, const struct head *head)
{
	sim_advance(ssd->sim, head->now_ns);
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		ssd->points[i] = (struct write_point){ .superblock = head->points[i].superblock,
						       .used = head->points[i].used };
#define LOAD(name) ssd->name = head->name;
	SAVED_MEMBERS(LOAD)
#undef LOAD
	ssd->oldest_flying = ssd->program_number;
	for (uint32_t i = 0; i < ssd->drive->dies; i++)
		ssd->dies[i].erased = ssd->erase_tail;
	heat_begin(ssd);
	ssd->heat.energy_nj = head->energy_nj;
	ssd->heat.throttled_ns = head->throttled_ns;
	ssd->heat.is_throttled = head->is_throttled;
	ssd->heat.microcelsius = head->microcelsius;
}

static int check_sums(int fd, const struct head *head, const struct part parts[static PARTS])
{
	struct blocks blocks = blocks_of(parts);
	size_t bytes;
	_cleanup_free_ uint64_t *sums = trailer_of(head, &blocks, &bytes);
	_cleanup_free_ uint64_t *expected = xmalloc(bytes);
	int err = read_all(fd, expected, bytes);

	free(blocks.all);
	if (err)
		return err;
	return memcmp(sums, expected, bytes) ? damaged() : 0;
}

int saved_load(struct ssd *ssd, int fd, size_t map_bytes)
{
	struct head head;
	struct part parts[PARTS];
	int err = read_all(fd, &head, sizeof(head));

	assert(ssd->outstanding == 0);
	parts_of(ssd, parts);
	if (!err)
		err = check_head(ssd, parts, &head);
	if (!err)
		err = check_size(fd, &head);
	if (!err)
		err = read_padding(fd, sizeof(head));
	if (err)
		return err;
	ssd_settle(ssd);
	for (int i = 0; !err && i < PARTS; i++)
		err = load_part(fd, &parts[i], map_bytes);
	if (!err)
		err = check_sums(fd, &head, parts);
	if (!err)
		take_head(ssd, &head);
	return err;
}

int ssd_load(struct ssd *ssd, int fd)
{
	return saved_load(ssd, fd, MAP_BYTES);
}
