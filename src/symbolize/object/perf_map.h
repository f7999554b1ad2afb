/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_map - the functions of code that a program makes at run time. */
#pragma once

#include "symbolize/object/object.h"

/* Reads object->shown.path into the symbol table if it changed; returns whether it did. */
bool perf_map_read(struct object *object, struct interner *texts);
