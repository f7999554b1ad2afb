/* SPDX-License-Identifier: BSD-2-Clause */
/* standstill - compares a window that hardly has time left with the controls beside it. */
#include "analyze/causal/standstill.h"

#include "profile/window_values.h"

#include <math.h>

/* At most these parts of its time, and of the usual visits, ... */
#define EFFECTIVE_MOST 0.35
#define VISITS_MOST 0.45
#define TARGET_LEAST 1.5 /* ... with so many times the target's usual time a visit */

static double effective_part(const struct recording_visit *visit)
{
	return 1 - (double)visit->delay_ns / (double)visit->duration_ns;
}

/* Visits per ns of wall time. */
static double rate_of(const struct recording_visit *visit)
{
	return visit->visits / (double)visit->duration_ns;
}

struct usual {
	struct recording_visit visit; /* no duration: there is none */
	double target_part;           /* of the time */
};

static double target_part(const struct recording_experiment *window)
{
	return (double)window->target_ns / (double)window->duration_ns;
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

/* Of the nearest controls before and after the window, the sums. */
static struct usual controls_beside(const struct trials *trials, size_t index, int64_t point_id)
{
	struct usual sum = {0};
	const struct recording_visit *sides[2] = {NULL, NULL};
	const struct recording_experiment *controls[2];
	uint64_t target_ns = 0, duration_ns = 0;

	for (size_t i = index; i-- > 0 && !sides[0];) {
		sides[0] = control_visit(trials, i, index, point_id);
		controls[0] = trials->items[i];
	}
	for (size_t i = index + 1; i < trials->count && !sides[1]; i++) {
		sides[1] = control_visit(trials, i, index, point_id);
		controls[1] = trials->items[i];
	}
	for (int side = 0; side < 2; side++) {
		if (!sides[side])
			continue;
		sum.visit.visits += sides[side]->visits;
		sum.visit.duration_ns += sides[side]->duration_ns;
		sum.visit.delay_ns += sides[side]->delay_ns;
		target_ns += controls[side]->target_ns;
		duration_ns += controls[side]->duration_ns;
	}
	if (duration_ns)
		sum.target_part = (double)target_ns / (double)duration_ns;
	return sum;
}

double standstill_period(const struct trials *trials, size_t index,
			 const struct recording_point *point, double period_ns)
{
	const struct recording_visit *visit = recording_visit(trials->items[index], point->id);

	if (point->kind == POINT_LATENCY || !visit || !visit->duration_ns ||
	    !(trials->items[index]->speedup > 0) || effective_part(visit) > EFFECTIVE_MOST)
		return period_ns;
	const struct usual usual = controls_beside(trials, index, point->id);
	if (!usual.visit.duration_ns)
		return period_ns;
	double visits_part = rate_of(visit) / rate_of(&usual.visit);
	if (visits_part > VISITS_MOST ||
	    target_part(trials->items[index]) < TARGET_LEAST * usual.target_part * visits_part)
		return period_ns;
	return fmax(period_ns, window_visit_period(&usual.visit, point->kind));
}
