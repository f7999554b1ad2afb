/* SPDX-License-Identifier: BSD-2-Clause */
/* interval_map - one sweep over the sorted intervals with a stack of the open ones. */
#include "base/interval_map.h"

#include "base/memory.h"

struct open_intervals {
	size_t *items;
	size_t count, capacity;
};

struct sort_entry {
	struct interval_map_entry span;
	size_t added; /* makes the sort stable */
};

static int interval_compare(const void *one, const void *other)
{
	const struct sort_entry *a = one, *b = other;
	if (a->span.start != b->span.start)
		return a->span.start < b->span.start ? -1 : 1;
	if (a->span.depth != b->span.depth)
		return a->span.depth < b->span.depth ? -1 : 1;
	return a->added < b->added ? -1 : a->added > b->added;
}

static void interval_sort(struct interval_map *map)
{
	struct sort_entry *order = memory_new(map->count, sizeof(*order));
	for (size_t i = 0; i < map->count; i++)
		order[i] = (struct sort_entry){.span = map->items[i], .added = i};
	qsort(order, map->count, sizeof(*order), interval_compare);
	for (size_t i = 0; i < map->count; i++)
		map->items[i] = order[i].span;
	free(order);
}

static void interval_append(struct interval_map *flat, const struct interval_map_entry *owner,
			    uint64_t start, uint64_t end)
{
	struct interval_map_entry *last = flat->count ? &flat->items[flat->count - 1] : NULL;
	if (start >= end)
		return;
	if (last && last->end == start && last->value == owner->value)
		last->end = end;
	else
		interval_map_add(flat, start, end, owner->value, owner->depth);
}

/* Appends the owners of [at, until), closing intervals that end before. Returns `until`. */
static uint64_t interval_advance(const struct interval_map *map, struct open_intervals *open,
				 uint64_t at, uint64_t until, struct interval_map *flat)
{
	while (open->count && at < until) {
		const struct interval_map_entry *owner = &map->items[open->items[open->count - 1]];
		if (owner->end <= at) {
			open->count--;
			continue;
		}
		uint64_t end = owner->end < until ? owner->end : until;
		interval_append(flat, owner, at, end);
		at = end;
	}
	return until;
}

void interval_map_add(struct interval_map *map, uint64_t start, uint64_t end, uint32_t value,
		      uint32_t depth)
{
	if (start < end)
		*array_add(map) = (struct interval_map_entry){.start = start,
							      .end = end,
							      .value = value,
							      .depth = depth};
}

void interval_map_flatten(struct interval_map *map)
{
	struct interval_map flat = {0};
	struct open_intervals open = {0};
	uint64_t at = 0;

	interval_sort(map);
	for (size_t i = 0; i < map->count; i++) {
		at = interval_advance(map, &open, at, map->items[i].start, &flat);
		*array_add(&open) = i;
	}
	interval_advance(map, &open, at, UINT64_MAX, &flat);
	array_free(&open);
	interval_map_clear(map);
	*map = flat;
}

size_t interval_map_after(const struct interval_map *map, uint64_t at)
{
	size_t low = 0, high = map->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (map->items[middle].end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct interval_map_entry *interval_map_at(const struct interval_map *map, uint64_t at)
{
	size_t i = interval_map_after(map, at);
	return i < map->count && map->items[i].start <= at ? &map->items[i] : NULL;
}

void interval_map_clear(struct interval_map *map)
{
	array_free(map);
}
