/* SPDX-License-Identifier: BSD-2-Clause */
/* roadmap - follows targets from one assumption to the next. */
#include "analyze/causal/roadmap.h"

#include "analyze/causal/certainty.h"
#include "base/cleanup.h"
#include "base/text.h"

#include <string.h>

static bool is_step(const struct causal_target *target, const char *assumed)
{
	enum target_kind kind = target->target->kind;

	return text_equals(target->target->assumed, assumed) &&
	       (kind == TARGET_FUNCTION || kind == TARGET_LINE || kind == TARGET_INCLUSIVE);
}

/* At its throughput point with the best lower bound; false: none gains for sure. */
static bool best_point(const struct causal_target *target, struct effect_point *best)
{
	struct effect_point at;
	bool is_found = false;

	for (size_t i = 0; i < target->count; i++) {
		const struct causal_effect *effect = &target->effects[i];
		if (effect->point->kind == POINT_LATENCY ||
		    certainty_effect_at(effect, ROADMAP_SPEEDUP, &at))
			continue;
		if (!is_found || at.low > best->low)
			*best = at;
		is_found = true;
	}
	return is_found;
}

/* "parse" of "parse after lookup:50%". To be freed. */
static char *plain_name(const struct recording_target *target)
{
	AUTO(text)
	char *suffix = target->assumed ? text_format(" after %s", target->assumed) : text_copy("");
	size_t length = strlen(target->name), cut = strlen(suffix);
	bool has = cut <= length && !strcmp(target->name + length - cut, suffix);

	return text_format("%.*s", (int)(has ? length - cut : length), target->name);
}

static bool is_done(const struct roadmap *roadmap, const char *name)
{
	for (unsigned i = 0; i < roadmap->count; i++)
		if (!strcmp(roadmap->steps[i].name, name))
			return true;
	return false;
}

static void set_first(struct roadmap_step *step, const struct causal *causal)
{
	for (size_t i = 0; i < causal->count; i++) {
		const struct causal_target *target = &causal->targets[i];
		if (target->target->kind == step->target->target->kind && is_step(target, NULL) &&
		    text_equals(target->target->name, step->name) &&
		    best_point(target, &step->at_first))
			step->has_first = true;
	}
}

/* By the whole curve and the whole table, as the report's own first places. */
static bool gains_surely(const struct causal_target *target)
{
	for (size_t i = 0; i < target->count; i++)
		if (target->effects[i].outcome == EFFECT_GAIN &&
		    target->effects[i].point->kind != POINT_LATENCY)
			return true;
	return false;
}

static bool add_step(struct roadmap *roadmap, const struct causal *causal, const char *assumed)
{
	struct roadmap_step step = {0};
	struct effect_point at;

	for (size_t i = 0; i < causal->count; i++) {
		const struct causal_target *target = &causal->targets[i];
		if (!target->target->name || !is_step(target, assumed) || !gains_surely(target) ||
		    !best_point(target, &at) || at.low <= (step.target ? step.at.low : 0))
			continue;
		AUTO(text) char *name = plain_name(target->target);
		if (is_done(roadmap, name))
			continue;
		free(step.name);
		step = (struct roadmap_step){.target = target, .name = take(&name), .at = at};
	}
	if (!step.target)
		return false;
	if (assumed)
		set_first(&step, causal);
	roadmap->steps[roadmap->count++] = step;
	return true;
}

struct roadmap roadmap_of(const struct causal *causal)
{
	struct roadmap roadmap = {0};
	AUTO(text) char *assumed = NULL;

	for (size_t i = 0; i < causal->count; i++)
		roadmap.is_measured |= causal->targets[i].target->assumed != NULL;
	while (roadmap.count < ROADMAP_STEPS_MOST && add_step(&roadmap, causal, assumed)) {
		AUTO(text) char *before = assumed;
		assumed = text_format("%s%s%s:%g%%", before ? before : "", before ? ", " : "",
				      roadmap.steps[roadmap.count - 1].name, 100 * ROADMAP_SPEEDUP);
	}
	return roadmap;
}

void roadmap_release(struct roadmap *roadmap)
{
	for (unsigned i = 0; i < roadmap->count; i++)
		free(roadmap->steps[i].name);
	roadmap->count = 0;
}
