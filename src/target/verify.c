#include "target/verify.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fail.h"
#include "target/verify_journal.h"

enum { PAGE_BYTES = 4096, LEAST_BLOCK_BYTES = 512 };

/* A request that the inner target has. */
struct flight {
	struct io *io;
	void *data;           /* a write: the submitter's, to be given back */
	uint8_t *stamped;     /* and what went out instead */
	uint32_t room_bytes;
	uint64_t value;       /* what its blocks hold afterwards */
	uint64_t flushes;     /* a flush: up to which generation everything had been heard of */
};

struct queue {
	struct io *first, **end;
};

struct first_finding {
	uint64_t offset_bytes, expected, found;
};

struct verify_target {
	struct target base;
	struct target *inner;
	struct verify_journal journal;
	struct flight *flights; /* the first flight_count are in use; the others keep their room */
	uint32_t flight_count, flight_room;
	struct queue waiting;   /* requests that overlap one that is under way, and those behind */
	uint64_t counts[VERIFY_FINDINGS];
	uint64_t unflushed;     /* of the lost: they had not been flushed */
	struct first_finding firsts[VERIFY_FINDINGS];
	uint8_t *scrub_data;
	char *description;
};

static struct verify_target *verify_of(struct target *target)
{
	return container_of(target, struct verify_target, base);
}

/* ---- what was read ---- */

static void note(struct verify_target *verify, enum verify_finding finding, uint64_t offset_bytes,
		 const struct verify_entry *entry, uint64_t found)
{
	if (!verify->counts[finding]++)
		verify->firsts[finding] = (struct first_finding){ offset_bytes, entry->acked, found };
}

/* Stale, of a write of an earlier session: it did not survive what came in between. */
static enum verify_finding in_context(const struct verify_target *verify, enum verify_finding finding,
				      const struct verify_entry *entry)
{
	if (finding == VERIFY_STALE && entry->acked < verify->journal.session_begin)
		return VERIFY_LOST;
	return finding;
}

/* The first block of another write than this one, from `begin` on. */
static uint64_t same_write(const struct verify_entry *entries, uint64_t begin, uint64_t count)
{
	uint64_t end = begin + 1;

	while (end < count && entries[end].acked == entries[begin].acked)
		end++;
	return end;
}

/* Whether some blocks of a write are there, and so others of it that are not were torn off. */
static bool is_partly_there(const enum verify_finding *findings, uint64_t begin, uint64_t end)
{
	for (uint64_t i = begin; i < end; i++)
		if (findings[i] == VERIFY_RIGHT)
			return true;
	return false;
}

/* True: all of it is right. At most VERIFY_CHUNK_BYTES at a time. */
static bool check_some(struct verify_target *verify, uint64_t offset_bytes, const uint8_t *data,
		       uint64_t count)
{
	enum verify_finding findings[VERIFY_CHUNK_BYTES / LEAST_BLOCK_BYTES];
	uint64_t found[VERIFY_CHUNK_BYTES / LEAST_BLOCK_BYTES], end;
	uint32_t block_bytes = verify->base.block_bytes;
	const struct verify_entry *entries = verify->journal.entries + offset_bytes / block_bytes;
	bool right = true;

	for (uint64_t i = 0; i < count; i++) {
		struct verify_place place = { verify_journal_owner(&verify->journal),
					      offset_bytes + i * block_bytes, block_bytes };

		findings[i] = verify_judge(data + i * block_bytes, &place, entries[i].acked,
					   entries[i].issued, &found[i]);
	}
	for (uint64_t begin = 0; begin < count; begin = end) {
		bool partly;

		end = same_write(entries, begin, count);
		partly = entries[begin].acked >= VERIFY_FIRST && is_partly_there(findings, begin, end);
		for (uint64_t i = begin; i < end; i++) {
			enum verify_finding finding = findings[i];

			if (finding == VERIFY_STALE && partly)
				finding = VERIFY_TORN;
			finding = in_context(verify, finding, &entries[i]);
			right = right && finding == VERIFY_RIGHT;
			if (finding == VERIFY_RIGHT && entries[i].acked == VERIFY_UNKNOWN)
				continue; /* nothing to be right about */
			note(verify, finding, offset_bytes + i * block_bytes, &entries[i], found[i]);
			if (finding == VERIFY_LOST &&
			    entries[i].acked > verify_journal_flushed(&verify->journal))
				verify->unflushed++;
			findings[i] = finding;
		}
	}
	for (uint64_t i = 0; !right && i < count; i++)
		if (findings[i] != VERIFY_RIGHT)
			verify_journal_forget(&verify->journal, offset_bytes / block_bytes + i);
	return right;
}

