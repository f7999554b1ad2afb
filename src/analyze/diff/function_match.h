/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * function_match - which function of one build is which of another.
 *
 * Names are compared without what compilers add (.part.0, .cold, .constprop.0, .isra.0, " [clone
 * ...]", .llvm.123); then without parameters, in files with the same base name; then, where only
 * one function of each build has it, by the name that GCC, clang, libstdc++ and libc++ would share,
 * in any file; then by what their lines say (content_match.h); then by edit
 * distance in files with the same base name; then by place: a function
 * with another name that stands as many lines from a matched neighbour in its file as this one did.
 * Lines that moved as a whole keep such distances.
 */
#pragma once

#include "analyze/diff/content_match.h"

#include <stdbool.h>
#include <stddef.h>

struct function_name {
	const char *name; /* demangled; NULL: unknown */
	const char *file; /* NULL: unknown */
	unsigned line;    /* of its time; 0: unknown */
};

#define FUNCTION_MATCH_NONE ((size_t)-1)

/* Do names of functions that match differ by more than compilers and parameters do? */
bool function_match_is_renamed(const struct function_name *before,
			       const struct function_name *after);
/* Without a compiler's additions; the caller frees it. NULL for NULL. */
char *function_match_normal(const char *name);
/*
 * Sets matches[i] to the number in `after` of the function that before[i] is, or to
 * FUNCTION_MATCH_NONE. Each is matched once. `lines`: of both, with the numbers of functions.
 */
void function_match(const struct function_name *before, const struct function_name *after,
		    const struct content_sides *lines, size_t *matches);
