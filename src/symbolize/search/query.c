/* SPDX-License-Identifier: BSD-2-Clause */
/* query - parses a query. */
#include "symbolize/search/query.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "symbolize/machine_code.h"

#include <limits.h>
#include <string.h>

static bool is_line_number(const char *text, unsigned *line)
{
	uint64_t value;

	if (!text_to_unsigned(text, &value) || value == 0 || value > INT_MAX)
		return false;
	*line = (unsigned)value;
	return true;
}

/* The colon between FILE and FUNCTION: alone, with a file's name before it. */
static const char *file_colon(const char *text)
{
	const char *colon = strchr(text, ':');

	if (!colon || colon == text || colon[1] == ':' || colon[1] == '\0')
		return NULL;
	const char *dot = memchr(text, '.', (size_t)(colon - text));
	return dot && !memchr(text, '(', (size_t)(colon - text)) ? colon : NULL;
}

void query_parse(const char *text, struct query *query)
{
	const char *colon = strrchr(text, ':');

	*query = (struct query){.text = text, .only = SYMBOLS_NONE};
	if (!colon || colon == text || colon[-1] == ':' || !is_line_number(colon + 1, &query->line))
		colon = file_colon(text);
	if (colon)
		query->file = strndup(text, (size_t)(colon - text));
	if (!query->line)
		query->function = text_copy(colon ? colon + 1 : text);
}

bool query_has(const struct query *query, const struct object *object)
{
	return query->only == SYMBOLS_NONE || query->only == object->id;
}

void query_clear(struct query *query)
{
	free(query->file);
	free(query->function);
	*query = (struct query){0};
}

void address_add(struct symbols_addresses *addresses, const struct object *object, uint64_t offset)
{
	offset = machine_code_probe_offset(object, offset);
	for (size_t i = 0; i < addresses->count; i++) {
		if (addresses->items[i].object == object->id &&
		    addresses->items[i].offset == offset)
			return;
	}
	*array_add(addresses) = (struct symbols_address){.object = object->id, .offset = offset};
}
