/* SPDX-License-Identifier: BSD-2-Clause */
/* symtab - the functions of a symbol table or a JIT map, by offset and by name. */
#pragma once

#include "base/interner.h"
#include "base/interval_map.h"

#include <stdbool.h>

struct symtab_entry {
	uint64_t start, end; /* the object's offsets; `end` is set by symtab_index */
	uint32_t name;       /* linker name without clone suffix, a text of symtab_index's texts */
	uint32_t file;       /* source file of a local symbol, or 0 */
	uint32_t shown;      /* demangled name, 0: not asked for yet */
	uint32_t source, line; /* of JIT code: where its source is; 0: unknown */
	uint8_t preference;    /* of several symbols at one offset, the greatest gives the name */
	bool is_part;          /* ".part", ".cold": not the function's entry */
};

struct symtab {
	struct symtab_entry *items;
	size_t count, capacity;
	struct interval_map intervals; /* value: index of the entry */
	/* By name and file: the first interval of each hash, then the next one of each interval. */
	uint32_t *chains;            /* + 1; 0: none. NULL: not made yet */
	size_t chain_count, chained; /* hashes; intervals */
};

/*
 * After the last entry was added. Entries end at `limit` at most; those without size, too, at the
 * next start.
 */
void symtab_index(struct symtab *symtab,
		  uint64_t (*limit)(void *context, uint64_t start, bool has_size), void *context);
/*
 * Intervals of all entries of this name and file, upwards; SIZE_MAX: no more. `from`: 0, then the
 * last one + 1.
 */
size_t symtab_next_interval(struct symtab *symtab, const struct symtab_entry *entry, size_t from);
struct symtab_entry *symtab_at(const struct symtab *symtab, uint64_t offset);
/* The demangled name, borrowed from the texts. */
const char *symtab_name(struct symtab_entry *entry, struct interner *texts);
void symtab_clear(struct symtab *symtab);
