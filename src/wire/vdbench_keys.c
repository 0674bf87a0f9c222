/* vdbench_keys.c - the statements of vdbench and every key of theirs: what it does here. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/data.h"
#include "base/fail.h"
#include "base/units.h"
#include "wire/vdbench_read.h"

enum { MINUTE_S = 60, HOUR_S = 3600, ELAPSED_MAX_S = 30 * 86400, DEFINITIONS_MAX = 1024 };

/* ---- values ---- */

static int single(const struct vdb_pair *pair)
{
	return pair->count == 1 ? 0 : vdb_fail(pair, "one value would do, not a list");
}

static int number_of(const struct vdb_pair *pair, const char *text, uint64_t least, uint64_t most,
		     uint64_t *out)
{
	if (parse_count(text, out))
		return vdb_fail(pair, "'%.60s' is not a whole number", text);
	if (*out < least || *out > most)
		return vdb_fail(pair, "%s is not between %llu and %llu", text, (unsigned long long)least,
				(unsigned long long)most);
	return 0;
}

static int one_number(const struct vdb_pair *pair, uint64_t least, uint64_t most, uint64_t *out)
{
	int err = single(pair);

	return err ? err : number_of(pair, pair->parts[0], least, most, out);
}

static int one_count(const struct vdb_pair *pair, uint64_t least, uint64_t most, uint32_t *out)
{
	uint64_t value;
	int err = one_number(pair, least, most, &value);

	if (!err)
		*out = (uint32_t)value;
	return err;
}

static int bytes_of(const struct vdb_pair *pair, const char *text, uint64_t *out)
{
	return parse_size(text, out) ? vdb_fail(pair, "'%.60s' is not a size (try: 4k)", text) : 0;
}

static int request_of(const struct vdb_pair *pair, const char *text, uint64_t *out)
{
	int err = bytes_of(pair, text, out);

	if (!err && (*out == 0 || *out % 512 || *out > 1 << 30))
		err = vdb_fail(pair, "a request of %s is not a multiple of 512 bytes up to 1 GiB", text);
	return err;
}

static int one_size(const struct vdb_pair *pair, uint64_t *out)
{
	int err = single(pair);

	return err ? err : bytes_of(pair, pair->parts[0], out);
}

/* 30, 30s, 5m, 2h */
static int one_time(const struct vdb_pair *pair, uint64_t *out)
{
	_cleanup_free_ char *text = xstrdup(pair->parts[0]);
	size_t length = strlen(text);
	uint64_t unit = 1;
	int err = single(pair);

	if (!err && length > 1 && strchr("smh", text[length - 1])) {
		unit = text[length - 1] == 'h' ? HOUR_S : text[length - 1] == 'm' ? MINUTE_S : 1;
		text[length - 1] = '\0';
	}
	if (!err)
		err = number_of(pair, text, 1, ELAPSED_MAX_S / unit, out);
	*out *= unit;
	return err;
}

static int add_value(const struct vdb_pair *pair, struct vdb_list *list, uint64_t value)
{
	if (list->count == VDB_LIST)
		return vdb_fail(pair, "more than %d values", VDB_LIST);
	list->values[list->count++] = value;
	return 0;
}

/* "lo-hi" in steps, of which the last part of the list says how large; "d" doubles. */
static int add_range(const struct vdb_pair *pair, struct vdb_list *list, const char *dash, uint64_t most)
{
	_cleanup_free_ char *from = xasprintf("%.*s", (int)(dash - pair->parts[0]), pair->parts[0]);
	bool doubles = !strcmp(pair->parts[1], "d");
	uint64_t low, high, step = 1;
	int err = number_of(pair, from, 1, most, &low);

	if (!err)
		err = number_of(pair, dash + 1, low, most, &high);
	if (!err && !doubles)
		err = number_of(pair, pair->parts[1], 1, most, &step);
	for (uint64_t value = low; !err && value <= high; value = doubles ? value * 2 : value + step)
		err = add_value(pair, list, value);
	return err;
}

