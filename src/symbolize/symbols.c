/* SPDX-License-Identifier: BSD-2-Clause */
/* symbols - objects, and the locations of their addresses. */
#include "symbolize/symbols.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "symbolize/far_calls.h"
#include "symbolize/internal.h"
#include "symbolize/location/jit_location.h"
#include "symbolize/location/location_name.h"
#include "symbolize/object/brokered.h"
#include "symbolize/object/jit_file.h"
#include "symbolize/object/unwind.h"
#include "symbolize/parser/parser.h"
#include "symbolize/python/python_code.h"
#include "symbolize/scope.h"
#include "symbolize/skid.h"
#include "symbolize/tail_calls.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define BLOCK_BYTES 4096

struct object *symbols_open(const struct symbols *symbols, uint32_t object)
{
	assert(object < symbols->objects.count);
	return symbols->objects.items[object];
}

struct symbols *symbols_new(enum target_kind granularity, const struct scope *scope)
{
	struct symbols *symbols = memory_new(1, sizeof(*symbols));

	symbols->granularity = granularity == TARGET_INCLUSIVE ? TARGET_LINE : granularity;
	symbols->sources.scope = scope;
	symbols->generation = 1;
	return symbols;
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	parser_free(symbols->parser);
	array_free(&symbols->changed);
	for (size_t i = 0; i < symbols->objects.count; i++) {
		units_forget_frames(symbols->objects.items[i]);
		units_free(symbols->objects.items[i]);
		object_free(symbols->objects.items[i]);
	}
	array_free(&symbols->objects);
	locations_clear(symbols);
	location_names_clear(symbols);
	python_free(symbols->python);
	tail_calls_free(symbols->tail_calls);
	skid_free(symbols->skid);
	hash_map_clear(&symbols->tail_locations);
	hash_map_clear(&symbols->jit_functions);
	kallsyms_free(symbols->kallsyms);
	sources_clear(&symbols->sources);
	free(symbols);
}

/* `status` of the file, or NULL if only the path counts. A file may have several paths. */
static bool find_object(const struct symbols *symbols, const char *path, const struct stat *status,
			uint32_t *object)
{
	for (size_t i = 0; i < symbols->objects.count; i++) {
		const struct object *known = symbols->objects.items[i];
		bool has_file = status && known->inode;
		if (known->is_forgotten)
			continue;
		bool is_same = has_file && known->inode == status->st_ino &&
			       known->device == status->st_dev;
		if (is_same || (!has_file && strcmp(known->shown.path, path) == 0)) {
			*object = (uint32_t)i;
			return true;
		}
	}
	return false;
}

static uint32_t take_object(struct symbols *symbols, struct object *object)
{
	object->id = (uint32_t)symbols->objects.count;
	*array_add(&symbols->objects) = object;
	symbols->generation++;
	return object->id;
}

int symbols_add_file(struct symbols *symbols, const char *path, struct object_file *file,
		     bool in_scope, uint32_t *object, struct error *error)
{
	struct object *opened;
	int code = object_read(path, file, in_scope, &opened, error);

	if (!code)
		*object = take_object(symbols, opened);
	return code;
}

int symbols_add_object(struct symbols *symbols, const char *path, const char *open_path,
		       bool is_main, uint32_t *object, struct error *error)
{
	struct object_file file;
	struct stat status;
	if (symbols->parser)
		return parser_add_object(symbols->parser, path, open_path, is_main, object, error);
	bool is_there = !stat(open_path ? open_path : path, &status);

	if (find_object(symbols, path, is_there ? &status : NULL, object))
		return 0;
	bool in_scope = scope_has_object(symbols->sources.scope, path, is_main);
	int code = object_file_open(path, open_path, &file, error);
	code = code ? code : symbols_add_file(symbols, path, &file, in_scope, object, error);
	if (!code)
		symbols->objects.items[*object]->is_main = is_main;
	object_file_close(&file);
	return code;
}

void symbols_forget_object(struct symbols *symbols, uint32_t object)
{
	if (symbols->parser) {
		parser_forget_object(symbols->parser, object);
		return;
	}
	struct object *forgotten = symbols_open(symbols, object);
	sources_forget_addresses(&symbols->sources);
	units_forget_frames(forgotten);
	units_free(forgotten);
	object_forget(forgotten);
}

/* Reads the map anew if it changed. */
static void refresh_jit(struct symbols *symbols, struct object *object)
{
	if (!jit_file_read(object, &symbols->sources.texts))
		return;
	locations_move(symbols, object);
	symbols->generation++;
}

char *symbols_jit_path(unsigned pid, char **refused)
{
	return jit_file_path(pid, refused);
}

