/* SPDX-License-Identifier: BSD-2-Clause */
/* inclusive_code - the code of functions with all that they call: all copies of the functions. */
#include "symbolize/dwarf/inline_tree.h"
#include "symbolize/internal.h"
#include "symbolize/skid.h"

void inclusive_add_frame(struct symbols *symbols, struct object *object, uint32_t location,
			 const struct inline_frame *frame)
{
	struct ranges code = {0};

	for (size_t i = 0; i < frame->code.count; i++)
		object_code(object,
			    skid_boundary(&symbols->skid, object, frame->code.items[i].start),
			    skid_boundary(&symbols->skid, object, frame->code.items[i].end), &code);
	for (size_t i = 0; i < code.count; i++)
		location_add_range(symbols, location, code.items[i].start, code.items[i].end);
	ranges_clear(&code);
}

void inclusive_add_unit(struct symbols *symbols, struct object *object, const struct unit *unit)
{
	for (size_t i = 0; i < unit->frames->count; i++) {
		const struct inline_frame *frame = &unit->frames->items[i];
		uint32_t known = frame->function == FUNCTION_NONE ?
					 SYMBOLS_NONE :
					 location_find_inclusive(symbols, object, frame->function);
		if (known != SYMBOLS_NONE)
			inclusive_add_frame(symbols, object, known, frame);
	}
}
