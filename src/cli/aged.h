/*
 * aged.h - a model in the steady state of a workload before its first request.
 *
 * A copy of the drive at the scale of a review is filled and written until its flash has been written
 * AGED_PASSES times over, and then made as large as the drive is (target_enlarge()).
 */
#ifndef DRIVEBAY_CLI_AGED_H
#define DRIVEBAY_CLI_AGED_H

#include "cli/chain.h"

/* That the workload exists and wears a drive. -EINVAL with a sentence. */
int aged_check(const char *workload);

/* run->config->aged, on run->target, of which nothing was asked yet. As chain_run_all(). */
int aged_prepare(struct chain_run *run);

#endif
