/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json - writes JSON as it comes, without a tree in memory.
 *
 *	struct json_writer json = {.out = out};
 *	json_begin_object(&json, NULL);
 *	json_begin_array(&json, "line");
 *	json_put_number(&json, NULL, 42);
 *	json_end_array(&json);
 *	json_end_object(&json);            {"line":[42]}
 *
 * The writer sets the commas. A value has a key in an object, and NULL in an array.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_writer {
	FILE *out;
	bool needs_comma; /* before the next key or value */
};

/* A text in quotes: a byte that is not UTF-8 becomes U+FFFD, NULL becomes null. */
void json_write_text(FILE *out, const char *text);

void json_begin_object(struct json_writer *json, const char *key);
void json_end_object(struct json_writer *json);
void json_begin_array(struct json_writer *json, const char *key);
void json_end_array(struct json_writer *json);
void json_put_number(struct json_writer *json, const char *key, int64_t value);
void json_put_unsigned(struct json_writer *json, const char *key, uint64_t value);
/* `digits` behind the point. */
void json_put_real(struct json_writer *json, const char *key, double value, int digits);
void json_put_text(struct json_writer *json, const char *key, const char *text);
/* Such as true. */
void json_put_literal(struct json_writer *json, const char *key, const char *literal);
void json_put_null(struct json_writer *json, const char *key);
/* An array with the same literal `count` times. */
void json_put_column(struct json_writer *json, const char *key, const char *literal, size_t count);
/* A line break before the next key or value, for readers. */
void json_break_line(struct json_writer *json);

/* An array of numbers; `value` is of item `i`. */
#define JSON_PUT_COLUMN(json, key, count, value)                       \
	do {                                                           \
		json_begin_array(json, key);                           \
		for (size_t i = 0; i < (count); i++)                   \
			json_put_number(json, NULL, (int64_t)(value)); \
		json_end_array(json);                                  \
	} while (0)
