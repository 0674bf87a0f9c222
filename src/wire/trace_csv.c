/* trace_csv.c - traces whose lines are fields between commas: which of them is what. */
#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "wire/trace_read.h"

enum { FIELDS_MAX = 16 };

struct csv_columns {
	int count;             /* at least so many fields; `exact`: no more either */
	bool exact;
	int time, op, offset, size, device, host; /* host: -1, or a part of the device's name */
	int decimals;          /* of the time that are kept, and what one of these is */
	int64_t unit_ns;
	uint64_t offset_unit, size_unit;
	bool has_digits;       /* the kind is 0 or 1 */
	bool time_has_point;   /* a guess must see one */
};

static int split(struct span line, struct span fields[static FIELDS_MAX])
{
	int count = 0;

	while (count < FIELDS_MAX) {
		const char *comma = memchr(line.text, ',', span_length(line));

		fields[count++] = span_trim((struct span){ line.text, comma ? comma : line.end });
		if (!comma)
			break;
		line.text = comma + 1;
	}
	return count;
}

static bool read_kind(struct span field, bool has_digits, enum io_op *op)
{
	if (has_digits ? span_is(field, "0") : span_is(field, "R") || span_is(field, "Read"))
		*op = IO_READ;
	else if (has_digits ? span_is(field, "1") : span_is(field, "W") || span_is(field, "Write"))
		*op = IO_WRITE;
	else
		return false;
	return true;
}

static bool is_line(struct span line, const struct csv_columns *columns)
{
	struct span fields[FIELDS_MAX];
	int count = split(line, fields);
	uint64_t number;
	int64_t stamp;
	enum io_op op;

	return count >= columns->count && (!columns->exact || count == columns->count) &&
	       span_decimal(fields[columns->time], columns->decimals, &stamp) &&
	       read_kind(fields[columns->op], columns->has_digits, &op) &&
	       span_u64(fields[columns->offset], &number) && span_u64(fields[columns->size], &number) &&
	       (!columns->time_has_point ||
		memchr(fields[columns->time].text, '.', span_length(fields[columns->time])));
}

static int read_device(struct trace *trace, const struct span *fields, struct trace_record *out)
{
	const struct csv_columns *columns = trace->format->columns;
	struct span disk = fields[columns->device], host;
	char name[128];
	int length;

	if (columns->host < 0)
		return span_device(trace, disk, &out->device);
	host = fields[columns->host];
	if (span_length(host) + span_length(disk) + 2 > sizeof(name))
		return span_fail(host, "host", "a name");
	memcpy(name, host.text, span_length(host));
	length = (int)span_length(host);
	name[length++] = '_'; /* as the files of the collection are called */
	memcpy(name + length, disk.text, span_length(disk));
	length += (int)span_length(disk);
	return span_device(trace, (struct span){ name, name + length }, &out->device);
}

static int read_bytes(struct span field, const char *what, uint64_t unit, uint64_t *out)
{
	if (!span_u64(field, out) || *out > INT64_MAX / unit)
		return span_fail(field, what, "a number");
	*out *= unit;
	return 0;
}

static int read_csv(struct trace *trace, struct span line, struct trace_record *out)
{
	const struct csv_columns *columns = trace->format->columns;
	struct span fields[FIELDS_MAX];
	int count = split(line, fields), err;

	/* A heading: its time begins with a letter. */
	if (count >= columns->count && fields[columns->time].text < fields[columns->time].end &&
	    (*fields[columns->time].text | 32) >= 'a')
		return TRACE_OTHER;
	if (count < columns->count || (columns->exact && count > columns->count))
		return fail(EINVAL, "has %d fields and not %d, as %s has them", count, columns->count,
			    trace->format->help);
	err = span_stamp(trace, fields[columns->time], columns->decimals, columns->unit_ns, out);
	if (!err && !read_kind(fields[columns->op], columns->has_digits, &out->op))
		err = span_fail(fields[columns->op], "kind",
				columns->has_digits ? "0 (read) or 1 (write)" : "R or W");
	if (!err)
		err = read_bytes(fields[columns->offset], "offset", columns->offset_unit, &out->offset_bytes);
	if (!err)
		err = read_bytes(fields[columns->size], "size", columns->size_unit, &out->size_bytes);
	if (!err)
		err = read_device(trace, fields, out);
	return err ? err : TRACE_REQUEST;
}

#define CSV_FORMAT(id, words, ...) \
	static const struct csv_columns id##_columns = { __VA_ARGS__ }; \
	static bool is_##id(struct span line) \
	{ \
		return is_line(line, &id##_columns); \
	} \
	const struct trace_format trace_##id = { \
		.name = #id, .help = words, .is_one = is_##id, .read = read_csv, .columns = &id##_columns, \
	};

/* 128166372003061629,hm,1,Read,383496192,32768,21125: ticks of 100 ns since 1601 */
CSV_FORMAT(msr, "an MSR Cambridge trace",
	   .count = 7, .exact = true, .time = 0, .host = 1, .device = 2, .op = 3, .offset = 4, .size = 5,
	   .unit_ns = 100, .offset_unit = 1, .size_unit = 1)

/* 1455592081.109310000,0.001087,R,6,22256398336,12288 */
CSV_FORMAT(systor, "a SYSTOR '17 trace",
	   .count = 6, .exact = true, .time = 0, .op = 2, .device = 3, .host = -1, .offset = 4, .size = 5,
	   .decimals = 9, .unit_ns = 1, .offset_unit = 1, .size_unit = 1)

/* 419,W,8792731648,16384,1577808144360767 */
CSV_FORMAT(alibaba, "an Alibaba block trace",
	   .count = 5, .exact = true, .device = 0, .host = -1, .op = 1, .offset = 2, .size = 3, .time = 4,
	   .unit_ns = 1000, .offset_unit = 1, .size_unit = 1)

/* 1538323200,12910952,128,0,1063: seconds, sectors */
CSV_FORMAT(tencent, "a Tencent CBS trace",
	   .count = 5, .exact = true, .time = 0, .offset = 1, .size = 2, .op = 3, .device = 4, .host = -1,
	   .has_digits = true, .unit_ns = 1000000000, .offset_unit = 512, .size_unit = 512)

/* 0,20941264,8192,W,0.551706: sectors, bytes */
CSV_FORMAT(spc, "an SPC trace",
	   .count = 5, .device = 0, .host = -1, .offset = 1, .size = 2, .op = 3, .time = 4,
	   .decimals = 9, .unit_ns = 1, .offset_unit = 512, .size_unit = 1, .time_has_point = true)
