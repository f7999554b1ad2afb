/* SPDX-License-Identifier: BSD-2-Clause */
/* displacement - a limit, or twice the median of the last windows where that is above it. */
#include "experiment/session/displacement.h"

#include "stats/summary.h"

#include <math.h>

#define SHARE_MOST 0.03   /* of the window's length, all cores together */
#define SHARE_WORST 1.00  /* more is never accepted */
#define WINDOWS_LEAST 8   /* for a median */
#define MEDIAN_FACTOR 2.0 /* as of a whole profile, in analyze/causal/trials.c */

double displacement_limit(const struct displacement *displacement)
{
	size_t count = displacement->count < DISPLACEMENT_HISTORY ? displacement->count :
								    DISPLACEMENT_HISTORY;

	if (count < WINDOWS_LEAST)
		return SHARE_MOST;
	/* Of an even number, the upper one of the two in the middle. */
	double median = summary_quantile(displacement->shares, count,
					 (double)(count / 2) / (double)(count - 1));
	return fmin(fmax(MEDIAN_FACTOR * median, SHARE_MOST), SHARE_WORST);
}

bool displacement_add(struct displacement *displacement, double share)
{
	double limit = displacement_limit(displacement);

	displacement->shares[displacement->count++ % DISPLACEMENT_HISTORY] = share;
	if (share <= limit)
		displacement->accepted = fmax(displacement->accepted, share);
	return share <= limit;
}
