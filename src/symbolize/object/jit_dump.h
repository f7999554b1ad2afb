/* SPDX-License-Identifier: BSD-2-Clause */
/* jit_dump - the functions and lines of code that a program makes at run time (wire/jit_dump.h). */
#pragma once

#include "symbolize/object/object.h"

#include <stdio.h>

/*
 * Adds the code, and then its lines, to the symbol table, in the order of the file. An unfinished
 * record at its end is left out.
 */
void jit_dump_read(struct object *object, struct interner *texts, FILE *file);
