/* SPDX-License-Identifier: BSD-2-Clause */
/* columns - commas in the right places. */
#include "report/columns.h"

#include "report/json_parts.h"

#include <inttypes.h>

void columns_write_text(FILE *out, const char *text)
{
	json_t *json = json_text(text);
	json_dumpf(json, out, JSON_ENCODE_ANY | JSON_COMPACT);
	json_decref(json);
}

void columns_key(struct columns *columns, const char *key)
{
	fprintf(columns->out, "%s\"%s\":", columns->is_later ? "," : "", key);
	columns->is_later = true;
}

void columns_open(struct columns *columns, const char *key)
{
	if (key)
		columns_key(columns, key);
	fputc('{', columns->out);
	columns->is_later = false;
}

void columns_close(struct columns *columns)
{
	fputc('}', columns->out);
	columns->is_later = true;
}

void columns_begin(struct columns *columns, const char *key)
{
	columns_key(columns, key);
	fputc('[', columns->out);
	columns->is_later_one = false;
}

static void separate(struct columns *columns)
{
	if (columns->is_later_one)
		fputc(',', columns->out);
	columns->is_later_one = true;
}

void columns_number(struct columns *columns, int64_t value)
{
	separate(columns);
	fprintf(columns->out, "%" PRId64, value);
}

void columns_word(struct columns *columns, const char *word)
{
	separate(columns);
	fputs(word, columns->out);
}

void columns_null(struct columns *columns)
{
	columns_word(columns, "null");
}

void columns_text(struct columns *columns, const char *text)
{
	separate(columns);
	columns_write_text(columns->out, text);
}

void columns_real(struct columns *columns, double value)
{
	separate(columns);
	fprintf(columns->out, "%.6f", value);
}

void columns_end(struct columns *columns)
{
	fputc(']', columns->out);
}

void columns_constant(struct columns *columns, const char *key, const char *word, size_t count)
{
	columns_begin(columns, key);
	for (size_t i = 0; i < count; i++)
		columns_word(columns, word);
	columns_end(columns);
}
