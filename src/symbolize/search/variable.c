/* SPDX-License-Identifier: BSD-2-Clause */
/* variable - the variable at an address by the symbol table, its member by debug information. */
#include "symbolize/variables.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/text.h"
#include "symbolize/dwarf/member_path.h"
#include "symbolize/internal.h"
#include "symbolize/language/demangle.h"
#include "symbolize/parser/parser.h"

#include <string.h>

/* "lock" for "lock.0", a static variable of a function. */
static char *plain_name(const char *name)
{
	AUTO(text) char *stem = text_copy(name);
	char *dot = strrchr(stem + (stem[0] == '.'), '.');

	if (dot && dot[1] && dot[1 + strspn(dot + 1, "0123456789")] == '\0')
		*dot = '\0';
	return demangle(stem);
}

/*
 * CPython keeps the lock of its main interpreter in this variable. Its other locks that are futexes
 * lie on the heap and on stacks, so an address in here is of the lock, its condition or the request
 * to release it.
 */
static bool is_interpreter_lock(const struct variable *variable)
{
	return !strcmp(variable->name, "_PyRuntime");
}

char *symbols_variable_at(struct symbols *symbols, uint32_t object, uint64_t offset)
{
	if (symbols->parser)
		return parser_variable_at(symbols->parser, object, offset);
	struct object *at = symbols_open(symbols, object);
	uint64_t address;
	if (!object_data_address(at, offset, &address))
		return NULL;
	const struct variable *variable = object_variable(at, address);
	if (!variable)
		return NULL;
	if (is_interpreter_lock(variable))
		return text_format("GIL of %s", path_base(symbols_object(symbols, object)->path));
	uint64_t inside = address - variable->address;
	AUTO(text) char *name = plain_name(variable->name);
	AUTO(text) char *base = demangle_base(name);
	AUTO(text) char *path = member_path(at, base, variable->address, inside);
	if (!path && inside)
		return text_format("%s+0x%llx", name, (unsigned long long)inside);
	return text_format("%s%s", name, path ? path : "");
}
