/* SPDX-License-Identifier: BSD-2-Clause */
/* names - names of threads, waits and their ends in reports. The caller frees the texts. */
#pragma once

#include "analyze/timeline/timeline.h"

/* "worker 1234", "worker 1234 of b" where there are several hosts; clean. */
char *timeline_thread_name(const struct timeline *timeline, const struct timeline_thread *thread);
/* "worker", "worker of b"; not clean. */
char *timeline_thread_label(const struct timeline *timeline, const struct timeline_thread *thread);
/* "lock: futex"; clean. */
char *timeline_wait_reason(const struct timeline *timeline, const struct timeline_state *wait);
/* "worker 1234", "an interrupt"; clean. */
char *timeline_wait_end(const struct timeline *timeline, const struct timeline_state *wait);

struct timeline_event_counts {
	uint64_t marks, scheduler, tasks, interrupts;
	uint64_t marks_lost, scheduler_lost;
};
struct timeline_event_counts timeline_event_counts(const struct timeline *timeline);
