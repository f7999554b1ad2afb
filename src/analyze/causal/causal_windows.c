/* SPDX-License-Identifier: BSD-2-Clause */
/* causal_windows - periods, work and covariates of each window that counts. */
#include "analyze/causal/causal_windows.h"

#include "analyze/causal/paced_load.h"
#include "analyze/causal/standstill.h"
#include "profile/window_values.h"

#include <math.h>

static uint32_t run_number(const struct recording *recording, int64_t run_id)
{
	const struct recording_run *run = recording_run(recording, run_id);
	return run ? (uint32_t)(run - recording->runs.items) : UINT32_MAX;
}

/* A window's period without what is paced. */
static double own_period(const struct causal_pacing *pacing, const struct recording_visit *visit,
			 double period_ns, double speedup)
{
	double effective = external_pacing_effective(visit);

	if (pacing->rate)
		return external_pacing_period(period_ns, effective, pacing->rate);
	return pacing->load ? paced_load_period(period_ns, effective,
						pacing->load * (1 - pacing->part * speedup)) :
			      period_ns;
}

size_t causal_windows(const struct recording *recording, const struct trials *trials,
		      const struct transients *transients, const struct recording_point *point,
		      const struct causal_pacing *pacing, struct effect_window *windows)
{
	size_t count = 0;
	for (size_t i = 0; i < trials->count; i++) {
		const struct recording_visit *whole = recording_visit(trials->items[i], point->id);
		if (!whole)
			continue;
		struct settled_part part = transients_cut(transients, trials->items[i], whole);
		const struct recording_experiment *experiment = &part.experiment;
		const struct recording_visit *visit = &part.visit;
		double period_ns = window_visit_period(visit, point->kind);
		if (!isfinite(period_ns))
			continue;
		period_ns = standstill_period(trials, i, point, period_ns);
		period_ns = own_period(pacing, visit, period_ns, experiment->speedup);
		windows[count++] = (struct effect_window){
			.time_ns = experiment->start_ns + experiment->duration_ns / 2,
			.speedup = experiment->speedup,
			.period_ns = period_ns,
			.run = run_number(recording, experiment->run_id),
			.index = (unsigned)experiment->series_index,
			.work_ns = window_exact_work(experiment, visit),
			.cpu_ns = window_exact_cpu(experiment, visit),
			.displaced = window_displaced_share(experiment),
			.in_target = window_target_part(experiment),
		};
	}
	return count;
}
