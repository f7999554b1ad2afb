/* SPDX-License-Identifier: BSD-2-Clause */
/* hand_over_error - by the work between hand-overs and the period of a target's runs. */
#include "analyze/causal/hand_over_error.h"

#include <math.h>

#define WAKE_NS 40000.0 /* of work between hand-overs, by which the error is measured */
#define ERROR_MOST 0.25
#define UNITS_MOST 10 /* units of work for a hand-over: rarer ones decide nothing */

/* CPU time for a visit, without a speedup; 0: unknown. */
static double unit_ns(const struct trials *trials, int64_t run_id, int64_t point_id)
{
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < trials->count; i++) {
		const struct recording_experiment *window = trials->items[i];
		const struct recording_visit *visit = recording_visit(window, point_id);
		if (window->run_id != run_id || window->speedup > 0 || !visit)
			continue;
		double work = recording_visit_work(window, visit);
		sum += work;
		count += work > 0;
	}
	return count ? sum / (double)count : 0;
}

double hand_over_error_of(const struct recording *recording, const struct trials *trials,
			  const struct recording_point *point)
{
	double error = 0;
	const struct recording_run *last = NULL;

	if (point->kind == POINT_LATENCY)
		return 0;
	for (size_t i = 0; i < trials->count; i++) {
		const struct recording_run *run =
			recording_run(recording, trials->items[i]->run_id);
		if (!run || run == last || !run->hand_over_ns)
			continue;
		last = run;
		double most = (double)(RECORDING_HAND_OVER_PERIODS * run->period_ns);
		double unit = unit_ns(trials, run->id, point->id);
		if ((double)run->hand_over_ns <= most)
			error = fmax(error, fmin(ERROR_MOST, WAKE_NS / (double)run->hand_over_ns));
		else if (point->kind != POINT_SAMPLED && unit < most &&
			 (double)run->hand_over_ns < UNITS_MOST * unit)
			error = fmax(error, HAND_OVER_ERROR_OF_SHORT_UNITS);
	}
	return error;
}
