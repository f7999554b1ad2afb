/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * effect - program speedup at each measured speedup, from ratios of neighbouring windows.
 *
 * All windows at one speedup are a cell (cell.h). Its error follows from the variance of a window,
 * which is moderated by that of all cells, and from how often each control is used: a shared
 * control's errors are correlated.
 */
#include "stats/effect.h"

#include "base/memory.h"
#include "stats/distribution.h"
#include "stats/noise.h"

#include <math.h>
#include <stdbool.h>

/*
 * A cell's variance is averaged with that of all cells, which counts as this many degrees of
 * freedom: the moderated t of Smyth (Stat. Appl. Genet. Mol. Biol. 3(1), 2004), its prior fixed.
 */
#define PRIOR_FREEDOM 6.0

/*
 * Location and variance depend on each other, and are estimated in turn until no location moves by
 * SETTLED. In simulations (tests/unit/stats/simulation.h) 99.9 % converge to 1e-6 within 12 rounds;
 * the others oscillate by less than 0.3 percentage points.
 */
#define SETTLED 1e-7
#define ROUNDS 20

struct fit {
	struct ratio_set set;
	struct cell *cells;
	size_t count;
	double *weights, *loads;  /* by ratio; by window, 0 between uses */
	double *total_loads;      /* by window: its part in all the locations */
	double variance, freedom; /* pooled over the cells */
	double raw_variance;      /* the same with every ratio in full */
};

static double squared(double value)
{
	return value * value;
}

static void find_cells(struct fit *fit)
{
	const struct ratio *items = fit->set.items;
	struct cell *cell = NULL;

	fit->cells = memory_new(fit->set.count, sizeof(*fit->cells));
	for (size_t i = 0; i < fit->set.count; i++) {
		if (!cell || items[i].speedup - cell->speedup > 1e-9) {
			cell = &fit->cells[fit->count++];
			cell->ratios = &items[i];
			cell->weights = &fit->weights[i];
			cell->speedup = items[i].speedup;
		}
		fit->weights[i] = 1;
		cell->count++;
	}
}

static void start_cells(struct fit *fit)
{
	for (size_t i = 0; i < fit->count; i++) {
		struct cell *cell = &fit->cells[i];
		cell->location = cell_is_control(cell) ? 0 : cell_median(cell);
	}
	fit->variance = noise_start(fit->cells, fit->count);
}

/* Returns the degrees of freedom found; without `disputed`, such cells are left out. */
static double pool_cells(struct fit *fit, bool disputed)
{
	double sum = 0, freedom = 0;

	for (size_t i = 0; i < fit->count; i++) {
		const struct cell *cell = &fit->cells[i];
		if (cell->is_disputed && !disputed)
			continue;
		sum += cell->own_freedom * cell->own_variance;
		freedom += cell->own_freedom;
	}
	fit->freedom = freedom;
	fit->variance = fmax(freedom > 0 ? sum / freedom : 0, NOISE_VARIANCE_LEAST);
	return freedom;
}

static void cell_moderate(struct cell *cell, const struct fit *fit)
{
	double prior = fmin(PRIOR_FREEDOM, fit->freedom);
	double freedom = prior + cell->own_freedom;

	cell->variance =
		freedom > 0 ?
			(prior * fit->variance + cell->own_freedom * cell->own_variance) / freedom :
			fit->variance;
	cell->freedom = fmin(freedom, fit->freedom);
	if (cell->is_disputed)
		cell->variance = fmax(cell->variance, cell->own_variance);
}

/* Returns the largest change of a location. */
static double fit_round(struct fit *fit)
{
	double most = 0;

	for (size_t i = 0; i < fit->count; i++) {
		struct cell *cell = &fit->cells[i];
		double before = cell->location;
		cell_weigh(cell, fit->variance);
		cell_locate(cell);
		cell_amplify(cell, fit->loads);
		cell_spread(cell);
		most = fmax(most, fabs(cell->location - before));
	}
	if (pool_cells(fit, false) <= 0)
		pool_cells(fit, true);
	for (size_t i = 0; i < fit->count; i++)
		cell_moderate(&fit->cells[i], fit);
	return most;
}

/*
 * Whether a lone ratio was disturbed is unknown; so its error includes disturbed windows: it is
 * at least the spread of all ratios, each with full weight.
 */
static void widen_lone_cells(struct fit *fit)
{
	double squares = 0, freedom = 0;

	for (size_t i = 0; i < fit->count; i++) {
		const struct cell *cell = &fit->cells[i];
		for (size_t j = 0; j < cell->count; j++)
			squares += squared(cell->ratios[j].position - cell->location) /
				   cell_ratio_variance(cell, j);
		freedom += (double)cell->count - (cell_is_control(cell) ? 0 : 1);
	}
	fit->raw_variance = freedom > 0 ? squares / freedom : 0;
	for (size_t i = 0; i < fit->count; i++)
		if (fit->cells[i].count == 1 && !cell_is_control(&fit->cells[i]))
			fit->cells[i].variance = fmax(fit->cells[i].variance, fit->raw_variance);
}

