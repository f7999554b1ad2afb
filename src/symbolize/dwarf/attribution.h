/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * attribution - the line and function that each address of a unit is attributed to.
 *
 * Level 0 of an address is its line in the innermost inlined function, level 1 the line of that
 * call in the caller, and so on to the function that is not inlined. The address is attributed to
 * the first level whose source is in scope. Code with line 0 belongs to the line before it in the
 * same function.
 */
#pragma once

#include "symbolize/dwarf/inline_tree.h"
#include "symbolize/dwarf/line_table.h"

struct attribution {
	uint64_t start, end; /* addresses */
	uint32_t file;       /* text */
	unsigned line;
	uint32_t function; /* FUNCTION_NONE if the debug information names none */
};

enum attribution_mode {
	ATTRIBUTE_LINES,     /* needs a line at the level */
	ATTRIBUTE_FUNCTIONS, /* a level without a line will do */
	ATTRIBUTE_RAW,       /* level 0, in scope or not */
};

typedef void attribution_visit(void *context, const struct attribution *attribution);

/* Calls `visit` for all attributed code, by ascending address. */
void attribution_walk(struct sources *sources, const struct line_table *rows,
		      const struct inline_tree *frames, enum attribution_mode mode,
		      attribution_visit *visit, void *context);
