/* SPDX-License-Identifier: BSD-2-Clause */
/* pace - how often to sample a program while experiments run on it. */
#include "experiment/pace.h"

#include "base/memory.h"

#define KEPT 0.8 /* of what is known, from one window to the next */
#define HANDOVERS_TELLING 1000

void pace_learn(struct pace *pace, uint64_t busy_ns, uint64_t waits, uint64_t handovers)
{
	pace->busy_ns = KEPT * pace->busy_ns + (double)busy_ns;
	pace->waits = KEPT * pace->waits + (double)waits;
	pace->all_busy_ns += (double)busy_ns;
	pace->all_handovers += (double)handovers;
}

uint64_t pace_period_ns(const struct pace *pace, uint64_t usual_ns, uint64_t densest_ns)
{
	double wanted = pace->waits > 0 ? PACE_SHARE * pace->busy_ns / pace->waits : 0;

	if (pace->waits <= 0 || wanted >= (double)usual_ns || densest_ns >= usual_ns)
		return usual_ns;
	return wanted > (double)densest_ns ? (uint64_t)wanted : densest_ns;
}

char *pace_warning(const struct pace *pace, uint64_t period_ns)
{
	if (pace->all_handovers < HANDOVERS_TELLING ||
	    pace->all_busy_ns > PACE_FOLLOWS * pace->all_handovers * (double)period_ns)
		return NULL;
	return text_format(
		"tasks of the program wake each other every %.0f us of work, and are sampled every "
		"%.0f us: where a speedup makes them wait for each other at each turn, "
		"what waking them costs is missing in the prediction, and less comes true",
		pace->all_busy_ns / pace->all_handovers / 1e3, (double)period_ns / 1e3);
}
