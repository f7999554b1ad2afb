/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * script_functions - which function of a script a place (line and column) belongs to.
 *
 * V8 tells the places of inlined code, but not its functions. A place's function is the one whose
 * code without inlining (bytecode, Sparkplug) has the same place, else the innermost one whose such
 * code begins before it and ends behind it.
 */
#pragma once

#include "base/hash_map.h"

#include <stdint.h>

#define SCRIPT_FUNCTIONS_NONE UINT32_MAX

struct script_function {
	uint32_t source, name; /* texts */
	uint64_t first, last;  /* places */
};

struct script_functions {
	struct script_function *items;
	size_t count, capacity;
	struct hash_map by_name;  /* (source, first place) -> index */
	struct hash_map by_place; /* (source, place) -> index; of source 0: of any */
};

static inline uint64_t script_place(unsigned line, unsigned column)
{
	return (uint64_t)line << 32 | column;
}

/* The function that begins there; made if new. */
uint32_t script_functions_add(struct script_functions *functions, uint32_t source, uint32_t name,
			      uint64_t first);
/* A place in code of the function that has nothing inlined. */
void script_functions_add_place(struct script_functions *functions, uint32_t function,
				uint64_t place);
/*
 * The function of a place, which was told to be of this script: V8 in Node.js 20 names the outer
 * function's script for code that is inlined from another. SCRIPT_FUNCTIONS_NONE: not known.
 */
uint32_t script_functions_at(const struct script_functions *functions, uint32_t source,
			     uint64_t place);
void script_functions_clear(struct script_functions *functions);
