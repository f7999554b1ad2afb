/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * python - how the BPF programs read the frames of CPython 3.11 and newer, and what they announce.
 *
 * Writer of struct wire_python: the engine, from the interpreter's file. All offsets in it are
 * bytes; those of an object in the interpreter's data are its address less the file offset of
 * address 0 of the code, so that `address of code - its file offset + data offset` is the address
 * in a process.
 *
 * A code object gets a number when a sample first meets it; its names and line table follow in one
 * event. A location in Python code is WIRE_OBJECT_PYTHON and wire_python_offset().
 */
#pragma once

#include "wire/code.h"

#include <linux/types.h>

#define WIRE_PYTHONS_MOST 8 /* interpreters, each a file */
#define WIRE_PYTHON_CODES_MOST 32768
#define WIRE_PYTHON_SHIFT 24 /* bits for an offset in the bytecode */

static inline __u64 wire_python_offset(__u32 code, __u32 offset)
{
	return (__u64)code << WIRE_PYTHON_SHIFT | offset;
}

struct wire_python {
	__u64 eval_start, eval_end; /* file offsets of the function that runs bytecode */
	__u64 runtime, code_type;   /* data offsets of _PyRuntime, PyCode_Type */
	__u32 interpreters;         /* in _PyRuntime: the first interpreter */
	__u32 next_interpreter, threads;
	__u32 next_thread, native_id, current;
	__u32 current_of_current; /* 3.11, 3.12: in the struct that `current` points to */
	__u16 has_indirect_current;
	__u16 has_entry_flag; /* 3.11: of a frame that C has called; later: such a frame's caller */
	__u8 frame_code, frame_previous, frame_instruction, frame_entry;
	__u8 code_size, code_line, code_file, code_name;
	__u8 code_lines, code_bytes;
	__u8 text_ascii, text_wide; /* where the characters of a string begin */
	__u8 text_kind_shift;       /* of the bits that tell the width of a character */
	__u8 pad[3];
	__u32 runtime_bytes; /* _PyRuntime's; in it lies the lock of the main interpreter */
};
_Static_assert(sizeof(struct wire_python) == 84 + 4, "wire_python layout");
#define WIRE_PYTHON_FRAME_BYTES 128 /* frame offsets are below */
#define WIRE_PYTHON_CODE_BYTES 256

#define WIRE_PYTHON_FILE_BYTES 512
#define WIRE_PYTHON_NAME_BYTES 256
#define WIRE_PYTHON_LINES_BYTES 8192

/*
 * A code object: texts of `width` bytes a character (1: Latin-1) and the line table as co_linetable
 * has it, cut one below the room. Written by BPF; only `lines_bytes` of `lines` are sent.
 */
struct wire_python_code {
	__u32 kind, tgid;
	__u32 number;
	__u32 bytes; /* of bytecode */
	__u32 first_line;
	__u16 file_bytes, name_bytes;
	__u8 file_width, name_width;
	__u16 pad;
	__u32 lines_bytes, all_lines_bytes;
	__u8 file[WIRE_PYTHON_FILE_BYTES];
	__u8 name[WIRE_PYTHON_NAME_BYTES];
	__u8 lines[WIRE_PYTHON_LINES_BYTES];
};
_Static_assert(sizeof(struct wire_python_code) == 36 + 512 + 256 + 8192, "python_code layout");

/* Writer: BPF. */
struct wire_python_totals {
	__u64 walks;      /* chains through the interpreter's loop with Python frames */
	__u64 failures;   /* without */
	__u64 lost_codes; /* code objects beyond WIRE_PYTHON_CODES_MOST */
	__u32 next_code;
	__u32 pad;
};
