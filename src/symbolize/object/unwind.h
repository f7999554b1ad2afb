/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind - rules from a frame to its caller, as a sorted table that the BPF side can search.
 *
 * Made from .eh_frame by libdw. A row holds up to the start of the next one. The frame pointer is
 * the only register besides the stack pointer that rows of callers need. On x86-64, the return
 * address is at CFA - 8; on arm64 and riscv64, where the row says.
 */
#pragma once

#include "base/ranges.h"

struct object;

enum unwind_rule {
	UNWIND_NONE = 0,     /* unknown: unwinding ends, or follows the frame pointer */
	UNWIND_SP = 1,       /* CFA = stack pointer + cfa_offset */
	UNWIND_BP = 2,       /* CFA = frame pointer + cfa_offset */
	UNWIND_PLT = 3,      /* CFA = rsp + 8, or + 16 from byte cfa_offset of a 16-byte entry on */
	UNWIND_SIGNAL = 4,   /* a signal frame: the kernel has saved the registers there */
	UNWIND_END = 5,      /* the outermost frame */
	UNWIND_SP_SAVED = 6, /* CFA = memory at stack pointer + cfa_offset, + 8 return_slot */
	UNWIND_BP_SAVED = 7, /* the same at frame pointer + cfa_offset */
};

#define UNWIND_RETURN_IN_LINK -128 /* return_slot: in the link register */

struct unwind_row {
	uint64_t start; /* file offset */
	int32_t cfa_offset;
	int16_t frame_offset; /* the caller's frame pointer is at CFA + this; 0: unchanged */
	uint8_t rule;
	int8_t return_slot; /* of wire_unwind_row (wire/code.h) */
};

/*
 * All rows of an object, sorted; the last one is UNWIND_NONE. Returns their number, 0 without
 * unwind information or on an architecture without rules. The caller frees them.
 */
size_t unwind_rows_read(const struct object *object, struct unwind_row **rows);
/*
 * The function at the file offset, by the sorted table of .eh_frame_hdr. False: there is none, and
 * `range` is the code without functions around the offset, or empty without the table.
 */
bool unwind_function_at(const struct object *object, uint64_t offset, struct range *range);
