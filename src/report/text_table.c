/* SPDX-License-Identifier: BSD-2-Clause */
/* text_table - jansson's hash table finds the texts that are there. */
#include "report/text_table.h"

#include "base/own.h"
#include "report/words.h"

#include <jansson.h>

size_t text_table_add(struct text_table *table, const char *text)
{
	AUTO(text) char *valid = words_utf8(text ? text : "");
	if (!table->numbers)
		table->numbers = json_object();
	const json_t *known = json_object_get(table->numbers, valid);
	if (known)
		return (size_t)json_integer_value(known);
	json_object_set_new(table->numbers, valid, json_integer((json_int_t)table->items.count));
	*array_add(&table->items) = take(&valid);
	return table->items.count - 1;
}

void text_table_free(struct text_table *table)
{
	for (size_t i = 0; i < table->items.count; i++)
		free(table->items.items[i]);
	array_free(&table->items);
	json_decref(table->numbers);
	table->numbers = NULL;
}
