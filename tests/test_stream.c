#include "load/stream.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "tap.h"

static char name[] = "w";

static struct workload random_reads(void)
{
	return (struct workload){
		.name = name,
		.read_percent = 100,
		.pattern = PATTERN_UNIFORM,
		.random_percent = 100,
		.read_sizes = { 1, { { 4096, 1 } } },
		.write_sizes = { 1, { { 4096, 1 } } },
		.threads = 1,
		.depth = 1,
		.span_millipercent = 100000,
	};
}

static struct workload sequential_writes(uint32_t size_bytes, uint32_t threads)
{
	struct workload workload = random_reads();

	workload.pattern = PATTERN_SEQUENTIAL;
	workload.read_percent = 0;
	workload.write_sizes = (struct size_mix){ 1, { { size_bytes, 1 } } };
	workload.threads = threads;
	return workload;
}

static struct stream stream;

static void start(const struct workload *workload, uint64_t size_bytes)
{
	const struct stream_space space = { size_bytes, 512, 0, 1 };

	stream_free(&stream);
	if (stream_init(&stream, workload, &space, 1, "test"))
		tap_fail("%s", fail_message());
}

static struct io next(uint32_t lane)
{
	struct io io;

	memset(&io, 0, sizeof(io));
	stream_next(&stream, lane, &io);
	return io;
}

/* --- random --- */

TEST(uniform_addresses_are_aligned_and_equally_likely)
{
	struct workload workload = random_reads();
	uint64_t seen[100] = { 0 };
	double chi = 0;

	start(&workload, 100 * 4096);
	for (int i = 0; i < 1000000; i++) {
		struct io io = next(0);

		check_equal(io.offset_bytes % 4096, 0);
		check_equal(io.size_bytes, 4096);
		check(io.op == IO_READ);
		seen[io.offset_bytes / 4096]++;
	}
	for (int i = 0; i < 100; i++)
		chi += ((double)seen[i] - 10000) * ((double)seen[i] - 10000) / 10000;
	check(chi < 99 + 5 * sqrt(2 * 99));
}

TEST(the_tail_of_a_device_that_does_not_divide_is_reached_by_a_shorter_request)
{
	struct workload workload = random_reads();
	uint64_t tails = 0;

	workload.read_sizes = (struct size_mix){ 1, { { 65536, 1 } } };
	start(&workload, 999936); /* 15 x 64 KiB and 16,896 bytes */
	for (int i = 0; i < 160000; i++) {
		struct io io = next(0);

		check_equal(io.offset_bytes % 65536, 0);
		check_equal(io.size_bytes, io.offset_bytes == 15 * 65536 ? 16896 : 65536);
		check(io.offset_bytes + io.size_bytes <= 999936);
		tails += io.size_bytes == 16896;
	}
	check(tails > 9500 && tails < 10500); /* one place of sixteen */
}

TEST(small_alignment_lets_large_requests_begin_anywhere_in_the_span)
{
	struct workload workload = random_reads();
	bool seen[13] = { false };

	workload.read_sizes = (struct size_mix){ 1, { { 16384, 1 } } };
	workload.align_bytes = 4096;
	start(&workload, 16 * 4096);
	for (int i = 0; i < 10000; i++) {
		struct io io = next(0);

		check_equal(io.size_bytes, 16384);
		check(io.offset_bytes + 16384 <= 16 * 4096);
		seen[io.offset_bytes / 4096] = true;
	}
	for (int i = 0; i < 13; i++)
		check(seen[i]);
}

TEST(alignment_larger_than_the_request_leaves_holes)
{
	struct workload workload = random_reads();

	workload.align_bytes = 65536;
	start(&workload, 1 << 20);
	for (int i = 0; i < 1000; i++) {
		struct io io = next(0);

		check_equal(io.offset_bytes % 65536, 0);
		check_equal(io.size_bytes, 4096);
	}
}

TEST(a_span_is_a_share_of_the_target_from_its_beginning)
{
	struct workload workload = random_reads();
	uint64_t highest = 0;

	workload.span_millipercent = 25000;
	start(&workload, 1000 * 4096 + 512);
	check_equal(stream.span_bytes, 250 * 4096);
	for (int i = 0; i < 10000; i++) {
		struct io io = next(0);

		if (io.offset_bytes > highest)
			highest = io.offset_bytes;
	}
	check_equal(highest, 249 * 4096);
}

