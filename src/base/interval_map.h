/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interval_map - overlapping intervals, flattened so that each address has one owner.
 *
 * Of the intervals over an address the one that starts last owns it; of those with the same start,
 * the deepest; of those, the one added last. Of nested intervals this is the innermost.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct interval_map_entry {
	uint64_t start, end;
	uint32_t value, depth;
};

struct interval_map {
	struct interval_map_entry *items; /* after interval_map_flatten: sorted and disjoint */
	size_t count, capacity;
};

void interval_map_add(struct interval_map *map, uint64_t start, uint64_t end, uint32_t value,
		      uint32_t depth);
void interval_map_flatten(struct interval_map *map);
const struct interval_map_entry *interval_map_at(const struct interval_map *map,
						 uint64_t at); /* NULL: no owner */
size_t interval_map_after(const struct interval_map *map,
			  uint64_t at); /* first one that ends after `at` */
void interval_map_clear(struct interval_map *map);