static bool check_read(struct verify_target *verify, uint64_t offset_bytes, const uint8_t *data,
		       uint64_t size_bytes)
{
	bool right = true;

	while (size_bytes) {
		uint64_t some = size_bytes < VERIFY_CHUNK_BYTES ? size_bytes : VERIFY_CHUNK_BYTES;

		right = check_some(verify, offset_bytes, data, some / verify->base.block_bytes) && right;
		offset_bytes += some;
		data += some;
		size_bytes -= some;
	}
	return right;
}

/* ---- out ---- */

static bool overlap(const struct io *a, const struct io *b)
{
	return a->offset_bytes < b->offset_bytes + b->size_bytes &&
	       b->offset_bytes < a->offset_bytes + a->size_bytes;
}

static bool conflict(const struct io *a, const struct io *b)
{
	return (a->op != IO_READ || b->op != IO_READ) && overlap(a, b);
}

/* Against all that are under way, and all that wait before `behind` (NULL: all). */
static bool must_wait(const struct verify_target *verify, const struct io *io, const struct io *behind)
{
	for (uint32_t i = 0; i < verify->flight_count; i++)
		if (conflict(verify->flights[i].io, io))
			return true;
	for (const struct io *other = verify->waiting.first; other && other != behind; other = other->next)
		if (conflict(other, io))
			return true;
	return false;
}

static struct flight *new_flight(struct verify_target *verify)
{
	if (verify->flight_count == verify->flight_room) {
		uint32_t room = verify->flight_room ? verify->flight_room * 2 : 64;

		verify->flights = xrealloc(verify->flights, room * sizeof(*verify->flights));
		memset(verify->flights + verify->flight_room, 0,
		       (room - verify->flight_room) * sizeof(*verify->flights));
		verify->flight_room = room;
	}
	return &verify->flights[verify->flight_count++];
}

/* Memory of its own: the submitter's may be shared by several writes. */
static void make_room(struct flight *flight, uint32_t bytes)
{
	if (flight->room_bytes >= bytes)
		return;
	free(flight->stamped);
	flight->room_bytes = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	flight->stamped = aligned_alloc(PAGE_BYTES, flight->room_bytes);
	if (!flight->stamped)
		xmalloc(SIZE_MAX); /* says so and ends the program */
}

static void stamp_write(struct verify_target *verify, struct flight *flight)
{
	struct io *io = flight->io;
	uint32_t block_bytes = verify->base.block_bytes;

	make_room(flight, io->size_bytes);
	memcpy(flight->stamped, io->data, io->size_bytes);
	flight->value = verify_journal_next(&verify->journal);
	for (uint32_t at = 0; at < io->size_bytes; at += block_bytes) {
		struct verify_place place = { verify_journal_owner(&verify->journal), io->offset_bytes + at,
					      block_bytes };

		verify_stamp(flight->stamped + at, &place, flight->value);
	}
	flight->data = io->data;
	io->data = flight->stamped;
}

/* All writes up to here have been heard of: what a flush that goes out now makes safe. */
static uint64_t heard_up_to(const struct verify_target *verify)
{
	uint64_t heard = verify_journal_last(&verify->journal);

	for (uint32_t i = 0; i < verify->flight_count; i++)
		if (verify->flights[i].io->op == IO_WRITE && verify->flights[i].value <= heard)
			heard = verify->flights[i].value - 1;
	return heard;
}

