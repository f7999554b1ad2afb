/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flows - how long work takes that one thread sends and another takes: arrows, by name and number.
 *
 * A mark that takes belongs to the last one before it, in time, that sent the same number under the same
 * name. Beyond FLOWS_MOST marks the rest is left out, and counted.
 */
#pragma once

#include "analyze/timeline/percentiles.h"
#include "profile/recording.h"

#define FLOWS_MOST 4000000

/* Arrows of one name: work that is handed on, from a mark that sends it to one that takes it. */
struct flow {
	unsigned name_id;
	uint64_t count, total_ns; /* of those that arrived */
	uint64_t lost;            /* sent and not taken, or taken and not sent */
	struct percentiles durations;
};

struct flow_list {
	struct flow *items; /* by falling total time */
	size_t count, capacity;
};

struct flows;

struct flows *flows_new(void);
void flows_free(struct flows *flows);
/* In any order. */
void flows_add(struct flows *flows, const struct mark *mark);
/* Adds a row for each name to `found`. Returns the number of marks that were left out. */
uint64_t flows_find(struct flows *flows, struct flow_list *found);
