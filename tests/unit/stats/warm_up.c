/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of stats/warm_up.h: windows during warm-up are found and left out; noise and a single early
 * window are not taken for warm-up.
 */
#include "check.h"

#include "stats/warm_up.h"

#include <math.h>

#define MOST 2000
#define WINDOW_NS 80000000ull

static struct effect_window windows[MOST];
static size_t count;

/* Of either sign, mean near 0, within 1 %. */
static double wobble(void)
{
	return 1 + 0.01 * sin(2.4 * (double)count) * cos(0.7 * (double)count);
}

/* A series: `early` windows of another period than the rest. */
static void add_stretch(double speedup, unsigned length, unsigned early, double early_ns,
			double later_ns)
{
	uint64_t begin = count ? windows[count - 1].time_ns + 2 * WINDOW_NS : 0;

	for (unsigned index = 0; index < length && count < MOST; index++, count++)
		windows[count] = (struct effect_window){
			.time_ns = begin + index * WINDOW_NS,
			.speedup = speedup,
			.period_ns = (index < early ? early_ns : later_ns) * wobble(),
			.run = 1,
			.index = index,
		};
}

/* Controls of 330, and windows at 25 to 100 % that settle from `early_ns` to 245 after `early`. */
static void alternate(unsigned series, unsigned length, unsigned early, double early_ns)
{
	count = 0;
	for (unsigned i = 0; i < series; i++) {
		add_stretch(0, length, 0, 0, 330);
		add_stretch(0.25 * (1 + i % 4), length, early, early_ns, 245);
	}
}

TEST("windows that do not change with time all count")
{
	alternate(20, 12, 0, 0);
	struct warm_up warm_up = warm_up_detect(windows, count, WARM_UP_WORK_UNKNOWN);
	CHECK_EQUAL(warm_up.level, 0);
	CHECK(!warm_up.is_drifting);
	CHECK_EQUAL(warm_up_drop_early(windows, count, &warm_up), count);
}

TEST("a queue that empties within the first windows: these are left out, one of a series is kept")
{
	alternate(20, 12, 2, 180);
	struct warm_up warm_up = warm_up_detect(windows, count, WARM_UP_WORK_UNKNOWN);
	CHECK_EQUAL(warm_up.level, 1);
	CHECK_EQUAL(warm_up_level_at(&warm_up, 0), 0);
	CHECK_EQUAL(warm_up_level_at(&warm_up, 0.5), 1);
	size_t kept = warm_up_drop_early(windows, count, &warm_up);
	CHECK_EQUAL(kept, 20 * 12 + 20); /* all controls, and one of each series */
	for (size_t i = 0; i < kept; i++) {
		double settled = windows[i].speedup > 0 ? 245 : 330;
		CHECK(fabs(windows[i].period_ns - settled) < 0.01 * settled);
	}
}

TEST("the mean of a long series of slow windows has the controls beside the series")
{
	struct effect_point points[8];

	alternate(20, 12, 2, 180);
	for (size_t i = 0; i < count; i++)
		windows[i].time_ns *= 5;
	struct warm_up warm_up = warm_up_detect(windows, count, WARM_UP_WORK_UNKNOWN);
	size_t kept = warm_up_drop_early(windows, count, &warm_up);
	CHECK_EQUAL(effect_estimate(windows, kept, points, 8), 5);
	for (int i = 1; i < 5; i++)
		CHECK_EQUAL(points[i].windows, 5);
}

TEST("a queue that takes longer to empty is found with longer series")
{
	alternate(20, 24, 9, 180);
	struct warm_up warm_up = warm_up_detect(windows, count, WARM_UP_WORK_UNKNOWN);
	CHECK_EQUAL(warm_up.level, 2);
	CHECK_EQUAL(warm_up_drop_early(windows, count, &warm_up), 20 * 24 + 20);
}

TEST("a queue that does not empty within a series is reported as drifting")
{
	alternate(20, 48, 40, 180);
	struct warm_up warm_up = warm_up_detect(windows, count, WARM_UP_WORK_UNKNOWN);
	CHECK_EQUAL(warm_up.level, WARM_UP_LEVELS - 1);
	CHECK(warm_up.is_drifting);
}

TEST("controls that settle late count, too")
{
	count = 0;
	for (unsigned i = 0; i < 20; i++) {
		add_stretch(0, 4, 1, 280, 330);
		add_stretch(0.5, 4, 0, 0, 245);
	}
	CHECK_EQUAL(warm_up_detect(windows, count, WARM_UP_WORK_UNKNOWN).level, 1);
}

TEST("single windows and too few series give no result")
{
	alternate(20, 1, 1, 180);
	CHECK_EQUAL(warm_up_detect(windows, count, WARM_UP_WORK_UNKNOWN).level, 0);
	alternate(2, 12, 2, 180);
	CHECK_EQUAL(warm_up_detect(windows, count, WARM_UP_WORK_UNKNOWN).level, 0);
	CHECK_EQUAL(warm_up_detect(windows, 0, WARM_UP_WORK_UNKNOWN).level, 0);
	struct warm_up warm_up = warm_up_detect(windows, 0, WARM_UP_WORK_UNKNOWN);
	CHECK_EQUAL(warm_up_drop_early(windows, 0, &warm_up), 0);
}

