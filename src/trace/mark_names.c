/* SPDX-License-Identifier: BSD-2-Clause */
/* mark_names - an interner with a limit. */
#include "trace/mark_names.h"

#include "base/interner.h"

struct mark_names {
	struct interner texts;
};

struct mark_names *mark_names_new(void)
{
	return memory_new(1, sizeof(struct mark_names));
}

void mark_names_free(struct mark_names *names)
{
	if (!names)
		return;
	interner_clear(&names->texts);
	free(names);
}

unsigned mark_names_id(struct mark_names *names, const char *text, size_t length)
{
	struct interner *texts = &names->texts;
	uint32_t id = texts->items.count < MARK_NAMES_MAX - 1 ?
			      interner_add_part(texts, text, length) :
			      interner_find_part(texts, text, length);

	if (!id)
		id = interner_add(texts, "(other names)");
	return MARK_NAMES_FIRST + id - 1;
}

size_t mark_names_count(const struct mark_names *names)
{
	return names->texts.items.count;
}

const char *mark_names_text(const struct mark_names *names, size_t index)
{
	return interner_text(&names->texts, (uint32_t)index + 1);
}
