/* Any bytes as a vdbench parameter file: refused with a sentence, or runs that can be made. */
#include "wire/vdbench.h"

#include <assert.h>
#include <errno.h>

#include "base/fail.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_wd(const struct vdb_wd *wd)
{
	assert(*wd->name && wd->read_percent <= 100 && wd->seek_percent <= 100);
	assert(wd->sizes.count > 0 && wd->sizes.count <= VDB_SIZES);
	for (size_t i = 0; i < wd->sizes.count; i++) {
		assert(wd->sizes.shares[i].bytes > 0 && wd->sizes.shares[i].bytes % 512 == 0);
		assert(wd->sizes.shares[i].weight > 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct vdb_file *file = NULL;
	int err = vdb_parse("fuzz.vdb", (const char *)bytes, size, &file);

	if (err) {
		assert(err == -EINVAL && !file && *fail_message());
		return 0;
	}
	assert(file->rd_count > 0);
	for (size_t i = 0; i < file->wd_count; i++)
		check_wd(&file->wds[i]);
	for (size_t i = 0; i < file->rd_count; i++) {
		assert(file->rds[i].wd_count > 0 && file->rds[i].elapsed_s > 0);
		assert(file->rds[i].rate != VDB_RATES || file->rds[i].rates.count > 0);
	}
	vdb_free(file);
	return 0;
}