/* The error of a position that a control's error of one standard deviation causes. */
static double control_error(const struct cell *cell)
{
	return sqrt(cell->variance * cell->control_noise);
}

static struct fit fit_new(const struct effect_window *windows, size_t count)
{
	struct fit fit = {.set = ratio_set_new(windows, count)};

	fit.weights = memory_new(fit.set.count, sizeof(*fit.weights));
	fit.loads = memory_new(count, sizeof(*fit.loads));
	fit.total_loads = memory_new(count, sizeof(*fit.total_loads));
	find_cells(&fit);
	start_cells(&fit);
	for (int round = 0; round < ROUNDS; round++)
		if (fit_round(&fit) < SETTLED && round)
			break;
	widen_lone_cells(&fit);
	for (size_t i = 0; i < fit.count; i++)
		if (!cell_is_control(&fit.cells[i]))
			cell_add_loads(&fit.cells[i], control_error(&fit.cells[i]),
				       fit.total_loads);
	return fit;
}

static void fit_free(struct fit *fit)
{
	free(fit->cells);
	free(fit->weights);
	free(fit->loads);
	free(fit->total_loads);
	ratio_set_free(&fit->set);
}

/* Covariance of the cell's location with the sum of all the others'. */
static double cell_covariance(const struct cell *cell, struct fit *fit)
{
	double sum = 0;

	cell_add_loads(cell, control_error(cell), fit->loads);
	for (size_t i = 0; i < cell->count; i++) {
		for (int j = 0; j < 2; j++) {
			size_t control = cell->ratios[i].controls[j];
			double load = fit->loads[control];
			sum += load * (fit->total_loads[control] - load);
			fit->loads[control] = 0;
		}
	}
	return sum;
}

/* The derivative of the gain, 1 - ratio, by the position, negated. */
static double gain_slope(double position)
{
	return ratio_at(position) + RATIO_OFFSET;
}

/*
 * Errors c with c_i c_j near the covariance of locations i and j, from the covariance r_i of each
 * with the sum of the other n - 1: c_i = r_i sqrt(n / ((n - 1) sum r)), exact where all are alike.
 * Stored in points[].shared, as errors of the gain.
 */
static void share_errors(struct fit *fit, struct effect_point *points)
{
	double sum = 0, cells = 0;

	for (size_t i = 0; i < fit->count; i++) {
		if (cell_is_control(&fit->cells[i]))
			continue;
		points[i].shared = cell_covariance(&fit->cells[i], fit);
		sum += points[i].shared;
		cells++;
	}
	double factor = cells > 1 && sum > 0 ? sqrt(cells / ((cells - 1) * sum)) : 0;
	for (size_t i = 0; i < fit->count; i++)
		points[i].shared = fmin(points[i].error, gain_slope(fit->cells[i].location) *
								 factor * points[i].shared);
}

static struct effect_point cell_point(const struct cell *cell, unsigned paired_controls)
{
	double error = sqrt(cell->variance * cell->amplification);
	double reach = student_quantile(0.975, fmax(1, cell->freedom)) * error;
	bool control = cell_is_control(cell);

	return (struct effect_point){
		.speedup = cell->speedup,
		.gain = control ? 0 : 1 - ratio_at(cell->location),
		.low = 1 - ratio_at(cell->location + reach),
		.high = 1 - ratio_at(cell->location - reach),
		.error = gain_slope(cell->location) * error,
		.windows = control ? paired_controls : (unsigned)cell->count,
	};
}

size_t effect_estimate(const struct effect_window *windows, size_t count,
		       struct effect_point *points, size_t most)
{
	struct fit fit = fit_new(windows, count);
	struct effect_point *all = memory_new(fit.count, sizeof(*all));
	size_t found = fit.freedom > 0 ? fit.count : 0;

	for (size_t i = 0; i < found; i++)
		all[i] = cell_point(&fit.cells[i], fit.set.paired_controls);
	share_errors(&fit, all);
	found = found < most ? found : most;
	for (size_t i = 0; i < found; i++)
		points[i] = all[i];
	free(all);
	fit_free(&fit);
	return found;
}

/*
 * If the target runs evenly, the number of its samples in the observed time is binomial, of those
 * in the whole run. The test is one-sided, two standard errors, with continuity correction.
 */
double effect_phase_factor(double target_ns, double observed_ns, double run_target_ns,
			   double run_ns, double sample_ns)
{
	if (!(target_ns > 0 && observed_ns > 0 && observed_ns < run_ns && sample_ns > 0))
		return 1;
	run_target_ns = fmax(run_target_ns, target_ns);
	double samples = run_target_ns / sample_ns, part = observed_ns / run_ns;
	double excess = target_ns / sample_ns - samples * part - 0.5;
	double factor = part * run_target_ns / target_ns;

	if (!(factor < 0.95) || excess < 2 * sqrt(samples * part * (1 - part)))
		return 1;
	return factor;
}
