/* SPDX-License-Identifier: BSD-2-Clause */
/* jit_location - makes the locations of lines of JIT code, and finds them by name. */
#include "symbolize/location/jit_location.h"

#include "base/path.h"

#include <string.h>

/* The runtime's own scripts, as "node:internal/util", are not the program. */
static bool is_of_runtime(const struct symbols *symbols, const char *source)
{
	return source && !strncmp(source, "node:", 5) && scope_is_default(symbols->sources.scope);
}

bool jit_is_in_scope(struct symbols *symbols, struct symtab_entry *entry)
{
	struct interner *texts = &symbols->sources.texts;

	symtab_name(entry, texts);
	return !is_of_runtime(symbols, interner_text(texts, entry->source)) &&
	       sources_in_scope(&symbols->sources, entry->source, entry->shown);
}

static uint32_t function_of(struct symbols *symbols, const struct symtab_entry *entry)
{
	uint32_t id = hash_map_get(&symbols->jit_functions, entry->name, entry->source);

	if (id != HASH_MAP_NONE)
		return id;
	id = (uint32_t)symbols->sources.functions.count;
	*array_add(&symbols->sources.functions) = (struct function){
		.name = entry->shown,
		.linker = entry->name,
		.alias = entry->shown,
		.file = entry->source,
	};
	hash_map_set(&symbols->jit_functions, entry->name, entry->source, id);
	return id;
}

static uint32_t line_of(struct symbols *symbols, struct object *object, struct symtab_entry *entry)
{
	uint32_t known = location_find_line(symbols, object, entry->source, entry->line);

	if (known != SYMBOLS_NONE)
		return known;
	symtab_name(entry, &symbols->sources.texts);
	uint32_t location = location_of_line(symbols, object, entry->source, entry->line,
					     function_of(symbols, entry));
	for (size_t i = 0; i < object->symtab.intervals.count; i++) {
		const struct interval_map_entry *span = &object->symtab.intervals.items[i];
		const struct symtab_entry *other = &object->symtab.items[span->value];
		if (other->line == entry->line && other->source == entry->source)
			location_add_range(symbols, location, span->start, span->end);
	}
	symbols->generation++;
	return location;
}

uint32_t jit_location(struct symbols *symbols, struct object *object, struct symtab_entry *entry)
{
	if (!jit_is_in_scope(symbols, entry))
		return SYMBOLS_NONE;
	if (entry->line && symbols->granularity == TARGET_LINE)
		return line_of(symbols, object, entry);
	return location_of_symbol(symbols, object, entry);
}

bool jit_find_line(struct symbols *symbols, const char *file, unsigned line, uint32_t *location)
{
	const struct interner *texts = &symbols->sources.texts;

	for (size_t i = 0; i < symbols->objects.count; i++) {
		struct object *object = symbols->objects.items[i];
		for (size_t j = 0; object->is_jit && j < object->symtab.count; j++) {
			struct symtab_entry *entry = &object->symtab.items[j];
			if (entry->line != line ||
			    !path_has_tail(interner_text(texts, entry->source), file))
				continue;
			*location = line_of(symbols, object, entry);
			return true;
		}
	}
	return false;
}
