/* SPDX-License-Identifier: BSD-2-Clause */
/* interner - a hash table of numbers with open addressing, at most half full. */
#include "base/interner.h"

#include "base/hash.h"

#include <string.h>

static uint32_t *interner_slot(const struct interner *interner, const char *text, size_t length)
{
	uint64_t hash = hash_bytes(text, length);
	size_t mask = interner->capacity - 1;
	size_t at = (hash ^ (hash >> 32)) & mask;
	while (interner->slots[at]) {
		const char *other = interner->items.items[interner->slots[at] - 1];
		if (strncmp(other, text, length) == 0 && other[length] == '\0')
			break;
		at = (at + 1) & mask;
	}
	return &interner->slots[at];
}

static void interner_grow(struct interner *interner)
{
	free(interner->slots);
	interner->capacity = interner->capacity ? interner->capacity * 2 : 256;
	interner->slots = memory_new(interner->capacity, sizeof(*interner->slots));
	for (size_t i = 0; i < interner->items.count; i++) {
		const char *text = interner->items.items[i];
		*interner_slot(interner, text, strlen(text)) = (uint32_t)i + 1;
	}
}

uint32_t interner_add_part(struct interner *interner, const char *text, size_t length)
{
	if (!text)
		return 0;
	if (interner->items.count * 2 >= interner->capacity)
		interner_grow(interner);
	length = strnlen(text, length);
	uint32_t *slot = interner_slot(interner, text, length);
	if (!*slot) {
		char *copy = memory_new(length + 1, 1);
		memcpy(copy, text, length);
		*array_add(&interner->items) = copy;
		*slot = (uint32_t)interner->items.count;
	}
	return *slot;
}

uint32_t interner_add(struct interner *interner, const char *text)
{
	return text ? interner_add_part(interner, text, strlen(text)) : 0;
}

uint32_t interner_find_part(const struct interner *interner, const char *text, size_t length)
{
	if (!text || !interner->capacity)
		return 0;
	return *interner_slot(interner, text, strnlen(text, length));
}

uint32_t interner_find(const struct interner *interner, const char *text)
{
	return text ? interner_find_part(interner, text, strlen(text)) : 0;
}

const char *interner_text(const struct interner *interner, uint32_t id)
{
	return id ? interner->items.items[id - 1] : NULL;
}

void interner_clear(struct interner *interner)
{
	for (size_t i = 0; i < interner->items.count; i++)
		free(interner->items.items[i]);
	array_free(&interner->items);
	free(interner->slots);
	*interner = (struct interner){0};
}
