/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * line_table - lines of Python bytecode: co_linetable of CPython 3.11 and newer
 * (Objects/locations.md of CPython).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct python_line {
	uint32_t start, end; /* bytes of bytecode */
	uint32_t line;
};

/*
 * The lines of `bytes` of bytecode, in order and without gaps; code without a line of its own has
 * the line before it. What a cut table does not tell has the first line. Returns their number; to
 * be freed.
 */
size_t python_lines_read(const uint8_t *table, size_t table_bytes, uint32_t first_line,
			 uint32_t bytes, struct python_line **lines);
