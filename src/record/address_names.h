/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * address_names - what is to be written next, asked for at once: locations of addresses, and
 * functions that ended in a jump. Questions one by one took a third of the time of recorder and
 * parser.
 */
#pragma once

#include "base/hash_map.h"
#include "base/memory.h"
#include "record/name_sparing.h"
#include "symbolize/batches.h"

struct address_names {
	ARRAY(struct symbols_address) addresses;
	ARRAY(struct symbols_call) calls;
	ARRAY(bool) wanted;                /* for each wanted call: it is one of `calls` */
	uint32_t *locations, *jump_counts; /* of each; NULL: not asked yet */
	struct symbols_addresses jumps;
	struct hash_map ids; /* (object, offset) -> index of addresses */
	size_t next_wanted, next_call, next_jump;
	struct name_sparing sparing; /* stays when the rest is cleared */
};

/* Of symbols. Each once. */
void address_names_want(struct address_names *names, uint32_t object, uint64_t offset);
void address_names_want_jumps(struct address_names *names, const struct symbols_address *call,
			      const struct symbols_address *callee);
void address_names_ask(struct address_names *names, struct symbols *symbols);

/* Asks for one that was not wanted; where that is spared, the block of code around it. */
uint32_t address_names_location(struct address_names *names, struct symbols *symbols,
				uint32_t object, uint64_t offset);
/* Of the calls in the order in which they were wanted. Borrowed. */
size_t address_names_next_jumps(struct address_names *names, const struct symbols_address **jumps);
void address_names_clear(struct address_names *names);
