#include "wire/fio.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "tap.h"

static struct fio_file *file;

static const char *variable(void *context, const char *name)
{
	(void)context;
	return !strcmp(name, "SIZE") ? "16k" : !strcmp(name, "EMPTY") ? "" : NULL;
}

static int include(void *context, const char *path, char **text, size_t *size)
{
	(void)context;
	if (strcmp(path, "common.fio"))
		return fail(EINVAL, "no such file");
	*text = xstrdup("bs=64k\n");
	*size = strlen(*text);
	return 0;
}

static int parse(const char *text)
{
	const struct fio_world world = { variable, include, NULL };

	fio_file_free(file);
	file = NULL;
	return fio_parse("t.fio", text, strlen(text), &world, &file);
}

static const struct fio_job *job(const char *text)
{
	if (parse(text))
		tap_fail("%s", fail_message());
	return &file->jobs[file->job_count - 1];
}

static void refused(const char *text, const char *sentence)
{
	int err = parse(text);

	if (err != -EINVAL || strcmp(fail_message(), sentence))
		tap_fail("%d, %s", err, err ? fail_message() : "accepted");
	check(!file);
}

TEST(a_job_has_what_global_says_before_it_and_its_own_keys)
{
	const struct fio_job *last = job("[global]\nbs=8k\n[a]\nbs=16k\n[global]\niodepth=4\n[b]\n");

	check_equal(file->job_count, 2);
	check_equal(file->jobs[0].sizes[FIO_READS].shares[0].bytes, 16384);
	check_equal(file->jobs[0].iodepth, 1);
	check_equal(last->sizes[FIO_WRITES].shares[0].bytes, 8192);
	check_equal(last->iodepth, 4);
	check(!strcmp(last->name, "b"));
	check_equal(last->line, 7);
}

TEST(sizes_are_powers_of_1024_unless_kb_base_says_1000_wherever_it_stands)
{
	check_equal(job("[a]\nsize=3g\n")->size.value, 3221225472);
	check_equal(job("[a]\nsize=1.5M\n")->size.value, 1572864);
	check_equal(job("[a]\nsize=4kB\n")->size.value, 4096);
	check_equal(job("[a]\nsize=4kib\n")->size.value, 4000); /* as fio has it */
	check_equal(job("[a]\nsize=4k\nkb_base=1000\n")->size.value, 4000);
	check_equal(job("[a]\nsize=4kib\nkb_base=1000\n")->size.value, 4096);
	check_equal(job("[a]\nsize=0x1000\n")->size.value, 4096);
	check_equal(job("[a]\nsize=12.5%\n")->size.value, 12500);
	check(file->jobs[0].size.is_percent);
	check_equal(job("[a]\nsize=18446744073709551615\n")->size.value, UINT64_MAX);
	refused("[a]\nsize=18446744073709551616\n",
		"t.fio:2: size=18446744073709551616: '18446744073709551616' is not a number (try: 4k)");
	refused("[a]\nsize=16777216t\n", "t.fio:2: size=16777216t: '16777216t' is too large");
	refused("[a]\nsize=0.3k\n", "t.fio:2: size=0.3k: '0.3k' is no whole number");
	refused("[a]\nsize=4x\n", "t.fio:2: size=4x: '4x' ends in no unit that fio has (try: k, m, g, t)");
	refused("[a]\nsize=-4k\n", "t.fio:2: size=-4k: '-4k' is not a number (try: 4k)");
	refused("[a]\nsize=\n", "t.fio:2: size=: a number is missing");
	refused("[a]\nsize=101%\n", "t.fio:2: size=101%: more than 100%");
}

TEST(times_have_units_or_are_seconds)
{
	check_equal(job("[a]\nruntime=90\n")->runtime_ns, 90000000000);
	check_equal(job("[a]\nruntime=1.5m\n")->runtime_ns, 90000000000);
	check_equal(job("[a]\nruntime=250ms\n")->runtime_ns, 250000000);
	check_equal(job("[a]\nruntime=1:01:30\n")->runtime_ns, 3690000000000);
	check_equal(job("[a]\nruntime=30d\n")->runtime_ns, 30ull * 86400 * 1000000000);
	refused("[a]\nruntime=31d\n", "t.fio:2: runtime=31d: is longer than 30 days");
	refused("[a]\nruntime=soon\n", "t.fio:2: runtime=soon: 'soon' is not a time (try: 60s)");
	refused("[a]\nruntime=3w\n",
		"t.fio:2: runtime=3w: 'w' is no unit of time (try: us, ms, s, m, h, d)");
}

TEST(commas_part_reads_writes_and_trims)
{
	const struct fio_job *one = job("[a]\nbs=8k,16k\n");

	check_equal(one->sizes[FIO_READS].shares[0].bytes, 8192);
	check_equal(one->sizes[FIO_WRITES].shares[0].bytes, 16384);
	check_equal(one->sizes[FIO_TRIMS].shares[0].bytes, 16384);
	one = job("[a]\nbs=,16k,\n");
	check_equal(one->sizes[FIO_READS].shares[0].bytes, 4096);
	check_equal(one->sizes[FIO_WRITES].shares[0].bytes, 16384);
	check_equal(one->sizes[FIO_TRIMS].shares[0].bytes, 4096);
	one = job("[a]\nrate_iops=100,,300\n");
	check_equal(one->rate_iops[FIO_READS], 100);
	check_equal(one->rate_iops[FIO_WRITES], 0);
	check_equal(one->rate_iops[FIO_TRIMS], 300);
	refused("[a]\nbs=1k,2k,3k,4k\n", "t.fio:2: bs=1k,2k,3k,4k: more than three values; reads, writes "
		"and trims are all there is");
}

