#include "load/loop.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

enum {
	PAGE_BYTES = 4096,
	WRITE_POOL_BYTES = 4 << 20,  /* besides the largest request */
	PROGRESS_NS = 50000000,      /* twenty times a second */
	PROGRESS_IOS = 1 << 16,      /* on a model without windows */
	UNISSUED_EXACT = 1 << 20,    /* more than these are counted in groups */
};

/*
 * What writes send: random bytes, which nothing can compress, and in each page so many zeroes at
 * the end as make the share that a compressor is to take away.
 */
static void fill_pool(struct loop *loop, uint64_t bytes)
{
	struct rng rng = rng_stream(loop->config->seed, "data");
	uint64_t zero_bytes = PAGE_BYTES / 100 * loop->config->workload->compress_percent +
			      PAGE_BYTES % 100 * loop->config->workload->compress_percent / 100;

	for (uint64_t i = 0; i < bytes; i += sizeof(uint64_t)) {
		uint64_t word = rng_next(&rng);

		memcpy(loop->writes + i, &word, sizeof(word));
	}
	for (uint64_t i = PAGE_BYTES; zero_bytes && i <= bytes; i += PAGE_BYTES)
		memset(loop->writes + i - zero_bytes, 0, zero_bytes);
}

/*
 * Every request has memory of its own to be read into. Writes share a pool, each from the page
 * after the last one's, which is filled only once and so costs the rate nothing. Both are
 * one piece, touched now so that it costs no page faults in the run.
 */
