/* SPDX-License-Identifier: BSD-2-Clause */
/* script_name - cuts V8's names into function, file and place. */
#include "symbolize/object/script_name.h"

#include "base/cleanup.h"

#include <stdio.h>
#include <string.h>

#define TIERS "*~^+" /* V8: how the code was compiled */

/* The text ":NUMBER" that ends at `end`, at `start` or behind it, or NULL. */
static const char *last_number(const char *start, const char *end, unsigned *number)
{
	const char *at = end;

	while (at > start && at[-1] >= '0' && at[-1] <= '9')
		at--;
	if (at == end || at == start || at[-1] != ':' || sscanf(at, "%u", number) != 1)
		return NULL;
	return at - 1;
}

/* Behind the tag; NULL: the text has none. */
static const char *behind_tag(const char *text)
{
	static const char *const tags[] = {"JS:", "Eval:", "Function:", "LazyCompile:", "Script:"};

	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++)
		if (!strncmp(text, tags[i], strlen(tags[i])))
			return text + strlen(tags[i]);
	return NULL;
}

/* Node.js 18 tells no column. Returns the end of the file's name, or NULL. */
static const char *read_place(const char *space, struct script_name *name)
{
	unsigned last, number;
	const char *end = last_number(space, space + strlen(space), &last);
	const char *before = end ? last_number(space, end, &number) : NULL;

	name->line = before ? number : last;
	name->column = before ? last : 0;
	return before ? before : end;
}

bool script_name_read(struct interner *texts, const char *text, struct symtab_entry *entry,
		      struct script_name *name)
{
	const char *own = behind_tag(text), *space = strrchr(text, ' ');
	const char *end = own && space && space >= own ? read_place(space, name) : NULL;

	if (!end)
		return false;
	name->is_baseline = *own == '~' || *own == '^';
	own += strspn(own, TIERS);
	bool is_module = name->line == 1 && name->column <= 1;
	AUTO(text) char *file = text_format("%.*s", (int)(end - space - 1), space + 1);
	AUTO(text)
	char *function = own < space ? text_format("%.*s", (int)(space - own), own) :
			 is_module   ? text_copy("(module)") :
				       text_format("(anonymous at line %u)", name->line);
	entry->source = entry->file = interner_add(texts, file);
	entry->name = interner_add(texts, function);
	return true;
}
