/* SPDX-License-Identifier: BSD-2-Clause */
/* answer - reads the answer to be told off each effect. */
#include "report/answer.h"

#include <math.h>

#define HALF_INTERVAL_MOST 0.5

static const struct effect_point *nearest_measured(const struct causal_effect *effect)
{
	const struct effect_point *nearest = &effect->points[effect->count - 1];
	for (size_t i = 0; i < effect->count; i++) {
		const struct effect_point *point = &effect->points[i];
		if (point->speedup > 0 &&
		    fabs(point->speedup - ANSWER_SPEEDUP) < fabs(nearest->speedup - ANSWER_SPEEDUP))
			nearest = point;
	}
	return nearest;
}

static enum answer_verdict judge(const struct causal_effect *effect, const struct effect_point *at)
{
	if (effect->slope.windows && effect->slope.low > 0 && at->low > 0)
		return ANSWER_GAIN;
	if (effect->is_contention && at->high < 0)
		return ANSWER_CONTENTION;
	return ANSWER_UNSURE;
}

struct answer answer_of(const struct causal_target *target, const struct causal_effect *effect)
{
	struct answer answer = {.target = target, .effect = effect};
	if (effect_at(effect->points, effect->count, ANSWER_SPEEDUP, &answer.at)) {
		answer.at = *nearest_measured(effect);
	} else {
		answer.at.speedup = ANSWER_SPEEDUP;
	}
	answer.verdict = judge(effect, &answer.at);
	return answer;
}

bool answer_says_nothing(const struct answer *answer)
{
	return answer->verdict == ANSWER_UNSURE &&
	       !(answer_half_interval(answer) < HALF_INTERVAL_MOST);
}

const char *answer_verdict_name(enum answer_verdict verdict)
{
	static const char *const names[] = {"gain", "contention", "unsure"};
	return names[verdict];
}

struct answers answers_of(const struct causal *causal)
{
	size_t most = 0;
	for (size_t i = 0; i < causal->count; i++)
		most += causal->targets[i].count;
	struct answers answers = {.items = memory_new(most, sizeof(*answers.items))};
	const struct recording_point *first_point = NULL;
	for (size_t i = 0; i < causal->count; i++) {
		const struct causal_target *target = &causal->targets[i];
		bool is_first = true;
		for (size_t j = 0; j < target->count; j++) {
			struct answer *answer = &answers.items[answers.count];
			*answer = answer_of(target, &target->effects[j]);
			if (answer_says_nothing(answer))
				continue;
			answers.count++;
			answers.targets += is_first;
			answer->rank = answers.targets;
			answer->is_first = is_first;
			is_first = false;
			first_point = first_point ? first_point : answer->effect->point;
			answers.has_several_points |= answer->effect->point != first_point;
		}
	}
	return answers;
}

void answers_release(struct answers *answers)
{
	free(answers->items);
	*answers = (struct answers){0};
}

double answer_half_interval(const struct answer *answer)
{
	return (answer->at.high - answer->at.low) / 2;
}

bool answer_is_elsewhere(const struct answer *answer)
{
	return fabs(answer->at.speedup - ANSWER_SPEEDUP) > 1e-9;
}