static void buffers_init(struct loop *loop, uint32_t max_bytes)
{
	uint64_t slot_bytes = ((uint64_t)max_bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	uint64_t read_bytes = slot_bytes * loop->io_count;

	loop->slot_bytes = slot_bytes;
	loop->pool_bytes = read_bytes + WRITE_POOL_BYTES + slot_bytes;
	loop->pool = aligned_alloc(PAGE_BYTES, loop->pool_bytes);
	if (!loop->pool)
		xmalloc(SIZE_MAX); /* says so and ends the program */
	memset(loop->pool, 0, read_bytes);
	loop->writes = loop->pool + read_bytes;
	fill_pool(loop, WRITE_POOL_BYTES + slot_bytes);
}

static uint32_t largest(const struct size_mix *mix)
{
	uint32_t max_bytes = 0;

	for (size_t i = 0; i < mix->count; i++)
		if (mix->shares[i].size_bytes > max_bytes)
			max_bytes = mix->shares[i].size_bytes;
	return max_bytes;
}

/* On to the next recorded request. */
static void replay_advance(struct loop *loop)
{
	if (loop->replay->next(loop->replay, &loop->coming))
		loop->pace.due_ns = loop->coming.due_ns;
	else
		loop->issue_max = loop->issued;
}

static int replay_init(struct loop *loop, struct replay *replay)
{
	int err;

	if (!replay && loop->config->workload->pattern == PATTERN_TRACE)
		return fail(EINVAL, "%s: its requests are in the trace and not in the result; run the trace "
			    "anew", loop->config->workload->name);
	if (!replay)
		return 0;
	assert(loop->count == 1); /* it is not shared out */
	err = replay->rewind(replay);
	if (err)
		return err;
	loop->replay = replay;
	loop->is_open = replay->is_timed;
	replay_advance(loop);
	return 0;
}

int loop_init(struct loop *loop, struct target *target, const struct run_config *config,
	      unsigned index, unsigned count)
{
	const struct workload *workload = config->workload;
	struct stream_space space = { target->size_bytes, target->block_bytes, index, count };
	uint32_t read_max = largest(&workload->read_sizes), write_max = largest(&workload->write_sizes);
	int err;

	assert(target->in_flight == 0);
	memset(loop, 0, sizeof(*loop));
	loop->target = target;
	loop->config = config;
	loop->index = index;
	loop->count = count;
	stats_clear(&loop->interval);
	stats_clear(&loop->rest);
	if (workload->depth == 0)
		return fail(EINVAL, "%s: depth: at least 1 would do", workload->name);
	err = stream_init(&loop->stream, workload, &space, config->seed, config->name);
	if (err)
		return err;
	loop->is_open = config->rate > 0;
	if (loop->is_open)
		pace_init(&loop->pace, config->rate, config->arrivals, config->seed, config->name, index,
			  count);
	loop->issue_max = UINT64_MAX;
	err = replay_init(loop, workload->replay);
	if (err)
		return err;
	if (config->max_ios)
		loop->issue_max = config->max_ios / count + (index < config->max_ios % count);
	loop->bytes_max = UINT64_MAX;
	if (config->max_bytes)
		loop->bytes_max = config->max_bytes / count + (index < config->max_bytes % count);

	loop->io_count = loop->stream.lane_count * workload->depth;
	loop->ios = xcalloc(loop->io_count, sizeof(*loop->ios));
	for (uint32_t i = loop->io_count; i-- > 0;) {
		loop->ios[i].tag = i % loop->stream.lane_count;
		loop->ios[i].next = loop->free_ios;
		loop->free_ios = &loop->ios[i];
	}
	if (target->moves_data) {
		buffers_init(loop, read_max > write_max ? read_max : write_max);
		target_buffers(target, loop->pool, loop->pool_bytes); /* if it wants to know */
	}
	return 0;
}

void loop_free(struct loop *loop)
{
	if (loop->pool)
		target_buffers(loop->target, NULL, 0);
	stream_free(&loop->stream);
	free(loop->ios);
	free(loop->pool);
}

/* Outstanding requests over time, up to `now_ns` or the end. */
static inline void count_outstanding(struct loop *loop, uint64_t now_ns)
{
	if (now_ns > loop->end_ns)
		now_ns = loop->end_ns;
	if (now_ns <= loop->counted_ns)
		return;
	loop->interval.outstanding_ns +=
		(unsigned __int128)(now_ns - loop->counted_ns) * loop->in_flight;
	loop->counted_ns = now_ns;
}

static uint64_t window_waf_milli(struct loop *loop)
{
	struct health before = loop->health;
	uint64_t host_bytes, nand_bytes;

	if (!loop->has_health || target_health(loop->target, &loop->health))
		return 0;
	host_bytes = loop->health.host_written_bytes - before.host_written_bytes;
	nand_bytes = loop->health.nand_written_bytes - before.nand_written_bytes;
	return host_bytes ? (uint64_t)((unsigned __int128)nand_bytes * 1000 / host_bytes) : 0;
}

static void hand_over(struct loop *loop, uint64_t end_ns)
{
	count_outstanding(loop, end_ns);
	loop->interval.elapsed_ns = end_ns - loop->window_start_ns;
	loop->waf_milli = window_waf_milli(loop);
	if (!loop->sink.interval(loop->sink.context, loop))
		loop->is_stopped = true;
	stats_reset(&loop->interval);
	loop->window_start_ns = end_ns;
}

/* UINT64_MAX when the window that begins at start_ns lasts until the end of the run. */
static uint64_t window_end(const struct loop *loop, uint64_t start_ns)
{
	uint64_t window_ns = loop->config->window_ns;

	return window_ns && window_ns < loop->end_ns - start_ns ? start_ns + window_ns : UINT64_MAX;
}

/* Ends every window that is over at `now_ns`; all but the last, which loop_end() ends. */
static inline void end_windows(struct loop *loop, uint64_t now_ns)
{
	while (__builtin_expect(now_ns >= loop->window_end_ns, 0)) {
		hand_over(loop, loop->window_end_ns);
		loop->window_end_ns = window_end(loop, loop->window_end_ns);
	}
}

/*
 * A request that has come back. What completed before the end of its window counts there,
 * also when it is noticed later; what completed after the end of the run is unfinished.
 */
static inline void account(struct loop *loop, struct io *io)
{
	if (__builtin_expect(io->completed_ns > loop->end_ns, 0)) {
		stats_add_unfinished(&loop->rest, loop->end_ns - io->due_ns,
				     loop->end_ns - io->submitted_ns);
	} else {
		end_windows(loop, io->completed_ns);
		stats_add(&loop->interval, io);
	}
	io->next = loop->free_ios;
	loop->free_ios = io;
}

/* `count` requests were seen to have come back at now_ns. */
static inline void leave(struct loop *loop, uint64_t now_ns, uint32_t count)
{
	count_outstanding(loop, now_ns);
	loop->in_flight -= count;
}

/*
 * All that has come back by now, `first` ahead. On a real target everything is taken before
 * it is looked at; one reading of the clock, straight after the first, holds for all that
 * the target saw in the same look. Returns the time at which the next requests go out.
 */
static uint64_t take_batch(struct loop *loop, struct io *first)
{
	uint64_t now_ns = target_now(loop->target);
	struct io **end = &first->next, *io, *next;
	uint32_t count = 1;
	bool is_batch = false;

	while (!loop->target->is_virtual && loop->target->in_flight &&
	       (io = target_reap(loop->target, 0))) {
		if (io->completed_ns > now_ns) {
			leave(loop, now_ns, count);
			now_ns = target_now(loop->target);
			count = 0;
		}
		*end = io;
		end = &io->next;
		count++;
		is_batch = true;
	}
	*end = NULL;
	for (io = first; io; io = next) {
		next = io->next;
		account(loop, io);
	}
	end_windows(loop, now_ns);
	leave(loop, now_ns, count);
	/* Its statistics took a while: the requests that follow go out later than that. */
	return is_batch ? target_now(loop->target) : now_ns;
}

static inline void *data_for(struct loop *loop, const struct io *io)
{
	uint8_t *data;

	switch (io->op) {
	case IO_READ:
		return loop->pool + (uint64_t)(io - loop->ios) * loop->slot_bytes;
	case IO_WRITE:
		data = loop->writes + loop->write_at_bytes;
		loop->write_at_bytes = (loop->write_at_bytes + PAGE_BYTES) % WRITE_POOL_BYTES;
		return data;
	case IO_TRIM:
	case IO_FLUSH:
	case IO_WRITE_ZEROES:
		return NULL;
	}
	abort();
}

static inline void issue(struct loop *loop, uint32_t lane, uint64_t due_ns, uint64_t now_ns)
{
	struct io *io = loop->free_ios;

	loop->free_ios = io->next;
	if (__builtin_expect(loop->replay != NULL, 0)) {
		io->op = loop->coming.op;
		io->offset_bytes = loop->coming.offset_bytes;
		io->size_bytes = loop->coming.size_bytes;
	} else {
		stream_next(&loop->stream, lane, io);
	}
	io->data = loop->pool ? data_for(loop, io) : NULL;
	io->due_ns = due_ns;
	loop->issued++;
	loop->issued_bytes += io->size_bytes;
	target_submit_at(loop->target, io, now_ns);
	if (__builtin_expect(loop->replay != NULL, 0))
		replay_advance(loop);
}

static inline bool all_issued(const struct loop *loop)
{
	return loop->issued >= loop->issue_max || loop->issued_bytes >= loop->bytes_max;
}

static inline bool may_issue(const struct loop *loop)
{
	return loop->free_ios && !all_issued(loop);
}

/* Closed loop: what came back goes out again, on its own lane. */
static void issue_closed(struct loop *loop, uint64_t now_ns)
{
	uint64_t before = loop->issued;

	while (may_issue(loop))
		issue(loop, loop->free_ios->tag, now_ns, now_ns);
	count_outstanding(loop, now_ns);
	loop->in_flight += (uint32_t)(loop->issued - before);
}

/* Open loop: what is due goes out, the lanes in turn. */
static void issue_open(struct loop *loop, uint64_t now_ns)
{
	uint64_t before = loop->issued;

	while (may_issue(loop) && loop->start_ns + pace_due(&loop->pace) <= now_ns) {
		uint32_t lane = (uint32_t)(loop->issued % loop->stream.lane_count);

		issue(loop, lane, loop->start_ns + pace_due(&loop->pace), now_ns);
		if (!loop->replay)
			pace_next(&loop->pace);
	}
	count_outstanding(loop, now_ns);
	loop->in_flight += (uint32_t)(loop->issued - before);
}

/* The first moment at which there is something to do even if nothing comes back. */
static inline uint64_t next_moment(const struct loop *loop)
{
	uint64_t moment_ns = loop->end_ns < loop->window_end_ns ? loop->end_ns : loop->window_end_ns;

	if (loop->is_open && may_issue(loop)) {
		uint64_t due_ns = loop->start_ns + pace_due(&loop->pace);

		if (due_ns < moment_ns)
			moment_ns = due_ns;
	}
	if (loop->progress_ns < moment_ns)
		moment_ns = loop->progress_ns;
	return moment_ns;
}

static void tell_progress(struct loop *loop, uint64_t now_ns)
{
	uint64_t elapsed_ns = (now_ns < loop->end_ns ? now_ns : loop->end_ns) - loop->start_ns;

	if (loop->sink.progress && !loop->sink.progress(loop->sink.context, loop, elapsed_ns))
		loop->is_stopped = true;
	if (!loop->target->is_virtual)
		loop->progress_ns = now_ns + PROGRESS_NS;
}

/* Does anybody want an end before the end? */
static inline bool is_stopped(struct loop *loop)
{
	if (loop->config->stop && *loop->config->stop)
		loop->is_stopped = true;
	if (loop->cancel && atomic_load_explicit(loop->cancel, memory_order_relaxed))
		loop->is_stopped = true;
	return loop->is_stopped;
}

static inline bool all_done(const struct loop *loop)
{
	return loop->in_flight == 0 && all_issued(loop);
}

/* Until the end, an earlier one that somebody wanted, or the last of max_ios. Returns when. */
static uint64_t generate(struct loop *loop)
{
	uint64_t now_ns = target_now(loop->target), reported = 0;

	while (now_ns < loop->end_ns && !all_done(loop) && !is_stopped(loop)) {
		uint64_t until_ns;
		struct io *io;

		if (loop->is_open)
			issue_open(loop, now_ns);
		else
			issue_closed(loop, now_ns);
		until_ns = next_moment(loop);
		io = target_reap(loop->target, until_ns);
		if (io) {
			now_ns = take_batch(loop, io);
		} else {
			now_ns = target_now(loop->target);
			end_windows(loop, now_ns);
		}
		if (now_ns >= loop->progress_ns) {
			tell_progress(loop, now_ns);
		} else if (loop->target->is_virtual && !loop->config->window_ns &&
			   loop->issued - reported >= PROGRESS_IOS) {
			reported = loop->issued;
			tell_progress(loop, now_ns);
		}
	}
	return now_ns;
}

/* Waits for what is in flight; on a real target in short steps, to be heard of meanwhile. */
static void drain(struct loop *loop)
{
	bool is_real = !loop->target->is_virtual;

	while (loop->target->in_flight) {
		uint64_t until_ns = is_real ? target_now(loop->target) + PROGRESS_NS : TARGET_FOREVER;
		struct io *io = target_reap(loop->target, until_ns);

		if (io)
			account(loop, io);
		else if (loop->sink.progress && !loop->is_stopped)
			loop->sink.progress(loop->sink.context, loop, loop->end_ns - loop->start_ns);
	}
	loop->in_flight = 0;
}

/*
 * What was due and never went out, with the time it had waited by the end. Millions of them
 * (a rate far beyond the device, for long) are spread evenly instead of drawn one by one.
 */
static void count_unissued(struct loop *loop)
{
	uint64_t run_ns = loop->end_ns - loop->start_ns, left_ns, estimate, groups;
	unsigned __int128 period_ns;

	if (!loop->is_open || all_issued(loop) || pace_due(&loop->pace) >= run_ns)
		return;
	for (; loop->replay && !all_issued(loop) && pace_due(&loop->pace) < run_ns; loop->issued++) {
		stats_add_unissued(&loop->rest, run_ns - pace_due(&loop->pace), 1);
		if (!loop->replay->next(loop->replay, &loop->coming))
			break;
		loop->pace.due_ns = loop->coming.due_ns;
	}
	if (loop->replay)
		return;
	left_ns = run_ns - pace_due(&loop->pace);
	period_ns = (unsigned __int128)loop->count * 1000000000u; /* of `rate` requests of this share */
	estimate = (uint64_t)(((unsigned __int128)left_ns * loop->config->rate + period_ns - 1) / period_ns);
	if (estimate > loop->issue_max - loop->issued)
		estimate = loop->issue_max - loop->issued;
	if (estimate > UNISSUED_EXACT) {
		groups = UNISSUED_EXACT;
		for (uint64_t i = 0; i < groups; i++)
			stats_add_unissued(&loop->rest, (uint64_t)((unsigned __int128)left_ns *
					   (2 * (groups - i) - 1) / (2 * groups)),
					   estimate * (i + 1) / groups - estimate * i / groups);
		return;
	}
	for (; pace_due(&loop->pace) < run_ns && loop->issued < loop->issue_max; loop->issued++) {
		stats_add_unissued(&loop->rest, run_ns - pace_due(&loop->pace), 1);
		pace_next(&loop->pace);
	}
}

static uint64_t later(uint64_t from_ns, uint64_t by_ns)
{
	return by_ns < UINT64_MAX - from_ns ? from_ns + by_ns : UINT64_MAX;
}

static void begin(struct loop *loop, uint64_t start_ns)
{
	loop->start_ns = loop->window_start_ns = loop->counted_ns = start_ns;
	loop->end_ns = later(start_ns, loop->config->duration_ns);
	loop->window_end_ns = window_end(loop, start_ns);
	loop->progress_ns = loop->target->is_virtual ? UINT64_MAX : start_ns + PROGRESS_NS;
	loop->has_health = loop->config->window_ns && target_health(loop->target, &loop->health) == 0;
}

/* Nothing goes out any more: the run ends here, or ended before. */
static void stop_issuing(struct loop *loop, uint64_t now_ns)
{
	if (now_ns < loop->end_ns) {
		loop->end_ns = now_ns;
		loop->window_end_ns = UINT64_MAX;
	}
	end_windows(loop, loop->end_ns); /* also if it began after its end, on a busy host */
	count_outstanding(loop, loop->end_ns);
}

/* Nothing is in flight any more. */
static void finish(struct loop *loop)
{
	if (loop->end_ns > loop->window_start_ns || loop->interval.from_submit.count)
		hand_over(loop, loop->end_ns);
	count_unissued(loop);
}

int loop_run(struct loop *loop, uint64_t start_ns)
{
	uint64_t planned_end_ns;

	begin(loop, start_ns);
	planned_end_ns = loop->end_ns;
	stop_issuing(loop, generate(loop));
	drain(loop);
	finish(loop);
	return loop->is_stopped && loop->end_ns < planned_end_ns ? -EINTR : 0;
}

/* ---- several loops on one virtual target ---- */

static struct loop *owner(struct loop *const *loops, size_t count, const struct io *io)
{
	for (size_t i = 0; i < count; i++)
		if (io >= loops[i]->ios && io < loops[i]->ios + loops[i]->io_count)
			return loops[i];
	abort();
}

/* Ends what is at its end, sends what is due; how many are not at their end. */
static size_t advance(struct loop *const *loops, size_t count, bool *is_over, uint64_t now_ns)
{
	size_t open = 0;

	for (size_t i = 0; i < count; i++) {
		struct loop *loop = loops[i];

		if (is_over[i])
			continue;
		end_windows(loop, now_ns);
		if (now_ns >= loop->end_ns || all_done(loop) || is_stopped(loop)) {
			is_over[i] = true;
			stop_issuing(loop, now_ns);
			continue;
		}
		open++;
		if (loop->is_open)
			issue_open(loop, now_ns);
		else
			issue_closed(loop, now_ns);
	}
	return open;
}

static uint64_t first_moment(struct loop *const *loops, size_t count, const bool *is_over)
{
	uint64_t first_ns = TARGET_FOREVER;

	for (size_t i = 0; i < count; i++)
		if (!is_over[i] && next_moment(loops[i]) < first_ns)
			first_ns = next_moment(loops[i]);
	return first_ns;
}

int loops_run(struct loop *const *loops, size_t count, uint64_t start_ns)
{
	struct target *target = loops[0]->target;
	bool *is_over = xcalloc(count, sizeof(*is_over)), is_stopped = false;

	assert(target->is_virtual);
	for (size_t i = 0; i < count; i++)
		begin(loops[i], start_ns);
	while (advance(loops, count, is_over, target_now(target)) || target->in_flight) {
		struct io *io = target_reap(target, first_moment(loops, count, is_over));
		struct loop *loop;

		if (!io)
			continue;
		loop = owner(loops, count, io);
		account(loop, io);
		leave(loop, target_now(target), 1);
	}
	for (size_t i = 0; i < count; i++) {
		finish(loops[i]);
		is_stopped |= loops[i]->is_stopped;
	}
	free(is_over);
	return is_stopped ? -EINTR : 0;
}
