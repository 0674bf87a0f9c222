#include "load/stream.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/fail.h"

typedef unsigned __int128 uint128; /* C11 has no name for it */

/*
 * Addresses are multiples of the alignment at which a whole request fits, and one more
 * where these leave an end of the span untouched.
 */
static uint64_t places_of(const struct stream *stream, uint64_t size_bytes)
{
	uint64_t whole = (stream->span_bytes - size_bytes) / stream->align_bytes + 1;
	uint64_t next_bytes = whole * stream->align_bytes;
	uint64_t covered_bytes = next_bytes - stream->align_bytes + size_bytes;

	return whole + (covered_bytes < stream->span_bytes && next_bytes < stream->span_bytes);
}

/*
 * Vose's way of filling the columns: each has room for the total weight; a size that needs
 * less than its column shares it with one that needs more. In integers, so it is exact up
 * to the last step, 2^-64.
 */
static void mix_init(struct stream_mix *mix, const struct size_mix *sizes, const struct stream *stream)
{
	uint64_t need[WORKLOAD_SIZES], total = 0;
	bool done[WORKLOAD_SIZES] = { false };
	uint32_t count = (uint32_t)sizes->count;

	for (uint32_t i = 0; i < count; i++)
		total += sizes->shares[i].weight;
	for (uint32_t i = 0; i < count; i++)
		need[i] = (uint64_t)sizes->shares[i].weight * count;
	mix->count = count;
	for (uint32_t round = 0; round < count; round++) {
		uint32_t least = 0, most = 0;
		struct stream_column *column;

		while (done[least])
			least++;
		for (uint32_t i = least; i < count; i++)
			if (!done[i] && need[i] < need[least])
				least = i;
		for (uint32_t i = 1; i < count; i++)
			if (need[i] > need[most])
				most = i;
		column = &mix->columns[least];
		column->below.size_bytes = sizes->shares[least].size_bytes;
		column->below.places = places_of(stream, column->below.size_bytes);
		column->above = column->below;
		column->cut = UINT64_MAX;
		if (need[least] < total) {
			column->above.size_bytes = sizes->shares[most].size_bytes;
			column->above.places = places_of(stream, column->above.size_bytes);
			column->cut = (uint64_t)(((uint128)need[least] << 64) / total);
			need[most] -= total - need[least];
		}
		need[least] = 0;
		done[least] = true;
	}
}

struct bounds {
	uint32_t min_bytes, max_bytes;
};

static int check_sizes(const struct workload *workload, const struct size_mix *mix,
		       uint32_t block_bytes, struct bounds *bounds)
{
	uint64_t total = 0;

	if (mix->count == 0 || mix->count > WORKLOAD_SIZES)
		return fail(EINVAL, "%s: %zu sizes of a request, 1 to %d would do", workload->name,
			    mix->count, WORKLOAD_SIZES);
	for (size_t i = 0; i < mix->count; i++) {
		uint32_t size_bytes = mix->shares[i].size_bytes;

		total += mix->shares[i].weight;
		if (size_bytes == 0 || size_bytes % block_bytes)
			return fail(EINVAL, "%s: a request of %u bytes is not a multiple of the target's "
				    "logical block of %u", workload->name, size_bytes, block_bytes);
		if (size_bytes < bounds->min_bytes)
			bounds->min_bytes = size_bytes;
		if (size_bytes > bounds->max_bytes)
			bounds->max_bytes = size_bytes;
	}
	if (total == 0)
		return fail(EINVAL, "%s: all sizes have weight 0", workload->name);
	return 0;
}

static int check_block(const struct workload *workload, const char *what, uint64_t bytes,
		       uint32_t block_bytes)
{
	if (bytes % block_bytes == 0)
		return 0;
	return fail(EINVAL, "%s: %s: %llu is not a multiple of the target's logical block of %u",
		    workload->name, what, (unsigned long long)bytes, block_bytes);
}

