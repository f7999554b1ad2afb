/* SPDX-License-Identifier: BSD-2-Clause */
/* certainty - bounds, then probabilities, then the false discovery rate of the table. */
#include "analyze/causal/certainty.h"

#include "stats/false_discovery.h"

#include <math.h>

#define CEILING_SPEEDUP 1.0

/* A point beyond a bound keeps its interval's width on the other side: its error is not less. */
static void cut(struct effect_point *point, double least, double most)
{
	double below = point->gain - point->low, above = point->high - point->gain;
	double gain = fmin(fmax(point->gain, least), most);

	point->low = gain < point->gain ? gain - below : fmin(fmax(point->low, least), gain);
	point->high = gain > point->gain ? gain + above : fmax(fmin(point->high, most), gain);
	point->gain = gain;
}

/* Latency may fall by more than the time of its own code: queues get shorter. */
static bool is_bounded(const struct causal_effect *effect)
{
	return effect->point->kind != POINT_LATENCY && isfinite(effect->slope_most);
}

static void cut_points(struct causal_effect *effect)
{
	for (size_t i = 0; is_bounded(effect) && i < effect->count; i++) {
		struct effect_point *point = &effect->points[i];
		double most = effect->slope_most * point->speedup;
		if (point->speedup > 0)
			cut(point, -CERTAINTY_LOSS_MOST * most, most);
	}
	effect->slope = effect_slope(effect->points, effect->count);
	if (!is_bounded(effect) || !effect->slope.windows)
		return;
	struct effect_slope *slope = &effect->slope;
	slope->high = fmax(slope->slope, fmin(slope->high, effect->slope_most));
	slope->low =
		fmin(slope->slope, fmax(slope->low, -CERTAINTY_LOSS_MOST * effect->slope_most));
}

/* The most that the program gains if the target takes no time. */
static double ceiling_of(const struct causal_effect *effect)
{
	struct effect_point at;
	double most = is_bounded(effect) ? effect->slope_most * CEILING_SPEEDUP : 1;

	if (!effect_at(effect->points, effect->count, CEILING_SPEEDUP, &at))
		most = fmin(most, at.high);
	return fmin(fmax(most, 0), 1);
}

static double probability_of(struct causal_effect *effect)
{
	double most = is_bounded(effect) ? effect->slope_most : INFINITY;

	return effect_probability(effect->points, effect->count, -CERTAINTY_LOSS_MOST * most, most,
				  &effect->tendency);
}

void certainty_judge(struct causal *causal)
{
	size_t most = 0, tests = 0;

	for (size_t i = 0; i < causal->count; i++)
		most += causal->targets[i].count;
	double *values = memory_new(most + 1, sizeof(*values));
	bool *sure = memory_new(most + 1, sizeof(*sure));
	for (size_t i = 0; i < causal->count; i++)
		for (size_t j = 0; j < causal->targets[i].count; j++)
			values[tests++] = probability_of(&causal->targets[i].effects[j]);
	false_discovery_reject(values, tests, CERTAINTY_FALSE_DISCOVERIES, sure);
	tests = 0;
	for (size_t i = 0; i < causal->count; i++) {
		for (size_t j = 0; j < causal->targets[i].count; j++) {
			struct causal_effect *effect = &causal->targets[i].effects[j];
			effect->outcome = !sure[tests]         ? EFFECT_UNSURE :
					  effect->tendency > 0 ? EFFECT_GAIN :
								 EFFECT_CONTENTION;
			effect->probability = values[tests++];
			cut_points(effect);
			effect->is_contention = effect->outcome == EFFECT_CONTENTION;
			effect->ceiling = ceiling_of(effect);
		}
	}
	free(values);
	free(sure);
}
