/* SPDX-License-Identifier: BSD-2-Clause */
/* cplusplus - names of the Itanium C++ ABI. */
#include "symbolize/language/demangle_buffer.h"
#include "symbolize/language/language.h"

#include <dwarf.h>

static char *demangle_itanium(const char *linker_name)
{
	return linker_name[0] == '_' ?
		       demangle_buffer_run(cplus_demangle_v3_callback, linker_name) :
		       NULL;
}

static const int codes[] = {DW_LANG_C_plus_plus, DW_LANG_C_plus_plus_03, DW_LANG_C_plus_plus_11,
			    DW_LANG_C_plus_plus_14, 0};

const struct language language_cplusplus = {
	.demangle = demangle_itanium,
	.dwarf_codes = codes,
};
