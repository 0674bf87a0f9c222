/*
 * fuzz_result.c - a result file of any bytes is read or refused, and never crashes.
 *
 * The seeds are real results of small pages; `test_result --corpus DIR` makes them anew when
 * the format changes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "store/result.h"

#include "../read_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static FILE *nowhere;
	struct result *result;
	int err;

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	if (!nowhere)
		abort();
	err = result_open_memory(bytes, size, &result);
	if (!err)
		err = read_all(result, nowhere);
	if (err > 0 || (err && !*fail_message()))
		abort(); /* an error without its sentence */
	result_close(result);
	return 0;
}
