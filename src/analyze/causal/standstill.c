/* SPDX-License-Identifier: BSD-2-Clause */
/* standstill - compares a window that hardly has time left with the controls beside it. */
#include "analyze/causal/standstill.h"

#include <math.h>

/* At most these parts of its time, and of the usual visits. */
#define EFFECTIVE_MOST 0.35
#define VISITS_MOST 0.45

static double effective_part(const struct recording_visit *visit)
{
	return 1 - (double)visit->delay_ns / (double)visit->duration_ns;
}

/* Visits per ns of wall time. */
static double rate_of(const struct recording_visit *visit)
{
	return visit->visits / (double)visit->duration_ns;
}

static const struct recording_visit *control_visit(const struct trials *trials, size_t index,
						   size_t of, int64_t point_id)
{
	const struct recording_experiment *window = trials->items[index];
	const struct recording_visit *visit = recording_visit(window, point_id);

	return window->speedup > 0 || window->run_id != trials->items[of]->run_id || !visit ||
			       !visit->duration_ns || !(visit->visits > 0) ?
		       NULL :
		       visit;
}

/* Of the nearest controls before and after the window, the sums; no duration: there is none. */
static struct recording_visit controls_beside(const struct trials *trials, size_t index,
					      int64_t point_id)
{
	struct recording_visit sum = {0};
	const struct recording_visit *before = NULL, *after = NULL;

	for (size_t i = index; i-- > 0 && !before;)
		before = control_visit(trials, i, index, point_id);
	for (size_t i = index + 1; i < trials->count && !after; i++)
		after = control_visit(trials, i, index, point_id);
	for (int side = 0; side < 2; side++) {
		const struct recording_visit *visit = side ? after : before;
		if (!visit)
			continue;
		sum.visits += visit->visits;
		sum.duration_ns += visit->duration_ns;
		sum.delay_ns += visit->delay_ns;
	}
	return sum;
}

double standstill_period(const struct trials *trials, size_t index,
			 const struct recording_point *point, double period_ns)
{
	const struct recording_visit *visit = recording_visit(trials->items[index], point->id);

	if (point->kind == POINT_LATENCY || !visit || !visit->duration_ns ||
	    !(trials->items[index]->speedup > 0) || effective_part(visit) > EFFECTIVE_MOST)
		return period_ns;
	const struct recording_visit controls = controls_beside(trials, index, point->id);
	if (!controls.duration_ns || rate_of(visit) > VISITS_MOST * rate_of(&controls))
		return period_ns;
	return fmax(period_ns, recording_visit_period(&controls, point->kind));
}
