/* SPDX-License-Identifier: BSD-2-Clause */
/* displacement - a limit, or twice the median of the last windows where that is above it. */
#include "experiment/session/displacement.h"

#include "stats/summary.h"

#include <math.h>

#define SHARE_MOST 0.03   /* of the window's length, all cores together */
#define SHARE_WORST 1.00  /* more is never accepted */
#define TAKEN_MOST 2.5    /* times the CPU time of the program: two others on each core take 2 */
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

double displacement_share(const struct recording_experiment *window)
{
	return window->duration_ns ? (double)window->displaced_ns / (double)window->duration_ns : 0;
}

static bool is_mostly_taken(const struct recording_experiment *window)
{
	double cpu_ns = (double)window->sampled_ns - (double)window->waited_ns;

	return displacement_share(window) > SHARE_MOST &&
	       (double)window->displaced_ns > TAKEN_MOST * cpu_ns;
}

bool displacement_add(struct displacement *displacement, const struct recording_experiment *window)
{
	double limit = displacement_limit(displacement), share = displacement_share(window);
	bool counts = share <= limit && !is_mostly_taken(window);

	displacement->shares[displacement->count++ % DISPLACEMENT_HISTORY] = share;
	if (counts)
		displacement->accepted = fmax(displacement->accepted, share);
	return counts;
}
