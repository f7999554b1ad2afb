/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jit_dump - the records of a jitdump: code that a program makes at run time.
 *
 * perf's format (tools/perf/Documentation/jitdump-specification.txt), with one kind of record more,
 * which the agent for Java writes: JIT_DUMP_INLINE_LINES is JIT_DUMP_LINES with a second text after
 * each file, the innermost method inlined there. Lines stand before the code that they are of.
 */
#pragma once

#include <stdint.h>

#define JIT_DUMP_MAGIC 0x4a695444u
#define JIT_DUMP_VERSION 1

enum jit_dump_kind {
	JIT_DUMP_LOAD = 0,
	JIT_DUMP_MOVE = 1,
	JIT_DUMP_LINES = 2,
	JIT_DUMP_INLINE_LINES = 0x4c560001,
};

struct jit_dump_header {
	uint32_t magic, version, total_bytes, machine, pad, pid;
	uint64_t time, flags;
};
_Static_assert(sizeof(struct jit_dump_header) == 40, "jit_dump_header layout");

struct jit_dump_prefix {
	uint32_t kind, total_bytes;
	uint64_t time;
};

/* The name and the code follow. */
struct jit_dump_load {
	uint32_t pid, tid;
	uint64_t memory_address, code, code_bytes, index;
};

struct jit_dump_move {
	uint32_t pid, tid;
	uint64_t memory_address, code, moved_to, code_bytes, index;
};

/* `count` lines follow. */
struct jit_dump_lines {
	uint64_t code, count;
};

/* From this address on. The file follows. */
struct jit_dump_line {
	uint64_t address;
	int32_t line, discriminator;
};
