#include "target/bed.h"

#include "base/data.h"
#include "base/fail.h"
#include "tap.h"

TEST(every_shipped_bed_loads)
{
	char **names;
	size_t count;

	check_equal(data_list("beds", &names, &count), 0);
	check(count >= 7);
	for (size_t i = 0; i < count; i++) {
		struct bed *bed;

		if (bed_load(names[i], &bed))
			tap_fail("%s", fail_message());
		check(bed->command_ns > 0);
		bed_free(bed);
	}
	data_list_free(names, count);
}

int main(void)
{
	data_set_root(SOURCE_ROOT);
	return tap_run();
}
