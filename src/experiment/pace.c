/* SPDX-License-Identifier: BSD-2-Clause */
/* pace - how often to sample a program while experiments run on it. */
#include "experiment/pace.h"

#define KEPT 0.8 /* of what is known, from one window to the next */

void pace_learn(struct pace *pace, uint64_t busy_ns, uint64_t waits)
{
	pace->busy_ns = KEPT * pace->busy_ns + (double)busy_ns;
	pace->waits = KEPT * pace->waits + (double)waits;
}

uint64_t pace_period_ns(const struct pace *pace, uint64_t usual_ns, uint64_t densest_ns)
{
	double wanted = pace->waits > 0 ? PACE_SHARE * pace->busy_ns / pace->waits : 0;

	if (pace->waits <= 0 || wanted >= (double)usual_ns || densest_ns >= usual_ns)
		return usual_ns;
	return wanted > (double)densest_ns ? (uint64_t)wanted : densest_ns;
}
