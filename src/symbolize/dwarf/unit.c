/* SPDX-License-Identifier: BSD-2-Clause */
/* unit - reads unit entries, and decides which unit owns which code. */
#include "symbolize/dwarf/unit.h"

#include "base/memory.h"
#include "symbolize/object/object.h"

#include <dwarf.h>

#define BARE_BYTES_LEAST 65536
#define BARE_LEAST 0.5 /* of the code */

static void add_code(struct object *object, uint32_t unit, uint64_t start, uint64_t end)
{
	struct ranges code = {0};

	start += (uint64_t)object->debug_bias;
	end += (uint64_t)object->debug_bias;
	object_code(object, start, end, &code);
	for (size_t i = 0; i < code.count; i++)
		interval_map_add(&object->units->owners, code.items[i].start, code.items[i].end,
				 unit, 0);
	ranges_clear(&code);
}

/* For a unit without ranges (assemblers, old compilers): the ranges of its line table. */
static void add_code_of_lines(struct object *object, uint32_t unit, Dwarf_Die *die)
{
	Dwarf_Lines *lines = NULL;
	size_t count = 0;
	Dwarf_Addr start = 0, address = 0;
	bool is_open = false, is_end = false;

	if (dwarf_getsrclines(die, &lines, &count) != 0)
		return;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		if (!line || dwarf_lineaddr(line, &address) != 0 ||
		    dwarf_lineendsequence(line, &is_end) != 0)
			return;
		if (is_end && is_open)
			add_code(object, unit, start, address);
		else if (!is_end && !is_open)
			start = address;
		is_open = !is_end;
	}
}

static void add_unit(struct object *object, Dwarf_Die *die)
{
	uint32_t id = (uint32_t)object->units->count;
	ptrdiff_t at = 0;
	Dwarf_Addr base = 0, start = 0, end = 0;
	bool has_ranges = false;
	struct unit *unit = array_add(object->units);
	unit->die = *die;
	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		has_ranges |= start < end;
		add_code(object, id, start, end);
	}
	if (!has_ranges && dwarf_hasattr(die, DW_AT_stmt_list))
		add_code_of_lines(object, id, die);
	unit->has_ranges = has_ranges;
}

/* Lines of hand-written assembly alone do not count as debug information of a program. */
static bool is_assembly_only(const struct units *units)
{
	for (size_t i = 0; i < units->count; i++) {
		Dwarf_Die die = units->items[i].die;
		if (units->items[i].has_ranges && dwarf_srclang(&die) != DW_LANG_Mips_Assembler)
			return false;
	}
	return true;
}

static void units_clear(struct units *units)
{
	for (size_t i = 0; i < units->count; i++) {
		struct unit *unit = &units->items[i];
		ranges_clear(&unit->code);
		ranges_clear(&unit->in_scope);
		free(unit->pieces);
		free(unit->attributions);
		free(unit->files);
	}
	array_free(units);
	interval_map_clear(&units->owners);
	ranges_clear(&units->bare);
	*units = (struct units){0};
}

static uint64_t bytes_of(const struct ranges *ranges)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < ranges->count; i++)
		bytes += ranges->items[i].end - ranges->items[i].start;
	return bytes;
}

/* Startup code and the like has no unit anywhere, and is no target. */
static void find_bare(const struct object *object, struct units *units)
{
	struct ranges owned = {0};

	for (size_t i = 0; i < units->count; i++)
		for (size_t j = 0; j < units->items[i].code.count; j++)
			ranges_add(&owned, units->items[i].code.items[j].start,
				   units->items[i].code.items[j].end);
	ranges_merge(&owned);
	for (size_t i = 0; owned.count && i < object->code.count; i++)
		ranges_cut(&owned, object->code.items[i].start, object->code.items[i].end,
			   &units->bare);
	double bytes = (double)bytes_of(&units->bare);
	if (bytes < BARE_BYTES_LEAST || bytes < (double)bytes_of(&object->code) * BARE_LEAST)
		ranges_clear(&units->bare);
	ranges_clear(&owned);
}

struct units *units_read(struct object *object)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Half version;
	uint8_t type;
	Dwarf_Die die;

	if (object->units)
		return object->units;
	struct units *units = object->units = memory_new(1, sizeof(*units));
	Dwarf *debug = object_debug(object);
	while (debug && dwarf_get_units(debug, unit, &unit, &version, &type, &die, NULL) == 0) {
		bool has_code = type == DW_UT_compile || type == DW_UT_skeleton;
		if (has_code && dwarf_tag(&die) != DW_TAG_invalid)
			add_unit(object, &die);
	}
	if (is_assembly_only(units)) {
		units_clear(units);
		object->shown.has_lines = false;
	}
	interval_map_flatten(&units->owners);
	for (size_t i = 0; i < units->owners.count; i++) {
		const struct interval_map_entry *span = &units->owners.items[i];
		ranges_add(&units->items[span->value].code, span->start, span->end);
	}
	find_bare(object, units);
	return units;
}

struct unit *units_at(struct object *object, uint64_t offset)
{
	struct units *units = units_read(object);
	const struct interval_map_entry *span = interval_map_at(&units->owners, offset);
	return span ? &units->items[span->value] : NULL;
}

Dwarf_Die unit_full_die(const struct unit *unit)
{
	Dwarf_Die full = {0};
	uint8_t type = 0;

	if (dwarf_cu_info(unit->die.cu, NULL, &type, NULL, &full, NULL, NULL, NULL) == 0 &&
	    type == DW_UT_skeleton && dwarf_tag(&full) == DW_TAG_compile_unit)
		return full;
	return unit->die;
}

const char *unit_directory(Dwarf_Die *unit_die)
{
	Dwarf_Attribute attribute;
	return dwarf_formstring(dwarf_attr_integrate(unit_die, DW_AT_comp_dir, &attribute));
}

void units_free(struct object *object)
{
	if (object->units)
		units_clear(object->units);
	free(object->units);
	object->units = NULL;
}
