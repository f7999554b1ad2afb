/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * python_code - the code objects of Python programs as one object of symbols: their lines and
 * functions are locations like those of compiled code.
 *
 * A function is named MODULE.QUALNAME, where the module is its file's name. Equal code under
 * several numbers, as of several processes, has the same locations.
 */
#pragma once

#include "symbolize/python.h"
#include "symbolize/search/query.h"

void python_free(struct python *python);
bool python_is(const struct symbols *symbols, const struct object *object);

uint32_t python_location_at(struct symbols *symbols, uint64_t offset);
/* "python+0x..." for a number that was not added. */
const char *python_function_at(struct symbols *symbols, uint64_t offset);
/* The function at the offset with all that it calls; SYMBOLS_NONE: out of scope or not known. */
uint32_t python_inclusive_at(struct symbols *symbols, uint64_t offset);
void python_scope_ranges(const struct symbols *symbols, struct ranges *result);

/* Could the query name Python code? Then it is not looked for elsewhere. */
bool python_is_named(const struct symbols *symbols, const struct query *query);
/* -ENOENT: no such code has run yet; -ENOTUNIQ: several functions or files have the name. */
int python_find(struct symbols *symbols, const struct query *query, uint32_t *location,
		struct error *error);
int python_find_inclusive(struct symbols *symbols, const struct query *query, uint32_t *location,
			  struct error *error);