static void send(struct verify_target *verify, struct io *io)
{
	uint32_t block_bytes = verify->base.block_bytes;
	struct flight *flight = new_flight(verify);

	flight->io = io;
	flight->data = NULL;
	switch (io->op) {
	case IO_READ:
		break;
	case IO_WRITE:
		stamp_write(verify, flight);
		break;
	case IO_TRIM:
		flight->value = VERIFY_UNKNOWN;
		break;
	case IO_WRITE_ZEROES:
		flight->value = VERIFY_ZEROES;
		break;
	case IO_FLUSH:
		flight->flushes = heard_up_to(verify);
		break;
	}
	if (io->op != IO_READ && io->op != IO_FLUSH)
		verify_journal_issue(&verify->journal, io->offset_bytes / block_bytes,
				     io->size_bytes / block_bytes, flight->value);
	target_forward(verify->inner, io);
}

static void queue_put(struct queue *queue, struct io *io)
{
	io->next = NULL;
	*queue->end = io;
	queue->end = &io->next;
}

static void verify_submit(struct target *target, struct io *io)
{
	struct verify_target *verify = verify_of(target);

	if (must_wait(verify, io, NULL))
		queue_put(&verify->waiting, io);
	else
		send(verify, io);
}

/* Those that nothing stands in the way of any more. */
static void release(struct verify_target *verify)
{
	struct io **link = &verify->waiting.first;

	while (*link) {
		struct io *io = *link;

		if (must_wait(verify, io, io)) {
			link = &io->next;
			continue;
		}
		*link = io->next;
		send(verify, io);
	}
	verify->waiting.end = link;
}

/* ---- back ---- */

static struct flight *flight_of(struct verify_target *verify, const struct io *io)
{
	for (uint32_t i = 0; i < verify->flight_count; i++)
		if (verify->flights[i].io == io)
			return &verify->flights[i];
	abort();
}

/* The memory of the one that is back is kept for another. */
static void drop_flight(struct verify_target *verify, struct flight *flight)
{
	struct flight *last = &verify->flights[--verify->flight_count];
	struct flight gone = *flight;

	*flight = *last;
	*last = gone;
}

static void come_back(struct verify_target *verify, struct io *io)
{
	uint32_t block_bytes = verify->base.block_bytes;
	struct flight *flight = flight_of(verify, io);

	if (flight->data)
		io->data = flight->data;
	if (io->error) {
		drop_flight(verify, flight);
		return;
	}
	switch (io->op) {
	case IO_READ:
		if (!check_read(verify, io->offset_bytes, io->data, io->size_bytes))
			io->error = -EILSEQ;
		break;
	case IO_FLUSH:
		verify_journal_flush(&verify->journal, flight->flushes);
		break;
	case IO_WRITE:
	case IO_TRIM:
	case IO_WRITE_ZEROES:
		verify_journal_ack(&verify->journal, io->offset_bytes / block_bytes,
				   io->size_bytes / block_bytes, flight->value);
		break;
	}
	drop_flight(verify, flight);
}

static struct io *verify_reap(struct target *target, uint64_t until_ns)
{
	struct verify_target *verify = verify_of(target);
	struct io *io = target_reap(verify->inner, until_ns);

	if (!io)
		return NULL;
	come_back(verify, io);
	if (verify->waiting.first)
		release(verify);
	return io;
}

/* ---- all of it ---- */

static int scrub_chunk(struct verify_target *verify, uint64_t offset_bytes, uint64_t size_bytes)
{
	struct io io = {
		.op = IO_READ,
		.offset_bytes = offset_bytes,
		.size_bytes = (uint32_t)size_bytes,
		.data = verify->scrub_data,
	};

	io.due_ns = target_now(verify->inner);
	target_submit(verify->inner, &io);
	while (!target_reap(verify->inner, TARGET_FOREVER))
		;
	if (io.error)
		return fail(-io.error, "verify: byte %llu: cannot be read back: %s",
			    (unsigned long long)offset_bytes, strerror(-io.error));
	check_read(verify, offset_bytes, verify->scrub_data, size_bytes);
	return 0;
}