/* --- mixes --- */

static void check_refused(const struct workload *workload, uint64_t size_bytes, uint32_t block_bytes,
			  const char *sentence)
{
	const struct stream_space space = { size_bytes, block_bytes, 0, 1 };
	struct stream refused;
	int err = stream_init(&refused, workload, &space, 1, "test");

	if (err != -EINVAL || strcmp(fail_message(), sentence))
		tap_fail("%d, %s", err, err ? fail_message() : "");
}

TEST(reads_writes_and_trims_come_in_their_shares)
{
	struct workload workload = random_reads();
	uint64_t ops[IO_OP_COUNT] = { 0 };

	workload.read_percent = 70;
	workload.trim_percent = 20;
	start(&workload, 1 << 20);
	for (int i = 0; i < 1000000; i++)
		ops[next(0).op]++;
	check(ops[IO_READ] > 697000 && ops[IO_READ] < 703000);
	check(ops[IO_WRITE] > 238000 && ops[IO_WRITE] < 242000);
	check(ops[IO_TRIM] > 58000 && ops[IO_TRIM] < 62000);
	check_equal(ops[IO_FLUSH], 0);
}

TEST(write_zeroes_have_their_share_beside_trims)
{
	struct workload workload = random_reads();
	uint64_t ops[IO_OP_COUNT] = { 0 };

	workload.read_percent = 50;
	workload.trim_percent = 10;
	workload.zeroes_percent = 30;
	start(&workload, 1 << 20);
	for (int i = 0; i < 1000000; i++)
		ops[next(0).op]++;
	check(ops[IO_READ] > 497000 && ops[IO_READ] < 503000);
	check(ops[IO_TRIM] > 48500 && ops[IO_TRIM] < 51500);
	check(ops[IO_WRITE_ZEROES] > 147500 && ops[IO_WRITE_ZEROES] < 152500);
	check(ops[IO_WRITE] > 297000 && ops[IO_WRITE] < 303000);

	workload.read_percent = 0;
	workload.trim_percent = 0;
	workload.zeroes_percent = 100;
	start(&workload, 1 << 20);
	for (int i = 0; i < 1000; i++)
		check_equal(next(0).op, IO_WRITE_ZEROES);
	workload.trim_percent = 1;
	check_refused(&workload, 1 << 20, 512, "w: a share above 100 %");
}

TEST(sizes_come_in_their_weights_each_direction_its_own)
{
	static const struct size_mix sizes = { 5, { { 4096, 4500 }, { 8192, 4105 }, { 16384, 0 },
					       { 131072, 1376 }, { 1048576, 19 } } };
	struct workload workload = random_reads();
	uint64_t seen[5] = { 0 }, reads = 0;

	workload.read_percent = 50;
	workload.read_sizes = sizes;
	workload.write_sizes = (struct size_mix){ 1, { { 12288, 7 } } };
	start(&workload, 1 << 30);
	for (int i = 0; i < 2000000; i++) {
		struct io io = next(0);

		check_equal(io.offset_bytes % 4096, 0); /* the smallest size */
		check(io.offset_bytes + io.size_bytes <= 1 << 30);
		if (io.op == IO_WRITE) {
			check_equal(io.size_bytes, 12288);
			continue;
		}
		reads++;
		for (size_t j = 0; j < 5; j++)
			seen[j] += io.size_bytes == sizes.shares[j].size_bytes;
	}
	for (size_t j = 0; j < 5; j++) {
		double expected = (double)reads * sizes.shares[j].weight / 10000;

		check(fabs((double)seen[j] - expected) <= 5 * sqrt(expected));
	}
}

TEST(the_largest_request_of_a_mix_reaches_the_end_of_the_span)
{
	struct workload workload = random_reads();
	uint64_t highest = 0;

	workload.read_sizes = (struct size_mix){ 2, { { 4096, 1 }, { 65536, 1 } } };
	start(&workload, 64 * 4096);
	for (int i = 0; i < 100000; i++) {
		struct io io = next(0);

		check(io.size_bytes == 4096 || io.size_bytes == 65536); /* never cut: 4096 divides */
		check(io.offset_bytes + io.size_bytes <= 64 * 4096);
		if (io.size_bytes == 65536 && io.offset_bytes > highest)
			highest = io.offset_bytes;
	}
	check_equal(highest, 48 * 4096);
}

