/*
 * test_model.c - it is a model, not a table: a changed drive file moves the results the way
 * physics says, and by about as much.
 *
 * Each case takes a shipped drive file, changes a value in a copy, and measures both at 1/128 of
 * their size.
 */
#include "tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/data.h"
#include "base/fail.h"
#include "load/run.h"
#include "target/target.h"

/* "section: ... key: {value: FROM" becomes TO, by the text that the file really has. */
struct change {
	const char *from, *to;
};

static char *read_drive_file(void)
{
	FILE *file = fopen(SOURCE_ROOT "/drives/samsung-983-dct-1.92tb.yaml", "r");
	char *text = xcalloc(1, 65536);

	check(file != NULL);
	check(fread(text, 1, 65535, file) > 1000);
	fclose(file);
	return text;
}

static struct target *open_changed(const struct change *changes, size_t count)
{
	char path[] = "test_model_XXXXXX.yaml";
	struct target_options options = { .scale = 128, .seed = 1 };
	struct target *target;
	char *text = read_drive_file();
	int fd, err;

	for (size_t i = 0; i < count; i++) {
		char *at = strstr(text, changes[i].from);
		size_t from = strlen(changes[i].from), to = strlen(changes[i].to);

		if (!at)
			tap_fail("the drive file has no \"%s\"", changes[i].from);
		memmove(at + to, at + from, strlen(at + from) + 1);
		memcpy(at, changes[i].to, to);
	}
	fd = mkstemps(path, 5);
	check(fd >= 0);
	check(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	free(text);
	err = target_open(path, &options, &target);
	unlink(path);
	if (err)
		tap_fail("%s", fail_message());
	return target;
}

static struct stats measure(struct target *target, struct workload workload, uint64_t duration_ns)
{
	static struct stats stats;
	struct run_config config = {
		.workload = &workload, .seed = 1, .name = "test", .duration_ns = duration_ns,
	};

	check_equal(run(target, &config, &stats), 0);
	check(stats_little_agrees(&stats, NULL));
	return stats;
}

static struct workload of(uint32_t read_percent, enum pattern pattern, uint32_t size_bytes,
			  uint32_t threads)
{
	return (struct workload){
		.name = (char[]){ "test" }, .read_percent = read_percent, .pattern = pattern,
		.random_percent = 100, .threads = threads, .depth = 1, .span_millipercent = 100000,
		.read_sizes = { 1, { { size_bytes, 1 } } }, .write_sizes = { 1, { { size_bytes, 1 } } },
	};
}

static void fill(struct target *target)
{
	static struct stats stats;
	const struct run_config config = { .seed = 1, .name = "fill" };

	check_equal(run_fill(target, 131072, &config, &stats), 0);
	check_equal(target_settle(target), 0);
}

enum { MS = 1000000 };

static double read_latency_us(const struct change *changes, size_t count)
{
	struct target *target = open_changed(changes, count);
	struct stats stats;

	fill(target);
	stats = measure(target, of(100, PATTERN_UNIFORM, 4096, 1), 50 * MS);
	target_close(target);
	return latency_mean_ns(&stats.from_submit) / 1e3;
}

static double stream_mb_per_s(uint32_t read_percent, uint64_t duration_ns, const struct change *changes,
			      size_t count)
{
	struct target *target = open_changed(changes, count);
	struct stats stats;

	fill(target);
	stats = measure(target, of(read_percent, PATTERN_SEQUENTIAL, 131072, 32), duration_ns);
	target_close(target);
	return stats_bytes_per_s(&stats) / 1e6;
}

struct sustained {
	double iops, waf;
};

static struct sustained sustained_writes(const struct change *changes, size_t count)
{
	struct target *target = open_changed(changes, count);
	struct workload workload = of(0, PATTERN_UNIFORM, 4096, 128);
	struct health before, after;
	struct sustained out;
	struct stats stats;

	fill(target);
	measure(target, workload, 40000ull * MS);
	target_health(target, &before);
	stats = measure(target, workload, 10000ull * MS);
	target_health(target, &after);
	out.iops = stats_iops(&stats);
	out.waf = (double)(after.nand_written_bytes - before.nand_written_bytes) /
		  (double)(after.host_written_bytes - before.host_written_bytes);
	target_close(target);
	return out;
}

static const struct change slow_read = { "read: {value: 60us", "read: {value: 120us" };
static const struct change four_channels = { "channels: {value: 8", "channels: {value: 4" };
static const struct change two_channels = { "channels: {value: 8", "channels: {value: 2" };
static const struct change half_rate = { "write_rate: {value: 1.9GB/s", "write_rate: {value: 0.95GB/s" };
static const struct change slow_program = { "value: 2.1ms", "value: 8.4ms" };
/* 14.5 % more raw than user capacity becomes 7.25 %. */
static const struct change half_spare = { "user: {value: 1920383410176", "user: {value: 2049900609536" };

TEST(twice_tr_adds_exactly_tr_to_a_lone_read)
{
	double added = read_latency_us(&slow_read, 1) - read_latency_us(NULL, 0);

	check(added > 59.9);
	check(added < 60.1);
}

TEST(half_the_channels_carry_half_where_they_are_the_limit)
{
	double four = stream_mb_per_s(100, 500 * MS, &four_channels, 1);
	double two = stream_mb_per_s(100, 500 * MS, &two_channels, 1);

	check(two < 1600); /* 2 x 800 MB/s, less the command cycles */
	check(two > 1400);
	check(four > two * 1.8);
	check(four < two * 2.1);
}

TEST(half_the_write_rate_halves_sequential_writes)
{
	double whole = stream_mb_per_s(0, 500 * MS, NULL, 0), half = stream_mb_per_s(0, 500 * MS, &half_rate, 1);

	check(whole > 1800);
	check(half > whole * 0.48);
	check(half < whole * 0.55);
}

TEST(programs_that_take_four_times_as_long_make_the_dies_the_limit)
{
	double slow = stream_mb_per_s(0, 3000ull * MS, &slow_program, 1);

	/* 64 dies x 96 KiB in 8.4 ms and about 0.13 ms of transfer. */
	check(slow > 700);
	check(slow < 745);
}

TEST(half_the_spare_space_more_than_halves_sustained_writes)
{
	struct sustained whole = sustained_writes(NULL, 0), half = sustained_writes(&half_spare, 1);

	check(half.iops < whole.iops * 0.6);
	check(half.iops > whole.iops * 0.1);
	check(half.waf > whole.waf * 1.6);
	check(half.waf < whole.waf * 6);
}

int main(void)
{
	data_set_root(SOURCE_ROOT);
	return tap_run();
}
