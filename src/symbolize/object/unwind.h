/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind - how to get from a frame to its caller, as a table that the kernel side can search.
 *
 * Made from .eh_frame by libdw. One row holds from its start to the next row's. x86-64 only: there,
 * the return address lies at CFA - 8, and rbp is the only other register that callers' rows need.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct object;

enum unwind_rule {
	UNWIND_NONE = 0,   /* no information: unwinding ends, or follows the frame pointer */
	UNWIND_SP = 1,     /* CFA = rsp + cfa_offset */
	UNWIND_BP = 2,     /* CFA = rbp + cfa_offset */
	UNWIND_PLT = 3,    /* CFA = rsp + 8, or + 16 from byte cfa_offset of a 16-byte entry on */
	UNWIND_SIGNAL = 4, /* a signal frame: registers are in the ucontext at rsp */
	UNWIND_END = 5,    /* the outermost frame */
};

struct unwind_row {
	uint64_t start; /* file offset */
	int32_t cfa_offset;
	int16_t frame_offset; /* the caller's rbp is at CFA + this; 0: it is in rbp still */
	uint8_t rule;
	uint8_t pad;
};

/*
 * All rows of an object, sorted, to be freed; the last one is UNWIND_NONE. Returns their number, 0
 * if the object has no unwind information (or is of another architecture).
 */
size_t unwind_rows_read(const struct object *object, struct unwind_row **rows);
