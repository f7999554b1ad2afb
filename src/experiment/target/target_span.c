/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * target_span - open spans of lever.h as targets.
 *
 * A span's location has no ranges of its own: for the collector it is the number of the point that
 * begins it, which is known once the program has begun one.
 */
#include "experiment/target/target_kinds.h"

#include <errno.h>
#include <string.h>

static void enable(struct collector_target_kinds *kinds, const char *name)
{
	(void)name;
	kinds->spans = true;
}

/* WIRE_POINTS_MOST: the program has begun none. */
static uint32_t point_of(const struct target_lookup *lookup, const char *name)
{
	uint32_t count = collector_point_count(lookup->collector);

	for (uint32_t i = 0; i < count; i++) {
		const struct wire_point *point = collector_point(lookup->collector, i);
		if (point->kind == POINTS_BEGIN && !strcmp(point->name, name))
			return i;
	}
	return WIRE_POINTS_MOST;
}

static int find(struct target_lookup *lookup, const char *name, uint32_t *location,
		struct error *error)
{
	if (point_of(lookup, name) == WIRE_POINTS_MOST)
		return error_set(error, -ENOENT,
				 "the program has begun no span '%s' (LEVER_SPAN or LEVER_BEGIN of "
				 "lever.h)",
				 name);
	*location = symbols_span(lookup->symbols, name);
	return 0;
}

static uint32_t location_of(struct target_lookup *lookup, const struct wire_sample *sample)
{
	uint32_t point = sample->span;

	if (point >= WIRE_POINTS_MOST || point >= collector_point_count(lookup->collector))
		return SYMBOLS_NONE;
	if (lookup->span_locations[point] == SYMBOLS_NONE)
		lookup->span_locations[point] =
			symbols_span(lookup->symbols,
				     collector_point(lookup->collector, point)->name);
	return lookup->span_locations[point];
}

static struct wire_range range(const struct target_lookup *lookup, uint32_t location)
{
	const char *name = symbols_location(lookup->symbols, location)->name;
	uint32_t point = point_of(lookup, name + strlen(SYMBOLS_SPAN_PREFIX));

	return (struct wire_range){.object = WIRE_OBJECT_SPANS,
				   .start = point,
				   .end = (uint64_t)point + 1};
}

const struct target_kind_row target_span = {
	.kind = TARGET_SPAN,
	.prefix = SYMBOLS_SPAN_PREFIX,
	.appears_late = true,
	.enable = enable,
	.find = find,
	.location_of = location_of,
	.range = range,
};
