/* SPDX-License-Identifier: BSD-2-Clause */
/* mark_names - a table by hash with open addressing, never more than half full. */
#include "trace/mark_names.h"

#include "base/memory.h"

#include <stdint.h>
#include <string.h>

#define SLOTS (2 * MARK_NAMES_MAX)

struct mark_names {
	ARRAY(char *) texts;
	unsigned slots[SLOTS]; /* 1 + index in texts; 0: free */
};

struct mark_names *mark_names_new(void)
{
	return memory_new(1, sizeof(struct mark_names));
}

void mark_names_free(struct mark_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->texts.count; i++)
		free(names->texts.items[i]);
	array_free(&names->texts);
	free(names);
}

static uint64_t hash_of(const char *text, size_t length)
{
	uint64_t hash = 0xcbf29ce484222325ull; /* FNV-1a */

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3ull;
	return hash;
}

unsigned mark_names_id(struct mark_names *names, const char *text, size_t length)
{
	static const char others[] = "(other names)";

	if (names->texts.count >= MARK_NAMES_MAX - 1) {
		text = others;
		length = sizeof(others) - 1;
	}
	for (size_t slot = hash_of(text, length) % SLOTS;; slot = (slot + 1) % SLOTS) {
		unsigned *at = &names->slots[slot];
		if (!*at) {
			if (names->texts.count == MARK_NAMES_MAX)
				return MARK_NAMES_FIRST + MARK_NAMES_MAX - 1;
			*array_add(&names->texts) = text_format("%.*s", (int)length, text);
			*at = (unsigned)names->texts.count;
		}
		const char *found = names->texts.items[*at - 1];
		if (strlen(found) == length && !memcmp(found, text, length))
			return MARK_NAMES_FIRST + *at - 1;
	}
}

size_t mark_names_count(const struct mark_names *names)
{
	return names->texts.count;
}

const char *mark_names_text(const struct mark_names *names, size_t index)
{
	return names->texts.items[index];
}