/* (a,b,c), or (lo-hi,step) */
static int numbers(const struct vdb_pair *pair, uint64_t least, uint64_t most, struct vdb_list *list)
{
	const char *dash = strchr(pair->parts[0], '-');
	int err = 0;

	list->count = 0;
	if (dash && dash > pair->parts[0] && pair->count == 2)
		return add_range(pair, list, dash, most);
	for (size_t i = 0; !err && i < pair->count; i++) {
		uint64_t value;

		err = number_of(pair, pair->parts[i], least, most, &value);
		if (!err)
			err = add_value(pair, list, value);
	}
	return err;
}

static int read_range(const struct vdb_pair *pair, uint32_t out[static 2])
{
	uint64_t low, high;
	int err;

	if (pair->count != 2)
		return vdb_fail(pair, "two percentages must stand there, as in (10,20)");
	err = number_of(pair, pair->parts[0], 0, 99, &low);
	if (!err)
		err = number_of(pair, pair->parts[1], low + 1, 100, &high);
	if (err)
		return err;
	out[0] = (uint32_t)low * 1000;
	out[1] = (uint32_t)high * 1000;
	return 0;
}

/* ---- sd ---- */


static int sd_threads(const struct vdb_pair *pair, void *to)
{
	return one_count(pair, 1, 65536, &((struct vdb_sd *)to)->threads);
}

static int sd_size(const struct vdb_pair *pair, void *to)
{
	return one_size(pair, &((struct vdb_sd *)to)->size_bytes);
}

static int sd_offset(const struct vdb_pair *pair, void *to)
{
	return one_size(pair, &((struct vdb_sd *)to)->offset_bytes);
}

static int sd_align(const struct vdb_pair *pair, void *to)
{
	int err = single(pair);

	return err ? err : request_of(pair, pair->parts[0], &((struct vdb_sd *)to)->align_bytes);
}

static int sd_range(const struct vdb_pair *pair, void *to)
{
	return read_range(pair, ((struct vdb_sd *)to)->range_milli);
}

/* ---- wd ---- */

static int wd_sd(const struct vdb_pair *pair, void *to)
{
	struct vdb_wd *wd = to;

	if (pair->count != 1)
		return vdb_fail(pair, "names several sds, and one TARGET is measured; give each a run of its "
				"own");
	free(wd->sd);
	wd->sd = xstrdup(pair->parts[0]);
	return 0;
}

/* (4k,50,8k,50) */
static int read_mix(const struct vdb_pair *pair, struct vdb_sizes *sizes)
{
	uint64_t total = 0;
	int err = 0;

	if (pair->count % 2 || pair->count / 2 > VDB_SIZES)
		return vdb_fail(pair, "sizes and their percentages must stand in turns, at most %d of them, as "
				"in (4k,50,8k,50)", VDB_SIZES);
	for (size_t i = 0; !err && i < pair->count; i += 2) {
		struct vdb_share *share = &sizes->shares[sizes->count];
		uint64_t percent = 0;

		err = request_of(pair, pair->parts[i], &share->bytes);
		if (!err)
			err = number_of(pair, pair->parts[i + 1], 1, 100, &percent);
		for (size_t k = 0; !err && k < sizes->count; k++)
			if (sizes->shares[k].bytes == share->bytes)
				err = vdb_fail(pair, "%s is in it twice", pair->parts[i]);
		share->weight = (uint32_t)percent;
		total += percent;
		sizes->count++;
	}
	if (!err && total != 100)
		err = vdb_fail(pair, "the percentages add up to %llu, not to 100", (unsigned long long)total);
	return err;
}

/* (min,max,align): every multiple of align from min to max, equally often */
static int read_spread(const struct vdb_pair *pair, struct vdb_sizes *sizes)
{
	uint64_t low, high, step;
	int err = request_of(pair, pair->parts[0], &low);

	if (!err)
		err = request_of(pair, pair->parts[1], &high);
	if (!err)
		err = request_of(pair, pair->parts[2], &step);
	if (err)
		return err;
	if (high < low || (high - low) / step >= VDB_SIZES)
		return vdb_fail(pair, "more than %d sizes lie between; a larger align would do", VDB_SIZES);
	for (uint64_t bytes = low; bytes <= high; bytes += step)
		sizes->shares[sizes->count++] = (struct vdb_share){ bytes, 1 };
	return 0;
}