/* --- sequential --- */

TEST(each_thread_walks_its_own_part_and_wraps)
{
	struct workload workload = sequential_writes(4096, 4);

	start(&workload, 40 * 4096);
	for (uint64_t i = 0; i < 25; i++) {
		for (uint32_t lane = 0; lane < 4; lane++) {
			struct io io = next(lane);

			check_equal(io.offset_bytes, (lane * 10 + i % 10) * 4096);
			check_equal(io.size_bytes, 4096);
		}
	}
}

TEST(one_pass_of_all_threads_touches_every_byte_once)
{
	static const struct {
		uint64_t size_bytes;
		uint32_t request_bytes, threads;
	} cases[] = {
		{ 999936, 65536, 1 }, { 999936, 65536, 3 }, { 999936, 4096, 7 }, { 1 << 20, 131072, 8 },
		{ 65536, 65536, 1 }, { 999936, 512, 2 },
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct workload workload = sequential_writes(cases[c].request_bytes, cases[c].threads);
		static uint8_t touched[2048];

		memset(touched, 0, sizeof(touched));
		start(&workload, cases[c].size_bytes);
		for (uint32_t lane = 0; lane < cases[c].threads; lane++) {
			uint64_t first = next(lane).offset_bytes;
			struct io io;

			check_equal(first % cases[c].request_bytes, 0);
			do {
				io = next(lane);
				for (uint64_t at = io.offset_bytes; at < io.offset_bytes + io.size_bytes;
				     at += 512)
					touched[at / 512]++;
			} while (io.offset_bytes != first);
		}
		for (uint64_t block = 0; block < 2048; block++)
			check_equal(touched[block], block < cases[c].size_bytes / 512);
	}
}

TEST(sequential_requests_of_mixed_sizes_follow_each_other)
{
	struct workload workload = sequential_writes(4096, 1);
	uint64_t at = 0;

	workload.write_sizes = (struct size_mix){ 2, { { 4096, 1 }, { 12288, 1 } } };
	start(&workload, 10 << 20);
	for (int i = 0; i < 1000; i++) {
		struct io io = next(0);

		check_equal(io.offset_bytes, at);
		at += io.size_bytes;
	}
}

TEST(sequential_requests_begin_at_multiples_of_a_larger_alignment)
{
	struct workload workload = sequential_writes(4096, 1);

	workload.align_bytes = 16384;
	start(&workload, 64 * 1024);
	for (uint64_t i = 0; i < 20; i++)
		check_equal(next(0).offset_bytes, i % 4 * 16384);
}

TEST(of_a_partly_random_workload_the_rest_goes_on_after_the_last_address)
{
	struct workload workload = random_reads();
	uint64_t at[2] = { 0, 0 }, sequential = 0;

	workload.random_percent = 80;
	workload.threads = 2;
	start(&workload, 1ull << 40);
	for (int i = 0; i < 1000000; i++) {
		struct io io = next((uint32_t)i % 2);

		sequential += io.offset_bytes == at[i % 2];
		at[i % 2] = io.offset_bytes + io.size_bytes;
	}
	check(sequential > 198000 && sequential < 202000);
}

TEST(going_on_wraps_at_the_end_of_the_span)
{
	struct workload workload = random_reads();

	workload.random_percent = 0;
	start(&workload, 3 * 4096);
	next(0); /* the first has nothing to go on from */
	for (int i = 0; i < 10; i++) {
		uint64_t before = stream.lanes[0].cursor_bytes;

		check_equal(next(0).offset_bytes, before == 3 * 4096 ? 0 : before);
	}
}

/* --- zipf --- */

TEST(zipf_addresses_are_popular_by_the_law_and_reach_all_of_the_span)
{
	struct workload workload = random_reads();
	static uint64_t seen[16];
	uint64_t most = 0;
	double total = 0;

	workload.pattern = PATTERN_ZIPF;
	workload.zipf_theta_milli = 1000;
	workload.read_sizes = (struct size_mix){ 1, { { 65536, 1 } } };
	memset(seen, 0, sizeof(seen));
	start(&workload, 999936);
	for (int i = 0; i < 1000000; i++) {
		struct io io = next(0);

		check_equal(io.size_bytes, io.offset_bytes == 15 * 65536 ? 16896 : 65536);
		seen[io.offset_bytes / 65536]++;
	}
	for (int i = 0; i < 16; i++) {
		total += 1.0 / (i + 1);
		check(seen[i] > 0);
		if (seen[i] > most)
			most = seen[i];
	}
	check(fabs((double)most / 1e6 - 1 / total) < 0.0025);
}

