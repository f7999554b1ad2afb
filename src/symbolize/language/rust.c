/* SPDX-License-Identifier: BSD-2-Clause */
/* rust - names of both of its manglings, the older one ("_ZN...17h<hash>E") and v0 ("_R..."). */
#include "symbolize/language/demangle_buffer.h"
#include "symbolize/language/language.h"

#include <dwarf.h>

static char *demangle_rust(const char *linker_name)
{
	return linker_name[0] == '_' ? demangle_buffer_run(rust_demangle_callback, linker_name) :
				       NULL;
}

static const int codes[] = {DW_LANG_Rust, 0};

const struct language language_rust = {
	.demangle = demangle_rust,
	.dwarf_codes = codes,
	.types_hold_functions = true,
};
