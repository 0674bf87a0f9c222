/*
 * fio_keys.c - every key of fio: what it does here.
 *
 * One table: a key is read by a function, or accepted with a note, or refused with advice.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/fail.h"
#include "wire/fio_read.h"

enum { COUNT_MAX = 65536 };

/* ---- small readers ---- */

static int whole(const struct fio_entry *entry, uint64_t least, uint64_t most, uint64_t *out)
{
	int err = fio_bytes(entry, entry->value, strlen(entry->value), 1000, out);

	if (!err && (*out < least || *out > most))
		err = fio_fail(entry, "is not between %llu and %llu", (unsigned long long)least,
			       (unsigned long long)most);
	return err;
}

static int count32(const struct fio_entry *entry, uint64_t least, uint64_t most, uint32_t *out)
{
	uint64_t value;
	int err = whole(entry, least, most, &value);

	if (!err)
		*out = (uint32_t)value;
	return err;
}

/* A bare key is a yes. */
static int flag(const struct fio_entry *entry, bool *out)
{
	uint64_t value = 1;
	int err = entry->value ? whole(entry, 0, 1, &value) : 0;

	if (!err)
		*out = value;
	return err;
}

/* The part of a value that belongs to `kind`: "a,b,c"; length 0 with *is_there: an empty one. */
static const char *part_of(const char *value, int kind, size_t *length, bool *is_there)
{
	const char *part = value, *comma;

	*is_there = true;
	for (int i = 0; i < kind; i++) {
		comma = strchr(part, ',');
		if (!comma) { /* the last one holds for the rest */
			break;
		}
		part = comma + 1;
	}
	*length = strcspn(part, ",");
	*is_there = *length > 0;
	return part;
}

static int check_parts(const struct fio_entry *entry)
{
	int commas = 0;

	for (const char *c = entry->value; *c; c++)
		commas += *c == ',';
	return commas < FIO_KINDS ? 0 : fio_fail(entry, "more than three values; reads, writes and "
						 "trims are all there is");
}

/* Reads one part for each kind; where one is empty the job keeps what it has. */
static int each_kind(const struct fio_entry *entry, struct fio_job *job,
		     int (*read)(const struct fio_entry *, const char *, size_t, struct fio_job *, int))
{
	int err = check_parts(entry);

	for (int kind = 0; !err && kind < FIO_KINDS; kind++) {
		size_t length;
		bool is_there;
		const char *part = part_of(entry->value, kind, &length, &is_there);

		if (is_there)
			err = read(entry, part, length, job, kind);
	}
	return err;
}

/* ---- what is sent ---- */

static int read_rw(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job)
{
	static const struct {
		const char *name;
		bool is_random, does[FIO_KINDS];
	} words[] = {
		{ "read", false, { true, false, false } }, { "write", false, { false, true, false } },
		{ "trim", false, { false, false, true } }, { "randread", true, { true, false, false } },
		{ "randwrite", true, { false, true, false } }, { "randtrim", true, { false, false, true } },
		{ "rw", false, { true, true, false } }, { "readwrite", false, { true, true, false } },
		{ "randrw", true, { true, true, false } },
	};

	(void)reader;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(entry->value, words[i].name)) {
			job->is_random = words[i].is_random;
			memcpy(job->does, words[i].does, sizeof(job->does));
			return 0;
		}
	if (strstr(entry->value, "trimwrite"))
		return fio_fail(entry, "a trim before each write is not supported; take one job with "
				"rw=randtrim and one with rw=randwrite");
	if (strchr(entry->value, ':'))
		return fio_fail(entry, "a number behind the pattern is not supported; leave it out, and "
				"take percentage_random for a mix of both");
	return fio_fail(entry, "is no pattern; read, write, trim, randread, randwrite, randtrim, rw or "
			"randrw would do");
}

static int check_size(const struct fio_entry *entry, uint64_t bytes)
{
	if (bytes == 0 || bytes > 1u << 30)
		return fio_fail(entry, "a request of %llu bytes is not between 512 and 1 GiB",
				(unsigned long long)bytes);
	if (bytes % 512)
		return fio_fail(entry, "%llu bytes are no multiple of 512, the smallest logical block "
				"that is measured here", (unsigned long long)bytes);
	return 0;
}

static int one_block(const struct fio_entry *entry, const char *text, size_t length,
		     struct fio_job *job, int kind)
{
	struct fio_sizes *sizes = &job->sizes[kind];
	int err;

