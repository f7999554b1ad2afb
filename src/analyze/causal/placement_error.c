/* SPDX-License-Identifier: BSD-2-Clause */
/* placement_error - by the time of idle cores while tasks of the program waited for one. */
#include "analyze/causal/placement_error.h"

#include <math.h>

#define ERROR_PART 0.25 /* of the smaller one: the gain, or the share of idle time */

static double unused_share_of(const struct recording_run *run)
{
	double ran = (double)run->samples * (double)run->period_ns;
	double unused = (double)run->unused_ns;

	return ran > 0 ? unused / (ran + unused) : 0;
}

double placement_unused_share(const struct recording *recording, const struct trials *trials,
			      const struct recording_point *point)
{
	return point->kind == POINT_LATENCY ?
		       0 :
		       trials_most_of_runs(recording, trials, unused_share_of);
}

double placement_error_of(double unused_share, double gain)
{
	return ERROR_PART * fmin(unused_share, fabs(gain));
}

double placement_reach(double unused_share, double most)
{
	return fmin(unused_share, fmax(most, 0));
}