/* The size of the span, and whether those of all threads lie within the target. */
static int measure_span(struct stream *stream, const struct workload *workload,
			const struct stream_space *space)
{
	uint128 steps = (uint128)workload->thread_step_bytes *
			(workload->threads ? workload->threads - 1 : 0);
	uint128 before = steps + workload->offset_bytes;
	int err = check_block(workload, "offset", workload->offset_bytes, space->block_bytes);

	if (!err)
		err = check_block(workload, "span", workload->span_bytes, space->block_bytes);
	if (!err)
		err = check_block(workload, "step", workload->thread_step_bytes, space->block_bytes);
	if (err)
		return err;
	if (workload->span_bytes) {
		stream->span_bytes = workload->span_bytes;
	} else if (workload->span_millipercent != 100000) {
		stream->span_bytes = (uint64_t)((uint128)space->size_bytes *
						workload->span_millipercent / 100000);
		stream->span_bytes -= stream->span_bytes % stream->align_bytes;
	} else {
		stream->span_bytes = before < space->size_bytes ? space->size_bytes - (uint64_t)before : 0;
	}
	if (before + stream->span_bytes > space->size_bytes)
		return fail(EINVAL, "%s: goes up to byte %.0f, and the target has %llu", workload->name,
			    (double)(before + stream->span_bytes), (unsigned long long)space->size_bytes);
	return 0;
}

static int measure(struct stream *stream, const struct workload *workload,
		   const struct stream_space *space, struct bounds *bounds)
{
	int err = 0;

	*bounds = (struct bounds){ .min_bytes = UINT32_MAX };
	if (workload->read_percent > 100 || workload->trim_percent > 100 ||
	    workload->zeroes_percent > 100 || workload->random_percent > 100 ||
	    workload->trim_percent + workload->zeroes_percent > 100)
		return fail(EINVAL, "%s: a share above 100 %%", workload->name);
	if (workload->pattern == PATTERN_ZIPF && workload->zipf_theta_milli == 0)
		return fail(EINVAL, "%s: zipf: theta 0 is no zipf, above 0 would do", workload->name);
	if (workload->read_percent > 0)
		err = check_sizes(workload, &workload->read_sizes, space->block_bytes, bounds);
	if (!err && workload->read_percent < 100)
		err = check_sizes(workload, &workload->write_sizes, space->block_bytes, bounds);
	if (err)
		return err;
	stream->min_bytes = bounds->min_bytes;
	stream->align_bytes = workload->align_bytes ? workload->align_bytes : bounds->min_bytes;
	if (stream->align_bytes % space->block_bytes)
		return fail(EINVAL, "%s: align: %llu is not a multiple of the target's logical block of %u",
			    workload->name, (unsigned long long)stream->align_bytes, space->block_bytes);

	if (workload->span_millipercent > 100000)
		return fail(EINVAL, "%s: span: more than 100 %% of the target", workload->name);
	err = measure_span(stream, workload, space);
	if (err)
		return err;
	if (stream->span_bytes < bounds->max_bytes)
		return fail(EINVAL, "%s: a span of %llu bytes does not hold a request of %u", workload->name,
			    (unsigned long long)stream->span_bytes, bounds->max_bytes);
	return 0;
}

/* Do its lanes have parts of their own, which they walk? */
static bool walks(const struct stream *stream)
{
	return stream->pattern == PATTERN_SEQUENTIAL || stream->pattern == PATTERN_FILL;
}

