/* SPDX-License-Identifier: BSD-2-Clause */
/* places - asks symbolize, with every binary in scope. */
#include "trace/places.h"

#include "base/memory.h"
#include "base/own.h"
#include "symbolize/scope.h"
#include "symbolize/symbols.h"

#include <string.h>

struct places {
	struct scope *scope;
	struct symbols *symbols;
};

struct places *places_new(void)
{
	struct places *places = memory_new(1, sizeof(*places));

	places->scope = scope_new();
	scope_add(places->scope, "bin:*", true);
	places->symbols = symbols_new(TARGET_LINE, places->scope);
	return places;
}

void places_free(struct places *places)
{
	if (!places)
		return;
	symbols_free(places->symbols);
	scope_free(places->scope);
	free(places);
}

char *places_name(struct places *places, const char *name)
{
	static const char between[] = " at /";
	const char *at = strstr(name, between), *plus = strrchr(name, '+');
	uint64_t offset = 0;
	uint32_t object;
	int end = 0;

	if (!at || !plus || plus < at || sscanf(plus, "+0x%lx%n", &offset, &end) != 1 ||
	    plus[end] || !offset)
		return NULL;
	const char *path = at + strlen(between) - 1;
	AUTO(text) char *file = text_format("%.*s", (int)(plus - path), path);
	if (symbols_add_object(places->symbols, file, NULL, true, &object, NULL))
		return NULL;
	uint32_t place = symbols_place_at(places->symbols, object, offset - 1);
	const char *found = place != SYMBOLS_NONE ?
				    symbols_place(places->symbols, place)->name :
				    symbols_function_at(places->symbols, object, offset - 1);
	return text_format("%.*s at %s", (int)(at - name), name, found);
}
