/* SPDX-License-Identifier: BSD-2-Clause */
/* found_points - progress points that Lever finds: found_points.c, candidates.c. */
#pragma once

#include "base/memory.h"
#include "experiment/progress/point_spec.h"
#include "experiment/progress/unit_choice.h"

#include <stddef.h>
#include <stdint.h>

struct session;

/* A place that could be a unit of work. */
struct session_unit {
	char *text; /* for --progress; owned by whoever has the unit */
	double rate;
};

#define FOUND_POINTS_MOST (4 * UNITS_MOST)
struct session_found_points {
	struct point_spec specs[FOUND_POINTS_MOST];
	char *texts[FOUND_POINTS_MOST];
	size_t count;
	unsigned searches, units; /* units: points but CPU time */
	uint64_t next_ns, visited_ns;
	uint64_t pause_ns;          /* after the last search, for what it took */
	uint64_t visits;            /* of all units, when last looked at */
	ARRAY(char *) too_frequent; /* functions whose calls were not counted to the end */
	struct session_unit costly; /* of the last search that chose nothing; text NULL: none */
	/* While it searched: of no use for shares. */
	uint64_t disturbed_ns, disturbed_sampled_ns;
};

/* What could be a unit of work, best first; their number. */
size_t session_candidates(struct session *session, struct session_unit units[UNITS_MOST]);

/* To be called between windows. */
void session_find_points(struct session *session);
void session_found_points_release(struct session_found_points *found);
