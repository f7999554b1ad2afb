/* SPDX-License-Identifier: BSD-2-Clause */
/* hand_over_rare - from the controls of a target, of the run whose tasks meet most often. */
#include "analyze/causal/hand_over_rare.h"

#include "analyze/causal/hand_over_error.h"
#include "analyze/causal/trials.h"

#include <math.h>

/* Of the work without a speedup. */
static double target_share(const struct trials *trials, int64_t run_id)
{
	double target_ns = 0, sampled_ns = 0;

	for (size_t i = 0; i < trials->count; i++) {
		const struct recording_experiment *window = trials->items[i];
		if (window->run_id != run_id || window->speedup > 0)
			continue;
		target_ns += (double)window->target_ns;
		sampled_ns += (double)window->sampled_ns;
	}
	return sampled_ns > 0 ? fmin(1, target_ns / sampled_ns) : 0;
}

struct hand_over_rare hand_over_rare_of(const struct recording *recording,
					const struct trials *trials,
					const struct recording_point *point)
{
	struct hand_over_rare rare = {0};
	const struct recording_run *last = NULL;

	if (point->kind == POINT_LATENCY || point->kind == POINT_SAMPLED)
		return rare;
	for (size_t i = 0; i < trials->count; i++) {
		const struct recording_run *run =
			recording_run(recording, trials->items[i]->run_id);
		if (!run || run == last)
			continue;
		last = run;
		double most = (double)(RECORDING_HAND_OVER_PERIODS * run->period_ns);
		double unit = hand_over_unit_ns(recording, trials, run->id, point->id);
		double work_ns = (double)run->hand_over_ns;
		bool is_rare = unit > 0 && unit < most && work_ns > most;
		if (is_rare && (!(rare.work_ns > 0) || work_ns < rare.work_ns))
			rare = (struct hand_over_rare){work_ns, target_share(trials, run->id),
						       fmin(most, HAND_OVER_UNITS_MOST * unit)};
	}
	return rare;
}

double hand_over_rare_error(const struct hand_over_rare *rare, double speedup)
{
	double left_ns = rare->work_ns * (1 - fmin(1, fmax(0, speedup)) * rare->share);

	if (!(rare->work_ns > 0) || left_ns > rare->most_ns)
		return 0;
	return fmin(HAND_OVER_ERROR_MOST, HAND_OVER_WAKE_NS / left_ns);
}
