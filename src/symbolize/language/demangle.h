/* SPDX-License-Identifier: BSD-2-Clause */
/* demangle - linker names as the users of their languages write them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * A lambda that has no name of its linker is "main::{lambda:20}", by the function around it and the
 * line (dwarf/sources.c).
 */
#define LAMBDA_BY_LINE "{lambda:"

/* Never NULL: other names are copied. Drops clone suffixes (".cold"). The caller frees it. */
char *demangle(const char *name);
/*
 * Length of the name without the compiler's suffix for a part or clone of a function: ".cold",
 * ".part.3", ".constprop.0", ".isra.1", ".lto_priv.0", ".llvm.123".
 */
size_t demangle_stem(const char *name);

/*
 * How well a demangled name matches a typed one; 0: not at all, more is better. FIT_ASYNC: it is
 * the first closure of such a function, as Rust names the body of an async function.
 */
enum demangle_fit {
	FIT_NONE,
	FIT_ASYNC,
	FIT_BASE,
	FIT_TAIL,
	FIT_NO_TEMPLATE,
	FIT_NO_PARAMETERS,
	FIT_EXACT
};
enum demangle_fit demangle_fits(const char *name, const char *wanted);
/* Without parameters, template arguments and return type: "ns::list::push". Free it. */
char *demangle_plain(const char *name);
/* The plain identifier in a name: "ns::list<int>::push(int)" gives "push". Free it. */
char *demangle_base(const char *name);
/*
 * Whether a glob (fnmatch) matches the demangled name: whole, without its parameters, template
 * arguments or return type, or the plain identifier alone.
 */
bool demangle_matches_glob(const char *name, const char *glob);
