/* SPDX-License-Identifier: BSD-2-Clause */
/* effect_curve - a slope through the measured points, and values between them. */
#include "base/cleanup.h"
#include "base/memory.h"
#include "stats/distribution.h"
#include "stats/effect.h"

#include <math.h>
#include <stdbool.h>

/* Of the normal distribution; points made from few windows bring a larger one. */
#define QUANTILE_LEAST 1.959963984540054

/* Least error, a hundredth of a percentage point: the matrices stay well-conditioned. */
#define ERROR_LEAST 1e-4

/* Of stretches of time (effect_limit_freedom): their most length, and the gap that ends one. */
#define STRETCH_NS 1e9
#define GAP_NS 5e8
#define FREEDOM_LEAST 2.0

/* Freedoms that are told by a quantile: beyond, t is normal. */
#define FREEDOM_MOST 1e4
#define FREEDOM_STEPS 60

/* effect_at answers up to this far from a measured point. */
#define NEAR_SPEEDUP 0.25

/* The windows of a point with less than this weight do not count for an answer of effect_at. */
#define WEIGHT_COUNTED 0.1

/* Prior standard deviation of slopes: larger than any possible slope. */
#define SLOPE_PRIOR 3.0

CLEANUP_DEFINE(reals, double *, free, NULL)
CLEANUP_DEFINE(points, struct effect_point *, free, NULL)

static double squared(double value)
{
	return value * value;
}

/* The points that were measured at a speedup above 0, with errors of at least the least. */
static struct effect_point *measured_points(const struct effect_point *points, size_t count,
					    size_t *found)
{
	struct effect_point *measured = memory_new(count, sizeof(*measured));

	*found = 0;
	for (size_t i = 0; i < count; i++) {
		if (!(points[i].speedup > 0) || !isfinite(points[i].gain + points[i].error))
			continue;
		struct effect_point *point = &measured[(*found)++];
		*point = points[i];
		point->error = fmax(point->error, ERROR_LEAST);
		point->shared = fmin(fmax(point->shared, 0), 0.99 * point->error);
	}
	return measured;
}

/* The quantile of t with which a point's interval was made. */
static double point_quantile(const struct effect_point *point)
{
	double quantile = (point->high - point->low) / (2 * point->error);
	return quantile > QUANTILE_LEAST ? quantile : QUANTILE_LEAST;
}

/* Error and quantile of sum parts[i] points[i].gain, whose errors are partly shared. */
struct combination {
	double error, quantile;
};

static struct combination combine(const struct effect_point *points, const double *parts,
				  size_t count)
{
	double own = 0, shared = 0, spread = 0, quantiles = 0;

	for (size_t i = 0; i < count; i++) {
		double variance = squared(parts[i] * points[i].error);
		spread += variance;
		quantiles += variance * point_quantile(&points[i]);
		own += variance - squared(parts[i] * points[i].shared);
		shared += parts[i] * points[i].shared;
	}
	return (struct combination){
		.error = sqrt(own + squared(shared)),
		.quantile = spread > 0 ? quantiles / spread : QUANTILE_LEAST,
	};
}

/*
 * The factor by which the points scatter about the line more than their errors explain, at least 1
 * (Birge, Phys. Rev. 40, 1932).
 */
static double scatter(const struct effect_point *points, size_t count, double slope)
{
	double chi_square = 0;

	for (size_t i = 0; i < count; i++)
		chi_square +=
			squared((points[i].gain - slope * points[i].speedup) / points[i].error);
	return count > 1 ? sqrt(fmax(1, chi_square / (double)(count - 1))) : 1;
}

void effect_point_widen(struct effect_point *point, double error)
{
	point->low = point->gain - hypot(point->gain - point->low, QUANTILE_LEAST * error);
	point->high = point->gain + hypot(point->high - point->gain, QUANTILE_LEAST * error);
	point->error = hypot(point->error, error);
	point->shared = hypot(point->shared, error);
}

void effect_add_method_error(struct effect_point *points, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (points[i].speedup > 0)
			effect_point_widen(&points[i],
					   EFFECT_METHOD_ERROR +
						   EFFECT_METHOD_SHARE * fabs(points[i].gain));
}

/* Windows are in the order of time. */
static unsigned count_stretches(const struct effect_window *windows, size_t count)
{
	const struct effect_window *first = NULL, *last = NULL;
	unsigned stretches = 0;

	for (size_t i = 0; i < count; i++) {
		const struct effect_window *window = &windows[i];
		if (!(window->speedup > 0))
			continue;
		if (!last || window->run != last->run ||
		    (double)window->time_ns - (double)last->time_ns > GAP_NS ||
		    (double)window->time_ns - (double)first->time_ns > STRETCH_NS) {
			stretches++;
			first = window;
		}
		last = window;
	}
	return stretches;
}

