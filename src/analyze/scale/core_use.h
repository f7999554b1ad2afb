/* SPDX-License-Identifier: BSD-2-Clause */
/* core_use - how many of a host's threads ran at once, and the work that a thread did meanwhile. */
#pragma once

#include "analyze/timeline/timeline.h"

/*
 * From `at_ns` on `running` threads ran; by then a thread that always ran would have done
 * `work_ns`.
 */
struct core_use_segment {
	uint64_t at_ns;
	double work_ns;
	int running;
	double stolen; /* as a share of their time */
};

struct core_use {
	ARRAY(struct core_use_segment) segments;
};

void core_use_add_steal(struct core_use *use, uint64_t begin_ns, uint64_t length_ns, double part);
/* None of a thread of another program. */
void core_use_add_thread(struct core_use *use, const struct timeline_thread *thread);
/* After all of these. `growth`: of CPU time, per further thread that runs. */
void core_use_sum_up(struct core_use *use, double growth);
/* Threads that ran then; below 0: unknown. */
int core_use_running(const struct core_use *use, uint64_t at_ns);
/* Of a thread that ran from then until then. */
double core_use_work(const struct core_use *use, double growth, uint64_t from_ns, uint64_t to_ns);
