/* SPDX-License-Identifier: BSD-2-Clause */
/* jit_state - how far the files of a JIT object have been read, and what they told of scripts. */
#pragma once

#include "symbolize/object/script_functions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct jit_file_state {
	int64_t size, time_ns; /* when it was read last */
	uint64_t inode;
	int64_t resume; /* where what has not been taken in for good begins */
};

/* The last record of lines of a jitdump; they are of the code that is told next. */
struct jit_lines {
	char *bytes;               /* with a 0 at their end; NULL: none */
	size_t count, whole_count; /* of bytes that the file has, and of the record */
	bool has_functions;        /* JIT_DUMP_INLINE_LINES */
};

struct jit_state {
	struct jit_file_state main, names; /* names: the perf map beside a jitdump */
	size_t entries;                    /* of the symbol table, taken in for good */
	uint64_t last_code;                /* of the jitdump's last record of code */
	struct jit_lines lines;
	struct script_functions scripts;
};

static inline void jit_state_free(struct jit_state *state)
{
	if (!state)
		return;
	free(state->lines.bytes);
	script_functions_clear(&state->scripts);
	free(state);
}
