/* SPDX-License-Identifier: BSD-2-Clause */
/* point_choice - compares the gains at each pair of found points. */
#include "analyze/causal/point_choice.h"

#include "analyze/causal/causal.h"
#include "analyze/causal/unit_gaps.h"
#include "analyze/causal/unit_shrinkage.h"
#include "base/memory.h"

#include <math.h>

#define INTERVAL 3.92 /* standard errors, from end to end */
/* Mean squares of differences over their variances: up to where points agree, or contradict. */
#define AGREE_MOST 4.0
#define CONTRADICT_LEAST 9.0
#define APART_SLOPE 0.05 /* points this close agree in any case: the guess matters little */
/* CPU time is used if a unit's intervals are wider by this factor; if it agrees, by less. */
#define SAMPLED_IS_BETTER 3.0
#define AGREEING_IS_BETTER 2.0
#define VISITED_LEAST 0.5 /* of the windows in which the point that is visited most is */

static const struct causal_effect *effect_at_point(const struct causal_target *target,
						   const struct recording_point *point)
{
	for (size_t i = 0; i < target->count; i++)
		if (target->effects[i].point == point && target->effects[i].slope.windows)
			return &target->effects[i];
	return NULL;
}

static double error_of(const struct causal_effect *effect)
{
	return fmax(1e-6, (effect->slope.high - effect->slope.low) / INTERVAL);
}

/* How sure the gains at the point are, over all targets: 1 / variance. */
static double precision_of(const struct recording_point *point, const struct causal_target *targets,
			   size_t count)
{
	double precision = 0;

	for (size_t i = 0; i < count; i++) {
		const struct causal_effect *effect = effect_at_point(&targets[i], point);
		if (effect)
			precision += 1 / (error_of(effect) * error_of(effect));
	}
	return precision;
}

/* Mean square of the differences over their variances; NAN without a common target. */
static double apart(const struct recording_point *left, const struct recording_point *right,
		    const struct causal_target *targets, size_t count)
{
	double sum = 0, common = 0;

	for (size_t i = 0; i < count; i++) {
		const struct causal_effect *a = effect_at_point(&targets[i], left);
		const struct causal_effect *b = effect_at_point(&targets[i], right);
		if (!a || !b)
			continue;
		double difference = a->slope.slope - b->slope.slope;
		double variance = error_of(a) * error_of(a) + error_of(b) * error_of(b);
		sum += difference * difference / (variance + APART_SLOPE * APART_SLOPE);
		common++;
	}
	return common > 0 ? sum / common : NAN;
}

struct candidates {
	const struct recording_point **items;
	size_t count;
};

/* In how many runs the point was counted: each run looks for points of its own. */
static size_t runs_of(const struct recording *recording, const struct recording_point *point)
{
	size_t runs = 0;

	for (size_t i = 0; i < recording->runs.count; i++) {
		bool is_counted = false;
		for (size_t j = 0; !is_counted && j < recording->experiments.count; j++) {
			const struct recording_experiment *window =
				&recording->experiments.items[j];
			is_counted = window->run_id == recording->runs.items[i].id &&
				     recording_visit(window, point->id);
		}
		runs += is_counted;
	}
	return runs;
}

/* A target that only one run tried has no answer at points of another run. */
static void keep_those_of_most_runs(const struct recording *recording, struct candidates *found)
{
	size_t most = 0, kept = 0;

	for (size_t i = 0; i < found->count; i++) {
		size_t runs = runs_of(recording, found->items[i]);
		if (runs > most) {
			most = runs;
			kept = 0;
		}
		if (runs == most)
			found->items[kept++] = found->items[i];
	}
	found->count = kept;
}

static size_t windows_with_visits(const struct recording *recording,
				  const struct recording_point *point)
{
	size_t windows = 0;

	for (size_t i = 0; i < recording->experiments.count; i++) {
		const struct recording_visit *visit =
			recording_visit(&recording->experiments.items[i], point->id);
		windows += visit && visit->visits > 0;
	}
	return windows;
}

/* A unit of a phase that is soon over, like the program's start, tells nothing of other code. */
static void keep_those_of_most_windows(const struct recording *recording, struct candidates *found)
{
	size_t *windows = memory_new(found->count, sizeof(*windows));
	size_t most = 0, kept = 0;

	for (size_t i = 0; i < found->count; i++) {
		windows[i] = windows_with_visits(recording, found->items[i]);
		most = windows[i] > most ? windows[i] : most;
	}
	for (size_t i = 0; i < found->count; i++)
		if ((double)windows[i] >= VISITED_LEAST * (double)most)
			found->items[kept++] = found->items[i];
	found->count = kept;
	free(windows);
}

