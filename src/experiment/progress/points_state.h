/* SPDX-License-Identifier: BSD-2-Clause */
/* points_state - what progress_points.c keeps and progress_visits.c reads; for these two only. */
#pragma once

#include "experiment/progress/progress_kinds.h"
#include "experiment/progress/progress_points.h"

/* One counter of the collector. */
struct counter {
	bool counts;     /* stands in the profile as a point */
	bool is_request; /* counts requests */
	bool is_found;   /* nobody asked for it */
	int64_t id;
	enum point_kind kind;
	const char *name; /* as asked for; NULL: as the collector has it */
};

struct pair {
	char *name;
	unsigned begin, end; /* counters; WIRE_POINTS_MOST until they appear */
	const char *begin_name, *end_name;
	int64_t id;
};

/* What was attached: the same text again is the same counter, and must not count twice. */
struct attached {
	const char *text;
	unsigned index;
};

struct progress_points {
	struct progress_lookup lookup;
	struct counter counters[WIRE_POINTS_MOST];
	unsigned known; /* counters seen so far */
	ARRAY(struct pair) pairs;
	ARRAY(const char *) awaited; /* names of lever.h points that the user asked for */
	ARRAY(struct attached) attached;
	ARRAY(const struct point_spec *) pending; /* in no file known so far */
	ARRAY(const struct point_spec_pair *) pending_pairs;
	struct error missing;           /* of the last one that was not found */
	const struct point_spec *start; /* awaited before experiments; NULL: none */
	unsigned start_index;           /* its counter; WIRE_POINTS_MOST until it is attached */
	struct error start_missing;     /* why it is not */
	bool is_asked;                  /* the user named points: others do not count */
};
