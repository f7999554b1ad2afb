/* SPDX-License-Identifier: BSD-2-Clause */
/* tally - windows by target and point, estimated anew whenever somebody asks. */
#include "experiment/tally.h"

#include "base/memory.h"
#include "stats/settle.h"

#include <math.h>
#include <string.h>

#define SPEEDUPS_MOST 128
#define FEW_SPEEDUPS 9 /* controls included */

struct series {
	int64_t target_id, point_id;
	ARRAY(struct effect_window) windows;
};

struct tally {
	ARRAY(struct series) series;
};

struct tally *tally_new(void)
{
	return memory_new(1, sizeof(struct tally));
}

void tally_free(struct tally *tally)
{
	if (!tally)
		return;
	for (size_t i = 0; i < tally->series.count; i++)
		array_free(&tally->series.items[i].windows);
	array_free(&tally->series);
	free(tally);
}

static struct series *series_of(struct tally *tally, int64_t target_id, int64_t point_id)
{
	for (size_t i = 0; i < tally->series.count; i++) {
		struct series *series = &tally->series.items[i];
		if (series->target_id == target_id && series->point_id == point_id)
			return series;
	}
	struct series *added = array_add(&tally->series);
	added->target_id = target_id;
	added->point_id = point_id;
	return added;
}

void tally_add(struct tally *tally, const struct recording_experiment *experiment, unsigned place,
	       const struct recording_point *point_of_visit, const struct recording_visit *visit)
{
	double period = recording_visit_period(visit, point_of_visit->kind);
	if (!isfinite(period))
		return;
	struct series *series = series_of(tally, experiment->target_id, visit->point_id);
	*array_add(&series->windows) = (struct effect_window){
		.time_ns = experiment->start_ns + experiment->duration_ns / 2,
		.speedup = experiment->speedup,
		.period_ns = period,
		.run = (uint32_t)experiment->run_id,
		.place = place,
	};
}

unsigned tally_targets(const struct tally *tally)
{
	unsigned targets = 0;

	for (size_t i = 0; i < tally->series.count; i++) {
		bool is_first = true;
		for (size_t j = 0; j < i; j++)
			is_first = is_first && tally->series.items[j].target_id !=
						       tally->series.items[i].target_id;
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

unsigned tally_settling(const struct tally *tally, int64_t target_id)
{
	unsigned level = 0;

	for (size_t i = 0; i < tally->series.count; i++) {
		const struct series *series = &tally->series.items[i];
		if (series->target_id != target_id)
			continue;
		struct settling settling =
			settle_judge(series->windows.items, series->windows.count);
		level = settling.level > level ? settling.level : level;
	}
	return level;
}

static size_t estimate(const struct series *series, struct effect_point *points)
{
	size_t count = series->windows.count;
	struct effect_window *windows = memory_new(count, sizeof(*windows));

	memcpy(windows, series->windows.items, count * sizeof(*windows));
	count = settle_keep(windows, count, settle_judge(windows, count).level);
	count = effect_estimate(windows, count, points, SPEEDUPS_MOST);
	free(windows);
	return count;
}

bool tally_best(const struct tally *tally, struct tally_best *best)
{
	double highest = 0;
	bool found = false;

	for (size_t i = 0; i < tally->series.count; i++) {
		const struct series *series = &tally->series.items[i];
		struct effect_point points[SPEEDUPS_MOST];
		size_t count = estimate(series, points);
		effect_add_method_error(points, count);
		struct effect_slope slope = effect_slope(points, count);
		if (!slope.windows || (found && slope.low <= highest))
			continue;
		struct effect_point at_quarter;
		if (effect_at(points, count, 0.25, &at_quarter))
			continue;
		*best = (struct tally_best){.target_id = series->target_id,
					    .point_id = series->point_id,
					    .at_quarter = at_quarter,
					    .widest = widest_half(points, count),
					    .points = count};
		highest = slope.low;
		found = true;
	}
	return found;
}
