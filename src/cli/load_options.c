#include "cli/load_options.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "base/units.h"

static char *block, *size_mix, *read_share, *trim_share, *zeroes_share, *random_share, *distribution, *align,
	*depth, *threads, *span, *compress;
static int is_random, is_sequential;

const struct poptOption load_options[] = {
	{ "block", 'b', POPT_ARG_STRING, &block, 0, "size of a request (default: 4k)", "SIZE" },
	{ "size-mix", 0, POPT_ARG_STRING, &size_mix, 0, "several sizes and their shares, such as 4k:70,8k:20,64k:10", "MIX" },
	{ "read", 0, POPT_ARG_STRING, &read_share, 0, "how many of 100 requests are reads; the rest are writes (default: 100)", "PERCENT" },
	{ "trim", 0, POPT_ARG_STRING, &trim_share, 0, "how many of 100 that are no reads are trims", "PERCENT" },
	{ "write-zeroes", 0, POPT_ARG_STRING, &zeroes_share, 0, "and how many are write zeroes, a range made zero without data", "PERCENT" },
	{ "compress", 0, POPT_ARG_STRING, &compress, 0, "how much of what is written a compressor can take away (default: 0)", "PERCENT" },
	{ "random", 0, POPT_ARG_NONE, &is_random, 0, "at random places", NULL },
	{ "sequential", 0, POPT_ARG_NONE, &is_sequential, 0, "one after another, each thread in a part of its own (the default)", NULL },
	{ "random-share", 0, POPT_ARG_STRING, &random_share, 0, "how many of 100 requests go to a random place; the rest go on behind their thread's last", "PERCENT" },
	{ "distribution", 0, POPT_ARG_STRING, &distribution, 0, "of random places: uniform (default), or zipf:1.1 for a few that are asked for often", "HOW" },
	{ "align", 0, POPT_ARG_STRING, &align, 0, "places are multiples of this (default: the smallest size of a request)", "SIZE" },
	{ "depth", 'd', POPT_ARG_STRING, &depth, 0, "requests that each thread keeps in flight (default: 1)", "N" },
	{ "threads", 't', POPT_ARG_STRING, &threads, 0, "how many send at the same time (default: 1)", "N" },
	{ "span", 0, POPT_ARG_STRING, &span, 0, "use so much of the target, from its beginning (default: 100%)", "PERCENT" },
	POPT_TABLEEND
};

enum {
	DEFAULT_BYTES = 4096,
	MILLI = 1000, /* of a share in a mix, as in a workload file */
};

bool load_options_given(void)
{
	return block || size_mix || read_share || trim_share || zeroes_share || compress || random_share ||
	       distribution || align || depth || threads || span || is_random || is_sequential;
}

/* What a parser of units.h said, behind the option's name. */
static int prefix(const char *option)
{
	_cleanup_free_ char *why = xstrdup(fail_message());

	return fail(EINVAL, "--%s: %s", option, why);
}

static int set_percent(const char *option, const char *text, uint32_t *to)
{
	_cleanup_free_ char *number = NULL;
	uint64_t value;
	size_t length;

	if (!text)
		return 0;
	number = xstrdup(text);
	length = strlen(number);
	if (length > 1 && number[length - 1] == '%')
		number[length - 1] = '\0';
	if (parse_count(number, &value) || value > 100)
		return fail(EINVAL, "--%s: '%s' is not a whole percentage from 0 to 100 (try: 70)", option,
			    text);
	*to = (uint32_t)value;
	return 0;
}

static int set_count(const char *option, const char *text, uint32_t *to)
{
	uint64_t value;

	if (!text)
		return 0;
	if (parse_count(text, &value))
		return prefix(option);
	if (value < 1 || value > WORKLOAD_OUTSTANDING_MAX)
		return fail(EINVAL, "--%s: %s is not between 1 and %d", option, text,
			    WORKLOAD_OUTSTANDING_MAX);
	*to = (uint32_t)value;
	return 0;
}

int load_options_take_depth(uint32_t *out)
{
	int err = set_count("depth", depth, out);

	free(depth); /* popt has given it away */
	depth = NULL;
	return err;
}

static int set_span(uint64_t *to)
{
	uint64_t value;

	if (!span)
		return 0;
	if (parse_percent(span, &value))
		return prefix("span");
	if (value < 1 || value > 100000)
		return fail(EINVAL, "--span: %s is not above 0%% and at most 100%%", span);
	*to = value;
	return 0;
}

