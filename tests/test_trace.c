#include "wire/trace.h"

#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "tap.h"

static struct trace *trace;
static struct trace_record record;

static void begin(const char *format)
{
	trace_free(trace);
	trace = trace_new(trace_format_by_name(format));
}

static int take(const char *line)
{
	return trace_read(trace, line, strlen(line), &record);
}

static void check_record(enum io_op op, int64_t at_ns, uint64_t offset_bytes, uint64_t size_bytes)
{
	check_equal(record.op, op);
	check_equal(record.at_ns, at_ns);
	check_equal(record.offset_bytes, offset_bytes);
	check_equal(record.size_bytes, size_bytes);
}

static void refused(const char *line, const char *sentence)
{
	int err = take(line);

	if (err != -EINVAL || strcmp(fail_message(), sentence))
		tap_fail("%d, %s", err, err < 0 ? fail_message() : "accepted");
}

TEST(of_blkparse_what_was_issued_counts)
{
	begin("blkparse");
	check_equal(take("  8,0    3        1     0.000000000   697  G   W 223490 + 8 [kjournald]"), TRACE_OTHER);
	check_equal(take("  8,0    3        2     1.000001829   697  D   W 223490 + 8 [kjournald]\r"), TRACE_REQUEST);
	check_record(IO_WRITE, 1000001829, 223490 * 512, 4096);
	check_equal(take("259,1 0 7 -0.000000500 1 D RA 8 + 16 [a b]"), TRACE_REQUEST);
	check_record(IO_READ, -500, 4096, 8192);
	check_equal(take("8,0 0 7 2.5 1 D DS 0 + 2048 [x]"), TRACE_REQUEST);
	check_record(IO_TRIM, 2500000000, 0, 1 << 20);
	check_equal(take("8,0 0 7 2.5 1 D FN [x]"), TRACE_REQUEST);
	check_record(IO_FLUSH, 2500000000, 0, 0);
	check_equal(take("8,0 0 7 2.5 1 D FWFSM 8 + 8 [x]"), TRACE_REQUEST);
	check_equal(record.op, IO_WRITE);
	check_equal(take("8,0 0 7 2.5 1 D N 36 (12 00 00 00) [x]"), TRACE_OTHER);
	check_equal(take("CPU0 (8,0):"), TRACE_OTHER);
	check_equal(take(" Reads Queued:         800,     3200KiB"), TRACE_OTHER);
	check_equal(take(" \t"), TRACE_EMPTY);
	check_equal(trace_device_count(trace), 2);
	check(!strcmp(trace_device(trace, 1), "259,1"));
	refused("8,0 0 7 2.5 1 D W x + 8 [x]", "sector: 'x' is not a number");
	refused("8,0 0 7 2.5 1 D W 8 + -8 [x]", "sectors: '-8' is not a number");
}

TEST(waits_of_an_iolog_2_add_up)
{
	begin("iolog");
	refused("f read 0 4096", "the first line of an iolog says 'fio version 2 iolog', or 3");
	check_equal(take("fio version 2 iolog"), TRACE_OTHER);
	check_equal(take("f add"), TRACE_OTHER);
	check_equal(take("f read 0 4096"), TRACE_REQUEST);
	check_record(IO_READ, 0, 0, 4096);
	check_equal(take("f wait 1000 0"), TRACE_OTHER);
	check_equal(take("f wait 500 0"), TRACE_OTHER);
	check_equal(take("f trim 4096 8192"), TRACE_REQUEST);
	check_record(IO_TRIM, 1500000, 4096, 8192);
	check_equal(take("f datasync 0 0"), TRACE_REQUEST);
	check_record(IO_FLUSH, 1500000, 0, 0);
	refused("f eat 0 0", "action: 'eat' is not read, write, trim, sync, datasync, wait, add, open or close");
	refused("fio version 1 iolog", "fio version: '1' is not 2 or 3, which are read here");
}