	*sizes = (struct fio_sizes){ 1, { { 0, 1 } } };
	err = fio_bytes(entry, text, length, job->kb_base, &sizes->shares[0].bytes);
	return err ? err : check_size(entry, sizes->shares[0].bytes);
}

static int read_bs(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job)
{
	(void)reader;
	return each_kind(entry, job, one_block);
}

/* fio draws a size up to the largest and rounds it up to a multiple of the smallest. */
static int one_range(const struct fio_entry *entry, const char *text, size_t length,
		     struct fio_job *job, int kind)
{
	struct fio_sizes *sizes = &job->sizes[kind];
	const char *dash = memchr(text, '-', length);
	uint64_t least, most;
	int err;

	if (!dash)
		return fio_fail(entry, "'%.*s' is no range (try: 4k-64k)", (int)length, text);
	err = fio_bytes(entry, text, (size_t)(dash - text), job->kb_base, &least);
	if (!err)
		err = fio_bytes(entry, dash + 1, length - (size_t)(dash + 1 - text), job->kb_base, &most);
	if (!err)
		err = check_size(entry, least);
	if (!err)
		err = check_size(entry, most);
	if (err)
		return err;
	if (most < least || most % least || most / least > FIO_SIZES)
		return fio_fail(entry, "the largest must be a multiple of the smallest, at most %d times "
				"it; bssplit says more", FIO_SIZES);
	sizes->count = most / least;
	for (size_t i = 0; i < sizes->count; i++)
		sizes->shares[i] = (struct fio_share){ (i + 1) * least, 1 };
	return 0;
}

static int read_bsrange(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job)
{
	(void)reader;
	return each_kind(entry, job, one_range);
}

static int add_split(const struct fio_entry *entry, struct fio_sizes *sizes, uint64_t bytes,
		     uint32_t weight)
{
	for (size_t i = 0; i < sizes->count; i++)
		if (sizes->shares[i].bytes == bytes) {
			sizes->shares[i].weight += weight;
			return 0;
		}
	if (sizes->count == FIO_SIZES)
		return fio_fail(entry, "more than %d sizes", FIO_SIZES);
	sizes->shares[sizes->count++] = (struct fio_share){ bytes, weight };
	return 0;
}

/* What has no share gets its part of what is left of 100 %. */
static int share_rest(const struct fio_entry *entry, struct fio_sizes *sizes, const uint64_t *open,
		      size_t open_count, uint64_t total)
{
	int err = 0;

	if (total > 100)
		return fio_fail(entry, "the shares add up to %llu %%", (unsigned long long)total);
	if (open_count && total == 100)
		return fio_fail(entry, "100 %% are given away, and a size without a share is left");
	if (!open_count && total < 100)
		return fio_fail(entry, "the shares add up to %llu %%, not to 100", (unsigned long long)total);
	for (size_t i = 0; i < sizes->count; i++)
		sizes->shares[i].weight *= open_count ? (uint32_t)open_count : 1;
	for (size_t i = 0; !err && i < open_count; i++)
		err = add_split(entry, sizes, open[i], (uint32_t)(100 - total));
	return err;
}

/* "8k/90:16k/10" */
static int one_split(const struct fio_entry *entry, const char *text, size_t length,
		     struct fio_job *job, int kind)
{
	const char *end = text + length;
	struct fio_sizes sizes = { 0 };
	uint64_t open[FIO_SIZES], total = 0;
	size_t open_count = 0;
	int err = 0;

	while (!err && text <= end) {
		const char *stop = memchr(text, ':', (size_t)(end - text)), *slash;
		uint64_t bytes, percent = 0;

		stop = stop ? stop : end;
		slash = memchr(text, '/', (size_t)(stop - text));
		err = fio_bytes(entry, text, (size_t)((slash ? slash : stop) - text), job->kb_base, &bytes);
		if (!err)
			err = check_size(entry, bytes);
		if (!err && slash && slash + 1 < stop)
			err = fio_bytes(entry, slash + 1, (size_t)(stop - slash - 1), 1000, &percent);
		if (!err && percent > 100)
			err = fio_fail(entry, "a share of more than 100 %%");
		if (err)
			return err;
		total += percent;
		if (slash && slash + 1 < stop) {
			if (percent)
				err = add_split(entry, &sizes, bytes, (uint32_t)percent);
		} else if (open_count == FIO_SIZES) {
			err = fio_fail(entry, "more than %d sizes", FIO_SIZES);
		} else {
			open[open_count++] = bytes;
		}
		text = stop + 1;
	}
	if (!err)
		err = share_rest(entry, &sizes, open, open_count, total);
	job->sizes[kind] = sizes;
	return err;
}

