/* SPDX-License-Identifier: BSD-2-Clause */
/* location_names - looks addresses up with every binary in scope. */
#include "trace/location_names.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "symbolize/parser/start.h"
#include "symbolize/scope.h"
#include "symbolize/symbols.h"

#include <string.h>

struct location_names {
	struct scope *scope;
	struct symbols *symbols;
};

struct location_names *location_names_new(void)
{
	struct location_names *names = memory_new(1, sizeof(*names));

	names->scope = scope_new();
	scope_add(names->scope, "bin:*", true);
	names->symbols = symbols_start(TARGET_LINE, names->scope);
	return names;
}

void location_names_free(struct location_names *names)
{
	if (!names)
		return;
	symbols_free(names->symbols);
	scope_free(names->scope);
	free(names);
}

char *location_names_resolve(struct location_names *names, const char *name)
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
	if (symbols_add_object(names->symbols, file, NULL, true, &object, NULL))
		return NULL;
	uint32_t location = symbols_location_at(names->symbols, object, offset - 1);
	const char *found = location != SYMBOLS_NONE ?
				    symbols_location(names->symbols, location)->name :
				    symbols_function_at(names->symbols, object, offset - 1);
	return text_format("%.*s at %s", (int)(at - name), name, found);
}
