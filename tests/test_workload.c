#include "load/workload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/data.h"
#include "base/fail.h"
#include "doc.h"
#include "tap.h"

static struct workload *load(const char *name)
{
	struct workload *workload;

	if (workload_load(name, &workload))
		tap_fail("%s", fail_message());
	return workload;
}

static struct workload *parse(const char *text)
{
	struct workload *workload;

	if (workload_parse("w.yaml", text, strlen(text), &workload))
		tap_fail("%s", fail_message());
	return workload;
}

static void check_refused(const char *text, const char *sentence)
{
	struct workload *workload = NULL;
	int err = workload_parse("w.yaml", text, strlen(text), &workload);

	if (err != -EINVAL)
		tap_fail("gives %d: %s", err, text);
	if (strcmp(fail_message(), sentence))
		tap_fail("says: %s", fail_message());
	check(workload == NULL);
}

/* Three lines that every workload has; the text under test begins in line 4. */
#define HEAD "name: w\nhelp: h\nsource: ours\n"

TEST(every_shipped_workload_loads)
{
	char **names;
	size_t count;

	check_equal(data_list("workloads", &names, &count), 0);
	check(count >= 15);
	for (size_t i = 0; i < count; i++) {
		struct workload *workload = load(names[i]);

		if (strcmp(workload->name, names[i]))
			tap_fail("%s calls itself %s", names[i], workload->name);
		check(strncmp(workload->source, "published", 9) == 0 ||
		      strncmp(workload->source, "derived", 7) == 0 ||
		      strncmp(workload->source, "ours", 4) == 0);
		workload_free(workload);
	}
	data_list_free(names, count);
}

TEST(the_corners_send_what_the_reviews_sent)
{
	static const struct {
		const char *name;
		uint32_t read, bytes, outstanding;
		enum pattern pattern;
	} corners[] = {
		{ "4k-random-read", 100, 4096, 128, PATTERN_UNIFORM },
		{ "4k-random-read-high", 100, 4096, 512, PATTERN_UNIFORM },
		{ "4k-random-write", 0, 4096, 128, PATTERN_UNIFORM },
		{ "4k-random-write-high", 0, 4096, 512, PATTERN_UNIFORM },
		{ "64k-sequential-read", 100, 65536, 32, PATTERN_SEQUENTIAL },
		{ "64k-sequential-read-high", 100, 65536, 64, PATTERN_SEQUENTIAL },
		{ "64k-sequential-write", 0, 65536, 16, PATTERN_SEQUENTIAL },
		{ "64k-sequential-write-high", 0, 65536, 64, PATTERN_SEQUENTIAL },
	};

	for (size_t i = 0; i < sizeof(corners) / sizeof(*corners); i++) {
		struct workload *workload = load(corners[i].name);

		check_equal(workload->read_percent, corners[i].read);
		check_equal(workload_max_bytes(workload), corners[i].bytes);
		check_equal(workload_outstanding(workload), corners[i].outstanding);
		check_equal(workload->pattern, corners[i].pattern);
		check_equal(workload->span_millipercent, 25000);
		if (workload->pattern == PATTERN_SEQUENTIAL)
			check_equal(workload->depth, 1);
		workload_free(workload);
	}
}

TEST(a_fleet_mix_has_all_its_sizes)
{
	struct workload *workload = load("fleet-oracle");
	uint64_t reads = 0, writes = 0;

	check_equal(workload->read_sizes.count, 9);
	check_equal(workload->write_sizes.count, 9);
	check_equal(workload->read_sizes.shares[1].size_bytes, 8192);
	check_equal(workload->read_sizes.shares[1].weight, 41050);
	check_equal(workload->read_sizes.shares[7].weight, 180);
	for (size_t i = 0; i < 9; i++) {
		reads += workload->read_sizes.shares[i].weight;
		writes += workload->write_sizes.shares[i].weight;
	}
	check_equal(reads, 100000);
	check_equal(writes, 100000);
	check_equal(workload_max_bytes(workload), 1004 * 1024);
	check_equal(workload->random_percent, 80);
	workload_free(workload);
}

TEST(what_is_not_said_has_its_default)
{
	struct workload *workload =
		parse(HEAD "read: 50%\npattern: uniform\nsize: 4K\nthreads: 2\ndepth: 3\n");

	check_equal(workload->read_percent, 50);
	check_equal(workload->trim_percent, 0);
	check_equal(workload->zeroes_percent, 0);
	check_equal(workload->compress_percent, 0);
	check_equal(workload->random_percent, 100);
	check_equal(workload->span_millipercent, 100000);
	check_equal(workload->align_bytes, 0);
	check_equal(workload->read_sizes.count, 1);
	check_equal(workload->write_sizes.count, 1);
	check_equal(workload->write_sizes.shares[0].size_bytes, 4096);
	check_equal(workload_outstanding(workload), 6);
	workload_free(workload);
}

