/* SPDX-License-Identifier: BSD-2-Clause */
/* jit_maps - the jitdumps and perf maps of processes that run code without a file. */
#pragma once

#include "symbolize/symbols.h"

struct jit_maps;

struct jit_maps *jit_maps_new(struct symbols *symbols);
void jit_maps_free(struct jit_maps *maps);
/*
 * The location of code without a file, by what the process's map told last; SYMBOLS_NONE: none in
 * scope. Counts a sample, and looks for a map at the 16th, 32nd, ... of them: most processes with
 * such code have none. From the 128th on all of it is one function then, SYMBOLS_JIT_UNTOLD.
 */
uint32_t jit_maps_location(struct jit_maps *maps, uint32_t tgid, uint64_t address);
/*
 * Reads maps that have grown, as code is compiled all the time, but not more often than the costs
 * of that allow. False: there are none.
 */
bool jit_maps_refresh(struct jit_maps *maps);
/* The process's object, or SYMBOLS_NONE. */
uint32_t jit_maps_object(const struct jit_maps *maps, uint32_t tgid);
/* About files that are not read, a line each; NULL: none. */
const char *jit_maps_warnings(const struct jit_maps *maps);
bool jit_maps_has(const struct jit_maps *maps, uint32_t object);
