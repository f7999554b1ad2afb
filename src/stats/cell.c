/* SPDX-License-Identifier: BSD-2-Clause */
/* cell - location, weights and spread of the ratios at one speedup. */
#include "stats/cell.h"

#include "base/memory.h"
#include "stats/summary.h"

#include <math.h>

/*
 * A ratio counts in full up to FULL_WEIGHT standard deviations from its cell's location, and not at
 * all from NO_WEIGHT on. Of normal noise this keeps 99.3 % of the efficiency; the weighted squares
 * then come to EXPECTED_SQUARES of the variance (integrals over the normal density).
 */
#define FULL_WEIGHT 2.5
#define NO_WEIGHT 4.5
#define EXPECTED_SQUARES 0.98245

static double squared(double value)
{
	return value * value;
}

bool cell_is_control(const struct cell *cell)
{
	return cell->speedup == 0;
}

double cell_median(const struct cell *cell)
{
	double *values = memory_new(cell->count, sizeof(*values));
	for (size_t i = 0; i < cell->count; i++)
		values[i] = cell->ratios[i].position;
	double median = summary_median(values, cell->count);
	free(values);
	return median;
}

/* The derivative of a position by its ratio r is 1 / (r + RATIO_OFFSET). */
void cell_set_noise(struct cell *cell, double pause_noise)
{
	double ratio = fmax(0, ratio_at(cell->location));
	double scale = 1 / squared(ratio + RATIO_OFFSET);

	cell->control_noise = scale * squared(ratio);
	cell->window_noise = scale * (squared(ratio) + pause_noise * cell->speedup);
}

double cell_ratio_variance(const struct cell *cell, size_t i)
{
	return cell->window_noise + cell->control_noise * cell->ratios[i].control_variance;
}

/* The weight of a ratio that lies so many standard deviations from the location. */
static double robust_weight(double deviations)
{
	double weight = (NO_WEIGHT - fabs(deviations)) / (NO_WEIGHT - FULL_WEIGHT);
	return fmin(1, fmax(0, weight));
}

void cell_weigh(struct cell *cell, double pooled_variance)
{
	bool small = cell->count < CELL_TRUSTED;
	double sum = 0, variance = small ? pooled_variance : cell->variance;

	for (size_t i = 0; i < cell->count; i++) {
		double off = cell->ratios[i].position - cell->location;
		cell->weights[i] =
			robust_weight(off / sqrt(variance * cell_ratio_variance(cell, i)));
		sum += cell->weights[i];
	}
	cell->is_disputed = !cell_is_control(cell) && sum < 0.5 * (double)cell->count;
	for (size_t i = 0; cell->is_disputed && i < cell->count; i++)
		cell->weights[i] = 1;
}

/* A ratio's part in the location: robust weight over variance, not normalized. */
static double cell_part(const struct cell *cell, size_t i)
{
	return cell->weights[i] / cell_ratio_variance(cell, i);
}

static double cell_parts(const struct cell *cell)
{
	double sum = 0;
	for (size_t i = 0; i < cell->count; i++)
		sum += cell_part(cell, i);
	return sum;
}

void cell_locate(struct cell *cell)
{
	double sum = 0, parts = cell_parts(cell);

	if (cell_is_control(cell) || parts <= 0)
		return;
	for (size_t i = 0; i < cell->count; i++)
		sum += cell_part(cell, i) * cell->ratios[i].position;
	cell->location = sum / parts;
}

void cell_add_loads(const struct cell *cell, double factor, double *loads)
{
	double parts = cell_parts(cell);

	for (size_t i = 0; parts > 0 && i < cell->count; i++) {
		double part = factor * cell_part(cell, i) / parts;
		for (int j = 0; j < 2; j++)
			loads[cell->ratios[i].controls[j]] += part * cell->ratios[i].weights[j];
	}
}

/* Variance of the location: errors of windows are independent, errors of a shared control not. */
void cell_amplify(struct cell *cell, double *loads)
{
	double parts = cell_parts(cell);

	cell->amplification = 0;
	cell_add_loads(cell, 1, loads);
	for (size_t i = 0; parts > 0 && i < cell->count; i++) {
		cell->amplification += cell->window_noise * squared(cell_part(cell, i) / parts);
		for (int j = 0; j < 2; j++) {
			double *load = &loads[cell->ratios[i].controls[j]];
			cell->amplification += cell->control_noise * squared(*load);
			*load = 0;
		}
	}
}

/*
 * The expected sum of the weighted squares of n ratios around their mean is n less the variance of
 * the mean: the sum of parts times the amplification, which is 1 where no control is shared.
 */
void cell_spread(struct cell *cell)
{
	double squares = 0, weights = 0;
	bool known = cell_is_control(cell);

	for (size_t i = 0; i < cell->count; i++) {
		squares += cell_part(cell, i) * squared(cell->ratios[i].position - cell->location);
		weights += cell->weights[i];
	}
	cell->own_freedom = fmax(0, known ? weights : weights - 1);
	double expected = known ? weights : weights - cell_parts(cell) * cell->amplification;
	expected = EXPECTED_SQUARES * fmax(expected, 0.1 * cell->own_freedom);
	cell->own_variance = cell->own_freedom > 0 ? squares / expected : 0;
}