/* Reads back everything of which something is known. */
static int scrub(struct verify_target *verify)
{
	uint64_t size_bytes = verify->base.size_bytes;
	int err = 0;

	for (uint64_t i = 0; !err && i < verify->journal.chunk_count; i++) {
		uint64_t at = i * VERIFY_CHUNK_BYTES, left = size_bytes - at;

		if (verify->journal.chunks[i])
			err = scrub_chunk(verify, at, left < VERIFY_CHUNK_BYTES ? left : VERIFY_CHUNK_BYTES);
	}
	return err;
}

static void put_finding(const struct verify_target *verify, enum verify_finding finding, struct buf *out)
{
	const struct first_finding *first = &verify->firsts[finding];

	buf_printf(out, "%s %llu %s (the first at byte %llu: write %llu expected", out->size ? "," : "",
		   (unsigned long long)verify->counts[finding], verify_finding_name(finding),
		   (unsigned long long)first->offset_bytes, (unsigned long long)first->expected);
	if (first->found)
		buf_printf(out, ", %llu found", (unsigned long long)first->found);
	if (finding == VERIFY_LOST && verify->unflushed)
		buf_printf(out, "; %llu had never been flushed", (unsigned long long)verify->unflushed);
	buf_puts(out, ")");
}

static int verdict(const struct verify_target *verify)
{
	_cleanup_buf_ struct buf words = BUF_INIT;
	uint64_t wrong = 0;

	for (int i = 0; i < VERIFY_FINDINGS; i++) {
		if (i == VERIFY_RIGHT || !verify->counts[i])
			continue;
		wrong += verify->counts[i];
		put_finding(verify, (enum verify_finding)i, &words);
	}
	if (!wrong)
		return 0;
	return fail(EILSEQ, "verify: %llu blocks of %u bytes are not what was written:%s",
		    (unsigned long long)wrong, verify->base.block_bytes, words.text);
}

static int verify_settle(struct target *target)
{
	struct verify_target *verify = verify_of(target);
	int err = target_settle(verify->inner);

	if (!err)
		err = scrub(verify);
	return err ? err : verdict(verify);
}

/* Before the first request, which may write over what an earlier session left to be found. */
static int verify_buffers(struct target *target, void *base, size_t bytes)
{
	struct verify_target *verify = verify_of(target);
	bool is_first = verify->journal.session_begin == verify_journal_last(&verify->journal) + 1;

	if (base && is_first && verify->journal.session_begin > VERIFY_FIRST)
		scrub(verify); /* what cannot be read shows again at the end */
	return target_buffers(verify->inner, base, bytes);
}

static int verify_purge(struct target *target)
{
	struct verify_target *verify = verify_of(target);
	int err = target_purge(verify->inner);

	for (uint64_t i = 0; !err && i < verify->journal.chunk_count; i++) {
		uint64_t per_chunk = VERIFY_CHUNK_BYTES / verify->base.block_bytes;
		uint64_t at = i * per_chunk, left = verify->journal.block_count - at;

		if (verify->journal.chunks[i])
			verify_journal_ack(&verify->journal, at, left < per_chunk ? left : per_chunk,
					   VERIFY_UNKNOWN);
	}
	return err;
}

static uint64_t verify_now(struct target *target)
{
	return target_now(verify_of(target)->inner);
}

static const char *verify_describe(struct target *target)
{
	return verify_of(target)->description;
}

static int verify_health(struct target *target, struct health *out)
{
	return target_health(verify_of(target)->inner, out);
}

static int verify_usage(struct target *target, struct usage *out)
{
	return target_usage(verify_of(target)->inner, out);
}

static void verify_close(struct target *target)
{
	struct verify_target *verify = verify_of(target);

	target_close(verify->inner);
	verify_journal_close(&verify->journal);
	for (uint32_t i = 0; i < verify->flight_room; i++)
		free(verify->flights[i].stamped);
	free(verify->flights);
	free(verify->scrub_data);
	free(verify->description);
	free(verify);
}

