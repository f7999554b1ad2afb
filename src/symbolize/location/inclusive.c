/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inclusive - functions with all that they call: which of them an address is in, and their code.
 *
 * A call chain has one address for each frame; inlined functions at that address count, too. The
 * code of a function is that of all its copies in units decoded so far.
 */
#include "symbolize/dwarf/inline_tree.h"
#include "symbolize/internal.h"
#include "symbolize/parser/parser.h"
#include "symbolize/python/python_code.h"
#include "symbolize/skid.h"
#include "symbolize/tail_calls.h"

/* The location of a function, with its copies in decoded units when it is new. */
static uint32_t location_of(struct symbols *symbols, struct object *object, uint32_t function)
{
	uint32_t known = location_find_inclusive(symbols, object, function);

	if (known != SYMBOLS_NONE)
		return known;
	uint32_t location = location_of_inclusive(symbols, object, function);
	for (size_t i = 0; i < object->units->count; i++) {
		const struct unit *unit = &object->units->items[i];
		for (size_t j = 0; unit->frames && j < unit->frames->count; j++) {
			const struct inline_frame *frame = &unit->frames->items[j];
			if (frame->function != FUNCTION_NONE &&
			    location_find_inclusive(symbols, object, frame->function) == location)
				inclusive_add_frame(symbols, object, location, frame);
		}
	}
	return location;
}

static bool is_in_scope(struct symbols *symbols, const struct object *object, uint32_t file,
			uint32_t name)
{
	if (!object->shown.in_scope && !scope_is_default(symbols->sources.scope))
		return false;
	return sources_in_scope(&symbols->sources, file, name);
}

static bool has_function(struct symbols *symbols, const struct object *object, uint32_t function)
{
	bool names_matter = scope_names_functions(symbols->sources.scope);

	return function != FUNCTION_NONE &&
	       is_in_scope(symbols, object, symbols->sources.functions.items[function].file,
			   names_matter ? sources_function_name(&symbols->sources, function) : 0);
}

/* Of a stripped binary: "sort+0x5a20". */
static size_t by_unwind_table(struct symbols *symbols, struct object *object, uint64_t offset,
			      uint32_t *locations)
{
	struct range function;

	if (object->is_jit || object->is_kernel || !is_in_scope(symbols, object, 0, 0) ||
	    !symbols_unwound_function(object, offset, &function))
		return 0;
	locations[0] = location_of_inclusive_unnamed(symbols, object, function);
	return 1;
}

static size_t by_symbol(struct symbols *symbols, struct object *object, uint64_t offset,
			uint32_t *locations)
{
	struct symtab_entry *entry =
		symtab_at(object_symtab(object, &symbols->sources.texts), offset);

	if (!entry)
		return by_unwind_table(symbols, object, offset, locations);
	symtab_name(entry, &symbols->sources.texts);
	if (!is_in_scope(symbols, object, 0, entry->shown))
		return 0;
	locations[0] = location_of_inclusive_symbol(symbols, object, entry);
	return 1;
}

/* The innermost function whose samples stand at the address. */
static uint32_t frame_at(struct symbols *symbols, const struct object *object,
			 const struct inline_tree *frames, uint64_t address)
{
	uint32_t frame = inline_tree_at(frames, address),
		 before = inline_tree_at(frames, address - 1);

	return frame != before && skid_boundary(&symbols->skid, object, address) != address ?
		       before :
		       frame;
}

/* The unit with the innermost function by debug information; NULL: none is known. */
static struct unit *unit_of(struct symbols *symbols, struct object *at, uint64_t offset,
			    uint32_t *frame)
{
	struct unit *unit = units_read(at)->count ? units_at(at, offset) : NULL;
	uint64_t address;

	if (!unit || !object_address(at, offset, &address))
		return NULL;
	unit_decode(symbols, at, unit);
	*frame = frame_at(symbols, at, unit->frames, address);
	return *frame == FRAME_NONE ? NULL : unit;
}

/* Those by debug information, or by the symbol table. */
static size_t functions_at(struct symbols *symbols, struct object *at, uint64_t offset,
			   uint32_t *locations, size_t most)
{
	uint32_t frame;
	struct unit *unit = unit_of(symbols, at, offset, &frame);
	size_t count = 0;

	if (!unit)
		return by_symbol(symbols, at, offset, locations);
	for (; frame != FRAME_NONE && count < most; frame = unit->frames->items[frame].parent) {
		uint32_t function = unit->frames->items[frame].function;
		if (has_function(symbols, at, function))
			locations[count++] = location_of(symbols, at, function);
	}
	return count;
}

/* The function that begins there, and none that is inlined at its start. */
static uint32_t function_of_start(struct symbols *symbols, struct object *at, uint64_t start)
{
	uint32_t frame, location;
	struct unit *unit = unit_of(symbols, at, start, &frame);

	if (!unit)
		return by_symbol(symbols, at, start, &location) ? location : SYMBOLS_NONE;
	while (unit->frames->items[frame].parent != FRAME_NONE)
		frame = unit->frames->items[frame].parent;
	uint32_t function = unit->frames->items[frame].function;
	return has_function(symbols, at, function) ? location_of(symbols, at, function) :
						     SYMBOLS_NONE;
}

/* Is the code malloc, free or their like? */
static bool is_allocation(struct symbols *symbols, struct object *object, uint64_t offset)
{
	const struct symtab_entry *entry =
		symtab_at(object_symtab(object, &symbols->sources.texts), offset);

	return entry && allocation_has(interner_text(&symbols->sources.texts, entry->name));
}

/*
 * The function that a call enters and that may have left by a jump; SYMBOLS_NONE if the offset is
 * no call's last byte, or none is known. That byte becomes the function's, too.
 */
static uint32_t entered_by_call(struct symbols *symbols, struct object *object, uint64_t offset)
{
	const struct symbols_address call = {.object = object->id, .offset = offset};
	struct object *entered;
	uint64_t start;

	if (!tail_calls_entered(symbols, object, offset, &entered, &start))
		return SYMBOLS_NONE;
	uint32_t function = function_of_start(symbols, entered, start);
	if (function == SYMBOLS_NONE)
		return SYMBOLS_NONE;
	bool is_known = entered == object ?
				location_has(symbols, function, offset) :
				location_has_far_call(symbols, function, object->id, offset);
	if (is_known)
		return function;
	if (entered != object) {
		location_add_far_call(symbols, function, &call);
		return function;
	}
	location_add_range(symbols, function, offset, offset + 1);
	symbols->generation++;
	return function;
}

size_t symbols_functions_at(struct symbols *symbols, uint32_t object, uint64_t offset,
			    uint32_t *locations, size_t most)
{
	if (symbols->parser)
		return parser_functions_at(symbols->parser, object, offset, locations, most);
	struct object *at = symbols_open(symbols, object);
	if (!most)
		return 0;
	if (python_is(symbols, at)) {
		locations[0] = python_inclusive_at(symbols, offset);
		return locations[0] != SYMBOLS_NONE;
	}
	uint32_t called = most > 1 ? entered_by_call(symbols, at, offset) : SYMBOLS_NONE;
	size_t count = called != SYMBOLS_NONE;
	if (count)
		locations[0] = called;
	count += functions_at(symbols, at, offset, locations + count, most - count);
	if (count && count < most && is_allocation(symbols, at, offset))
		locations[count++] = allocation_location(symbols, at);
	return count;
}
