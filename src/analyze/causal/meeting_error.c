/* SPDX-License-Identifier: BSD-2-Clause */
/* meeting_error - the sum of what hand-overs, crowding, placement and sets bring. */
#include "analyze/causal/meeting_error.h"

#include "analyze/causal/placement_error.h"

#include <math.h>

double meeting_error_of(const struct causal_effect *effect, double speedup, double gain)
{
	double rare = hand_over_rare_error(&effect->hand_over_rare, speedup);
	double of_gain = hypot(fmax(effect->hand_over_error, rare), effect->crowding_error);

	return hypot(of_gain * gain, placement_error_of(effect->unused_share, gain));
}

void meeting_error_add(struct causal_effect *effect)
{
	for (size_t i = 0; i < effect->count; i++) {
		struct effect_point *point = &effect->points[i];
		if (point->speedup > 0)
			effect_point_widen(point, effect->set_error * point->speedup);
		effect->bare[i] = *point;
		if (point->speedup > 0)
			effect_point_widen(point,
					   meeting_error_of(effect, point->speedup, point->gain));
	}
}
