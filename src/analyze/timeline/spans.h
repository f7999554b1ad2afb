/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spans - a timeline as figures: spans by name, threads, parallel regions, and the longest waits.
 */
#pragma once

#include "analyze/timeline/timeline.h"
#include "stats/histogram.h"

struct spans_percentiles {
	double p50_ns, p95_ns, p99_ns, max_ns;
};

/* All spans of one name. */
struct spans_row {
	unsigned word;
	uint64_t count, cut; /* cut: of those, how many have no end of their own */
	uint64_t total_ns, self_ns;
	uint64_t class_ns[TIMELINE_CLASSES];
	unsigned threads;        /* in how many */
	size_t first_thread_row; /* of its threads, which stand in `thread_rows` one behind the other */
	struct spans_percentiles durations;
};

/* Of one name in one thread. */
struct spans_thread_row {
	unsigned word;
	size_t thread; /* index */
	uint64_t count, total_ns, self_ns;
	uint64_t class_ns[TIMELINE_CLASSES];
};

/*
 * A parallel region: spans of one name that threads go through together, once each, again and again.
 * Busy time is time on CPU, or without the scheduler's log the length of the span.
 */
struct spans_region {
	unsigned word;
	unsigned threads;
	uint64_t instances;
	double mean_ns, max_ns; /* busy time of a thread, and of the busiest: sums over instances */
	double imbalance;       /* max / mean - 1 */
	double worst;           /* of a single instance */
	double wall_ns;         /* from the first begin to the last end, summed */
};

struct spans_wait {
	size_t thread; /* index */
	unsigned word; /* innermost span, or 0 */
	struct timeline_state state;
	uint64_t delay_ns; /* after it: runnable without a core */
};

/* Arrows of one name: work that is handed on, from a mark that sends it to one that takes it. */
struct spans_flow {
	unsigned word;
	uint64_t count, total_ns; /* of those that arrived */
	uint64_t lost;            /* sent and not taken, or taken and not sent */
	struct spans_percentiles durations;
};

struct spans_counter {
	unsigned word;
	uint64_t count;
	double min, max, mean, last;
};

struct spans {
	ARRAY(struct spans_row) rows;               /* by total time */
	ARRAY(struct spans_thread_row) thread_rows; /* by name, then by total time */
	ARRAY(struct spans_region) regions;
	ARRAY(struct spans_wait) waits; /* the longest, at most SPANS_WAITS */
	ARRAY(struct spans_counter) counters;
	ARRAY(struct spans_flow) flows; /* by total time */
	uint64_t flows_left_out;
	uint64_t marks; /* all but spans */
};
#define SPANS_WAITS 100

/* p50, p95, p99 and the greatest. */
struct spans_percentiles spans_percentiles_of(struct histogram *histogram);

struct spans *spans_new(struct timeline *timeline);
void spans_free(struct spans *spans);
