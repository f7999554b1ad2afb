/* SPDX-License-Identifier: BSD-2-Clause */
/* sampling_rate - how often to sample a program while experiments run on it. */
#include "experiment/sampling_rate.h"

#include "base/memory.h"

#define KEPT 0.8 /* of what is known, from one window to the next */
#define WAKEUPS_LEAST 1000

void sampling_rate_update(struct sampling_rate *sampling_rate, uint64_t busy_ns, uint64_t waits,
			  uint64_t task_wakeups)
{
	sampling_rate->busy_ns = KEPT * sampling_rate->busy_ns + (double)busy_ns;
	sampling_rate->waits = KEPT * sampling_rate->waits + (double)waits;
	sampling_rate->all_busy_ns += (double)busy_ns;
	sampling_rate->all_wakeups += (double)task_wakeups;
}

uint64_t sampling_rate_period_ns(const struct sampling_rate *sampling_rate, uint64_t usual_ns,
				 uint64_t shortest_ns)
{
	double wanted = sampling_rate->waits > 0 ? SAMPLING_RATE_SHARE * sampling_rate->busy_ns /
							   sampling_rate->waits :
						   0;

	if (sampling_rate->waits <= 0 || wanted >= (double)usual_ns || shortest_ns >= usual_ns)
		return usual_ns;
	return wanted > (double)shortest_ns ? (uint64_t)wanted : shortest_ns;
}

char *sampling_rate_warning(const struct sampling_rate *sampling_rate, uint64_t period_ns)
{
	if (sampling_rate->all_wakeups < WAKEUPS_LEAST ||
	    sampling_rate->all_busy_ns >
		    SAMPLING_RATE_PERIODS_LEAST * sampling_rate->all_wakeups * (double)period_ns)
		return NULL;
	return text_format(
		"tasks of the program wake each other every %.0f us of work, and are sampled every "
		"%.0f us: where a speedup makes them wait for each other at each turn, "
		"what waking them costs is missing in the prediction, and less comes true",
		sampling_rate->all_busy_ns / sampling_rate->all_wakeups / 1e3,
		(double)period_ns / 1e3);
}
