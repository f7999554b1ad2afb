/* SPDX-License-Identifier: BSD-2-Clause */
/* prediction - reads measured curves at a realised speedup. */
#include "analyze/diff/prediction.h"

#include "analyze/causal/certainty.h"

#include <math.h>

#define TWO_SIDED 1.96
#define SPEEDUP_LEAST (-3.0)

static const struct causal_effect *effect_of(const struct causal_target *target,
					     const struct recording_point *point)
{
	for (size_t i = 0; i < target->count; i++)
		if (target->effects[i].point == point)
			return &target->effects[i];
	return NULL;
}

/* The target's sampled time for each visit. */
static double cost_of(const struct profile_pair *pair, const struct causal_target *target)
{
	const struct recording *recording = pair->recordings[PROFILE_BEFORE];
	double sampled_ns = 0;

	for (size_t i = 0; i < recording->samples.count; i++)
		if (recording->samples.items[i].target_id == target->target->id)
			sampled_ns += (double)recording->samples.items[i].sampled_ns;
	return sampled_ns / pair->costs[PROFILE_BEFORE].visits;
}

static bool has_experiments(const struct profile_pair *pair, const struct function_cost *function,
			    const struct causal_target *target)
{
	const struct causal_effect *effect = effect_of(target, pair->points[PROFILE_BEFORE]);

	return effect && effect->slope.windows && !target->target->assumed &&
	       (target->target->kind == TARGET_LINE || target->target->kind == TARGET_FUNCTION ||
		target->target->kind == TARGET_SYSTEM_CALL) &&
	       function_cost_has(function, target->target);
}

/* The curve of the whole function, if it has one, else those of its lines. */
static bool is_measured(const struct profile_pair *pair, const struct function_cost *function,
			const struct causal_target *target)
{
	const struct causal *causal = pair->causal[PROFILE_BEFORE];

	if (!has_experiments(pair, function, target))
		return false;
	for (size_t i = 0; i < causal->count && target->target->kind == TARGET_LINE; i++)
		if (causal->targets[i].target->kind == TARGET_FUNCTION &&
		    has_experiments(pair, function, &causal->targets[i]))
			return false;
	return true;
}

/* Beyond the curve, and where the code became dearer, the slope's straight line. */
static struct gain_estimate gain_at(const struct causal_effect *effect, double speedup)
{
	struct effect_point at;
	struct gain_estimate gain = {.is_known = true};

	if (speedup > 0 && !certainty_effect_at(effect, speedup, &at)) {
		gain.gain = at.gain;
		gain.error = fmax(at.error, (at.high - at.low) / (2 * TWO_SIDED));
	} else {
		gain.gain = effect->slope.slope * speedup;
		gain.error =
			(effect->slope.high - effect->slope.low) / (2 * TWO_SIDED) * fabs(speedup);
	}
	return gain;
}

static void set_interval(struct gain_estimate *gain)
{
	gain->low = gain->gain - TWO_SIDED * gain->error;
	gain->high = gain->gain + TWO_SIDED * gain->error;
}

struct gain_estimate prediction_joined(const struct gain_estimate *gains, size_t count)
{
	struct gain_estimate all = {0};
	double left = 1, variance = 0;

	for (size_t i = 0; i < count; i++) {
		if (!gains[i].is_known)
			continue;
		left *= 1 - gains[i].gain;
		variance += gains[i].error * gains[i].error;
		all.control_error += gains[i].control_error;
		all.is_known = true;
	}
	all.gain = 1 - left;
	all.error = sqrt(variance);
	set_interval(&all);
	return all;
}

struct gain_estimate prediction_of(const struct profile_pair *pair,
				   const struct changed_function *function)
{
	const struct function_cost *before = function->sides[PROFILE_BEFORE];
	const struct causal *causal = pair->causal[PROFILE_BEFORE];
	double measured_ns = 0;
	size_t count = 0;

	if (!before)
		return (struct gain_estimate){0};
	for (size_t i = 0; i < causal->count; i++)
		if (is_measured(pair, before, &causal->targets[i]))
			measured_ns += cost_of(pair, &causal->targets[i]);
	if (!(measured_ns > 0))
		return (struct gain_estimate){0};
	double factor = before->per_visit_ns / measured_ns;
	double speedup = fmax(SPEEDUP_LEAST, fmin(1, function->speedup * factor));
	double speedup_error = (function->high - function->low) / (2 * TWO_SIDED) * factor;
	struct gain_estimate *gains = memory_new(causal->count, sizeof(*gains));
	for (size_t i = 0; i < causal->count; i++)
		if (is_measured(pair, before, &causal->targets[i]))
			gains[count++] = gain_at(effect_of(&causal->targets[i],
							   pair->points[PROFILE_BEFORE]),
						 speedup);
	struct gain_estimate gain = prediction_joined(gains, count);
	free(gains);
	if (speedup != 0)
		gain.error = hypot(gain.error, gain.gain / speedup * speedup_error);
	if (speedup != 0 && pair->is_corrected)
		gain.control_error =
			gain.gain / speedup * factor * (1 - function->speedup) * pair->other_error;
	set_interval(&gain);
	return gain;
}
