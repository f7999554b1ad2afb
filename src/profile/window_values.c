/* SPDX-License-Identifier: BSD-2-Clause */
/* window_values - periods, shares and work of a window, by its rows. */
#include "profile/window_values.h"

#include <math.h>

/* Below this part of a window the effective time is mostly noise. */
#define EFFECTIVE_LEAST 0.1

double window_visit_period(const struct recording_visit *visit, enum point_kind kind)
{
	if (!(visit->visits > 0))
		return NAN;
	/* Can be below 0 by the noise of pauses, where nearly all code is sped up by 100 %. */
	double period_ns = ((double)visit->duration_ns - (double)visit->delay_ns) / visit->visits;
	return kind == POINT_LATENCY ? visit->in_flight * period_ns : period_ns;
}

double window_displaced_share(const struct recording_experiment *experiment)
{
	double duration_ns = (double)experiment->duration_ns;
	double effective_ns = duration_ns - (double)experiment->delay_ns;

	return duration_ns > 0 ? (double)experiment->displaced_ns /
					 fmax(effective_ns, EFFECTIVE_LEAST * duration_ns) :
				 0;
}

/* Of a time of the window, the part for each visit. */
static double visit_part(const struct recording_experiment *experiment,
			 const struct recording_visit *visit, uint64_t time_ns)
{
	if (!(visit->visits > 0) || !experiment->duration_ns)
		return 0;
	return (double)time_ns * (double)visit->duration_ns / (double)experiment->duration_ns /
	       visit->visits;
}

double window_sampled_work(const struct recording_experiment *experiment,
			   const struct recording_visit *visit)
{
	return visit_part(experiment, visit, experiment->sampled_ns);
}

double window_exact_work(const struct recording_experiment *experiment,
			 const struct recording_visit *visit)
{
	uint64_t work_ns = experiment->cpu_ns ? experiment->cpu_ns + experiment->waited_ns :
						experiment->sampled_ns;

	return visit_part(experiment, visit, work_ns);
}

double window_exact_cpu(const struct recording_experiment *experiment,
			const struct recording_visit *visit)
{
	return visit_part(experiment, visit, experiment->cpu_ns);
}

double window_target_part(const struct recording_experiment *experiment)
{
	double part = (double)experiment->target_ns / fmax((double)experiment->duration_ns, 1);

	return fmin(part, 1);
}
