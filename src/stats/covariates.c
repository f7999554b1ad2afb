/* SPDX-License-Identifier: BSD-2-Clause */
/* covariates - a robust regression on two variables, and the shrunken difference of work. */
#include "stats/covariates.h"

#include "base/cleanup.h"
#include "stats/summary.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define NEAR_NS 1e9   /* controls further apart are no pair */
#define PAIRS_LEAST 6 /* fewer tell nothing */
#define ROUNDS 6
#define GRID 20
#define GRID_WORK_MOST 2.0
#define GRID_PAIRS_MOST 10000   /* of more, evenly chosen ones tell where to begin */
#define GRID_WORK_USUAL 5       /* WORK_USUAL on the grid */
#define GRID_DISPLACED_USUAL 10 /* DISPLACED_USUAL */
#define TAIL_FREEDOM 4.0        /* disturbed windows: the residuals are Student's t */
#define SPREAD_LEAST 1e-5

/* Waits are left out of work where so much less of the scatter is left without them. */
#define CPU_LEAST 0.95

/*
 * What few pairs say is averaged with what most programs are like: mean and standard deviation.
 * Of one thread all work is on the path (1); of many, a slow core is a part of the work (more).
 */
#define WORK_USUAL 0.5
#define WORK_DEVIATION 0.5
#define WORK_MOST 3.0
#define DISPLACED_USUAL 0.5
#define DISPLACED_DEVIATION 0.5
#define LEFT_LEAST 0.1 /* of a period, whatever was displaced */

/*
 * Other programs that take turns with this one stretch waits and pauses by more than the linear
 * term: a standard error of this part of the mean displaced share stays, and of up to three times
 * that where the share is far above DISPLACED_MUCH. Half of a run beside a program that took 0.3 of
 * two cores told 10 points for 0.
 */
#define DISPLACED_REST 0.25
#define DISPLACED_MUCH 0.1

/*
 * Candidate standard deviations of the logarithm by which the work of a visit truly differs where
 * all of the time is paused; at less it is in proportion, as nothing else is done to the program.
 */
static const double differences[] = {0.003, 0.01, 0.03, 0.1, 0.3, 1};
#define CAUTION 1.25 /* of the error of the shrunken difference, as it is not normal */
#define DIFFERENCES (sizeof(differences) / sizeof(differences[0]))

/* By how much the logarithm of work differs at a speedup, and the error of that. */
struct work_point {
	double speedup, measured, error;
	double smooth, smooth_error; /* by all speedups: on a smooth curve */
	double paused;               /* part of the time */
	double change, change_error; /* after shrinking */
};

CLEANUP_DEFINE(windows, struct effect_window *, free, NULL)
CLEANUP_DEFINE(points, struct effect_point *, free, NULL)
CLEANUP_DEFINE(reals, double *, free, NULL)
CLEANUP_DEFINE(changes, struct work_point *, free, NULL)

static double squared(double value)
{
	return value * value;
}

static bool is_known(const struct effect_window *window)
{
	return window->period_ns > 0 && window->work_ns > 0;
}

void covariate_pairs_add(struct covariate_pairs *pairs, const struct effect_window *windows,
			 size_t count)
{
	const struct effect_window *last = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct effect_window *window = &windows[i];
		if (window->speedup > 0 || !is_known(window))
			continue;
		if (last && last->run == window->run &&
		    (double)window->time_ns - (double)last->time_ns <= NEAR_NS)
			*array_add(&pairs->items) = (struct covariate_pair){
				.period = log(window->period_ns / last->period_ns),
				.work = log(window->work_ns / last->work_ns),
				.cpu = log(window->cpu_ns / last->cpu_ns),
				.displaced = {last->displaced, window->displaced},
			};
		last = window;
	}
}

double covariates_left(const struct covariates *covariates, double displaced)
{
	return fmax(1 - covariates->displaced * displaced, LEFT_LEAST);
}

static double residual_of(const struct covariate_pair *pair, const struct covariates *covariates)
{
	return pair->period - covariates->work * pair->work +
	       log(covariates_left(covariates, pair->displaced[1]) /
		   covariates_left(covariates, pair->displaced[0]));
}

