/* memory.h - whether what a run needs fits into memory: asked before anything is created. */
#ifndef DRIVEBAY_CLI_MEMORY_H
#define DRIVEBAY_CLI_MEMORY_H

#include <stdint.h>

/* What a process may have now: MemAvailable, and no more than `ulimit -v`. UINT64_MAX: not known. */
uint64_t memory_available_bytes(void);

/*
 * How many of `processes` that need `bytes` each fit into `available_bytes`; at least one must:
 * -ENOMEM with a sentence about `name` otherwise.
 */
int memory_fits(const char *name, uint64_t bytes, uint64_t available_bytes, unsigned *processes);

#endif