TEST(everything_that_can_be_said_is_read)
{
	struct workload *workload =
		parse(HEAD "read: 30%\ntrim: 10%\nwrite_zeroes: 5%\ncompress: 40%\npattern: zipf\ntheta: 1.2\nrandom: 80%\n"
			   "read_size: 8K\nwrite_size: {512: 1, 64K: 0.5}\nalign: 16K\n"
			   "threads: 4\ndepth: 8\nspan: 12.5%\n");

	check_equal(workload->trim_percent, 10);
	check_equal(workload->zeroes_percent, 5);
	check_equal(workload->compress_percent, 40);
	check_equal(workload->pattern, PATTERN_ZIPF);
	check_equal(workload->zipf_theta_milli, 1200);
	check_equal(workload->random_percent, 80);
	check_equal(workload->read_sizes.shares[0].size_bytes, 8192);
	check_equal(workload->write_sizes.count, 2);
	check_equal(workload->write_sizes.shares[0].size_bytes, 512);
	check_equal(workload->write_sizes.shares[1].weight, 500);
	check_equal(workload->align_bytes, 16384);
	check_equal(workload->span_millipercent, 12500);
	check_equal(workload_max_bytes(workload), 65536);
	workload_free(workload);
}

TEST(sizes_of_requests_that_do_not_exist_are_not_there)
{
	struct workload *workload =
		parse(HEAD "read: 100%\npattern: uniform\nsize: 4K\nthreads: 1\ndepth: 1\n");

	check_equal(workload->read_sizes.count, 1);
	check_equal(workload->write_sizes.count, 0);
	workload_free(workload);
}

TEST(an_unknown_key_is_answered_with_line_and_suggestion)
{
	check_refused(HEAD "read: 100%\npatern: uniform\n",
		      "w.yaml:5: unknown key 'patern' at the top level (did you mean 'pattern'?)");
	check_refused(HEAD "numjobs: 3\n",
		      "w.yaml:4: unknown key 'numjobs' at the top level (known: name, help, source, "
		      "read, trim, write_zeroes, compress, pattern, random, theta, size, read_size, write_size, align, "
		      "threads, depth, span)");
}

TEST(a_missing_key_says_what_it_is_for)
{
	check_refused(HEAD "read: 100%\nsize: 4K\nthreads: 1\ndepth: 1\n",
		      "w.yaml:1: missing key 'pattern' at the top level "
		      "(uniform, sequential or zipf)");
	check_refused(HEAD "read: 100%\npattern: uniform\nthreads: 1\ndepth: 1\n",
		      "w.yaml:1: missing key 'size' or 'read_size' (the size of reads)");
	check_refused(HEAD "read: 99%\npattern: uniform\nread_size: 4K\nthreads: 1\ndepth: 1\n",
		      "w.yaml:1: missing key 'size' or 'write_size' (the size of writes)");
	check_refused(HEAD "read: 1%\npattern: zipf\nsize: 4K\nthreads: 1\ndepth: 1\n",
		      "w.yaml:1: missing key 'theta' (how uneven the zipf pattern is, such as 1.2)");
}

TEST(shares_of_what_is_not_sent_are_refused)
{
	check_refused(HEAD "read: 100%\nwrite_zeroes: 1%\npattern: uniform\nsize: 4K\nthreads: 1\n"
			   "depth: 1\n",
		      "w.yaml:5: write_zeroes: all requests are reads: there is nothing to make zero");
	check_refused(HEAD "read: 0%\ntrim: 60%\nwrite_zeroes: 41%\npattern: uniform\nsize: 4K\n"
			   "threads: 1\ndepth: 1\n",
		      "w.yaml:6: write_zeroes: 60 % of trims and 41 % of write zeroes are more than all");
	check_refused(HEAD "read: 0%\ntrim: 60%\nwrite_zeroes: 40%\ncompress: 50%\npattern: uniform\n"
			   "size: 4K\nthreads: 1\ndepth: 1\n",
		      "w.yaml:7: compress: nothing is written that could be compressed");
}

TEST(numbers_are_refused_outside_their_range)
{
	check_refused(HEAD "read: 100\n", "w.yaml:4: read: '100' is not a percentage: it has no unit "
					  "(try: 25%, 12.5%)");
	check_refused(HEAD "read: 101%\n", "w.yaml:4: read: '101%' is out of range (0% to 100%)");
	check_refused(HEAD "read: 12.5%\n", "w.yaml:4: read: '12.5%' must be a whole percentage");
	check_refused(HEAD "read: 1%\npattern: zipf\ntheta: 2.001\n",
		      "w.yaml:6: theta: '2.001' is out of range (0.001 to 2)");
	check_refused(HEAD "read: 1%\npattern: uniform\nsize: 6x\n",
		      "w.yaml:6: size: '6x' is not a size: its unit is unknown "
		      "(try: 4096, 128K, 1.92TB)");
	check_refused(HEAD "read: 1%\npattern: uniform\nsize: 516\n",
		      "w.yaml:6: size: '516' is not a multiple of 512 bytes up to 1 GiB");
	check_refused(HEAD "read: 1%\npattern: uniform\nsize: 0\n",
		      "w.yaml:6: size: '0' is not a multiple of 512 bytes up to 1 GiB");
	check_refused(HEAD "read: 1%\npattern: uniform\nsize: 2G\n",
		      "w.yaml:6: size: '2G' is not a multiple of 512 bytes up to 1 GiB");
	check_refused(HEAD "read: 1%\npattern: uniform\nsize: 4K\nthreads: 0\n",
		      "w.yaml:7: threads: '0' is out of range (1 to 65536)");
	check_refused(HEAD "read: 1%\npattern: uniform\nsize: 4K\nthreads: 256\ndepth: 257\n",
		      "w.yaml:8: depth: 256 threads x 257 are more than 65536 outstanding");
	check_refused(HEAD "read: 1%\npattern: uniform\nsize: 4K\nthreads: 1\ndepth: 1\nspan: 0%\n",
		      "w.yaml:9: span: '0%' is out of range (0.001% to 100%)");
	workload_free(parse(HEAD "read: 1%\npattern: zipf\ntheta: 2\nsize: 1G\nthreads: 256\n"
				 "depth: 256\nspan: 0.001%\n"));
}

