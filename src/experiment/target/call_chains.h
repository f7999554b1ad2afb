/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * call_chains - the functions that sampled call chains went through, as inclusive locations.
 *
 * One of CALL_CHAINS_ONE_OF samples comes with its callers, so such a sample counts for so many.
 */
#pragma once

#include "experiment/target/target_kinds.h"

#define CALL_CHAINS_ONE_OF 8
#define CALL_CHAINS_FUNCTIONS_MOST 64 /* of one chain */

struct call_chains;

struct call_chains *call_chains_new(struct symbols *symbols, struct jit_maps *jit_maps);
void call_chains_free(struct call_chains *chains);
/* For collector_handler: keeps the callers until their sample comes. */
void call_chains_on_callers(struct call_chains *chains, const struct kernel_callers *callers);
/*
 * The locations of the functions of this sample's chain, each once, innermost first; their number,
 * 0 if its callers did not come. Borrowed until the next call.
 */
size_t call_chains_take(struct call_chains *chains, const struct wire_sample *sample,
			const uint32_t **locations);
/*
 * Of the chain that was taken last: the innermost function that is in a loop that retries;
 * SYMBOLS_NONE: none.
 */
uint32_t call_chains_retry(const struct call_chains *chains);
