/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine_speed - how far the time of a visit follows the machine's speed.
 *
 * Where a machine's speed drifts, the sampled time of a visit, w, and its time, p, drift together
 * between the parts of one recording: log p = a + b log w + r. The follow rate b is about 1 for a
 * program that computes, and about 0 for one that waits for clocks or devices. A difference of
 * speed between two recordings, known by functions that did not change, is in p to the power of b;
 * r is what else differs between the parts.
 */
#pragma once

#include "analyze/diff/function_cost.h"

struct machine_speed {
	double follow_rate, follow_error; /* b, and its standard error */
	double deviations[2];             /* standard deviation of r, before and after */
};

/* False: one of the recordings has too few windows. */
bool machine_speed_estimate(const struct recording *const recordings[2],
			    const struct recording_point *const points[2],
			    struct machine_speed *speed);
/* The same of the periods and sampled times of parts. */
struct machine_speed machine_speed_of_parts(struct cost_part parts[2][COST_PARTS],
					    const size_t counts[2]);