TEST(a_large_request_at_a_popular_place_near_the_end_moves_back_and_is_not_cut)
{
	struct workload workload = random_reads();

	workload.pattern = PATTERN_ZIPF;
	workload.zipf_theta_milli = 500;
	workload.read_sizes = (struct size_mix){ 2, { { 4096, 1 }, { 65536, 1 } } };
	start(&workload, 64 * 4096);
	for (int i = 0; i < 100000; i++) {
		struct io io = next(0);

		check(io.size_bytes == 4096 || io.size_bytes == 65536);
		check(io.offset_bytes + io.size_bytes <= 64 * 4096);
		check_equal(io.offset_bytes % 4096, 0);
	}
}

/* --- shares of several threads --- */

TEST(shares_divide_the_lanes_and_draw_their_own_sequences)
{
	struct workload workload = sequential_writes(4096, 5);
	uint64_t firsts[2][3];

	for (unsigned index = 0; index < 2; index++) {
		const struct stream_space space = { 50 * 4096, 512, index, 2 };

		stream_free(&stream);
		check_equal(stream_init(&stream, &workload, &space, 1, "test"), 0);
		check_equal(stream.lane_count, index ? 2 : 3);
		for (uint32_t lane = 0; lane < stream.lane_count; lane++)
			firsts[index][lane] = next(lane).offset_bytes / 4096;
	}
	check_equal(firsts[0][0], 0);
	check_equal(firsts[1][0], 10);
	check_equal(firsts[0][1], 20);
	check_equal(firsts[1][1], 30);
	check_equal(firsts[0][2], 40);

	workload = random_reads();
	workload.threads = 2;
	for (unsigned index = 0; index < 2; index++) {
		const struct stream_space space = { 1ull << 40, 512, index, 2 };

		stream_free(&stream);
		check_equal(stream_init(&stream, &workload, &space, 1, "test"), 0);
		firsts[index][0] = next(0).offset_bytes;
	}
	check(firsts[0][0] != firsts[1][0]);
}

/* --- the same again --- */

static uint64_t hash_of(const struct workload *workload)
{
	uint64_t hash = 0xcbf29ce484222325u;

	start(workload, 1ull << 40);
	for (uint32_t i = 0; i < 100000; i++) {
		struct io io = next(i % workload->threads);

		hash = (hash ^ io.offset_bytes ^ (uint64_t)io.op << 62 ^ io.size_bytes) * 0x100000001b3u;
	}
	return hash;
}

TEST(sequences_are_the_same_on_every_machine)
{
	struct workload workload = random_reads();

	check(hash_of(&workload) == 15021438704818374565u);
	workload.read_percent = 70;
	workload.trim_percent = 5;
	workload.random_percent = 80;
	workload.threads = 3;
	workload.read_sizes = (struct size_mix){ 3, { { 4096, 45 }, { 8192, 41 }, { 16384, 30 } } };
	check(hash_of(&workload) == 7474234257517774757u);
	workload.pattern = PATTERN_ZIPF;
	workload.zipf_theta_milli = 1200;
	check(hash_of(&workload) == 10901727314953742245u);
}

TEST(random_requests_are_the_same_whichever_lane_asks)
{
	struct workload workload = random_reads();
	uint64_t offsets[1000];

	workload.threads = 4;
	start(&workload, 1ull << 40);
	for (int i = 0; i < 1000; i++)
		offsets[i] = next((uint32_t)i % 4).offset_bytes;
	start(&workload, 1ull << 40);
	for (int i = 0; i < 1000; i++)
		check(next((uint32_t)(i * 7 + i / 3) % 4).offset_bytes == offsets[i]);
}

/* --- what the files of others ask for --- */