static int read_bssplit(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job)
{
	(void)reader;
	return each_kind(entry, job, one_split);
}

static int one_align(const struct fio_entry *entry, const char *text, size_t length,
		     struct fio_job *job, int kind)
{
	uint64_t bytes;
	int err = fio_bytes(entry, text, length, job->kb_base, &bytes);

	if (!err)
		err = check_size(entry, bytes);
	if (!err && kind && job->align_bytes && bytes != job->align_bytes)
		err = fio_fail(entry, "one alignment for all is supported; take a job for each");
	job->align_bytes = bytes;
	return err;
}

static int read_align(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job)
{
	(void)reader;
	job->align_bytes = 0;
	return each_kind(entry, job, one_align);
}

static int read_mix(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job)
{
	int err = count32(entry, 0, 100, &job->read_percent);

	(void)reader;
	if (!err && !strcmp(entry->key, "rwmixwrite"))
		job->read_percent = 100 - job->read_percent;
	return err;
}

static int one_random(const struct fio_entry *entry, const char *text, size_t length,
		      struct fio_job *job, int kind)
{
	uint64_t percent;
	int err = fio_bytes(entry, text, length, 1000, &percent);

	if (!err && percent > 100)
		err = fio_fail(entry, "is not between 0 and 100");
	if (!err && kind && percent != job->random_percent)
		err = fio_fail(entry, "one share for reads and writes is supported; take a job for each");
	job->random_percent = (uint32_t)percent;
	return err;
}

static int read_random_percent(struct fio_reader *reader, const struct fio_entry *entry,
			       struct fio_job *job)
{
	(void)reader;
	return each_kind(entry, job, one_random);
}

static int read_distribution(struct fio_reader *reader, const struct fio_entry *entry,
			     struct fio_job *job)
{
	uint64_t theta;
	int err;

	(void)reader;
	job->zipf_theta_milli = 0;
	if (!strcmp(entry->value, "random"))
		return 0;
	if (strncmp(entry->value, "zipf", 4))
		return fio_fail(entry, "is not supported; random and zipf:THETA are, with a theta up to 2");
	if (!entry->value[4]) {
		job->zipf_theta_milli = 1100; /* fio's default */
		return 0;
	}
	if (entry->value[4] != ':')
		return fio_fail(entry, "is no zipf:THETA (try: zipf:1.2)");
	err = fio_milli(entry, entry->value + 5, strlen(entry->value + 5), &theta);
	if (!err && (theta < 1 || theta > 2000))
		err = fio_fail(entry, "a theta from 0.001 to 2 would do");
	if (!err)
		job->zipf_theta_milli = (uint32_t)theta;
	return err;
}

/* ---- how much, how long, how fast ---- */

static int read_engine(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job)
{
	static const char *const async[] = {
		"libaio", "io_uring", "io_uring_cmd", "posixaio", "solarisaio", "windowsaio", "sg", "null",
		"libiscsi", "nbd", "rbd", "http", "gfapi_async", "libzbc", "libblkio", "xnvme", "spdk",
		"nvme", "external",
	};
	static const char *const sync[] = { "sync", "psync", "vsync", "pvsync", "pvsync2", "mmap" };

	for (size_t i = 0; i < sizeof(async) / sizeof(async[0]) + sizeof(sync) / sizeof(sync[0]); i++) {
		bool is_async = i < sizeof(async) / sizeof(async[0]);
		const char *name = is_async ? async[i] : sync[i - sizeof(async) / sizeof(async[0])];

		if (strncmp(entry->value, name, strlen(name)) ||
		    (entry->value[strlen(name)] && entry->value[strlen(name)] != ':'))
			continue;
		job->is_async = is_async;
		free(job->engine);
		job->engine = xstrdup(name);
		fio_note(reader, entry, is_async ? "the target is driven as drivebay does" :
			 "the target is driven as drivebay does, with one request in flight for each job, "
			 "as this engine has it");
		return 0;
	}
	return fio_fail(entry, "does not read and write a device as a load for a drive does; libaio, "
			"io_uring or psync would do");
}

static int read_depth(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job)
{
	(void)reader;
	return count32(entry, 1, COUNT_MAX, &job->iodepth);
}

