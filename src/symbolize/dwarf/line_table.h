/* SPDX-License-Identifier: BSD-2-Clause */
/* line_table - the rows of a unit's line table that are about code in the object. */
#pragma once

#include "symbolize/dwarf/sources.h"
#include "symbolize/dwarf/unit.h"
#include "symbolize/object/object.h"

struct line_row {
	uint64_t address;
	uint32_t file; /* text */
	unsigned line; /* 0: the compiler names no line */
	bool is_statement;
	bool is_end; /* no code from here to the next row */
};

struct line_table {
	struct line_row *items;
	size_t count, capacity;
};

void line_table_read(struct sources *sources, struct object *object, struct unit *unit,
		     struct line_table *rows);
/* End of the code of row i; its own address if it has none. */
uint64_t line_table_row_end(const struct line_table *rows, size_t i);
void line_table_clear(struct line_table *rows);
