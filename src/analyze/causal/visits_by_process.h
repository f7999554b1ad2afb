/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * visits_by_process - which processes visited a progress point, and how often.
 */
#pragma once

#include "profile/recording.h"

struct process_visits {
	unsigned pid;
	const char *command; /* NULL: unknown */
	uint64_t visits;
};

struct visits_by_process {
	struct process_visits
		*items; /* most visits first; the same process in several runs is one */
	size_t count, capacity;
	uint64_t unknown; /* visits of unknown processes */
};

/* Of all runs but those without figures by process (runtime engine). Points into the recording. */
struct visits_by_process visits_by_process_of(const struct recording *recording, int64_t point_id);
void visits_by_process_release(struct visits_by_process *visits_by_process);
