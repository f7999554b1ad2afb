/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code - where code is and how to unwind it: objects, files, ranges, and rows made from .eh_frame.
 *
 * Writer: the engine. Both engines read these tables at each sample.
 */
#pragma once

#include <linux/types.h>

/* A file has an object number below WIRE_OBJECTS_MOST; other objects have the numbers below. */
#define WIRE_OBJECTS_MOST 65536
#define WIRE_OBJECT_UNKNOWN 0u               /* a file that the engine has not numbered yet */
#define WIRE_OBJECT_NO_FILE 0xffffffffu      /* JIT code: offsets are addresses */
#define WIRE_OBJECT_KERNEL 0xfffffffeu       /* the kernel's code: offsets are addresses */
#define WIRE_OBJECT_SYSTEM_CALLS 0xfffffffdu /* offsets are the numbers of system calls */
#define WIRE_OBJECT_SPANS 0xfffffffcu     /* open spans: offsets are the points that begin them */
#define WIRE_OBJECT_PYTHON 0xfffffffbu    /* Python code: offsets as in wire/python.h */
#define WIRE_OBJECT_PROCESSES 0xfffffffau /* offsets are the keys of processes' names */

#define WIRE_INODE_VDSO (~0ull) /* of the library that the kernel maps without a file */

struct wire_file {
	__u64 inode;
	__u32 device; /* kernel encoding: major << 20 | minor */
	__u32 pad;
};
_Static_assert(sizeof(struct wire_file) == 16, "wire_file layout");

/*
 * Ranges of code are kept in banks, each sorted by (object, start), without overlaps. The target,
 * the scope and the spin loops have two banks each: the engine fills the unused one and then
 * changes its number in the settings.
 */
#define WIRE_RANGES_MOST 16384 /* in one bank; a power of two */
#define WIRE_BANK_TARGET 0
#define WIRE_BANK_SCOPE 2
#define WIRE_BANK_SAMPLED 4
#define WIRE_BANK_SPIN 5 /* two banks, too */
#define WIRE_BANKS 7

struct wire_range {
	__u32 object;
	__u32 value; /* sampled points: index; spin loops: WIRE_SPIN_*; target: WIRE_TARGET_* */
	__u64 start, end;
};
_Static_assert(sizeof(struct wire_range) == 24, "wire_range layout");
#define WIRE_SPIN_LOOP 1u   /* a thread in this code waits */
#define WIRE_SPIN_HELPER 2u /* it waits if it was called from such a loop */
#define WIRE_SPIN_FRAMES 3  /* innermost frames that are looked at */

/* At which levels (delay_settings.speedups) the code is the target: by itself, with its callees. */
#define WIRE_TARGET_OWN(level) (1u << (level))
#define WIRE_TARGET_INCLUSIVE(level) (0x10u << (level))
#define WIRE_TARGET_OWN_LEVELS(value) ((value)&0xfu)
#define WIRE_TARGET_INCLUSIVE_LEVELS(value) ((value) >> 4 & 0xfu)

/*
 * From a frame to its caller (wire/unwind.h). The rows of an object are sorted by start, and a row
 * holds up to the next one. `rule` tells how the CFA is found: see symbolize/object/unwind.h. The
 * engine writes the rows first, and then the object's entry.
 */
struct wire_unwind_row {
	__u64 start; /* file offset */
	__s32 cfa_offset;
	__s16 frame_offset; /* of the saved frame pointer from the CFA; 0: not saved */
	__u8 rule;          /* WIRE_UNWIND_*; 0: follow the frame pointer */
	/*
	 * Where calls leave the return address in a register: it is so many words after the saved
	 * frame pointer; 0: at frame_offset itself, and the frame pointer is not saved.
	 * Elsewhere, of a saved CFA: so many words are to be added to it.
	 */
	__s8 return_slot;
};
_Static_assert(sizeof(struct wire_unwind_row) == 16, "wire_unwind_row layout");
#define WIRE_RETURN_IN_LINK -128 /* as return_slot: it is still in the register */
#define WIRE_UNWIND_SP 1
#define WIRE_UNWIND_BP 2
#define WIRE_UNWIND_PLT 3
#define WIRE_UNWIND_SIGNAL 4
#define WIRE_UNWIND_END 5
#define WIRE_UNWIND_SP_SAVED 6
#define WIRE_UNWIND_BP_SAVED 7
#define WIRE_UNWIND_ROWS_MOST (1 << 20) /* of all objects */

struct wire_unwind_object {
	__u32 first, count; /* rows; count 0: follow frame pointers */
};
