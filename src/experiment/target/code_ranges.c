/* SPDX-License-Identifier: BSD-2-Clause */
/* code_ranges - file offsets become addresses (kernel), object numbers those of the collector. */
#include "experiment/target/code_ranges.h"

#include "base/memory.h"
#include "experiment/target/jit_maps.h"
#include "symbolize/far_calls.h"
#include "symbolize/python.h"

struct range_list {
	struct wire_range *items;
	size_t count, capacity;
};

static uint32_t wire_object_of(const struct target_lookup *lookup, uint32_t object)
{
	if (symbols_is_kernel(lookup->symbols, object))
		return WIRE_OBJECT_KERNEL;
	if (symbols_is_python(lookup->symbols, object))
		return WIRE_OBJECT_PYTHON;
	return jit_maps_has(lookup->jit_maps, object) ? WIRE_OBJECT_NO_FILE : object + 1;
}

static int by_start(const void *a, const void *b)
{
	const struct wire_range *left = a, *right = b;
	if (left->object != right->object)
		return left->object < right->object ? -1 : 1;
	return left->start < right->start ? -1 : left->start > right->start;
}

/* JIT maps of several processes may overlap. */
static size_t merge(struct wire_range *ranges, size_t count)
{
	size_t kept = 0;

	qsort(ranges, count, sizeof(*ranges), by_start);
	for (size_t i = 0; i < count; i++) {
		struct wire_range *last = kept ? &ranges[kept - 1] : NULL;
		if (last && last->object == ranges[i].object && ranges[i].start <= last->end &&
		    ranges[i].value == last->value) {
			if (ranges[i].end > last->end)
				last->end = ranges[i].end;
		} else {
			ranges[kept++] = ranges[i];
		}
	}
	return kept;
}

static struct wire_range wire_range_of(const struct target_lookup *lookup, uint32_t object,
				       const struct range *range)
{
	uint64_t start = symbols_kernel_address(lookup->symbols, object, range->start);

	return (struct wire_range){.object = wire_object_of(lookup, object),
				   .start = start,
				   .end = start + (range->end - range->start)};
}

/* Without the kernel's scheduler: time in it belongs to the code that waits. */
static void add_scope_range(const struct target_lookup *lookup, struct range_list *all,
			    struct wire_range range)
{
	struct wire_range rest = range;
	uint64_t start, end;

	symbols_scheduler(lookup->symbols, &start, &end);
	if (range.object != WIRE_OBJECT_KERNEL || range.end <= start || range.start >= end) {
		*array_add(all) = range;
		return;
	}
	range.end = start;
	rest.start = end;
	if (range.start < range.end)
		*array_add(all) = range;
	if (rest.start < rest.end)
		*array_add(all) = rest;
}

struct wire_range *code_ranges_of_scope(const struct target_lookup *lookup, size_t *count)
{
	uint32_t objects = symbols_object_count(lookup->symbols);
	struct range_list all = {0};

	for (uint32_t object = 0; object < objects; object++) {
		const struct range *ranges;
		size_t found = symbols_scope_ranges(lookup->symbols, object, &ranges);
		for (size_t i = 0; i < found; i++)
			add_scope_range(lookup, &all, wire_range_of(lookup, object, &ranges[i]));
	}
	*count = merge(all.items, all.count);
	return all.items;
}

struct wire_range *code_ranges_of(const struct target_lookup *lookup, uint32_t location,
				  uint32_t value, size_t *count)
{
	const struct symbols_location *shown = symbols_location(lookup->symbols, location);
	const struct target_kind_row *kind = target_kind_row(shown->kind);
	bool is_one = kind && kind->range;
	const struct symbols_address *calls = NULL;
	const struct range *ranges = NULL;
	size_t called = is_one ? 0 : symbols_far_calls(lookup->symbols, location, &calls);
	size_t found = is_one ? 1 : symbols_location_ranges(lookup->symbols, location, &ranges);
	struct wire_range *made = memory_new(found + called, sizeof(*made));

	for (size_t i = 0; i < found; i++) {
		made[i] = is_one ? kind->range(lookup, location) :
				   wire_range_of(lookup, shown->object, &ranges[i]);
		made[i].value = value;
	}
	for (size_t i = 0; i < called; i++) {
		made[found + i] = wire_range_of(lookup, calls[i].object,
						&(struct range){.start = calls[i].offset,
								.end = calls[i].offset + 1});
		made[found + i].value = value;
	}
	*count = merge(made, found + called);
	return made;
}

static bool has_call(const struct target_lookup *lookup, uint32_t location, uint32_t object,
		     uint64_t offset)
{
	const struct symbols_address *calls;
	size_t count = symbols_far_calls(lookup->symbols, location, &calls);

	for (size_t i = 0; i < count; i++)
		if (calls[i].object == object && calls[i].offset == offset)
			return true;
	return false;
}

bool code_ranges_hold(const struct target_lookup *lookup, uint32_t location, uint32_t object,
		      uint64_t offset)
{
	const struct range *ranges;
	size_t low = 0, high = symbols_location_ranges(lookup->symbols, location, &ranges);

	if (symbols_location(lookup->symbols, location)->object != object)
		return has_call(lookup, location, object, offset);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (ranges[middle].end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < symbols_location_ranges(lookup->symbols, location, &ranges) &&
	       ranges[low].start <= offset;
}
