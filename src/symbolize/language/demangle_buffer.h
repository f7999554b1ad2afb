/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demangle_buffer - joins the parts that libiberty's demanglers return.
 *
 * Of libiberty only cp-demangle.o and rust-demangle.o are linked (through their callback forms).
 * Both carry the exception that allows to link them into anything ("unlimited permission to link
 * the compiled version of this file into combinations with other programs, and to distribute
 * those combinations without any restriction"). Neither allocates; both bound their recursion, but
 * not their work: a name of 300 bytes can stand for 2^40.
 */
#pragma once

#include <libiberty/demangle.h>

typedef int demangle_function(const char *name, int options, demangle_callbackref append,
			      void *context);

/* The readable name, to be freed; NULL if it was not understood, is empty or too long. */
char *demangle_buffer_run(demangle_function *demangle, const char *name);
