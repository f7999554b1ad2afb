/* SPDX-License-Identifier: BSD-2-Clause */
/* unit_decode - makes the locations of a unit's code. */
#include "base/memory.h"
#include "symbolize/dwarf/attribution.h"
#include "symbolize/internal.h"
#include "symbolize/skid.h"

#include <dwarf.h>

struct decoding {
	struct symbols *symbols;
	struct object *object;
	struct unit *unit;
	size_t capacity;
};

static void add_piece(struct decoding *decoding, uint64_t start, uint64_t end, uint32_t location)
{
	struct unit *unit = decoding->unit;
	struct unit_piece *last = unit->piece_count ? &unit->pieces[unit->piece_count - 1] : NULL;

	if (last && last->location == location && last->end == start) {
		last->end = end;
		return;
	}
	unit->pieces = memory_array_grow(unit->pieces, &unit->piece_count, &decoding->capacity,
					 sizeof(*unit->pieces));
	unit->pieces[unit->piece_count - 1] =
		(struct unit_piece){.start = start, .end = end, .location = location};
}

static bool is_assembler(const struct unit *unit)
{
	Dwarf_Die die = unit->die;
	return dwarf_srclang(&die) == DW_LANG_Mips_Assembler;
}

/* The location of an attribution; code without a function by its symbol. */
static uint32_t location_of(struct symbols *symbols, struct object *object, const struct unit *unit,
			    const struct attribution *attribution, uint64_t offset)
{
	if (symbols->granularity == TARGET_LINE &&
	    !(is_assembler(unit) && location_line_is_shared(symbols, object, attribution)))
		return location_of_line(symbols, object, attribution->file, attribution->line,
					attribution->function);
	if (attribution->function != FUNCTION_NONE)
		return location_of_function(symbols, object, attribution->function);
	struct symtab_entry *entry =
		symtab_at(object_symtab(object, &symbols->sources.texts), offset);
	return entry ? location_of_symbol(symbols, object, entry) : SYMBOLS_NONE;
}

static void decode_attribution(void *context, const struct attribution *attribution)
{
	struct decoding *decoding = context;
	struct ranges found = {0}, own = {0};
	struct skid **skid = &decoding->symbols->skid;

	object_code(decoding->object, skid_boundary(skid, decoding->object, attribution->start),
		    skid_boundary(skid, decoding->object, attribution->end), &found);
	for (size_t i = 0; i < found.count; i++)
		ranges_clip(&decoding->unit->code, found.items[i].start, found.items[i].end, &own);
	for (size_t i = 0; i < own.count; i++) {
		uint32_t location = location_of(decoding->symbols, decoding->object, decoding->unit,
						attribution, own.items[i].start);
		if (location == SYMBOLS_NONE)
			continue;
		add_piece(decoding, own.items[i].start, own.items[i].end, location);
		location_add_range(decoding->symbols, location, own.items[i].start,
				   own.items[i].end);
		ranges_add(&decoding->unit->in_scope, own.items[i].start, own.items[i].end);
	}
	ranges_clear(&found);
	ranges_clear(&own);
}

/* Most lines of a unit are never sampled: a location of each took a third of the parser's time. */
static void keep_attribution(void *context, const struct attribution *attribution)
{
	struct decoding *decoding = context;
	struct unit *unit = decoding->unit;

	unit->attributions = memory_array_grow(unit->attributions, &unit->attribution_count,
					       &decoding->capacity, sizeof(*unit->attributions));
	unit->attributions[unit->attribution_count - 1] = *attribution;
}

static int attribution_compare(const void *one, const void *other)
{
	const struct attribution *a = one, *b = other;
	return a->start < b->start ? -1 : a->start > b->start;
}

static int piece_compare(const void *one, const void *other)
{
	const struct unit_piece *a = one, *b = other;
	return a->start < b->start ? -1 : a->start > b->start;
}

void unit_decode(struct symbols *symbols, struct object *object, struct unit *unit)
{
	struct decoding decoding = {.symbols = symbols, .object = object, .unit = unit};
	struct line_table rows = {0};

	if (unit->is_decoded)
		return;
	unit->is_decoded = true;
	symbols->generation += !symbols->is_by_address;
	line_table_read(&symbols->sources, object, unit, &rows);
	unit->frames = memory_new(1, sizeof(*unit->frames));
	inline_tree_read(&symbols->sources, object, unit, NULL, NULL, unit->frames);
	inline_tree_index(unit->frames);
	attribution_walk(&symbols->sources, &rows, unit->frames,
			 symbols->granularity == TARGET_LINE ? ATTRIBUTE_LINES :
							       ATTRIBUTE_FUNCTIONS,
			 symbols->is_by_address ? keep_attribution : decode_attribution, &decoding);
	if (unit->piece_count)
		qsort(unit->pieces, unit->piece_count, sizeof(*unit->pieces), piece_compare);
	if (unit->attribution_count)
		qsort(unit->attributions, unit->attribution_count, sizeof(*unit->attributions),
		      attribution_compare);
	ranges_merge(&unit->in_scope);
	line_table_clear(&rows);
	inclusive_add_unit(symbols, object, unit);
}

static uint32_t piece_location_at(const struct unit *unit, uint64_t offset)
{
	size_t low = 0, high = unit->piece_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (unit->pieces[middle].end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < unit->piece_count && unit->pieces[low].start <= offset)
		return unit->pieces[low].location;
	return SYMBOLS_NONE;
}

/* An instruction that only the code before it reaches belongs to that, as in decode_attribution. */
static const struct attribution *attribution_at(struct symbols *symbols, struct object *object,
						const struct unit *unit, uint64_t address)
{
	size_t low = 0, high = unit->attribution_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (unit->attributions[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	const struct attribution *at = low ? &unit->attributions[low - 1] : NULL;
	bool is_edge = at && (at->start == address || at->end == address);
	bool is_before = is_edge && skid_boundary(&symbols->skid, object, address) != address;
	if (is_before && at->start == address)
		at = low > 1 ? at - 1 : NULL;
	return at && (address < at->end || (address == at->end && is_before)) ? at : NULL;
}

uint32_t unit_location_at(struct symbols *symbols, struct object *object, const struct unit *unit,
			  uint64_t offset)
{
	uint64_t address;

	if (!symbols->is_by_address)
		return piece_location_at(unit, offset);
	if (!object_address(object, offset, &address))
		return SYMBOLS_NONE;
	const struct attribution *at = attribution_at(symbols, object, unit, address);
	return at ? location_of(symbols, object, unit, at, offset) : SYMBOLS_NONE;
}

void units_forget_frames(struct object *object)
{
	for (size_t i = 0; object->units && i < object->units->count; i++) {
		struct unit *unit = &object->units->items[i];
		if (unit->frames)
			inline_tree_clear(unit->frames);
		free(unit->frames);
		unit->frames = NULL;
	}
}
