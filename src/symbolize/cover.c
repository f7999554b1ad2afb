/* SPDX-License-Identifier: BSD-2-Clause */
/* cover - one sweep over the sorted spans with a stack of those that are open. */
#include "symbolize/cover.h"

#include "base/memory.h"

struct cover_open {
	size_t *items;
	size_t count, capacity;
};

struct cover_order {
	struct cover_span span;
	size_t added; /* makes the sort stable */
};

static int cover_compare(const void *one, const void *other)
{
	const struct cover_order *a = one, *b = other;
	if (a->span.start != b->span.start)
		return a->span.start < b->span.start ? -1 : 1;
	if (a->span.depth != b->span.depth)
		return a->span.depth < b->span.depth ? -1 : 1;
	return a->added < b->added ? -1 : a->added > b->added;
}

static void cover_sort(struct cover *cover)
{
	struct cover_order *order = memory_new(cover->count, sizeof(*order));
	for (size_t i = 0; i < cover->count; i++)
		order[i] = (struct cover_order){.span = cover->items[i], .added = i};
	qsort(order, cover->count, sizeof(*order), cover_compare);
	for (size_t i = 0; i < cover->count; i++)
		cover->items[i] = order[i].span;
	free(order);
}

static void cover_append(struct cover *flat, const struct cover_span *owner, uint64_t start,
			 uint64_t end)
{
	struct cover_span *last = flat->count ? &flat->items[flat->count - 1] : NULL;
	if (start >= end)
		return;
	if (last && last->end == start && last->value == owner->value)
		last->end = end;
	else
		cover_add(flat, start, end, owner->value, owner->depth);
}

/* Writes the owners of [at, until), closing spans that end on the way. Returns `until`. */
static uint64_t cover_advance(const struct cover *cover, struct cover_open *open, uint64_t at,
			      uint64_t until, struct cover *flat)
{
	while (open->count && at < until) {
		const struct cover_span *owner = &cover->items[open->items[open->count - 1]];
		if (owner->end <= at) {
			open->count--;
			continue;
		}
		uint64_t end = owner->end < until ? owner->end : until;
		cover_append(flat, owner, at, end);
		at = end;
	}
	return until;
}

void cover_add(struct cover *cover, uint64_t start, uint64_t end, uint32_t value, uint32_t depth)
{
	if (start < end)
		*array_add(cover) = (struct cover_span){.start = start,
							.end = end,
							.value = value,
							.depth = depth};
}

void cover_flatten(struct cover *cover)
{
	struct cover flat = {0};
	struct cover_open open = {0};
	uint64_t at = 0;

	cover_sort(cover);
	for (size_t i = 0; i < cover->count; i++) {
		at = cover_advance(cover, &open, at, cover->items[i].start, &flat);
		*array_add(&open) = i;
	}
	cover_advance(cover, &open, at, UINT64_MAX, &flat);
	array_free(&open);
	cover_clear(cover);
	*cover = flat;
}

size_t cover_after(const struct cover *cover, uint64_t at)
{
	size_t low = 0, high = cover->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (cover->items[middle].end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct cover_span *cover_at(const struct cover *cover, uint64_t at)
{
	size_t i = cover_after(cover, at);
	return i < cover->count && cover->items[i].start <= at ? &cover->items[i] : NULL;
}

void cover_clear(struct cover *cover)
{
	array_free(cover);
}
