/* SPDX-License-Identifier: BSD-2-Clause */
/* load_end - goes through the last run's windows from its end. */
#include "analyze/causal/load_end.h"

#include <string.h>

#define QUIET_LEAST_NS 3000000000ull /* a client's time-out is no end */

static bool counts_requests(const struct recording_point *point)
{
	return point->kind == POINT_THROUGHPUT && !strncmp(point->name, "requests", 8) &&
	       (!point->name[8] || point->name[8] == ':');
}

static bool has_requests(const struct recording *recording,
			 const struct recording_experiment *window)
{
	for (size_t i = 0; i < recording->points.count; i++) {
		const struct recording_point *point = &recording->points.items[i];
		const struct recording_visit *visit = recording_visit(window, point->id);
		if (counts_requests(point) && visit && visit->visits > 0)
			return true;
	}
	return false;
}

static bool came_ever(const struct recording *recording, int64_t run_id)
{
	for (size_t i = 0; i < recording->totals.count; i++) {
		const struct recording_total *total = &recording->totals.items[i];
		const struct recording_point *point = recording_point(recording, total->point_id);
		if (total->run_id == run_id && total->visits && point && counts_requests(point))
			return true;
	}
	return false;
}

struct load_end load_end_of(const struct recording *recording)
{
	struct load_end end = {0};

	if (!recording->runs.count)
		return end;
	const struct recording_run *run = &recording->runs.items[recording->runs.count - 1];
	for (size_t i = recording->experiments.count; i-- > 0;) {
		const struct recording_experiment *window = &recording->experiments.items[i];
		if (window->run_id != run->id || has_requests(recording, window))
			break;
		end.quiet_ns += window->duration_ns;
	}
	if (end.quiet_ns < QUIET_LEAST_NS || end.quiet_ns > run->wall_ns ||
	    !came_ever(recording, run->id))
		return (struct load_end){0};
	end.after_ns = run->wall_ns - end.quiet_ns;
	return end;
}
