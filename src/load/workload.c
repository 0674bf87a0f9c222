#include "load/workload.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/data.h"
#include "base/fail.h"
#include "base/units.h"
#include "base/yaml.h"

static const char *const pattern_words[] = { "uniform", "sequential", "zipf", NULL };

_Static_assert(PATTERN_UNIFORM == 0 && PATTERN_SEQUENTIAL == 1 && PATTERN_ZIPF == 2,
	       "pattern_words");

enum {
	BLOCK_BYTES = 512,           /* the smallest logical block there is */
	REQUEST_BYTES_MAX = 1 << 30,
};

static int read_pattern(const struct yml *yaml, const struct yml_node *node,
			const struct yml_key *key, void *to)
{
	struct workload *workload = to;
	uint64_t index;
	int err = yml_read_word(yaml, node, key, &index);

	if (!err)
		workload->pattern = (enum pattern)index;
	return err;
}

static int read_percent(const struct yml *yaml, const struct yml_node *node,
			const struct yml_key *key, void *to)
{
	uint64_t millipercent;
	int err = yml_read_percent(yaml, node, key, &millipercent);

	if (err)
		return err;
	if (millipercent % 1000)
		return yml_fail(yaml, node, "'%.60s' must be a whole percentage", node->text);
	*(uint32_t *)to = (uint32_t)(millipercent / 1000);
	return 0;
}

static int read_theta(const struct yml *yaml, const struct yml_node *node,
		      const struct yml_key *key, void *to)
{
	uint64_t theta;
	int err = yml_read_milli(yaml, node, key, &theta);

	if (!err)
		*(uint32_t *)to = (uint32_t)theta;
	return err;
}

bool workload_size_is_valid(uint64_t bytes)
{
	return bytes > 0 && bytes % BLOCK_BYTES == 0 && bytes <= REQUEST_BYTES_MAX;
}

static int read_block_size(const struct yml *yaml, const struct yml_node *node,
			   const char *text, uint32_t *to)
{
	uint64_t bytes;

	if (parse_size(text, &bytes)) {
		_cleanup_free_ char *why = xstrdup(fail_message());

		return yml_fail(yaml, node, "%s", why);
	}
	if (!workload_size_is_valid(bytes))
		return yml_fail(yaml, node, "'%.60s' is not a multiple of 512 bytes up to 1 GiB", text);
	*to = (uint32_t)bytes;
	return 0;
}

static int read_align(const struct yml *yaml, const struct yml_node *node,
		      const struct yml_key *key, void *to)
{
	if (node->kind != YML_SCALAR)
		return yml_read_size(yaml, node, key, to); /* which refuses it */
	return read_block_size(yaml, node, node->text, to);
}

/* One size of a mix: "8K: 41.05". */
static int read_share(const struct yml *yaml, const struct yml_node *node, struct size_mix *mix)
{
	static const struct yml_key weights = { .min = 1, .max = 1000000000 };
	struct size_share *share;
	uint64_t weight;
	int err;

	if (mix->count == WORKLOAD_SIZES)
		return yml_fail(yaml, node, "more than %d sizes", WORKLOAD_SIZES);
	share = &mix->shares[mix->count];
	err = read_block_size(yaml, node, node->key, &share->size_bytes);
	if (!err)
		err = yml_read_milli(yaml, node, &weights, &weight);
	if (err)
		return err;
	for (size_t i = 0; i < mix->count; i++)
		if (mix->shares[i].size_bytes == share->size_bytes)
			return yml_fail(yaml, node, "this size is in the mix already");
	share->weight = (uint32_t)weight;
	mix->count++;
	return 0;
}

