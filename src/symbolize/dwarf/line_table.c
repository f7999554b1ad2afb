/* SPDX-License-Identifier: BSD-2-Clause */
/* line_table - copies libdw's sorted rows, without functions that the linker dropped. */
#include "symbolize/dwarf/line_table.h"

static bool line_row_read(struct sources *sources, struct object *object, Dwarf_Die *unit,
			  Dwarf_Line *line, struct line_row *row)
{
	Dwarf_Addr address = 0;
	int number = 0;

	if (!line || dwarf_lineaddr(line, &address) != 0 || dwarf_lineno(line, &number) != 0 ||
	    dwarf_lineendsequence(line, &row->is_end) != 0 ||
	    dwarf_linebeginstatement(line, &row->is_statement) != 0)
		return false;
	row->address = address + (uint64_t)object->debug_bias;
	row->line = number > 0 ? (unsigned)number : 0;
	row->file = sources_file(sources, unit, dwarf_linesrc(line, NULL, NULL));
	if (!row->file)
		row->line = 0;
	return true;
}

void line_table_read(struct sources *sources, struct object *object, struct unit *unit,
		     struct line_table *rows)
{
	Dwarf_Lines *lines = NULL;
	size_t count = 0;
	struct line_row row = {0};

	if (dwarf_getsrclines(&unit->die, &lines, &count) != 0)
		return;
	for (size_t i = 0; i < count; i++) {
		if (!line_row_read(sources, object, &unit->die, dwarf_onesrcline(lines, i), &row))
			continue;
		bool is_open = rows->count && !rows->items[rows->count - 1].is_end;
		if (row.is_end ? is_open : object_has_code(object, row.address))
			*array_add(rows) = row;
	}
}

uint64_t line_table_row_end(const struct line_table *rows, size_t i)
{
	if (rows->items[i].is_end || i + 1 >= rows->count)
		return rows->items[i].address;
	return rows->items[i + 1].address;
}

void line_table_clear(struct line_table *rows)
{
	array_free(rows);
}