static int lanes_init(struct stream *stream, const struct workload *workload,
		      const struct stream_space *space, uint32_t max_bytes)
{
	bool has_parts = walks(stream) && !workload->shares_span;
	uint64_t part_bytes;

	if (workload->threads == 0)
		return fail(EINVAL, "%s: threads: at least 1 would do", workload->name);
	part_bytes = stream->span_bytes / workload->threads;
	part_bytes -= part_bytes % stream->align_bytes;
	if (has_parts && workload->threads > 1 && part_bytes < max_bytes)
		return fail(EINVAL, "%s: %u threads do not each find room for a request of %u bytes in a "
			    "span of %llu", workload->name, workload->threads, max_bytes,
			    (unsigned long long)stream->span_bytes);
	assert(space->index < space->count);
	assert(space->index < workload->threads);
	stream->lane_count = (workload->threads - space->index + space->count - 1) / space->count;
	stream->open_lanes = stream->lane_count;
	stream->lanes = xcalloc(stream->lane_count, sizeof(*stream->lanes));
	for (uint32_t i = 0; i < stream->lane_count; i++) {
		struct stream_lane *lane = &stream->lanes[i];
		uint32_t thread = space->index + i * space->count;

		lane->begin_bytes = workload->offset_bytes + thread * workload->thread_step_bytes;
		lane->end_bytes = lane->begin_bytes + stream->span_bytes;
		if (has_parts) {
			lane->begin_bytes += thread * part_bytes;
			if (thread + 1 < workload->threads) /* the last one has what does not divide */
				lane->end_bytes = lane->begin_bytes + part_bytes;
		}
		lane->cursor_bytes = walks(stream) ? lane->begin_bytes : UINT64_MAX;
	}
	return 0;
}

static bool all_aligned(const struct size_mix *mix, uint64_t align_bytes)
{
	for (size_t i = 0; i < mix->count; i++)
		if (mix->shares[i].size_bytes % align_bytes)
			return false;
	return true;
}

/* The sequence that `use` draws from, for this share of the run called `name`. */
static struct rng sequence(uint64_t seed, const char *name, const char *use,
			   const struct stream_space *space)
{
	_cleanup_free_ char *full = space->count == 1 ?
		xasprintf("%s/%s", name, use) : xasprintf("%s/%s/%u", name, use, space->index);

	return rng_stream(seed, full);
}

int stream_init(struct stream *stream, const struct workload *workload,
		const struct stream_space *space, uint64_t seed, const char *name)
{
	struct bounds bounds;
	int err;

	*stream = (struct stream){
		.pattern = workload->pattern,
		.read_percent = workload->read_percent,
		.trim_percent = workload->trim_percent,
		.zeroes_percent = workload->zeroes_percent,
		.random_percent = workload->random_percent,
		.flush_writes = workload->flush_writes,
		.op = sequence(seed, name, "op", space),
		.size = sequence(seed, name, "size", space),
		.address = sequence(seed, name, "address", space),
		.order = sequence(seed, name, "order", space),
	};
	err = measure(stream, workload, space, &bounds);
	if (!err)
		err = lanes_init(stream, workload, space, bounds.max_bytes);
	if (err)
		return err;
	if (workload->read_percent > 0)
		mix_init(&stream->reads, &workload->read_sizes, stream);
	if (workload->read_percent < 100)
		mix_init(&stream->writes, &workload->write_sizes, stream);
	stream->is_aligned = all_aligned(&workload->read_sizes, stream->align_bytes) &&
			     all_aligned(&workload->write_sizes, stream->align_bytes);
	if (stream->pattern == PATTERN_ZIPF)
		zipf_init(&stream->zipf, places_of(stream, stream->min_bytes), workload->zipf_theta_milli,
			  &stream->address);
	return 0;
}

void stream_free(struct stream *stream)
{
	free(stream->lanes);
	stream->lanes = NULL;
}

/* True `percent` times in 100. Draws only where there is something to decide. */
static inline bool chance(struct rng *rng, uint32_t percent)
{
	if (percent == 0 || percent == 100)
		return percent == 100;
	return rng_below(rng, 100) < percent;
}

/* One draw decides among trims, write zeroes and writes. */
static enum io_op next_range_op(struct stream *stream)
{
	uint32_t draw = (uint32_t)rng_below(&stream->op, 100);

	if (draw < stream->trim_percent)
		return IO_TRIM;
	return draw < stream->trim_percent + stream->zeroes_percent ? IO_WRITE_ZEROES : IO_WRITE;
}

static inline enum io_op next_op(struct stream *stream)
{
	if (chance(&stream->op, stream->read_percent))
		return IO_READ;
	if (stream->zeroes_percent)
		return next_range_op(stream);
	return chance(&stream->op, stream->trim_percent) ? IO_TRIM : IO_WRITE;
}

