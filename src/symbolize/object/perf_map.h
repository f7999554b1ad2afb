/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_map - the functions of code that a program makes at run time. */
#pragma once

#include "symbolize/object/object.h"

#include <stdio.h>

/* Adds them to the symbol table, in the order of the file. */
void perf_map_read(struct object *object, struct interner *texts, FILE *file);
