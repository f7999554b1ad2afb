/* SPDX-License-Identifier: BSD-2-Clause */
/* external_pacing - estimates the share of visits that come at a rate by the wall clock. */
#include "analyze/causal/external_pacing.h"

#include "stats/effect.h"

#include <math.h>

#define WINDOWS_LEAST 3
#define SURE_ERRORS 2.5
#define TOLD_SPEEDUP 0.25

/* Sums over the windows at speedup 0 and above 0. */
struct shares {
	double wall_ns[2], effective_ns[2];
};

static void add_window(const struct recording_experiment *experiment,
		       const struct recording_visit *visit, const struct recording_point *point,
		       struct effect_window *windows, size_t *count, struct shares *shares)
{
	bool is_fast = experiment->speedup > 0;
	/* By wall time, in which the rate of externally paced visits is the same in all windows. */
	double period_ns =
		recording_visit_period(visit, point->kind) / external_pacing_effective(visit);

	if (!isfinite(period_ns))
		return;
	windows[(*count)++] = (struct effect_window){
		.time_ns = experiment->start_ns + experiment->duration_ns / 2,
		.speedup = experiment->speedup,
		.period_ns = period_ns,
		.run = (uint32_t)experiment->run_id,
	};
	shares->wall_ns[is_fast] += (double)visit->duration_ns;
	shares->effective_ns[is_fast] +=
		external_pacing_effective(visit) * (double)visit->duration_ns;
}

static size_t gather(const struct recording *recording, const struct recording_point *point,
		     struct effect_window *windows, struct shares *shares)
{
	size_t count = 0;

	for (size_t i = 0; i < recording->experiments.count; i++) {
		const struct recording_experiment *experiment = &recording->experiments.items[i];
		const struct recording_target *target =
			recording_target(recording, experiment->target_id);
		if (!target || target->kind != TARGET_EXTERNAL ||
		    experiment->verdict != VERDICT_COUNTED)
			continue;
		for (size_t j = 0; j < experiment->visits.count; j++)
			if (experiment->visits.items[j].point_id == point->id)
				add_window(experiment, &experiment->visits.items[j], point, windows,
					   &count, shares);
	}
	return count;
}

static struct external_pacing external_pacing_from(const struct effect_point *point,
						   const struct shares *shares)
{
	double v_fast = shares->effective_ns[1] / shares->wall_ns[1];
	double v_control = shares->effective_ns[0] / shares->wall_ns[0];
	double least = v_fast / v_control, kept = 1 - point->gain;

	if (!(least < 1) || point->windows < WINDOWS_LEAST || !(kept > 0))
		return (struct external_pacing){0};
	struct external_pacing external_pacing = {.share = (1 / kept - least) / (1 - least),
						  .error = point->error / (kept * kept) /
							   (1 - least)};
	if (!(external_pacing.share - SURE_ERRORS * external_pacing.error > EXTERNAL_PACING_LEAST))
		return (struct external_pacing){0};
	external_pacing.share = fmin(external_pacing.share, 1);
	external_pacing.gain = 1 - 1 / (1 + external_pacing.share * (1 / (1 - TOLD_SPEEDUP) - 1));
	return external_pacing;
}

struct external_pacing external_pacing_of(const struct recording *recording,
					  const struct recording_point *point)
{
	size_t most = recording->experiments.count;
	struct effect_window *windows = memory_new(most, sizeof(*windows));
	struct effect_point *points = memory_new(most, sizeof(*points));
	struct shares shares = {0};
	struct external_pacing external_pacing = {0};

	size_t count = gather(recording, point, windows, &shares);
	count = effect_estimate(windows, count, points, most);
	if (count && points[count - 1].speedup > 0)
		external_pacing = external_pacing_from(&points[count - 1], &shares);
	free(points);
	free(windows);
	return external_pacing;
}

double external_pacing_effective(const struct recording_visit *visit)
{
	if (!visit->duration_ns || visit->delay_ns >= visit->duration_ns)
		return NAN;
	return (double)(visit->duration_ns - visit->delay_ns) / (double)visit->duration_ns;
}

double external_pacing_period(double period_ns, double effective, double paced_rate)
{
	double rate = 1 / period_ns;

	/* Between the rates of all visits being paced externally and of none. */
	return 1 / fmin(rate, fmax(rate * effective, rate - paced_rate * (1 / effective - 1)));
}

double external_pacing_error(const struct external_pacing *external_pacing, double gain,
			     double effective, double of_controls)
{
	double kept = 1 - gain;

	return fabs(kept * (kept * (1 / effective - 1) - (1 / of_controls - 1))) *
	       external_pacing->error;
}
