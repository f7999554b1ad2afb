/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * map - a hash table from a pair of 64-bit keys to a 32-bit value.
 *
 * An empty one is all zeros. Entries are never removed one by one.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define MAP_NONE UINT32_MAX

struct map_entry {
	uint64_t first, second;
	uint32_t value; /* MAP_NONE: the slot is empty */
};

struct map {
	struct map_entry *entries;
	size_t count, capacity; /* capacity is 0 or a power of two */
};

uint32_t map_get(const struct map *map, uint64_t first, uint64_t second); /* MAP_NONE if missing */
void map_set(struct map *map, uint64_t first, uint64_t second, uint32_t value);
void map_clear(struct map *map); /* frees everything */
