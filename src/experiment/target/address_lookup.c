/* SPDX-License-Identifier: BSD-2-Clause */
/* address_lookup - keeps what was looked up until the symbols change. */
#include "experiment/target/address_lookup.h"

#include "base/memory.h"
#include "collect/collector.h"
#include "symbolize/batches.h"
#include "symbolize/python.h"

#include <string.h>

#define CACHE_SLOTS 4096

struct cached {
	uint32_t object, location;
	uint64_t offset;
};

struct address_lookup {
	struct symbols *symbols;
	struct jit_maps *jit_maps;
	struct cached cache[CACHE_SLOTS];
	uint64_t cache_generation;
};

struct address_lookup *address_lookup_new(struct symbols *symbols, struct jit_maps *jit_maps)
{
	struct address_lookup *lookup = memory_new(1, sizeof(*lookup));

	lookup->symbols = symbols;
	lookup->jit_maps = jit_maps;
	return lookup;
}

void address_lookup_free(struct address_lookup *lookup)
{
	free(lookup);
}

uint32_t address_lookup_object(const struct address_lookup *lookup, uint32_t kernel_object)
{
	return kernel_object == WIRE_OBJECT_PYTHON ? symbols_python_object(lookup->symbols) :
						     kernel_object - 1;
}

bool address_lookup_kernel(struct address_lookup *lookup, uint64_t address, uint32_t *object,
			   uint64_t *offset)
{
	symbols_refresh_kernel(lookup->symbols, address);
	return symbols_kernel_offset(lookup->symbols, address, object, offset);
}

static struct cached *slot_of(struct address_lookup *lookup, uint32_t kernel_object,
			      uint64_t address)
{
	if (lookup->cache_generation != symbols_generation(lookup->symbols)) {
		memset(lookup->cache, 0, sizeof(lookup->cache));
		lookup->cache_generation = symbols_generation(lookup->symbols);
	}
	return &lookup->cache[(address ^ address >> 12 ^ kernel_object * 2654435761u) %
			      CACHE_SLOTS];
}

/* Where sampled_code looks for the innermost location; false: not in a file. */
static bool address_of(const struct wire_sample *sample, struct symbols_address *address)
{
	bool is_leaf = sample->flags & WIRE_SAMPLE_NO_SCOPE;
	uint32_t object = is_leaf ? sample->leaf_object : sample->scope_object;

	address->object = object - 1;
	address->offset = is_leaf ? sample->leaf_offset : sample->scope_offset;
	return !(sample->flags & WIRE_SAMPLE_CHAIN) && object != WIRE_OBJECT_UNKNOWN &&
	       object != WIRE_OBJECT_NO_FILE && object != WIRE_OBJECT_KERNEL &&
	       object != WIRE_OBJECT_PYTHON;
}

void address_lookup_ahead(struct address_lookup *lookup, const struct wire_sample *const *samples,
			  size_t count)
{
	struct symbols_address *addresses = memory_new(count, sizeof(*addresses));
	uint32_t objects = symbols_object_count(lookup->symbols);
	size_t known = 0;

	for (size_t i = 0; i < count; i++)
		if (address_of(samples[i], &addresses[known]) && addresses[known].object < objects)
			known++;
	symbols_look_up_sampled(lookup->symbols, addresses, known);
	free(addresses);
}

uint32_t address_lookup_location(struct address_lookup *lookup, uint32_t tgid,
				 uint32_t kernel_object, uint64_t offset)
{
	if (kernel_object == WIRE_OBJECT_UNKNOWN)
		return SYMBOLS_NONE;
	if (kernel_object == WIRE_OBJECT_NO_FILE)
		return jit_maps_location(lookup->jit_maps, tgid, offset);
	uint32_t object = address_lookup_object(lookup, kernel_object);
	uint64_t address = offset;
	if (kernel_object == WIRE_OBJECT_KERNEL &&
	    !address_lookup_kernel(lookup, address, &object, &offset))
		return SYMBOLS_NONE;
	struct cached *slot = slot_of(lookup, kernel_object, address);
	if (slot->object != kernel_object || slot->offset != address) {
		slot->location = symbols_sampled_location(lookup->symbols, object, offset);
		slot->object = kernel_object;
		slot->offset = address;
	}
	return slot->location;
}
