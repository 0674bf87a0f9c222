/*
 * soak_cuts.h - a drive under random requests and power cuts, and what becomes of its data.
 */
#ifndef DRIVEBAY_CLI_SOAK_CUTS_H
#define DRIVEBAY_CLI_SOAK_CUTS_H

#include <stdint.h>

#include "ssd/drive.h"

struct soak_cuts_totals {
	uint64_t requests, power_cuts;
};

/*
 * Some thousand reads, writes, trims and flushes, with pauses, formats and power cuts, to a fresh
 * drive. Checked are the laws of ssd_broken_law(), that each request is answered once, and what a
 * read would find: the last write that was acknowledged, and after a cut nothing that is missing or
 * older than what was durable. -EPROTO with a sentence about what was wrong. The same seed does the
 * same. Adds to *totals.
 */
int soak_cuts(const struct drive *drive, uint64_t seed, struct soak_cuts_totals *totals);

#endif
