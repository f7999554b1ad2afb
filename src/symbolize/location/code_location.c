/* SPDX-License-Identifier: BSD-2-Clause */
/* code_location - makes each location once, and keeps its ranges. */
#include "base/path.h"
#include "symbolize/dwarf/attribution.h"
#include "symbolize/internal.h"
#include "symbolize/location/location_name.h"

#include <string.h>

enum location_key { KEY_LINE, KEY_FUNCTION, KEY_BLOCK, KEY_INCLUSIVE };

static uint64_t location_key(enum location_key kind, const struct object *object, uint32_t text)
{
	return (uint64_t)kind << 62 | (uint64_t)object->id << 32 | text;
}

static uint32_t location_find(const struct symbols *symbols, uint64_t first, uint64_t second)
{
	uint32_t id = hash_map_get(&symbols->location_ids, first, second);
	return id == HASH_MAP_NONE ? SYMBOLS_NONE : id;
}

/* `content` lacks the texts of file and function. */
static uint32_t location_add(struct symbols *symbols, uint64_t first, uint64_t second,
			     const struct location_record *content)
{
	struct location_record *location = memory_new(1, sizeof(*location));
	uint32_t id = (uint32_t)symbols->locations.count;

	*location = *content;
	location->is_merged = true;
	location->shown.file = interner_text(&symbols->sources.texts, location->file);
	location->shown.function = interner_text(&symbols->sources.texts, location->function);
	*array_add(&symbols->locations) = location;
	hash_map_set(&symbols->location_ids, first, second, id);
	return id;
}

static bool is_reserved(const char *name)
{
	return name[0] == '_' && strncmp(name, "_Z", 2) != 0 && strncmp(name, "_R", 2) != 0;
}

/*
 * "unlink" for "__GI_unlink": of an internal name of C, the name by which the symbol table offers
 * the same address to others.
 */
static uint32_t public_name(struct symbols *symbols, struct object *object, uint32_t function)
{
	struct interner *texts = &symbols->sources.texts;
	uint32_t name = sources_function_name(&symbols->sources, function);
	if (function == FUNCTION_NONE)
		return name;
	struct function *asked = &symbols->sources.functions.items[function];
	if (asked->alias)
		return asked->alias;
	asked->alias = name;
	if (!is_reserved(interner_text(texts, asked->linker)))
		return name;
	const struct symtab *symtab = object_symtab(object, texts);
	for (size_t i = 0; i < symtab->count; i++) {
		struct symtab_entry *best = NULL;
		if (symtab->items[i].name == asked->linker)
			best = symtab_at(symtab, symtab->items[i].start);
		if (!best || best->start != symtab->items[i].start)
			continue;
		if (!is_reserved(interner_text(texts, best->name))) {
			symtab_name(best, texts);
			asked->alias = best->shown;
		}
		break;
	}
	return asked->alias;
}

uint32_t location_find_line(const struct symbols *symbols, const struct object *object,
			    uint32_t file, unsigned line)
{
	return location_find(symbols, location_key(KEY_LINE, object, file), line);
}

uint32_t location_of_line(struct symbols *symbols, struct object *object, uint32_t file,
			  unsigned line, uint32_t function)
{
	uint64_t first = location_key(KEY_LINE, object, file);
	uint32_t id = location_find(symbols, first, line);

	if (id != SYMBOLS_NONE)
		return id;
	uint32_t name =
		location_name_add(symbols, "%s:%u", location_name_of_file(symbols, file), line);
	struct location_record location = {
		.shown = {.kind = TARGET_LINE,
			  .object = object->id,
			  .name = interner_text(&symbols->sources.texts, name),
			  .line = line},
		.file = file,
	};
	location.function = public_name(symbols, object, function);
	return location_add(symbols, first, line, &location);
}

bool location_line_is_shared(struct symbols *symbols, struct object *object,
			     const struct attribution *attribution)
{
	uint64_t first = location_key(KEY_LINE, object, attribution->file);
	uint32_t id = location_find(symbols, first, attribution->line);

	return id != SYMBOLS_NONE && symbols->locations.items[id]->function !=
					     public_name(symbols, object, attribution->function);
}

/* Do other files have a function of this name? Only then its name begins with the file. */
static bool has_twin(struct symbols *symbols, struct object *object, uint32_t linker_name)
{
	const struct symtab *symtab = object_symtab(object, &symbols->sources.texts);
	const struct symtab_entry *one = NULL;

	for (size_t i = 0; i < symtab->count; i++) {
		const struct symtab_entry *entry = &symtab->items[i];
		if (entry->name != linker_name)
			continue;
		if (one && entry->file != one->file)
			return true;
		one = entry;
	}
	return false;
}

