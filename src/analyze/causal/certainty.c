/* SPDX-License-Identifier: BSD-2-Clause */
/* certainty - bounds, then probabilities, then the false discovery rate of the table. */
#include "analyze/causal/certainty.h"

#include "analyze/causal/cycle_parts.h"
#include "analyze/causal/disk_wait.h"
#include "analyze/causal/hand_over_error.h"
#include "analyze/causal/meeting_error.h"
#include "analyze/causal/placement_error.h"
#include "base/workers.h"
#include "stats/false_discovery.h"

#include <math.h>

#define CEILING_SPEEDUP 1.0
#define QUARTERS 4
#define QUANTILE 1.96 /* 97.5 % of the normal distribution */

/*
 * A point beyond a bound keeps its interval's width on the other side, as far as the other bound:
 * its error is not less.
 */
static void cut(struct effect_point *point, double least, double most)
{
	double gain = fmin(fmax(point->gain, least), most), moved = gain - point->gain;

	point->low = fmin(fmax(point->low + fmin(moved, 0), least), gain);
	point->high = fmax(fmin(point->high + fmax(moved, 0), most), gain);
	point->gain = gain;
}

/* Latency may fall by more than the time of its own code: queues get shorter. */
static bool is_bounded(const struct causal_effect *effect)
{
	return effect->point->kind != POINT_LATENCY && isfinite(effect->slope_most);
}

/* The gain per unit of speedup that contention may add up to. */
static double slope_contended(const struct causal_effect *effect)
{
	return CERTAINTY_CONTENDED_MOST * effect->slope_most;
}

/*
 * Where threads wait for the target's thread, they and it may wait less for each other, and the
 * program gets faster by the wall clock although it pauses. Of all effects of the table that is
 * said wrongly once in a hundred tables. Larger gains than contention explains have other reasons.
 */
static bool exceeds_charge(const struct causal_effect *effect, size_t tests)
{
	return effect->chance_of_charge * (double)tests < CERTAINTY_EXCESS &&
	       effect->chance_of_contention > CERTAINTY_BEYOND;
}

/* The standard error upwards. Queues that may still empty make a gain smaller, never larger. */
static double error_above(const struct effect_point *point)
{
	return fmin(point->error, (point->high - point->gain) / QUANTILE);
}

/*
 * Without that certainty, an interval holds both: the bound, and an estimate that is likely beyond
 * it, as far as contention explains it.
 */
static void cut_at_charge(const struct causal_effect *effect, struct effect_point *point)
{
	double most = effect->slope_most * point->speedup, estimate = point->gain;
	double least = -CERTAINTY_LOSS_MOST * most;
	double contended = slope_contended(effect) * point->speedup;
	double error = error_above(point);

	cut(point, least, effect->exceeds_charge ? contended : most);
	if (estimate - most > error)
		point->high = fmax(point->high, fmin(estimate, contended));
}

/*
 * By how much threads wait less for each other depends on the order in which they meet, which
 * pauses reproduce in part only: a standard error, of each point, in proportion to the excess.
 */
static void add_order_error(struct causal_effect *effect)
{
	double excess = 0;

	for (size_t i = 0; i < effect->count; i++)
		excess = fmax(excess, effect->points[i].gain -
					      effect->slope_suspect * effect->points[i].speedup);
	for (size_t i = 0; i < effect->count; i++) {
		if (effect->points[i].speedup <= 0)
			continue;
		effect_point_widen(&effect->points[i], CERTAINTY_ORDER_ERROR * excess);
		effect_point_widen(&effect->bare[i], CERTAINTY_ORDER_ERROR * excess);
	}
}

/* Per unit of speedup: the bound, or what an interval holds beyond it. */
static double slope_allowed(const struct causal_effect *effect)
{
	double allowed = effect->exceeds_charge ? slope_contended(effect) : effect->slope_most;

	for (size_t i = 0; i < effect->count; i++)
		if (effect->points[i].speedup > 0)
			allowed = fmax(allowed, effect->points[i].high / effect->points[i].speedup);
	return allowed;
}

static void reach_up(const struct causal_effect *effect, struct effect_point *point)
{
	double contended = point->gain + hand_over_reach(effect->hand_over_error, point->gain);
	double most = is_bounded(effect) ? effect->slope_most * point->speedup : 0;
	double reach = placement_reach(effect->unused_share, fmax(point->gain, most));

	/* What was measured of such waits holds idle cores, too. */
	if (effect->is_disk_wait)
		reach = fmax(reach, disk_wait_reach(point->speedup, point->gain));
	double high = fmax(point->high, contended) + reach;
	high = fmin(fmax(point->high, high), 1); /* no program takes less than no time */
	point->high = fmax(point->gain, high);
}

/* Latency may fall, or rise, by any part of itself. */
static void reach_over_cycles(const struct causal_effect *effect, struct effect_point *point)
{
	double most = is_bounded(effect) ? fmax(effect->slope_most, effect->cycle_most) : 1;

	if (effect->cycle_ns > 0 && point->speedup > 0)
		cycle_parts_widen(point, fmin(most, 1));
}

static void reach_over_phases(const struct causal_effect *effect, struct effect_point *point)
{
	double change = effect->phase_reach * point->speedup;

	point->low -= change;
	point->high = fmin(point->high + change, fmax(point->high, 1));
}

/* Where the charge is unknown it is at most all of the time. */
static void cut_loss(struct effect_point *point)
{
	cut(point, -CERTAINTY_LOSS_MOST * point->speedup, INFINITY);
}

