/* SPDX-License-Identifier: BSD-2-Clause */
/* meeting_error - the sum of what hand-overs, crowding, placement and sets bring. */
#include "analyze/causal/meeting_error.h"

#include "analyze/causal/placement_error.h"

#include <math.h>

double meeting_error_part(const struct causal_effect *effect, double gain)
{
	double placement = placement_error_of(effect->unused_share, gain);

	return hypot(hypot(effect->hand_over_error, effect->crowding_error),
		     gain != 0 ? placement / fabs(gain) : 0);
}

void meeting_error_add(struct causal_effect *effect)
{
	for (size_t i = 0; i < effect->count; i++) {
		struct effect_point *point = &effect->points[i];
		if (point->speedup > 0)
			effect_point_widen(point, effect->set_error * point->speedup);
		effect->bare[i] = *point;
		if (point->speedup > 0)
			effect_point_widen_by_part(point, meeting_error_part(effect, point->gain));
	}
}
