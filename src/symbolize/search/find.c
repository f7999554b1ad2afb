/* SPDX-License-Identifier: BSD-2-Clause */
/* find - locations and breakpoints by the names that users type. */
#include "base/path.h"
#include "base/text.h"
#include "symbolize/location/jit_location.h"
#include "symbolize/parser/parser.h"
#include "symbolize/python/python_code.h"
#include "symbolize/search/query.h"
#include "symbolize/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS_MOST 64 /* inlined at one address */

static void add_match_ranges(struct symbols *symbols, uint32_t location,
			     const struct object *object, const struct function_match *match)
{
	struct ranges code = {0};

	for (size_t i = 0; i < match->code.count; i++) {
		const struct range *range = &match->code.items[i];
		if (match->function == FUNCTION_NONE)
			ranges_add(&code, range->start, range->end);
		else
			object_code(object, range->start, range->end, &code);
	}
	for (size_t i = 0; i < code.count; i++)
		location_add_range(symbols, location, code.items[i].start, code.items[i].end);
	ranges_clear(&code);
}

static uint32_t location_from_matches(struct symbols *symbols,
				      const struct function_matches *matches)
{
	const struct function_match *first = &matches->items[0];
	struct object *object = symbols_open(symbols, first->object);
	bool is_symbol = first->function == FUNCTION_NONE;
	uint32_t id = is_symbol ? location_of_symbol(symbols, object,
						     &object->symtab.items[first->symbol]) :
				  location_of_function(symbols, object, first->function);
	struct location_record *location = symbols->locations.items[id];

	for (size_t i = 0; symbols->granularity == TARGET_FUNCTION && object->shown.in_scope &&
			   !is_symbol && i < matches->count;
	     i++)
		unit_decode(symbols, object, &object->units->items[matches->items[i].unit]);
	/* Attributed code if it has some, else all of its code. */
	if (location->ranges.count)
		return id;
	location->is_explicit = true;
	for (size_t i = 0; i < matches->count; i++)
		add_match_ranges(symbols, id, object, &matches->items[i]);
	return id;
}

/* Functions that only programs with a compiler of their own have: V8's, OpenJDK's, LuaJIT's. */
static bool is_of_compiler(const char *function)
{
	static const char *const functions[] = {
		"_ZN2v87Isolate3NewERKNS0_12CreateParamsE",
		"JNI_CreateJavaVM",
		"luaJIT_setmode",
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(function, functions[i]))
			return true;
	return false;
}

static bool compiles_at_run_time(struct symbols *symbols)
{
	struct interner *texts = &symbols->sources.texts;

	for (size_t i = 0; i < symbols->objects.count; i++) {
		struct object *object = symbols->objects.items[i];
		if (object->is_jit)
			return true;
		const struct symtab *symtab = object_symtab(object, texts);
		for (size_t j = 0; j < symtab->count; j++)
			if (is_of_compiler(interner_text(texts, symtab->items[j].name)))
				return true;
	}
	return false;
}

bool symbols_names_may_appear(const struct symbols *symbols)
{
	bool may = symbols->has_interpreter;

	if (symbols->parser)
		return symbols->parser->names_may_appear;
	for (size_t i = 0; i < symbols->objects.count; i++)
		may |= symbols->objects.items[i]->is_jit;
	return may;
}

/* Code of Python or of a JIT is known when it has run: what is missing may still come. */
static int later_if_script(struct symbols *symbols, int result)
{
	bool may_come =
		result == -ENXIO && (symbols->has_interpreter || compiles_at_run_time(symbols));

	return may_come ? -ENOENT : result;
}

/* "libz.so.1+0x5d80", as code without a name is shown. -EINVAL: the name is no such. */
static int find_unnamed(struct symbols *symbols, const char *name, uint32_t *location,
			struct error *error)
{
	const char *plus = strrchr(name, '+');
	char *end = NULL;

	if (!plus || strncmp(plus, "+0x", 3) != 0)
		return -EINVAL;
	uint64_t offset = strtoull(plus + 3, &end, 16);
	if (end == plus + 3 || *end)
		return -EINVAL;
	for (uint32_t i = 0; i < symbols_object_count(symbols); i++) {
		const char *base = path_base(symbols_object(symbols, i)->path);
		if (strlen(base) != (size_t)(plus - name) ||
		    strncmp(base, name, (size_t)(plus - name)) != 0)
			continue;
		*location = symbols_location_at(symbols, i, offset);
		if (*location != SYMBOLS_NONE)
			return 0;
	}
	return error_set(error, -ENOENT, "no code in scope is at %s", name);
}

