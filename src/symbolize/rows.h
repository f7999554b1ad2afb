/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rows - the line table of one unit, as far as it speaks of code that is there.
 */
#pragma once

#include "symbolize/catalog.h"

struct row {
	uint64_t address;
	uint32_t file; /* text */
	unsigned line; /* 0: the compiler names no line */
	bool is_statement;
	bool is_end; /* no code from here to the next row */
};

struct rows {
	struct row *items;
	size_t count, capacity;
};

void rows_read(struct symbols *symbols, struct object *object, struct unit *unit,
	       struct rows *rows);
/* End of the code of row i; its own address if it has none. */
uint64_t rows_end(const struct rows *rows, size_t i);
void rows_clear(struct rows *rows);
