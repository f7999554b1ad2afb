/* SPDX-License-Identifier: BSD-2-Clause */
/* variables - names of global and static variables. */
#pragma once

#include "symbolize/symbols.h"

/*
 * The variable or member at an offset in the object's data, where the data beyond the file's
 * content (.bss) goes on: "table.shards[3].lock"; without debug information "table+0x40". NULL: no
 * symbol has it. To be freed.
 */
char *symbols_variable_at(struct symbols *symbols, uint32_t object, uint64_t offset);
