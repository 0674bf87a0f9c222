#include "cli/trace_source.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "cli/lines.h"

typedef unsigned __int128 uint128; /* C11 has no name for it */

enum {
	REGION_BYTES = 1 << 20,
	PIECE_BYTES = 16 << 20, /* the largest request that moves data */
	TRIM_BYTES = 1 << 30,
	NAMES_SHOWN = 8,
};

struct waiting {
	struct trace_record record;
	uint64_t index;
};

/* The file while it is being read. */
struct trace_reading {
	struct lines *lines;
	struct trace *trace;
	struct trace_counts counts;
	bool is_over;
	struct waiting heap[TRACE_WINDOW]; /* the earliest on top */
	size_t heap_count;
	uint64_t index;
	int64_t last_at_ns;                /* of the request before, in the file */
	int64_t base_ns;                   /* of the first one that went out */
	bool has_base;
	uint64_t due_ns;                   /* of the last one that went out */
	struct replay_request rest;        /* of one that goes out in pieces */
	uint64_t rest_bytes;
};

static struct trace_source *source_of(struct replay *replay)
{
	return container_of(replay, struct trace_source, base);
}

static void reading_free(struct trace_reading *reading)
{
	if (!reading)
		return;
	lines_close(reading->lines);
	trace_free(reading->trace);
	free(reading);
}

/* ---- in order of time ---- */

static bool before(const struct waiting *a, const struct waiting *b)
{
	if (a->record.at_ns != b->record.at_ns)
		return a->record.at_ns < b->record.at_ns;
	return a->index < b->index;
}

static void heap_push(struct trace_reading *reading, const struct trace_record *record)
{
	struct waiting new = { *record, reading->index++ };
	size_t at = reading->heap_count++;

	assert(at < TRACE_WINDOW);
	for (size_t parent; at > 0 && before(&new, &reading->heap[parent = (at - 1) / 2]); at = parent)
		reading->heap[at] = reading->heap[parent];
	reading->heap[at] = new;
}

static struct trace_record heap_pop(struct trace_reading *reading)
{
	struct trace_record top = reading->heap[0].record;
	struct waiting last = reading->heap[--reading->heap_count];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < reading->heap_count) {
		if (child + 1 < reading->heap_count &&
		    before(&reading->heap[child + 1], &reading->heap[child]))
			child++;
		if (!before(&reading->heap[child], &last))
			break;
		reading->heap[at] = reading->heap[child];
		at = child;
	}
	reading->heap[at] = last;
	return top;
}

/* ---- lines ---- */

static void count_record(struct trace_reading *reading, const struct trace_record *record)
{
	struct trace_counts *counts = &reading->counts;
	uint64_t end_bytes = record->offset_bytes + record->size_bytes;

	counts->requests[record->op]++;
	counts->bytes[record->op] += record->size_bytes;
	counts->negative += record->at_ns < 0;
	counts->unordered += reading->index > 0 && record->at_ns < reading->last_at_ns;
	counts->has_times &= record->has_time;
	if (end_bytes > counts->end_bytes)
		counts->end_bytes = end_bytes;
	reading->last_at_ns = record->at_ns;
}

static bool is_wanted(const struct trace_source *source, const struct trace_record *record)
{
	return !source->device ||
	       !strcmp(trace_device(source->reading->trace, record->device), source->device);
}

/* One line. */
static int take_line(struct trace_source *source, const char *line, size_t length)
{
	struct trace_reading *reading = source->reading;
	struct trace_record record;
	int kind = trace_read(reading->trace, line, length, &record);

	reading->counts.lines++;
	if (kind < 0) {
		_cleanup_free_ char *why = xstrdup(fail_message());

		return fail(EINVAL, "%s:%llu: %s", source->path,
			    (unsigned long long)lines_number(reading->lines), why);
	}
	if (kind == TRACE_EMPTY)
		reading->counts.empty++;
	else if (kind == TRACE_OTHER)
		reading->counts.other++;
	else if (!is_wanted(source, &record))
		reading->counts.other_devices++;
	else if (record.size_bytes == 0 && record.op != IO_FLUSH)
		reading->counts.no_size++;
	else {
		count_record(reading, &record);
		heap_push(reading, &record);
	}
	return 0;
}

/* The next request in order of time: 1; 0: that was all; -errno. */
static int pull(struct trace_source *source, struct trace_record *out)
{
	struct trace_reading *reading = source->reading;
	const char *line;
	size_t length;
	int more, err;

	while (!reading->is_over && reading->heap_count < TRACE_WINDOW) {
		more = lines_next(reading->lines, &line, &length);
		if (more < 0)
			return more;
		reading->is_over = more == 0;
		err = more ? take_line(source, line, length) : 0;
		if (err)
			return err;
	}
	if (reading->heap_count == 0)
		return 0;
	*out = heap_pop(reading);
	return 1;
}

static int start(struct trace_source *source)
{
	reading_free(source->reading);
	source->reading = xcalloc(1, sizeof(*source->reading));
	source->reading->counts.has_times = true;
	source->reading->trace = trace_new(source->format);
	return lines_open(source->path, &source->reading->lines);
}

/* ---- for a target ---- */

static uint64_t place(const struct trace_source *source, uint64_t offset_bytes)
{
	uint64_t regions = source->target_bytes / REGION_BYTES;
	uint64_t trace_regions = source->counts.end_bytes / REGION_BYTES + 1;

	if (source->counts.end_bytes <= source->target_bytes)
		return offset_bytes;
	if (source->scaling == TRACE_WRAP || regions == 0)
		return offset_bytes % source->target_bytes;
	return (uint64_t)((uint128)(offset_bytes / REGION_BYTES) * regions / trace_regions) * REGION_BYTES +
	       offset_bytes % REGION_BYTES;
}

