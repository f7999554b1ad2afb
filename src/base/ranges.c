/* SPDX-License-Identifier: BSD-2-Clause */
/* ranges - sorted arrays and binary search. */
#include "base/ranges.h"

#include "base/memory.h"

#include <string.h>

static int range_compare(const void *one, const void *other)
{
	const struct range *a = one, *b = other;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

void ranges_add(struct ranges *ranges, uint64_t start, uint64_t end)
{
	if (start < end)
		*array_add(ranges) = (struct range){.start = start, .end = end};
}

void ranges_merge(struct ranges *ranges)
{
	if (ranges->count < 2)
		return;
	qsort(ranges->items, ranges->count, sizeof(*ranges->items), range_compare);
	size_t last = 0;
	for (size_t i = 1; i < ranges->count; i++) {
		if (ranges->items[i].start > ranges->items[last].end)
			ranges->items[++last] = ranges->items[i];
		else if (ranges->items[i].end > ranges->items[last].end)
			ranges->items[last].end = ranges->items[i].end;
	}
	ranges->count = last + 1;
}

/* The first range that ends after `at`, or the count. */
static size_t ranges_after(const struct ranges *ranges, uint64_t at)
{
	size_t low = 0, high = ranges->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (ranges->items[middle].end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void ranges_include(struct ranges *ranges, uint64_t start, uint64_t end)
{
	size_t first = ranges_after(ranges, start ? start - 1 : 0), last = first;

	if (start >= end)
		return;
	for (; last < ranges->count && ranges->items[last].start <= end; last++) {
		const struct range *touched = &ranges->items[last];
		start = touched->start < start ? touched->start : start;
		end = touched->end > end ? touched->end : end;
	}
	if (last == first)
		(void)array_add(ranges);
	else
		ranges->count -= last - first - 1;
	size_t after = last == first ? first : last;
	memmove(&ranges->items[first + 1], &ranges->items[after],
		(ranges->count - first - 1) * sizeof(*ranges->items));
	ranges->items[first] = (struct range){.start = start, .end = end};
}

bool ranges_has(const struct ranges *ranges, uint64_t at)
{
	size_t i = ranges_after(ranges, at);
	return i < ranges->count && ranges->items[i].start <= at;
}

uint64_t ranges_end(const struct ranges *ranges, uint64_t at)
{
	return ranges_has(ranges, at) ? ranges->items[ranges_after(ranges, at)].end : at;
}

void ranges_clip(const struct ranges *ranges, uint64_t start, uint64_t end, struct ranges *result)
{
	for (size_t i = ranges_after(ranges, start); i < ranges->count; i++) {
		const struct range *range = &ranges->items[i];
		if (range->start >= end)
			return;
		ranges_add(result, range->start > start ? range->start : start,
			   range->end < end ? range->end : end);
	}
}

void ranges_cut(const struct ranges *ranges, uint64_t start, uint64_t end, struct ranges *result)
{
	for (size_t i = ranges_after(ranges, start); i < ranges->count && start < end; i++) {
		const struct range *range = &ranges->items[i];
		if (range->start >= end)
			break;
		ranges_add(result, start, range->start);
		start = range->end;
	}
	ranges_add(result, start, end);
}

void ranges_clear(struct ranges *ranges)
{
	array_free(ranges);
}
