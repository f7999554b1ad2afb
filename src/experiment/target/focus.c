/* SPDX-License-Identifier: BSD-2-Clause */
/* focus - adds up chained samples by location. */
#include "experiment/target/focus.h"

#include "symbolize/patterns.h"

void focus_release(struct focus *focus)
{
	array_free(&focus->locations);
}

static struct focus_location *location_of(struct focus *focus, uint32_t location)
{
	while (focus->locations.count <= location)
		(void)array_add(&focus->locations);
	return &focus->locations.items[location];
}

static bool is_focus(struct focus *focus, struct symbols *symbols, uint32_t location)
{
	struct focus_location *entry = location_of(focus, location);
	const char *function = symbols_location(symbols, location)->function;

	if (!entry->is_known)
		entry->is_focus = function && symbols_name_matches(function, focus->function);
	entry->is_known = true;
	return entry->is_focus;
}

size_t focus_begin(struct focus *focus, struct symbols *symbols, const uint32_t *functions,
		   size_t count)
{
	size_t inside = focus->function ? count : 0;

	while (inside && !is_focus(focus, symbols, functions[inside - 1]))
		inside--;
	focus->has_chain = count;
	focus->is_inside = inside;
	focus->has_been_inside |= inside > 0;
	return inside;
}

void focus_count(struct focus *focus, uint32_t location, uint64_t weight_ns)
{
	if (!focus->function || !focus->has_chain)
		return;
	location_of(focus, location)->chained_ns += weight_ns;
	location_of(focus, location)->inside_ns += focus->is_inside ? weight_ns : 0;
}

double focus_part(const struct focus *focus, uint32_t location)
{
	const struct focus_location *entry =
		location < focus->locations.count ? &focus->locations.items[location] : NULL;

	if (!focus->function)
		return 1;
	return entry && entry->chained_ns ? (double)entry->inside_ns / (double)entry->chained_ns :
					    0;
}
