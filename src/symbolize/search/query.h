/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * query - the name of code that a user types, and the searches for it.
 *
 * A query is FILE:LINE, FUNCTION, or FILE:FUNCTION for one of several static functions of a name.
 */
#pragma once

#include "symbolize/dwarf/inline_tree.h"
#include "symbolize/internal.h"
#include "symbolize/language/demangle.h"

struct query {
	const char *text; /* as typed */
	char *file;       /* end of a path, or NULL */
	unsigned line;    /* 0: a function is meant */
	char *function;   /* or NULL */
	uint32_t only;    /* the object to search; SYMBOLS_NONE: all */
};

void query_parse(const char *text, struct query *query);
void query_clear(struct query *query);
bool query_has(const struct query *query, const struct object *object);

/* A matching function in a unit or symbol table. */
struct function_match {
	uint32_t object;
	uint32_t function; /* FUNCTION_NONE: it is a symbol */
	size_t symbol;     /* index in the symbol table */
	uint32_t unit;
	enum demangle_fit fit;
	bool is_inlined;
	uint64_t entry;     /* address; of a symbol: offset */
	struct ranges code; /* addresses; of a symbol: offsets */
};

struct function_matches {
	struct function_match *items;
	size_t count, capacity;
};

/* All copies of one function. -ENOENT, -ENXIO or -ENOTUNIQ as symbols_find. */
int search_function(struct symbols *symbols, const struct query *query,
		    struct function_matches *matches, struct error *error);
void function_matches_clear(struct function_matches *matches);

int search_line_location(struct symbols *symbols, const struct query *query, uint32_t *location,
			 struct error *error);
int search_line_addresses(struct symbols *symbols, const struct query *query,
			  struct symbols_addresses *addresses, struct error *error);
/* Adds the address of a breakpoint at or behind an offset unless it is in the list. */
void address_add(struct symbols_addresses *addresses, const struct object *object, uint64_t offset);
