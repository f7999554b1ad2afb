/* SPDX-License-Identifier: BSD-2-Clause */
/* place - makes each place once and keeps the ranges that are attributed to it. */
#include "symbolize/catalog.h"
#include "symbolize/name.h"
#include "symbolize/path.h"

#define BLOCK_BYTES 4096

enum place_key { KEY_LINE, KEY_FUNCTION, KEY_BLOCK };

static uint64_t place_key(enum place_key kind, const struct object *object, uint32_t text)
{
	return (uint64_t)kind << 62 | (uint64_t)object->id << 32 | text;
}

static uint32_t place_find(const struct symbols *symbols, uint64_t first, uint64_t second)
{
	uint32_t id = map_get(&symbols->place_ids, first, second);
	return id == MAP_NONE ? SYMBOLS_NONE : id;
}

/* `shown` has everything but the texts of file and function. */
static uint32_t place_add(struct symbols *symbols, uint64_t first, uint64_t second,
			  const struct place *content)
{
	struct place *place = memory_new(1, sizeof(*place));
	uint32_t id = (uint32_t)symbols->places.count;

	*place = *content;
	place->is_merged = true;
	place->shown.file = texts_get(&symbols->texts, place->file);
	place->shown.function = texts_get(&symbols->texts, place->function);
	*array_add(&symbols->places) = place;
	map_set(&symbols->place_ids, first, second, id);
	return id;
}

uint32_t place_of_line(struct symbols *symbols, struct object *object, uint32_t file, unsigned line,
		       uint32_t function)
{
	uint64_t first = place_key(KEY_LINE, object, file);
	uint32_t id = place_find(symbols, first, line);

	if (id != SYMBOLS_NONE)
		return id;
	uint32_t name = name_add(symbols, "%s:%u", name_of_file(symbols, file), line);
	struct place place = {
		.shown = {.kind = TARGET_LINE,
			  .object = object->id,
			  .name = texts_get(&symbols->texts, name),
			  .line = line},
		.file = file,
	};
	place.function = function_name(symbols, function);
	return place_add(symbols, first, line, &place);
}

