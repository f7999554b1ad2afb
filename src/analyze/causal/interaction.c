/* SPDX-License-Identifier: BSD-2-Clause */
/* interaction - sums the members' gains and compares. */
#include "analyze/causal/interaction.h"

#include "analyze/causal/certainty.h"
#include "base/cleanup.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/* Additive only if the interval excludes a difference beyond this, or this part of the gain. */
#define ADDITIVE_HALF 0.04
#define ADDITIVE_SHARE 0.35

/* Members have the same standing speedups as their set, which are a part of their names. */
static const struct causal_target *target_of(const struct causal *causal,
					     const struct recording_member *member,
					     const char *assumed)
{
	AUTO(text) char *name = recording_target_name(member->name, assumed);

	for (size_t i = 0; i < causal->count; i++) {
		const struct recording_target *target = causal->targets[i].target;
		if (target->kind == member->kind && target->name && !strcmp(target->name, name))
			return &causal->targets[i];
	}
	return NULL;
}

static const struct causal_effect *effect_at_point(const struct causal_target *target,
						   const struct recording_point *point)
{
	for (size_t i = 0; target && i < target->count; i++)
		if (target->effects[i].point == point)
			return &target->effects[i];
	return NULL;
}

/* The gain at a speedup; false if it is unknown. */
static bool gain_at(const struct causal_effect *effect, double speedup, struct effect_point *gain)
{
	return effect && !certainty_effect_at(effect, speedup, gain) && isfinite(gain->low) &&
	       isfinite(gain->high);
}

static double square(double value)
{
	return value * value;
}

static enum interaction_kind judge(const struct interaction *found, bool has_sure_member)
{
	double half = (found->high - found->low) / 2;

	if (found->low > 0)
		return has_sure_member ? INTERACTION_MORE : INTERACTION_ONLY_TOGETHER;
	if (found->high < 0)
		return INTERACTION_LESS;
	return half < fmax(ADDITIVE_HALF, ADDITIVE_SHARE * fabs(found->together)) ?
		       INTERACTION_ADDITIVE :
		       INTERACTION_UNKNOWN;
}

struct interaction interaction_of(const struct recording *recording, const struct causal *causal,
				  const struct causal_target *set,
				  const struct causal_effect *effect, double speedup)
{
	struct interaction found = {.speedup = speedup};
	struct effect_point gain;
	bool has_sure_member = false;
	unsigned members = 0;

	if (!gain_at(effect, speedup, &gain))
		return found;
	found.together = gain.gain;
	found.together_low = gain.low;
	found.together_high = gain.high;
	double squares = square((gain.high - gain.low) / 2);
	for (size_t i = 0; i < recording->members.count; i++) {
		const struct recording_member *member = &recording->members.items[i];
		if (member->target_id != set->target->id)
			continue;
		const struct causal_target *alone = target_of(causal, member, set->target->assumed);
		const struct causal_effect *own = effect_at_point(alone, effect->point);
		if (!gain_at(own, speedup * member->level, &gain))
			return found;
		found.sum += gain.gain;
		squares += square((gain.high - gain.low) / 2);
		has_sure_member |= own->outcome == EFFECT_GAIN;
		members++;
	}
	if (!members)
		return found;
	found.is_measured = true;
	found.difference = found.together - found.sum;
	found.low = found.difference - sqrt(squares);
	found.high = found.difference + sqrt(squares);
	found.kind = judge(&found, has_sure_member);
	return found;
}

const char *interaction_name(enum interaction_kind kind)
{
	static const char *const names[] = {
		[INTERACTION_UNKNOWN] = "unknown", [INTERACTION_ONLY_TOGETHER] = "only_together",
		[INTERACTION_MORE] = "more",       [INTERACTION_ADDITIVE] = "additive",
		[INTERACTION_LESS] = "less",
	};
	return names[kind];
}
