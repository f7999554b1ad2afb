/* SPDX-License-Identifier: BSD-2-Clause */
/* rows - one set of functions for all arrays of a recording, by the offsets in schema.h. */
#include "profile/rows.h"

#include <limits.h>

const struct rows *rows_of(const struct recording *recording, size_t table)
{
	size_t offset = schema_tables[table].rows;

	return offset == SCHEMA_PARTS ?
		       NULL :
		       (const struct rows *)(const void *)((const char *)recording + offset);
}

const void *rows_at(const struct recording *recording, size_t table, size_t i)
{
	return rows_of(recording, table)->items + i * schema_tables[table].row_size;
}

void *rows_add(struct recording *recording, size_t table)
{
	struct rows *rows = (struct rows *)rows_of(recording, table);
	size_t size = schema_tables[table].row_size;

	rows->items = memory_array_grow(rows->items, &rows->count, &rows->capacity, size);
	return rows->items + (rows->count - 1) * size;
}

/* Ids ascend from 1 on, so the row is nearly always at id - 1, and before it where some lack. */
const void *rows_find(const struct recording *recording, size_t table, int64_t id)
{
	size_t size = schema_tables[table].row_size, low = 0;
	const struct rows *rows = rows_of(recording, table);
	size_t guess = (size_t)id - 1, high = guess < rows->count ? guess + 1 : rows->count;

	for (size_t middle = high - 1; low < high; middle = low + (high - low) / 2) {
		const char *row = rows->items + middle * size;
		int64_t found = *(const int64_t *)(const void *)row;
		if (found == id)
			return row;
		if (found < id)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

bool rows_set_integer(enum column_type type, int64_t value, void *field)
{
	switch (type) {
	case COLUMN_ID:
		*(int64_t *)field = value;
		return value > 0;
	case COLUMN_COUNT:
		*(uint64_t *)field = (uint64_t)value;
		return value >= 0;
	case COLUMN_BITS:
		*(uint64_t *)field = (uint64_t)value;
		return true;
	case COLUMN_SIGNED:
		*(int64_t *)field = value;
		return true;
	case COLUMN_WORD:
		*(unsigned *)field = (unsigned)value;
		return value >= 0 && value <= UINT_MAX;
	case COLUMN_STATUS:
		*(int *)field = (int)value;
		return value >= INT_MIN && value <= INT_MAX;
	case COLUMN_FLAG:
		*(bool *)field = value == 1;
		return value == 0 || value == 1;
	default:
		return false;
	}
}

void row_release(size_t table, void *row)
{
	for (size_t i = 0; i < schema_tables[table].count; i++) {
		const struct column *column = &schema_tables[table].columns[i];
		void *field = (char *)row + column->offset;
		if (column->type == COLUMN_TEXT)
			free(*(char **)field);
		else if (column->type == COLUMN_BYTES)
			free(((struct recording_bytes *)field)->items);
	}
}

static bool owns_memory(size_t table)
{
	for (size_t i = 0; i < schema_tables[table].count; i++)
		if (schema_tables[table].columns[i].type == COLUMN_TEXT ||
		    schema_tables[table].columns[i].type == COLUMN_BYTES)
			return true;
	return false;
}

void rows_release(struct recording *recording, size_t table)
{
	struct rows *rows = (struct rows *)rows_of(recording, table);

	for (size_t i = 0; rows && owns_memory(table) && i < rows->count; i++)
		row_release(table, (void *)rows_at(recording, table, i));
	if (rows)
		array_free(rows);
}
