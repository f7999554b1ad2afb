/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inline_tree - walks the debug entries of a unit for functions with code.
 *
 * Entries that cannot hold code (types, variables, abstract functions) are skipped with their
 * children.
 */
#include "symbolize/dwarf/inline_tree.h"

#include "base/memory.h"
#include "symbolize/language/language.h"

#include <dwarf.h>

/* Compilers stay far below, damaged files do not: all entries can name one list of ranges. */
#define NESTING_MOST 200
#define RANGES_MOST (1u << 22) /* of a unit */

struct walk {
	struct sources *sources;
	struct object *object;
	struct inline_tree *frames;
	inline_tree_filter *choice;
	void *context;
	unsigned ranges;
	bool enters_types; /* by the unit's language */
};

static void walk_children(struct walk *walk, Dwarf_Die *parent, uint32_t frame, unsigned depth);

static unsigned call_line(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word line = 0;

	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &line) != 0 ||
	    line > INT32_MAX)
		return 0;
	return (unsigned)line;
}

/* Adds ranges that are code: entries of functions that the linker dropped point elsewhere. */
static bool add_code(struct walk *walk, Dwarf_Die *die, struct inline_frame *frame)
{
	ptrdiff_t at = 0;
	Dwarf_Addr base = 0, start = 0, end = 0;

	while (walk->ranges < RANGES_MOST &&
	       (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		walk->ranges++;
		start += (uint64_t)walk->object->debug_bias;
		end += (uint64_t)walk->object->debug_bias;
		if (!object_has_code(walk->object, start))
			continue;
		if (frame->code.count == 0)
			frame->entry = start;
		ranges_add(&frame->code, start, end);
	}
	if (dwarf_hasattr(die, DW_AT_entry_pc) && dwarf_entrypc(die, &start) == 0 &&
	    object_has_code(walk->object, start + (uint64_t)walk->object->debug_bias))
		frame->entry = start + (uint64_t)walk->object->debug_bias;
	return frame->code.count > 0;
}

static uint32_t add_frame(struct walk *walk, Dwarf_Die *die, uint32_t parent, unsigned depth)
{
	struct inline_frame frame = {
		.parent = parent,
		.function = sources_function(walk->sources, die),
		.is_inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine,
	};

	if (walk->choice && !walk->choice(walk->context, frame.function))
		return FRAME_NONE;
	if (!add_code(walk, die, &frame))
		return FRAME_NONE;
	if (frame.is_inlined) {
		frame.call_line = call_line(die);
		frame.call_file = sources_file_of(walk->sources, die, DW_AT_call_file);
	}
	uint32_t id = (uint32_t)walk->frames->count;
	for (size_t i = 0; i < frame.code.count; i++)
		interval_map_add(&walk->frames->intervals, frame.code.items[i].start,
				 frame.code.items[i].end, id, depth);
	*array_add(walk->frames) = frame;
	return id;
}

static void walk_entry(struct walk *walk, Dwarf_Die *die, uint32_t frame, unsigned depth)
{
	uint32_t inner;

	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		if (!dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges))
			break; /* a declaration, or what is inlined elsewhere */
		inner = add_frame(walk, die, FRAME_NONE, depth);
		if (inner != FRAME_NONE || walk->choice)
			walk_children(walk, die, inner, depth);
		break;
	case DW_TAG_inlined_subroutine:
		inner = add_frame(walk, die, frame, depth);
		walk_children(walk, die, inner != FRAME_NONE ? inner : frame, depth);
		break;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
	case DW_TAG_namespace:
	case DW_TAG_module:
		walk_children(walk, die, frame, depth);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_variant_part:
		if (walk->enters_types)
			walk_children(walk, die, frame, depth);
		break;
	default:
		break;
	}
}

static void walk_children(struct walk *walk, Dwarf_Die *parent, uint32_t frame, unsigned depth)
{
	Dwarf_Die child, next;

	if (depth >= NESTING_MOST || dwarf_child(parent, &child) != 0)
		return;
	for (;;) {
		walk_entry(walk, &child, frame, depth + 1);
		/* A damaged sibling reference may point back: go forward only. */
		if (dwarf_siblingof(&child, &next) != 0 || (char *)next.addr <= (char *)child.addr)
			return;
		child = next;
	}
}

void inline_tree_read(struct sources *sources, struct object *object, const struct unit *unit,
		      inline_tree_filter *choice, void *context, struct inline_tree *frames)
{
	struct walk walk = {
		.sources = sources,
		.object = object,
		.frames = frames,
		.choice = choice,
		.context = context,
	};
	Dwarf_Die die = unit_full_die(unit);

	walk.enters_types = language_types_hold_functions(dwarf_srclang(&die));
	walk_children(&walk, &die, FRAME_NONE, 0);
}

void inline_tree_index(struct inline_tree *frames)
{
	interval_map_flatten(&frames->intervals);
}

uint32_t inline_tree_at(const struct inline_tree *frames, uint64_t address)
{
	const struct interval_map_entry *span = interval_map_at(&frames->intervals, address);
	return span ? span->value : FRAME_NONE;
}

void inline_tree_clear(struct inline_tree *frames)
{
	for (size_t i = 0; i < frames->count; i++)
		ranges_clear(&frames->items[i].code);
	array_free(frames);
	interval_map_clear(&frames->intervals);
}
