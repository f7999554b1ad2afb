/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * effect - program speedup at each measured speedup, from ratios of neighbouring windows.
 *
 * All windows at one speedup are a cell. A cell's location is a weighted mean of its
 * ratios' positions (ratio.h): weights follow from the controls used, times a robust weight that falls to 0 for
 * ratios far from the rest, since on a shared machine some windows are simply disturbed. Its error
 * follows from the variance of one window, in which few windows borrow from all others, and
 * contains that a control used twice errs twice in the same direction.
 */
#include "stats/effect.h"

#include "base/memory.h"
#include "stats/distribution.h"
#include "stats/ratio.h"
#include "stats/summary.h"

#include <math.h>
#include <stdbool.h>

/*
 * A ratio counts in full up to FULL_WEIGHT standard deviations from its cell's location, and not at
 * all from NO_WEIGHT on. Of normal noise this keeps 99.3 % of the efficiency; the weighted squares
 * then come to EXPECTED_SQUARES of the variance (integrals over the normal density).
 */
#define FULL_WEIGHT 2.5
#define NO_WEIGHT 4.5
#define EXPECTED_SQUARES 0.98245

/*
 * A cell's variance is averaged with that of all cells, which counts as this many degrees of
 * freedom: the moderated t of Smyth (Stat. Appl. Genet. Mol. Biol. 3(1), 2004), its prior fixed.
 */
#define PRIOR_FREEDOM 6.0

/* From this many ratios on, a cell's own spread is trusted to tell which of them are far off. */
#define OWN_START 8

/*
 * Location and variance depend on each other, and are found in turn until no location moves by
 * SETTLED any more. In simulations (simulation.h in the tests) all but 0.1 % of them settle to 1e-6
 * within 12 rounds, and the others waver by less than 0.3 percentage points.
 */
#define SETTLED 1e-7
#define ROUNDS 20

/* Standard deviation of a window's position below which differences are rounding. */
#define DEVIATION_LEAST 1e-9

struct cell {
	const struct ratio *ratios;
	double *weights; /* robust ones, 0 ... 1 */
	size_t count;
	double speedup;
	double location; /* mean position of the ratios; of the control cell 0, as it must be */
	double amplification; /* squared error of the location, if one window's variance is 1 */
	double own_variance;  /* of one window's position, from this cell alone */
	double own_freedom;
	double variance; /* the same, moderated by the other cells */
	double freedom;
	bool is_disputed; /* its ratios agree so little that none can be called disturbed */
};

struct fit {
	struct ratio_set set;
	struct cell *cells;
	size_t count;
	double *weights, *loads;  /* by ratio; by window, 0 between uses */
	double *total_loads;      /* by window: its part in all the locations */
	double variance, freedom; /* pooled over the cells */
	double raw_variance;      /* the same with every ratio in full */
};

static bool is_control_cell(const struct cell *cell)
{
	return cell->speedup == 0;
}

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

static double cell_median(const struct cell *cell)
{
	double *values = memory_new(cell->count, sizeof(*values));
	for (size_t i = 0; i < cell->count; i++)
		values[i] = cell->ratios[i].position;
	double median = summary_median(values, cell->count);
	free(values);
	return median;
}

/*
 * Differences between ratios of one cell, up to three apart in time, each divided by what its
 * deviation would be if one window's were 1. Appends to `values`; returns their new number.
 */
static size_t cell_differences(const struct cell *cell, double *values, size_t known)
{
	const struct ratio *ratios = cell->ratios;

	for (size_t i = 0; i < cell->count; i++) {
		if (is_control_cell(cell))
			values[known++] = fabs(ratios[i].position) / sqrt(ratios[i].variance);
		for (size_t j = i + 1; !is_control_cell(cell) && j < cell->count && j <= i + 3; j++)
			values[known++] = fabs(ratios[i].position - ratios[j].position) /
					  sqrt(ratios[i].variance + ratios[j].variance);
	}
	return known;
}

/* Normal deviation whose absolute values have this median: a start that outliers cannot spoil. */
static double start_variance(const double *differences, size_t count)
{
	double deviation = count ? summary_median(differences, count) / 0.6744897501960817 : 0;
	return squared(fmax(deviation, DEVIATION_LEAST));
}

static void start_cells(struct fit *fit)
{
	double *differences = memory_new(3 * fit->set.count, sizeof(*differences));
	size_t known = 0;

	for (size_t i = 0; i < fit->count; i++)
		known = cell_differences(&fit->cells[i], differences, known);
	fit->variance = start_variance(differences, known);
	for (size_t i = 0; i < fit->count; i++) {
		struct cell *cell = &fit->cells[i];
		cell->location = is_control_cell(cell) ? 0 : cell_median(cell);
		if (cell->count >= OWN_START)
			cell->variance =
				start_variance(differences, cell_differences(cell, differences, 0));
	}
	free(differences);
}

/* How much a ratio counts that lies so many standard deviations off. */
static double robust_weight(double deviations)
{
	double weight = (NO_WEIGHT - fabs(deviations)) / (NO_WEIGHT - FULL_WEIGHT);
	return fmin(1, fmax(0, weight));
}

static void cell_weigh(struct cell *cell, double pooled_variance)
{
	bool small = cell->count < OWN_START;
	double sum = 0, scale = sqrt(small ? pooled_variance : cell->variance);

	for (size_t i = 0; i < cell->count; i++) {
		const struct ratio *ratio = &cell->ratios[i];
		double off = (ratio->position - cell->location) / (scale * sqrt(ratio->variance));
		cell->weights[i] = robust_weight(off);
		sum += cell->weights[i];
	}
	cell->is_disputed = !is_control_cell(cell) && sum < 0.5 * (double)cell->count;
	for (size_t i = 0; cell->is_disputed && i < cell->count; i++)
		cell->weights[i] = 1;
}

