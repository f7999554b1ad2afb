/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spans - figures of a timeline: spans by name, parallel regions, counters, flows, and the longest
 * waits.
 */
#pragma once

#include "analyze/timeline/flows.h"
#include "analyze/timeline/percentiles.h"
#include "analyze/timeline/regions.h"
#include "analyze/timeline/timeline.h"

/* All spans of one name. */
struct spans_row {
	unsigned name_id;
	uint64_t count, cut; /* cut: without an end of their own */
	uint64_t total_ns, self_ns;
	uint64_t class_ns[TIMELINE_CLASSES];
	unsigned threads;        /* in how many threads */
	size_t first_thread_row; /* its rows in `thread_rows`, one after the other */
	struct percentiles durations;
};

/* Spans of one name in one thread. */
struct spans_thread_row {
	unsigned name_id;
	size_t thread; /* index */
	uint64_t count, total_ns, self_ns;
	uint64_t class_ns[TIMELINE_CLASSES];
};

struct spans_wait {
	size_t thread;    /* index */
	unsigned name_id; /* innermost span, or 0 */
	struct timeline_state state;
	uint64_t delay_ns; /* time until it ran again */
};

struct spans_counter {
	unsigned name_id;
	uint64_t count;
	double min, max, mean, last;
};

struct spans {
	ARRAY(struct spans_row) rows;               /* by total time */
	ARRAY(struct spans_thread_row) thread_rows; /* by name, then by total time */
	struct region_list regions;
	ARRAY(struct spans_wait) waits; /* the longest, at most SPANS_WAITS */
	ARRAY(struct spans_counter) counters;
	struct flow_list flows;    /* by total time */
	uint64_t flows_left_out;   /* marks beyond FLOWS_MOST */
	uint64_t regions_left_out; /* names with more than REGION_SPANS_MOST spans */
	uint64_t unmatched_ends;   /* ends of spans that have no begin */
};
#define SPANS_WAITS 100

struct spans *spans_new(const struct timeline *timeline);
void spans_free(struct spans *spans);
