/* SPDX-License-Identifier: BSD-2-Clause */
/* json - commas, keys and escapes of the writer, and what is not UTF-8. */
#include "base/json.h"

#include "base/cleanup.h"
#include "base/utf8.h"
#include "check.h"

TEST("a writer sets commas at every depth")
{
	char *text = NULL;
	size_t size;
	struct json_writer json = {.out = open_memstream(&text, &size)};

	json_begin_object(&json, NULL);
	json_put_column(&json, "zeros", "0", 2);
	json_begin_array(&json, "rows");
	for (int i = 0; i < 2; i++) {
		json_begin_object(&json, NULL);
		json_put_number(&json, "line", -1);
		json_put_real(&json, "ms", 0.5, 3);
		json_end_object(&json);
	}
	json_end_array(&json);
	json_put_null(&json, "none");
	json_end_object(&json);
	fclose(json.out);
	CHECK_TEXT(text, "{\"zeros\":[0,0],\"rows\":[{\"line\":-1,\"ms\":0.500},"
			 "{\"line\":-1,\"ms\":0.500}],\"none\":null}");
	free(text);
}

TEST("a line break stands behind the comma")
{
	char *text = NULL;
	size_t size;
	struct json_writer json = {.out = open_memstream(&text, &size)};

	json_begin_array(&json, NULL);
	json_break_line(&json);
	json_put_unsigned(&json, NULL, UINT64_MAX);
	json_put_number(&json, NULL, INT64_MIN);
	json_put_number(&json, NULL, 0);
	json_break_line(&json);
	json_put_literal(&json, NULL, "true");
	json_end_array(&json);
	fclose(json.out);
	CHECK_TEXT(text, "[\n18446744073709551615,-9223372036854775808,0,\ntrue]");
	free(text);
}

TEST("texts are quoted, and bytes outside of characters become U+FFFD")
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	json_write_text(out, "a\"b\\c\n\x01\xc3\xa4\xff\xc0\xaf");
	json_write_text(out, NULL);
	fclose(out);
	CHECK_TEXT(text, "\"a\\\"b\\\\c\\u000a\\u0001\xc3\xa4" UTF8_REPLACEMENT UTF8_REPLACEMENT
				 UTF8_REPLACEMENT "\"null");
	free(text);
}

TEST("UTF-8 has no overlong forms and no surrogates")
{
	uint32_t character;

	CHECK_EQUAL(utf8_decode("\xe2\x82\xac", &character), 3);
	CHECK_EQUAL(character, 0x20ac);
	CHECK_EQUAL(utf8_decode("\xc1\xbf", &character), 0);
	CHECK_EQUAL(utf8_decode("\xed\xa0\x80", &character), 0);
	CHECK_EQUAL(utf8_decode("\xf4\x90\x80\x80", &character), 0);
	CHECK_EQUAL(utf8_decode("\xe2\x82", &character), 0);
	CHECK(!utf8_valid(NULL));
}
