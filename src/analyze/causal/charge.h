/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * charge - the most that a target can gain: what it was charged with.
 *
 * In a window at speedup s the rest of the program pauses by s times the target's time: G grows by
 * that much for each visit. Pauses make no program faster by the wall clock, unless threads wait
 * for each other less, so
 *
 *	p(s) >= p(0) - growth of G for each visit,   gain <= growth for each visit / p(0).
 *
 * The growth is the target's time per visit times s: one slope for all speedups, of which samples
 * give an upper bound. At speedup 0 G grows by the cost of ticks, which is subtracted.
 */
#pragma once

#include "profile/recording.h"

/*
 * The upper bound of gain per unit of speedup, 97.5 %; INFINITY if unknown. `experiments` are one
 * target's.
 */
double charge_slope_most(const struct recording *recording,
			 const struct recording_experiment *const *experiments, size_t count,
			 int64_t point_id);
