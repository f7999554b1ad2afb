/* SPDX-License-Identifier: BSD-2-Clause */
/* retry_code - retry loops of ELF files (spin/retry_loops.h). */
#pragma once

#include "symbolize/symbols.h"

/*
 * Of the function at the offset: appends the loops' code. False: no function is known there, or the
 * code is not x86-64's. Without Zydis no loops are found.
 */
bool symbols_retry_loops(struct symbols *symbols, uint32_t object, uint64_t offset,
			 struct range *function, struct ranges *loops);
