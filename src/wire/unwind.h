/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind - one step from a frame to its caller by a row (wire/code.h): where its registers are.
 *
 * The kernel, the program and the engine read memory in three ways; the rules are the same.
 */
#pragma once

#include "wire/code.h"
#include "wire/registers.h"

#include <stdbool.h>

/* Is the CFA itself in memory, less wire_unwind_saved_less? */
static inline bool wire_unwind_cfa_is_saved(const struct wire_unwind_row *row)
{
	return row->rule == WIRE_UNWIND_SP_SAVED || row->rule == WIRE_UNWIND_BP_SAVED;
}

static inline __u64 wire_unwind_saved_less(const struct wire_unwind_row *row)
{
	return (__u64)((__s64)row->return_slot * 8);
}

/*
 * The frame's CFA, or where it is saved. False where the row does not tell. `sp` 0: unknown, after
 * a frame record.
 */
static inline bool wire_unwind_cfa(const struct wire_unwind_row *row, __u64 ip, __u64 sp, __u64 bp,
				   __u64 *cfa)
{
	__u64 shift = (__u64)(__s64)row->cfa_offset;

	if (row->rule == WIRE_UNWIND_SP && (!WIRE_HAS_LINK || sp)) {
		*cfa = sp + shift;
	} else if (row->rule == WIRE_UNWIND_SP && row->return_slot == 1) {
		*cfa = bp -
		       (__u64)(__s64)row->frame_offset; /* the frame pointer is at its record */
	} else if (row->rule == WIRE_UNWIND_BP) {
		*cfa = bp + shift;
	} else if (row->rule == WIRE_UNWIND_PLT) {
		*cfa = sp + 8 + ((__s64)(ip & 15) >= row->cfa_offset ? 8 : 0);
	} else if (wire_unwind_cfa_is_saved(row)) {
		*cfa = (row->rule == WIRE_UNWIND_SP_SAVED ? sp : bp) + shift;
	} else {
		return false;
	}
	return true;
}

/* Whether the caller's frame pointer is in memory, at the CFA + frame_offset. */
static inline bool wire_unwind_saves_bp(const struct wire_unwind_row *row)
{
	return row->frame_offset && (!WIRE_HAS_LINK || row->return_slot);
}

/* Whether the return address is still in the link register. */
static inline bool wire_unwind_has_link(const struct wire_unwind_row *row)
{
	return WIRE_HAS_LINK && row->return_slot == WIRE_RETURN_IN_LINK;
}

/* Where it is otherwise. */
static inline __u64 wire_unwind_return_at(const struct wire_unwind_row *row, __u64 cfa)
{
	return WIRE_HAS_LINK ? cfa + (__u64)(__s64)(row->frame_offset + 8 * row->return_slot) :
			       cfa - 8;
}