static int wd_xfersize(const struct vdb_pair *pair, void *to)
{
	struct vdb_sizes sizes = { 0 };
	int err;

	if (pair->count == 1) {
		sizes = (struct vdb_sizes){ 1, { { 0, 1 } } };
		err = request_of(pair, pair->parts[0], &sizes.shares[0].bytes);
	} else {
		err = pair->count == 3 ? read_spread(pair, &sizes) : read_mix(pair, &sizes);
	}
	if (!err)
		((struct vdb_wd *)to)->sizes = sizes;
	return err;
}

static int wd_rdpct(const struct vdb_pair *pair, void *to)
{
	return one_count(pair, 0, 100, &((struct vdb_wd *)to)->read_percent);
}

static int wd_seekpct(const struct vdb_pair *pair, void *to)
{
	struct vdb_wd *wd = to;
	int err = single(pair);

	if (err)
		return err;
	wd->seek_percent = 0;
	if (!strcmp(pair->parts[0], "seq") || !strcmp(pair->parts[0], "sequential"))
		return 0;
	wd->seek_percent = 100;
	if (!strcmp(pair->parts[0], "random"))
		return 0;
	if (!strcmp(pair->parts[0], "eof") || !strcmp(pair->parts[0], "seqnz"))
		return vdb_fail(pair, "is not supported; take seekpct=seq, with maxdata for an end");
	return one_count(pair, 0, 100, &wd->seek_percent);
}

static int wd_skew(const struct vdb_pair *pair, void *to)
{
	return one_count(pair, 1, 100, &((struct vdb_wd *)to)->skew_percent);
}

static int wd_threads(const struct vdb_pair *pair, void *to)
{
	return one_count(pair, 1, 65536, &((struct vdb_wd *)to)->threads);
}

static int wd_range(const struct vdb_pair *pair, void *to)
{
	return read_range(pair, ((struct vdb_wd *)to)->range_milli);
}

/* ---- rd ---- */

static int rd_wd(const struct vdb_pair *pair, void *to)
{
	struct vdb_rd *rd = to;

	if (pair->count > VDB_LIST)
		return vdb_fail(pair, "more than %d workloads", VDB_LIST);
	for (size_t i = 0; i < rd->wd_count; i++)
		free(rd->wds[i]);
	for (rd->wd_count = 0; rd->wd_count < pair->count; rd->wd_count++)
		rd->wds[rd->wd_count] = xstrdup(pair->parts[rd->wd_count]);
	return 0;
}

static int rd_iorate(const struct vdb_pair *pair, void *to)
{
	struct vdb_rd *rd = to;

	rd->rate = VDB_MAX;
	if (pair->count == 1 && !strcmp(pair->parts[0], "max"))
		return 0;
	rd->rate = VDB_CURVE;
	if (pair->count == 1 && !strcmp(pair->parts[0], "curve"))
		return 0;
	rd->rate = VDB_RATES;
	return numbers(pair, 1, 1000000000, &rd->rates);
}

static int rd_curve(const struct vdb_pair *pair, void *to)
{
	return numbers(pair, 1, 1000, &((struct vdb_rd *)to)->curve);
}

static int rd_elapsed(const struct vdb_pair *pair, void *to)
{
	return one_time(pair, &((struct vdb_rd *)to)->elapsed_s);
}

static int rd_interval(const struct vdb_pair *pair, void *to)
{
	return one_time(pair, &((struct vdb_rd *)to)->interval_s);
}

static int rd_warmup(const struct vdb_pair *pair, void *to)
{
	return one_time(pair, &((struct vdb_rd *)to)->warmup_s);
}

static int rd_maxdata(const struct vdb_pair *pair, void *to)
{
	struct vdb_rd *rd = to;
	int err = one_size(pair, &rd->max_bytes);

	if (!err && rd->max_bytes <= 100)
		err = vdb_fail(pair, "a multiple of all sds is not supported; take bytes, such as 100g");
	return err;
}