static int read_numjobs(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job)
{
	(void)reader;
	return count32(entry, 1, COUNT_MAX, &job->numjobs);
}

static int read_amount(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job)
{
	static const struct {
		const char *key;
		size_t offset;
	} where[] = {
		{ "size", offsetof(struct fio_job, size) },
		{ "io_size", offsetof(struct fio_job, io_size) },
		{ "io_limit", offsetof(struct fio_job, io_size) },
		{ "offset", offsetof(struct fio_job, offset) },
		{ "offset_increment", offsetof(struct fio_job, offset_step) },
	};

	(void)reader;
	for (size_t i = 0; i < sizeof(where) / sizeof(where[0]); i++)
		if (!strcmp(entry->key, where[i].key))
			return fio_amount(entry, job->kb_base,
					  (struct fio_amount *)(void *)((char *)job + where[i].offset));
	abort();
}

static int read_filename(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job)
{
	for (const char *c = entry->value; *c; c++)
		if (*c == ':' && c > entry->value && c[-1] != '\\')
			return fio_fail(entry, "names several files, and one TARGET is measured; give each a "
					"run of its own, or escape a ':' that belongs to a name as \\:");
	free(job->filename);
	job->filename = xstrdup(entry->value);
	fio_note(reader, entry, "is not opened: what is measured is the TARGET on the command line");
	return 0;
}

static int read_loops(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job)
{
	(void)reader;
	return whole(entry, 1, 1000000, &job->loops);
}

static int read_time_based(struct fio_reader *reader, const struct fio_entry *entry,
			   struct fio_job *job)
{
	(void)reader;
	return flag(entry, &job->is_time_based);
}

static int read_runtime(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job)
{
	(void)reader;
	return fio_time(entry, 1000000000, &job->runtime_ns);
}

static int read_ramp(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job)
{
	(void)reader;
	return fio_time(entry, 1000000000, &job->ramp_ns);
}

static int one_rate(const struct fio_entry *entry, const char *text, size_t length,
		    struct fio_job *job, int kind)
{
	return fio_bytes(entry, text, length, job->kb_base, &job->rate_bytes[kind]);
}

static int one_iops(const struct fio_entry *entry, const char *text, size_t length,
		    struct fio_job *job, int kind)
{
	return fio_bytes(entry, text, length, job->kb_base, &job->rate_iops[kind]);
}

static int read_rate(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job)
{
	(void)reader;
	memset(job->rate_bytes, 0, sizeof(job->rate_bytes));
	return each_kind(entry, job, one_rate);
}

static int read_iops(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job)
{
	(void)reader;
	memset(job->rate_iops, 0, sizeof(job->rate_iops));
	return each_kind(entry, job, one_iops);
}

static int read_process(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job)
{
	(void)reader;
	job->is_poisson = !strcmp(entry->value, "poisson");
	return job->is_poisson || !strcmp(entry->value, "linear") ? 0 :
	       fio_fail(entry, "is neither linear nor poisson");
}

static int read_fsync(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job)
{
	(void)reader;
	return count32(entry, 0, UINT32_MAX, &job->flush_writes);
}

static int read_stonewall(struct fio_reader *reader, const struct fio_entry *entry,
			  struct fio_job *job)
{
	(void)reader;
	return flag(entry, &job->is_stonewalled);
}

static int read_norandommap(struct fio_reader *reader, const struct fio_entry *entry,
			    struct fio_job *job)
{
	(void)reader;
	return flag(entry, &job->may_repeat);
}

static int read_kb_base(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job)
{
	int err = count32(entry, 1000, 1024, &job->kb_base);

	(void)reader;
	return !err && job->kb_base != 1000 && job->kb_base != 1024 ?
	       fio_fail(entry, "is neither 1000 nor 1024") : err;
}

/* ---- the table ---- */

struct key {
	const char *name, *alias;
	int (*read)(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job);
	const char *note;   /* accepted, with these words */
	const char *refuse; /* not accepted: what to do */
	const char *fine;   /* values between spaces that need no word; " " alone: every value */
};

#define READ(name, alias, read) { name, alias, read, NULL, NULL, NULL }
#define NOTE(name, alias, words, fine) { name, alias, NULL, words, NULL, fine }
#define REFUSE(name, alias, words, fine) { name, alias, NULL, NULL, words, fine }