static uint32_t function_location_name(struct symbols *symbols, struct object *object,
				       uint32_t shown, uint32_t linker_name, uint32_t file)
{
	if (object->is_kernel)
		return location_name_add(symbols, "kernel:%s",
					 interner_text(&symbols->sources.texts, shown));
	if (!file || !has_twin(symbols, object, linker_name))
		return shown;
	return location_name_add(symbols, "%s:%s", location_name_of_file(symbols, file),
				 interner_text(&symbols->sources.texts, shown));
}

uint32_t location_of_function(struct symbols *symbols, struct object *object, uint32_t function)
{
	uint32_t shown = public_name(symbols, object, function);
	const struct function copy = symbols->sources.functions.items[function];
	uint64_t first = location_key(KEY_FUNCTION, object, shown);
	uint64_t second = copy.is_external ? 0 : copy.file;
	uint32_t id = location_find(symbols, first, second);

	if (id != SYMBOLS_NONE)
		return id;
	uint32_t name =
		function_location_name(symbols, object, shown, copy.linker, (uint32_t)second);
	struct location_record location = {
		.shown = {.kind = TARGET_FUNCTION,
			  .object = object->id,
			  .name = interner_text(&symbols->sources.texts, name),
			  .line = copy.line},
		.file = copy.file,
		.function = shown,
	};
	return location_add(symbols, first, second, &location);
}

/* SYMBOLS_NONE if the symbol has no location yet. */
static uint32_t location_of_known_symbol(struct symbols *symbols, struct object *object,
					 struct symtab_entry *entry)
{
	symtab_name(entry, &symbols->sources.texts);
	return location_find(symbols, location_key(KEY_FUNCTION, object, entry->shown),
			     entry->file);
}

/* `within`: NULL: everywhere. */
static void add_symbol_ranges(struct symbols *symbols, struct object *object, uint32_t location,
			      const struct symtab_entry *entry, const struct ranges *within)
{
	struct symtab *symtab = &object->symtab;
	struct ranges parts = {0};

	for (size_t i = symtab_next_interval(symtab, entry, 0); i != SIZE_MAX;
	     i = symtab_next_interval(symtab, entry, i + 1)) {
		const struct interval_map_entry *span = &symtab->intervals.items[i];
		if (within)
			ranges_clip(within, span->start, span->end, &parts);
		else
			ranges_add(&parts, span->start, span->end);
	}
	for (size_t i = 0; i < parts.count; i++)
		location_add_range(symbols, location, parts.items[i].start, parts.items[i].end);
	ranges_clear(&parts);
}

uint32_t location_of_symbol(struct symbols *symbols, struct object *object,
			    struct symtab_entry *entry)
{
	uint32_t id = location_of_known_symbol(symbols, object, entry);

	if (id != SYMBOLS_NONE)
		return id;
	uint32_t name =
		function_location_name(symbols, object, entry->shown, entry->name, entry->file);
	struct location_record location = {
		.shown = {.kind = TARGET_FUNCTION,
			  .object = object->id,
			  .name = interner_text(&symbols->sources.texts, name)},
		.file = entry->file,
		.function = entry->shown,
	};
	id = location_add(symbols, location_key(KEY_FUNCTION, object, entry->shown), entry->file,
			  &location);
	const struct units *units = units_read(object); /* their code comes by attribution */
	add_symbol_ranges(symbols, object, id, entry, units->count ? &units->bare : NULL);
	return id;
}

static uint32_t inclusive_name(struct symbols *symbols, uint32_t plain)
{
	return location_name_add(symbols, SYMBOLS_INCLUSIVE_PREFIX "%s",
				 interner_text(&symbols->sources.texts, plain));
}

/* By linker name, so that most functions need no demangling. */
uint32_t location_find_inclusive(struct symbols *symbols, struct object *object, uint32_t function)
{
	const struct function *one = &symbols->sources.functions.items[function];

	return location_find(symbols, location_key(KEY_INCLUSIVE, object, one->linker),
			     one->is_external ? 0 : one->file);
}