static int rd_distribution(const struct vdb_pair *pair, void *to)
{
	struct vdb_rd *rd = to;
	char first = pair->parts[0][0];

	if (pair->count != 1 || (first != 'e' && first != 'd'))
		return vdb_fail(pair, "is not supported; exponential and deterministic are");
	rd->is_exponential = first == 'e';
	return 0;
}

static int for_threads(const struct vdb_pair *pair, void *to)
{
	return numbers(pair, 1, 65536, &((struct vdb_rd *)to)->threads);
}

static int for_reads(const struct vdb_pair *pair, void *to)
{
	return numbers(pair, 0, 100, &((struct vdb_rd *)to)->reads);
}

static int for_seeks(const struct vdb_pair *pair, void *to)
{
	return numbers(pair, 0, 100, &((struct vdb_rd *)to)->seeks);
}

static int for_xfers(const struct vdb_pair *pair, void *to)
{
	struct vdb_list *list = &((struct vdb_rd *)to)->xfers;
	int err = 0;

	list->count = 0;
	for (size_t i = 0; !err && i < pair->count; i++) {
		uint64_t bytes;

		err = request_of(pair, pair->parts[i], &bytes);
		if (!err)
			err = add_value(pair, list, bytes);
	}
	return err;
}

/* ---- the tables ---- */

struct key {
	const char *name;
	int (*read)(const struct vdb_pair *pair, void *to);
	const char *note, *refuse;
};

static const char machinery[] = "tunes vdbench itself, and does nothing here";

static const struct key general_keys[] = {
	{ "compratio", NULL, "what is written is random and does not compress", NULL },
	{ "dedupratio", NULL, "what is written is random, nothing comes twice", NULL },
	{ "dedupunit", NULL, machinery, NULL }, { "dedupsets", NULL, machinery, NULL },
	{ "messagescan", NULL, machinery, NULL }, { "histogram", NULL, machinery, NULL },
	{ "report", NULL, machinery, NULL }, { "debug", NULL, machinery, NULL },
	{ "monitor", NULL, machinery, NULL }, { "pattern", NULL, "what is written is random", NULL },
	{ "data_errors", NULL, "errors are counted and never end a run", NULL },
	{ "validate", NULL, NULL, "is not done; leave it out, and take drivebay run --verify crc32c" },
	{ "journal", NULL, NULL, "is not done; leave it out, and take drivebay run --verify crc32c" },
	{ "startcmd", NULL, NULL, "programs are not started; start it before drivebay" },
	{ "endcmd", NULL, NULL, "programs are not started; start it after drivebay" },
	{ NULL },
};

static const struct key host_keys[] = {
	{ "system", NULL, "one host is measured: this one", NULL },
	{ "jvms", NULL, machinery, NULL }, { "shell", NULL, machinery, NULL },
	{ "user", NULL, machinery, NULL }, { "vdbench", NULL, machinery, NULL },
	{ "clients", NULL, NULL, "several hosts are not supported; leave it out" },
	{ NULL },
};

static const struct key sd_keys[] = {
	{ "lun", NULL, "is not opened: what is measured is the TARGET on the command line", NULL },
	{ "threads", sd_threads, NULL, NULL }, { "size", sd_size, NULL, NULL },
	{ "offset", sd_offset, NULL, NULL }, { "align", sd_align, NULL, NULL },
	{ "range", sd_range, NULL, NULL },
	{ "openflags", NULL, "the page cache is never used here: as with o_direct", NULL },
	{ "hitarea", NULL, "there are no hits to be had: rhpct and whpct are 0", NULL },
	{ "host", NULL, "one host is measured: this one", NULL },
	{ "count", NULL, NULL, "several sds are not supported: one TARGET is measured" },
	{ "resetbus", NULL, machinery, NULL }, { "resetlun", NULL, machinery, NULL },
	{ "streams", NULL, NULL, "is not supported; take a wd with a range for each" },
	{ NULL },
};

