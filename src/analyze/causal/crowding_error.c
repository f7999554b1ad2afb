/* SPDX-License-Identifier: BSD-2-Clause */
/* crowding_error - by the time in which a task of the program waited for a core. */
#include "analyze/causal/crowding_error.h"

#include <math.h>
#include <string.h>

/* Of a gain, if a task waits for a core all the time. */
#define ERROR_WHERE_CROWDED 0.1
#define ERROR_WHERE_CROWDED_RUNTIME 0.2

static double error_of(const struct recording_run *run)
{
	bool is_runtime = run->engine && !strcmp(run->engine, "runtime");
	double ran = (double)run->samples * (double)run->period_ns;
	double share = ran > 0 ? (double)run->crowded_ns / ran : 0;

	if (!run->hand_over_ns && !is_runtime)
		return 0;
	return fmin(1, share) * (is_runtime ? ERROR_WHERE_CROWDED_RUNTIME : ERROR_WHERE_CROWDED);
}

double crowding_error_of(const struct recording *recording, const struct trials *trials,
			 const struct recording_point *point)
{
	return point->kind == POINT_LATENCY ? 0 : trials_most_of_runs(recording, trials, error_of);
}