void verify_counts(struct target *target, uint64_t out[static VERIFY_FINDINGS])
{
	memcpy(out, verify_of(target)->counts, sizeof(verify_of(target)->counts));
}

/* ---- opening ---- */

static int check_inner(const struct target *inner)
{
	if (inner->is_virtual)
		return fail(EINVAL, "verify: a modelled drive keeps no data, only where they would be, so "
				    "there is nothing to verify; 'drivebay soak' checks what a model keeps");
	if (!inner->moves_data)
		return fail(EINVAL, "verify: this target keeps no data: there is nothing to verify; a "
				    "device or a file would do");
	if (inner->block_bytes < LEAST_BLOCK_BYTES)
		return fail(EINVAL, "verify: a block of %u bytes has no room for a stamp", inner->block_bytes);
	return 0;
}

int verify_wrap(struct target *inner, const struct verify_options *options, struct target **out)
{
	struct verify_target *verify;
	int err = check_inner(inner);

	if (err)
		return err;
	verify = xcalloc(1, sizeof(*verify));
	err = verify_journal_open(&verify->journal, options->journal, inner->size_bytes, inner->block_bytes,
				  options->owner, options->is_synced);
	if (err) {
		free(verify);
		return err;
	}
	verify->base = *inner;
	verify->base.ops = &target_verify_ops;
	verify->base.in_flight = 0;
	verify->base.is_alone = true;
	verify->inner = inner;
	verify->waiting.end = &verify->waiting.first;
	verify->scrub_data = aligned_alloc(PAGE_BYTES, VERIFY_CHUNK_BYTES);
	if (!verify->scrub_data)
		xmalloc(SIZE_MAX);
	verify->description = xasprintf("%s; each block verified (CRC32C)%s%s", target_describe(inner),
					options->journal ? ", journal " : "",
					options->journal ? options->journal : "");
	*out = &verify->base;
	return 0;
}

static int parse_word(char *word, struct verify_options *options)
{
	char *value = strchr(word, '=');

	if (!value || !value[1])
		return fail(EINVAL, "verify: '%s' is not KEY=VALUE; journal=FILE would do", word);
	*value++ = '\0';
	if (!strcmp(word, "journal")) {
		options->journal = value;
		return 0;
	}
	if (strcmp(word, "sync"))
		return fail(EINVAL, "verify: unknown key '%s'; there are journal and sync", word);
	options->is_synced = !strcmp(value, "yes");
	if (!options->is_synced && strcmp(value, "no"))
		return fail(EINVAL, "verify: sync: '%s' is neither yes nor no", value);
	return 0;
}

static int verify_open(const char *arg, const struct target_options *options, struct target **out)
{
	const char *colon = strchr(arg, ':');
	struct verify_options own = { .owner = clock_ns() * 0x9e3779b97f4a7c15u ^ options->seed };
	_cleanup_free_ char *text = NULL;
	struct target *inner = NULL;
	char *rest, *word;
	int err = 0;

	if (!colon || !colon[1])
		return fail(EINVAL, "verify:%s: what? verify::TARGET would do", arg);
	rest = text = xstrdup(arg);
	text[colon - arg] = '\0';
	while (!err && (word = strsep(&rest, ",")))
		err = *word ? parse_word(word, &own) : 0;
	if (!err && own.is_synced && !own.journal)
		err = fail(EINVAL, "verify: sync needs journal=FILE");
	if (!err)
		err = target_open(colon + 1, options, &inner);
	if (!err)
		err = verify_wrap(inner, &own, out);
	if (err)
		target_close(inner);
	return err;
}

const struct target_ops target_verify_ops = {
	.name = "verify",
	.help = "verify:KEY=VALUE,...:TARGET checks that reads give back what was written (journal, sync)",
	.open = verify_open,
	.close = verify_close,
	.submit = verify_submit,
	.reap = verify_reap,
	.now = verify_now,
	.describe = verify_describe,
	.health = verify_health,
	.usage = verify_usage,
	.purge = verify_purge,
	.settle = verify_settle,
	.buffers = verify_buffers,
};
