/* SPDX-License-Identifier: BSD-2-Clause */
/* sources - reads functions and source files once, and remembers what is in scope. */
#include "symbolize/dwarf/sources.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/text.h"
#include "symbolize/dwarf/unit.h"
#include "symbolize/language/demangle.h"
#include "symbolize/scope.h"

#include <dwarf.h>
#include <string.h>

#define ORIGINS_MOST 16 /* links from a copy of a function to what it is a copy of */

bool sources_in_scope(struct sources *sources, uint32_t file, uint32_t function)
{
	uint32_t decision = hash_map_get(&sources->scope_decisions, file, function);
	if (decision == HASH_MAP_NONE) {
		decision = scope_has_source(sources->scope, interner_text(&sources->texts, file),
					    interner_text(&sources->texts, function));
		hash_map_set(&sources->scope_decisions, file, function, decision);
	}
	return decision;
}

uint32_t sources_file(struct sources *sources, Dwarf_Die *unit_die, const char *path)
{
	if (!path || !path[0])
		return 0;
	uint32_t id = hash_map_get(&sources->file_ids, (uintptr_t)path, 0);
	if (id == HASH_MAP_NONE) {
		AUTO(text)
		char *whole = path_clean(path[0] == '/' ? NULL : unit_directory(unit_die), path);
		id = interner_add(&sources->texts, whole);
		hash_map_set(&sources->file_ids, (uintptr_t)path, 0, id);
	}
	return id;
}

/* Not dwarf_decl_file: for elfutils 0.188, 0 means no file, but in DWARF 5 it is the first. */
uint32_t sources_file_of(struct sources *sources, Dwarf_Die *die, unsigned attribute_name)
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
	return sources_file(sources, &unit, dwarf_filesrc(files, number, NULL, NULL));
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

static bool is_class(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static bool is_function(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/* "sort_all" of "sort_all(std::vector<int>&)"; to be freed. */
static char *plain_name(struct sources *sources, uint32_t function)
{
	const char *name = interner_text(&sources->texts, sources_function_name(sources, function));
	return demangle_plain(name ? name : "");
}

static void read_place(struct sources *sources, Dwarf_Die *die, struct function *function)
{
	int line = 0;

	function->file = sources_file_of(sources, die, DW_AT_decl_file);
	if (dwarf_decl_line(die, &line) == 0 && line > 0)
		function->line = (unsigned)line;
}

/* The innermost function around a class, of its scopes from within. */
static uint32_t function_around(struct sources *sources, Dwarf_Die *scopes, int count)
{
	uint32_t found = FUNCTION_NONE;

	for (int i = 1; i < count && found == FUNCTION_NONE; i++)
		if (is_function(&scopes[i]))
			found = sources_function(sources, &scopes[i]);
	return found;
}

/*
 * Within functions GCC gives no linker name, each lambda's own name is "operator()", and its place
 * is that of its class. So it is "main::{lambda:20}", by the function around it and the line, or
 * "main::less::operator()" of a class with a name. To be freed; NULL: it is no such function.
 */
static char *local_name(struct sources *sources, Dwarf_Die *die, const char *name,
			struct function *function)
{
	Dwarf_Attribute attribute;
	Dwarf_Die declaration = *die, *scopes = NULL;

	if (dwarf_attr(die, DW_AT_specification, &attribute))
		dwarf_formref_die(&attribute, &declaration);
	int count = dwarf_getscopes_die(&declaration, &scopes);
	if (count < 2 || !is_class(&scopes[1])) {
		free(scopes);
		return NULL;
	}
	const char *class_name = dwarf_diename(&scopes[1]);
	if (!function->line)
		read_place(sources, &scopes[1], function);
	uint32_t outer = function_around(sources, scopes + 1, count - 1);
	free(scopes);
	AUTO(text)
	char *around = outer != FUNCTION_NONE ? plain_name(sources, outer) : text_copy("");
	const char *separator = *around ? "::" : "";
	if (class_name && class_name[0] != '<')
		return text_format("%s%s%s::%s", around, separator, class_name, name);
	return text_format("%s%s" LAMBDA_BY_LINE "%u}", around, separator, function->line);
}

static struct function function_read(struct sources *sources, Dwarf_Die *die, const char *name)
{
	struct function function = {.is_external = is_external(die)};
	const char *linker = linker_name(die);

	read_place(sources, die, &function);
	AUTO(text)
	char *local = linker || strcmp(name, "operator()") != 0 ?
			      NULL :
			      local_name(sources, die, name, &function);
	function.linker = interner_add(&sources->texts, linker ? linker : local ? local : name);
	return function;
}

uint32_t sources_function(struct sources *sources, Dwarf_Die *die)
{
	Dwarf_Die origin = function_origin(*die);
	uint32_t id = hash_map_get(&sources->function_ids, (uintptr_t)origin.addr, 0);
	if (id != HASH_MAP_NONE)
		return id;
	const char *name = dwarf_diename(&origin);
	if (!name)
		name = linker_name(&origin);
	if (!name)
		return FUNCTION_NONE;
	struct function function = function_read(sources, &origin, name); /* may add others */
	id = (uint32_t)sources->functions.count;
	*array_add(&sources->functions) = function;
	hash_map_set(&sources->function_ids, (uintptr_t)origin.addr, 0, id);
	return id;
}

uint32_t sources_function_name(struct sources *sources, uint32_t function)
{
	if (function == FUNCTION_NONE)
		return 0;
	struct function *asked = &sources->functions.items[function];
	if (!asked->name) {
		AUTO(text) char *name = demangle(interner_text(&sources->texts, asked->linker));
		asked->name = interner_add(&sources->texts, name);
	}
	return asked->name;
}

void sources_forget_addresses(struct sources *sources)
{
	hash_map_clear(&sources->function_ids);
	hash_map_clear(&sources->file_ids);
}

void sources_clear(struct sources *sources)
{
	array_free(&sources->functions);
	sources_forget_addresses(sources);
	hash_map_clear(&sources->scope_decisions);
	interner_clear(&sources->texts);
}
