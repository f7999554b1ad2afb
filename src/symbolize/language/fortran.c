/* SPDX-License-Identifier: BSD-2-Clause */
/* fortran - names of procedures in modules, as gfortran writes them ("__work_MOD_first"). */
#include "base/memory.h"
#include "symbolize/language/language.h"

#include <dwarf.h>
#include <string.h>

static char *demangle_fortran(const char *linker_name)
{
	const char *mark = strstr(linker_name, "_MOD_");

	if (strncmp(linker_name, "__", 2) || !mark || mark <= linker_name + 2 || !mark[5])
		return NULL;
	return text_format("%.*s::%s", (int)(mark - linker_name - 2), linker_name + 2, mark + 5);
}

static const int codes[] = {DW_LANG_Fortran77, DW_LANG_Fortran90, DW_LANG_Fortran95,
			    DW_LANG_Fortran03, DW_LANG_Fortran08, 0};

const struct language language_fortran = {
	.demangle = demangle_fortran,
	.dwarf_codes = codes,
	.types_hold_functions = true,
};
