/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * ranges - searches for a location in the banks of sorted code ranges: the target, the scope, and
 * sampled points. The engine fills the banks.
 */
#pragma once

#include "bpf/shared.h"
#include "bpf/state.h"

#define RANGE_STEPS_MOST 15 /* 2^15 > WIRE_RANGES_MOST */
#define SAMPLED_POINT_ALL WIRE_POINTS_MOST

static __always_inline bool range_is_before(const struct wire_range *range,
					    const struct location *location)
{
	return range->object < location->object ||
	       (range->object == location->object && range->end <= location->offset);
}

static __always_inline bool range_holds(const struct wire_range *range,
					const struct location *location)
{
	return range->object == location->object && range->start <= location->offset &&
	       location->offset < range->end;
}

struct range_search {
	struct location location;
	u32 bank, low, high;
	u32 pad;
};

static long range_step(u32 index, void *context)
{
	struct range_search *search = context;
	u32 middle = (search->low + search->high) / 2;

	if (search->low >= search->high || search->bank >= WIRE_BANKS)
		return 1;
	if (range_is_before(&ranges[search->bank][middle & (WIRE_RANGES_MOST - 1)],
			    &search->location))
		search->low = middle + 1;
	else
		search->high = middle;
	return 0;
}

/* By bpf_loop: of an unrolled search the verifier would check every path. */
static __always_inline const struct wire_range *range_find(u32 bank,
							   const struct location *location)
{
	if (bank >= WIRE_BANKS)
		return NULL;
	u32 count = settings.counts[bank];
	if (!count)
		return NULL;
	struct range_search search = {.location = *location, .bank = bank, .high = count};
	bpf_loop(RANGE_STEPS_MOST, range_step, &search, 0);
	if (search.low >= count)
		return NULL;
	const struct wire_range *range = &ranges[bank][search.low & (WIRE_RANGES_MOST - 1)];
	return range_holds(range, location) ? range : NULL;
}

/* Bits WIRE_TARGET_*; 0: not the target. */
__noinline int location_target(const struct location *location)
{
	if (!location)
		return 0;
	const struct wire_range *range =
		range_find(WIRE_BANK_TARGET + (settings.target_bank & 1), location);
	return range ? (int)range->value : 0;
}

/* The levels at which the location is the target, itself or with its callees; a bit each. */
static __always_inline u32 location_levels(const struct location *location)
{
	u32 target = location_target(location);
	return WIRE_TARGET_OWN_LEVELS(target) | WIRE_TARGET_INCLUSIVE_LEVELS(target);
}

__noinline int location_is_in_scope(const struct location *location)
{
	if (!location)
		return false;
	return range_find(WIRE_BANK_SCOPE + (settings.scope_bank & 1), location) != NULL;
}

/* WIRE_SPIN_LOOP or _HELPER, or 0. */
__noinline int location_spin(const struct location *location)
{
	if (!location)
		return 0;
	const struct wire_range *range =
		range_find(WIRE_BANK_SPIN + (settings.spin_bank & 1), location);
	return range ? (int)range->value : 0;
}

/* The index of the sampled point at the location, or -1; SAMPLED_POINT_ALL is added to it where all
 * code counts (sampled:*). */
__noinline int location_sampled_point(const struct location *location)
{
	if (!location)
		return -1;
	const struct wire_range *range = range_find(WIRE_BANK_SAMPLED, location);
	if (!range)
		return -1;
	u32 index = range->value % WIRE_POINTS_MOST;
	return range->end == ~0ull ? SAMPLED_POINT_ALL + index : index;
}
