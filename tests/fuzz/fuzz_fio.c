/* Any bytes as a fio job file: refused with a sentence, or jobs that can be made a load of. */
#include "wire/fio.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/fail.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char *variable(void *context, const char *name)
{
	(void)context;
	return *name == 'S' ? "4k" : NULL;
}

/* A file that includes itself, as often as one lets it. */
static int include(void *context, const char *path, char **text, size_t *size)
{
	const char *all = context;

	if (*path != 'i')
		return fail(EINVAL, "no such file");
	*text = xstrdup(all);
	*size = strlen(all);
	return 0;
}

static void check_job(const struct fio_job *job)
{
	assert(*job->name);
	assert(job->iodepth > 0 && job->numjobs > 0 && job->loops > 0);
	assert(job->read_percent <= 100 && job->random_percent <= 100);
	assert(job->zipf_theta_milli <= 2000);
	assert(job->does[FIO_READS] || job->does[FIO_WRITES] || job->does[FIO_TRIMS]);
	assert(!job->is_time_based || job->runtime_ns);
	for (int kind = 0; kind < FIO_KINDS; kind++) {
		const struct fio_sizes *sizes = &job->sizes[kind];

		assert(sizes->count > 0 && sizes->count <= FIO_SIZES);
		for (size_t i = 0; i < sizes->count; i++) {
			assert(sizes->shares[i].weight > 0);
			assert(sizes->shares[i].bytes > 0 && sizes->shares[i].bytes % 512 == 0);
			assert(sizes->shares[i].bytes <= 1 << 30);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	_Alignas(16) char all[4096] = "";
	const struct fio_world world = { variable, include, all };
	struct fio_file *file = NULL;
	int err;

	memcpy(all, bytes, size < sizeof(all) ? size : sizeof(all) - 1);
	err = fio_parse("fuzz.fio", (const char *)bytes, size, &world, &file);
	if (err) {
		assert(err == -EINVAL && !file);
		assert(*fail_message());
		return 0;
	}
	assert(file->job_count > 0);
	for (size_t i = 0; i < file->job_count; i++)
		check_job(&file->jobs[i]);
	fio_file_free(file);
	return 0;
}