/* A batch is no unit of work, unless nothing else was found. */
static void drop_batches(const struct recording *recording, struct candidates *found)
{
	size_t kept = 0;

	for (size_t i = 0; i < found->count; i++) {
		const struct recording_point *point = found->items[i];
		if (point->kind == POINT_SAMPLED || !unit_shrinkage_is_met(recording, point))
			found->items[kept++] = point;
	}
	found->count = kept ? kept : found->count;
}

/* A unit of a part of the work leaves the choice to CPU time, where that measures all work. */
static void drop_partial(const struct recording *recording, struct candidates *found)
{
	size_t kept = 0;
	bool has_cpu_time = false;

	for (size_t i = 0; i < found->count; i++)
		has_cpu_time |= found->items[i]->kind == POINT_SAMPLED;
	if (!has_cpu_time || !unit_gaps_is_serial(recording))
		return;
	for (size_t i = 0; i < found->count; i++) {
		const struct recording_point *point = found->items[i];
		if (point->kind == POINT_SAMPLED || !unit_gaps_are_met(recording, point))
			found->items[kept++] = point;
	}
	found->count = kept;
}

/* Found points with an effect. */
static struct candidates candidates_of(const struct recording *recording,
				       const struct causal_target *targets, size_t count)
{
	struct candidates found = {memory_new(recording->points.count, sizeof(*found.items)), 0};

	for (size_t i = 0; i < recording->points.count; i++) {
		const struct recording_point *point = &recording->points.items[i];
		if (point->is_found && precision_of(point, targets, count) > 0)
			found.items[found.count++] = point;
	}
	drop_partial(recording, &found);
	drop_batches(recording, &found);
	keep_those_of_most_runs(recording, &found);
	keep_those_of_most_windows(recording, &found);
	return found;
}

static bool has_own_points(const struct recording *recording, const struct causal_target *targets,
			   size_t count)
{
	for (size_t i = 0; i < recording->points.count; i++)
		if (!recording->points.items[i].is_found &&
		    precision_of(&recording->points.items[i], targets, count) > 0)
			return true;
	return false;
}

/* Points with which this one agrees. */
static unsigned support_of(const struct candidates *found, size_t index,
			   const struct causal_target *targets, size_t count)
{
	unsigned support = 0;

	for (size_t i = 0; i < found->count; i++)
		support += i != index && apart(found->items[index], found->items[i], targets,
					       count) <= AGREE_MOST;
	return support;
}

/*
 * Most support first; then the narrower intervals, where CPU time must be far better than a unit.
 * Precision counts as a part of one supporter.
 */
static double merit_of(const struct candidates *found, size_t index,
		       const struct causal_target *targets, size_t count)
{
	const struct recording_point *point = found->items[index];
	double error = 1 / sqrt(precision_of(point, targets, count));
	unsigned support = support_of(found, index, targets, count);

	if (point->kind == POINT_SAMPLED)
		error *= support ? AGREEING_IS_BETTER : SAMPLED_IS_BETTER;
	return support + 1 / (1 + error);
}

static void choose(const struct candidates *found, struct point_choice *choice,
		   const struct causal_target *targets, size_t count)
{
	double best = -1, nearest = AGREE_MOST, farthest = CONTRADICT_LEAST;

	for (size_t i = 0; i < found->count; i++) {
		double merit = merit_of(found, i, targets, count);
		if (merit > best) {
			best = merit;
			choice->used = found->items[i];
		}
	}
	for (size_t i = 0; i < found->count; i++) {
		const struct recording_point *other = found->items[i];
		double distance = apart(choice->used, other, targets, count);
		if (other == choice->used || isnan(distance))
			continue;
		if (distance <= nearest) {
			nearest = distance;
			choice->agreeing = other;
		} else if (distance > farthest) {
			farthest = distance;
			choice->opposing = other;
		}
	}
}

static void keep_effects(struct causal_target *target, const struct recording_point *used)
{
	size_t kept = 0;

	for (size_t i = 0; i < target->count; i++) {
		struct causal_effect *effect = &target->effects[i];
		if (effect->point == used || !effect->point->is_found) {
			target->effects[kept++] = *effect;
			continue;
		}
		free(effect->points);
		free(effect->tail.points);
	}
	target->count = kept;
}

struct point_choice point_choice_make(const struct recording *recording,
				      struct causal_target *targets, size_t count)
{
	struct point_choice choice = {0};
	struct candidates found = candidates_of(recording, targets, count);

	bool has_own = has_own_points(recording, targets, count);

	if (found.count && !has_own)
		choose(&found, &choice, targets, count);
	free(found.items);
	if (choice.used || has_own)
		for (size_t i = 0; i < count; i++)
			keep_effects(&targets[i], choice.used);
	return choice;
}