uint32_t location_of_inclusive(struct symbols *symbols, struct object *object, uint32_t function)
{
	uint32_t id = location_find_inclusive(symbols, object, function);

	if (id != SYMBOLS_NONE)
		return id;
	uint32_t shown = public_name(symbols, object, function);
	const struct function copy = symbols->sources.functions.items[function];
	uint32_t file = copy.is_external ? 0 : copy.file;
	uint32_t name = inclusive_name(symbols, function_location_name(symbols, object, shown,
								       copy.linker, file));
	struct location_record location = {
		.shown = {.kind = TARGET_INCLUSIVE,
			  .object = object->id,
			  .name = interner_text(&symbols->sources.texts, name),
			  .line = copy.line},
		.file = copy.file,
		.function = shown,
	};
	return location_add(symbols, location_key(KEY_INCLUSIVE, object, copy.linker), file,
			    &location);
}

/* Overloads of JIT code are one function; elsewhere each linker name is one. */
static uint64_t inclusive_key(struct symbols *symbols, struct object *object,
			      struct symtab_entry *entry)
{
	uint32_t shown = symtab_name(entry, &symbols->sources.texts) ? entry->shown : 0;

	return location_key(KEY_INCLUSIVE, object, object->is_jit ? shown : entry->name);
}

uint32_t location_of_inclusive_symbol(struct symbols *symbols, struct object *object,
				      struct symtab_entry *entry)
{
	uint64_t first = inclusive_key(symbols, object, entry);
	uint32_t id = location_find(symbols, first, entry->file);

	if (id != SYMBOLS_NONE)
		return id;
	uint32_t name =
		inclusive_name(symbols, function_location_name(symbols, object, entry->shown,
							       entry->name, entry->file));
	struct location_record location = {
		.shown = {.kind = TARGET_INCLUSIVE,
			  .object = object->id,
			  .name = interner_text(&symbols->sources.texts, name)},
		.file = entry->file,
		.function = entry->shown,
	};
	id = location_add(symbols, first, entry->file, &location);
	add_symbol_ranges(symbols, object, id, entry, NULL);
	return id;
}

uint32_t location_of_symbols(struct symbols *symbols, struct object *object, const char *name,
			     bool (*has)(const char *name))
{
	uint32_t shown = location_name_add(symbols, "%s", name);
	uint64_t first = location_key(KEY_INCLUSIVE, object, shown);
	uint32_t id = location_find(symbols, first, 0);

	if (id != SYMBOLS_NONE)
		return id;
	struct location_record location = {
		.shown = {.kind = TARGET_INCLUSIVE,
			  .object = object->id,
			  .name = interner_text(&symbols->sources.texts,
						inclusive_name(symbols, shown))},
		.function = shown,
	};
	id = location_add(symbols, first, 0, &location);
	for (size_t i = 0; i < object->symtab.count; i++) {
		const struct symtab_entry *entry = &object->symtab.items[i];
		if (has(interner_text(&symbols->sources.texts, entry->name)))
			add_symbol_ranges(symbols, object, id, entry, NULL);
	}
	return id;
}

/* Code between two offsets that no symbol covers. */
static void add_unnamed(struct symbols *symbols, struct object *object, uint32_t location,
			struct range range)
{
	const struct interval_map *intervals = &object->symtab.intervals;

	for (size_t i = interval_map_after(intervals, range.start);
	     i < intervals->count && intervals->items[i].start < range.end; i++) {
		location_add_range(symbols, location, range.start, intervals->items[i].start);
		range.start = intervals->items[i].end;
	}
	location_add_range(symbols, location, range.start, range.end);
}

uint32_t location_of_inclusive_unnamed(struct symbols *symbols, struct object *object,
				       struct range function)
{
	uint32_t shown = location_name_add(symbols, "%s+0x%llx", path_base(object->shown.path),
					   (unsigned long long)function.start);
	uint64_t first = location_key(KEY_INCLUSIVE, object, shown);
	uint32_t id = location_find(symbols, first, 0);

	if (id != SYMBOLS_NONE)
		return id;
	uint32_t name = inclusive_name(symbols, shown);
	struct location_record location = {
		.shown = {.kind = TARGET_INCLUSIVE,
			  .object = object->id,
			  .name = interner_text(&symbols->sources.texts, name)},
		.function = shown,
	};
	id = location_add(symbols, first, 0, &location);
	add_unnamed(symbols, object, id, function);
	return id;
}

