/* SPDX-License-Identifier: BSD-2-Clause */
/* hand_over_error - by the work between hand-overs and the period of a target's runs. */
#include "analyze/causal/hand_over_error.h"

#include <math.h>

#define WAKE_NS 40000.0 /* of work between hand-overs, by which the error is measured */
#define ERROR_MOST 0.25

double hand_over_error_of(const struct recording *recording, const struct trials *trials,
			  const struct recording_point *point)
{
	double error = 0;

	for (size_t i = 0; point->kind != POINT_LATENCY && i < trials->count; i++) {
		const struct recording_run *run =
			recording_run(recording, trials->items[i]->run_id);
		if (!run || !run->hand_over_ns ||
		    run->hand_over_ns > RECORDING_HAND_OVER_PERIODS * run->period_ns)
			continue;
		error = fmax(error, fmin(ERROR_MOST, WAKE_NS / (double)run->hand_over_ns));
	}
	return error;
}