/* The change of a pair's residual with the part of displaced time that is lost; its negative. */
static double displaced_slope(const struct covariate_pair *pair,
			      const struct covariates *covariates)
{
	return pair->displaced[1] / covariates_left(covariates, pair->displaced[1]) -
	       pair->displaced[0] / covariates_left(covariates, pair->displaced[0]);
}

/* Of the residuals: from their median, which disturbed windows hardly change. */
static double spread_of(const struct covariate_pairs *pairs, const struct covariates *covariates)
{
	size_t count = pairs->items.count;
	AUTO(reals) double *sizes = memory_new(count, sizeof(*sizes));

	for (size_t i = 0; i < count; i++)
		sizes[i] = fabs(residual_of(&pairs->items.items[i], covariates));
	return fmax(summary_median(sizes, count) / 0.6744897501960817, SPREAD_LEAST);
}

/* A step of Gauss and Newton: the posterior mean, at the weights of the last round's residuals. */
static struct covariates fit_round(const struct covariate_pairs *pairs,
				   const struct covariates *before)
{
	double spread = spread_of(pairs, before);
	double ww = squared(spread / WORK_DEVIATION), wd = 0,
	       dd = squared(spread / DISPLACED_DEVIATION);
	double wy = ww * WORK_USUAL, dy = dd * DISPLACED_USUAL;

	for (size_t i = 0; i < pairs->items.count; i++) {
		const struct covariate_pair *pair = &pairs->items.items[i];
		double residual = residual_of(pair, before), off = residual / spread;
		double weight = (TAIL_FREEDOM + 1) / (TAIL_FREEDOM + squared(off));
		double displaced = displaced_slope(pair, before);
		double change =
			residual + before->work * pair->work + before->displaced * displaced;
		ww += weight * squared(pair->work);
		wd += weight * pair->work * displaced;
		dd += weight * squared(displaced);
		wy += weight * pair->work * change;
		dy += weight * displaced * change;
	}
	double determinant = ww * dd - wd * wd;
	return (struct covariates){
		.work = fmin(fmax((dd * wy - wd * dy) / determinant, 0), WORK_MOST),
		.displaced = fmin(fmax((ww * dy - wd * wy) / determinant, 0), 1),
	};
}

static struct covariates grid_point(size_t work, size_t displaced)
{
	return (struct covariates){.work = (double)work * GRID_WORK_MOST / GRID,
				   .displaced = (double)displaced / GRID};
}

/* Adds up absolute residuals at one displaced part, for each work of the grid. */
static void add_sizes(const struct covariate_pairs *pairs, size_t displaced, double *sums)
{
	struct covariates none = grid_point(0, displaced);
	size_t step = 1 + pairs->items.count / GRID_PAIRS_MOST;

	for (size_t i = 0; i < pairs->items.count; i += step) {
		const struct covariate_pair *pair = &pairs->items.items[i];
		double residual = residual_of(pair, &none);
		for (size_t work = 0; work <= GRID; work++)
			sums[work] += fabs(residual - grid_point(work, 0).work * pair->work);
	}
}

/*
 * The least absolute residuals on a grid. Where most pairs are calm their spread is small, and to
 * the rounds below all disturbed pairs would be outliers, whatever they say. Of equal ones the
 * usual values count.
 */
static struct covariates fit_roughly(const struct covariate_pairs *pairs)
{
	double sums[GRID + 1][GRID + 1] = {0};
	size_t best_work = GRID_WORK_USUAL, best_displaced = GRID_DISPLACED_USUAL;

	for (size_t displaced = 0; displaced <= GRID; displaced++)
		add_sizes(pairs, displaced, sums[displaced]);
	for (size_t work = 0; work <= GRID; work++) {
		for (size_t displaced = 0; displaced <= GRID; displaced++) {
			if (!(sums[displaced][work] < sums[best_displaced][best_work]))
				continue;
			best_work = work;
			best_displaced = displaced;
		}
	}
	return grid_point(best_work, best_displaced);
}

