/*
 * loader.h - data written before a test: regions of the drive, all at the same time, each from
 * its beginning to its end.
 */
#ifndef DRIVEBAY_APP_LOADER_H
#define DRIVEBAY_APP_LOADER_H

#include "app/machine.h"

struct region {
	uint64_t at_bytes, size_bytes; /* multiples of 4 KiB */
};

/* Writes the regions and waits until they are written. 0, -EINTR, -EIO: see machine_run(). */
int load_regions(struct machine *machine, const struct region *regions, size_t count);

#endif
