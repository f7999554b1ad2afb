/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * python - what symbols knows of Python: interpreters, whose frames can be read, and code objects,
 * whose lines and functions are locations as those of compiled code.
 */
#pragma once

#include "symbolize/symbols.h"

/*
 * Code of Python. The interpreter's structs have their fields at these bytes (wire/python.h has the
 * same names); `eval` is the function that runs bytecode, in file offsets; `runtime` and
 * `code_type` are addresses less that of file offset 0 of the code.
 */
struct symbols_python_layout {
	uint32_t interpreters, next_interpreter, threads;
	uint32_t next_thread, native_id, current, current_of_current;
	bool has_indirect_current, has_entry_flag;
	uint8_t frame_code, frame_previous, frame_instruction, frame_entry;
	uint8_t code_size, code_line, code_file, code_name, code_lines, code_bytes;
	uint8_t text_ascii, text_wide, text_kind_shift;
};

enum symbols_python_state {
	SYMBOLS_PYTHON_NONE,    /* the object is no interpreter */
	SYMBOLS_PYTHON_KNOWN,   /* its frames can be read */
	SYMBOLS_PYTHON_UNKNOWN, /* its frames cannot be read: another version or build */
};

struct symbols_python {
	uint32_t version; /* as PY_VERSION_HEX; 0: unknown, older than 3.11 */
	uint64_t eval_start, eval_end, runtime, code_type;
	uint32_t runtime_bytes;
	struct symbols_python_layout layout;
};
enum symbols_python_state symbols_python(const struct symbols *symbols, uint32_t object,
					 struct symbols_python *found);

/*
 * The interpreter's frames are read: without `bin:` patterns its own code goes out of scope, as the
 * program is the script; and names that are not known may still appear.
 */
void symbols_see_through(struct symbols *symbols, uint32_t object);
bool symbols_names_may_appear(const struct symbols *symbols);

/* A code object of Python, under a number that its reader gave it. Texts are UTF-8. */
struct symbols_python_code {
	uint32_t number;
	const char *file, *name; /* its qualified name */
	uint32_t first_line, bytes;
	const uint8_t *lines; /* co_linetable */
	size_t lines_bytes;
};
/* A number that was added before is ignored. Equal code of other numbers has equal locations. */
void symbols_add_python_code(struct symbols *symbols, const struct symbols_python_code *code);
/* The object of all Python code; its offsets are number << SYMBOLS_PYTHON_SHIFT | byte. */
uint32_t symbols_python_object(struct symbols *symbols);
#define SYMBOLS_PYTHON_SHIFT 24
bool symbols_is_python(const struct symbols *symbols, uint32_t object);
