/* SPDX-License-Identifier: BSD-2-Clause */
/* string_table - jansson's hash table finds the texts that are there. */
#include "report/string_table.h"

#include "base/cleanup.h"
#include "report/display.h"

#include <jansson.h>

size_t string_table_add(struct string_table *table, const char *text)
{
	AUTO(text) char *valid = display_utf8(text ? text : "");
	if (!table->numbers)
		table->numbers = json_object();
	const json_t *known = json_object_get(table->numbers, valid);
	if (known)
		return (size_t)json_integer_value(known);
	json_object_set_new(table->numbers, valid, json_integer((json_int_t)table->items.count));
	*array_add(&table->items) = take(&valid);
	return table->items.count - 1;
}

void string_table_free(struct string_table *table)
{
	for (size_t i = 0; i < table->items.count; i++)
		free(table->items.items[i]);
	array_free(&table->items);
	json_decref(table->numbers);
	table->numbers = NULL;
}
