/* SPDX-License-Identifier: BSD-2-Clause */
/* address_lookup - the locations of sampled addresses, by the collector's numbers of objects. */
#pragma once

#include "experiment/target/jit_maps.h"
#include "symbolize/symbols.h"

struct address_lookup;
struct wire_sample;

/* Borrows both. */
struct address_lookup *address_lookup_new(struct symbols *symbols, struct jit_maps *jit_maps);
void address_lookup_free(struct address_lookup *lookup);

/* SYMBOLS_NONE: none in scope. Counts a sample of the process if the code has no file. */
uint32_t address_lookup_location(struct address_lookup *lookup, uint32_t tgid,
				 uint32_t kernel_object, uint64_t offset);
/* Asks at once for all that address_lookup_location will need for these. */
void address_lookup_ahead(struct address_lookup *lookup, const struct wire_sample *const *samples,
			  size_t count);
/* Of symbols, for an object of the collector that is a file or Python code. */
uint32_t address_lookup_object(const struct address_lookup *lookup, uint32_t kernel_object);
/* The object and offset of an address in the kernel, also in a module that was loaded just now. */
bool address_lookup_kernel(struct address_lookup *lookup, uint64_t address, uint32_t *object,
			   uint64_t *offset);