static struct covariates fit_work(const struct covariate_pairs *pairs)
{
	struct covariates covariates = fit_roughly(pairs);
	for (int round = 0; round < ROUNDS; round++)
		covariates = fit_round(pairs, &covariates);
	covariates.scatter = spread_of(pairs, &(struct covariates){0}) / M_SQRT2;
	covariates.left = spread_of(pairs, &covariates) / M_SQRT2;
	return covariates;
}

static bool knows_cpu(const struct covariate_pairs *pairs)
{
	bool known = true;

	for (size_t i = 0; i < pairs->items.count; i++)
		known = known && isfinite(pairs->items.items[i].cpu);
	return known;
}

static struct covariates fit_cpu(const struct covariate_pairs *pairs)
{
	struct covariate_pairs copy = {0};

	for (size_t i = 0; i < pairs->items.count; i++) {
		struct covariate_pair *pair = array_add(&copy.items);
		*pair = pairs->items.items[i];
		pair->work = pair->cpu;
	}
	struct covariates covariates = fit_work(&copy);
	covariates.is_cpu = true;
	array_free(&copy.items);
	return covariates;
}

struct covariates covariates_fit(const struct covariate_pairs *pairs)
{
	if (pairs->items.count < PAIRS_LEAST)
		return (struct covariates){0};
	struct covariates of_work = fit_work(pairs);
	if (!knows_cpu(pairs))
		return of_work;
	struct covariates of_cpu = fit_cpu(pairs);
	return of_cpu.left < of_work.left * CPU_LEAST ? of_cpu : of_work;
}

/* The difference if its true values have this deviation: its mean, and adds to both moments. */
static void shrink(struct work_point *point, double deviation, double part)
{
	double variance = squared(deviation * point->paused), own = squared(point->smooth_error);
	double kept = variance / (variance + own), mean = kept * point->smooth;

	point->change += part * mean;
	point->change_error += part * (kept * own + squared(mean));
}

static double log_likelihood(const struct work_point *points, size_t count, double deviation)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		double variance = squared(deviation * points[i].paused) + squared(points[i].error);
		sum -= 0.5 * (log(variance) + squared(points[i].measured) / variance);
	}
	return sum;
}

/* The mean over the candidate deviations, weighted by likelihood. */
static void shrink_all(struct work_point *points, size_t count)
{
	double likelihoods[DIFFERENCES], best = -INFINITY, sum = 0;

	for (size_t i = 0; i < DIFFERENCES; i++) {
		likelihoods[i] = log_likelihood(points, count, differences[i]);
		best = fmax(best, likelihoods[i]);
	}
	for (size_t i = 0; i < DIFFERENCES; i++)
		sum += likelihoods[i] = exp(likelihoods[i] - best);
	for (size_t i = 0; i < count; i++) {
		struct work_point *point = &points[i];
		for (size_t j = 0; j < DIFFERENCES; j++)
			shrink(point, differences[j], likelihoods[j] / sum);
		double error = sqrt(fmax(0, point->change_error - squared(point->change)));
		point->change_error = fmin(CAUTION * error, point->smooth_error);
	}
}

/* All but the target pauses for the speedup's part of the time in which it runs. */
static double paused_at(const struct effect_window *windows, size_t count, double speedup)
{
	double sum = 0, known = 0;

	for (size_t i = 0; i < count; i++) {
		if (fabs(windows[i].speedup - speedup) > 1e-9)
			continue;
		sum += windows[i].in_target;
		known++;
	}
	return known > 0 ? speedup * sum / known : 0;
}

/* `point` is one of the points at which work was measured. */
static struct work_point work_point_of(const struct effect_point *points, size_t count,
				       const struct effect_point *point)
{
	struct work_point work = {.speedup = point->speedup,
				  .measured = log(1 - point->gain),
				  .error = point->error / (1 - point->gain)};
	struct effect_point smooth = *point;

	effect_at(points, count, point->speedup, &smooth);
	if (!(smooth.gain < 1 && smooth.error < point->error))
		smooth = *point;
	work.smooth = log(1 - smooth.gain);
	work.smooth_error = smooth.error / (1 - smooth.gain);
	return work;
}

