/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ranges - sets of file offsets or addresses, as sorted ranges.
 *
 * ranges_add appends in any order, ranges_merge sorts. All other functions take and give merged
 * ranges: sorted, not empty, not touching.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
	uint64_t start, end; /* end excluded */
};

struct ranges {
	struct range *items;
	size_t count, capacity;
};

void ranges_add(struct ranges *ranges, uint64_t start, uint64_t end); /* drops empty ones */
void ranges_merge(struct ranges *ranges);
/* Adds one, in linear time. */
void ranges_include(struct ranges *ranges, uint64_t start, uint64_t end);
bool ranges_has(const struct ranges *ranges, uint64_t at);
uint64_t ranges_end(const struct ranges *ranges, uint64_t at); /* of the range at `at`, else `at` */
/* Appends the intersection of [start, end) and `ranges` to `result`. */
void ranges_clip(const struct ranges *ranges, uint64_t start, uint64_t end, struct ranges *result);
/* Appends the parts of [start, end) outside of `ranges` to `result`. */
void ranges_cut(const struct ranges *ranges, uint64_t start, uint64_t end, struct ranges *result);
void ranges_clear(struct ranges *ranges);
