/* SPDX-License-Identifier: BSD-2-Clause */
/* warm_up - compares early and late windows of series. */
#include "stats/warm_up.h"

#include "stats/distribution.h"

#include <math.h>

#define SERIES_LEAST 3
#define SURE 0.9995 /* either side: of some dozens of tests a run, few are wrong */
#define UNNOTICED 0.975
#define CHANGE_LEAST 0.02 /* of controls; smaller ones do not matter */
#define SLOPE_LEAST 0.03  /* of others, for each unit of speedup */

/* Indexes within a series that are compared. */
static const struct level {
	unsigned skipped, early_end, late, series;
} levels[WARM_UP_LEVELS] = {{0, 1, 3, 4}, {4, 6, 10, 12}, {12, 16, 20, 24}};

unsigned warm_up_skipped(unsigned level)
{
	return levels[level].skipped;
}

unsigned warm_up_series(unsigned level)
{
	return levels[level].series;
}

static bool continues(const struct effect_window *before, const struct effect_window *window)
{
	return window->index > before->index && window->speedup == before->speedup &&
	       window->run == before->run;
}

/* The number of windows of the series that begins here. */
static size_t series_at(const struct effect_window *windows, size_t count)
{
	size_t end = 1;

	while (end < count && continues(&windows[end - 1], &windows[end]))
		end++;
	return end;
}

/* Sums of a regression through the origin, of a series' difference over x. */
struct fit {
	double xx, xy, yy, count;
};

static void fit_add(struct fit *fit, double x, double y)
{
	fit->xx += x * x;
	fit->xy += x * y;
	fit->yy += y * y;
	fit->count++;
}

/* Half of the slope's interval, by its one-sided probability; INFINITY with too few series. */
static double fit_reach(const struct fit *fit, double probability)
{
	if (fit->count < SERIES_LEAST || !(fit->xx > 0))
		return INFINITY;
	double freedom = fit->count - 1;
	double variance = fmax(0, fit->yy - fit->xy * fit->xy / fit->xx) / freedom;
	return student_quantile(probability, freedom) * sqrt(variance / fit->xx);
}

static double fit_slope(const struct fit *fit)
{
	return fit->xx > 0 ? fabs(fit->xy / fit->xx) : 0;
}

static bool fit_is_sure(const struct fit *fit, double least)
{
	return fit_slope(fit) >= least && fit_slope(fit) >= fit_reach(fit, SURE);
}

/*
 * By how much the logarithm of the period grows from the early to the late ones; NAN if one of them
 * is missing.
 */
static double change_in(const struct effect_window *windows, size_t count,
			const struct level *level)
{
	double early = 0, late = 0, earlies = 0, lates = 0;

	for (size_t i = 0; i < count; i++) {
		unsigned index = windows[i].index;
		double value = log(windows[i].period_ns); /* not finite: by the noise of pauses */
		if (index >= level->skipped && index < level->early_end) {
			early += value;
			earlies++;
		} else if (index >= level->late) {
			late += value;
			lates++;
		}
	}
	return earlies > 0 && lates > 0 ? late / lates - early / earlies : NAN;
}

/* `undetected_drift`: see struct warm_up. */
static bool drifts(const struct effect_window *windows, size_t count, const struct level *level,
		   double *undetected_drift)
{
	struct fit controls = {0}, others = {0};

	for (size_t i = 0; i < count;) {
		size_t size = series_at(&windows[i], count - i);
		double change = change_in(&windows[i], size, level), speedup = windows[i].speedup;
		i += size;
		if (!isfinite(change))
			continue;
		if (speedup > 0)
			fit_add(&others, speedup, change);
		else
			fit_add(&controls, 1, change);
	}
	*undetected_drift = fit_slope(&others) + fit_reach(&others, UNNOTICED);
	return fit_is_sure(&controls, CHANGE_LEAST) || fit_is_sure(&others, SLOPE_LEAST);
}

struct warm_up warm_up_detect(const struct effect_window *windows, size_t count)
{
	struct warm_up warm_up = {0};

	while (drifts(windows, count, &levels[warm_up.level], &warm_up.undetected_drift)) {
		warm_up.is_drifting = warm_up.level + 1 == WARM_UP_LEVELS;
		if (warm_up.is_drifting)
			break;
		warm_up.level++;
	}
	return warm_up;
}

size_t warm_up_drop_early(struct effect_window *windows, size_t count, unsigned level)
{
	size_t kept = 0;

	if (!level)
		return count;
	for (size_t i = 0; i < count;) {
		size_t end = i + series_at(&windows[i], count - i), members = 0;
		double time = 0, period = 0;
		struct effect_window one = windows[i];
		for (; i < end; i++) {
			if (windows[i].index < levels[level].skipped)
				continue;
			time += (double)(windows[i].time_ns - one.time_ns);
			period += windows[i].period_ns;
			members++;
		}
		if (!members)
			continue;
		one.time_ns += (uint64_t)(time / (double)members);
		one.period_ns = period / (double)members;
		windows[kept++] = one;
	}
	return kept;
}
