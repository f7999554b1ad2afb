/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * causal - gathers the windows of each target and point, has them estimated, and ranks the targets.
 *
 * The controls of a target are its own experiments at speedup 0.
 */
#include "analyze/causal/causal.h"

#include "analyze/causal/causal_windows.h"
#include "analyze/causal/certainty.h"
#include "analyze/causal/charge.h"
#include "analyze/causal/crowding_error.h"
#include "analyze/causal/cycle_parts.h"
#include "analyze/causal/disk_wait.h"
#include "analyze/causal/hand_over_error.h"
#include "analyze/causal/meeting_error.h"
#include "analyze/causal/nesting.h"
#include "analyze/causal/phase.h"
#include "analyze/causal/phase_coverage.h"
#include "analyze/causal/placement_error.h"
#include "analyze/causal/set_error.h"
#include "analyze/causal/tail_latency.h"
#include "analyze/causal/transients.h"
#include "analyze/causal/trials.h"
#include "analyze/causal/unsettled.h"
#include "base/workers.h"
#include "profile/window_values.h"

#include <math.h>
#include <string.h>

#define PHASE_ERRORS 2.0

/* At most this part of a gain, of either sign, is attributed to early windows. */
#define EARLY_SHARE_MOST 0.9

/* Of the rest of a program, by which its work may lag: for the interval while queues empty. */
#define REST_MOST 0.9
#define REST_LEAST 0.1

/* Effective time divided by wall time in the windows at this speedup. */
static double effective_at(const struct trials *trials, int64_t point_id, double speedup)
{
	double wall_ns = 0, effective_ns = 0;

	for (size_t i = 0; i < trials->count; i++) {
		const struct recording_visit *visit = recording_visit(trials->items[i], point_id);
		double effective = visit ? external_pacing_effective(visit) : NAN;
		if (!isfinite(effective) || trials->items[i]->speedup != speedup)
			continue;
		wall_ns += (double)visit->duration_ns;
		effective_ns += effective * (double)visit->duration_ns;
	}
	return wall_ns > 0 ? effective_ns / wall_ns : 1;
}

/* Visits per ns of wall time that are paced externally. */
static double paced_rate_of(const struct trials *trials, const struct recording_point *point,
			    const struct external_pacing *external_pacing)
{
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; external_pacing->share && i < trials->count; i++) {
		const struct recording_visit *visit = recording_visit(trials->items[i], point->id);
		double period_ns = visit ? window_visit_period(visit, point->kind) : NAN;
		double rate = visit ? external_pacing_effective(visit) / period_ns : NAN;
		if (trials->items[i]->speedup > 0 || !isfinite(rate))
			continue;
		sum += rate;
		count++;
	}
	return count ? external_pacing->share * sum / (double)count : 0;
}

static void correct(struct effect_point *point, double factor, double relative_error)
{
	double common = fabs(point->gain) * relative_error;

	effect_point_widen(point, common);
	point->gain *= factor;
	point->low *= factor;
	point->high *= factor;
	point->error *= factor;
	point->shared *= factor;
}

/* Adds the error of external pacing, which all points have in common. */
static void add_pacing_error(struct causal_effect *effect, const struct trials *trials)
{
	for (size_t i = 0; effect->external_pacing.share > 0 && i < effect->count; i++) {
		struct effect_point *point = &effect->points[i];
		if (point->speedup <= 0)
			continue;
		const struct external_pacing *pacing = &effect->external_pacing;
		double effective = effective_at(trials, effect->point->id, point->speedup);
		double of_controls = effective_at(trials, effect->point->id, 0);
		effect_point_widen(point, external_pacing_error(pacing, point->gain, effective,
								of_controls));
		point->high = fmax(point->high, external_pacing_squeezed(pacing, point->gain,
									 effective, of_controls));
	}
}

/*
 * While a queue empties, a visit takes less work than in the steady state: the rest of the program
 * lags behind by that part of its own work. By so much the true period may be longer.
 */