TEST(a_span_in_bytes_lies_where_its_offset_says)
{
	struct workload workload = random_reads();
	bool first = false, last = false;

	workload.offset_bytes = 512; /* addresses are aligned to where the span begins */
	workload.span_bytes = 8 * 4096;
	start(&workload, 1 << 20);
	for (int i = 0; i < 1000; i++) {
		struct io io = next(0);

		check_equal(io.offset_bytes % 4096, 512);
		check(io.offset_bytes >= 512 && io.offset_bytes + io.size_bytes <= 512 + 8 * 4096);
		first |= io.offset_bytes == 512;
		last |= io.offset_bytes == 512 + 7 * 4096;
	}
	check(first && last);
}

TEST(an_offset_without_a_size_goes_on_to_the_end)
{
	struct workload workload = sequential_writes(4096, 1);

	workload.offset_bytes = (1 << 20) - 8192;
	start(&workload, 1 << 20);
	check_equal(next(0).offset_bytes, (1 << 20) - 8192);
	check_equal(next(0).offset_bytes, (1 << 20) - 4096);
	check_equal(next(0).offset_bytes, (1 << 20) - 8192);
}

TEST(threads_that_share_a_span_each_walk_all_of_it)
{
	struct workload workload = sequential_writes(4096, 2);

	workload.shares_span = true;
	workload.span_bytes = 8192;
	start(&workload, 1 << 20);
	for (uint32_t lane = 0; lane < 2; lane++) {
		check_equal(next(lane).offset_bytes, 0);
		check_equal(next(lane).offset_bytes, 4096);
		check_equal(next(lane).offset_bytes, 0);
	}
}

TEST(a_step_moves_the_span_of_each_thread)
{
	struct workload workload = sequential_writes(4096, 3);

	workload.shares_span = true;
	workload.span_bytes = 8192;
	workload.thread_step_bytes = 65536;
	start(&workload, 2 * 65536 + 8192);
	for (uint32_t lane = 0; lane < 3; lane++) {
		check_equal(next(lane).offset_bytes, lane * 65536);
		check_equal(next(lane).offset_bytes, lane * 65536 + 4096);
		check_equal(next(lane).offset_bytes, lane * 65536);
	}
	workload.pattern = PATTERN_UNIFORM;
	workload.random_percent = 100;
	start(&workload, 2 * 65536 + 8192);
	for (int i = 0; i < 100; i++) {
		uint64_t offset = next(2).offset_bytes;

		check(offset == 2 * 65536 || offset == 2 * 65536 + 4096);
	}
}

TEST(a_flush_follows_so_many_writes_of_its_thread)
{
	struct workload workload = sequential_writes(4096, 2);

	workload.flush_writes = 2;
	start(&workload, 1 << 20);
	check(next(0).op == IO_WRITE);
	check(next(1).op == IO_WRITE);
	check(next(0).op == IO_WRITE);
	check(next(0).op == IO_FLUSH);
	check_equal(next(0).offset_bytes, 8192);
	check(next(1).op == IO_WRITE);
	check(next(1).op == IO_FLUSH);
	check_equal(next(1).size_bytes, 4096);
}

/* --- what cannot be --- */

TEST(what_does_not_fit_is_refused_with_a_sentence)
{
	struct workload workload = random_reads();

	check_refused(&workload, 2048, 512, "w: a span of 2048 bytes does not hold a request of 4096");
	workload.read_sizes.shares[0].size_bytes = 512;
	check_refused(&workload, 1 << 20, 4096,
		      "w: a request of 512 bytes is not a multiple of the target's logical block of 4096");
	workload = random_reads();
	workload.align_bytes = 1024;
	check_refused(&workload, 1 << 20, 4096,
		      "w: align: 1024 is not a multiple of the target's logical block of 4096");
	workload = sequential_writes(65536, 17);
	check_refused(&workload, 1 << 20, 512,
		      "w: 17 threads do not each find room for a request of 65536 bytes in a span of 1048576");
	workload.threads = 16;
	start(&workload, 1 << 20);
	workload = random_reads();
	workload.offset_bytes = 4096;
	workload.span_bytes = 8192;
	start(&workload, 12288);
	check_refused(&workload, 12288 - 512, 512, "w: goes up to byte 12288, and the target has 11776");
	workload.offset_bytes = 100;
	check_refused(&workload, 1 << 20, 512,
		      "w: offset: 100 is not a multiple of the target's logical block of 512");
}

int main(void)
{
	return tap_run();
}
