/* SPDX-License-Identifier: BSD-2-Clause */
/* patterns - functions by a glob. */
#pragma once

#include "symbolize/symbols.h"

/*
 * Whether a function of the program, or of the kernel, matches a glob (symbols_name_matches): 0, or
 * errors as symbols_find.
 */
int symbols_find_pattern(struct symbols *symbols, const char *glob, bool of_kernel,
			 struct error *error);
/*
 * Whether a glob matches a demangled name: whole, without parameters, template arguments or return
 * type, or the plain identifier alone.
 */
bool symbols_name_matches(const char *name, const char *glob);
