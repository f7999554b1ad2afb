/* SPDX-License-Identifier: BSD-2-Clause */
/* unit_shrinkage - compares medians of CPU time for a visit, by target and speedup. */
#include "analyze/causal/unit_shrinkage.h"

#include "base/memory.h"
#include "profile/window_values.h"
#include "stats/summary.h"

#include <stdlib.h>

#define WINDOWS_LEAST 3        /* at a speedup, and without one */
#define SHRUNK_SHARE (1 / 3.0) /* queues that drain reach 0.54 */

/* One window, in which the point was visited. */
struct unit {
	int64_t target_id;
	double speedup, work_ns;
};

static int by_target_and_speedup(const void *left, const void *right)
{
	const struct unit *a = left, *b = right;

	if (a->target_id != b->target_id)
		return a->target_id < b->target_id ? -1 : 1;
	return (a->speedup > b->speedup) - (a->speedup < b->speedup);
}

static size_t units_of(const struct recording *recording, const struct recording_point *point,
		       struct unit *units)
{
	size_t count = 0;

	for (size_t i = 0; i < recording->experiments.count; i++) {
		const struct recording_experiment *window = &recording->experiments.items[i];
		const struct recording_visit *visit = recording_visit(window, point->id);
		double work_ns = visit ? window_sampled_work(window, visit) : 0;
		if (window->verdict == VERDICT_COUNTED && work_ns > 0)
			units[count++] = (struct unit){window->target_id, window->speedup, work_ns};
	}
	qsort(units, count, sizeof(*units), by_target_and_speedup);
	return count;
}

/* The first one of another target or speedup. */
static size_t end_of_group(const struct unit *units, size_t count, size_t first)
{
	size_t end = first + 1;

	while (end < count && !by_target_and_speedup(&units[first], &units[end]))
		end++;
	return end;
}

bool unit_shrinkage_is_met(const struct recording *recording, const struct recording_point *point)
{
	struct unit *units = memory_new(recording->experiments.count, sizeof(*units));
	double *work = memory_new(recording->experiments.count, sizeof(*work));
	size_t count = units_of(recording, point, units);
	const struct unit *controls = NULL;
	double controls_ns = 0;
	bool is_met = false;

	for (size_t first = 0, end; first < count && !is_met; first = end) {
		end = end_of_group(units, count, first);
		if (end - first < WINDOWS_LEAST)
			continue;
		for (size_t i = first; i < end; i++)
			work[i - first] = units[i].work_ns;
		double median_ns = summary_median(work, end - first);
		if (!(units[first].speedup > 0)) {
			controls = &units[first];
			controls_ns = median_ns;
		} else if (controls && controls->target_id == units[first].target_id) {
			is_met = median_ns < SHRUNK_SHARE * controls_ns;
		}
	}
	free(work);
	free(units);
	return is_met;
}