static int read_size(const char *option, const char *text, uint32_t *to)
{
	uint64_t bytes;

	if (parse_size(text, &bytes))
		return prefix(option);
	if (!workload_size_is_valid(bytes))
		return fail(EINVAL, "--%s: '%s' is not a multiple of 512 bytes up to 1 GiB", option, text);
	*to = (uint32_t)bytes;
	return 0;
}

/* "8k:20" */
static int add_share(char *part, struct size_mix *mix)
{
	char *colon = strchr(part, ':');
	uint32_t bytes = 0;
	uint64_t weight;
	int err;

	if (!colon)
		return fail(EINVAL, "--size-mix: '%s' has no share (try: 4k:70,8k:20,64k:10)", part);
	*colon = '\0';
	err = read_size("size-mix", part, &bytes);
	if (err)
		return err;
	if (parse_milli(colon + 1, &weight) || weight == 0 || weight > (uint64_t)1000000 * MILLI)
		return fail(EINVAL, "--size-mix: '%s' is not a share above 0 and up to 1,000,000",
			    colon + 1);
	for (size_t i = 0; i < mix->count; i++)
		if (mix->shares[i].size_bytes == bytes)
			return fail(EINVAL, "--size-mix: %s is in it twice", part);
	if (mix->count == WORKLOAD_SIZES)
		return fail(EINVAL, "--size-mix: more than %d sizes", WORKLOAD_SIZES);
	mix->shares[mix->count++] = (struct size_share){ bytes, (uint32_t)weight };
	return 0;
}

static int read_mix(struct size_mix *mix)
{
	_cleanup_free_ char *text = xstrdup(size_mix);
	int err = 0;

	*mix = (struct size_mix){ 0 };
	for (char *part = text, *next; !err && part; part = next) {
		next = strchr(part, ',');
		if (next)
			*next++ = '\0';
		err = add_share(part, mix);
	}
	return err;
}

static int set_sizes(struct workload *workload)
{
	struct size_mix mix = { .count = 1, .shares = { { 0, 1 } } };
	int err;

	if (!block && !size_mix)
		return 0;
	if (block && size_mix)
		return fail(EINVAL, "--block and --size-mix contradict each other");
	err = block ? read_size("block", block, &mix.shares[0].size_bytes) : read_mix(&mix);
	if (err)
		return err;
	workload->read_sizes = workload->write_sizes = mix;
	workload->align_bytes = 0; /* that of the sizes before */
	return 0;
}

static int set_distribution(struct workload *workload)
{
	uint64_t theta;

	if (!distribution)
		return 0;
	workload->pattern = PATTERN_UNIFORM;
	workload->zipf_theta_milli = 0;
	if (!strcmp(distribution, "uniform"))
		return 0;
	if (strncmp(distribution, "zipf:", 5))
		return fail(EINVAL, "--distribution: '%s' is neither uniform nor zipf:THETA (try: zipf:1.1)",
			    distribution);
	if (parse_milli(distribution + 5, &theta) || theta < 1 || theta > WORKLOAD_THETA_MILLI_MAX)
		return fail(EINVAL, "--distribution: '%s' is not a theta from 0.001 to 2", distribution + 5);
	workload->pattern = PATTERN_ZIPF;
	workload->zipf_theta_milli = (uint32_t)theta;
	return 0;
}

static int set_places(struct workload *workload)
{
	bool was_sequential = workload->pattern == PATTERN_SEQUENTIAL;
	int err;

	if (is_sequential && (is_random || random_share || distribution))
		return fail(EINVAL, "--sequential and --%s contradict each other",
			    is_random ? "random" : random_share ? "random-share" : "distribution");
	if (is_random && random_share)
		return fail(EINVAL, "--random and --random-share contradict each other: --random is all of "
				    "them");
	if (is_sequential) {
		workload->pattern = PATTERN_SEQUENTIAL;
		workload->random_percent = workload->zipf_theta_milli = 0;
		return 0;
	}
	if (!is_random && !random_share && !distribution)
		return 0;
	if (was_sequential)
		workload->pattern = PATTERN_UNIFORM;
	if (was_sequential || is_random)
		workload->random_percent = 100;
	err = set_percent("random-share", random_share, &workload->random_percent);
	return err ? err : set_distribution(workload);
}

/* Sizes of requests that there were none of: those of the others. */
static void complete_sizes(struct workload *workload)
{
	if (workload->read_sizes.count == 0)
		workload->read_sizes = workload->write_sizes;
	if (workload->write_sizes.count == 0)
		workload->write_sizes = workload->read_sizes;
	if (workload->read_percent == 0)
		workload->read_sizes.count = 0;
	if (workload->read_percent == 100)
		workload->write_sizes.count = 0;
}

