/* SPDX-License-Identifier: BSD-2-Clause */
/* texts - a hash table of numbers, open addressing, at most half full; FNV-1a over the bytes. */
#include "base/interner.h"

#include <string.h>

static uint32_t *interner_slot(const struct interner *texts, const char *text, size_t length)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
	size_t mask = texts->capacity - 1;
	size_t at = (hash ^ (hash >> 32)) & mask;
	while (texts->slots[at]) {
		const char *other = texts->items.items[texts->slots[at] - 1];
		if (strncmp(other, text, length) == 0 && other[length] == '\0')
			break;
		at = (at + 1) & mask;
	}
	return &texts->slots[at];
}

static void interner_grow(struct interner *texts)
{
	free(texts->slots);
	texts->capacity = texts->capacity ? texts->capacity * 2 : 256;
	texts->slots = memory_new(texts->capacity, sizeof(*texts->slots));
	for (size_t i = 0; i < texts->items.count; i++) {
		const char *text = texts->items.items[i];
		*interner_slot(texts, text, strlen(text)) = (uint32_t)i + 1;
	}
}

uint32_t interner_add_part(struct interner *texts, const char *text, size_t length)
{
	if (!text)
		return 0;
	if (texts->items.count * 2 >= texts->capacity)
		interner_grow(texts);
	length = strnlen(text, length);
	uint32_t *slot = interner_slot(texts, text, length);
	if (!*slot) {
		char *copy = memory_new(length + 1, 1);
		memcpy(copy, text, length);
		*array_add(&texts->items) = copy;
		*slot = (uint32_t)texts->items.count;
	}
	return *slot;
}

uint32_t interner_add(struct interner *texts, const char *text)
{
	return text ? interner_add_part(texts, text, strlen(text)) : 0;
}

uint32_t interner_find(const struct interner *texts, const char *text)
{
	return text && texts->capacity ? *interner_slot(texts, text, strlen(text)) : 0;
}

const char *interner_text(const struct interner *texts, uint32_t id)
{
	return id ? texts->items.items[id - 1] : NULL;
}

void interner_clear(struct interner *texts)
{
	for (size_t i = 0; i < texts->items.count; i++)
		free(texts->items.items[i]);
	array_free(&texts->items);
	free(texts->slots);
	*texts = (struct interner){0};
}
