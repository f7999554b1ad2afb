/* SPDX-License-Identifier: BSD-2-Clause */
/* address_names - collects questions, and keeps the answers until they are written. */
#include "record/address_names.h"

void address_names_want(struct address_names *names, uint32_t object, uint64_t offset)
{
	if (hash_map_get(&names->ids, object, offset) != HASH_MAP_NONE ||
	    !name_sparing_asks(&names->sparing, object))
		return;
	hash_map_set(&names->ids, object, offset, (uint32_t)names->addresses.count);
	*array_add(&names->addresses) =
		(struct symbols_address){.object = object, .offset = offset};
}

void address_names_want_jumps(struct address_names *names, const struct symbols_address *call,
			      const struct symbols_address *callee)
{
	/* The search for a function that a jump leads to may read each file. */
	bool is_asked = !names->sparing.is_on;

	*array_add(&names->wanted) = is_asked;
	if (is_asked)
		*array_add(&names->calls) = (struct symbols_call){.call = *call, .callee = *callee};
}

void address_names_ask(struct address_names *names, struct symbols *symbols)
{
	names->jump_counts = memory_new(names->calls.count + 1, sizeof(*names->jump_counts));
	symbols_tail_calls_of(symbols, names->calls.items, names->calls.count, &names->jumps,
			      names->jump_counts);
	for (size_t i = 0; i < names->jumps.count; i++)
		address_names_want(names, names->jumps.items[i].object,
				   names->jumps.items[i].offset);
	names->locations = memory_new(names->addresses.count + 1, sizeof(*names->locations));
	symbols_locations_at(symbols, names->addresses.items, names->addresses.count,
			     names->locations);
}

uint32_t address_names_location(struct address_names *names, struct symbols *symbols,
				uint32_t object, uint64_t offset)
{
	uint32_t id = hash_map_get(&names->ids, object, offset);

	if (id != HASH_MAP_NONE)
		return names->locations[id];
	if (name_sparing_asks(&names->sparing, object))
		return symbols_location_at(symbols, object, offset);
	names->sparing.places++;
	return symbols_block_at(symbols, object, offset);
}

size_t address_names_next_jumps(struct address_names *names, const struct symbols_address **jumps)
{
	bool is_asked = names->jump_counts && names->wanted.items[names->next_wanted];
	size_t count = is_asked ? names->jump_counts[names->next_call] : 0;

	*jumps = names->jumps.items + names->next_jump;
	names->next_wanted++;
	names->next_call += is_asked;
	names->next_jump += count;
	return count;
}

void address_names_clear(struct address_names *names)
{
	array_free(&names->addresses);
	array_free(&names->calls);
	array_free(&names->wanted);
	array_free(&names->jumps);
	free(names->locations);
	free(names->jump_counts);
	hash_map_clear(&names->ids);
	*names = (struct address_names){.sparing = names->sparing};
}
