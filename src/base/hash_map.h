/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hash_map - a hash table from a pair of 64-bit keys to a 32-bit value.
 *
 * An empty map is all zeros. Entries cannot be removed one by one.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HASH_MAP_NONE UINT32_MAX

struct hash_map_entry {
	uint64_t first, second;
	uint32_t value; /* HASH_MAP_NONE: the slot is empty */
};

struct hash_map {
	struct hash_map_entry *entries;
	size_t count, capacity; /* capacity is 0 or a power of two */
};

uint32_t hash_map_get(const struct hash_map *map, uint64_t first,
		      uint64_t second); /* HASH_MAP_NONE if missing */
void hash_map_set(struct hash_map *map, uint64_t first, uint64_t second, uint32_t value);
void hash_map_clear(struct hash_map *map); /* frees everything */