int symbols_find(struct symbols *symbols, const char *name, uint32_t *location, struct error *error)
{
	struct query query;
	struct function_matches matches = {0};
	int result = find_unnamed(symbols, name, location, error);

	if (result != -EINVAL)
		return result;
	if (symbols->parser)
		return parser_find(symbols->parser, OPERATION_FIND, name, location, error);
	query_parse(name, &query);
	if (python_is_named(symbols, &query)) {
		result = python_find(symbols, &query, location, error);
	} else if (query.file && query.line &&
		   jit_find_line(symbols, query.file, query.line, location)) {
		result = 0;
	} else if (query.line) {
		result = search_line_location(symbols, &query, location, error);
	} else {
		result = search_function(symbols, &query, &matches, error);
		if (result == 0)
			*location = location_from_matches(symbols, &matches);
	}
	function_matches_clear(&matches);
	query_clear(&query);
	return later_if_script(symbols, result);
}

/* As samples tell it: by debug information, where that has the symbol's function. */
static uint32_t inclusive_of_symbol(struct symbols *symbols, struct object *object,
				    struct symtab_entry *entry)
{
	uint32_t found[FUNCTIONS_MOST];
	const char *name = symtab_name(entry, &symbols->sources.texts);
	size_t count =
		symbols_functions_at(symbols, object->id, entry->start + 1, found, FUNCTIONS_MOST);

	for (size_t i = 0; i < count; i++)
		if (text_equals(symbols_location(symbols, found[i])->function, name))
			return found[i];
	return location_of_inclusive_symbol(symbols, object, entry);
}

int symbols_find_inclusive(struct symbols *symbols, const char *name, uint32_t *location,
			   struct error *error)
{
	struct query query;
	struct function_matches matches = {0};

	if (symbols->parser)
		return parser_find(symbols->parser, OPERATION_FIND_INCLUSIVE, name, location,
				   error);
	if (!strcmp(name, SYMBOLS_ALLOCATION) && allocation_find(symbols, location))
		return 0;
	query_parse(name, &query);
	bool is_python = !query.line && python_is_named(symbols, &query);
	int result = is_python  ? python_find_inclusive(symbols, &query, location, error) :
		     query.line ? error_set(error, EINVAL, "%s is a line, and no function", name) :
				  search_function(symbols, &query, &matches, error);
	if (!result && !is_python) {
		const struct function_match *first = &matches.items[0];
		struct object *object = symbols_open(symbols, first->object);
		bool is_symbol = first->function == FUNCTION_NONE;
		*location = is_symbol ? inclusive_of_symbol(symbols, object,
							    &object->symtab.items[first->symbol]) :
					location_of_inclusive(symbols, object, first->function);
		for (size_t i = 0; i < matches.count; i++)
			add_match_ranges(symbols, *location, object, &matches.items[i]);
	}
	function_matches_clear(&matches);
	query_clear(&query);
	return later_if_script(symbols, result);
}

/* A part that the compiler split off is entered from the function, which has a breakpoint. */
static bool is_split_part(const struct object *object, const struct function_match *match,
			  uint64_t offset)
{
	const struct symtab *symtab = &object->symtab;

	if (match->function == FUNCTION_NONE)
		return symtab->items[match->symbol].is_part;
	const struct symtab_entry *entry = symtab_at(symtab, offset);
	return !match->is_inlined && entry && entry->is_part && entry->start == offset;
}

static void function_addresses(struct symbols *symbols, const struct function_matches *matches,
			       struct symbols_addresses *addresses)
{
	for (int parts = 0; parts < 2 && addresses->count == 0; parts++) {
		for (size_t i = 0; i < matches->count; i++) {
			const struct function_match *match = &matches->items[i];
			struct object *object = symbols_open(symbols, match->object);
			uint64_t offset = match->entry;
			object_symtab(object, &symbols->sources.texts);
			if (match->function != FUNCTION_NONE &&
			    !object_offset(object, match->entry, &offset))
				continue;
			if (parts || !is_split_part(object, match, offset))
				address_add(addresses, object, offset);
		}
	}
}

int symbols_breakpoints(struct symbols *symbols, const char *name, uint32_t only,
			struct symbols_addresses *addresses, struct error *error)
{
	struct query query;
	struct function_matches matches = {0};
	int result;

	if (symbols->parser)
		return parser_breakpoints(symbols->parser, name, only, addresses, error);
	query_parse(name, &query);
	query.only = only;
	if (query.line) {
		result = search_line_addresses(symbols, &query, addresses, error);
	} else {
		result = search_function(symbols, &query, &matches, error);
		if (result == 0)
			function_addresses(symbols, &matches, addresses);
	}
	function_matches_clear(&matches);
	query_clear(&query);
	return result;
}
