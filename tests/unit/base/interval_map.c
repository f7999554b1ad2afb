/* SPDX-License-Identifier: BSD-2-Clause */
/* interval_map - each address has one owner. */
#include "check.h"

#include "base/interval_map.h"

/* The owner of `at` by the rule of interval_map.h, by a linear search. */
static uint32_t owner_of(const struct interval_map_entry *spans, size_t count, uint64_t at)
{
	const struct interval_map_entry *owner = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct interval_map_entry *span = &spans[i];
		if (span->start > at || span->end <= at)
			continue;
		if (!owner || span->start > owner->start ||
		    (span->start == owner->start && span->depth >= owner->depth))
			owner = span;
	}
	return owner ? owner->value : UINT32_MAX;
}

TEST("of overlapping intervals the one that starts last owns an address, then the deepest")
{
	unsigned state = 1;
	for (int round = 0; round < 300; round++) {
		struct interval_map_entry spans[12];
		struct interval_map map = {0};
		for (uint32_t i = 0; i < 12; i++) {
			state = state * 1103515245u + 12345u;
			uint64_t start = state >> 16 & 31, size = state >> 22 & 15;
			spans[i] = (struct interval_map_entry){.start = start,
							       .end = start + size,
							       .value = i,
							       .depth = state >> 28 & 3};
			interval_map_add(&map, start, start + size, i, spans[i].depth);
		}
		interval_map_flatten(&map);
		for (uint64_t at = 0; at < 50; at++) {
			const struct interval_map_entry *span = interval_map_at(&map, at);
			CHECK_EQUAL(span ? span->value : UINT32_MAX, owner_of(spans, 12, at));
		}
		interval_map_clear(&map);
	}
}