uint32_t location_of_block(struct symbols *symbols, struct object *object, struct range block)
{
	uint64_t first = location_key(KEY_BLOCK, object, 0);
	uint32_t id = location_find(symbols, first, block.start);

	if (id != SYMBOLS_NONE)
		return id;
	uint32_t name = location_name_add(symbols, "%s+0x%llx", path_base(object->shown.path),
					  (unsigned long long)block.start);
	struct location_record location = {
		.shown = {.kind = TARGET_FUNCTION,
			  .object = object->id,
			  .name = interner_text(&symbols->sources.texts, name)},
	};
	id = location_add(symbols, first, block.start, &location);
	struct ranges code = {0};
	ranges_clip(&object->code, block.start, block.end, &code);
	for (size_t i = 0; i < code.count; i++)
		add_unnamed(symbols, object, id, code.items[i]);
	ranges_clear(&code);
	return id;
}

uint32_t location_of_import(struct symbols *symbols, const struct object *object, uint32_t name,
			    const struct object *library)
{
	struct interner *texts = &symbols->sources.texts;
	uint64_t first = location_key(KEY_BLOCK, object, name);
	uint32_t id = location_find(symbols, first, UINT64_MAX);
	struct location_record location = {
		.shown = {.kind = TARGET_FUNCTION,
			  .object = object->id,
			  .name = interner_text(texts, name)},
		.file = library ? interner_add(texts, library->shown.path) : 0,
		.function = name,
	};

	return id == SYMBOLS_NONE ? location_add(symbols, first, UINT64_MAX, &location) : id;
}

uint32_t location_of_synthetic(struct symbols *symbols, const struct object *object,
			       enum target_kind kind, uint64_t number, uint32_t name,
			       uint32_t description)
{
	uint64_t first = location_key(KEY_BLOCK, object, 0);
	uint32_t id = location_find(symbols, first, number);
	struct location_record location = {
		.shown = {.kind = kind,
			  .object = object->id,
			  .name = interner_text(&symbols->sources.texts, name)},
		.function = description,
	};

	return id == SYMBOLS_NONE ? location_add(symbols, first, number, &location) : id;
}

static void change_ranges(struct symbols *symbols, uint32_t location)
{
	struct location_record *changed = symbols->locations.items[location];

	changed->is_merged = false;
	if (changed->is_told)
		*array_add(&symbols->changed) = location;
	changed->is_told = false;
}

void location_add_range(struct symbols *symbols, uint32_t location, uint64_t start, uint64_t end)
{
	struct location_record *grown = symbols->locations.items[location];

	ranges_add(&grown->ranges, start, end);
	change_ranges(symbols, location);
}

void location_add_far_call(struct symbols *symbols, uint32_t location,
			   const struct symbols_address *call)
{
	*array_add(&symbols->locations.items[location]->calls) = *call;
	change_ranges(symbols, location);
}

void location_cut_range(struct symbols *symbols, uint32_t location, uint64_t start, uint64_t end)
{
	struct location_record *cut = symbols->locations.items[location];
	struct ranges left = {0}, away = {0};

	ranges_add(&away, start, end);
	for (size_t i = 0; i < cut->ranges.count; i++)
		ranges_cut(&away, cut->ranges.items[i].start, cut->ranges.items[i].end, &left);
	ranges_clear(&away);
	ranges_clear(&cut->ranges);
	cut->ranges = left;
	change_ranges(symbols, location);
}

void locations_move(struct symbols *symbols, struct object *object)
{
	for (size_t i = 0; i < symbols->locations.count; i++) {
		if (symbols->locations.items[i]->shown.object != object->id)
			continue;
		symbols->locations.items[i]->ranges.count = 0;
		change_ranges(symbols, (uint32_t)i);
	}
	for (size_t i = 0; i < object->symtab.intervals.count; i++) {
		const struct interval_map_entry *span = &object->symtab.intervals.items[i];
		struct symtab_entry *entry = &object->symtab.items[span->value];
		uint32_t location = location_of_known_symbol(symbols, object, entry);
		if (location != SYMBOLS_NONE)
			location_add_range(symbols, location, span->start, span->end);
		location =
			location_find(symbols, inclusive_key(symbols, object, entry), entry->file);
		if (location != SYMBOLS_NONE)
			location_add_range(symbols, location, span->start, span->end);
		if (entry->line)
			location = location_find_line(symbols, object, entry->source, entry->line);
		if (entry->line && location != SYMBOLS_NONE)
			location_add_range(symbols, location, span->start, span->end);
	}
}

void locations_clear(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->locations.count; i++) {
		ranges_clear(&symbols->locations.items[i]->ranges);
		array_free(&symbols->locations.items[i]->calls);
		free(symbols->locations.items[i]);
	}
	array_free(&symbols->locations);
	hash_map_clear(&symbols->location_ids);
}