static void add_imbalance(struct causal_effect *effect, double share)
{
	for (size_t i = 0; i < effect->count; i++) {
		struct effect_point *point = &effect->points[i];
		double work = point->speedup > 0 ?
				      warm_up_imbalance_at(&effect->warm_up, point->speedup) :
				      0;
		double part = fmin(REST_MOST, fabs(work) / fmax(REST_LEAST, 1 - share));
		double change = (1 - point->gain) * (1 / (1 - part) - 1);
		if (work < 0)
			point->low -= change;
		else
			point->high += change;
		point->error = hypot(point->error, change / 1.96);
		effect->is_widened |= change > 0;
	}
}

/* What effects of one target have in common. */
struct source {
	const struct recording *recording;
	struct trials trials;
	struct phase_correction phases;
	double share;
	double cycle_ns, cycle_most; /* cycle_parts.h */
};

/* Windows, and what they alone say. */
struct window_set {
	const struct effect_window *windows;
	size_t count;
	struct effect_point *points;
	size_t point_count;
};

static struct window_set window_set_of(const struct covariates *covariates,
				       const struct effect_window *windows, size_t count)
{
	struct window_set set = {.windows = windows, .count = count};

	if (!count)
		return set;
	set.points = memory_new(count, sizeof(*set.points));
	set.point_count = covariates_estimate(covariates, windows, count, set.points, count);
	return set;
}

/* False if nothing was measured at a speedup above 0. */
static bool effect_fill(struct causal_effect *effect, const struct source *source,
			const struct window_set *set)
{
	const struct trials *trials = &source->trials;
	const struct effect_window *windows = set->windows;
	size_t count = set->count;
	struct budget_noise noise = {
		/* Halves of a window differ by twice the deviation of the whole one. */
		.units = effect->transients.noise / 2,
		.displaced = covariates_displaced_error(windows, count)};

	if (!set->point_count || set->points[set->point_count - 1].speedup <= 0)
		return false;
	effect->count = set->point_count;
	effect->points = memory_new(2 * effect->count, sizeof(*effect->points));
	effect->bare = effect->points + effect->count;
	memcpy(effect->points, set->points, effect->count * sizeof(*effect->points));
	budget_begin(effect, source->recording, trials, &noise);
	effect_limit_freedom(effect->points, effect->count, windows, count);
	add_pacing_error(effect, trials);
	budget_add(effect, BUDGET_PACING);
	add_imbalance(effect, source->share);
	budget_add(effect, BUDGET_TRANSIENTS);
	for (size_t i = 0; i < effect->count; i++)
		correct(&effect->points[i], effect->phase_factor, source->phases.relative_error);
	budget_scale(effect, effect->phase_factor);
	budget_add(effect, BUDGET_WINDOWS);
	warm_up_bound(&effect->warm_up, effect->points, effect->count);
	effect_add_method_error(effect->points, effect->count);
	meeting_error_add(effect);
	budget_add(effect, BUDGET_METHOD);
	effect->slope = effect_slope(effect->points, effect->count);
	return true;
}

/*
 * The relative error of a target's activity, from the spread of its controls. Samples in bursts
 * make it larger than their number suggests; a factor below 1 may be chance then.
 */
static double activity_error(const struct trials *trials)
{
	double sum = 0, squares = 0, count = 0;

	for (size_t i = 0; i < trials->count; i++) {
		double activity = trial_activity(trials->items[i]);
		if (trials->items[i]->speedup > 0)
			continue;
		sum += activity;
		squares += activity * activity;
		count++;
	}
	if (count < 2 || !(sum > 0))
		return INFINITY;
	double mean = sum / count, variance = (squares - sum * mean) / (count - 1);
	return sqrt(fmax(0, variance) / count) / mean;
}

/* A percentile of a phase tells nothing about one of the whole run. */
static struct tail tail_of(const struct recording *recording, const struct trials *trials,
			   const struct causal_effect *effect)
{
	size_t kept = 0;

	if (effect->point->kind != POINT_LATENCY)
		return (struct tail){.status = TAIL_NOT_MEASURED};
	const struct recording_experiment **settled = memory_new(trials->count, sizeof(*settled));
	for (size_t i = 0; i < trials->count; i++)
		if ((unsigned)trials->items[i]->series_index >=
		    warm_up_skipped(warm_up_level_at(&effect->warm_up, trials->items[i]->speedup)))
			settled[kept++] = trials->items[i];
	struct tail tail = tail_latency_of(recording, settled, kept, effect->point->id);
	free(settled);
	if (tail.status == TAIL_ANSWERED &&
	    1 - effect->phase_factor > PHASE_ERRORS * activity_error(trials))
		tail.status = TAIL_PHASES;
	return tail;
}

