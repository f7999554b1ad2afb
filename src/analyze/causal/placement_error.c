/* SPDX-License-Identifier: BSD-2-Clause */
/* placement_error - by the time of idle cores while tasks of the program waited for one. */
#include "analyze/causal/placement_error.h"

#include <math.h>

#define ERROR_PART 0.25 /* of the smaller one: the gain, or the share of idle time */

double placement_unused_share(const struct recording *recording, const struct trials *trials,
			      const struct recording_point *point)
{
	double most = 0;
	const struct recording_run *last = NULL;

	for (size_t i = 0; point->kind != POINT_LATENCY && i < trials->count; i++) {
		const struct recording_run *run =
			recording_run(recording, trials->items[i]->run_id);
		if (!run || run == last)
			continue;
		last = run;
		double ran = (double)run->samples * (double)run->period_ns;
		double unused = (double)run->unused_ns;
		most = fmax(most, ran > 0 ? unused / (ran + unused) : 0);
	}
	return most;
}

double placement_error_of(double unused_share, double gain)
{
	return ERROR_PART * fmin(unused_share, fabs(gain));
}

double placement_reach(double unused_share, double gain)
{
	return fmin(unused_share, fmax(gain, 0));
}