/* Whole blocks within the target. */
static void fit_record(struct trace_source *source, struct trace_record *record)
{
	struct trace_counts *counts = &source->reading->counts;
	uint64_t block = source->block_bytes, offset, size;

	if (record->op == IO_FLUSH) {
		record->offset_bytes = record->size_bytes = 0;
		return;
	}
	offset = place(source, record->offset_bytes);
	size = record->size_bytes + offset % block;
	offset -= offset % block;
	size += (block - size % block) % block;
	counts->rounded += size != record->size_bytes;
	if (size > source->target_bytes)
		size = source->target_bytes;
	if (offset > source->target_bytes - size)
		offset = source->target_bytes - size;
	record->offset_bytes = offset;
	record->size_bytes = size;
}

/* Takes the next piece off what is left. */
static void take_piece(struct trace_reading *reading, struct replay_request *out)
{
	struct trace_counts *counts = &reading->counts;
	bool moves = reading->rest.op == IO_READ || reading->rest.op == IO_WRITE;
	uint64_t most = moves ? PIECE_BYTES : TRIM_BYTES;
	uint64_t size = reading->rest_bytes < most ? reading->rest_bytes : most;

	*out = reading->rest;
	out->size_bytes = (uint32_t)size;
	reading->rest.offset_bytes += size;
	reading->rest_bytes -= size;
	counts->sent++;
	counts->sent_bytes += size;
	if (out->op == IO_READ && size > counts->read_max_bytes)
		counts->read_max_bytes = size;
	if (out->op != IO_READ && size > counts->write_max_bytes)
		counts->write_max_bytes = size;
}

/* When it is due: never before one that went out already. */
static void set_due(struct trace_reading *reading, const struct trace_record *record)
{
	int64_t since_ns;

	if (!reading->has_base)
		reading->base_ns = record->at_ns;
	reading->has_base = true;
	if (__builtin_sub_overflow(record->at_ns, reading->base_ns, &since_ns))
		since_ns = INT64_MAX;
	if (since_ns < 0 || (uint64_t)since_ns < reading->due_ns)
		reading->counts.missed++;
	else
		reading->due_ns = (uint64_t)since_ns;
}

/* 1, 0 or -errno, as pull(). */
static int next_request(struct trace_source *source, struct replay_request *out)
{
	struct trace_reading *reading = source->reading;
	struct trace_record record;
	int got;

	if (reading->rest_bytes) {
		take_piece(reading, out);
		return 1;
	}
	got = pull(source, &record);
	if (got <= 0)
		return got;
	set_due(reading, &record);
	if (source->target_bytes)
		fit_record(source, &record);
	reading->rest = (struct replay_request){
		.due_ns = reading->due_ns, .op = record.op, .offset_bytes = record.offset_bytes,
	};
	reading->rest_bytes = record.size_bytes;
	take_piece(reading, out);
	reading->counts.cut += reading->rest_bytes > 0;
	return 1;
}

static int rewind_source(struct replay *replay)
{
	return start(source_of(replay));
}

/* The file was read before: what is wrong with it now went wrong meanwhile, and ends it. */
static bool next(struct replay *replay, struct replay_request *out)
{
	return next_request(source_of(replay), out) == 1;
}

void trace_source_init(struct trace_source *source, const char *path,
		       const struct trace_format *format, const char *device)
{
	*source = (struct trace_source){
		.base = { .rewind = rewind_source, .next = next },
		.path = path,
		.format = format,
		.device = device,
	};
}

void trace_source_clear(struct trace_source *source)
{
	reading_free(source->reading);
	source->reading = NULL;
}

/* ---- the scan ---- */

static int no_request(const struct trace_source *source)
{
	const struct trace *trace = source->reading->trace;
	const struct trace_counts *counts = &source->counts;
	_cleanup_buf_ struct buf names = BUF_INIT;

	if (!source->device || counts->other_devices == 0)
		return fail(EINVAL, "%s: has no request that %s is read for (%llu lines, %llu of them of "
			    "something else)", source->path, trace_format_help(source->format),
			    (unsigned long long)counts->lines, (unsigned long long)counts->other);
	for (size_t i = 0; i < trace_device_count(trace) && i < NAMES_SHOWN; i++)
		buf_printf(&names, "%s%.60s", i ? ", " : "", trace_device(trace, i));
	return fail(EINVAL, "--device: %s has no request of '%.60s'; it has those of %s%s", source->path,
		    source->device, names.text,
		    trace_device_count(trace) > NAMES_SHOWN ? " and others" : "");
}

int trace_scan(struct trace_source *source)
{
	struct replay_request request;
	int got, err = start(source);

	if (err)
		return err;
	while ((got = next_request(source, &request)) == 1)
		;
	if (got < 0)
		return got;
	source->counts = source->reading->counts;
	source->counts.length_ns = source->reading->due_ns;
	/* Where everything is at one moment there are no times: an iolog 2 without a wait. */
	if (source->counts.length_ns == 0 && source->counts.sent > 1)
		source->counts.has_times = false;
	source->counts.devices = trace_device_count(source->reading->trace);
	return source->counts.sent ? 0 : no_request(source);
}

int trace_fit(struct trace_source *source, const struct target *target, enum trace_scaling scaling)
{
	if (scaling == TRACE_NONE && source->counts.end_bytes > target->size_bytes)
		return fail(EINVAL, "%s: goes up to byte %llu, and the target has %llu; "
			    "--scale-addresses fit or wrap would do", source->path,
			    (unsigned long long)source->counts.end_bytes,
			    (unsigned long long)target->size_bytes);
	source->target_bytes = target->size_bytes;
	source->block_bytes = target->block_bytes;
	source->scaling = scaling;
	return trace_scan(source);
}
