/* SPDX-License-Identifier: BSD-2-Clause */
/* arrivals - which message from another host ended a thread's wait. */
#pragma once

#include "analyze/timeline/timeline.h"

/* The index of the first that came to the thread at or after the time; or the count of all. */
size_t arrivals_find(const struct timeline *timeline, unsigned tid, uint64_t time_ns);
/*
 * What the first receive after a wait of the thread and before its next one got: of several
 * messages, the last that had left when the wait ended. NULL: none.
 */
const struct timeline_message *arrivals_after(const struct timeline *timeline,
					      const struct timeline_thread *thread,
					      const struct timeline_state *wait);
/* Is the wait in a call that returns what one socket received? */
bool arrivals_is_receive(const struct timeline *timeline, const struct timeline_state *wait);