static const struct key wd_keys[] = {
	{ "sd", wd_sd, NULL, NULL }, { "xfersize", wd_xfersize, NULL, NULL },
	{ "rdpct", wd_rdpct, NULL, NULL }, { "seekpct", wd_seekpct, NULL, NULL },
	{ "skew", wd_skew, NULL, NULL }, { "threads", wd_threads, NULL, NULL },
	{ "range", wd_range, NULL, NULL }, { "host", NULL, "one host is measured: this one", NULL },
	{ "rhpct", NULL, NULL, "hits in a cache are not supported; leave it out" },
	{ "whpct", NULL, NULL, "hits in a cache are not supported; leave it out" },
	{ "stride", NULL, NULL, "is not supported; leave it out" },
	{ "hotband", NULL, NULL, "is not supported; a workload of ours with pattern: zipf is near" },
	{ "iorate", NULL, NULL, "a rate of one workload is not supported; take skew, and iorate in the rd" },
	{ "priority", NULL, NULL, "is not supported; leave it out" },
	{ "streams", NULL, NULL, "is not supported; take a wd with a range for each" },
	{ NULL },
};

static const struct key rd_keys[] = {
	{ "wd", rd_wd, NULL, NULL }, { "sd", NULL, "the wd says which", NULL },
	{ "iorate", rd_iorate, NULL, NULL }, { "curve", rd_curve, NULL, NULL },
	{ "elapsed", rd_elapsed, NULL, NULL }, { "interval", rd_interval, NULL, NULL },
	{ "warmup", rd_warmup, NULL, NULL }, { "maxdata", rd_maxdata, NULL, NULL },
	{ "distribution", rd_distribution, NULL, NULL },
	{ "forthreads", for_threads, NULL, NULL }, { "forrdpct", for_reads, NULL, NULL },
	{ "forseekpct", for_seeks, NULL, NULL }, { "forxfersize", for_xfers, NULL, NULL },
	{ "threads", for_threads, NULL, NULL }, { "rdpct", for_reads, NULL, NULL },
	{ "seekpct", for_seeks, NULL, NULL }, { "xfersize", for_xfers, NULL, NULL },
	{ "pause", NULL, "runs follow each other at once", NULL },
	{ "stopcurve", NULL, NULL, "is not supported; leave it out, the report tells which points are too much" },
	{ "openflags", NULL, "the page cache is never used here: as with o_direct", NULL },
	{ "startcmd", NULL, NULL, "programs are not started; start it before drivebay" },
	{ "endcmd", NULL, NULL, "programs are not started; start it after drivebay" },
	{ "format", NULL, NULL, "is not supported; take --fill, which writes the target once first" },
	{ NULL },
};

/* The key of this name, or the only one that begins so. */
static int find_key(const struct vdb_pair *pair, const struct key *keys, const struct key **out)
{
	_cleanup_buf_ struct buf several = BUF_INIT;
	size_t length = strlen(pair->key);
	const char *names[64], *near;
	unsigned like = 0;
	size_t count = 0;

	for (const struct key *key = keys; key->name; key++) {
		names[count++] = key->name;
		if (!strcmp(key->name, pair->key)) {
			*out = key;
			return 0;
		}
		if (length >= 2 && !strncmp(key->name, pair->key, length)) {
			buf_printf(&several, "%s%s", like++ ? " or " : "", key->name);
			*out = key;
		}
	}
	if (like == 1)
		return 0;
	if (like > 1)
		return vdb_fail(pair, "could be %s", several.text);
	near = data_nearest(pair->key, names, count);
	return near ? vdb_fail(pair, "no such key is known (did you mean '%s'?)", near) :
		      vdb_fail(pair, "no such key is known; leave it out (doc/vdbench.md has what is)");
}

static int apply(struct vdb_reader *reader, const struct vdb_pair *pairs, size_t count,
		 const struct key *keys, void *to)
{
	int err = 0;

	for (size_t i = 0; !err && i < count; i++) {
		const struct key *key = NULL;

		err = find_key(&pairs[i], keys, &key);
		if (err)
			break;
		if (key->read)
			err = key->read(&pairs[i], to);
		else if (key->refuse)
			err = vdb_fail(&pairs[i], "%s", key->refuse);
		else
			vdb_note(reader, &pairs[i], key->note);
	}
	return err;
}

/* ---- statements ---- */

