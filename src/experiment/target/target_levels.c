/* SPDX-License-Identifier: BSD-2-Clause */
/* target_levels - gives each different speedup a level, and joins the ranges of all members. */
#include "experiment/target/target_levels.h"

#include "experiment/target/code_ranges.h"

#include <errno.h>

#define TARGET_BITS (2 * DELAY_LEVELS)

struct range_list {
	struct wire_range *items;
	size_t count, capacity;
};

struct levels {
	struct collector_target target;
	struct range_list ranges;
	uint32_t used;
};

/* The level of this speedup; DELAY_LEVELS: there are too many. */
static uint32_t level_for(struct levels *levels, struct collector_level wanted, bool waits_only)
{
	for (uint32_t i = 0; i < levels->used; i++) {
		const struct collector_level *level = &levels->target.levels[i];
		if (level->experiment == wanted.experiment && level->standing == wanted.standing &&
		    (levels->target.waits_only >> i & 1) == waits_only)
			return i;
	}
	if (levels->used < DELAY_LEVELS) {
		levels->target.levels[levels->used] = wanted;
		levels->target.waits_only |= (uint32_t)waits_only << levels->used;
	}
	return levels->used < DELAY_LEVELS ? levels->used++ : DELAY_LEVELS;
}

/* False: there are too many levels. */
static bool add_member(struct levels *levels, const struct target_lookup *lookup,
		       const struct target_member *member, bool stands)
{
	struct collector_level wanted = {.experiment = stands ? 0 : member->level,
					 .standing = stands ? member->level : 0};
	bool is_of_code = member->code != SYMBOLS_NONE;
	uint32_t level = level_for(levels, wanted, member->classes && is_of_code);

	if (level == DELAY_LEVELS)
		return false;
	levels->target.classes |= member->classes;
	levels->target.class_levels |= member->classes ? 1u << level : 0;
	if (!is_of_code)
		return true;
	bool is_inclusive =
		symbols_location(lookup->symbols, member->code)->kind == TARGET_INCLUSIVE;
	uint32_t value = is_inclusive ? WIRE_TARGET_INCLUSIVE(level) : WIRE_TARGET_OWN(level);
	size_t count;
	struct wire_range *ranges = code_ranges_of(lookup, member->code, value, &count);
	for (size_t i = 0; i < count; i++)
		*array_add(&levels->ranges) = ranges[i];
	free(ranges);
	return true;
}

/* ---- joining: ranges of several members may overlap ---- */

struct border {
	uint32_t object, value;
	uint64_t at;
	int change; /* of the number of ranges with the value */
};

static int compare_borders(const void *left, const void *right)
{
	const struct border *a = left, *b = right;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static uint32_t value_of(const unsigned *counts)
{
	uint32_t value = 0;

	for (uint32_t bit = 0; bit < TARGET_BITS; bit++)
		value |= counts[bit] ? 1u << bit : 0;
	return value;
}

static void append(struct range_list *joined, const struct border *from, const struct border *to,
		   uint32_t value)
{
	struct wire_range *last = joined->count ? &joined->items[joined->count - 1] : NULL;

	if (!value || from->at == to->at)
		return;
	if (last && last->object == from->object && last->end == from->at && last->value == value)
		last->end = to->at;
	else
		*array_add(joined) = (struct wire_range){.object = from->object,
							 .value = value,
							 .start = from->at,
							 .end = to->at};
}

/* Sorted, without overlaps; a value has the bits of all ranges that are there. */
static struct range_list join(const struct range_list *all)
{
	struct border *borders = memory_new(2 * all->count + 1, sizeof(*borders));
	struct range_list joined = {0};
	unsigned counts[TARGET_BITS] = {0};

	for (size_t i = 0; i < all->count; i++) {
		const struct wire_range *range = &all->items[i];
		borders[2 * i] = (struct border){range->object, range->value, range->start, 1};
		borders[2 * i + 1] = (struct border){range->object, range->value, range->end, -1};
	}
	qsort(borders, 2 * all->count, sizeof(*borders), compare_borders);
	for (size_t i = 0; i < 2 * all->count; i++) {
		if (i)
			append(&joined, &borders[i - 1], &borders[i], value_of(counts));
		for (uint32_t bit = 0; bit < TARGET_BITS; bit++)
			if (borders[i].value >> bit & 1)
				counts[bit] += (unsigned)borders[i].change;
	}
	free(borders);
	return joined;
}

static int send(struct levels *levels, const struct target_lookup *lookup, const char *name,
		struct error *error)
{
	struct range_list joined = join(&levels->ranges);

	levels->target.ranges = joined.items;
	levels->target.count = joined.count;
	int failed = collector_set_target(lookup->collector, &levels->target);
	free(joined.items);
	return failed ? error_set(error, failed,
				  "'%s' has %zu ranges of code, at most %d are possible; "
				  "choose a line or an inner function of it",
				  name, joined.count, WIRE_RANGES_MOST) :
			0;
}

/* False: there are too many levels. */
static bool add_all(struct levels *levels, const struct target_lookup *lookup,
		    const struct target_spec *target, const struct target_set *standing)
{
	size_t count;
	const struct target_member *members = target_spec_members(target, &count);
	bool fits = true;

	for (size_t i = 0; i < count; i++)
		fits = fits && add_member(levels, lookup, &members[i], false);
	for (size_t i = 0; i < standing->members.count; i++)
		fits = fits && add_member(levels, lookup, &standing->members.items[i], true);
	return fits;
}

int target_levels_send(const struct target_lookup *lookup, const struct target_spec *target,
		       const struct target_set *standing, struct error *error)
{
	const char *name = symbols_location(lookup->symbols, target->location)->name;
	struct levels levels = {0};
	bool fits = add_all(&levels, lookup, target, standing);
	int code = fits ? send(&levels, lookup, name, error) :
			  error_set(error, -E2BIG,
				    "'%s' and what --assume names have more than %d different "
				    "speedups; use fewer different percentages",
				    name, DELAY_LEVELS);
	free(levels.ranges.items);
	return code;
}

void target_levels_resend(const struct target_lookup *lookup, const struct target_spec *target,
			  const struct target_set *standing)
{
	struct levels levels = {0};

	if (add_all(&levels, lookup, target, standing)) {
		struct range_list joined = join(&levels.ranges);
		collector_move_target(lookup->collector, joined.items, joined.count);
		free(joined.items);
	}
	free(levels.ranges.items);
}
