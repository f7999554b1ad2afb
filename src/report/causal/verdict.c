/* SPDX-License-Identifier: BSD-2-Clause */
/* verdict - derives a verdict from each effect. */
#include "report/causal/verdict.h"

#include "analyze/causal/certainty.h"
#include "base/workers.h"
#include "report/display.h"

#include <math.h>

#define HALF_INTERVAL_MOST 0.5
#define LOPSIDED 3 /* times as far to one side */
#define LOPSIDED_LEAST 0.05

static const struct effect_point *nearest_measured(const struct causal_effect *effect)
{
	const struct effect_point *nearest = &effect->points[effect->count - 1];
	for (size_t i = 0; i < effect->count; i++) {
		const struct effect_point *point = &effect->points[i];
		if (point->speedup > 0 && fabs(point->speedup - VERDICT_SPEEDUP) <
						  fabs(nearest->speedup - VERDICT_SPEEDUP))
			nearest = point;
	}
	return nearest;
}

static bool is_measured_at(const struct causal_effect *effect, double speedup)
{
	for (size_t i = 0; i < effect->count; i++)
		if (fabs(effect->points[i].speedup - speedup) < 1e-6)
			return true;
	return false;
}

/*
 * Of a gain that is sure by its whole curve, and not yet at VERDICT_SPEEDUP: the least multiple of
 * that at which the curve is. A single point may be sure because it is the one that is too high.
 */
static bool first_sure(const struct causal_effect *effect, struct effect_point *at)
{
	for (unsigned i = 2; i * VERDICT_SPEEDUP <= 1; i++) {
		if (certainty_effect_at(effect, i * VERDICT_SPEEDUP, at) || !(at->low > 0))
			continue;
		at->speedup = i * VERDICT_SPEEDUP;
		return true;
	}
	return false;
}

static enum verdict_outcome judge(const struct causal_effect *effect)
{
	switch (effect->outcome) {
	case EFFECT_GAIN:
		return OUTCOME_GAIN;
	case EFFECT_CONTENTION:
		return OUTCOME_CONTENTION;
	case EFFECT_UNSURE:
		break;
	}
	return OUTCOME_UNSURE;
}

struct target_verdict verdict_of(const struct causal_target *target,
				 const struct causal_effect *effect)
{
	struct target_verdict verdict = {.target = target, .effect = effect};
	if (certainty_effect_at(effect, VERDICT_SPEEDUP, &verdict.at)) {
		verdict.at = *nearest_measured(effect);
	} else {
		verdict.at.speedup = VERDICT_SPEEDUP;
	}
	verdict.outcome = judge(effect);
	struct effect_point sure;
	if (verdict.outcome == OUTCOME_GAIN && !(verdict.at.low > 0) && first_sure(effect, &sure))
		verdict.at = sure;
	verdict.is_measured = is_measured_at(effect, verdict.at.speedup);
	return verdict;
}

bool verdict_is_too_wide(const struct target_verdict *verdict)
{
	return verdict->outcome == OUTCOME_UNSURE &&
	       !(verdict_half_interval(verdict) < HALF_INTERVAL_MOST);
}

const char *verdict_outcome_name(enum verdict_outcome outcome)
{
	static const char *const names[] = {"gain", "contention", "unsure"};
	return names[outcome];
}

static void find_verdict(void *argument, size_t number)
{
	struct target_verdict *verdict = (struct target_verdict *)argument + number;
	*verdict = verdict_of(verdict->target, verdict->effect);
}

/* Of all effects, in the order of the targets. */
static struct target_verdict *all_verdicts(const struct causal *causal, size_t most)
{
	struct target_verdict *all = memory_new(most, sizeof(*all));
	size_t count = 0;

	for (size_t i = 0; i < causal->count; i++) {
		const struct causal_target *target = &causal->targets[i];
		for (size_t j = 0; j < target->count; j++)
			all[count++] = (struct target_verdict){.target = target,
							       .effect = &target->effects[j]};
	}
	workers_run(count, find_verdict, all);
	return all;
}

struct target_verdicts verdicts_of(const struct causal *causal)
{
	size_t most = 0, at = 0;
	for (size_t i = 0; i < causal->count; i++)
		most += causal->targets[i].count;
	struct target_verdicts verdicts = {.items = all_verdicts(causal, most)};
	const struct recording_point *first_point = NULL;
	for (size_t i = 0; i < causal->count; i++) {
		const struct causal_target *target = &causal->targets[i];
		bool is_first = true;
		for (size_t j = 0; j < target->count; j++) {
			struct target_verdict *verdict = &verdicts.items[verdicts.count];
			*verdict = verdicts.items[at++];
			if (verdict_is_too_wide(verdict))
				continue;
			verdicts.count++;
			verdicts.targets += is_first;
			verdict->rank = verdicts.targets;
			verdict->is_first = is_first;
			is_first = false;
			first_point = first_point ? first_point : verdict->effect->point;
			verdicts.has_several_points |= verdict->effect->point != first_point;
		}
	}
	return verdicts;
}

void verdicts_release(struct target_verdicts *verdicts)
{
	free(verdicts->items);
	*verdicts = (struct target_verdicts){0};
}

double verdict_half_interval(const struct target_verdict *verdict)
{
	return (verdict->at.high - verdict->at.low) / 2;
}

char *verdict_interval(const struct target_verdict *verdict)
{
	const struct effect_point *at = &verdict->at;
	double below = at->gain - at->low, above = at->high - at->gain;
	double half = verdict_half_interval(verdict);
	bool is_lopsided = fmax(below, above) > LOPSIDED * fmin(below, above) &&
			   fabs(above - below) > LOPSIDED_LEAST;
	/* "+5.9 ±6.0" would say that there may be none. */
	bool hides_sign =
		(at->low > 0) != (at->gain - half > 0) || (at->high < 0) != (at->gain + half < 0);

	if (!(is_lopsided || hides_sign) || verdict->effect->point->kind == POINT_LATENCY)
		return text_format("±%.1f", 100 * half);
	return display_minus(text_format("(%.1f to %.1f)", 100 * at->low, 100 * at->high));
}

bool verdict_is_at_other_speedup(const struct target_verdict *verdict)
{
	return fabs(verdict->at.speedup - VERDICT_SPEEDUP) > 1e-9;
}
