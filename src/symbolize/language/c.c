/* SPDX-License-Identifier: BSD-2-Clause */
/* c - names are plain; functions stand at the top of a unit. */
#include "symbolize/language/language.h"

#include <dwarf.h>
#include <stddef.h>

static const int codes[] = {DW_LANG_C, DW_LANG_C89, DW_LANG_C99, DW_LANG_C11, 0};

const struct language language_c = {.dwarf_codes = codes};