/* The parts in the location: robust weight over variance, before division by their sum. */
static double cell_part(const struct cell *cell, size_t i)
{
	return cell->weights[i] / cell->ratios[i].variance;
}

static double cell_parts(const struct cell *cell)
{
	double sum = 0;
	for (size_t i = 0; i < cell->count; i++)
		sum += cell_part(cell, i);
	return sum;
}

static void cell_locate(struct cell *cell)
{
	double sum = 0, parts = cell_parts(cell);

	if (is_control_cell(cell) || parts <= 0)
		return;
	for (size_t i = 0; i < cell->count; i++)
		sum += cell_part(cell, i) * cell->ratios[i].position;
	cell->location = sum / parts;
}

/* Adds each control's part in the location to loads[control]. */
static void cell_add_loads(const struct cell *cell, double factor, double *loads)
{
	double parts = cell_parts(cell);

	for (size_t i = 0; parts > 0 && i < cell->count; i++) {
		double part = factor * cell_part(cell, i) / parts;
		for (int j = 0; j < 2; j++)
			loads[cell->ratios[i].controls[j]] += part * cell->ratios[i].weights[j];
	}
}

/* Variance of the location: windows err independently, but a control once for all its ratios. */
static void cell_amplify(struct cell *cell, double *loads)
{
	double parts = cell_parts(cell);

	cell->amplification = 0;
	cell_add_loads(cell, 1, loads);
	for (size_t i = 0; parts > 0 && i < cell->count; i++) {
		cell->amplification += squared(cell_part(cell, i) / parts);
		for (int j = 0; j < 2; j++) {
			double *load = &loads[cell->ratios[i].controls[j]];
			cell->amplification += squared(*load);
			*load = 0;
		}
	}
}

/*
 * The weighted squares of n ratios around their mean are, on average, n minus what the mean itself
 * varies: sum of parts times amplification, which is 1 where no control is shared.
 */
static void cell_spread(struct cell *cell)
{
	double squares = 0, weights = 0;
	bool known = is_control_cell(cell);

	for (size_t i = 0; i < cell->count; i++) {
		squares += cell_part(cell, i) * squared(cell->ratios[i].position - cell->location);
		weights += cell->weights[i];
	}
	cell->own_freedom = fmax(0, known ? weights : weights - 1);
	double expected = known ? weights : weights - cell_parts(cell) * cell->amplification;
	expected = EXPECTED_SQUARES * fmax(expected, 0.1 * cell->own_freedom);
	cell->own_variance = cell->own_freedom > 0 ? squares / expected : 0;
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
	fit->variance = fmax(freedom > 0 ? sum / freedom : 0, squared(DEVIATION_LEAST));
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

/* Returns by how much the location that moved most has moved. */
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
 * Nothing tells whether a lone ratio was disturbed; so its error must hold disturbed windows too:
 * the spread of all ratios, each in full.
 */
static void widen_lone_cells(struct fit *fit)
{
	double squares = 0, freedom = 0;

	for (size_t i = 0; i < fit->count; i++) {
		const struct cell *cell = &fit->cells[i];
		for (size_t j = 0; j < cell->count; j++)
			squares += squared(cell->ratios[j].position - cell->location) /
				   cell->ratios[j].variance;
		freedom += (double)cell->count - (is_control_cell(cell) ? 0 : 1);
	}
	fit->raw_variance = freedom > 0 ? squares / freedom : 0;
	for (size_t i = 0; i < fit->count; i++)
		if (fit->cells[i].count == 1 && !is_control_cell(&fit->cells[i]))
			fit->cells[i].variance = fmax(fit->cells[i].variance, fit->raw_variance);
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
		if (!is_control_cell(&fit.cells[i]))
			cell_add_loads(&fit.cells[i], sqrt(fit.cells[i].variance), fit.total_loads);
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

	cell_add_loads(cell, sqrt(cell->variance), fit->loads);
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

/* 1 - ratio, from a position (ratio.h), and how fast it falls with it. */
static double gain_of(double position)
{
	return -(1 + RATIO_OFFSET) * expm1(position);
}

static double gain_slope(double position)
{
	return (1 + RATIO_OFFSET) * exp(position);
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
		if (is_control_cell(&fit->cells[i]))
			continue;
		points[i].shared = cell_covariance(&fit->cells[i], fit);
		sum += points[i].shared;
		cells++;
	}
	double factor = cells > 1 && sum > 0 ? sqrt(cells / ((cells - 1) * sum)) : 0;
	for (size_t i = 0; i < fit->count; i++)
		points[i].shared = fmin(points[i].error,
					gain_slope(fit->cells[i].location) * factor *
						points[i].shared);
}

static struct effect_point cell_point(const struct cell *cell, unsigned paired_controls)
{
	double error = sqrt(cell->variance * cell->amplification);
	double reach = student_quantile(0.975, fmax(1, cell->freedom)) * error;
	bool control = is_control_cell(cell);

	return (struct effect_point){
		.speedup = cell->speedup,
		.gain = control ? 0 : gain_of(cell->location),
		.low = gain_of(cell->location + reach),
		.high = gain_of(cell->location - reach),
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
 * Samples are counts, and of those in the whole run the part that fell into the observed time is
 * binomial if the target runs evenly: one-sided, two standard errors, with continuity correction.
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
