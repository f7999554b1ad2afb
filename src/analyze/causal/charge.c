/* SPDX-License-Identifier: BSD-2-Clause */
/* charge - growth of G for each visit, over all windows of a target. */
#include "analyze/causal/charge.h"

#include "base/memory.h"
#include "profile/window_values.h"

#include <math.h>

/* The charge is a count of samples; two standard deviations of a count, also of a small one. */
#define COUNT_MOST(count) (2 * sqrt((count) + 1) + 2)

/*
 * A tick costs more or less than is charged; speeds of cores differ; visits have edges. A gain that
 * is surely larger with half of this room is suspect.
 */
#define SLACK_SHARE 0.15
#define SLACK 0.005
#define SUSPECT_SHARE 0.08

struct sums {
	double wall_ns, delay_ns, visits;
	double usual_ns; /* effective time, freed of that in which other programs had a core */
};

static void sums_add(struct sums *sums, const struct recording_visit *visit)
{
	sums->wall_ns += (double)visit->duration_ns;
	sums->delay_ns += (double)visit->delay_ns;
	sums->visits += visit->visits;
}

static struct sums controls_of(const struct recording_experiment *const *experiments, size_t count,
			       int64_t point_id, const struct covariates *covariates)
{
	struct sums controls = {0};

	for (size_t i = 0; i < count; i++) {
		const struct recording_visit *visit = recording_visit(experiments[i], point_id);
		double displaced = window_displaced_share(experiments[i]);
		if (!visit || experiments[i]->speedup > 0)
			continue;
		sums_add(&controls, visit);
		controls.usual_ns += ((double)visit->duration_ns - (double)visit->delay_ns) *
				     covariates_left(covariates, displaced);
	}
	return controls;
}

static double period_of(const struct recording *recording, int64_t run_id)
{
	const struct recording_run *run = recording_run(recording, run_id);
	return run ? (double)run->period_ns : 0;
}

struct charge charge_of(const struct recording *recording,
			const struct recording_experiment *const *experiments, size_t count,
			int64_t point_id, const struct covariates *covariates)
{
	struct sums controls = controls_of(experiments, count, point_id, covariates);
	double charged_ns = 0, visits = 0, sampled_ns = 0, period_ns = 0;

	for (size_t i = 0; i < count; i++) {
		const struct recording_experiment *experiment = experiments[i];
		const struct recording_visit *visit = recording_visit(experiment, point_id);
		double speedup = experiment->speedup;
		if (!visit || !(speedup > 0) || !(controls.wall_ns > 0))
			continue;
		/* Weights of s^2: those of a slope through the origin. */
		double ticks_ns = controls.delay_ns / controls.wall_ns * (double)visit->duration_ns;
		charged_ns += speedup * ((double)visit->delay_ns - ticks_ns);
		visits += speedup * speedup * visit->visits;
		sampled_ns += (double)experiment->target_ns;
		period_ns = fmax(period_ns, period_of(recording, experiment->run_id));
	}
	if (!(visits > 0) || !(controls.visits > 0) || !(period_ns > 0))
		return (struct charge){.most = INFINITY, .suspect = INFINITY};
	double samples = sampled_ns / period_ns;
	double share = fmax(charged_ns, 0) / visits / (controls.usual_ns / controls.visits);
	double one = samples > 0 ? share / samples : 0;
	/* Without any charge: as if each sample had been charged in full. */
	double least = period_ns * COUNT_MOST(0) / controls.wall_ns;
	double counted = fmax(share + one * COUNT_MOST(samples), least);
	return (struct charge){.share = share,
			       .most = counted * (1 + SLACK_SHARE) + SLACK,
			       .suspect = counted * (1 + SUSPECT_SHARE) + SLACK};
}

double charge_share_at(const struct recording *recording, const struct trials *trials,
		       int64_t point_id, const struct covariates *covariates, double speedup)
{
	const struct recording_experiment **kept = memory_new(trials->count, sizeof(*kept));
	size_t count = 0;

	for (size_t i = 0; i < trials->count; i++)
		if (!(trials->items[i]->speedup > 0) || trials->items[i]->speedup == speedup)
			kept[count++] = trials->items[i];
	struct charge charge = charge_of(recording, kept, count, point_id, covariates);
	free(kept);
	return charge.share;
}
