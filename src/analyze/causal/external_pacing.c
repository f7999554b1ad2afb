/* SPDX-License-Identifier: BSD-2-Clause */
/* external_pacing - estimates the share of visits that come at a rate by the wall clock. */
#include "analyze/causal/external_pacing.h"

#include "analyze/causal/paced_share.h"
#include "profile/window_values.h"
#include "stats/distribution.h"

#include <math.h>

#define TOLD_SPEEDUP 0.25
#define RELIEF_LEAST 0.5 /* of the share */
#define SURE 0.975

double external_pacing_cpu(const struct recording_experiment *experiment,
			   const struct recording_visit *visit)
{
	double work = window_sampled_work(experiment, visit);

	if (experiment->waited_ns >= experiment->sampled_ns)
		return 0;
	return work * (1 - (double)experiment->waited_ns / (double)experiment->sampled_ns);
}

static size_t gather(const struct recording *recording, const struct recording_point *point,
		     struct paced_window *windows)
{
	size_t count = 0;

	for (size_t i = 0; i < recording->experiments.count; i++) {
		const struct recording_experiment *experiment = &recording->experiments.items[i];
		const struct recording_target *target =
			recording_target(recording, experiment->target_id);
		const struct recording_visit *visit = recording_visit(experiment, point->id);
		if (!visit || !target || target->kind != TARGET_EXTERNAL ||
		    experiment->verdict != VERDICT_COUNTED)
			continue;
		double effective = external_pacing_effective(visit);
		double rate = effective / window_visit_period(visit, point->kind);
		if (!isfinite(rate) || !(rate > 0))
			continue;
		windows[count++] = (struct paced_window){
			.start_ns = experiment->start_ns,
			.duration_ns = experiment->duration_ns,
			.rate = rate,
			.effective = effective,
			.is_paused = experiment->speedup > 0,
			.run_id = experiment->run_id,
			.spent_ns = external_pacing_cpu(experiment, visit),
		};
	}
	return count;
}

/*
 * Threads that retry, or wait for each other in loops, do less of that while some of them pause:
 * their visits are cheaper, and come sooner by effective time without any clock. A program that
 * polls a clock looks the same, but all of its visits are paced.
 */
static bool is_relief(const struct paced_window *windows, size_t count,
		      const struct paced_share *paced)
{
	struct paced_share relief = paced_relief_of(windows, count);

	return paced->share < EXTERNAL_PACING_ALL && relief.windows >= PACED_WINDOWS_LEAST &&
	       relief.share > RELIEF_LEAST * paced->share &&
	       relief.share > student_quantile(SURE, relief.windows - 1) * relief.error;
}

struct external_pacing external_pacing_of(const struct recording *recording,
					  const struct recording_point *point)
{
	struct paced_window *windows = memory_new(recording->experiments.count, sizeof(*windows));
	size_t count = gather(recording, point, windows);
	struct paced_share paced = paced_share_of(windows, count, recording->points.count);
	bool is_sure = paced.low > EXTERNAL_PACING_LEAST && !is_relief(windows, count, &paced);

	free(windows);
	if (!is_sure) {
		double least =
			fmax(paced.share > 0 ? EXTERNAL_PACING_SUSPECTED : EXTERNAL_PACING_SLOWED,
			     paced.error);
		bool is_suspected =
			paced.windows >= PACED_WINDOWS_LEAST && fabs(paced.share) > least;
		return (struct external_pacing){
			.suspected = is_suspected ? fmax(-1, fmin(paced.share, 1)) : 0,
			.tendency = fmax(0, fmin(paced.share, 1)),
		};
	}
	double share = fmin(paced.share, 1);
	return (struct external_pacing){
		.share = share,
		.error = paced.error,
		.gain = 1 - 1 / (1 + share * (1 / (1 - TOLD_SPEEDUP) - 1)),
	};
}

void external_pacing_suspect_sleep(struct external_pacing *external_pacing,
				   const struct recording_target *target)
{
	if (target_is_sleep(target->kind, target->name) && !external_pacing->share &&
	    !external_pacing->suspected)
		external_pacing->suspected = external_pacing->tendency;
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

	double paced = rate - paced_rate * (1 / effective - 1);

	/* Between the rates of all visits being paced externally and of none, or so below 0. */
	return 1 / (paced_rate > 0 ? fmin(rate, fmax(rate * effective, paced)) :
				     fmax(rate, fmin(rate / effective, paced)));
}

double external_pacing_error(const struct external_pacing *external_pacing, double gain,
			     double effective, double of_controls)
{
	double kept = 1 - gain;

	return fabs(kept * (kept * (1 / effective - 1) - (1 / of_controls - 1))) *
	       external_pacing->error;
}

double external_pacing_squeezed(const struct external_pacing *external_pacing, double gain,
				double effective, double of_controls)
{
	bool is_squeezed = effective < EXTERNAL_PACING_TIME &&
			   external_pacing->share < EXTERNAL_PACING_ALL && gain < 1;
	double paced = external_pacing->share * of_controls * (1 / effective - 1);

	return is_squeezed ? 1 - 1 / (1 / (1 - gain) + paced) : gain;
}