int symbols_add_jit(struct symbols *symbols, const char *path, uint32_t *object,
		    struct error *error)
{
	if (symbols->parser)
		return parser_add_jit(symbols->parser, path, object, error);
	if (find_object(symbols, path, NULL, object)) {
		refresh_jit(symbols, symbols_open(symbols, *object));
		return 0;
	}
	bool is_file = strcmp(path, SYMBOLS_JIT_UNTOLD) != 0;
	if (is_file && !broker_is_used() && access(path, R_OK) != 0)
		return error_set(error, errno, "cannot read the JIT map %s: %s", path,
				 strerror(errno));
	struct object *map = object_new(path);
	map->is_jit = true;
	map->shown.in_scope = scope_has_object(symbols->sources.scope, path, true);
	*object = take_object(symbols, map);
	refresh_jit(symbols, map);
	return 0;
}

const struct symbols_object *symbols_object(const struct symbols *symbols, uint32_t object)
{
	return symbols->parser ? &parser_object(symbols->parser, object)->shown :
				 &symbols_open(symbols, object)->shown;
}

uint32_t symbols_object_count(const struct symbols *symbols)
{
	return (uint32_t)(symbols->parser ? symbols->parser->objects.count :
					    symbols->objects.count);
}

/* The symbol at an offset. A JIT map without one is read again, since code may be new. */
static struct symtab_entry *symbol_at(struct symbols *symbols, struct object *object,
				      uint64_t offset)
{
	struct symtab_entry *entry =
		symtab_at(object_symtab(object, &symbols->sources.texts), offset);
	if (entry || !object->is_jit)
		return entry;
	refresh_jit(symbols, object);
	return symtab_at(&object->symtab, offset);
}

static bool symbol_in_scope(struct symbols *symbols, struct symtab_entry *entry)
{
	symtab_name(entry, &symbols->sources.texts);
	return sources_in_scope(&symbols->sources, 0, entry->shown);
}

bool symbols_unwound_function(const struct object *object, uint64_t offset, struct range *function)
{
	return unwind_function_at(object, offset, function);
}

/* A function by the unwind information, else a block of bytes. */
static uint32_t location_without_symbol(struct symbols *symbols, struct object *object,
					uint64_t offset)
{
	uint64_t start = offset / BLOCK_BYTES * BLOCK_BYTES;
	struct range block = {.start = start, .end = start + BLOCK_BYTES}, function;

	if (!ranges_has(&object->code, offset))
		return SYMBOLS_NONE;
	unwind_function_at(object, offset, &function);
	return location_of_block(symbols, object, function.end ? function : block);
}

static uint32_t location_by_symbol(struct symbols *symbols, struct object *object, uint64_t offset)
{
	struct symtab_entry *entry = symbol_at(symbols, object, offset);

	if (!entry)
		return location_without_symbol(symbols, object, offset);
	if (object->is_jit)
		return jit_location(symbols, object, entry);
	if (!symbol_in_scope(symbols, entry))
		return SYMBOLS_NONE;
	return location_of_symbol(symbols, object, entry);
}

uint32_t symbols_location_at(struct symbols *symbols, uint32_t object, uint64_t offset)
{
	if (symbols->parser)
		return parser_location_at(symbols->parser, object, offset);
	struct object *at = symbols_open(symbols, object);
	if (!at->shown.in_scope)
		return SYMBOLS_NONE;
	if (python_is(symbols, at))
		return python_location_at(symbols, offset);
	if (units_read(at)->count == 0)
		return location_by_symbol(symbols, at, offset);
	struct unit *unit = units_at(at, offset);
	if (!unit)
		return ranges_has(&at->units->bare, offset) ?
			       location_by_symbol(symbols, at, offset) :
			       SYMBOLS_NONE;
	unit_decode(symbols, at, unit);
	return unit_location_at(symbols, at, unit, offset);
}

const struct symbols_location *symbols_location(const struct symbols *symbols, uint32_t location)
{
	if (symbols->parser)
		return parser_location(symbols->parser, location);
	assert(location < symbols->locations.count);
	return &symbols->locations.items[location]->shown;
}

uint32_t symbols_location_count(const struct symbols *symbols)
{
	return (uint32_t)(symbols->parser ? symbols->parser->locations.count :
					    symbols->locations.count);
}

size_t symbols_location_ranges(struct symbols *symbols, uint32_t location,
			       const struct range **ranges)
{
	if (symbols->parser)
		return parser_location_ranges(symbols->parser, location, ranges);
	assert(location < symbols->locations.count);
	struct location_record *asked = symbols->locations.items[location];
	if (!asked->is_merged)
		ranges_merge(&asked->ranges);
	asked->is_merged = true;
	*ranges = asked->ranges.items;
	return asked->ranges.count;
}