/* One draw: its high part is the column, its low part decides within it. */
static inline const struct stream_size *next_size(struct stream *stream, const struct stream_mix *mix)
{
	const struct stream_column *column = mix->columns;
	uint128 draw;

	if (mix->count == 1)
		return &column->below;
	draw = (uint128)rng_next(&stream->size) * mix->count;
	column += (uint64_t)(draw >> 64);
	return (uint64_t)draw < column->cut ? &column->below : &column->above;
}

static uint64_t zipf_offset(struct stream *stream, uint32_t size_bytes)
{
	uint64_t offset = zipf_place(&stream->zipf, zipf_rank(&stream->zipf)) * stream->align_bytes;

	/* Popularity belongs to the places of the smallest size. A larger request that does not
	   fit at a popular place near the end moves back; cut, it would be another size. */
	if (offset + size_bytes > stream->span_bytes && size_bytes > stream->min_bytes) {
		offset = stream->span_bytes - size_bytes;
		offset -= offset % stream->align_bytes;
	}
	return offset;
}

static inline uint64_t sequential_offset(const struct stream *stream, const struct stream_lane *lane)
{
	uint64_t offset = lane->cursor_bytes;

	if (!stream->is_aligned && (offset - lane->begin_bytes) % stream->align_bytes)
		offset += stream->align_bytes - (offset - lane->begin_bytes) % stream->align_bytes;
	return offset < lane->end_bytes ? offset : lane->begin_bytes;
}

static inline uint64_t next_offset(struct stream *stream, const struct stream_lane *lane,
				   const struct stream_size *size)
{
	if (walks(stream))
		return sequential_offset(stream, lane);
	if (!chance(&stream->order, stream->random_percent) && lane->cursor_bytes != UINT64_MAX)
		return sequential_offset(stream, lane);
	if (stream->pattern == PATTERN_UNIFORM)
		return lane->begin_bytes +
		       rng_below(&stream->address, size->places) * stream->align_bytes;
	return lane->begin_bytes + zipf_offset(stream, size->size_bytes);
}

/* A lane that is through changes places with the last open one. */
static struct stream_lane *draw_lane(struct stream *stream)
{
	for (;;) {
		struct stream_lane *lane, through;

		assert(stream->open_lanes > 0);
		lane = &stream->lanes[rng_below(&stream->order, stream->open_lanes)];
		if (lane->cursor_bytes < lane->end_bytes)
			return lane;
		through = *lane;
		*lane = stream->lanes[--stream->open_lanes];
		stream->lanes[stream->open_lanes] = through;
	}
}

uint64_t stream_fill_requests(uint64_t size_bytes, uint32_t request_bytes, uint32_t writers)
{
	uint64_t part_bytes = size_bytes / writers, last_bytes;

	part_bytes -= part_bytes % request_bytes;
	last_bytes = size_bytes - part_bytes * (writers - 1);
	return part_bytes / request_bytes * (writers - 1) +
	       (last_bytes + request_bytes - 1) / request_bytes;
}

static void flush_next(struct stream_lane *lane, struct io *io)
{
	io->op = IO_FLUSH;
	io->offset_bytes = io->size_bytes = 0;
	lane->unflushed = 0;
}

void stream_next(struct stream *stream, uint32_t lane_index, struct io *io)
{
	struct stream_lane *lane = stream->pattern == PATTERN_FILL ? draw_lane(stream) :
								     &stream->lanes[lane_index];
	const struct stream_size *size;
	uint64_t offset, rest_bytes;

	assert(lane_index < stream->lane_count);
	if (stream->flush_writes && lane->unflushed == stream->flush_writes) {
		flush_next(lane, io);
		return;
	}
	io->op = next_op(stream);
	lane->unflushed += io->op == IO_WRITE;
	size = next_size(stream, io->op == IO_READ ? &stream->reads : &stream->writes);
	offset = next_offset(stream, lane, size);
	rest_bytes = lane->end_bytes - offset;
	io->offset_bytes = offset;
	io->size_bytes = size->size_bytes < rest_bytes ? size->size_bytes : (uint32_t)rest_bytes;
	lane->cursor_bytes = offset + io->size_bytes;
}