/* The part of the gain by all windows that is due to the early windows, which are left out. */
static double early_share(const struct causal_effect *effect, const struct causal_effect *all)
{
	if (!effect->warm_up.level)
		return 0;
	double part = all->slope.slope != 0 ? 1 - effect->slope.slope / all->slope.slope : 0;
	return fmin(EARLY_SHARE_MOST, fmax(-EARLY_SHARE_MOST, part));
}

/* A gain that was measured in a phase with more of the target is compared with the charge there. */
static void scale_phases(struct causal_effect *effect, const struct source *source, double share)
{
	for (size_t i = 0; i < effect->count; i++) {
		struct effect_point *point = &effect->points[i];
		double own = point->speedup > 0 ?
				     charge_share_at(source->recording, &source->trials,
						     effect->point->id, &effect->covariates,
						     point->speedup) :
				     0;
		if (own > share && share > 0)
			correct(point, share / own, 0);
	}
}

/*
 * Whether a gain exceeds its charge is judged by all windows, as pauses make no program faster by
 * the wall clock in early ones either. Doubt whether queues have settled is none about that.
 */
static void judge_by_all(struct causal_effect *effect, const struct source *source,
			 const struct window_set *set, double share)
{
	struct causal_effect all = *effect;

	all.warm_up = (struct warm_up){0};
	if (!effect_fill(&all, source, set))
		return;
	effect->early_share = early_share(effect, &all);
	scale_phases(&all, source, share);
	effect->chance_of_charge =
		effect_probability_above(all.points, all.count, effect->slope_suspect);
	effect->chance_of_contention =
		effect_probability_above(all.points, all.count,
					 CERTAINTY_CONTENDED_MOST * effect->slope_most);
	free(all.points);
	free(all.budgets);
}

/* What is known of a progress point from all targets. */
struct point_facts {
	struct external_pacing external_pacing;
	struct paced_load paced_load;
	enum warm_up_work work;
	struct covariates covariates;
};

/* The part of it that each target has by itself. */
struct target_facts {
	enum warm_up_work work;
	struct covariate_pairs pairs;
};

struct fact_finding {
	const struct recording *recording;
	const struct trials_index *index;
	const struct recording_point *point;
	struct target_facts *targets;
};

static void find_target_facts(void *argument, size_t number)
{
	const struct fact_finding *finding = argument;
	const struct recording *recording = finding->recording;
	struct target_facts *facts = &finding->targets[number];
	const struct transients none = {0};
	const struct causal_pacing unpaced = {0};

	if (recording->targets.items[number].kind == TARGET_EXTERNAL)
		return;
	struct trials trials = trials_of(finding->index, recording->targets.items[number].id);
	struct effect_window *windows = memory_new(trials.count, sizeof(*windows));
	size_t count = causal_windows(recording, &trials, &none, finding->point, &unpaced, windows);
	facts->work = warm_up_detect(windows, count, WARM_UP_WORK_UNKNOWN).work;
	covariate_pairs_add(&facts->pairs, windows, count);
	free(windows);
	trials_release(&trials);
}

/*
 * Clients have a bounded number of requests under way, and each is served in less than a window: no
 * queue empties for longer, and a visit that takes less work is no sign of one.
 */
static enum warm_up_work warm_up_work_of_point(const struct recording_point *point)
{
	return recording_point_is_requests(point) ? WARM_UP_WORK_DIFFERS : WARM_UP_WORK_UNKNOWN;
}

