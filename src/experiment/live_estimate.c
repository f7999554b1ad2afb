/* SPDX-License-Identifier: BSD-2-Clause */
/* live_estimate - windows by target and point, estimated anew whenever somebody asks. */
#include "experiment/live_estimate.h"

#include "base/memory.h"
#include "profile/window_values.h"
#include "stats/covariates.h"
#include "stats/warm_up.h"

#include <math.h>
#include <string.h>

#define SPEEDUPS_MOST 128
#define FEW_SPEEDUPS 9 /* controls included */

struct series {
	int64_t target_id, point_id;
	ARRAY(struct effect_window) windows;
	enum warm_up_work work; /* as last found */
	bool are_requests;      /* no queue of theirs empties for longer than a window */
};

struct live_estimate {
	ARRAY(struct series) series;
};

struct live_estimate *live_estimate_new(void)
{
	return memory_new(1, sizeof(struct live_estimate));
}

void live_estimate_free(struct live_estimate *live_estimate)
{
	if (!live_estimate)
		return;
	for (size_t i = 0; i < live_estimate->series.count; i++)
		array_free(&live_estimate->series.items[i].windows);
	array_free(&live_estimate->series);
	free(live_estimate);
}

static struct series *series_of(struct live_estimate *live_estimate, int64_t target_id,
				int64_t point_id)
{
	for (size_t i = 0; i < live_estimate->series.count; i++) {
		struct series *series = &live_estimate->series.items[i];
		if (series->target_id == target_id && series->point_id == point_id)
			return series;
	}
	struct series *added = array_add(&live_estimate->series);
	added->target_id = target_id;
	added->point_id = point_id;
	return added;
}

void live_estimate_add(struct live_estimate *live_estimate,
		       const struct recording_experiment *experiment, enum point_kind kind,
		       bool are_requests, const struct recording_visit *visit)
{
	double period = window_visit_period(visit, kind);
	if (!isfinite(period))
		return;
	struct series *series = series_of(live_estimate, experiment->target_id, visit->point_id);
	series->are_requests = are_requests;
	*array_add(&series->windows) = (struct effect_window){
		.time_ns = experiment->start_ns + experiment->duration_ns / 2,
		.speedup = experiment->speedup,
		.period_ns = period,
		.run = (uint32_t)experiment->run_id,
		.index = (unsigned)experiment->series_index,
		.work_ns = window_exact_work(experiment, visit),
		.cpu_ns = window_exact_cpu(experiment, visit),
		.displaced = window_displaced_share(experiment),
		.in_target = window_target_part(experiment),
	};
}

unsigned live_estimate_targets(const struct live_estimate *live_estimate)
{
	unsigned targets = 0;

	for (size_t i = 0; i < live_estimate->series.count; i++) {
		bool is_first = true;
		for (size_t j = 0; j < i; j++)
			is_first = is_first && live_estimate->series.items[j].target_id !=
						       live_estimate->series.items[i].target_id;
		targets += is_first;
	}
	return targets;
}

/*
 * Half of the widest interval that the report shows: of each measured speedup if they are few, else
 * of the curve through them, on which neighbours support each other.
 */
static double widest_half(const struct effect_point *points, size_t count)
{
	double widest = 0;

	for (size_t i = 0; i < count && count <= FEW_SPEEDUPS; i++)
		if (points[i].speedup > 0 && (points[i].high - points[i].low) / 2 > widest)
			widest = (points[i].high - points[i].low) / 2;
	for (int quarter = 1; quarter <= 4 && count > FEW_SPEEDUPS; quarter++) {
		struct effect_point read;
		if (!effect_at(points, count, 0.25 * quarter, &read) &&
		    (read.high - read.low) / 2 > widest)
			widest = (read.high - read.low) / 2;
	}
	return widest;
}

/* What the windows of all targets at this point say of work. */
static enum warm_up_work work_at(const struct live_estimate *live_estimate, int64_t point_id)
{
	enum warm_up_work work = WARM_UP_WORK_UNKNOWN;

	for (size_t i = 0; i < live_estimate->series.count; i++) {
		const struct series *series = &live_estimate->series.items[i];
		if (series->point_id == point_id)
			work = warm_up_work_of(work, series->are_requests ? WARM_UP_WORK_DIFFERS :
									    series->work);
	}
	return work;
}

