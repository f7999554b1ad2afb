/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * simulation - experiments on a simulated machine whose true effects are known, for the tests of
 * effect.h. Static functions: include it in one file of an executable only.
 */
#pragma once

#include "stats/effect.h"
#include "stats/random.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define SIMULATION_WINDOWS 2000
#define SIMULATION_SPACING_NS 110e6

struct simulation {
	size_t speedups;         /* steps of 1 / speedups, up to 1 */
	size_t windows;          /* at each speedup; as many controls in all as others */
	double noise;            /* standard deviation of each window's logarithm */
	double drift;            /* of the baseline's step from one window to the next */
	double outliers;         /* share of windows that are slowed */
	double outlier_slowdown; /* 0.3 is 30 % */
	double jumps;            /* share of windows at which the machine's level is drawn anew */
	double additive;         /* noise in parts of the control's period, whatever the gain */
	double noise_at_full;    /* noise grows with the speedup by up to this factor, less 1 */
	bool is_heavy_tailed;    /* noise is t with 3 degrees of freedom, scaled to `noise` */
	double (*gain)(double speedup);
};

static double simulation_normal(struct random *generator)
{
	double radius = sqrt(-2 * log(1 - random_uniform(generator)));
	return radius * cos(2 * M_PI * random_uniform(generator));
}

static double simulation_noise(const struct simulation *simulation, struct random *generator)
{
	double squares = 0, normal = simulation_normal(generator);
	if (!simulation->is_heavy_tailed)
		return normal;
	for (int i = 0; i < 3; i++) {
		double other = simulation_normal(generator);
		squares += other * other;
	}
	return normal / sqrt(squares / 3) / sqrt(3); /* t with 3 has variance 3 */
}

/* Windows in random order, as many controls as others. Returns their number. */
static size_t simulation_plan(const struct simulation *simulation, struct random *generator,
			      struct effect_window *windows)
{
	size_t others = simulation->speedups * simulation->windows;

	for (size_t i = 0; i < 2 * others; i++) {
		size_t step = i < others ? 1 + i / simulation->windows : 0;
		windows[i] = (struct effect_window){
			.speedup = (double)step / (double)simulation->speedups,
		};
	}
	random_shuffle(generator, windows, 2 * others, sizeof(*windows));
	return 2 * others;
}

static size_t simulation_run(const struct simulation *simulation, struct random *generator,
			     struct effect_window *windows)
{
	size_t count = simulation_plan(simulation, generator, windows);
	double baseline = log(1e6);

	for (size_t i = 0; i < count; i++) {
		struct effect_window *window = &windows[i];
		double growth = 1 + simulation->noise_at_full * window->speedup;
		baseline += simulation->drift * simulation_normal(generator);
		if (random_uniform(generator) < simulation->jumps)
			baseline = log(1e6) + 0.5 * (random_uniform(generator) - 0.5);
		double level = baseline + log(1 - simulation->gain(window->speedup)) +
			       simulation->noise * growth * simulation_noise(simulation, generator);
		if (random_uniform(generator) < simulation->outliers)
			level += log(1 + simulation->outlier_slowdown);
		window->time_ns = (uint64_t)((double)(i + 1) * SIMULATION_SPACING_NS);
		window->period_ns = exp(level);
		if (simulation->additive > 0)
			window->period_ns +=
				exp(baseline) * simulation->additive * simulation_normal(generator);
	}
	return count;
}

/* How the answers to many simulated experiments compare with the truth. */
struct simulation_score {
	double coverage;         /* part of points whose interval holds the truth */
	double bias;             /* mean of gain - truth */
	double width;            /* mean width of an interval */
	double slope_coverage;   /* of slopes, against the true gain at speedup 1 */
	double between_coverage; /* of effect_at at each speedup */
	double between_width, between_bias;
	double full_coverage, full_bias, full_width; /* of the point at speedup 1 */
};

static void simulation_score_add(struct simulation_score *score,
				 const struct simulation *simulation,
				 const struct effect_point *points, size_t count)
{
	struct effect_slope slope = effect_slope(points, count);
	double part = 1 / (double)simulation->speedups, truth = simulation->gain(1);

	score->slope_coverage += slope.low <= truth && truth <= slope.high;
	for (size_t i = 0; i < count; i++) {
		struct effect_point between;
		if (points[i].speedup == 0 || effect_at(points, count, points[i].speedup, &between))
			continue;
		truth = simulation->gain(points[i].speedup);
		bool is_covered = points[i].low <= truth && truth <= points[i].high;
		score->coverage += part * is_covered;
		if (i + 1 == count) {
			score->full_coverage += is_covered;
			score->full_bias += points[i].gain - truth;
			score->full_width += points[i].high - points[i].low;
		}
		score->bias += part * (points[i].gain - truth);
		score->width += part * (points[i].high - points[i].low);
		score->between_coverage += part * (between.low <= truth && truth <= between.high);
		score->between_width += part * (between.high - between.low);
		score->between_bias += part * (between.gain - truth);
	}
}

static struct simulation_score simulation_repeat(const struct simulation *simulation, size_t times,
						 uint64_t seed)
{
	static struct effect_window windows[SIMULATION_WINDOWS];
	struct effect_point points[64];
	struct random generator = random_seeded(seed);
	struct simulation_score score = {0};
	double *means = (double *)&score;

	for (size_t i = 0; i < times; i++) {
		size_t count = simulation_run(simulation, &generator, windows);
		count = effect_estimate(windows, count, points, 64);
		simulation_score_add(&score, simulation, points, count);
	}
	for (size_t i = 0; i < sizeof(score) / sizeof(*means); i++)
		means[i] /= (double)times;
	return score;
}