void effect_limit_freedom(struct effect_point *points, size_t count,
			  const struct effect_window *windows, size_t window_count)
{
	double stretches = count_stretches(windows, window_count);
	double least = student_quantile(0.975, fmax(stretches, FREEDOM_LEAST));

	for (size_t i = 0; i < count; i++) {
		double quantile = point_quantile(&points[i]);
		if (points[i].speedup <= 0 || !(points[i].error > 0) || quantile >= least)
			continue;
		double factor = least / quantile;
		points[i].low = points[i].gain - factor * (points[i].gain - points[i].low);
		points[i].high = points[i].gain + factor * (points[i].high - points[i].gain);
	}
}

struct effect_slope effect_slope(const struct effect_point *points, size_t count)
{
	struct effect_slope answer = {0};
	size_t found;
	AUTO(points) struct effect_point *measured = measured_points(points, count, &found);
	AUTO(reals) double *parts = memory_new(found, sizeof(*parts));
	double norm = 0;

	if (!found)
		return answer;
	for (size_t i = 0; i < found; i++)
		norm += squared(measured[i].speedup / measured[i].error);
	for (size_t i = 0; i < found; i++) {
		parts[i] = measured[i].speedup / squared(measured[i].error) / norm;
		answer.slope += parts[i] * measured[i].gain;
		answer.windows += measured[i].windows;
	}
	struct combination combined = combine(measured, parts, found);
	double reach = combined.quantile * combined.error * scatter(measured, found, answer.slope);
	answer.low = answer.slope - reach;
	answer.high = answer.slope + reach;
	return answer;
}

static double beyond(double quantile, double inverse)
{
	return student_probability(quantile, 1 / inverse) - 0.975;
}

/*
 * The freedom whose 97.5 % quantile this is, from 1 to FREEDOM_MOST. The probability is nearly a
 * straight line over the inverse of the freedom: false position, as Illinois has it (Dowell and
 * Jarratt, BIT 11, 1971).
 */
static double freedom_of(double quantile)
{
	double left = 1 / FREEDOM_MOST, right = 1;
	double above = beyond(quantile, left), below = beyond(quantile, right);
	int side = 0;

	if (!(above > 0))
		return FREEDOM_MOST;
	if (below >= 0)
		return 1;
	for (int i = 0; i < FREEDOM_STEPS && right - left > 1e-10 * left; i++) {
		double middle = (left * below - right * above) / (below - above);
		double value = beyond(quantile, middle);
		if (fabs(value) < 1e-13)
			return 1 / middle;
		if (value > 0) {
			left = middle;
			above = value;
			below *= side > 0 ? 0.5 : 1;
			side = 1;
		} else {
			right = middle;
			below = value;
			above *= side < 0 ? 0.5 : 1;
			side = -1;
		}
	}
	return 1 / left;
}

double effect_probability(const struct effect_point *points, size_t count, double least,
			  double most, double *tendency)
{
	size_t found;
	AUTO(points) struct effect_point *measured = measured_points(points, count, &found);
	AUTO(reals) double *parts = memory_new(found, sizeof(*parts));
	double norm = 0, slope = 0;

	*tendency = 0;
	if (!found)
		return 1;
	for (size_t i = 0; i < found; i++)
		norm += squared(measured[i].speedup / measured[i].error);
	for (size_t i = 0; i < found; i++) {
		parts[i] = measured[i].speedup / squared(measured[i].error) / norm;
		slope += parts[i] * measured[i].gain;
	}
	struct combination combined = combine(measured, parts, found);
	double likely = fmin(fmax(slope, least), most);
	/* Twice the logarithm of the likelihood ratio; the square of t within the bounds. */
	double ratio = (2 * slope * likely - squared(likely)) / squared(combined.error);
	*tendency = slope;
	return 2 * (1 - student_probability(sqrt(fmax(ratio, 0)), freedom_of(combined.quantile)));
}

double effect_probability_above(const struct effect_point *points, size_t count, double slope)
{
	size_t found;
	AUTO(points) struct effect_point *measured = measured_points(points, count, &found);
	double least = 1;

	for (size_t i = 0; i < found; i++) {
		double above = measured[i].gain - slope * measured[i].speedup;
		/* Student's t is less likely to be below than the normal number. */
		if (!(above > 0) ||
		    (double)found * normal_probability(-above / measured[i].error) >= least)
			continue;
		double freedom = freedom_of(point_quantile(&measured[i]));
		least = fmin(least,
			     (double)found *
				     (1 - student_probability(above / measured[i].error, freedom)));
	}
	return least;
}

/*
 * The prior of a curve is a straight line through the origin, of any slope, plus integrated
 * Brownian motion of strength `bend`; its posterior mean is the cubic smoothing spline (Wahba,
 * J. R. Stat. Soc. B 45, 1983). Covariance of its values:
 */
static double curve_covariance(double a, double b, double bend)
{
	double low = a < b ? a : b, high = a < b ? b : a;
	return squared(SLOPE_PRIOR) * a * b + squared(bend * low) * (3 * high - low) / 6;
}

/* Lower triangle L with L L' = matrix, in place; row by row. The matrix is positive definite. */
static void factorize(double *matrix, size_t size)
{
	for (size_t row = 0; row < size; row++) {
		for (size_t column = 0; column <= row; column++) {
			double sum = matrix[row * size + column];
			for (size_t i = 0; i < column; i++)
				sum -= matrix[row * size + i] * matrix[column * size + i];
			matrix[row * size + column] = row == column ?
							      sqrt(fmax(sum, 1e-30)) :
							      sum / matrix[column * size + column];
		}
	}
}

