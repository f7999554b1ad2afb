/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ratio - each experiment window divided by the control windows beside it.
 *
 * A window's control is the nearest one before it, the nearest one after it, or both, interpolated
 * in the logarithm to the window's time. It must be near: of the same run, and within one second or
 * four times the windows' usual spacing. So drift that is slower than the windows cancels.
 *
 * A control that agrees with fewer than half of the nearest four (two before, two after) was
 * disturbed and is not used. It is removed before ratios are taken, since a part of its disturbance
 * would bias all its neighbours in the same direction, too little to be seen as outliers.
 *
 * Controls are divided by controls, too: in each run the second, fourth, ... (and each disturbed
 * one) by those beside it, which are first, third, ... These ratios are 1 plus noise, and so
 * measure the noise.
 */
#pragma once

#include "stats/effect.h"

/*
 * The position of a ratio r is log((r + RATIO_OFFSET) / (1 + RATIO_OFFSET)). Near 1 it behaves as a
 * logarithm, which suits noise in proportion to the period; near 0 as a linear function, which
 * suits the noise of the subtracted pauses: an effective duration may be below 0 where nearly all
 * of the program is sped up by 100 %.
 */
#define RATIO_OFFSET 0.25
#define RATIO_LEAST (-0.2)

struct ratio {
	double speedup;
	double position;         /* of the window's period over its controls' */
	size_t controls[2];      /* numbers below ratio_set.windows; equal if only one is near */
	double weights[2];       /* of the controls; their sum is 1 */
	double control_variance; /* of the controls together, if each one's is 1 */
};

struct ratio_set {
	struct ratio *items; /* ascending in speedup, then in time */
	size_t count;
	size_t windows;           /* those given */
	unsigned paired_controls; /* controls with another control near */
};

/* The ratio at a position. */
double ratio_at(double position);

struct ratio_set ratio_set_new(const struct effect_window *windows, size_t count);
void ratio_set_free(struct ratio_set *set);
