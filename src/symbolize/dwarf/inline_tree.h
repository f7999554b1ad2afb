/* SPDX-License-Identifier: BSD-2-Clause */
/* inline_tree - the functions of a unit and the functions inlined in them, by address. */
#pragma once

#include "symbolize/dwarf/sources.h"
#include "symbolize/dwarf/unit.h"
#include "symbolize/object/object.h"

#define FRAME_NONE UINT32_MAX

struct inline_frame {
	uint32_t parent; /* the frame it is inlined in; FRAME_NONE: it is not inlined */
	uint32_t function;
	bool is_inlined;
	uint32_t call_file; /* text; where it is inlined */
	unsigned call_line;
	uint64_t entry;     /* address */
	struct ranges code; /* addresses, with those of functions inlined in it */
};

struct inline_tree {
	struct inline_frame *items;
	size_t count, capacity;
	struct interval_map intervals; /* addresses; value: the innermost frame */
};

/* Is a frame of this function wanted? FUNCTION_NONE is a function without a name. */
typedef bool inline_tree_filter(void *context, uint32_t function);

/* All frames if `choice` is NULL. Frames not chosen are no parents either. */
void inline_tree_read(struct sources *sources, struct object *object, const struct unit *unit,
		      inline_tree_filter *choice, void *context, struct inline_tree *frames);
void inline_tree_index(
	struct inline_tree *frames); /* before inline_tree_at and any use of the intervals */
uint32_t inline_tree_at(const struct inline_tree *frames, uint64_t address);
void inline_tree_clear(struct inline_tree *frames);
