/* SPDX-License-Identifier: BSD-2-Clause */
/* set_error - from the controls of a set: threads in its members, and periods in a visit. */
#include "analyze/causal/set_error.h"

#include <math.h>

#define ERROR_SHARE 0.12 /* of a period beside the time of a visit */
#define PERIOD_MOST 0.25 /* of a visit: several visits may lie between two meetings */
#define SIDE_BY_SIDE 1.2 /* threads in the members, on average of effective time */

double set_error_of(const struct recording *recording, const struct trials *trials,
		    const struct recording_target *target, const struct recording_point *point)
{
	double effective_ns = 0, target_ns = 0, visits = 0, period_ns = 0;

	if (target->kind != TARGET_SET || point->kind == POINT_LATENCY)
		return 0;
	for (size_t i = 0; i < trials->count; i++) {
		const struct recording_experiment *experiment = trials->items[i];
		const struct recording_visit *visit = recording_visit(experiment, point->id);
		const struct recording_run *run = recording_run(recording, experiment->run_id);
		if (experiment->speedup > 0 || !visit || !run)
			continue;
		effective_ns += (double)visit->duration_ns - (double)visit->delay_ns;
		target_ns += (double)experiment->target_ns;
		visits += visit->visits;
		period_ns = fmax(period_ns, (double)run->period_ns);
	}
	if (!(effective_ns > 0) || target_ns < SIDE_BY_SIDE * effective_ns)
		return 0;
	return ERROR_SHARE * fmin(PERIOD_MOST, period_ns * visits / effective_ns);
}
