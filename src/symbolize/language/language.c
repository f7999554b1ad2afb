/* SPDX-License-Identifier: BSD-2-Clause */
/* language - the table of languages. */
#include "symbolize/language/language.h"

#include <stddef.h>

/* In the order of demangling: Rust's old names are also valid C++ names. */
/* clang-format off */
#define LANGUAGES(row) \
	row(c) \
	row(rust) \
	row(fortran) \
	row(cplusplus)
/* clang-format on */

#define DECLARE(noun) extern const struct language language_##noun;
#define ADDRESS(noun) &language_##noun,

LANGUAGES(DECLARE)
static const struct language *const languages[] = {LANGUAGES(ADDRESS)};

#define LANGUAGE_COUNT (sizeof(languages) / sizeof(*languages))

char *language_demangle(const char *linker_name)
{
	char *name = NULL;

	for (size_t i = 0; i < LANGUAGE_COUNT && !name; i++)
		if (languages[i]->demangle)
			name = languages[i]->demangle(linker_name);
	return name;
}

bool language_types_hold_functions(int dwarf_code)
{
	for (size_t i = 0; i < LANGUAGE_COUNT; i++)
		for (const int *code = languages[i]->dwarf_codes; *code; code++)
			if (*code == dwarf_code)
				return languages[i]->types_hold_functions;
	return true;
}
