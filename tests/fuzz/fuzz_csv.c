/* fuzz_csv.c - any bytes: a table of whole cells, or one sentence. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/csv.h"
#include "base/fail.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct csv *csv;
	size_t total = 0;

	if (csv_parse("fuzz", (const char *)bytes, size, &csv)) {
		assert(*fail_message());
		return 0;
	}
	for (size_t row = 0; row < csv->row_count; row++)
		for (size_t column = 0; column < csv->column_count; column++)
			total += strlen(csv_cell(csv, row, column));
	assert(total <= size);
	csv_free(csv);
	return 0;
}
