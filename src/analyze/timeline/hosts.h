/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hosts - timelines of several hosts as one: their clocks aligned, and ids made unique.
 *
 * The first host's times, ids and cores are as recorded. Threads and processes of host N have
 * N * TIMELINE_TIDS added to their ids, its cores come after those of the hosts before it, and
 * equal names have one number.
 */
#pragma once

#include "analyze/timeline/timeline.h"

/*
 * Fills timeline->hosts and, if there are several, timeline->recording with one that has a single
 * run of the first's id; it is freed with the timeline.
 */
void timeline_merge_hosts(struct timeline *timeline);
/* Those of the run's recording, from the first host's on. */
bool timeline_is_together(const struct recording *recording, const struct recording_run *run,
			  const struct recording_run *other);
/* By how much the busiest host is above the mean; and sets busy_cores of each. */
double timeline_host_loads(struct timeline *timeline);
