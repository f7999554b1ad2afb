/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * batches - the questions of symbols.h about many addresses at once: one message to the parser and
 * one back, in place of two for each.
 */
#pragma once

#include "symbolize/symbols.h"

/* As symbols_location_at, of each: `locations` has room for `count`. */
void symbols_locations_at(struct symbols *symbols, const struct symbols_address *addresses,
			  size_t count, uint32_t *locations);

/* The block of code around it, by its address: no file is read. */
uint32_t symbols_block_at(struct symbols *symbols, uint32_t object, uint64_t offset);

/* As symbols_tail_location of symbols_location_at. */
uint32_t symbols_sampled_location(struct symbols *symbols, uint32_t object, uint64_t offset);
/* So that symbols_sampled_location of each needs no question: their number may be large. */
void symbols_look_up_sampled(struct symbols *symbols, const struct symbols_address *addresses,
			     size_t count);

struct symbols_call {
	struct symbols_address call, callee; /* as symbols_tail_calls has them */
};

/* As symbols_tail_calls, of each: all are appended to `between`, and `counts` has how many. */
void symbols_tail_calls_of(struct symbols *symbols, const struct symbols_call *calls, size_t count,
			   struct symbols_addresses *between, uint32_t *counts);
