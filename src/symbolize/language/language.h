/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * language - what differs between source languages: one file and one row of a table for each.
 *
 * A language that has no row is treated as one whose linker names are plain.
 */
#pragma once

#include <stdbool.h>

struct language {
	/* The linker name as the language's users write it, to be freed; NULL: not one of its names. */
	char *(*demangle)(const char *linker_name); /* or NULL: names are plain */
	const int *dwarf_codes;                     /* its DW_LANG_* codes, ended by 0 */
	bool types_hold_functions; /* are functions with code found inside debug entries of types? */
};

/* By the first language that takes the name for one of its own; NULL if none does. Free it. */
char *language_demangle(const char *linker_name);
/* For a unit of this DW_LANG_* code. True if the language is unknown. */
bool language_types_hold_functions(int dwarf_code);
