/* SPDX-License-Identifier: BSD-2-Clause */
/* cores - the timeline by core: which thread ran, in which span. */
#pragma once

#include "analyze/timeline/timeline.h"

/* Time of a thread on a core within one innermost span. */
struct cores_slice {
	uint64_t start_ns, end_ns;
	size_t thread; /* index */
	unsigned cpu;
	unsigned name_id; /* 0: in no span */
};

struct cores {
	struct cores_slice *items; /* by core, then by time */
	size_t count, capacity;
};

struct cores *cores_new(const struct timeline *timeline);
void cores_free(struct cores *cores);
