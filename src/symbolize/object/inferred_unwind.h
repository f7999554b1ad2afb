/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inferred_unwind - unwind rows of code that has no unwind information, such as assembly, from what
 * its instructions do to the stack. x86-64 only.
 */
#pragma once

#include "symbolize/object/unwind.h"

#include <stddef.h>

/* The functions of the object, which outlives this; its symbols are read once. */
struct inferred_unwind;

struct inferred_unwind *inferred_unwind_new(const struct object *object);
void inferred_unwind_free(struct inferred_unwind *);

/*
 * The rows of [start, end), file offsets without unwind information, sorted; UNWIND_NONE where
 * nothing is known. Returns their number; 0 if no instruction of it is understood. The caller frees
 * them.
 */
size_t inferred_unwind_rows(const struct inferred_unwind *, uint64_t start, uint64_t end,
			    struct unwind_row **rows);
