/* SPDX-License-Identifier: BSD-2-Clause */
/* location_name - groups source files by base name, and compares paths in a group. */
#include "symbolize/location/location_name.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "symbolize/dwarf/file_table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Keys of `basenames`: (base name, 0) -> index of the group, (file, 1) -> file is in a group. */
static struct basename_group *basename_group_of(struct symbols *symbols, uint32_t file)
{
	const char *base = path_base(interner_text(&symbols->sources.texts, file));
	uint32_t text = interner_add(&symbols->sources.texts, base);
	uint32_t id = hash_map_get(&symbols->basenames, text, 0);

	if (id == HASH_MAP_NONE) {
		id = (uint32_t)symbols->basename_groups.count;
		(void)array_add(&symbols->basename_groups);
		hash_map_set(&symbols->basenames, text, 0, id);
	}
	return &symbols->basename_groups.items[id];
}

static void add_file(struct symbols *symbols, uint32_t file)
{
	if (hash_map_get(&symbols->basenames, file, 1) != HASH_MAP_NONE)
		return;
	hash_map_set(&symbols->basenames, file, 1, 1);
	struct basename_group *basename_group = basename_group_of(symbols, file);
	*array_add(&basename_group->files) = file;
}

static void add_files_of(struct symbols *symbols, struct object *object)
{
	if (!object->shown.in_scope || !object->shown.has_lines)
		return;
	units_read_file_tables(&symbols->sources, object);
	for (size_t i = 0; i < object->units->count; i++) {
		const struct unit *unit = &object->units->items[i];
		for (size_t j = 0; j < unit->file_count; j++)
			add_file(symbols, unit->files[j]);
	}
}

static bool is_shared(const struct symbols *symbols, const struct basename_group *basename_group,
		      uint32_t file, const char *tail)
{
	for (size_t i = 0; i < basename_group->files.count; i++) {
		uint32_t other = basename_group->files.items[i];
		if (other != file &&
		    path_has_tail(interner_text(&symbols->sources.texts, other), tail))
			return true;
	}
	return false;
}

const char *location_name_of_file(struct symbols *symbols, uint32_t file)
{
	const char *path = interner_text(&symbols->sources.texts, file);

	for (; symbols->named_objects < symbols->objects.count; symbols->named_objects++)
		add_files_of(symbols, symbols->objects.items[symbols->named_objects]);
	if (!path)
		return "?";
	add_file(symbols, file);
	const struct basename_group *basename_group = basename_group_of(symbols, file);
	for (unsigned components = 1;; components++) {
		const char *tail = path_tail(path, components);
		if (tail == path || !is_shared(symbols, basename_group, file, tail))
			return tail;
	}
}

uint32_t location_name_add(struct symbols *symbols, const char *format, ...)
{
	AUTO(text) char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	int length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		text = NULL;
	return interner_add(&symbols->sources.texts, text ? text : "?");
}

void location_names_clear(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->basename_groups.count; i++)
		array_free(&symbols->basename_groups.items[i].files);
	array_free(&symbols->basename_groups);
	hash_map_clear(&symbols->basenames);
}
