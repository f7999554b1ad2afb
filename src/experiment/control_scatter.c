/* SPDX-License-Identifier: BSD-2-Clause */
/* control_scatter - mean size of the differences of log(period). */
#include "experiment/control_scatter.h"

#include "profile/recording.h"

#include <math.h>

void control_scatter_learn(struct control_scatter *scatter,
			   const struct recording_experiment *window, double visits)
{
	double effective_ns = (double)window->duration_ns - (double)window->delay_ns;

	if (window->speedup > 0 || window->verdict != VERDICT_COUNTED || !(visits > 0) ||
	    !(effective_ns > 0))
		return;
	double period_ns = effective_ns / visits;
	if (scatter->period_ns > 0) {
		scatter->differences += fabs(log(period_ns / scatter->period_ns));
		scatter->pairs++;
	}
	scatter->period_ns = period_ns;
}

/* The mean size of a normal difference is sqrt(2 / pi) of its deviation; its variance, of two. */
double control_scatter_variance(const struct control_scatter *scatter)
{
	double mean = scatter->differences / scatter->pairs;

	return mean * mean * M_PI / 4;
}
