/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * placement_error - the error where cores are idle although tasks of the program wait for one.
 *
 * A scheduler leaves a woken task on the core of its waker, or on the one where it ran, and moves
 * it later. It decides by wall time and by what each task has used of its core, pauses included, so
 * a program that is really faster may be placed otherwise than one whose other tasks pause: mostly
 * better, as a target that is paused for takes more of its core than it would, and is preempted
 * more often. The idle time is what a program can gain by that, so intervals reach up by it
 * (docs/decisions.md, "Cores that the scheduler leaves idle").
 */
#pragma once

#include "analyze/causal/trials.h"

/* Of the program's time, the share in which cores were idle beside waiting tasks. */
double placement_unused_share(const struct recording *recording, const struct trials *trials,
			      const struct recording_point *point);

/* Standard error of a gain. */
double placement_error_of(double unused_share, double gain);
/*
 * By how much its interval reaches further up: what is idle on the way to a core that has to be
 * woken may go, also where pauses show no gain. `most`: the gain, or the target's own time where
 * that is more.
 */
double placement_reach(double unused_share, double most);