/* Solves L L' x = vector, in place. */
static void solve(const double *factor, size_t size, double *vector)
{
	for (size_t row = 0; row < size; row++) {
		for (size_t i = 0; i < row; i++)
			vector[row] -= factor[row * size + i] * vector[i];
		vector[row] /= factor[row * size + row];
	}
	for (size_t row = size; row-- > 0;) {
		for (size_t i = row + 1; i < size; i++)
			vector[row] -= factor[i * size + row] * vector[i];
		vector[row] /= factor[row * size + row];
	}
}

/* For one bend: the value that was asked for, and the likelihood of the points. */
struct curve {
	double gain, variance;
	double log_likelihood; /* up to a constant that all bends share */
};

/* Sets `parts`, the points' weights in the gain. `room`: count x (count + 1) numbers to work in. */
static struct curve curve_fit(const struct effect_point *points, size_t count, double speedup,
			      double bend, double *parts, double *room)
{
	struct curve curve = {.variance = curve_covariance(speedup, speedup, bend)};
	double *matrix = room, *solved = room + count * count;

	for (size_t row = 0; row < count; row++) {
		for (size_t column = 0; column <= row; column++)
			matrix[row * count + column] =
				curve_covariance(points[row].speedup, points[column].speedup,
						 bend) +
				(row == column ? squared(points[row].error) :
						 points[row].shared * points[column].shared);
		parts[row] = curve_covariance(points[row].speedup, speedup, bend);
		solved[row] = points[row].gain;
	}
	factorize(matrix, count);
	solve(matrix, count, parts);
	solve(matrix, count, solved);
	for (size_t i = 0; i < count; i++) {
		curve.gain += parts[i] * points[i].gain;
		curve.variance -= parts[i] * curve_covariance(points[i].speedup, speedup, bend);
		curve.log_likelihood -=
			log(matrix[i * count + i]) + 0.5 * solved[i] * points[i].gain;
	}
	curve.variance = fmax(curve.variance, 0);
	return curve;
}

/* Candidate bends: a slope's change over the whole range; likely ones are 0.3 to 1. */
static const double bends[] = {0.03, 0.1, 0.3, 1, 3};
#define BENDS (sizeof(bends) / sizeof(bends[0]))

/* Half-Cauchy of scale 0.5, on a logarithmic grid. */
static double bend_prior(double bend)
{
	return bend / (1 + squared(bend / 0.5));
}

/* Mean of the curves over the bends, weighted by likelihood and prior. */
static struct curve mean_curve(const struct effect_point *points, size_t count, double speedup,
			       double *mean_parts)
{
	AUTO(reals) double *parts = memory_new(BENDS * count, sizeof(*parts));
	AUTO(reals) double *room = memory_new(count * (count + 1), sizeof(*room));
	struct curve curves[BENDS], mean = {0};
	double best = -INFINITY, sum = 0;

	for (size_t i = 0; i < BENDS; i++) {
		curves[i] = curve_fit(points, count, speedup, bends[i], parts + i * count, room);
		best = fmax(best, curves[i].log_likelihood);
	}
	for (size_t i = 0; i < BENDS; i++)
		sum += bend_prior(bends[i]) * exp(curves[i].log_likelihood - best);
	for (size_t i = 0; i < BENDS; i++) {
		double part = bend_prior(bends[i]) * exp(curves[i].log_likelihood - best) / sum;
		mean.gain += part * curves[i].gain;
		mean.variance += part * (curves[i].variance + squared(curves[i].gain));
		for (size_t j = 0; j < count; j++)
			mean_parts[j] += part * parts[i * count + j];
	}
	mean.variance = fmax(mean.variance - squared(mean.gain), 0);
	return mean;
}

static bool is_near(const struct effect_point *points, size_t count, double speedup)
{
	for (size_t i = 0; i < count; i++)
		if (fabs(points[i].speedup - speedup) <= NEAR_SPEEDUP + 1e-9)
			return true;
	return false;
}

int effect_at(const struct effect_point *points, size_t count, double speedup,
	      struct effect_point *answer)
{
	size_t found;
	AUTO(points) struct effect_point *measured = measured_points(points, count, &found);
	AUTO(reals) double *parts = memory_new(found, sizeof(*parts));

	*answer = (struct effect_point){.speedup = speedup};
	if (!is_near(measured, found, speedup))
		return -1;
	struct curve curve = mean_curve(measured, found, speedup, parts);
	struct combination combined = combine(measured, parts, found);
	answer->gain = curve.gain;
	answer->error = sqrt(curve.variance);
	answer->low = answer->gain - combined.quantile * answer->error;
	answer->high = answer->gain + combined.quantile * answer->error;
	for (size_t i = 0; i < found; i++)
		if (fabs(parts[i]) >= WEIGHT_COUNTED)
			answer->windows += measured[i].windows;
	return 0;
}
