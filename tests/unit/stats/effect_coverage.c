/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests the coverage of the intervals of stats/effect.h: on a simulated machine that drifts and is
 * disturbed, 95 of 100 intervals hold the truth. Prints the coverage.
 */
#include "check.h"
#include "simulation.h"

static double line(double speedup)
{
	return 0.5 * speedup;
}

static double everything(double speedup)
{
	return speedup;
}

static double knee(double speedup)
{
	return fmin(0.75 * speedup, 0.3);
}

/* Five speedups; the speed drifts by 1 % a window, 5 % of windows are 30 % slower. */
static const struct simulation machine = {
	.speedups = 5,
	.noise = 0.02,
	.drift = 0.01,
	.outliers = 0.05,
	.outlier_slowdown = 0.3,
	.gain = line,
};

static struct simulation_score score_of(struct simulation simulation, size_t windows, size_t times)
{
	simulation.windows = windows;
	struct simulation_score score = simulation_repeat(&simulation, times, 20240607 + windows);
	printf("# %zu windows: coverage %.1f %%, bias %+.2f points, width %.1f points; "
	       "slope %.1f %%; "
	       "curve %.1f %%, width %.1f points\n",
	       windows, 100 * score.coverage, 100 * score.bias, 100 * score.width,
	       100 * score.slope_coverage, 100 * score.between_coverage, 100 * score.between_width);
	printf("#   at speedup 1: coverage %.1f %%, bias %+.2f points, width %.1f points\n",
	       100 * score.full_coverage, 100 * score.full_bias, 100 * score.full_width);
	return score;
}

static bool is_honest(const struct simulation_score *score)
{
	return score->coverage >= 0.92 && score->coverage <= 0.985 && fabs(score->bias) < 0.0025 &&
	       score->slope_coverage >= 0.92 && score->between_coverage >= 0.92 &&
	       score->full_coverage >= 0.92;
}

TEST("with 3 windows a speedup, intervals on a drifting, disturbed machine are honest")
{
	struct simulation_score score = score_of(machine, 3, 2000);
	CHECK(is_honest(&score));
	CHECK(score.width < 0.08);
}

TEST("with 6 windows a speedup, intervals on a drifting, disturbed machine are honest")
{
	struct simulation_score score = score_of(machine, 6, 2000);
	CHECK(is_honest(&score));
	CHECK(score.width < 0.05);
}

TEST("with 25 windows a speedup, intervals on a drifting, disturbed machine are honest")
{
	struct simulation_score score = score_of(machine, 25, 2000);
	CHECK(is_honest(&score));
	CHECK(score.width < 0.02);
}

TEST("with 1 window a speedup, nine intervals of ten hold the truth all the same")
{
	CHECK(score_of(machine, 1, 1000).coverage >= 0.9);
}

TEST("on a calm machine intervals are honest")
{
	struct simulation calm = {.speedups = 5, .noise = 0.02, .gain = line};
	struct simulation_score score = score_of(calm, 6, 500);
	CHECK(is_honest(&score));
}

TEST("on a machine that drifts much more than windows vary, intervals are honest")
{
	struct simulation drifting = {.speedups = 5, .noise = 0.01, .drift = 0.03, .gain = line};
	struct simulation_score score = score_of(drifting, 6, 500);
	CHECK(is_honest(&score));
}

TEST("on a machine that jumps between speeds, intervals are honest")
{
	struct simulation jumping = {.speedups = 5, .noise = 0.01, .jumps = 0.1, .gain = line};
	struct simulation_score score = score_of(jumping, 12, 500);
	CHECK(is_honest(&score));
}

TEST("where noise triples towards full speedup, intervals are honest")
{
	struct simulation uneven = {.speedups = 5, .noise = 0.01, .noise_at_full = 2, .gain = line};
	struct simulation_score score = score_of(uneven, 12, 500);
	CHECK(is_honest(&score));
}

TEST("with heavy-tailed noise, intervals are honest")
{
	struct simulation heavy = {.speedups = 5,
				   .noise = 0.04,
				   .is_heavy_tailed = true,
				   .gain = line};
	struct simulation_score score = score_of(heavy, 6, 500);
	CHECK(is_honest(&score));
}

/*
 * At speedup 1 all of the program is gone but noise of 3 % of the controls' period: every other
 * window is below 0.
 */
static bool is_honest_about_everything(size_t windows, size_t times)
{
	struct simulation simulation = {.speedups = 5, .additive = 0.03, .gain = everything};
	struct simulation_score score = score_of(simulation, windows, times);
	return is_honest(&score) && fabs(score.full_bias) < 0.005 && score.full_coverage <= 0.985;
}

TEST("of a target that is the whole program, few windows give honest intervals")
{
	CHECK(is_honest_about_everything(3, 3000));
	CHECK(is_honest_about_everything(6, 1000));
}

TEST("of a target that is the whole program, many windows give honest intervals")
{
	CHECK(is_honest_about_everything(25, 400));
}

TEST("read off a curve with a knee, intervals are honest")
{
	struct simulation saturating = machine;
	saturating.gain = knee;
	struct simulation_score score = score_of(saturating, 12, 500);
	CHECK(score.between_coverage >= 0.92);
	CHECK_NEAR(score.between_bias, 0, 0.003);
}
