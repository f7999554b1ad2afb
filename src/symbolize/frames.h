/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frames - the functions of one unit and what is inlined in them, by address.
 */
#pragma once

#include "symbolize/catalog.h"

#define FRAME_NONE UINT32_MAX

struct frame {
	uint32_t parent; /* the frame it is inlined in, FRAME_NONE: it stands for itself */
	uint32_t function;
	bool is_inlined;
	uint32_t call_file; /* text; where it is inlined */
	unsigned call_line;
	uint64_t entry;     /* address */
	struct ranges code; /* addresses, what is inlined in it included */
};

struct frames {
	struct frame *items;
	size_t count, capacity;
	struct cover cover; /* addresses; value: the innermost frame */
};

/* Is a frame of this function wanted? FUNCTION_NONE is a function without a name. */
typedef bool frames_choice(void *context, uint32_t function);

/* All frames if `choice` is NULL. Frames not chosen are no parents either. */
void frames_read(struct symbols *symbols, struct object *object, const struct unit *unit,
		 frames_choice *choice, void *context, struct frames *frames);
void frames_flatten(struct frames *frames); /* before frames_at and any use of the cover */
uint32_t frames_at(const struct frames *frames, uint64_t address);
void frames_clear(struct frames *frames);
