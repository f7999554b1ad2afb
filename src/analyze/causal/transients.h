/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * transients - what of a window passes until pauses have set in and short queues have settled.
 *
 * Marks within windows tell the time of a visit before and after each part of the window. Where
 * the two differ over the first windows of the series at controls, or at a quarter of the
 * speedups, the parts before do not count. Longer transients: stats/warm_up.h.
 */
#pragma once

#include "profile/recording.h"
#include "stats/warm_up.h"

struct trials;

struct transients {
	unsigned cuts[WARM_UP_BINS]; /* eighths of the first window that do not count */
	double change;               /* of log(period), the largest that was found */
	double noise;    /* standard deviation of log(period) of a half window against the other */
	unsigned tested; /* windows with marks enough */
};

/* Of throughput points; latencies have no marks. */
struct transients transients_find(const struct trials *trials, const struct recording_point *point);

/* The part of a window that counts, at one point. `experiment` shares the arrays of its source. */
struct settled_part {
	struct recording_experiment experiment;
	struct recording_visit visit;
};
struct settled_part transients_cut(const struct transients *transients,
				   const struct recording_experiment *experiment,
				   const struct recording_visit *visit);