TEST(an_iolog_3_begins_each_line_with_its_microseconds)
{
	begin("iolog");
	check_equal(take("fio version 3 iolog"), TRACE_OTHER);
	check_equal(take("1000 f open"), TRACE_OTHER);
	check_equal(take("1410 f write 45056 4096"), TRACE_REQUEST);
	check_record(IO_WRITE, 410000, 45056, 4096);
	check_equal(take("900 f read 0 512"), TRACE_REQUEST);
	check_record(IO_READ, -100000, 0, 512);
	refused("x f read 0 512", "time: 'x' is not a number");
}

TEST(fields_between_commas_are_where_their_collection_has_them)
{
	begin("msr");
	check_equal(take("128166372003061629,hm,1,Read,383496192,32768,21125"), TRACE_REQUEST);
	check_record(IO_READ, 0, 383496192, 32768);
	check(!strcmp(trace_device(trace, 0), "hm_1"));
	check_equal(take("128166372003061630,hm,0,Write,0,512,1"), TRACE_REQUEST);
	check_record(IO_WRITE, 100, 0, 512);
	refused("1,hm,1,Read,0", "has 5 fields and not 7, as an MSR Cambridge trace has them");
	begin("systor");
	check_equal(take("Timestamp,Response,IOType,LUN,Offset,Size"), TRACE_OTHER);
	check_equal(take("1455592081.109310000,0.001087,R,6,22256398336,12288"), TRACE_REQUEST);
	check_record(IO_READ, 0, 22256398336, 12288);
	check_equal(take("1455592081.109310001,,W,6,0,512"), TRACE_REQUEST);
	check_record(IO_WRITE, 1, 0, 512);
	begin("alibaba");
	check_equal(take("419,W,8792731648,16384,1577808144360767"), TRACE_REQUEST);
	check_record(IO_WRITE, 0, 8792731648, 16384);
	refused("419,X,0,512,1577808144360767", "kind: 'X' is not R or W");
	begin("tencent");
	check_equal(take("1538323200,12910952,128,0,1063"), TRACE_REQUEST);
	check_record(IO_READ, 0, 12910952ull * 512, 65536);
	check_equal(take("1538323201,0,8,1,1063"), TRACE_REQUEST);
	check_record(IO_WRITE, 1000000000, 0, 4096);
	begin("spc");
	check_equal(take("0,20941264,8192,w,0.551706"), TRACE_REQUEST);
	check_record(IO_WRITE, 0, 20941264ull * 512, 8192);
	check_equal(take("1,0,512,R,0.551707,more"), TRACE_REQUEST);
	check_record(IO_READ, 1000, 0, 512);
	check_equal(trace_device_count(trace), 2);
}

TEST(many_devices_keep_their_names_and_numbers)
{
	begin("alibaba");
	for (int round = 0; round < 2; round++)
		for (unsigned i = 0; i < 5000; i++) {
			char *line = xasprintf("%u,R,0,512,1577808144360767", i * 7);

			check_equal(take(line), TRACE_REQUEST);
			check_equal(record.device, i);
			free(line);
		}
	check_equal(trace_device_count(trace), 5000);
}

static const char *guess(const char *text)
{
	const struct trace_format *format = trace_guess(text, strlen(text));

	return format ? trace_format_name(format) : "";
}

TEST(a_format_is_told_from_its_lines_or_not_at_all)
{
	check(!strcmp(guess("\n8,0 3 1 0.000000000 697 G W 223490 + 8 [k]\n"), "blkparse"));
	check(!strcmp(guess("fio version 2 iolog\nf add\n"), "iolog"));
	check(!strcmp(guess("128166372003061629,hm,1,Read,383496192,32768,21125\n"), "msr"));
	check(!strcmp(guess("Timestamp,Response,IOType,LUN,Offset,Size\n1.5,0.1,R,6,0,512\n"), "systor"));
	check(!strcmp(guess("419,W,8792731648,16384,1577808144360767\n"), "alibaba"));
	check(!strcmp(guess("1538323200,12910952,128,0,1063\n"), "tencent"));
	check(!strcmp(guess("0,20941264,8192,W,0.551706\n"), "spc"));
	check(!strcmp(guess(""), ""));
	check(!strcmp(guess("a,b,c\n1,2,3\n"), ""));
	check(!strcmp(guess("419,W,0,512,15\n0,20941264,8192,W,0.5\n"), "")); /* two of them */
}

int main(void)
{
	return tap_run();
}