static void cut_points(struct causal_effect *effect)
{
	for (size_t i = 0; effect->point->kind != POINT_LATENCY && i < effect->count; i++) {
		if (effect->points[i].speedup <= 0)
			continue;
		if (is_bounded(effect)) {
			cut_at_charge(effect, &effect->points[i]);
			cut_at_charge(effect, &effect->bare[i]);
		} else {
			cut_loss(&effect->points[i]);
			cut_loss(&effect->bare[i]);
		}
	}
	for (size_t i = 0; i < effect->count; i++) {
		reach_up(effect, &effect->points[i]);
		reach_over_cycles(effect, &effect->points[i]);
		reach_over_phases(effect, &effect->points[i]);
	}
	effect->slope = effect_slope(effect->points, effect->count);
	effect->slope.low -= effect->phase_reach;
	effect->slope.high += effect->phase_reach;
	if (!is_bounded(effect) || !effect->slope.windows)
		return;
	struct effect_slope *slope = &effect->slope;
	slope->high = fmax(slope->slope, fmin(slope->high, slope_allowed(effect)));
	slope->low =
		fmin(slope->slope, fmax(slope->low, -CERTAINTY_LOSS_MOST * effect->slope_most));
}

/* Between measured points; the bare ones are fitted, and then widened as these are. */
static int fitted_at(const struct causal_effect *effect, double speedup, struct effect_point *at)
{
	if (effect_at(effect->bare, effect->count, speedup, at))
		return -1;
	if (speedup <= 0)
		return 0;
	effect_point_widen(at, meeting_error_of(effect, speedup, at->gain));
	reach_up(effect, at);
	reach_over_cycles(effect, at);
	reach_over_phases(effect, at);
	return 0;
}

/* The most that the program gains if the target takes no time. */
static double ceiling_of(const struct causal_effect *effect)
{
	struct effect_point at;
	double most = is_bounded(effect) ? slope_allowed(effect) * CEILING_SPEEDUP : 1;

	if (!fitted_at(effect, CEILING_SPEEDUP, &at))
		most = fmin(most, at.high);
	for (size_t i = 0; effect->is_disk_wait && i < effect->count; i++)
		most = fmax(most, effect->points[i].high);
	return fmin(fmax(most, 0), 1);
}

int certainty_effect_at(const struct causal_effect *effect, double speedup, struct effect_point *at)
{
	if (fitted_at(effect, speedup, at))
		return -1;
	if (!is_bounded(effect) || speedup <= 0)
		return 0;
	double slope = effect->exceeds_charge ? slope_contended(effect) : effect->slope_most;
	double excess = fmax(at->gain - slope * speedup, 0);
	at->gain -= excess;
	at->low -= excess;
	at->high = fmax(at->gain, fmin(at->high, slope_allowed(effect) * speedup));
	return 0;
}

/*
 * Whether there is an effect at all. An error that is a part of the gain is none where there is no
 * gain, so the bare points are asked.
 */
static double probability_of(struct causal_effect *effect)
{
	double most = is_bounded(effect) ? effect->slope_most : INFINITY;

	return effect_probability(effect->bare, effect->count, -CERTAINTY_LOSS_MOST * most, most,
				  &effect->tendency);
}

/* All effects of a table. */
struct judgement {
	struct causal_effect **effects;
	double *values; /* probabilities of such curves without any effect */
	bool *sure;
	size_t count;
};

static void find_probability(void *argument, size_t number)
{
	const struct judgement *judgement = argument;
	judgement->values[number] = probability_of(judgement->effects[number]);
}

static bool excludes_zero(const struct effect_point *point, double tendency)
{
	return point->speedup > 0 && (tendency > 0 ? point->low > 0 : point->high < 0);
}

/* Some interval that a reader may see, of a measured speedup or a quarter, says the same. */
static bool is_seen(const struct causal_effect *effect)
{
	struct effect_point at;

	for (size_t i = 0; i < effect->count; i++)
		if (excludes_zero(&effect->points[i], effect->tendency))
			return true;
	for (int i = 1; i <= QUARTERS; i++)
		if (!certainty_effect_at(effect, (double)i / QUARTERS, &at) &&
		    excludes_zero(&at, effect->tendency))
			return true;
	return false;
}

static void judge_effect(void *argument, size_t number)
{
	const struct judgement *judgement = argument;
	struct causal_effect *effect = judgement->effects[number];

	effect->outcome = !judgement->sure[number] || effect->cycle_ns > 0 ? EFFECT_UNSURE :
			  effect->tendency > 0                             ? EFFECT_GAIN :
									     EFFECT_CONTENTION;
	effect->probability = judgement->values[number];
	effect->exceeds_charge = is_bounded(effect) && exceeds_charge(effect, judgement->count);
	if (effect->exceeds_charge)
		add_order_error(effect);
	cut_points(effect);
	if (!is_seen(effect))
		effect->outcome = EFFECT_UNSURE;
	effect->is_contention = effect->outcome == EFFECT_CONTENTION;
	effect->ceiling = ceiling_of(effect);
}

void certainty_judge(struct causal *causal)
{
	size_t most = 1;

	for (size_t i = 0; i < causal->count; i++)
		most += causal->targets[i].count;
	struct judgement judgement = {.effects = memory_new(most, sizeof(*judgement.effects)),
				      .values = memory_new(most, sizeof(*judgement.values)),
				      .sure = memory_new(most, sizeof(*judgement.sure))};
	for (size_t i = 0; i < causal->count; i++)
		for (size_t j = 0; j < causal->targets[i].count; j++)
			judgement.effects[judgement.count++] = &causal->targets[i].effects[j];
	workers_run(judgement.count, find_probability, &judgement);
	false_discovery_reject(judgement.values, judgement.count, CERTAINTY_FALSE_DISCOVERIES,
			       judgement.sure);
	workers_run(judgement.count, judge_effect, &judgement);
	free(judgement.effects);
	free(judgement.values);
	free(judgement.sure);
}
