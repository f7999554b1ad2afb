/* SPDX-License-Identifier: BSD-2-Clause */
/* unit_gaps - compares each window's rate with their median. */
#include "analyze/causal/unit_gaps.h"

#include "base/memory.h"
#include "profile/serial.h"
#include "stats/summary.h"

#include <stdlib.h>

#define WINDOWS_LEAST 20
#define VISITS_LEAST 16.0 /* at the median rate: fewer may miss a window by chance */
#define GAP_RATE 0.25     /* of the median rate */
#define GAPS_LEAST 0.1    /* of the windows */

static bool is_control(const struct recording_experiment *window)
{
	return window->verdict == VERDICT_COUNTED && !(window->speedup > 0) &&
	       window->duration_ns > window->delay_ns;
}

static double effective_ns(const struct recording_experiment *window)
{
	return (double)(window->duration_ns - window->delay_ns);
}

bool unit_gaps_is_serial(const struct recording *recording)
{
	double busy_ns = 0, time_ns = 0;
	size_t windows = 0;

	for (size_t i = 0; i < recording->experiments.count; i++) {
		const struct recording_experiment *window = &recording->experiments.items[i];
		if (!is_control(window))
			continue;
		busy_ns += (double)window->sampled_ns - (double)window->waited_ns;
		time_ns += effective_ns(window);
		windows++;
	}
	return windows >= WINDOWS_LEAST && serial_is(busy_ns, time_ns);
}

bool unit_gaps_are_met(const struct recording *recording, const struct recording_point *point)
{
	double *rates = memory_new(recording->experiments.count + 1, sizeof(*rates));
	double time_ns = 0;
	size_t count = 0, gaps = 0;

	for (size_t i = 0; i < recording->experiments.count; i++) {
		const struct recording_experiment *window = &recording->experiments.items[i];
		const struct recording_visit *visit = recording_visit(window, point->id);
		if (!is_control(window))
			continue;
		rates[count++] = (visit ? visit->visits : 0) / effective_ns(window);
		time_ns += effective_ns(window);
	}
	double median = count ? summary_median(rates, count) : 0;
	for (size_t i = 0; i < count; i++)
		gaps += rates[i] < GAP_RATE * median;
	free(rates);
	return count >= WINDOWS_LEAST && median * time_ns / (double)count >= VISITS_LEAST &&
	       (double)gaps >= GAPS_LEAST * (double)count;
}