static struct point_facts point_facts_of(const struct recording *recording,
					 const struct trials_index *index,
					 const struct recording_point *point)
{
	struct point_facts facts = {.external_pacing = external_pacing_of(recording, point),
				    .paced_load = paced_load_of(recording, point),
				    .work = warm_up_work_of_point(point)};
	struct covariate_pairs pairs = {0};
	struct fact_finding finding = {recording, index, point,
				       memory_new(recording->targets.count,
						  sizeof(*finding.targets))};

	workers_run(recording->targets.count, find_target_facts, &finding);
	for (size_t i = 0; i < recording->targets.count; i++) {
		struct target_facts *target = &finding.targets[i];
		facts.work = warm_up_work_of(facts.work, target->work);
		for (size_t j = 0; j < target->pairs.items.count; j++)
			*array_add(&pairs.items) = target->pairs.items.items[j];
		array_free(&target->pairs.items);
	}
	facts.covariates = covariates_fit(&pairs);
	array_free(&pairs.items);
	free(finding.targets);
	return facts;
}

static void reach_to(struct effect_point *point, const struct effect_point *other, bool also_up)
{
	point->low = fmin(point->low, other->low);
	point->high = also_up ? fmax(point->high, other->high) : point->high;
}

/* The interval also holds what windows say that are freed of this. */
static void reach_to_paced(struct causal_effect *effect, const struct source *source,
			   const struct causal_pacing *pacing, bool also_up)
{
	const struct trials *trials = &source->trials;
	struct effect_window *windows = memory_new(trials->count, sizeof(*windows));
	struct causal_effect paced = *effect;
	size_t count = causal_windows(source->recording, trials, &effect->transients, effect->point,
				      pacing, windows);
	size_t kept = warm_up_drop_early(windows, count, &paced.warm_up);
	struct window_set set = window_set_of(&effect->covariates, windows, kept);

	if (effect_fill(&paced, source, &set)) {
		for (size_t i = 0; i < effect->count && i < paced.count; i++) {
			reach_to(&effect->points[i], &paced.points[i], also_up);
			reach_to(&effect->bare[i], &paced.bare[i], also_up);
		}
		free(paced.points);
		free(paced.budgets);
	}
	free(set.points);
	free(windows);
}

/*
 * A gain may be as low as if clocks set the pace; as high as if pauses did not slow the program.
 * Where clocks bring work, it may be more or less work, of which the target is a part or not.
 */
static void reach_over_pacing(struct causal_effect *effect, const struct source *source,
			      struct paced_part part)
{
	const struct paced_load *load = &effect->paced_load;
	const struct external_pacing suspected = {.share = effect->external_pacing.suspected};

	if (load->high > 0) {
		const struct causal_pacing least = {.load = load->low, .part = part.high};
		const struct causal_pacing most = {.load = load->high, .part = part.low};
		reach_to_paced(effect, source, &least, true);
		reach_to_paced(effect, source, &most, true);
	} else if (suspected.share) {
		const struct causal_pacing pacing = {
			.rate = paced_rate_of(&source->trials, effect->point, &suspected)};
		reach_to_paced(effect, source, &pacing, suspected.share < 0);
	}
}

/* Estimates the effect by settled windows, and judges it by all; the two are mostly the same. */
static bool effect_judge(struct causal_effect *effect, const struct source *source,
			 const struct window_set *all)
{
	const struct trials *trials = &source->trials;
	struct effect_window *windows = memory_new(all->count, sizeof(*windows));
	memcpy(windows, all->windows, all->count * sizeof(*windows));
	size_t kept = warm_up_drop_early(windows, all->count, &effect->warm_up);
	bool is_same =
		kept == all->count && !memcmp(windows, all->windows, kept * sizeof(*windows));
	struct window_set settled = is_same ? (struct window_set){0} :
					      window_set_of(&effect->covariates, windows, kept);
	bool is_measured = effect_fill(effect, source, is_same ? all : &settled);
	if (is_measured) {
		struct charge charge = charge_of(source->recording, trials->items, trials->count,
						 effect->point->id, &effect->covariates);
		double factor = effect->phase_factor /
				paced_load_period(1, effect->paced_load.effective,
						  effect->paced_load.high) /
				(1 - effect->paced_load.high);
		effect->slope_most = factor * charge.most;
		effect->slope_suspect = factor * charge.suspect;
		judge_by_all(effect, source, all, charge.share);
	}
	free(settled.points);
	free(windows);
	return is_measured;
}

