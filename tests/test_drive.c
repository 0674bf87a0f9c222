#include "ssd/drive.h"

#include <stdlib.h>

#include "base/data.h"
#include "base/fail.h"
#include "tap.h"

TEST(every_shipped_drive_loads)
{
	char **names;
	size_t count;

	check_equal(data_list("drives", &names, &count), 0);
	check(count >= 5);
	for (size_t i = 0; i < count; i++) {
		struct drive *drive;

		if (drive_load(names[i], &drive))
			tap_fail("%s", fail_message());
		check_equal(drive_scale(drive, drive_review_scale(drive)), 0);
		check(drive->user_bytes <= 32ull << 30);
		drive_free(drive);
	}
	data_list_free(names, count);
}
int main(void)
{
	data_set_root(SOURCE_ROOT);
	return tap_run();
}