TEST(a_split_shares_what_is_left_among_the_sizes_without_a_share)
{
	const struct fio_sizes *sizes = job("[a]\nbssplit=8k/90:16k/10,,\n")->sizes;

	check_equal(sizes[FIO_READS].count, 2);
	check_equal(sizes[FIO_READS].shares[0].weight, 90);
	check_equal(sizes[FIO_READS].shares[1].bytes, 16384);
	check_equal(sizes[FIO_WRITES].count, 1);
	check_equal(sizes[FIO_WRITES].shares[0].bytes, 4096);
	sizes = job("[a]\nbssplit=4k/50:8k:16k/\n")->sizes;
	check_equal(sizes[0].count, 3);
	check_equal(sizes[0].shares[0].weight, 2 * 50);
	check_equal(sizes[0].shares[1].weight, 50);
	check_equal(sizes[0].shares[2].weight, 50);
	sizes = job("[a]\nbssplit=4k/40:4k/60\n")->sizes;
	check_equal(sizes[0].count, 1);
	refused("[a]\nbssplit=4k/60:8k/60\n", "t.fio:2: bssplit=4k/60:8k/60: the shares add up to 120 %");
	refused("[a]\nbssplit=4k/60:8k/30\n",
		"t.fio:2: bssplit=4k/60:8k/30: the shares add up to 90 %, not to 100");
	refused("[a]\nbssplit=4k/100:8k\n", "t.fio:2: bssplit=4k/100:8k: 100 % are given away, and a size "
		"without a share is left");
	refused("[a]\nbssplit=:\n", "t.fio:2: bssplit=:: a number is missing");
}

TEST(a_range_is_every_multiple_of_its_smallest_size)
{
	const struct fio_sizes *sizes = job("[a]\nbsrange=4k-16k\n")->sizes;

	check_equal(sizes[0].count, 4);
	check_equal(sizes[0].shares[3].bytes, 16384);
	check_equal(job("[a]\nbsrange=4k-128k\n")->sizes[0].count, 32);
	check_equal(parse("[a]\nbsrange=4k-132k\n"), -EINVAL);
	check_equal(parse("[a]\nbsrange=4k-6k\n"), -EINVAL);
	check_equal(parse("[a]\nbsrange=8k-4k\n"), -EINVAL);
}

TEST(patterns_say_what_and_where)
{
	check(job("[a]\nrw=randrw\n")->does[FIO_READS] && file->jobs[0].does[FIO_WRITES]);
	check(file->jobs[0].is_random && !file->jobs[0].does[FIO_TRIMS]);
	check_equal(job("[a]\nreadwrite=trim\n")->does[FIO_TRIMS], true);
	check_equal(job("[a]\nrwmixwrite=30\n")->read_percent, 70);
	check_equal(job("[a]\nrandom_distribution=zipf:1.2\n")->zipf_theta_milli, 1200);
	check_equal(parse("[a]\nrandom_distribution=zipf:2.001\n"), -EINVAL);
	check_equal(parse("[a]\nrw=read:8\n"), -EINVAL);
	check_equal(parse("[a]\nrw=sideways\n"), -EINVAL);
}

TEST(the_environment_and_included_files_come_from_the_caller)
{
	check_equal(job("[a]\nbs=${SIZE}\n")->sizes[0].shares[0].bytes, 16384);
	check_equal(job("[a]\nbs=1${EMPTY}28k\n")->sizes[0].shares[0].bytes, 131072);
	check_equal(job("[a]\ninclude common.fio\nrw=write\n")->sizes[0].shares[0].bytes, 65536);
	refused("[a]\nbs=${NONE}\n", "t.fio:2: ${NONE} is not set in the environment (try: NONE=... "
		"drivebay run ...)");
	refused("[a]\ninclude other\n", "t.fio:2: include other: no such file");
}

TEST(comments_end_a_line_wherever_they_begin)
{
	check_equal(job("; one\n# two\n[a] ; three\niodepth=4 # four\r\n\r\n;bs=1\n")->iodepth, 4);
	check_equal(file->note_count, 0);
}

TEST(what_tunes_fio_itself_is_accepted_with_a_note_once)
{
	job("[global]\ngtod_reduce=1\n[a]\n[b]\ndirect=1\nbuffered=0\nthread\n");
	check_equal(file->note_count, 2);
	check(!strcmp(file->notes[1], "t.fio:7: thread: tunes fio itself, and does nothing here"));
	job("[a]\ndirect=0\nverify=0\nthinktime=0\n");
	check_equal(file->note_count, 1);
}

TEST(an_engine_of_one_request_at_a_time_is_told_from_others)
{
	check(!job("[a]\niodepth=4\n")->is_async);
	check(!job("[a]\nioengine=psync\n")->is_async);
	check(job("[a]\nioengine=libaio\n")->is_async);
	check_equal(parse("[a]\nioengine=cpuio\n"), -EINVAL);
}

TEST(what_is_wrong_is_named_with_line_and_key)
{
	refused("", "t.fio: has no job: a section such as [reads] must say what to do");
	refused("bs=4k\n", "t.fio:1: 'bs=4k' stands before the first section; [global] or a job's [name] "
		"must come first");
	refused("[a\n", "t.fio:1: '[a' is no section: a name between [ and ] must stand here");
	refused("[a]\niodepht=4\n", "t.fio:2: iodepht=4: no such key is known (did you mean 'iodepth'?)");
	refused("[a]\nbs\n", "t.fio:2: bs: its value is missing");
	refused("[a]\niodepth=0\n", "t.fio:2: iodepth=0: is not between 1 and 65536");
	refused("[a]\ntime_based\n", "t.fio:1: [a]: time_based without a runtime has no end; add runtime=60s");
}

int main(void)
{
	return tap_run();
}
