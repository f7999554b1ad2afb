/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * far_calls - calls by which other files enter a function with all that it calls (an inclusive
 * location), if a jump may leave it: who returns to such a call came through the function.
 */
#pragma once

#include "symbolize/symbols.h"

/* Those looked up by symbols_functions_at so far, each by its last byte. Their number. */
size_t symbols_far_calls(struct symbols *symbols, uint32_t location,
			 const struct symbols_address **calls);
/*
 * Where the location's function goes by a jump at its end, for a sentence: "inner or flush", or
 * "where a pointer says". NULL: it does not end so. To be freed.
 */
char *symbols_jumps_to(struct symbols *symbols, uint32_t location);
