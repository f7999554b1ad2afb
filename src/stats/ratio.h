/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ratio - each experiment window divided by the control windows beside it.
 *
 * The control beside a window is the nearest one before it, the nearest one after it, or what both
 * give between them (their logarithms interpolated to the window's time), as far as they are near:
 * of the same run, and within one second or four times the windows' usual spacing. So a drift that
 * is slower than the windows cancels.
 *
 * A control that agrees with fewer than half of the nearest four (two before, two after) was
 * disturbed, and serves as no control. It must go before ratios are taken: half of its disturbance,
 * or a tenth, would reach neighbours unnoticed, always with the same sign.
 *
 * Controls are judged in the same way, as if nothing were known of them: in each run the second,
 * fourth, ... (and each disturbed one) is divided by those beside it, which are first, third, ...
 * These ratios are 1 but for noise, and tell how much noise there is.
 */
#pragma once

#include "stats/effect.h"

/*
 * A ratio r stands at the position log((r + RATIO_OFFSET) / (1 + RATIO_OFFSET)). Near 1 that is a
 * logarithm, as suits noise in proportion to the period; near 0 it is straight, as suits the noise
 * of the subtracted pauses, which may even leave an effective duration below 0 when nearly all of
 * the program is sped up by 100 %.
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

/* Where a ratio stands, RATIO_LEAST at least; and the ratio at a position. */
double ratio_position(double ratio);
double ratio_at(double position);

struct ratio_set ratio_set_new(const struct effect_window *windows, size_t count);
void ratio_set_free(struct ratio_set *set);
