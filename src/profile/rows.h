/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rows - the arrays of a recording, by the table that holds them in a file.
 *
 * `table` is one of enum TABLE_*. Rows of the tables visit and length are parts of experiments: for
 * these tables there is no array, and rows_of gives NULL.
 */
#pragma once

#include "profile/schema.h"

/* The layout of each of the arrays. */
struct __attribute__((may_alias)) rows {
	char *items;
	size_t count, capacity;
};

const struct rows *rows_of(const struct recording *recording, size_t table);
const void *rows_at(const struct recording *recording, size_t table, size_t i);
void *rows_add(struct recording *recording, size_t table); /* a new, zeroed last row */
/* The row with this id, or NULL; for tables whose first column is an id. */
const void *rows_find(const struct recording *recording, size_t table, int64_t id);
/* Sets a field of any type that is stored as an integer; false: it cannot hold the value. */
bool rows_set_integer(enum column_type type, int64_t value, void *field);
/* Frees what the row owns, but not the row itself. */
void row_release(size_t table, void *row);
void rows_release(struct recording *recording, size_t table);
