/* SPDX-License-Identifier: BSD-2-Clause */
/* jit_location - lines of code that a program makes at run time, where its runtime tells them. */
#pragma once

#include "symbolize/internal.h"

/* The line of a symbol of JIT code, or its function; SYMBOLS_NONE: it is out of scope. */
uint32_t jit_location(struct symbols *symbols, struct object *object, struct symtab_entry *entry);
bool jit_is_in_scope(struct symbols *symbols, struct symtab_entry *entry);
/* A line of JIT code by the end of its file's path; false: no code of it is known. */
bool jit_find_line(struct symbols *symbols, const char *file, unsigned line, uint32_t *location);
