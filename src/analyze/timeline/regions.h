/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * regions - finds spans that several threads go through together, and how evenly these are loaded.
 *
 * Either the same threads meet at barriers, so that the n-th span of each belongs to the n-th
 * round, or threads come and go, and spans that overlap belong together. Names whose spans fit
 * neither are not parallel regions.
 */
#pragma once

#include "analyze/timeline/timeline.h"

#define REGION_SPANS_MOST 1000000 /* of one name: more are hardly a region */

/*
 * A parallel region: spans of one name that threads go through together, once each, again and
 * again. Busy time is time on CPU, or without the scheduler's log the length of the span.
 */
struct region {
	unsigned name_id;
	unsigned threads;
	uint64_t instances;
	double mean_ns,
		max_ns;   /* busy time of a mean thread and of the busiest, summed over instances */
	double imbalance; /* max / mean - 1 */
	double worst;     /* of a single instance */
	double wall_ns;   /* from first begin to last end, summed over instances */
};

struct region_list {
	struct region *items; /* by the time lost to imbalance, descending */
	size_t count, capacity;
};

struct regions;

/* The timeline must live as long. */
struct regions *regions_new(const struct timeline *timeline);
void regions_free(struct regions *regions);
/* Call it thread by thread, each in order of time. */
void regions_add(struct regions *regions, size_t thread, const struct timeline_span *span);
/* Adds the regions to `found`. Returns the number of names with too many spans. */
uint64_t regions_find(const struct regions *regions, struct region_list *found);
