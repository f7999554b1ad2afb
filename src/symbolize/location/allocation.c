/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * allocation - malloc, free and their like of one object as one function.
 *
 * A program calls them from everywhere, and each takes a part of what another allocator, or less
 * allocation, would save.
 */
#include "symbolize/internal.h"

#include <string.h>

static const char *const names[] = {
	"malloc",       "free",          "cfree",          "calloc",          "realloc",
	"reallocarray", "memalign",      "aligned_alloc",  "posix_memalign",  "__libc_malloc",
	"__libc_free",  "__libc_calloc", "__libc_realloc", "__libc_memalign", NULL};

bool allocation_has(const char *name)
{
	for (size_t i = 0; names[i]; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

uint32_t allocation_location(struct symbols *symbols, struct object *object)
{
	return location_of_symbols(symbols, object, SYMBOLS_ALLOCATION, allocation_has);
}

bool allocation_find(struct symbols *symbols, uint32_t *location)
{
	for (uint32_t i = 0; i < symbols->objects.count; i++) {
		struct object *object = symbols_open(symbols, i);
		const struct symtab *symtab = object_symtab(object, &symbols->sources.texts);
		for (size_t j = 0; j < symtab->count; j++)
			if (!strcmp(interner_text(&symbols->sources.texts, symtab->items[j].name),
				    "malloc")) {
				*location = allocation_location(symbols, object);
				return true;
			}
	}
	return false;
}
