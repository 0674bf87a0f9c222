/* Any bytes as a drive file: refused with a sentence, or a drive that can be scaled. */
#include "ssd/drive.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/fail.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_scaling(struct drive *drive)
{
	uint32_t scale = drive_review_scale(drive);
	uint64_t raw_bytes = drive_raw_bytes(drive), user_bytes = drive->user_bytes;

	assert(drive_scale(drive, scale) == 0);
	assert(drive_check(drive) == 0);
	assert(drive->user_bytes <= user_bytes * 2 && drive_raw_bytes(drive) <= raw_bytes * 2);
	drive_scale(drive, 3); /* may be impossible: with a sentence */
	assert(drive_check(drive) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct drive *drive = NULL, *again;
	int err = drive_parse("fuzz.yaml", (const char *)bytes, size, &drive);

	if (err) {
		assert(err == -EINVAL && !drive);
		assert(strncmp(fail_message(), "fuzz.yaml:", 10) == 0);
		return 0;
	}
	assert(drive_check(drive) == 0);
	assert(drive_parse("again.yaml", drive->text, strlen(drive->text), &again) == 0);
	assert(again->user_bytes == drive->user_bytes);
	check_scaling(drive);
	drive_free(drive);
	drive_free(again);
	return 0;
}
