/* SPDX-License-Identifier: BSD-2-Clause */
/* find - the places and breakpoints of what a user names. */
#include "symbolize/search.h"
#include "symbolize/symbols.h"

#include <errno.h>

static void add_hit_ranges(struct symbols *symbols, uint32_t place, const struct object *object,
			   const struct function_hit *hit)
{
	struct ranges code = {0};

	for (size_t i = 0; i < hit->code.count; i++) {
		const struct symbols_range *range = &hit->code.items[i];
		if (hit->function == FUNCTION_NONE)
			ranges_add(&code, range->start, range->end);
		else
			object_code(object, range->start, range->end, &code);
	}
	for (size_t i = 0; i < code.count; i++)
		place_add_range(symbols, place, code.items[i].start, code.items[i].end);
	ranges_clear(&code);
}

static uint32_t place_from_hits(struct symbols *symbols, const struct function_hits *hits)
{
	const struct function_hit *first = &hits->items[0];
	struct object *object = symbols_open(symbols, first->object);
	bool is_symbol = first->function == FUNCTION_NONE;
	uint32_t id =
		is_symbol ? place_of_symbol(symbols, object, &object->symtab.items[first->symbol]) :
			    place_of_function(symbols, object, first->function);
	struct place *place = symbols->places.items[id];

	for (size_t i = 0; symbols->granularity == TARGET_FUNCTION && object->shown.in_scope &&
			   !is_symbol && i < hits->count;
	     i++)
		unit_decode(symbols, object, &object->units.items[hits->items[i].unit]);
	/* Attribution gave it its code, or it is not attributed to and gets all of its code. */
	if (place->ranges.count)
		return id;
	place->is_explicit = true;
	for (size_t i = 0; i < hits->count; i++)
		add_hit_ranges(symbols, id, object, &hits->items[i]);
	return id;
}

int symbols_find(struct symbols *symbols, const char *name, uint32_t *place, struct error *error)
{
	struct query query;
	struct function_hits hits = {0};
	int result;

	query_parse(name, &query);
	if (query.line) {
		result = search_line_place(symbols, &query, place, error);
	} else {
		result = search_function(symbols, &query, &hits, error);
		if (result == 0)
			*place = place_from_hits(symbols, &hits);
	}
	function_hits_clear(&hits);
	query_clear(&query);
	return result;
}

/* A part that the compiler split off is entered from the function itself, which counts already. */
static bool is_split_part(const struct object *object, const struct function_hit *hit,
			  uint64_t offset)
{
	const struct symtab *symtab = &object->symtab;

	if (hit->function == FUNCTION_NONE)
		return symtab->items[hit->symbol].is_part;
	const struct symtab_entry *entry = symtab_at(symtab, offset);
	return !hit->is_inlined && entry && entry->is_part && entry->start == offset;
}

static void function_addresses(struct symbols *symbols, const struct function_hits *hits,
			       struct address_list *addresses)
{
	for (int parts = 0; parts < 2 && addresses->count == 0; parts++) {
		for (size_t i = 0; i < hits->count; i++) {
			const struct function_hit *hit = &hits->items[i];
			struct object *object = symbols_open(symbols, hit->object);
			uint64_t offset = hit->entry;
			object_symtab(object, &symbols->texts);
			if (hit->function != FUNCTION_NONE &&
			    !object_offset(object, hit->entry, &offset))
				continue;
			if (parts || !is_split_part(object, hit, offset))
				address_add(addresses, object, offset);
		}
	}
}

int symbols_breakpoints(struct symbols *symbols, const char *name, uint32_t only,
			struct symbols_address *addresses, size_t most, size_t *count,
			struct error *error)
{
	struct query query;
	struct function_hits hits = {0};
	struct address_list found = {0};
	int result;

	query_parse(name, &query);
	query.only = only;
	if (query.line) {
		result = search_line_addresses(symbols, &query, &found, error);
	} else {
		result = search_function(symbols, &query, &hits, error);
		if (result == 0)
			function_addresses(symbols, &hits, &found);
	}
	for (size_t i = 0; i < found.count && i < most; i++)
		addresses[i] = found.items[i];
	*count = found.count;
	array_free(&found);
	function_hits_clear(&hits);
	query_clear(&query);
	return result;
}
