/* SPDX-License-Identifier: BSD-2-Clause */
/* phase_coverage - compares the windows at each speedup with the run. */
#include "analyze/causal/phase_coverage.h"

#include <math.h>

#define SPEEDUP_SAME 0.001

/* The last run, which the steadiness is of. */
struct phases {
	int64_t run_id;
	double changed_ns;
	double before; /* part of the run */
};

static struct phases phases_of(const struct recording *recording,
			       const struct steadiness *steadiness)
{
	const struct recording_experiment *all = recording->experiments.items;
	const struct recording_experiment *last = &all[recording->experiments.count - 1];
	struct phases phases = {last->run_id, (double)steadiness->changed_ns, 0};
	size_t first = 0;

	while (all[first].run_id != last->run_id)
		first++;
	double begin_ns = (double)all[first].start_ns;
	double end_ns = (double)(last->start_ns + last->duration_ns);
	phases.before = (phases.changed_ns - begin_ns) / fmax(end_ns - begin_ns, 1);
	return phases;
}

/* Of the part before the change: the windows at this speedup against the run. */
static double imbalance(const struct phases *phases, const struct trials *trials, double speedup)
{
	double before_ns = 0, all_ns = 0;

	for (size_t i = 0; i < trials->count; i++) {
		const struct recording_experiment *one = trials->items[i];
		double duration_ns = (double)one->duration_ns - (double)one->delay_ns;
		if (one->run_id != phases->run_id || fabs(one->speedup - speedup) > SPEEDUP_SAME)
			continue;
		all_ns += duration_ns;
		if ((double)one->start_ns < phases->changed_ns)
			before_ns += duration_ns;
	}
	return all_ns > 0 ? fabs(before_ns / all_ns - phases->before) : 0;
}

/* The mean of the windows with a speedup. */
static double mean_imbalance(const struct causal_effect *effect, const struct phases *phases,
			     const struct trials *trials)
{
	double sum = 0, windows = 0;

	for (size_t i = 0; i < effect->count; i++) {
		const struct effect_point *point = &effect->points[i];
		if (!(point->speedup > 0))
			continue;
		sum += point->windows * imbalance(phases, trials, point->speedup);
		windows += point->windows;
	}
	return windows > 0 ? sum / windows : 0;
}

static void find_reach(struct causal_effect *effect, const struct phases *phases,
		       const struct trials *trials)
{
	double most = effect->point->kind == POINT_LATENCY ? 1 : fmin(effect->cycle_most, 1);

	effect->phase_reach = most * mean_imbalance(effect, phases, trials);
}

void phase_coverage_find(struct causal *causal, const struct recording *recording,
			 const struct trials_index *index)
{
	/* Without other shares the machine changed its speed, or other programs took a part. */
	if (causal->steadiness.change != CHANGES_WORK || !causal->steadiness.shares_differ)
		return;
	struct phases phases = phases_of(recording, &causal->steadiness);
	for (size_t i = 0; i < causal->count; i++) {
		struct causal_target *target = &causal->targets[i];
		struct trials trials = trials_of(index, target->target->id);
		/* Of a target that runs for a part of the time only, see phase.h. */
		for (size_t j = 0; j < target->count; j++)
			if (target->effects[j].phase_factor >= 1)
				find_reach(&target->effects[j], &phases, &trials);
		trials_release(&trials);
	}
}
