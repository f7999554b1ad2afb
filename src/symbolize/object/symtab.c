/* SPDX-License-Identifier: BSD-2-Clause */
/* symtab - sorts function symbols, and decides which one owns an address. */
#include "symbolize/object/symtab.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/memory.h"
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
	free(symtab->chains);
	symtab->chains = NULL;
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

static const struct symtab_entry *entry_of(const struct symtab *symtab, size_t interval)
{
	return &symtab->items[symtab->intervals.items[interval].value];
}

static uint32_t *chain_of(const struct symtab *symtab, const struct symtab_entry *entry)
{
	uint32_t key[] = {entry->name, entry->file};
	return &symtab->chains[hash_bytes(key, sizeof(key)) & (symtab->chain_count - 1)];
}

/* From the last interval on, so that each chain goes upwards. */
static void make_chains(struct symtab *symtab)
{
	size_t count = symtab->intervals.count;

	free(symtab->chains);
	symtab->chained = count;
	symtab->chain_count = 1;
	while (symtab->chain_count < count)
		symtab->chain_count *= 2;
	symtab->chains = memory_new(symtab->chain_count + count, sizeof(*symtab->chains));
	for (size_t i = count; i-- > 0;) {
		uint32_t *first = chain_of(symtab, entry_of(symtab, i));
		symtab->chains[symtab->chain_count + i] = *first;
		*first = (uint32_t)i + 1;
	}
}

size_t symtab_next_interval(struct symtab *symtab, const struct symtab_entry *entry, size_t from)
{
	if (!symtab->chains || symtab->chained != symtab->intervals.count)
		make_chains(symtab);
	uint32_t next =
		from ? symtab->chains[symtab->chain_count + from - 1] : *chain_of(symtab, entry);
	for (; next; next = symtab->chains[symtab->chain_count + next - 1]) {
		const struct symtab_entry *other = entry_of(symtab, next - 1);
		if (other->name == entry->name && other->file == entry->file)
			return next - 1;
	}
	return SIZE_MAX;
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
	free(symtab->chains);
	symtab->chains = NULL;
}
