/*
 * together.h - several loads on one real device; for run.c only.
 */
#ifndef DRIVEBAY_LOAD_TOGETHER_H
#define DRIVEBAY_LOAD_TOGETHER_H

#include "load/run.h"

/* run_together() where targets[0..count-1] are real. */
int run_side_by_side(struct target **targets, const struct run_config *configs, size_t count,
		     struct stats *const *outs);

#endif