TEST("the undetected drift is unbounded with few series, and small with many")
{
	alternate(2, 12, 0, 0);
	CHECK(isinf(warm_up_detect(windows, count, WARM_UP_WORK_UNKNOWN).undetected_drift));
	alternate(40, 12, 0, 0);
	double undetected_drift =
		warm_up_detect(windows, count, WARM_UP_WORK_UNKNOWN).undetected_drift;
	CHECK(undetected_drift > 0 && undetected_drift < 0.03);
}

TEST("periods below 0, which the noise of pauses makes, are no change")
{
	count = 0;
	for (unsigned i = 0; i < 8; i++) {
		add_stretch(0, 4, 0, 0, 330);
		add_stretch(1, 4, 1, -1, 5);
	}
	CHECK_EQUAL(warm_up_detect(windows, count, WARM_UP_WORK_UNKNOWN).level, 0);
}

/* Work of `early` at speedups above 0 before this index, then of 1000 as in controls. */
static void add_work(unsigned until, double early)
{
	for (size_t i = 0; i < count; i++)
		windows[i].work_ns =
			windows[i].speedup > 0 && windows[i].index < until ? early : 1000;
}

TEST("single windows in which a visit takes less work than in controls are too early")
{
	alternate(20, 1, 1, 180);
	add_work(1, 900);
	struct warm_up warm_up = warm_up_detect(windows, count, WARM_UP_WORK_UNKNOWN);
	CHECK_EQUAL(warm_up.level, 1);
	CHECK_EQUAL(warm_up.measured[2], 0);
	CHECK(warm_up_imbalance_at(&warm_up, 0.5) < -0.1 && warm_up.imbalance[2] > -0.11);
	CHECK_EQUAL(warm_up_drop_early(windows, count, &warm_up), count);
}

TEST("work that is the same again in later windows is no imbalance")
{
	alternate(20, 12, 2, 180);
	add_work(2, 900);
	struct warm_up warm_up = warm_up_detect(windows, count, WARM_UP_WORK_UNKNOWN);
	CHECK_EQUAL(warm_up_level_at(&warm_up, 0.5), 1);
	CHECK_EQUAL(warm_up.measured[2], 1);
	CHECK(warm_up_imbalance_at(&warm_up, 0.5) == 0);
}

TEST("work that differs as much at the end of the longest series is no warm-up")
{
	alternate(20, 48, 0, 0);
	add_work(48, 900);
	struct warm_up warm_up = warm_up_detect(windows, count, WARM_UP_WORK_UNKNOWN);
	CHECK_EQUAL(warm_up.level, 0);
	CHECK(warm_up_imbalance_at(&warm_up, 0.5) == 0);
}

TEST("where work differs with one target, it is no sign with another")
{
	alternate(20, 1, 0, 0);
	add_work(1, 900);
	CHECK_EQUAL(warm_up_detect(windows, count, WARM_UP_WORK_UNKNOWN).level, 1);
	CHECK(warm_up_detect(windows, count, WARM_UP_WORK_UNKNOWN).is_undecided);
	CHECK_EQUAL(warm_up_detect(windows, count, WARM_UP_WORK_DIFFERS).level, 0);
	CHECK(!warm_up_detect(windows, count, WARM_UP_WORK_TELLS).is_undecided);
}

static struct effect_point point_at(double speedup, double gain, double half)
{
	return (struct effect_point){.speedup = speedup,
				     .gain = gain,
				     .low = gain - half,
				     .high = gain + half,
				     .windows = 3};
}

TEST("where queues may still empty, a gain is no larger than at a larger speedup that has settled")
{
	/* 75 % has windows of level 1, which it needs; 50 % none; 100 % none, and needs them. */
	struct warm_up warm_up = {.levels = {0, 0, 0, 1, 1}, .measured = {0, 0, 0, 1, 0}};
	struct effect_point points[] = {point_at(0, 0, 0.01), point_at(0.25, 0.25, 0.02),
					point_at(0.5, 0.5, 0.02), point_at(0.75, 0.4, 0.04),
					point_at(1, 0.8, 0.1)};
	warm_up_bound(&warm_up, points, 5);
	CHECK_NEAR(points[1].gain, 0.25, 0);
	CHECK_NEAR(points[2].gain, 0.4, 0);
	CHECK_NEAR(points[2].low, 0.36, 1e-12);
	CHECK_NEAR(points[2].high, 0.44, 1e-12);
	CHECK_NEAR(points[3].gain, 0.4, 0);
	CHECK_NEAR(points[4].gain, 0.8, 0);
	points[2] = point_at(0.5, 0.42, 0.06); /* within the settled interval */
	warm_up_bound(&warm_up, points, 5);
	CHECK_NEAR(points[2].gain, 0.41, 1e-12);
	CHECK_NEAR(points[2].high, 0.44, 1e-12);
	points[2] = point_at(0.5, 0.5, 0.02);
	points[3].windows = 2; /* too few to tell */
	warm_up_bound(&warm_up, points, 5);
	CHECK_NEAR(points[2].gain, 0.5, 0);
	points[3].windows = 3;
	warm_up.levels[2] = warm_up.measured[2] = 1; /* it has settled, too */
	warm_up_bound(&warm_up, points, 5);
	CHECK_NEAR(points[2].gain, 0.5, 0);
}
