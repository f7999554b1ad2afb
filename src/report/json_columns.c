/* SPDX-License-Identifier: BSD-2-Clause */
/* json_columns - commas in the right places. */
#include "report/json_columns.h"

#include "report/json.h"

#include <inttypes.h>

void json_columns_write_text(FILE *out, const char *text)
{
	json_t *json = json_text(text);
	json_dumpf(json, out, JSON_ENCODE_ANY | JSON_COMPACT);
	json_decref(json);
}

void json_columns_key(struct json_columns *json_columns, const char *key)
{
	fprintf(json_columns->out, "%s\"%s\":", json_columns->is_later ? "," : "", key);
	json_columns->is_later = true;
}

void json_columns_open(struct json_columns *json_columns, const char *key)
{
	if (key)
		json_columns_key(json_columns, key);
	fputc('{', json_columns->out);
	json_columns->is_later = false;
}

void json_columns_close(struct json_columns *json_columns)
{
	fputc('}', json_columns->out);
	json_columns->is_later = true;
}

void json_columns_begin(struct json_columns *json_columns, const char *key)
{
	json_columns_key(json_columns, key);
	fputc('[', json_columns->out);
	json_columns->is_later_one = false;
}

static void separate(struct json_columns *json_columns)
{
	if (json_columns->is_later_one)
		fputc(',', json_columns->out);
	json_columns->is_later_one = true;
}

void json_columns_number(struct json_columns *json_columns, int64_t value)
{
	separate(json_columns);
	fprintf(json_columns->out, "%" PRId64, value);
}

void json_columns_literal(struct json_columns *json_columns, const char *word)
{
	separate(json_columns);
	fputs(word, json_columns->out);
}

void json_columns_null(struct json_columns *json_columns)
{
	json_columns_literal(json_columns, "null");
}

void json_columns_text(struct json_columns *json_columns, const char *text)
{
	separate(json_columns);
	json_columns_write_text(json_columns->out, text);
}

void json_columns_real(struct json_columns *json_columns, double value)
{
	separate(json_columns);
	fprintf(json_columns->out, "%.6f", value);
}

void json_columns_end(struct json_columns *json_columns)
{
	fputc(']', json_columns->out);
}

void json_columns_constant(struct json_columns *json_columns, const char *key, const char *word,
			   size_t count)
{
	json_columns_begin(json_columns, key);
	for (size_t i = 0; i < count; i++)
		json_columns_literal(json_columns, word);
	json_columns_end(json_columns);
}