static bool is_default(const struct vdb_pair *pair)
{
	return pair->count == 1 && !strcmp(pair->parts[0], "default");
}

/* Room for one more at the end; the name is what the first pair says. */
static int add(const struct vdb_pair *pair, void **list, size_t *count, size_t each_bytes)
{
	int err = single(pair);

	if (!err && !*pair->parts[0])
		err = vdb_fail(pair, "a name is missing");
	if (!err && *count == DEFINITIONS_MAX)
		err = vdb_fail(pair, "more than %d of them", DEFINITIONS_MAX);
	if (err)
		return err;
	*list = xrealloc(*list, (*count + 1) * each_bytes);
	++*count;
	return 0;
}

static int sd_statement(struct vdb_reader *reader, struct vdb_pair *pairs, size_t count)
{
	struct vdb_file *file = reader->file;
	struct vdb_sd *sd = &reader->sd;
	int err = 0;

	if (!is_default(pairs)) {
		err = add(pairs, (void **)&file->sds, &file->sd_count, sizeof(*file->sds));
		if (err)
			return err;
		sd = &file->sds[file->sd_count - 1];
		*sd = reader->sd;
		sd->name = xstrdup(pairs->parts[0]);
		sd->line = pairs->line;
	}
	return apply(reader, pairs + 1, count - 1, sd_keys, sd);
}

static int wd_statement(struct vdb_reader *reader, struct vdb_pair *pairs, size_t count)
{
	struct vdb_file *file = reader->file;
	struct vdb_wd *wd = &reader->wd;
	int err = 0;

	if (!is_default(pairs)) {
		err = add(pairs, (void **)&file->wds, &file->wd_count, sizeof(*file->wds));
		if (err)
			return err;
		wd = &file->wds[file->wd_count - 1];
		*wd = reader->wd;
		wd->sd = wd->sd ? xstrdup(wd->sd) : NULL;
		wd->name = xstrdup(pairs->parts[0]);
		wd->line = pairs->line;
	}
	return apply(reader, pairs + 1, count - 1, wd_keys, wd);
}

static int check_rd(const struct vdb_pair *pair, const struct vdb_rd *rd)
{
	if (rd->wd_count == 0)
		return vdb_fail(pair, "does not say which workload: wd=...");
	if (rd->curve.count && rd->rate != VDB_CURVE)
		return vdb_fail(pair, "curve= is for iorate=curve");
	if (rd->interval_s > rd->elapsed_s)
		return vdb_fail(pair, "the interval is longer than elapsed");
	return 0;
}

static int rd_statement(struct vdb_reader *reader, struct vdb_pair *pairs, size_t count)
{
	struct vdb_file *file = reader->file;
	struct vdb_rd *rd = &reader->rd;
	int err = 0;

	if (is_default(pairs))
		return apply(reader, pairs + 1, count - 1, rd_keys, rd);
	err = add(pairs, (void **)&file->rds, &file->rd_count, sizeof(*file->rds));
	if (err)
		return err;
	rd = &file->rds[file->rd_count - 1];
	*rd = reader->rd;
	for (size_t i = 0; i < rd->wd_count; i++)
		rd->wds[i] = xstrdup(rd->wds[i]);
	rd->name = xstrdup(pairs->parts[0]);
	rd->line = pairs->line;
	err = apply(reader, pairs + 1, count - 1, rd_keys, rd);
	return err ? err : check_rd(pairs, rd);
}

int vdb_statement(struct vdb_reader *reader, struct vdb_pair *pairs, size_t count)
{
	const char *kind = pairs->key;

	if (!strcmp(kind, "sd"))
		return sd_statement(reader, pairs, count);
	if (!strcmp(kind, "wd"))
		return wd_statement(reader, pairs, count);
	if (!strcmp(kind, "rd"))
		return rd_statement(reader, pairs, count);
	if (!strcmp(kind, "hd"))
		return apply(reader, pairs + 1, count - 1, host_keys, NULL);
	if (!strcmp(kind, "general"))
		return apply(reader, pairs + 1, count - 1, general_keys, NULL);
	return vdb_fail(pairs, "file systems and replays of vdbench are not measured; sd=, wd= and rd= are");
}
