/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tail_location - frames and locations of functions that ended in a jump, and of calls that lead
 * out of code without symbols.
 */
#include "base/cleanup.h"
#include "symbolize/far_calls.h"
#include "symbolize/internal.h"
#include "symbolize/language/language.h"
#include "symbolize/parser/parser.h"
#include "symbolize/symbols.h"
#include "symbolize/tail_calls.h"

#define JUMPS_TOLD_MOST 3

void symbols_tail_calls(struct symbols *symbols, const struct symbols_address *call,
			const struct symbols_address *callee, struct symbols_addresses *between)
{
	struct tail_frame frames[TAIL_FRAMES_MOST];

	if (symbols->parser) {
		parser_tail_calls(symbols->parser, call, callee, between);
		return;
	}
	size_t count =
		tail_calls_between(symbols, symbols_open(symbols, call->object), call->offset,
				   symbols_open(symbols, callee->object), callee->offset, frames);

	for (size_t i = 0; i < count; i++)
		*array_add(between) = (struct symbols_address){.object = frames[i].object->id,
							       .offset = frames[i].jump};
}

bool location_has(struct symbols *symbols, uint32_t location, uint64_t offset)
{
	const struct range *ranges;
	size_t count = symbols_location_ranges(symbols, location, &ranges);

	for (size_t i = 0; i < count; i++)
		if (ranges[i].start <= offset && offset < ranges[i].end)
			return true;
	return false;
}

bool location_has_far_call(const struct symbols *symbols, uint32_t location, uint32_t object,
			   uint64_t offset)
{
	const struct symbols_addresses *calls = &symbols->locations.items[location]->calls;

	for (size_t i = 0; i < calls->count; i++)
		if (calls->items[i].object == object && calls->items[i].offset == offset)
			return true;
	return false;
}

/* The byte also belongs to what a search found, such as the function of a line. */
static void give_to_found(struct symbols *symbols, const struct tail_frame *frame, uint64_t offset)
{
	for (size_t i = 0; i < symbols->locations.count; i++) {
		const struct location_record *one = symbols->locations.items[i];
		if (one->is_explicit && one->shown.object == frame->object->id &&
		    location_has(symbols, (uint32_t)i, frame->jump))
			location_add_range(symbols, (uint32_t)i, offset, offset + 1);
	}
}

static const char *jump_name(struct symbols *symbols, const struct object *object,
			     const struct tail_jump *jump)
{
	if (jump->import)
		return interner_text(&symbols->sources.texts, jump->import);
	return jump->start ? symbols_function_at(symbols, object->id, jump->start) :
			     "where a pointer says";
}

char *symbols_jumps_to(struct symbols *symbols, uint32_t location)
{
	if (symbols->parser)
		return parser_jumps_to(symbols->parser, location);
	struct object *object = symbols_open(symbols, symbols_location(symbols, location)->object);
	const struct range *ranges;
	size_t count = symbols_location_ranges(symbols, location, &ranges);
	struct tail_jumps jumps = {0};
	char *text = NULL;

	for (size_t i = 0; i < count; i++)
		tail_calls_jumps(symbols, object, ranges[i].start, &jumps);
	for (size_t i = 0; i < jumps.count && i < JUMPS_TOLD_MOST; i++) {
		char *longer = text_format("%s%s%s", text ? text : "", text ? " or " : "",
					   jump_name(symbols, object, &jumps.items[i]));
		free(text);
		text = longer;
	}
	array_free(&jumps);
	return text;
}

/* Code without a symbol has no name to tell; what it calls in another file has one. */
static uint32_t called_location(struct symbols *symbols, struct object *object, uint64_t offset,
				uint32_t location)
{
	const struct symbols_location *shown = symbols_location(symbols, location);
	const struct object *library;

	if (shown->kind != TARGET_FUNCTION || shown->function)
		return location;
	uint32_t import = tail_calls_import(symbols, object, offset, &library);
	if (!import)
		return location;
	struct interner *texts = &symbols->sources.texts;
	AUTO(text) char *demangled = language_demangle(interner_text(texts, import));
	uint32_t name = demangled ? interner_add(texts, demangled) : import;
	return location_of_import(symbols, object, name, library);
}

uint32_t symbols_tail_location(struct symbols *symbols, uint32_t object, uint64_t offset,
			       uint32_t location)
{
	struct tail_frame frame;
	if (symbols->parser)
		return parser_tail_location(symbols->parser, object, offset, location);
	uint32_t known = hash_map_get(&symbols->tail_locations, object, offset);

	if (known != HASH_MAP_NONE || location == SYMBOLS_NONE)
		return known == HASH_MAP_NONE ? location : known;
	uint32_t found = location;
	/* Ranges of a location lie in one file. */
	bool is_tail =
		tail_calls_out_of_scope(symbols, symbols_open(symbols, object), offset, &frame) &&
		frame.object->id == object;
	if (is_tail)
		found = symbols_location_at(symbols, object, frame.jump);
	if (found == SYMBOLS_NONE)
		found = location;
	if (found == location)
		found = called_location(symbols, symbols_open(symbols, object), offset, location);
	hash_map_set(&symbols->tail_locations, object, offset, found);
	if (found == location)
		return location;
	location_cut_range(symbols, location, offset, offset + 1);
	location_add_range(symbols, found, offset, offset + 1);
	if (is_tail)
		give_to_found(symbols, &frame, offset);
	symbols->generation++;
	return found;
}
