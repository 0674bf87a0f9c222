/* memory.c - whether what a run needs fits into memory. */
#include "cli/memory.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "base/units.h"

uint64_t memory_available_bytes(void)
{
	_cleanup_file_ FILE *file = fopen("/proc/meminfo", "re");
	uint64_t bytes = UINT64_MAX;
	unsigned long long kib;
	struct rlimit limit;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
			bytes = kib * 1024;
	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < bytes)
		bytes = limit.rlim_cur;
	return bytes;
}

int memory_fits(const char *name, uint64_t bytes, uint64_t available_bytes, unsigned *processes)
{
	char need[UNITS_BYTES], have[UNITS_BYTES];

	if (bytes == 0 || *processes <= available_bytes / bytes)
		return 0;
	*processes = (unsigned)(available_bytes / bytes);
	if (*processes)
		return 0;
	return fail(ENOMEM, "%s: needs %s of memory at this size, and %s are available; a larger --scale "
		    "divides that", name, format_size(bytes, need), format_size(available_bytes, have));
}
