/* SPDX-License-Identifier: BSD-2-Clause */
/* catalog - functions, source files and scope_decisions of the scope, each worked out once. */
#include "symbolize/internal.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "symbolize/dwarf/attribution.h"
#include "symbolize/language/demangle.h"
#include "symbolize/scope.h"

#include <assert.h>
#include <dwarf.h>

#define ORIGINS_MOST 16 /* links from a copy of a function to what it is a copy of */

struct object *symbols_open(const struct symbols *symbols, uint32_t object)
{
	assert(object < symbols->objects.count);
	return symbols->objects.items[object];
}

bool symbols_in_scope(struct symbols *symbols, uint32_t file, uint32_t function)
{
	uint32_t verdict = hash_map_get(&symbols->scope_decisions, file, function);
	if (verdict == HASH_MAP_NONE) {
		verdict = scope_has_source(symbols->scope, interner_text(&symbols->texts, file),
					   interner_text(&symbols->texts, function));
		hash_map_set(&symbols->scope_decisions, file, function, verdict);
	}
	return verdict;
}

uint32_t symbols_file(struct symbols *symbols, Dwarf_Die *unit_die, const char *path)
{
	if (!path || !path[0])
		return 0;
	uint32_t id = hash_map_get(&symbols->file_ids, (uintptr_t)path, 0);
	if (id == HASH_MAP_NONE) {
		AUTO(text)
		char *whole = path_clean(path[0] == '/' ? NULL : unit_directory(unit_die), path);
		id = interner_add(&symbols->texts, whole);
		hash_map_set(&symbols->file_ids, (uintptr_t)path, 0, id);
	}
	return id;
}

/* Not dwarf_decl_file: elfutils 0.188 takes number 0 for no file, but in DWARF 5 it is the first. */
uint32_t symbols_file_of(struct symbols *symbols, Dwarf_Die *die, unsigned attribute_name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number = 0;
	Dwarf_Half version = 0;
	Dwarf_Die unit;
	Dwarf_Files *files = NULL;
	size_t count = 0;

	if (dwarf_formudata(dwarf_attr_integrate(die, attribute_name, &attribute), &number) != 0 ||
	    !dwarf_cu_die(attribute.cu, &unit, &version, NULL, NULL, NULL, NULL, NULL) ||
	    dwarf_getsrcfiles(&unit, &files, &count) != 0 || number >= count ||
	    (number == 0 && version < 5))
		return 0;
	return symbols_file(symbols, &unit, dwarf_filesrc(files, number, NULL, NULL));
}

/* From an inlined or out-of-line copy to the entry that all copies share. */
static Dwarf_Die function_origin(Dwarf_Die die)
{
	for (int i = 0; i < ORIGINS_MOST; i++) {
		Dwarf_Attribute attribute;
		Dwarf_Die origin;
		if (!dwarf_attr(&die, DW_AT_abstract_origin, &attribute) ||
		    !dwarf_formref_die(&attribute, &origin))
			break;
		die = origin;
	}
	return die;
}

static const char *linker_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name =
		dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
	return name ? name :
		      dwarf_formstring(
			      dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
}

static bool is_external(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	bool flag = false;
	return dwarf_formflag(dwarf_attr_integrate(die, DW_AT_external, &attribute), &flag) == 0 &&
	       flag;
}

static struct function function_read(struct symbols *symbols, Dwarf_Die *die, const char *name)
{
	const char *linker = linker_name(die);
	int line = 0;
	struct function function = {
		.linker = interner_add(&symbols->texts, linker ? linker : name),
		.is_external = is_external(die),
	};

	function.file = symbols_file_of(symbols, die, DW_AT_decl_file);
	if (dwarf_decl_line(die, &line) == 0 && line > 0)
		function.line = (unsigned)line;
	return function;
}

uint32_t symbols_function(struct symbols *symbols, Dwarf_Die *die)
{
	Dwarf_Die origin = function_origin(*die);
	uint32_t id = hash_map_get(&symbols->function_ids, (uintptr_t)origin.addr, 0);
	if (id != HASH_MAP_NONE)
		return id;
	const char *name = dwarf_diename(&origin);
	if (!name)
		name = linker_name(&origin);
	if (!name)
		return FUNCTION_NONE;
	id = (uint32_t)symbols->functions.count;
	struct function function = function_read(symbols, &origin, name);
	*array_add(&symbols->functions) = function;
	hash_map_set(&symbols->function_ids, (uintptr_t)origin.addr, 0, id);
	return id;
}