TEST(a_mix_of_sizes_is_checked_line_by_line)
{
	check_refused(HEAD "read: 1%\npattern: uniform\nsize:\n  4K: 1\n  5x: 1\n",
		      "w.yaml:8: size.5x: '5x' is not a size: its unit is unknown "
		      "(try: 4096, 128K, 1.92TB)");
	check_refused(HEAD "read: 1%\npattern: uniform\nsize:\n  4K: 1\n  4096: 1\n",
		      "w.yaml:8: size.4096: this size is in the mix already");
	check_refused(HEAD "read: 1%\npattern: uniform\nsize:\n  4K: 0\n",
		      "w.yaml:7: size.4K: '0' is out of range (0.001 to 1000000)");
	check_refused(HEAD "read: 1%\npattern: uniform\nsize: {}\n",
		      "w.yaml:6: size: the mix has no sizes");
	check_refused(HEAD "read: 1%\npattern: uniform\nsize: [4K]\n",
		      "w.yaml:6: size: a size or a mapping of sizes to their shares must stand "
		      "here, not a list");
}

TEST(the_number_of_sizes_is_bounded)
{
	_cleanup_buf_ struct buf text = BUF_INIT;
	struct workload *workload;

	buf_puts(&text, HEAD "read: 1%\npattern: uniform\nthreads: 1\ndepth: 1\nsize:\n");
	for (int i = 1; i <= WORKLOAD_SIZES; i++)
		buf_printf(&text, "  %dK: 1\n", i);
	workload = parse(text.text);
	check_equal(workload->read_sizes.count, WORKLOAD_SIZES);
	workload_free(workload);
	buf_puts(&text, "  100K: 1\n");
	check_refused(text.text, "w.yaml:41: size.100K: more than 32 sizes");
}

TEST(keys_that_contradict_each_other_are_refused)
{
	check_refused(HEAD "read: 1%\npattern: uniform\nsize: 4K\nwrite_size: 4K\nthreads: 1\n"
			   "depth: 1\n",
		      "w.yaml:7: write_size: 'size' stands already in line 6: it is for reads and "
		      "writes");
	check_refused(HEAD "read: 0%\npattern: uniform\nread_size: 4K\nwrite_size: 4K\nthreads: 1\n"
			   "depth: 1\n",
		      "w.yaml:6: read_size: there are no reads to have a size");
	check_refused(HEAD "read: 100%\npattern: uniform\nread_size: 4K\nwrite_size: 4K\n"
			   "threads: 1\ndepth: 1\n",
		      "w.yaml:7: write_size: there are no writes to have a size");
	check_refused(HEAD "read: 100%\npattern: uniform\nsize: 4K\nthreads: 1\ndepth: 1\ntheta: 1\n",
		      "w.yaml:9: theta: only the zipf pattern has a theta");
	check_refused(HEAD "read: 100%\npattern: sequential\nsize: 4K\nthreads: 1\ndepth: 1\n"
			   "random: 10%\n",
		      "w.yaml:9: random: the sequential pattern has no random requests; take uniform "
		      "and a smaller share here for a mix");
	check_refused(HEAD "read: 100%\npattern: uniform\nsize: 4K\nthreads: 1\ndepth: 1\n"
			   "trim: 10%\n",
		      "w.yaml:9: trim: all requests are reads: there is nothing to trim");
}

TEST(a_wrong_name_is_answered_with_the_nearest)
{
	struct workload *workload;

	check_equal(workload_load("4k-randm-read", &workload), -EINVAL);
	check(strcmp(fail_message(), "no workload is called '4k-randm-read' "
				     "(did you mean '4k-random-read'?)") == 0);
	check_equal(workload_load("./missing.yaml", &workload), -EINVAL);
	check(strcmp(fail_message(), "./missing.yaml: No such file or directory") == 0);
}

TEST(the_example_of_the_format_is_right)
{
	_cleanup_free_ char *text = doc_example("workload-format.md");

	workload_free(parse(text));
}

int main(void)
{
	data_set_root(SOURCE_ROOT);
	return tap_run();
}
