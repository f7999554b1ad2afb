/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_map - the functions of code that a program makes at run time. */
#pragma once

#include "symbolize/object/object.h"

#include <stdio.h>

/* Adds them to the symbol table, in the order of the file, from object->jit on. */
void perf_map_read(struct object *object, struct interner *texts, FILE *file);
/*
 * Of the map beside a jitdump: adds the code that the jitdump does not tell yet. Runtimes write
 * both in one order, but the jitdump through a buffer.
 */
void perf_map_read_rest(struct object *object, struct interner *texts, FILE *file);
