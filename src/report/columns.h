/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * columns - tables as JSON objects of arrays, one a column, written while they are made.
 *
 *	columns_begin(&columns, "line");
 *	columns_number(&columns, 42);
 *	columns_end(&columns);            "line":[42]
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct columns {
	FILE *out;
	bool is_later;     /* a comma stands before the next key */
	bool is_later_one; /* and before the next value */
};

/* "{", or with a key "key":{ ; then the columns, then "}". */
void columns_open(struct columns *columns, const char *key);
void columns_close(struct columns *columns);
/* "key": and then what the caller writes. */
void columns_key(struct columns *columns, const char *key);

void columns_begin(struct columns *columns, const char *key);
void columns_number(struct columns *columns, int64_t value);
void columns_null(struct columns *columns);
/* A word of JSON, such as true. */
void columns_word(struct columns *columns, const char *word);
void columns_text(struct columns *columns, const char *text);
void columns_real(struct columns *columns, double value);
void columns_end(struct columns *columns);
/* The same value `count` times, as a column. */
void columns_constant(struct columns *columns, const char *key, const char *word, size_t count);

/* A text as JSON; what is not UTF-8 in it becomes U+FFFD, NULL becomes null. */
void columns_write_text(FILE *out, const char *text);