uint32_t function_name(struct symbols *symbols, uint32_t function)
{
	if (function == FUNCTION_NONE)
		return 0;
	struct function *asked = &symbols->functions.items[function];
	if (!asked->name) {
		AUTO(text) char *name = demangle(interner_text(&symbols->texts, asked->linker));
		asked->name = interner_add(&symbols->texts, name);
	}
	return asked->name;
}

struct decoding {
	struct symbols *symbols;
	struct object *object;
	struct unit *unit;
	size_t capacity;
};

static void add_piece(struct decoding *decoding, uint64_t start, uint64_t end, uint32_t location)
{
	struct unit *unit = decoding->unit;
	struct unit_piece *last = unit->piece_count ? &unit->pieces[unit->piece_count - 1] : NULL;

	if (last && last->location == location && last->end == start) {
		last->end = end;
		return;
	}
	unit->pieces = memory_array_grow(unit->pieces, &unit->piece_count, &decoding->capacity,
					 sizeof(*unit->pieces));
	unit->pieces[unit->piece_count - 1] =
		(struct unit_piece){.start = start, .end = end, .location = location};
}

/* The location of an attribution; code of no function in the debug information has a symbol yet. */
static uint32_t location_of(struct decoding *decoding, const struct attribution *attribution,
			    uint64_t offset)
{
	struct symbols *symbols = decoding->symbols;
	struct object *object = decoding->object;

	if (symbols->granularity == TARGET_LINE)
		return location_of_line(symbols, object, attribution->file, attribution->line,
					attribution->function);
	if (attribution->function != FUNCTION_NONE)
		return location_of_function(symbols, object, attribution->function);
	struct symtab_entry *entry = symtab_at(object_symtab(object, &symbols->texts), offset);
	return entry ? location_of_symbol(symbols, object, entry) : SYMBOLS_NONE;
}

static void decode_attribution(void *context, const struct attribution *attribution)
{
	struct decoding *decoding = context;
	struct ranges found = {0}, own = {0};

	object_code(decoding->object, attribution->start, attribution->end, &found);
	for (size_t i = 0; i < found.count; i++)
		ranges_clip(&decoding->unit->code, found.items[i].start, found.items[i].end, &own);
	for (size_t i = 0; i < own.count; i++) {
		uint32_t location = location_of(decoding, attribution, own.items[i].start);
		if (location == SYMBOLS_NONE)
			continue;
		add_piece(decoding, own.items[i].start, own.items[i].end, location);
		location_add_range(decoding->symbols, location, own.items[i].start,
				   own.items[i].end);
		ranges_add(&decoding->unit->in_scope, own.items[i].start, own.items[i].end);
	}
	ranges_clear(&found);
	ranges_clear(&own);
}

static int piece_compare(const void *one, const void *other)
{
	const struct unit_piece *a = one, *b = other;
	return a->start < b->start ? -1 : a->start > b->start;
}

void unit_decode(struct symbols *symbols, struct object *object, struct unit *unit)
{
	struct decoding decoding = {.symbols = symbols, .object = object, .unit = unit};
	struct line_table rows = {0};
	struct inline_tree frames = {0};

	if (unit->is_decoded)
		return;
	unit->is_decoded = true;
	symbols->generation++;
	line_table_read(symbols, object, unit, &rows);
	inline_tree_read(symbols, object, unit, NULL, NULL, &frames);
	inline_tree_index(&frames);
	attribution_walk(symbols, &rows, &frames,
			 symbols->granularity == TARGET_LINE ? ATTRIBUTE_LINES :
							       ATTRIBUTE_FUNCTIONS,
			 decode_attribution, &decoding);
	if (unit->piece_count)
		qsort(unit->pieces, unit->piece_count, sizeof(*unit->pieces), piece_compare);
	ranges_merge(&unit->in_scope);
	line_table_clear(&rows);
	inline_tree_clear(&frames);
}