/* Do other files have a function of this name? Only then its file is part of what it is called. */
static bool has_twin(struct symbols *symbols, struct object *object, uint32_t linker_name)
{
	const struct symtab *symtab = object_symtab(object, &symbols->texts);
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

static uint32_t function_place_name(struct symbols *symbols, struct object *object, uint32_t shown,
				    uint32_t linker_name, uint32_t file)
{
	if (object->is_kernel)
		return name_add(symbols, "kernel:%s", texts_get(&symbols->texts, shown));
	if (!file || !has_twin(symbols, object, linker_name))
		return shown;
	return name_add(symbols, "%s:%s", name_of_file(symbols, file),
			texts_get(&symbols->texts, shown));
}

uint32_t place_of_function(struct symbols *symbols, struct object *object, uint32_t function)
{
	function_name(symbols, function);
	const struct function copy = symbols->functions.items[function];
	uint64_t first = place_key(KEY_FUNCTION, object, copy.name);
	uint64_t second = copy.is_external ? 0 : copy.file;
	uint32_t id = place_find(symbols, first, second);

	if (id != SYMBOLS_NONE)
		return id;
	uint32_t name =
		function_place_name(symbols, object, copy.name, copy.linker, (uint32_t)second);
	struct place place = {
		.shown = {.kind = TARGET_FUNCTION,
			  .object = object->id,
			  .name = texts_get(&symbols->texts, name),
			  .line = copy.line},
		.file = copy.file,
		.function = copy.name,
	};
	return place_add(symbols, first, second, &place);
}

uint32_t place_of_known_symbol(struct symbols *symbols, struct object *object,
			       struct symtab_entry *entry)
{
	symtab_name(entry, &symbols->texts);
	return place_find(symbols, place_key(KEY_FUNCTION, object, entry->shown), entry->file);
}

uint32_t place_of_symbol(struct symbols *symbols, struct object *object, struct symtab_entry *entry)
{
	uint32_t id = place_of_known_symbol(symbols, object, entry);

	if (id != SYMBOLS_NONE)
		return id;
	uint32_t name =
		function_place_name(symbols, object, entry->shown, entry->name, entry->file);
	struct place place = {
		.shown = {.kind = TARGET_FUNCTION,
			  .object = object->id,
			  .name = texts_get(&symbols->texts, name)},
		.file = entry->file,
		.function = entry->shown,
	};
	id = place_add(symbols, place_key(KEY_FUNCTION, object, entry->shown), entry->file, &place);
	if (units_read(object)->count)
		return id; /* attribution gives the ranges */
	for (size_t i = 0; i < object->symtab.cover.count; i++) {
		const struct cover_span *span = &object->symtab.cover.items[i];
		const struct symtab_entry *other = &object->symtab.items[span->value];
		if (other->name == entry->name && other->file == entry->file)
			place_add_range(symbols, id, span->start, span->end);
	}
	return id;
}

/* Code between two offsets that no symbol covers. */
static void add_unnamed(struct symbols *symbols, struct object *object, uint32_t place,
			struct symbols_range range)
{
	const struct cover *cover = &object->symtab.cover;

	for (size_t i = cover_after(cover, range.start);
	     i < cover->count && cover->items[i].start < range.end; i++) {
		place_add_range(symbols, place, range.start, cover->items[i].start);
		range.start = cover->items[i].end;
	}
	place_add_range(symbols, place, range.start, range.end);
}

uint32_t place_of_block(struct symbols *symbols, struct object *object, uint64_t offset)
{
	uint64_t block = offset / BLOCK_BYTES, start = block * BLOCK_BYTES;
	uint64_t first = place_key(KEY_BLOCK, object, 0);
	uint32_t id = place_find(symbols, first, block);

	if (id != SYMBOLS_NONE)
		return id;
	uint32_t name = name_add(symbols, "%s+0x%llx", path_base(object->shown.path),
				 (unsigned long long)start);
	struct place place = {
		.shown = {.kind = TARGET_FUNCTION,
			  .object = object->id,
			  .name = texts_get(&symbols->texts, name)},
	};
	id = place_add(symbols, first, block, &place);
	struct ranges code = {0};
	ranges_clip(&object->code, start, start + BLOCK_BYTES, &code);
	for (size_t i = 0; i < code.count; i++)
		add_unnamed(symbols, object, id, code.items[i]);
	ranges_clear(&code);
	return id;
}

uint32_t place_of_activity(struct symbols *symbols, const struct object *object,
			   enum target_kind kind, uint64_t number, uint32_t shown, uint32_t words,
			   bool *is_new)
{
	uint64_t first = place_key(KEY_BLOCK, object, 0);
	uint32_t id = place_find(symbols, first, number);
	struct place place = {
		.shown = {.kind = kind,
			  .object = object->id,
			  .name = texts_get(&symbols->texts, shown)},
		.function = words,
	};

	if (is_new)
		*is_new = id == SYMBOLS_NONE;
	return id == SYMBOLS_NONE ? place_add(symbols, first, number, &place) : id;
}

void place_add_range(struct symbols *symbols, uint32_t place, uint64_t start, uint64_t end)
{
	struct place *grown = symbols->places.items[place];

	ranges_add(&grown->ranges, start, end);
	grown->is_merged = false;
}

void places_move(struct symbols *symbols, struct object *object)
{
	for (size_t i = 0; i < symbols->places.count; i++) {
		if (symbols->places.items[i]->shown.object == object->id)
			symbols->places.items[i]->ranges.count = 0;
	}
	for (size_t i = 0; i < object->symtab.cover.count; i++) {
		const struct cover_span *span = &object->symtab.cover.items[i];
		struct symtab_entry *entry = &object->symtab.items[span->value];
		uint32_t place = place_of_known_symbol(symbols, object, entry);
		if (place != SYMBOLS_NONE)
			place_add_range(symbols, place, span->start, span->end);
	}
}

void places_clear(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->places.count; i++) {
		ranges_clear(&symbols->places.items[i]->ranges);
		free(symbols->places.items[i]);
	}
	array_free(&symbols->places);
	map_clear(&symbols->place_ids);
}