static const char machinery[] = "tunes fio itself, and does nothing here";
static const char files[] = "is about fio's files, and the TARGET is measured; does nothing here";
static const char log_words[] = "fio's logs are not written; the result has a series by itself (drivebay export)";
static const char content[] = "what is written is random and does not compress, whatever this says";
static const char latency_words[] = "a search for a rate by latency is not supported; leave it out";
static const char zone_words[] = "zones are not supported; leave it out, or take offset and size";
static const char verify_words[] = "the checks of a job file are not done; leave them out, and take "
				   "drivebay run --verify crc32c";
static const char replay_words[] = "name the trace instead of the job file: drivebay run TRACE TARGET";
static const char think_words[] = "pauses between requests are not supported; take rate_iops, which offers "
				  "requests at a rate";
static const char steady_words[] = "fio's steady state is not sought; leave it out, and let 'drivebay run "
				   "--until-steady' prove SNIA's";

static const struct key keys[] = {
	READ("rw", "readwrite", read_rw),
	READ("bs", "blocksize", read_bs),
	READ("bsrange", "blocksize_range", read_bsrange),
	READ("bssplit", NULL, read_bssplit),
	READ("blockalign", "ba", read_align),
	READ("rwmixread", NULL, read_mix),
	READ("rwmixwrite", NULL, read_mix),
	READ("percentage_random", NULL, read_random_percent),
	READ("random_distribution", NULL, read_distribution),
	READ("ioengine", NULL, read_engine),
	READ("iodepth", NULL, read_depth),
	READ("numjobs", NULL, read_numjobs),
	READ("size", NULL, read_amount),
	READ("io_size", "io_limit", read_amount),
	READ("offset", NULL, read_amount),
	READ("offset_increment", NULL, read_amount),
	READ("filename", NULL, read_filename),
	READ("loops", NULL, read_loops),
	READ("time_based", NULL, read_time_based),
	READ("runtime", "timeout", read_runtime),
	READ("ramp_time", NULL, read_ramp),
	READ("rate", NULL, read_rate),
	READ("rate_iops", NULL, read_iops),
	READ("rate_process", NULL, read_process),
	READ("fsync", NULL, read_fsync),
	READ("fdatasync", NULL, read_fsync),
	READ("stonewall", "wait_for_previous", read_stonewall),
	READ("kb_base", NULL, read_kb_base),
	READ("norandommap", NULL, read_norandommap),

	/* what is the case here, or where words are enough */
	NOTE("direct", NULL, "the page cache is never used here: as with direct=1", "1"),
	NOTE("buffered", NULL, "the page cache is never used here: as with direct=1", "0"),
	NOTE("randommap", NULL, machinery, NULL),
	NOTE("softrandommap", NULL, NULL, " "),
	NOTE("group_reporting", NULL, "each job is reported with all of its clones", NULL),
	NOTE("new_group", NULL, "each job is reported by itself", NULL),
	NOTE("description", NULL, NULL, " "),
	NOTE("name", NULL, NULL, " "),
	NOTE("thread", NULL, machinery, NULL),
	NOTE("random_generator", NULL, machinery, NULL),
	NOTE("randseed", NULL, "the seed is drivebay's: --seed N", NULL),
	NOTE("randrepeat", NULL, "the seed is drivebay's: --seed N", "1"),
	NOTE("allrandrepeat", NULL, "the seed is drivebay's: --seed N", NULL),
	NOTE("iodepth_batch", "iodepth_batch_submit", machinery, NULL),
	NOTE("iodepth_batch_complete", "iodepth_batch_complete_min", machinery, NULL),
	NOTE("iodepth_batch_complete_max", NULL, machinery, NULL),
	NOTE("iodepth_low", NULL, "the depth is kept at iodepth all the time", NULL),
	NOTE("io_submit_mode", NULL, "latency is counted from the due time as well, whatever this says", NULL),
	NOTE("serialize_overlap", NULL, machinery, "0"),
	NOTE("gtod_reduce", NULL, machinery, NULL), NOTE("gtod_cpu", NULL, machinery, NULL),
	NOTE("clocksource", NULL, machinery, NULL), NOTE("disk_util", NULL, machinery, NULL),
	NOTE("disable_lat", NULL, machinery, NULL), NOTE("disable_clat", NULL, machinery, NULL),
	NOTE("disable_slat", NULL, machinery, NULL), NOTE("disable_bw_measurement", "disable_bw", machinery, NULL),
	NOTE("clat_percentiles", NULL, machinery, NULL), NOTE("lat_percentiles", NULL, machinery, NULL),
	NOTE("slat_percentiles", NULL, machinery, NULL), NOTE("percentile_list", NULL, machinery, NULL),
	NOTE("significant_figures", NULL, machinery, NULL), NOTE("unified_rw_reporting", NULL, machinery, NULL),
	NOTE("unit_base", NULL, machinery, NULL), NOTE("stats", NULL, machinery, NULL),
	NOTE("bwavgtime", NULL, machinery, NULL), NOTE("iopsavgtime", NULL, machinery, NULL),
	NOTE("iomem", "mem", machinery, NULL), NOTE("iomem_align", "mem_align", machinery, NULL),
	NOTE("hugepage-size", NULL, machinery, NULL), NOTE("lockmem", NULL, machinery, NULL),
	NOTE("nice", NULL, machinery, NULL), NOTE("prio", NULL, machinery, NULL),
	NOTE("prioclass", NULL, machinery, NULL), NOTE("cpumask", NULL, machinery, NULL),
	NOTE("cpus_allowed", NULL, machinery, NULL), NOTE("cpus_allowed_policy", NULL, machinery, NULL),
	NOTE("numa_cpu_nodes", NULL, machinery, NULL), NOTE("numa_mem_policy", NULL, machinery, NULL),
	NOTE("uid", NULL, machinery, NULL), NOTE("gid", NULL, machinery, NULL),
	NOTE("cgroup", NULL, machinery, NULL), NOTE("cgroup_weight", NULL, machinery, NULL),
	NOTE("cgroup_nodelete", NULL, machinery, NULL),
	NOTE("hipri", NULL, machinery, NULL), NOTE("fixedbufs", NULL, machinery, NULL),
	NOTE("registerfiles", NULL, machinery, NULL), NOTE("sqthread_poll", NULL, machinery, NULL),
	NOTE("sqthread_poll_cpu", NULL, machinery, NULL), NOTE("nonvectored", NULL, machinery, NULL),
	NOTE("uncached", NULL, machinery, NULL), NOTE("nowait", NULL, machinery, NULL),
	NOTE("force_async", NULL, machinery, NULL), NOTE("userspace_reap", NULL, machinery, NULL),
	NOTE("cmdprio_percentage", NULL, machinery, "0"), NOTE("cmd_type", NULL, machinery, NULL),
	NOTE("write_hint", NULL, machinery, NULL), NOTE("fadvise_hint", NULL, machinery, NULL),
	NOTE("ioscheduler", NULL, "the scheduler is left as it is", NULL),
	NOTE("continue_on_error", NULL, "errors are counted and never end a run", NULL),
	NOTE("error_dump", NULL, machinery, NULL), NOTE("ignore_error", NULL, machinery, NULL),
	NOTE("exitall", NULL, "every job runs to its own end", NULL),
	NOTE("exitall_on_error", NULL, "errors are counted and never end a run", NULL),
	NOTE("exit_what", NULL, "every job runs to its own end", NULL),
	NOTE("directory", NULL, files, NULL), NOTE("filename_format", NULL, files, NULL),
	NOTE("unique_filename", NULL, files, NULL), NOTE("filesize", NULL, files, NULL),
	NOTE("openfiles", NULL, files, NULL), NOTE("file_service_type", NULL, files, NULL),
	NOTE("fallocate", NULL, files, NULL), NOTE("overwrite", NULL, files, NULL),
	NOTE("create_serialize", NULL, files, NULL), NOTE("create_fsync", NULL, files, NULL),
	NOTE("create_on_open", NULL, files, NULL), NOTE("allow_file_create", NULL, files, NULL),
	NOTE("allow_mounted_write", NULL, "a mounted device is never written here", NULL),
	NOTE("invalidate", NULL, files, NULL), NOTE("unlink", NULL, files, NULL),
	NOTE("unlink_each_loop", NULL, files, NULL), NOTE("pre_read", NULL, files, "0"),
	NOTE("end_fsync", NULL, "nothing is flushed at the end; fsync=N flushes on the way", "0"),
	NOTE("fsync_on_close", NULL, "nothing is flushed at the end; fsync=N flushes on the way", "0"),
	NOTE("zero_buffers", NULL, content, NULL), NOTE("refill_buffers", NULL, content, " "),
	NOTE("scramble_buffers", NULL, content, " "), NOTE("buffer_pattern", NULL, content, NULL),
	NOTE("buffer_compress_percentage", NULL, content, "0"),
	NOTE("buffer_compress_chunk", NULL, content, NULL), NOTE("dedupe_percentage", NULL, content, "0"),
	NOTE("write_bw_log", NULL, log_words, NULL), NOTE("write_lat_log", NULL, log_words, NULL),
	NOTE("write_iops_log", NULL, log_words, NULL), NOTE("write_hist_log", NULL, log_words, NULL),
	NOTE("log_avg_msec", NULL, log_words, NULL), NOTE("log_hist_msec", NULL, log_words, NULL),
	NOTE("log_hist_coarseness", NULL, log_words, NULL), NOTE("log_max_value", NULL, log_words, NULL),
	NOTE("log_offset", NULL, log_words, NULL), NOTE("log_compression", NULL, log_words, NULL),
	NOTE("log_store_compressed", NULL, log_words, NULL), NOTE("log_unix_epoch", NULL, log_words, NULL),
	NOTE("per_job_logs", NULL, log_words, NULL), NOTE("log_entries", NULL, log_words, NULL),
	NOTE("write_iolog", NULL, log_words, NULL), NOTE("block_error_percentiles", NULL, machinery, NULL),

	/* what would be another load */
	REFUSE("verify", NULL, verify_words, "0 null"), REFUSE("do_verify", NULL, verify_words, "0 1"),
	REFUSE("verify_only", NULL, verify_words, "0"), REFUSE("verify_backlog", NULL, verify_words, "0"),
	REFUSE("verify_fatal", NULL, verify_words, " "), REFUSE("verify_dump", NULL, verify_words, " "),
	REFUSE("verify_async", NULL, verify_words, "0"), REFUSE("verify_pattern", NULL, verify_words, NULL),
	REFUSE("verify_offset", NULL, verify_words, "0"), REFUSE("verify_interval", NULL, verify_words, " "),
	REFUSE("verify_state_save", NULL, verify_words, " "), REFUSE("verify_state_load", NULL, verify_words, "0"),
	REFUSE("verifysort", NULL, verify_words, " "), REFUSE("experimental_verify", NULL, verify_words, "0"),
	REFUSE("trim_percentage", NULL, "trims of what was verified are not supported; take a job with rw=randtrim", "0"),
	REFUSE("trim_verify_zero", NULL, verify_words, "0"), REFUSE("trim_backlog", NULL, verify_words, "0"),
	REFUSE("thinktime", NULL, think_words, "0"), REFUSE("thinktime_blocks", NULL, think_words, "1"),
	REFUSE("thinktime_spin", NULL, think_words, "0"), REFUSE("thinktime_iotime", NULL, think_words, "0"),
	REFUSE("thinktime_blocks_type", NULL, think_words, NULL), REFUSE("rate_ignore_thinktime", NULL, think_words, " "),
	REFUSE("rate_min", NULL, "a rate that must be kept is not supported; leave it out, and compare results with 'drivebay compare'", "0"),
	REFUSE("rate_iops_min", NULL, "a rate that must be kept is not supported; leave it out, and compare results with 'drivebay compare'", "0"),
	REFUSE("rate_cycle", NULL, "leave it out: a rate is kept request by request", NULL),
	REFUSE("ratemin", NULL, "a rate that must be kept is not supported; leave it out", "0"),
	REFUSE("latency_target", NULL, latency_words, "0"), REFUSE("latency_window", NULL, latency_words, "0"),
	REFUSE("latency_percentile", NULL, latency_words, "0"), REFUSE("latency_run", NULL, latency_words, "0"),
	REFUSE("max_latency", NULL, "a run does not end at a slow request; leave it out, the maximum is reported", "0"),
	REFUSE("steadystate", "ss", steady_words, NULL), REFUSE("steadystate_duration", "ss_dur", steady_words, NULL),
	REFUSE("steadystate_ramp_time", "ss_ramp", steady_words, NULL),
	REFUSE("steadystate_check_interval", "ss_interval", steady_words, NULL),
	REFUSE("wait_for", NULL, "a job that waits for one other is not supported; stonewall waits for all before it", NULL),
	REFUSE("startdelay", NULL, "a later start is not supported; stonewall makes jobs follow each other", "0"),
	REFUSE("rw_sequencer", NULL, "is not supported; leave it out", "sequential"),
	REFUSE("bs_unaligned", "blocksize_unaligned", "places must be multiples of 512; take blockalign=512", "0"),
	REFUSE("bs_is_seq_rand", "blocksize_is_seq_rand", "sizes by pattern are not supported; take two jobs", "0"),
	REFUSE("number_ios", NULL, "take io_size, which ends a job by bytes", "0"),
	REFUSE("nrfiles", NULL, "several files are not supported; take numjobs", "1"),
	REFUSE("fill_device", "fill_fs", "take --fill, which writes the target once first", "0"),
	REFUSE("file_append", NULL, "take offset", "0"),
	REFUSE("offset_align", NULL, "take an offset that is a multiple", "0"),
	REFUSE("size_percent", NULL, "take size=50%", NULL),
	REFUSE("sync_file_range", NULL, "take fsync=N", NULL),
	REFUSE("sync", NULL, "writes that are durable one by one are not supported; take fsync=1", "0 none"),
	REFUSE("atomic", NULL, "is not supported; leave it out", "0"),
	REFUSE("write_barrier", NULL, "take fsync=N", "0"),
	REFUSE("read_iolog", NULL, replay_words, NULL), REFUSE("replay_redirect", NULL, replay_words, NULL),
	REFUSE("replay_no_stall", NULL, replay_words, NULL), REFUSE("replay_align", NULL, replay_words, NULL),
	REFUSE("replay_scale", NULL, replay_words, NULL), REFUSE("replay_skip", NULL, replay_words, NULL),
	REFUSE("replay_time_scale", NULL, replay_words, NULL), REFUSE("merge_blktrace_file", NULL, replay_words, NULL),
	REFUSE("zonemode", NULL, zone_words, "none"), REFUSE("zonesize", NULL, zone_words, "0"),
	REFUSE("zonerange", NULL, zone_words, "0"), REFUSE("zoneskip", NULL, zone_words, "0"),
	REFUSE("zonecapacity", NULL, zone_words, NULL), REFUSE("max_open_zones", NULL, zone_words, "0"),
	REFUSE("exec_prerun", NULL, "programs are not started from a job file; start it before drivebay", NULL),
	REFUSE("exec_postrun", NULL, "programs are not started from a job file; start it after drivebay", NULL),
	REFUSE("create_only", NULL, "take --size SIZE, which creates a file of it", "0"),
	REFUSE("profile", NULL, "is not supported; write its jobs out", NULL),
	REFUSE("flow", NULL, "jobs that keep step are not supported; take rate_iops for each", "0"),
	REFUSE("flow_id", NULL, "jobs that keep step are not supported; take rate_iops for each", NULL),
};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

