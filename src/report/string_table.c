/* SPDX-License-Identifier: BSD-2-Clause */
/* string_table - numbers of texts as JSON and protocol buffers can hold them. */
#include "report/string_table.h"

#include "base/cleanup.h"
#include "base/utf8.h"
#include "report/display.h"

size_t string_table_add(struct interner *table, const char *text)
{
	AUTO(text) char *valid = utf8_valid(text ? text : "");

	return interner_add(table, valid) - 1;
}

void string_table_write(struct json_writer *json, const char *key, const struct interner *table)
{
	json_begin_array(json, key);
	for (size_t i = 0; i < table->items.count; i++)
		json_put_text(json, NULL, table->items.items[i]);
	json_end_array(json);
}