static void point_fill(struct causal_target *target, const struct source *source,
		       const struct recording_point *point, const struct point_facts *facts)
{
	const struct trials *trials = &source->trials;
	struct effect_window *windows = memory_new(trials->count, sizeof(*windows));
	struct causal_effect effect = {.point = point,
				       .external_pacing = facts->external_pacing,
				       .paced_load = facts->paced_load,
				       .covariates = facts->covariates,
				       .phase_factor = source->phases.factor};
	external_pacing_suspect_sleep(&effect.external_pacing, target->target);
	const struct paced_part part =
		paced_load_part(source->recording, point, &effect.paced_load, target->target->id);
	const struct causal_pacing pacing = {.rate = paced_rate_of(trials, point,
								   &facts->external_pacing),
					     .load = effect.paced_load.share,
					     .part = (part.low + part.high) / 2};
	size_t count = causal_windows(source->recording, trials, &effect.transients, point, &pacing,
				      windows);

	effect.warm_up = warm_up_detect(windows, count, facts->work);
	effect.transients = transients_find(trials, point);
	if (effect.warm_up.level) /* longer ones, of which a part would be cut */
		memset(effect.transients.cuts, 0, sizeof(effect.transients.cuts));
	count = causal_windows(source->recording, trials, &effect.transients, point, &pacing,
			       windows);
	effect.set_error = set_error_of(source->recording, trials, target->target, point);
	effect.hand_over_error = hand_over_error_of(source->recording, trials, point);
	effect.hand_over_rare = hand_over_rare_of(source->recording, trials, point);
	effect.crowding_error = crowding_error_of(source->recording, trials, point);
	effect.unused_share = placement_unused_share(source->recording, trials, point);
	effect.cycle_ns = source->cycle_ns;
	effect.cycle_most = source->cycle_most;
	effect.is_disk_wait = point->kind != POINT_LATENCY && disk_wait_is(target->target);
	struct window_set all = window_set_of(&effect.covariates, windows, count);
	if (effect_judge(&effect, source, &all)) {
		reach_over_pacing(&effect, source, part);
		effect.tail = tail_of(source->recording, trials, &effect);
		effect.tail_lacking_ns = tail_latency_lacking_ns(source->recording, &effect.tail);
		target->effects[target->count++] = effect;
	}
	free(all.points);
	free(windows);
}

static void target_fill(struct causal_target *target, const struct recording *recording,
			const struct trials_index *index, const struct point_facts *facts)
{
	struct source source = {.recording = recording,
				.trials = trials_of(index, target->target->id),
				.phases = phase_correction_of(recording, index, target->target->id),
				.share = target->share,
				.cycle_most =
					cycle_parts_most(recording, index, target->target->id)};
	struct trials trials = source.trials;
	cycle_parts_drop(recording, &trials);
	trials_drop_displaced(&trials, target);
	trials_drop_mischarged(&trials, target);
	trials_drop_coarse(&trials);
	trials_drop_idle(recording, &trials);
	trials_drop_absent(recording, &trials, target->share);
	source.cycle_ns = cycle_parts_length_ns(recording, &trials);
	source.trials = trials;
	target->effects = memory_new(recording->points.count, sizeof(*target->effects));
	for (size_t i = 0; i < trials.count; i++)
		target->experiments += trials.items[i]->speedup > 0;
	for (size_t i = 0; i < recording->points.count; i++)
		point_fill(target, &source, &recording->points.items[i], &facts[i]);
	trials_release(&trials);
}

static double share_of(const struct recording *recording, const struct trials_index *index,
		       int64_t target_id)
{
	double own_ns = 0, all_ns = 0;
	size_t count;
	const struct recording_sample **samples = trials_samples(index, target_id, &count);
	for (size_t i = 0; i < recording->runs.count; i++)
		all_ns += (double)recording->runs.items[i].sampled_ns;
	for (size_t i = 0; i < count; i++)
		own_ns += (double)samples[i]->sampled_ns;
	return all_ns > 0 ? fmin(own_ns / all_ns, 1) : 0;
}

static bool is_external(const struct recording *recording, int64_t target_id)
{
	const struct recording_target *target = recording_target(recording, target_id);
	return target && target->kind == TARGET_EXTERNAL;
}

