/* SPDX-License-Identifier: BSD-2-Clause */
/* noise - the pause noise (cell.h) that makes the variances of all cells most alike. */
#include "stats/noise.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "stats/summary.h"

#include <math.h>

/* Candidate pause noises, B / A; the prior falls beyond NOISE_USUAL. */
static const double noises[] = {0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30};
#define NOISES (sizeof(noises) / sizeof(noises[0]))
#define NOISE_USUAL 3.0

/*
 * The estimate is the mean plus this many standard deviations: too much noise makes some intervals
 * wider, too little makes them wrong (docs/decisions.md, "Pause noise is estimated with a margin").
 */
#define CAUTION 0.5

/*
 * The logarithm of a cell's estimated variance has this variance and this downward bias, each
 * divided by the degrees of freedom: those of chi square (bias ln x - digamma x at x = freedom / 2,
 * variance 2 / freedom), a little more for medians.
 */
#define LOGARITHM_VARIANCE 2.5
#define LOGARITHM_BIAS 1.15
/* True variances of cells differ, too, and those of disturbed cells are outliers: Student's t. */
#define VARIANCE_LEAST 0.05
#define TAIL_FREEDOM 3.0
#define ROUNDS 8

/* Differences are taken between ratios that are up to so many apart in time. */
#define APART_MOST 3

CLEANUP_DEFINE(reals, double *, free, NULL)

static double squared(double value)
{
	return value * value;
}

static double freedom_of(const struct cell *cell)
{
	return (double)cell->count - (cell_is_control(cell) ? 0 : 1);
}

/*
 * Differences between ratios of one cell, in units of their standard deviation at A = 1. Appends to
 * `values`; returns their new number.
 */
static size_t add_differences(const struct cell *cell, double *values, size_t known)
{
	const struct ratio *ratios = cell->ratios;

	for (size_t i = 0; i < cell->count; i++) {
		double variance = cell_ratio_variance(cell, i);
		if (cell_is_control(cell)) {
			values[known++] = fabs(ratios[i].position) / sqrt(variance);
			continue;
		}
		for (size_t j = i + 1; j < cell->count && j <= i + APART_MOST; j++)
			values[known++] = fabs(ratios[i].position - ratios[j].position) /
					  sqrt(variance + cell_ratio_variance(cell, j));
	}
	return known;
}

/* The variance of the normal distribution whose absolute values have this median. */
static double median_variance(const double *differences, size_t count)
{
	double deviation = count ? summary_median(differences, count) / 0.6744897501960817 : 0;
	return fmax(squared(deviation), NOISE_VARIANCE_LEAST);
}

/* Of the cells' variances having one common value, at its most likely one. */
static double log_likelihood(const struct cell *cells, const double *logarithms, size_t count)
{
	double center = 0, likelihood = 0;

	for (int round = 0; round <= ROUNDS; round++) {
		double sum = 0, parts = 0;
		for (size_t i = 0; i < count; i++) {
			if (freedom_of(&cells[i]) < 1)
				continue;
			double variance =
				LOGARITHM_VARIANCE / freedom_of(&cells[i]) + VARIANCE_LEAST;
			double off = round ? squared(logarithms[i] - center) / variance : 0;
			double part = (TAIL_FREEDOM + 1) / (TAIL_FREEDOM + off) / variance;
			sum += part * logarithms[i];
			parts += part;
			if (round == ROUNDS)
				likelihood -= 0.5 * (TAIL_FREEDOM + 1) * log1p(off / TAIL_FREEDOM);
		}
		center = parts > 0 ? sum / parts : 0;
	}
	return likelihood;
}

static double try_noise(struct cell *cells, size_t count, double pause_noise, double *differences)
{
	AUTO(reals) double *logarithms = memory_new(count, sizeof(*logarithms));

	for (size_t i = 0; i < count; i++) {
		cell_set_noise(&cells[i], pause_noise);
		size_t known = add_differences(&cells[i], differences, 0);
		if (freedom_of(&cells[i]) >= 1)
			logarithms[i] = log(median_variance(differences, known)) +
					LOGARITHM_BIAS / freedom_of(&cells[i]);
	}
	return log_likelihood(cells, logarithms, count);
}

/* The geometric mean of the candidates, weighted by posterior probability, plus the margin. */
static double likely_noise(struct cell *cells, size_t count, double *differences)
{
	double likelihoods[NOISES], best = -INFINITY, sum = 0, mean = 0, squares = 0;

	for (size_t i = 0; i < NOISES; i++) {
		likelihoods[i] = try_noise(cells, count, noises[i], differences);
		best = fmax(best, likelihoods[i]);
	}
	for (size_t i = 0; i < NOISES; i++) {
		double part = exp(likelihoods[i] - best) / (1 + noises[i] / NOISE_USUAL);
		sum += part;
		mean += part * log(noises[i]);
		squares += part * squared(log(noises[i]));
	}
	mean /= sum;
	return exp(mean + CAUTION * sqrt(fmax(0, squares / sum - squared(mean))));
}

double noise_start(struct cell *cells, size_t count)
{
	size_t ratios = 0, known = 0;
	for (size_t i = 0; i < count; i++)
		ratios += cells[i].count;
	AUTO(reals) double *differences = memory_new(APART_MOST * ratios, sizeof(*differences));
	double pause_noise = likely_noise(cells, count, differences);

	for (size_t i = 0; i < count; i++) {
		cell_set_noise(&cells[i], pause_noise);
		if (cells[i].count >= CELL_TRUSTED)
			cells[i].variance =
				median_variance(differences,
						add_differences(&cells[i], differences, 0));
	}
	for (size_t i = 0; i < count; i++)
		known = add_differences(&cells[i], differences, known);
	return median_variance(differences, known);
}
