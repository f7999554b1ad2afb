/* SPDX-License-Identifier: BSD-2-Clause */
/* call_edges - adds up edges, and keeps the largest of each location at hand. */
#include "experiment/target/call_edges.h"

void call_edges_release(struct call_edges *edges)
{
	hash_map_clear(&edges->numbers);
	array_free(&edges->items);
	array_free(&edges->main_inner);
	array_free(&edges->main_outer);
	array_free(&edges->first_inner);
}

static void grow(struct call_edges *edges, uint32_t location)
{
	while (edges->main_inner.count <= location) {
		*array_add(&edges->main_inner) = CALL_EDGES_NONE;
		*array_add(&edges->main_outer) = CALL_EDGES_NONE;
		*array_add(&edges->first_inner) = CALL_EDGES_NONE;
	}
}

static uint32_t number_of(struct call_edges *edges, uint32_t outer, uint32_t inner)
{
	uint32_t number = hash_map_get(&edges->numbers, outer, inner);

	if (number != HASH_MAP_NONE)
		return number;
	number = (uint32_t)edges->items.count;
	*array_add(&edges->items) = (struct call_edge){.outer = outer,
						       .inner = inner,
						       .next = edges->first_inner.items[outer]};
	edges->first_inner.items[outer] = number;
	hash_map_set(&edges->numbers, outer, inner, number);
	return number;
}

static void keep_larger(const struct call_edges *edges, uint32_t *kept, uint32_t number)
{
	if (*kept == CALL_EDGES_NONE ||
	    edges->items.items[number].time_ns > edges->items.items[*kept].time_ns)
		*kept = number;
}

void call_edges_add(struct call_edges *edges, uint32_t outer, uint32_t inner, double time_ns)
{
	grow(edges, outer > inner ? outer : inner);
	uint32_t number = number_of(edges, outer, inner);
	edges->items.items[number].time_ns += time_ns;
	keep_larger(edges, &edges->main_inner.items[outer], number);
	keep_larger(edges, &edges->main_outer.items[inner], number);
}

const struct call_edge *call_edges_main_inner(const struct call_edges *edges, uint32_t outer)
{
	if (outer >= edges->main_inner.count || edges->main_inner.items[outer] == CALL_EDGES_NONE)
		return NULL;
	return &edges->items.items[edges->main_inner.items[outer]];
}

const struct call_edge *call_edges_main_outer(const struct call_edges *edges, uint32_t inner)
{
	if (inner >= edges->main_outer.count || edges->main_outer.items[inner] == CALL_EDGES_NONE)
		return NULL;
	return &edges->items.items[edges->main_outer.items[inner]];
}

static const struct call_edge *at(const struct call_edges *edges, uint32_t number)
{
	return number == CALL_EDGES_NONE ? NULL : &edges->items.items[number];
}

const struct call_edge *call_edges_first_inner(const struct call_edges *edges, uint32_t outer)
{
	return outer < edges->first_inner.count ? at(edges, edges->first_inner.items[outer]) : NULL;
}

const struct call_edge *call_edges_next_inner(const struct call_edges *edges,
					      const struct call_edge *edge)
{
	return at(edges, edge->next);
}
