/* SPDX-License-Identifier: BSD-2-Clause */
/* crowding_error - by the time in which a task of the program waited for a core. */
#include "analyze/causal/crowding_error.h"

#include <math.h>
#include <string.h>

/* Of a gain, if a task waits for a core all the time. */
#define ERROR_WHERE_CROWDED 0.1
#define ERROR_WHERE_CROWDED_RUNTIME 0.2

double crowding_error_of(const struct recording *recording, const struct trials *trials,
			 const struct recording_point *point)
{
	double most = 0;
	const struct recording_run *last = NULL;

	for (size_t i = 0; point->kind != POINT_LATENCY && i < trials->count; i++) {
		const struct recording_run *run =
			recording_run(recording, trials->items[i]->run_id);
		bool is_runtime = run && run->engine && !strcmp(run->engine, "runtime");
		if (!run || run == last || !(run->hand_over_ns || is_runtime))
			continue;
		last = run;
		double ran = (double)run->samples * (double)run->period_ns;
		double share = ran > 0 ? (double)run->crowded_ns / ran : 0;
		double error = is_runtime ? ERROR_WHERE_CROWDED_RUNTIME : ERROR_WHERE_CROWDED;
		most = fmax(most, error * fmin(1, share));
	}
	return most;
}
