/* SPDX-License-Identifier: BSD-2-Clause */
/* hash_map - open addressing with linear probing, at most half full. */
#include "base/hash_map.h"

#include "base/memory.h"

#include <assert.h>

static uint64_t hash_map_hash(uint64_t first, uint64_t second)
{
	uint64_t hash = (first + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
	hash = (hash ^ (hash >> 29) ^ second) * 0x94d049bb133111ebu;
	return hash ^ (hash >> 32);
}

static struct hash_map_entry *hash_map_slot(const struct hash_map *map, uint64_t first,
					    uint64_t second)
{
	size_t mask = map->capacity - 1;
	size_t at = hash_map_hash(first, second) & mask;

	while (map->entries[at].value != HASH_MAP_NONE &&
	       (map->entries[at].first != first || map->entries[at].second != second))
		at = (at + 1) & mask;
	return &map->entries[at];
}

static void hash_map_grow(struct hash_map *map)
{
	struct hash_map old = *map;

	map->capacity = old.capacity ? old.capacity * 2 : 64;
	map->entries = memory_new(map->capacity, sizeof(*map->entries));
	for (size_t i = 0; i < map->capacity; i++)
		map->entries[i].value = HASH_MAP_NONE;
	for (size_t i = 0; i < old.capacity; i++) {
		const struct hash_map_entry *entry = &old.entries[i];
		if (entry->value != HASH_MAP_NONE)
			*hash_map_slot(map, entry->first, entry->second) = *entry;
	}
	free(old.entries);
}

uint32_t hash_map_get(const struct hash_map *map, uint64_t first, uint64_t second)
{
	return map->capacity ? hash_map_slot(map, first, second)->value : HASH_MAP_NONE;
}

void hash_map_set(struct hash_map *map, uint64_t first, uint64_t second, uint32_t value)
{
	assert(value != HASH_MAP_NONE);
	if (map->count * 2 >= map->capacity)
		hash_map_grow(map);
	struct hash_map_entry *entry = hash_map_slot(map, first, second);
	if (entry->value == HASH_MAP_NONE)
		map->count++;
	*entry = (struct hash_map_entry){.first = first, .second = second, .value = value};
}

void hash_map_clear(struct hash_map *map)
{
	free(map->entries);
	*map = (struct hash_map){0};
}
