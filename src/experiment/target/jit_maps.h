/* SPDX-License-Identifier: BSD-2-Clause */
/* jit_maps - the jitdumps and perf maps of processes that run code without a file. */
#pragma once

#include "symbolize/symbols.h"

struct jit_maps;

struct jit_maps *jit_maps_new(struct symbols *symbols);
void jit_maps_free(struct jit_maps *maps);
/*
 * Counts a sample of the process in code without a file, and looks for its map at the 16th, 32nd,
 * ... of them: maps grow, and most such processes have none. Returns its object, or SYMBOLS_NONE.
 */
uint32_t jit_maps_sampled(struct jit_maps *maps, uint32_t tgid);
/* The same without counting. */
uint32_t jit_maps_object(const struct jit_maps *maps, uint32_t tgid);
/* About files that are not read, a line each; NULL: none. */
const char *jit_maps_warnings(const struct jit_maps *maps);
bool jit_maps_has(const struct jit_maps *maps, uint32_t object);