/* The effect of speedups on the work of a visit, by the same comparison with neighbours. */
static size_t work_estimate(const struct effect_window *windows, size_t count,
			    struct work_point *changes)
{
	AUTO(windows) struct effect_window *works = memory_new(count, sizeof(*works));
	AUTO(points) struct effect_point *points = memory_new(count, sizeof(*points));
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		works[i] = windows[i];
		works[i].period_ns = windows[i].work_ns;
	}
	size_t found = effect_estimate(works, count, points, count);
	for (size_t i = 0; i < found; i++) {
		if (!(points[i].speedup > 0) || !(points[i].gain < 1))
			continue;
		changes[known] = work_point_of(points, found, &points[i]);
		changes[known++].paused = paused_at(windows, count, points[i].speedup);
	}
	shrink_all(changes, known);
	return known;
}

static const struct work_point *change_at(const struct work_point *changes, size_t count,
					  double speedup)
{
	for (size_t i = 0; i < count; i++)
		if (fabs(changes[i].speedup - speedup) < 1e-9)
			return &changes[i];
	return NULL;
}

static double usual_work(const struct effect_window *windows, size_t count)
{
	AUTO(reals) double *works = memory_new(count, sizeof(*works));
	size_t known = 0;

	for (size_t i = 0; i < count; i++)
		if (!(windows[i].speedup > 0))
			works[known++] = windows[i].work_ns;
	return known ? summary_median(works, known) : NAN;
}

static void adjust(const struct covariates *covariates, struct effect_window *windows, size_t count,
		   const struct work_point *changes, size_t change_count)
{
	double usual = usual_work(windows, count);

	for (size_t i = 0; i < count; i++) {
		struct effect_window *window = &windows[i];
		const struct work_point *change = change_at(changes, change_count, window->speedup);
		double work = log(window->work_ns / usual) - (change ? change->change : 0);
		if (window->speedup > 0 && !change)
			work = 0;
		if (isfinite(work))
			window->period_ns *= exp(-covariates->work * work) *
					     covariates_left(covariates, window->displaced);
	}
}

static void add_error(struct effect_point *point, double error)
{
	double factor = point->error > 0 ? hypot(point->error, error) / point->error : 1;

	point->low = point->gain - factor * (point->gain - point->low);
	point->high = point->gain + factor * (point->high - point->gain);
	point->error = hypot(point->error, error);
	point->shared = hypot(point->shared, error);
}

static double mean_displaced(const struct effect_window *windows, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += windows[i].displaced;
	return count ? sum / (double)count : 0;
}

double covariates_displaced_error(const struct effect_window *windows, size_t count)
{
	double displaced = mean_displaced(windows, count);
	double much = squared(displaced) / (squared(displaced) + squared(DISPLACED_MUCH));

	return DISPLACED_REST * displaced * (1 + 2 * much);
}

static bool all_known(const struct effect_window *windows, size_t count)
{
	bool known = true;

	for (size_t i = 0; i < count; i++)
		known = known && windows[i].work_ns > 0;
	return known;
}

size_t covariates_estimate(const struct covariates *covariates, const struct effect_window *windows,
			   size_t count, struct effect_point *points, size_t most)
{
	AUTO(windows) struct effect_window *adjusted = memory_new(count, sizeof(*adjusted));
	AUTO(changes) struct work_point *changes = memory_new(count, sizeof(*changes));
	double rest = covariates_displaced_error(windows, count);
	size_t known = 0;

	memcpy(adjusted, windows, count * sizeof(*adjusted));
	for (size_t i = 0; covariates->is_cpu && i < count; i++)
		adjusted[i].work_ns = windows[i].cpu_ns;
	if ((covariates->work > 0 || covariates->displaced > 0) && all_known(adjusted, count)) {
		known = work_estimate(adjusted, count, changes);
		adjust(covariates, adjusted, count, changes, known);
	}
	size_t found = effect_estimate(adjusted, count, points, most);
	for (size_t i = 0; i < found; i++) {
		const struct work_point *change = change_at(changes, known, points[i].speedup);
		double work = change ? covariates->work * change->change_error : 0;
		if (points[i].speedup > 0)
			add_error(&points[i], fabs(1 - points[i].gain) * hypot(work, rest));
	}
	return found;
}
