/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * call_edges - how much sampled time locations passed on to locations inside them: functions to
 * those that they call, and to their own lines.
 */
#pragma once

#include "base/hash_map.h"
#include "base/memory.h"

#include <stdint.h>

struct call_edge {
	uint32_t outer, inner;
	double time_ns;
	uint32_t next; /* of the same outer location */
};

/* An empty one is all zeros. */
struct call_edges {
	struct hash_map numbers; /* (outer, inner) -> index */
	ARRAY(struct call_edge) items;
	ARRAY(uint32_t) main_inner, main_outer; /* by location: number of its edge with most time */
	ARRAY(uint32_t) first_inner;            /* by location: number of an edge from it */
};
#define CALL_EDGES_NONE UINT32_MAX

void call_edges_release(struct call_edges *edges);
void call_edges_add(struct call_edges *edges, uint32_t outer, uint32_t inner, double time_ns);
/* The edge with most time from, or to, the location; NULL if there is none. */
const struct call_edge *call_edges_main_inner(const struct call_edges *edges, uint32_t outer);
const struct call_edge *call_edges_main_outer(const struct call_edges *edges, uint32_t inner);
/* All edges from the location, in any order: NULL at the end. */
const struct call_edge *call_edges_first_inner(const struct call_edges *edges, uint32_t outer);
const struct call_edge *call_edges_next_inner(const struct call_edges *edges,
					      const struct call_edge *edge);