/* "4K", or a mapping of sizes to their shares. */
static int read_mix(const struct yml *yaml, const struct yml_node *node,
		    const struct yml_key *key, void *to)
{
	struct size_mix *mix = to;
	int err = 0;

	(void)key;
	if (node->kind == YML_LIST)
		return yml_fail(yaml, node, "a size or a mapping of sizes to their shares must "
					    "stand here, not a list");
	if (node->kind == YML_SCALAR) {
		err = read_block_size(yaml, node, node->text, &mix->shares[0].size_bytes);
		mix->shares[0].weight = 1;
		mix->count = 1;
		return err;
	}
	for (const struct yml_node *one = node->first; one && !err; one = one->next)
		err = read_share(yaml, one, mix);
	if (!err && mix->count == 0)
		return yml_fail(yaml, node, "the mix has no sizes");
	return err;
}

static int read_both_mixes(const struct yml *yaml, const struct yml_node *node,
			   const struct yml_key *key, void *to)
{
	struct workload *workload = to;
	int err = read_mix(yaml, node, key, &workload->read_sizes);

	workload->write_sizes = workload->read_sizes;
	return err;
}

#define AT(field) offsetof(struct workload, field)

static const struct yml_key file_keys[] = {
	{ "name", yml_read_string, AT(name), true, "the name of this file" },
	{ "help", yml_read_string, AT(help), true, "what it stands for, in one line" },
	{ "source", yml_read_string, AT(source), true, "published, derived or ours, and where" },
	{ "read", read_percent, AT(read_percent), true, "the share of reads, such as 70%", 0, 100000 },
	{ "trim", read_percent, AT(trim_percent), false, NULL, 0, 100000 },
	{ "write_zeroes", read_percent, AT(zeroes_percent), false, NULL, 0, 100000 },
	{ "compress", read_percent, AT(compress_percent), false, NULL, 0, 100000 },
	{ "pattern", read_pattern, 0, true, "uniform, sequential or zipf", 0, 0, pattern_words },
	{ "random", read_percent, AT(random_percent), false, NULL, 0, 100000 },
	{ "theta", read_theta, AT(zipf_theta_milli), false, NULL, 1,
	  WORKLOAD_THETA_MILLI_MAX },
	{ "size", read_both_mixes, 0, false, NULL },
	{ "read_size", read_mix, AT(read_sizes), false, NULL },
	{ "write_size", read_mix, AT(write_sizes), false, NULL },
	{ "align", read_align, AT(align_bytes), false, NULL },
	{ "threads", yml_read_count32, AT(threads), true, "how many send at the same time", 1,
	  WORKLOAD_OUTSTANDING_MAX },
	{ "depth", yml_read_count32, AT(depth), true, "requests that each keeps outstanding", 1,
	  WORKLOAD_OUTSTANDING_MAX },
	{ "span", yml_read_percent, AT(span_millipercent), false, NULL, 1, 100000 },
	{ NULL },
};

/* Sizes: one `size` for all, or one key for each kind of request that there is. */
static int check_sizes(const struct yml *yaml, const struct workload *workload)
{
	const struct yml_node *size = yml_child(yaml->root, "size");
	const struct yml_node *read = yml_child(yaml->root, "read_size");
	const struct yml_node *write = yml_child(yaml->root, "write_size");

	if (size && (read || write))
		return yml_fail(yaml, read ? read : write,
				"'size' stands already in line %u: it is for reads and writes",
				size->key_line);
	if (read && workload->read_percent == 0)
		return yml_fail(yaml, read, "there are no reads to have a size");
	if (write && workload->read_percent == 100)
		return yml_fail(yaml, write, "there are no writes to have a size");
	if (workload->read_percent > 0 && workload->read_sizes.count == 0)
		return yml_fail(yaml, yaml->root, "missing key 'size' or 'read_size' (the size of reads)");
	if (workload->read_percent < 100 && workload->write_sizes.count == 0)
		return yml_fail(yaml, yaml->root,
				"missing key 'size' or 'write_size' (the size of writes)");
	return 0;
}

