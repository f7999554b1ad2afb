/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_columns - tables as JSON objects of arrays, one a column, written while they are made.
 *
 *	json_columns_begin(&json_columns, "line");
 *	json_columns_number(&json_columns, 42);
 *	json_columns_end(&json_columns);            "line":[42]
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json_columns {
	FILE *out;
	bool is_later;     /* a comma stands before the next key */
	bool is_later_one; /* and before the next value */
};

/* "{", or with a key "key":{ ; then the json_columns, then "}". */
void json_columns_open(struct json_columns *json_columns, const char *key);
void json_columns_close(struct json_columns *json_columns);
/* "key": and then what the caller writes. */
void json_columns_key(struct json_columns *json_columns, const char *key);

void json_columns_begin(struct json_columns *json_columns, const char *key);
void json_columns_number(struct json_columns *json_columns, int64_t value);
void json_columns_null(struct json_columns *json_columns);
/* A word of JSON, such as true. */
void json_columns_literal(struct json_columns *json_columns, const char *word);
void json_columns_text(struct json_columns *json_columns, const char *text);
void json_columns_real(struct json_columns *json_columns, double value);
void json_columns_end(struct json_columns *json_columns);
/* The same value `count` times, as a column. */
void json_columns_constant(struct json_columns *json_columns, const char *key, const char *word,
			   size_t count);

/* A text as JSON; what is not UTF-8 in it becomes U+FFFD, NULL becomes null. */
void json_columns_write_text(FILE *out, const char *text);
