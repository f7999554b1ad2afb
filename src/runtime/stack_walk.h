/* SPDX-License-Identifier: BSD-2-Clause */
/* stack_walk - from a frame outwards to the innermost caller in scope. */
#pragma once

#include "runtime/runtime.h"

struct location {
	uint32_t object;
	uint64_t offset;
};

struct frame {
	uint64_t ip, sp, bp;
	uint64_t link;  /* the register of that name, of the innermost frame; else 0 */
	bool is_return; /* ip is a return address, and so after the call */
};

struct walk {
	struct location leaf, found;
	bool is_found, is_complete;
	uint8_t levels; /* at which it is the target, a bit each */
	bool is_spinning, is_in_spin_helper, wants_callers;
	uint32_t span; /* WIRE_SPAN_NONE */
	uint32_t caller_count;
	uint64_t callers[RUNTIME_CALLERS_MOST]; /* as in runtime_record */
};

void stack_walk_up(struct frame *frame, struct walk *walk);
/* The index of the sampled point at the location; WIRE_POINTS_MOST: none. */
uint32_t stack_walk_sampled_point(const struct location *location);
