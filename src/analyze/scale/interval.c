/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interval - the 95 % interval of one further run around a prediction.
 *
 * Independent errors add up as variances: the spread of runs on equal cores, once for the further
 * run and, divided by their number, for the runs behind the prediction; the model's error for other
 * programs, and for this one on other cores; and the error of the time that is taken off for other
 * programs, the hypervisor and lever. All are fractions of the prediction.
 */
#include "analyze/scale/parts.h"
#include "stats/distribution.h"

#include <math.h>

/*
 * Standard errors of the time that is taken off, as fractions of it (docs/decisions.md, "Intervals
 * of predictions"). Stolen time may have hit the thread that all others waited for, or a thread
 * without waiters: between 0 and 2 times as much, evenly (1 / sqrt 3). Time of other programs is
 * known by thread; the correction left 23 of 124 points.
 */
#define STOLEN_UNSURE 0.58
#define DISPLACED_UNSURE 0.2
/* The kernel times BPF programs, but not the way to them: at most as much again. */
#define COUNTING_UNSURE 0.5
#define LEAST_HERE 0.02 /* the least spread of runs that is assumed */
#define LEAST_ELSEWHERE 0.03

/* Sum of squared relative deviations from the mean, and their degrees of freedom. */
struct spread {
	double squares, freedom;
};

static double wakes_per_second(const struct scale *scale)
{
	double wakes = 0, cpu = 0;

	for (size_t i = 0; i < scale->runs.count; i++) {
		wakes += (double)scale->runs.items[i].parallel->wakes;
		cpu += scale->runs.items[i].cpu_ns;
	}
	return cpu > 0 ? wakes / cpu * 1e9 : 0;
}

static void add_spread(struct spread *spread, const struct scale_run *runs, size_t count)
{
	double mean = 0;

	for (size_t i = 0; i < count; i++)
		mean += runs[i].own_ns / (double)count;
	for (size_t i = 0; i < count && mean > 0; i++) {
		double apart = runs[i].own_ns / mean - 1;
		spread->squares += apart * apart;
	}
	spread->freedom += count > 1 && mean > 0 ? (double)count - 1 : 0;
}

/*
 * Variance of the prediction due to the number of runs, as a multiple of one run's. `growth` and
 * `replay` take the CPU time on the tried cores from the runs there, here from those here, and on
 * further cores from a line through both.
 */
static double missing_runs_factor(const struct scale *scale,
				  const struct scale_prediction *prediction)
{
	bool has_line = scale->others.count &&
			(prediction->model == SCALE_GROWTH || prediction->model == SCALE_REPLAY);
	unsigned compared = has_line ? scale->others.items[0].parallel->cores : 0;

	if (!compared || compared == scale->cores)
		return 1.0 / prediction->runs;
	double at = log2((double)prediction->cores / scale->cores) /
		    log2((double)compared / scale->cores);
	return (1 - at) * (1 - at) / prediction->runs + at * at / (double)scale->others.count;
}

/* `paper` takes nothing off, so all of it is its error. */
static double uncertain_share(const struct scale *scale, enum scale_model model)
{
	double taken = scale->displaced_ns + scale->stolen_ns + scale->counting_ns;

	if (taken <= 0 || scale->own_ns <= 0)
		return 0;
	double part = (scale->wall_ns - scale->own_ns) / scale->own_ns;
	if (model == SCALE_PAPER)
		return part;
	double unsure =
		hypot(STOLEN_UNSURE * scale->stolen_ns, DISPLACED_UNSURE * scale->displaced_ns);
	return part * hypot(unsure, COUNTING_UNSURE * scale->counting_ns) / taken;
}

/*
 * Per doubling of the cores. If this program shows a larger error, that counts, as far as its runs
 * go.
 */
static double model_error(const struct scale *scale, enum scale_model model)
{
	double elsewhere = scale_model_error(model, wakes_per_second(scale));
	double error = fabs(scale->prediction_errors[model]);
	unsigned tried = scale->others.count ? scale->others.items[0].parallel->cores : 0;
	double doublings = tried ? fabs(log2((double)tried / scale->cores)) : 0;

	return doublings > 0 && isfinite(error) ? fmax(elsewhere, error / doublings) : elsewhere;
}

void scale_add_interval(const struct scale *scale, struct scale_prediction *prediction)
{
	bool is_here = prediction->cores == scale->cores;
	double doublings = fabs(log2((double)prediction->cores / scale->cores));
	double model = fmax(is_here ? LEAST_HERE : LEAST_ELSEWHERE,
			    model_error(scale, prediction->model) * doublings);
	double known = hypot(model, uncertain_share(scale, prediction->model));
	struct spread spread = {0};

	add_spread(&spread, scale->runs.items, scale->runs.count);
	add_spread(&spread, scale->others.items, scale->others.count);
	double variance = spread.freedom > 0 ? spread.squares / spread.freedom : 0;
	double scatter = variance * (1 + missing_runs_factor(scale, prediction));
	double whole = scatter + known * known;
	/* Welch and Satterthwaite; errors that are known add no uncertainty of their own. */
	double freedom =
		scatter > 0 ? whole * whole / (scatter * scatter) * spread.freedom : INFINITY;
	double half = student_quantile(0.975, freedom) * sqrt(whole) * prediction->wall_ns;
	prediction->low_ns = fmax(0, prediction->wall_ns - half);
	prediction->high_ns = prediction->wall_ns + half;
}
