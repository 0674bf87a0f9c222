/*
 * fault.h - "fault:KEY=VALUE,...:INNER": a target around a target that misbehaves by rule.
 *
 *	freeze=TIME,period=TIME[,start=TIME]  frozen for `freeze` in every `period`, the first
 *	                                      time `start` after it was opened (default: in the
 *	                                      middle of the period, so that a run of some periods
 *	                                      does not end in it)
 *	delay=TIME[,delay_every=N]            every N-th request takes so much longer (default 1)
 *	error=N                               every N-th request fails with EIO
 *	flip=N                                every N-th read comes back with a bit turned
 *	stale=N                               every N-th write is acknowledged and not done
 *	torn=N                                every N-th write of several blocks is done by half
 *	misplace=N                            every N-th write goes to the place beside its own
 *	seed=N                                not each N-th, but one in N by chance
 *
 * What is submitted to a frozen device goes in at the thaw; what it was working on when it
 * froze comes back at the thaw. On any inner target, on a model's clock or the wall clock.
 * A failing request takes its time and does its work before it fails. Requests are numbered
 * in the order in which they come back; reads that flip likewise, among reads; the writes of the
 * other three in the order in which they go out, among writes. A write is damaged in one way at
 * most. Only what keeps data can be damaged: on a model these rules change times at the most.
 */
#ifndef DRIVEBAY_TARGET_FAULT_H
#define DRIVEBAY_TARGET_FAULT_H

#include "target/target.h"

/*
 * Takes over `inner`; closing *out closes it. `text` is "KEY=VALUE,...". -EINVAL with a
 * sentence for a rule that is wrong; `inner` then still belongs to the caller.
 */
int fault_wrap(struct target *inner, const char *text, struct target **out);

#endif
