/* SPDX-License-Identifier: BSD-2-Clause */
/* script_functions - places by a hash table, functions in the order in which they came. */
#include "symbolize/object/script_functions.h"

#include "base/memory.h"

#include <stdbool.h>

#define ANY_SOURCE 0
#define SEVERAL (UINT32_MAX - 1) /* functions have this place */

uint32_t script_functions_add(struct script_functions *functions, uint32_t source, uint32_t name,
			      uint64_t first)
{
	uint32_t known = hash_map_get(&functions->by_name, source, first);

	if (known != HASH_MAP_NONE)
		return known;
	known = (uint32_t)functions->count;
	*array_add(functions) = (struct script_function){.source = source,
							 .name = name,
							 .first = first,
							 .last = first};
	hash_map_set(&functions->by_name, source, first, known);
	return known;
}

void script_functions_add_place(struct script_functions *functions, uint32_t function,
				uint64_t place)
{
	struct script_function *one = &functions->items[function];
	uint32_t any = hash_map_get(&functions->by_place, ANY_SOURCE, place);

	if (place > one->last)
		one->last = place;
	hash_map_set(&functions->by_place, one->source, place, function);
	hash_map_set(&functions->by_place, ANY_SOURCE, place,
		     any == HASH_MAP_NONE || any == function ? function : SEVERAL);
}

static uint32_t around(const struct script_functions *functions, uint32_t source, uint64_t place)
{
	uint32_t found = SCRIPT_FUNCTIONS_NONE;

	for (uint32_t i = 0; i < functions->count; i++) {
		const struct script_function *one = &functions->items[i];
		bool holds = one->source == source && one->first <= place && place <= one->last;
		if (holds &&
		    (found == SCRIPT_FUNCTIONS_NONE || one->first > functions->items[found].first))
			found = i;
	}
	return found;
}

uint32_t script_functions_at(const struct script_functions *functions, uint32_t source,
			     uint64_t place)
{
	uint32_t exact = hash_map_get(&functions->by_place, source, place);

	if (exact != HASH_MAP_NONE)
		return exact;
	exact = hash_map_get(&functions->by_place, ANY_SOURCE, place);
	return exact < SEVERAL ? exact : around(functions, source, place);
}

void script_functions_clear(struct script_functions *functions)
{
	array_free(functions);
	hash_map_clear(&functions->by_name);
	hash_map_clear(&functions->by_place);
}
