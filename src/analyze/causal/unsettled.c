/* SPDX-License-Identifier: BSD-2-Clause */
/* unsettled - by the largest part of a gain that early windows have at each point. */
#include "analyze/causal/unsettled.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* The largest part that early windows have of any target's gain at this point. */
static double early_share_at(const struct causal *causal, const struct recording_point *point)
{
	double part = 0;

	for (size_t i = 0; i < causal->count; i++) {
		const struct causal_target *target = &causal->targets[i];
		for (size_t j = 0; j < target->count; j++)
			if (target->effects[j].point == point &&
			    fabs(target->effects[j].early_share) > fabs(part))
				part = target->effects[j].early_share;
	}
	return part;
}

/* By that part of its gain, as far as its own window series do not exclude it. */
static void widen_point(struct effect_point *point, double part, double undetected_drift)
{
	double change = fmin(undetected_drift * point->speedup, fabs(part * point->gain));

	if (!(change > 0))
		return;
	if (part * point->gain > 0)
		point->low = point->gain - hypot(point->gain - point->low, change);
	else
		point->high = point->gain + hypot(point->high - point->gain, change);
	point->error = hypot(point->error, change / 1.96);
	point->shared = hypot(point->shared, change / 1.96);
}

static void widen(struct causal_effect *effect, double part)
{
	double drift = effect->warm_up.undetected_drift;

	for (size_t i = 0; i < effect->count; i++) {
		const struct effect_point *point = &effect->points[i];
		effect->is_widened |= drift * point->speedup * fabs(part * point->gain) > 0;
		widen_point(&effect->points[i], part, drift);
		widen_point(&effect->bare[i], part, drift);
	}
	budget_add(effect, BUDGET_TRANSIENTS);
	effect->slope = effect_slope(effect->points, effect->count);
}

void unsettled_widen(struct causal *causal, const struct recording *recording)
{
	size_t point_count = recording->points.count;
	double *parts = memory_new(point_count, sizeof(*parts));

	for (size_t i = 0; i < point_count; i++)
		parts[i] = early_share_at(causal, &recording->points.items[i]);
	for (size_t i = 0; i < causal->count; i++) {
		for (size_t j = 0; j < causal->targets[i].count; j++) {
			struct causal_effect *effect = &causal->targets[i].effects[j];
			double part = parts[effect->point - recording->points.items];
			if (!effect->warm_up.level && part != 0)
				widen(effect, part);
		}
	}
	free(parts);
}