unsigned live_estimate_warm_up_level(struct live_estimate *live_estimate, int64_t target_id,
				     double speedup, bool *is_undecided)
{
	unsigned level = 0;

	*is_undecided = false;
	for (size_t i = 0; i < live_estimate->series.count; i++) {
		struct series *series = &live_estimate->series.items[i];
		if (series->target_id != target_id)
			continue;
		struct warm_up warm_up =
			warm_up_detect(series->windows.items, series->windows.count,
				       work_at(live_estimate, series->point_id));
		series->work = warm_up.work;
		*is_undecided |= warm_up.is_undecided;
		unsigned one = warm_up_level_at(&warm_up, speedup);
		level = one > level ? one : level;
	}
	return level;
}

/* What the controls of all targets at this point say. */
static struct covariates covariates_at(const struct live_estimate *live_estimate, int64_t point_id)
{
	struct covariate_pairs pairs = {0};

	for (size_t i = 0; i < live_estimate->series.count; i++) {
		const struct series *series = &live_estimate->series.items[i];
		if (series->point_id == point_id)
			covariate_pairs_add(&pairs, series->windows.items, series->windows.count);
	}
	struct covariates covariates = covariates_fit(&pairs);
	array_free(&pairs.items);
	return covariates;
}

static size_t estimate(const struct live_estimate *live_estimate, const struct series *series,
		       struct effect_point *points)
{
	size_t count = series->windows.count;
	struct effect_window *windows = memory_new(count, sizeof(*windows));

	memcpy(windows, series->windows.items, count * sizeof(*windows));
	struct warm_up warm_up =
		warm_up_detect(windows, count, work_at(live_estimate, series->point_id));
	count = warm_up_drop_early(windows, count, &warm_up);
	size_t kept = count;
	struct covariates covariates = covariates_at(live_estimate, series->point_id);
	count = covariates_estimate(&covariates, windows, kept, points, SPEEDUPS_MOST);
	effect_limit_freedom(points, count, windows, kept);
	free(windows);
	return count;
}

struct effect_slope live_estimate_slope(const struct live_estimate *live_estimate,
					int64_t target_id)
{
	struct effect_slope surest = {0};

	for (size_t i = 0; i < live_estimate->series.count; i++) {
		const struct series *series = &live_estimate->series.items[i];
		struct effect_point points[SPEEDUPS_MOST];
		if (series->target_id != target_id)
			continue;
		size_t count = estimate(live_estimate, series, points);
		effect_add_method_error(points, count);
		struct effect_slope slope = effect_slope(points, count);
		if (slope.windows &&
		    (!surest.windows || slope.high - slope.low < surest.high - surest.low))
			surest = slope;
	}
	return surest;
}

/* Those with a higher lower bound; `most` if the target is there with one already. */
static size_t place_of(const struct live_estimate_best *best, size_t count, size_t most,
		       int64_t target_id, double slope_low)
{
	size_t place = 0;

	while (place < count && best[place].slope_low >= slope_low)
		if (best[place++].target_id == target_id)
			return most;
	return place;
}

/* Keeps `best` in order, with each target once; the new number. */
static size_t insert_best(struct live_estimate_best *best, size_t count, size_t most, size_t place,
			  const struct live_estimate_best *one)
{
	size_t gap = place; /* of the same target at another point, else at the end */

	while (gap < count && best[gap].target_id != one->target_id)
		gap++;
	if (gap == most)
		gap--;
	count += gap == count;
	memmove(best + place + 1, best + place, (gap - place) * sizeof(*best));
	best[place] = *one;
	return count;
}

size_t live_estimate_best(const struct live_estimate *live_estimate,
			  struct live_estimate_best *best, size_t most)
{
	size_t found = 0;

	for (size_t i = 0; i < live_estimate->series.count; i++) {
		const struct series *series = &live_estimate->series.items[i];
		struct effect_point points[SPEEDUPS_MOST];
		size_t count = estimate(live_estimate, series, points);
		effect_add_method_error(points, count);
		struct effect_slope slope = effect_slope(points, count);
		struct live_estimate_best one = {.target_id = series->target_id,
						 .point_id = series->point_id,
						 .slope_low = slope.low,
						 .points = count};
		size_t place = place_of(best, found, most, one.target_id, slope.low);
		if (!slope.windows || place == most ||
		    effect_at(points, count, 0.25, &one.at_quarter))
			continue;
		one.widest = widest_half(points, count);
		found = insert_best(best, found, most, place, &one);
	}
	return found;
}
