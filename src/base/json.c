/* SPDX-License-Identifier: BSD-2-Clause */
/* json - commas, quotes and escapes. */
#include "base/json.h"

#include "base/utf8.h"

#include <stdint.h>

void json_write_text(FILE *out, const char *text)
{
	if (!text) {
		fputs("null", out);
		return;
	}
	fputc('"', out);
	while (*text) {
		uint32_t character;
		size_t length = utf8_decode(text, &character);
		if (!length)
			fputs(UTF8_REPLACEMENT, out);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if (character < 0x20)
			fprintf(out, "\\u%04x", (unsigned)character);
		else
			fwrite(text, 1, length, out);
		text += length ? length : 1;
	}
	fputc('"', out);
}

/* Begins a value: the comma, and the key if there is one. */
static void begin(struct json_writer *json, const char *key)
{
	if (json->needs_comma)
		fputc(',', json->out);
	if (key)
		fprintf(json->out, "\"%s\":", key);
	json->needs_comma = true;
}

static void open_bracket(struct json_writer *json, const char *key, char bracket)
{
	begin(json, key);
	fputc(bracket, json->out);
	json->needs_comma = false;
}

static void close_bracket(struct json_writer *json, char bracket)
{
	fputc(bracket, json->out);
	json->needs_comma = true;
}

void json_begin_object(struct json_writer *json, const char *key)
{
	open_bracket(json, key, '{');
}

void json_end_object(struct json_writer *json)
{
	close_bracket(json, '}');
}

void json_begin_array(struct json_writer *json, const char *key)
{
	open_bracket(json, key, '[');
}

void json_end_array(struct json_writer *json)
{
	close_bracket(json, ']');
}

/* Columns have millions of numbers: no format is read for them. */
static void put_digits(struct json_writer *json, const char *key, bool is_negative, uint64_t value)
{
	char text[24]; /* a comma, a sign, 20 digits */
	char *end = text + sizeof(text), *at = end;

	for (; value >= 10; value /= 10)
		*--at = (char)('0' + value % 10);
	*--at = (char)('0' + value);
	if (is_negative)
		*--at = '-';
	if (key)
		begin(json, key);
	else if (json->needs_comma)
		*--at = ',';
	json->needs_comma = true;
	fwrite_unlocked(at, 1, (size_t)(end - at), json->out);
}

void json_put_number(struct json_writer *json, const char *key, int64_t value)
{
	put_digits(json, key, value < 0, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void json_put_unsigned(struct json_writer *json, const char *key, uint64_t value)
{
	put_digits(json, key, false, value);
}

void json_put_real(struct json_writer *json, const char *key, double value, int digits)
{
	begin(json, key);
	fprintf(json->out, "%.*f", digits, value);
}

void json_put_text(struct json_writer *json, const char *key, const char *text)
{
	begin(json, key);
	json_write_text(json->out, text);
}

void json_put_literal(struct json_writer *json, const char *key, const char *literal)
{
	begin(json, key);
	fputs(literal, json->out);
}

void json_put_null(struct json_writer *json, const char *key)
{
	json_put_literal(json, key, "null");
}

void json_put_column(struct json_writer *json, const char *key, const char *literal, size_t count)
{
	json_begin_array(json, key);
	for (size_t i = 0; i < count; i++)
		json_put_literal(json, NULL, literal);
	json_end_array(json);
}

void json_break_line(struct json_writer *json)
{
	if (json->needs_comma)
		fputc(',', json->out);
	fputc('\n', json->out);
	json->needs_comma = false;
}
