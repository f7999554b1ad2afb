/* SPDX-License-Identifier: BSD-2-Clause */
/* cycle_parts - by the runs that found cycles, and when their windows began to hold whole ones. */
#include "analyze/causal/cycle_parts.h"

#include "profile/profile.h"

#include <math.h>

#define MARGIN 1.2
#define CYCLES_LEAST 2 /* in a window as long as the user asked for, which ends in any part */

static double longest_cycle_ns(const struct recording *recording)
{
	double longest = 0;

	for (size_t i = 0; i < recording->runs.count; i++)
		longest = fmax(longest, (double)recording->runs.items[i].cycle_ns);
	return longest;
}

/* What one run knows of cycles holds for the other runs. */
static bool is_part(const struct recording *recording,
		    const struct recording_experiment *experiment)
{
	const struct recording_run *run = recording_run(recording, experiment->run_id);
	double effective_ns = (double)experiment->duration_ns - (double)experiment->delay_ns;

	return (!run || !run->whole_since_ns || experiment->start_ns < run->whole_since_ns) &&
	       effective_ns < CYCLES_LEAST * longest_cycle_ns(recording);
}

void cycle_parts_drop(const struct recording *recording, struct trials *trials)
{
	size_t sped_up = 0, controls = 0, kept = 0;

	if (!(longest_cycle_ns(recording) > 0))
		return;
	for (size_t i = 0; i < trials->count; i++) {
		const struct recording_experiment *experiment = trials->items[i];
		sped_up += !is_part(recording, experiment) && experiment->speedup > 0;
		controls += !is_part(recording, experiment) && experiment->speedup <= 0;
	}
	if (sped_up < PROFILE_WHOLE_LEAST || controls < PROFILE_WHOLE_LEAST)
		return;
	for (size_t i = 0; i < trials->count; i++)
		if (!is_part(recording, trials->items[i]))
			trials->items[kept++] = trials->items[i];
	trials->count = kept;
}

double cycle_parts_length_ns(const struct recording *recording, const struct trials *trials)
{
	double longest = longest_cycle_ns(recording);

	for (size_t i = 0; longest > 0 && i < trials->count; i++)
		if (is_part(recording, trials->items[i]))
			return longest;
	return 0;
}

double cycle_parts_most(const struct recording *recording, const struct trials_index *index,
			int64_t target_id)
{
	double own_ns = 0, all_ns = 0;
	size_t count;
	const struct recording_sample **samples = trials_samples(index, target_id, &count);

	for (size_t i = 0; i < recording->runs.count; i++)
		all_ns += (double)recording->runs.items[i].baseline_ns;
	for (size_t i = 0; i < count; i++)
		own_ns += (double)(samples[i]->baseline_alone_ns ? samples[i]->baseline_alone_ns :
								   samples[i]->baseline_sampled_ns);
	return all_ns > 0 ? fmin(MARGIN * own_ns / all_ns, 1) : 1;
}

void cycle_parts_widen(struct effect_point *point, double most)
{
	point->low = fmin(point->low, 0);
	point->high = fmax(point->high, most * point->speedup);
}
