/*
 * bed.h - the host a drive is tested in, as a wrapper around a model.
 *
 * One file of beds/ for all drives and tests of one review, never per drive or test. The
 * bed adds to each command what driver, interrupt and hypervisor take: two fixed delays,
 * and a serial cost that bounds the rate of commands. Latency and throughput costs are
 * separate values because the published figures cannot be explained by one (PM1735 in the
 * virtualised host: 400K IOPS at 128 outstanding, 632K at 512).
 *
 * X(key, field, type, needed, help) as in drive.h; needed: false when a file may leave it out.
 */
#ifndef DRIVEBAY_TARGET_BED_H
#define DRIVEBAY_TARGET_BED_H

#include <stdint.h>

#include "target/target.h"

#define BED_VALUES(X) \
	X(submit, submit_ns, duration, true, "from the program's submission until the drive sees the command") \
	X(complete, complete_ns, duration, true, "from the drive's completion until the program sees it") \
	X(command, command_ns, duration, true, "serial cost of a command: 1 / it is the most commands per second") \
	X(hmb, hmb_bytes, size, true, "host memory it grants a drive without DRAM that asks for some") \
	X(ambient, ambient_celsius, count, false, "degrees of the air around the drive (default 25)")

struct bed {
	char *name, *help, *source, *text;
#define BED_FIELD(key, field, type, needed, help) uint64_t field;
	BED_VALUES(BED_FIELD)
#undef BED_FIELD
};

/* By name or path; -EINVAL with file, line and suggestion. */
int bed_load(const char *name, struct bed **out);

/* The same from memory: `size` bytes, which messages call `path`. */
int bed_parse(const char *path, const char *text, size_t size, struct bed **out);
void bed_free(struct bed *bed);

/* Takes over `inner` (a virtual target) and `bed`; closing it closes both. */
struct target *bed_wrap(struct target *inner, struct bed *bed);

#endif