size_t symbols_far_calls(struct symbols *symbols, uint32_t location,
			 const struct symbols_address **calls)
{
	if (symbols->parser)
		return parser_far_calls(symbols->parser, location, calls);
	assert(location < symbols->locations.count);
	*calls = symbols->locations.items[location]->calls.items;
	return symbols->locations.items[location]->calls.count;
}

uint64_t symbols_generation(const struct symbols *symbols)
{
	return symbols->parser ? symbols->parser->generation : symbols->generation;
}

/* Decoded units: their code in scope. Other units: all of their code. And code without a unit. */
static void add_units_in_scope(const struct symbols *symbols, struct object *object,
			       struct ranges *result)
{
	const struct ranges *bare = &object->units->bare;

	for (size_t i = 0; i < bare->count && !scope_names_functions(symbols->sources.scope); i++)
		ranges_add(result, bare->items[i].start, bare->items[i].end);
	for (size_t i = 0; i < object->units->count; i++) {
		const struct unit *unit = &object->units->items[i];
		const struct ranges *ranges = unit->is_decoded ? &unit->in_scope : &unit->code;
		for (size_t j = 0; j < ranges->count; j++)
			ranges_add(result, ranges->items[j].start, ranges->items[j].end);
	}
}

/*
 * Without units: the code, less functions that are excluded by name. In JIT code, and where
 * functions are included by name: only the functions in scope.
 */
static void add_symbols_in_scope(struct symbols *symbols, struct object *object,
				 struct ranges *result)
{
	bool names_matter = object->is_jit || scope_names_functions(symbols->sources.scope);
	const struct symtab *symtab =
		names_matter ? object_symtab(object, &symbols->sources.texts) : &object->symtab;
	bool has_code = !object->is_jit && object != symbols->kernel;
	bool only_named = !has_code || scope_asks_functions(symbols->sources.scope);
	struct ranges excluded = {0};

	for (size_t i = 0; (names_matter || !has_code) && i < symtab->intervals.count; i++) {
		const struct interval_map_entry *span = &symtab->intervals.items[i];
		struct symtab_entry *entry = &symtab->items[span->value];
		bool in_scope = !names_matter || (object->is_jit ? jit_is_in_scope(symbols, entry) :
								   symbol_in_scope(symbols, entry));
		if (only_named && in_scope)
			ranges_add(result, span->start, span->end);
		else if (!in_scope)
			ranges_add(&excluded, span->start, span->end);
	}
	ranges_merge(&excluded);
	for (size_t i = 0; !only_named && i < object->code.count; i++)
		ranges_cut(&excluded, object->code.items[i].start, object->code.items[i].end,
			   result);
	ranges_clear(&excluded);
}

size_t symbols_scope_ranges(struct symbols *symbols, uint32_t object, const struct range **ranges)
{
	if (symbols->parser)
		return parser_scope_ranges(symbols->parser, object, ranges);
	struct object *asked = symbols_open(symbols, object);
	struct ranges *result = &asked->scope_ranges;

	if (asked->shown.in_scope && asked->scope_generation != symbols->generation) {
		asked->scope_generation = symbols->generation;
		result->count = 0;
		if (python_is(symbols, asked))
			python_scope_ranges(symbols, result);
		else if (units_read(asked)->count)
			add_units_in_scope(symbols, asked, result);
		else
			add_symbols_in_scope(symbols, asked, result);
		ranges_merge(result);
	}
	*ranges = result->items;
	return result->count;
}

const char *symbols_function_at(struct symbols *symbols, uint32_t object, uint64_t offset)
{
	if (symbols->parser)
		return parser_function_at(symbols->parser, object, offset);
	struct object *asked = symbols_open(symbols, object);
	if (python_is(symbols, asked))
		return python_function_at(symbols, offset);
	struct symtab_entry *entry = symbol_at(symbols, asked, offset);

	if (entry)
		return symtab_name(entry, &symbols->sources.texts);
	uint32_t name = location_name_add(symbols, "%s+0x%llx", path_base(asked->shown.path),
					  (unsigned long long)offset);
	return interner_text(&symbols->sources.texts, name);
}

size_t symbols_unwind_rows(const struct symbols *symbols, uint32_t object, struct unwind_row **rows)
{
	if (symbols->parser)
		return parser_unwind_rows(symbols->parser, object, rows);
	return unwind_rows_read(symbols_open(symbols, object), rows);
}

bool symbols_references(struct symbols *symbols, uint32_t object, const char *symbol)
{
	if (symbols->parser)
		return parser_references(symbols->parser, object, symbol);
	return object_references(symbols_open(symbols, object), symbol);
}
