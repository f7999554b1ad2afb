/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demangle - linker names of C++ and Rust as their users write them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Never NULL: a name that is not mangled is copied. Clone suffixes (".cold") are dropped. Free it. */
char *demangle(const char *name);
/*
 * Length of the name without what the compiler hung on a part or a copy of the function: ".cold",
 * ".part.3", ".constprop.0", ".isra.1", ".lto_priv.0", ".llvm.123".
 */
size_t demangle_stem(const char *name);

/* How well a demangled name fits what a user typed; 0: not at all, more is better. */
enum demangle_fit { FIT_NONE, FIT_BASE, FIT_TAIL, FIT_NO_TEMPLATE, FIT_NO_PARAMETERS, FIT_EXACT };
enum demangle_fit demangle_fits(const char *name, const char *wanted);
/* The plain identifier in a name: "ns::list<int>::push(int)" gives "push". Free it. */
char *demangle_base(const char *name);
