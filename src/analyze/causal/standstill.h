/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * standstill - windows in which all else pauses nearly all the time, and little is done.
 *
 * Code that takes up nearly all of a thread's time, as the sleep of a thread that waits for others
 * to finish, makes the rest pause nearly always at high speedups. If it sets the pace, visits go
 * on, or each has the usual time of the target. If it does not, what is still done is due to pauses
 * that came late, and is divided by hardly any time: that is no gain. docs/decisions.md, "Sleeping
 * threads at high speedups".
 */
#pragma once

#include "analyze/causal/trials.h"

/* The period of the window at `index`; of one that stands still, that of controls at least. */
double standstill_period(const struct trials *trials, size_t index,
			 const struct recording_point *point, double period_ns);