/* The lower bound of the target's best effect; -INFINITY without any effect. */
static double rank_of(const struct causal_target *target)
{
	double best = -INFINITY;
	for (size_t i = 0; i < target->count; i++) {
		const struct effect_slope *slope = &target->effects[i].slope;
		if (slope->windows && slope->low > best)
			best = slope->low;
	}
	return best;
}

/* Ties are broken by share, then by id, so that the order is always the same. */
static int compare_targets(const void *left, const void *right)
{
	const struct causal_target *a = left, *b = right;
	double rank_a = rank_of(a), rank_b = rank_of(b);
	if (rank_a != rank_b)
		return rank_a < rank_b ? 1 : -1;
	if (a->share != b->share)
		return a->share < b->share ? 1 : -1;
	return (a->target->id > b->target->id) - (a->target->id < b->target->id);
}

static void count_verdicts(struct causal *causal, const struct recording *recording)
{
	for (size_t i = 0; i < recording->experiments.count; i++) {
		if (is_external(recording, recording->experiments.items[i].target_id))
			continue;
		switch (recording->experiments.items[i].verdict) {
		case VERDICT_COUNTED:
			causal->experiments++;
			break;
		case VERDICT_DISPLACED:
			causal->displaced++;
			break;
		case VERDICT_TOO_FEW_VISITS:
			causal->too_few_visits++;
			break;
		case VERDICT_CUT_SHORT:
			causal->cut_short++;
			break;
		}
	}
}

static void count_dropped(struct causal *causal)
{
	unsigned displaced = 0;

	for (size_t i = 0; i < causal->count; i++) {
		causal->mischarged += causal->targets[i].overcharged +
				      causal->targets[i].uncharged +
				      causal->targets[i].paused_whole;
		displaced += causal->targets[i].displaced;
	}
	causal->displaced += displaced;
	causal->experiments -= causal->mischarged + displaced;
}

/* What the targets have in common, of which each is estimated by itself. */
struct estimation {
	struct causal *causal;
	const struct recording *recording;
	const struct trials_index *index;
	const struct point_facts *facts;
};

static void estimate_target(void *argument, size_t number)
{
	const struct estimation *estimation = argument;
	struct causal_target *target = &estimation->causal->targets[number];

	target->share = share_of(estimation->recording, estimation->index, target->target->id);
	target_fill(target, estimation->recording, estimation->index, estimation->facts);
}

struct causal *causal_new(const struct recording *recording)
{
	struct causal *causal = memory_new(1, sizeof(*causal));
	struct point_facts *facts = memory_new(recording->points.count, sizeof(*facts));
	struct trials_index index = trials_index_of(recording);
	struct estimation estimation = {causal, recording, &index, facts};

	for (size_t i = 0; i < recording->points.count; i++)
		facts[i] = point_facts_of(recording, &index, &recording->points.items[i]);
	causal->targets = memory_new(recording->targets.count, sizeof(*causal->targets));
	for (size_t i = 0; i < recording->targets.count; i++)
		if (recording->targets.items[i].kind != TARGET_EXTERNAL)
			causal->targets[causal->count++].target = &recording->targets.items[i];
	workers_run(causal->count, estimate_target, &estimation);
	free(facts);
	causal->steadiness = steadiness_of(recording);
	phase_coverage_find(causal, recording, &index);
	trials_index_release(&index);
	causal->choice = point_choice_make(recording, causal->targets, causal->count);
	unsettled_widen(causal, recording);
	certainty_judge(causal);
	qsort(causal->targets, causal->count, sizeof(*causal->targets), compare_targets);
	nesting_find(recording, causal);
	count_verdicts(causal, recording);
	count_dropped(causal);
	return causal;
}

void causal_free(struct causal *causal)
{
	if (!causal)
		return;
	for (size_t i = 0; i < causal->count; i++) {
		for (size_t j = 0; j < causal->targets[i].count; j++) {
			free(causal->targets[i].effects[j].points);
			free(causal->targets[i].effects[j].budgets);
			free(causal->targets[i].effects[j].tail.points);
		}
		free(causal->targets[i].effects);
	}
	free(causal->targets);
	free(causal);
}
