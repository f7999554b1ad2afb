/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sources - functions and source files of debug information, and whether they are in scope.
 *
 * Texts (paths, names) are numbers of `texts`; 0 is unknown.
 */
#pragma once

#include "base/hash_map.h"
#include "base/interner.h"
#include "symbolize/scope.h"

#include <elfutils/libdw.h>

#define FUNCTION_NONE UINT32_MAX

/* A source function, whatever copies of it there are. */
struct function {
	uint32_t name;   /* demangled; 0 until sources_function_name asks for it */
	uint32_t linker; /* linker name, or the plain one if there is none */
	uint32_t alias;  /* a better name that its address has, too; 0 until it was looked for */
	uint32_t file;   /* where it is declared */
	unsigned line;
	bool is_external; /* else another file's function may have the same name */
};

struct sources {
	const struct scope *scope;
	struct interner texts;
	ARRAY(struct function) functions;
	struct hash_map function_ids;    /* address of the debug entry in memory -> function */
	struct hash_map file_ids;        /* address of a path in libdw's memory -> text */
	struct hash_map scope_decisions; /* (file, function name) -> in scope? */
};

bool sources_in_scope(struct sources *sources, uint32_t file, uint32_t function);
/* A path of libdw's, made absolute with the directory of its unit. */
uint32_t sources_file(struct sources *sources, Dwarf_Die *unit_die, const char *path);
/* The file of an entry's attribute (DW_AT_decl_file, DW_AT_call_file), or 0. */
uint32_t sources_file_of(struct sources *sources, Dwarf_Die *die, unsigned attribute_name);
/* The function of a DW_TAG_subprogram or DW_TAG_inlined_subroutine, or FUNCTION_NONE. */
uint32_t sources_function(struct sources *sources, Dwarf_Die *die);
uint32_t sources_function_name(struct sources *sources, uint32_t function); /* text; of none: 0 */
/* Before debug information is closed: other one may get its addresses in memory. */
void sources_forget_addresses(struct sources *sources);
void sources_clear(struct sources *sources);
