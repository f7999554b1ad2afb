/* SPDX-License-Identifier: BSD-2-Clause */
/* call_chains - keeps callers by thread, and looks each address up once. */
#include "experiment/target/call_chains.h"

#include "base/hash_map.h"
#include "base/memory.h"
#include "experiment/target/jit_maps.h"
#include "experiment/target/retry_code.h"
#include "symbolize/python.h"

#include <string.h>

#define THREADS 1024      /* a power of two; a thread in the slot of another replaces it */
#define FUNCTIONS_MOST 16 /* inlined at one address */

struct address_functions {
	uint32_t first, count; /* in `functions` */
	bool retries;          /* retry_code.h */
};

struct call_chains {
	struct symbols *symbols;
	struct jit_maps *jit_maps;
	struct retry_code *retries;
	struct kernel_callers *waiting; /* by thread; tid 0: none */
	struct hash_map addresses;      /* (object, offset) -> index in `known` */
	ARRAY(struct address_functions) known;
	ARRAY(uint32_t) functions;
	uint32_t found[CALL_CHAINS_FUNCTIONS_MOST];
	size_t found_count;
	uint32_t retry; /* location; SYMBOLS_NONE: none */
};

struct call_chains *call_chains_new(struct symbols *symbols, struct jit_maps *jit_maps)
{
	struct call_chains *chains = memory_new(1, sizeof(*chains));

	chains->symbols = symbols;
	chains->jit_maps = jit_maps;
	chains->retries = retry_code_new(symbols);
	chains->retry = SYMBOLS_NONE;
	chains->waiting = memory_new(THREADS, sizeof(*chains->waiting));
	return chains;
}

void call_chains_free(struct call_chains *chains)
{
	if (!chains)
		return;
	free(chains->waiting);
	retry_code_free(chains->retries);
	hash_map_clear(&chains->addresses);
	array_free(&chains->known);
	array_free(&chains->functions);
	free(chains);
}

void call_chains_on_callers(struct call_chains *chains, const struct kernel_callers *callers)
{
	struct kernel_callers *kept = &chains->waiting[callers->tid % THREADS];
	uint32_t count =
		callers->count < KERNEL_CALLERS_MOST ? callers->count : KERNEL_CALLERS_MOST;

	memcpy(kept, callers,
	       offsetof(struct kernel_callers, frames) + count * sizeof(*kept->frames));
	kept->count = count;
}

static void add(struct call_chains *chains, const uint32_t *locations, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool is_new = chains->found_count < CALL_CHAINS_FUNCTIONS_MOST;
		for (size_t j = 0; is_new && j < chains->found_count; j++)
			is_new = chains->found[j] != locations[i];
		if (is_new)
			chains->found[chains->found_count++] = locations[i];
	}
}

static struct address_functions look_up(struct call_chains *chains, uint32_t object,
					uint64_t offset)
{
	uint32_t locations[FUNCTIONS_MOST];
	struct address_functions result = {.first = (uint32_t)chains->functions.count};
	size_t count =
		symbols_functions_at(chains->symbols, object, offset, locations, FUNCTIONS_MOST);

	for (size_t i = 0; i < count; i++)
		*array_add(&chains->functions) = locations[i];
	result.count = (uint32_t)count;
	result.retries = count && retry_code_has(chains->retries, object, offset);
	return result;
}

static void add_address(struct call_chains *chains, uint32_t object, uint64_t offset)
{
	uint32_t known = hash_map_get(&chains->addresses, object, offset);

	if (known == HASH_MAP_NONE) {
		known = (uint32_t)chains->known.count;
		struct address_functions functions = look_up(chains, object, offset);
		*array_add(&chains->known) = functions;
		hash_map_set(&chains->addresses, object, offset, known);
	}
	struct address_functions functions = chains->known.items[known];
	if (functions.retries && chains->retry == SYMBOLS_NONE)
		chains->retry = chains->functions.items[functions.first];
	add(chains, chains->functions.items + functions.first, functions.count);
}

/* JIT maps grow: an address without a function may get one. */
static void add_jit_address(struct call_chains *chains, uint32_t tgid, uint64_t address)
{
	uint32_t object = jit_maps_object(chains->jit_maps, tgid);
	uint32_t locations[FUNCTIONS_MOST];

	if (object != SYMBOLS_NONE)
		add(chains, locations,
		    symbols_functions_at(chains->symbols, object, address, locations,
					 FUNCTIONS_MOST));
}

size_t call_chains_take(struct call_chains *chains, const struct wire_sample *sample,
			const uint32_t **locations)
{
	struct kernel_callers *kept = &chains->waiting[sample->tid % THREADS];

	chains->found_count = 0;
	chains->retry = SYMBOLS_NONE;
	*locations = chains->found;
	if (!(sample->flags & WIRE_SAMPLE_CALLERS) || kept->tid != sample->tid)
		return 0;
	for (uint32_t i = 0; i < kept->count; i++) {
		uint32_t object = kept->frames[i].object;
		if (object == WIRE_OBJECT_NO_FILE)
			add_jit_address(chains, kept->tgid, kept->frames[i].offset);
		else if (object == WIRE_OBJECT_PYTHON)
			add_address(chains, symbols_python_object(chains->symbols),
				    kept->frames[i].offset);
		else if (object != WIRE_OBJECT_UNKNOWN &&
			 object <= symbols_object_count(chains->symbols))
			add_address(chains, object - 1, kept->frames[i].offset);
	}
	kept->tid = 0;
	return chains->found_count;
}

uint32_t call_chains_retry(const struct call_chains *chains)
{
	return chains->retry;
}