static int check(const struct workload *workload)
{
	if (trim_share && workload->read_percent == 100)
		return fail(EINVAL, "--trim: all requests are reads: there is nothing to trim (try: "
				    "--read 0)");
	if (zeroes_share && workload->read_percent == 100)
		return fail(EINVAL, "--write-zeroes: all requests are reads: there is nothing to make zero "
				    "(try: --read 0)");
	if (workload->trim_percent + workload->zeroes_percent > 100)
		return fail(EINVAL, "--%s: %u of 100 trims and %u of 100 write zeroes are more than all",
			    zeroes_share ? "write-zeroes" : "trim", workload->trim_percent,
			    workload->zeroes_percent);
	if (compress && !workload_writes(workload))
		return fail(EINVAL, "--compress: nothing is written that could be compressed");
	if ((uint64_t)workload->threads * workload->depth > WORKLOAD_OUTSTANDING_MAX)
		return fail(EINVAL, "--depth: %u threads x %u are more than %d outstanding",
			    workload->threads, workload->depth, WORKLOAD_OUTSTANDING_MAX);
	return 0;
}

/* ---- what it is called ---- */

static void put_option(struct buf *out, const char *name, const char *value)
{
	if (!value)
		return;
	buf_printf(out, "%s%s%s%s", out->size ? "," : "", name, *value ? "=" : "", value);
}

/* "block=4k,read=70,random,depth=32": what was asked for, as it was. */
static char *options_text(void)
{
	_cleanup_buf_ struct buf text = BUF_INIT;

	put_option(&text, "block", block);
	put_option(&text, "size-mix", size_mix);
	put_option(&text, "read", read_share);
	put_option(&text, "trim", trim_share);
	put_option(&text, "write-zeroes", zeroes_share);
	put_option(&text, "compress", compress);
	put_option(&text, "random", is_random ? "" : NULL);
	put_option(&text, "sequential", is_sequential ? "" : NULL);
	put_option(&text, "random-share", random_share);
	put_option(&text, "distribution", distribution);
	put_option(&text, "align", align);
	put_option(&text, "depth", depth);
	put_option(&text, "threads", threads);
	put_option(&text, "span", span);
	return xstrdup(text.text);
}

static void rename_to(char **to, char *name)
{
	free(*to);
	*to = name;
}

static void rename_after(struct workload *workload, const char *base)
{
	_cleanup_free_ char *options = options_text();

	rename_to(&workload->help, xasprintf("%s%swith %s", base ? workload->help : "",
					     base ? ", but " : "", options));
	rename_to(&workload->source, base ? xasprintf("ours: asked for on the command line, on top of "
						      "one that is %s", workload->source) :
					    xstrdup("ours: asked for on the command line"));
	rename_to(&workload->name, base ? xasprintf("%s:%s", workload->name, options) :
					  xstrdup(options));
}

static struct workload *plain_reads(void)
{
	struct workload *workload = xcalloc(1, sizeof(*workload));

	workload->read_percent = 100;
	workload->pattern = PATTERN_SEQUENTIAL;
	workload->read_sizes = (struct size_mix){ .count = 1, .shares = { { DEFAULT_BYTES, 1 } } };
	workload->threads = workload->depth = 1;
	workload->span_millipercent = 100000;
	return workload;
}

static int apply(struct workload *workload)
{
	int err = set_sizes(workload);

	if (!err)
		err = set_percent("read", read_share, &workload->read_percent);
	if (!err)
		err = set_percent("trim", trim_share, &workload->trim_percent);
	if (!err)
		err = set_percent("write-zeroes", zeroes_share, &workload->zeroes_percent);
	if (!err)
		err = set_percent("compress", compress, &workload->compress_percent);
	if (!err)
		err = set_places(workload);
	if (!err && align)
		err = read_size("align", align, &workload->align_bytes);
	if (!err)
		err = set_count("depth", depth, &workload->depth);
	if (!err)
		err = set_count("threads", threads, &workload->threads);
	if (!err)
		err = set_span(&workload->span_millipercent);
	if (!err)
		err = check(workload);
	if (!err)
		complete_sizes(workload);
	return err;
}

int load_options_workload(const char *base, struct workload **out)
{
	struct workload *workload = NULL;
	int err = 0;

	if (base)
		err = workload_load(base, &workload);
	else
		workload = plain_reads();
	if (!err && load_options_given()) {
		err = apply(workload);
		if (!err)
			rename_after(workload, base);
	}
	if (err) {
		workload_free(workload);
		return err;
	}
	*out = workload;
	return 0;
}
