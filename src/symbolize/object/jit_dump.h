/* SPDX-License-Identifier: BSD-2-Clause */
/* jit_dump - the functions and lines of code that a program makes at run time (wire/jit_dump.h). */
#pragma once

#include "symbolize/object/object.h"

#include <stdio.h>

/*
 * Adds the code, and then its lines, to the symbol table, in the order of the file, from
 * object->jit on. Of an unfinished record at its end the name counts if it is there, as V8 writes
 * the rest with what it compiles next.
 */
void jit_dump_read(struct object *object, struct interner *texts, FILE *file);
/* Code that another file tells: adds its lines, if they are the last that the jitdump has. */
struct script_name;
void jit_dump_add_lines(struct object *object, struct interner *texts,
			const struct symtab_entry *whole, const struct script_name *script);
