/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * language - the differences between source languages, one file and one row of a table each.
 *
 * Linker names of languages without a row are shown as they are.
 */
#pragma once

#include <stdbool.h>

struct language {
	/*
	 * The demangled name, to be freed; NULL if it is of another language. Not set: plain
	 * names.
	 */
	char *(*demangle)(const char *linker_name);
	const int *dwarf_codes;    /* its DW_LANG_* codes, ended by 0 */
	bool types_hold_functions; /* do debug entries of types contain functions with code? */
};

/* By the first language that knows the name; NULL if none does. The caller frees it. */
char *language_demangle(const char *linker_name);
/* Of the language with this DW_LANG_* code; true for unknown languages. */
bool language_types_hold_functions(int dwarf_code);
