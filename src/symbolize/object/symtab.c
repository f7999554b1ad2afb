/* SPDX-License-Identifier: BSD-2-Clause */
/* symtab - sorts function symbols, and decides which one owns an address. */
#include "symbolize/object/symtab.h"

#include "base/cleanup.h"
#include "symbolize/language/demangle.h"

static int symtab_compare(const void *one, const void *other)
{
	const struct symtab_entry *a = one, *b = other;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->preference != b->preference)
		return a->preference < b->preference ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

/* Labels without a size inside a function with a size are not functions. */
static void drop_labels(struct symtab *symtab)
{
	size_t kept = 0;
	uint64_t sized_end = 0;

	for (size_t i = 0; i < symtab->count; i++) {
		const struct symtab_entry *entry = &symtab->items[i];
		if (entry->end == entry->start && entry->start < sized_end)
			continue;
		if (entry->end > sized_end)
			sized_end = entry->end;
		symtab->items[kept++] = *entry;
	}
	symtab->count = kept;
}

void symtab_index(struct symtab *symtab,
		  uint64_t (*limit)(void *context, uint64_t start, bool has_size), void *context)
{
	if (symtab->count)
		qsort(symtab->items, symtab->count, sizeof(*symtab->items), symtab_compare);
	drop_labels(symtab);
	uint64_t next = UINT64_MAX;
	for (size_t i = symtab->count; i-- > 0;) {
		struct symtab_entry *entry = &symtab->items[i];
		if (i + 1 < symtab->count && symtab->items[i + 1].start > entry->start)
			next = symtab->items[i + 1].start;
		bool has_size = entry->end != entry->start;
		uint64_t most = limit(context, entry->start, has_size);
		if (!has_size)
			entry->end = next;
		if (entry->end > most)
			entry->end = most;
	}
	for (size_t i = 0; i < symtab->count; i++)
		interval_map_add(&symtab->intervals, symtab->items[i].start, symtab->items[i].end,
				 (uint32_t)i, symtab->items[i].preference);
	interval_map_flatten(&symtab->intervals);
}

struct symtab_entry *symtab_at(const struct symtab *symtab, uint64_t offset)
{
	const struct interval_map_entry *span = interval_map_at(&symtab->intervals, offset);
	return span ? &symtab->items[span->value] : NULL;
}

const char *symtab_name(struct symtab_entry *entry, struct interner *texts)
{
	if (!entry->shown) {
		AUTO(text) char *name = demangle(interner_text(texts, entry->name));
		entry->shown = interner_add(texts, name);
	}
	return interner_text(texts, entry->shown);
}

void symtab_clear(struct symtab *symtab)
{
	array_free(symtab);
	interval_map_clear(&symtab->intervals);
}
