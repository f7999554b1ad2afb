/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flows - the time between two marks of one flow: one thread hands work on, another takes it.
 *
 * An incoming mark belongs to the last outgoing mark before it with the same name and number. Marks
 * beyond FLOWS_MOST are left out, and counted.
 */
#pragma once

#include "analyze/timeline/percentiles.h"
#include "profile/recording.h"

#define FLOWS_MOST 4000000

/* All flows of one name. */
struct flow {
	unsigned name_id;
	uint64_t count, total_ns; /* of complete flows */
	uint64_t lost;            /* marks without a partner */
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