static int check_pattern(const struct yml *yaml, const struct workload *workload)
{
	const struct yml_node *theta = yml_child(yaml->root, "theta");
	const struct yml_node *random = yml_child(yaml->root, "random");
	const struct yml_node *trim = yml_child(yaml->root, "trim");
	const struct yml_node *zeroes = yml_child(yaml->root, "write_zeroes");
	const struct yml_node *compress = yml_child(yaml->root, "compress");

	if (workload->pattern == PATTERN_ZIPF && !theta)
		return yml_fail(yaml, yaml->root,
				"missing key 'theta' (how uneven the zipf pattern is, such as 1.2)");
	if (workload->pattern != PATTERN_ZIPF && theta)
		return yml_fail(yaml, theta, "only the zipf pattern has a theta");
	if (workload->pattern == PATTERN_SEQUENTIAL && random)
		return yml_fail(yaml, random, "the sequential pattern has no random requests; take "
					      "uniform and a smaller share here for a mix");
	if (trim && workload->read_percent == 100)
		return yml_fail(yaml, trim, "all requests are reads: there is nothing to trim");
	if (zeroes && workload->read_percent == 100)
		return yml_fail(yaml, zeroes, "all requests are reads: there is nothing to make zero");
	if (workload->trim_percent + workload->zeroes_percent > 100)
		return yml_fail(yaml, zeroes, "%u %% of trims and %u %% of write zeroes are more than all",
				workload->trim_percent, workload->zeroes_percent);
	if (compress && !workload_writes(workload))
		return yml_fail(yaml, compress, "nothing is written that could be compressed");
	if ((uint64_t)workload->threads * workload->depth > WORKLOAD_OUTSTANDING_MAX)
		return yml_fail(yaml, yml_child(yaml->root, "depth"),
				"%u threads x %u are more than %d outstanding", workload->threads,
				workload->depth, WORKLOAD_OUTSTANDING_MAX);
	return 0;
}

/* Sizes of requests that do not exist were only copied: nobody may stumble over them. */
static void drop_unused(struct workload *workload)
{
	if (workload->read_percent == 0)
		workload->read_sizes.count = 0;
	if (workload->read_percent == 100)
		workload->write_sizes.count = 0;
}

static int workload_of(struct yml *yaml, struct workload **out)
{
	struct workload *workload = xcalloc(1, sizeof(*workload));
	int err;

	workload->random_percent = 100;
	workload->span_millipercent = 100000;
	err = yml_read_map(yaml, yaml->root, file_keys, workload);
	if (!err)
		err = check_sizes(yaml, workload);
	if (!err)
		err = check_pattern(yaml, workload);
	if (err) {
		workload_free(workload);
		return err;
	}
	if (workload->pattern == PATTERN_SEQUENTIAL)
		workload->random_percent = 0;
	drop_unused(workload);
	*out = workload;
	return 0;
}

int workload_parse(const char *path, const char *text, size_t size, struct workload **out)
{
	struct yml *yaml;
	int err = yml_parse(path, text, size, &yaml);

	if (err)
		return err;
	err = workload_of(yaml, out);
	yml_free(yaml);
	return err;
}

int workload_load(const char *name, struct workload **out)
{
	_cleanup_free_ char *path = NULL;
	struct yml *yaml;
	int err = data_find("workloads", name, &path);

	if (!err)
		err = yml_load(path, &yaml);
	if (err)
		return err;
	err = workload_of(yaml, out);
	yml_free(yaml);
	return err;
}

void workload_free(struct workload *workload)
{
	if (!workload)
		return;
	free(workload->name);
	free(workload->help);
	free(workload->source);
	free(workload);
}

bool workload_writes(const struct workload *workload)
{
	return workload->read_percent < 100 && workload->trim_percent + workload->zeroes_percent < 100;
}

uint32_t workload_outstanding(const struct workload *workload)
{
	return workload->threads * workload->depth;
}

static uint32_t mix_max(const struct size_mix *mix)
{
	uint32_t most = 0;

	for (size_t i = 0; i < mix->count; i++)
		if (mix->shares[i].size_bytes > most)
			most = mix->shares[i].size_bytes;
	return most;
}

uint32_t workload_max_bytes(const struct workload *workload)
{
	uint32_t read = mix_max(&workload->read_sizes), write = mix_max(&workload->write_sizes);

	return read > write ? read : write;
}