static const struct key *find_key(const char *name)
{
	for (size_t i = 0; i < KEYS; i++)
		if (!strcmp(name, keys[i].name) || (keys[i].alias && !strcmp(name, keys[i].alias)))
			return &keys[i];
	return NULL;
}

static int unknown(const struct fio_entry *entry)
{
	const char *names[KEYS], *near;

	for (size_t i = 0; i < KEYS; i++)
		names[i] = keys[i].name;
	near = data_nearest(entry->key, names, KEYS);
	if (near)
		return fio_fail(entry, "no such key is known (did you mean '%s'?)", near);
	return fio_fail(entry, "no such key is known; leave it out (doc/fio-jobs.md has what is)");
}

/* Is it one of the words? A bare key counts as 1. */
static bool is_fine(const char *words, const char *value)
{
	size_t length;

	if (!words || !strcmp(words, " "))
		return words;
	value = value ? value : "1";
	length = strlen(value);
	for (const char *at = words; *at; at += strspn(at, " ")) {
		size_t word = strcspn(at, " ");

		if (word == length && !strncmp(at, value, length))
			return true;
		at += word;
	}
	return false;
}

static bool may_be_bare(const struct key *key)
{
	return key->read == read_stonewall || key->read == read_time_based ||
	       key->read == read_norandommap || !key->read;
}

int fio_apply(struct fio_reader *reader, const struct fio_entry *entry, struct fio_job *job)
{
	const struct key *key = find_key(entry->key);

	if (!key)
		return unknown(entry);
	if (!entry->value && !may_be_bare(key))
		return fio_fail(entry, "its value is missing");
	if (key->read)
		return key->read(reader, entry, job);
	if (is_fine(key->fine, entry->value))
		return 0;
	if (key->refuse)
		return fio_fail(entry, "%s", key->refuse);
	fio_note(reader, entry, key->note);
	return 0;
}
