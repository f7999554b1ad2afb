/* SPDX-License-Identifier: BSD-2-Clause */
/* unwind_table - places an object's rows, and publishes them with the object's count. */
#include "collect/unwind_table.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define ROWS_BYTES (WIRE_UNWIND_ROWS_MOST * sizeof(struct wire_unwind_row))

int unwind_table_open(struct unwind_table *table, int map, struct wire_unwind_object *objects,
		      struct error *error)
{
	void *rows = mmap(NULL, ROWS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);

	if (rows == MAP_FAILED)
		return error_set(error, errno, "cannot map the unwind rows: %s", strerror(errno));
	*table = (struct unwind_table){.rows = rows, .objects = objects};
	return 0;
}

void unwind_table_close(struct unwind_table *table)
{
	if (table->rows)
		munmap(table->rows, ROWS_BYTES);
	table->rows = NULL;
	array_free(&table->used);
	array_free(&table->gaps);
}

/* The first of so many rows in a row that are free; -E2BIG: there are none. */
static int64_t take_rows(struct unwind_table *table, size_t count)
{
	for (size_t i = 0; i < table->gaps.count; i++) {
		struct wire_unwind_object *gap = &table->gaps.items[i];
		if (gap->count < count)
			continue;
		uint32_t first = gap->first;
		gap->first += (uint32_t)count;
		gap->count -= (uint32_t)count;
		if (!gap->count)
			*gap = table->gaps.items[--table->gaps.count];
		return first;
	}
	if (count > WIRE_UNWIND_ROWS_MOST - table->count)
		return -E2BIG;
	table->count += count;
	return (int64_t)(table->count - count);
}

int unwind_table_add(struct unwind_table *table, uint32_t object,
		     const struct wire_unwind_row *rows, size_t count)
{
	int64_t first = object < WIRE_OBJECTS_MOST ? take_rows(table, count) : -E2BIG;

	if (first < 0)
		return (int)first;
	struct wire_unwind_object *entry = &table->objects[object];
	if (count)
		memcpy(table->rows + first, rows, count * sizeof(*rows));
	entry->first = (uint32_t)first;
	__atomic_store_n(&entry->count, (uint32_t)count, __ATOMIC_RELEASE);
	while (table->used.count <= object)
		*array_add(&table->used) = (struct wire_unwind_object){0};
	table->used.items[object] =
		(struct wire_unwind_object){.first = (uint32_t)first, .count = (uint32_t)count};
	return 0;
}

void unwind_table_drop(struct unwind_table *table, uint32_t object)
{
	if (object >= table->used.count || !table->used.items[object].count)
		return;
	struct wire_unwind_object freed = table->used.items[object];
	table->used.items[object].count = 0;
	__atomic_store_n(&table->objects[object].count, 0, __ATOMIC_RELEASE);
	for (size_t i = 0; i < table->gaps.count;) {
		struct wire_unwind_object other = table->gaps.items[i++];
		if (other.first + other.count != freed.first &&
		    freed.first + freed.count != other.first)
			continue;
		freed.first = other.first < freed.first ? other.first : freed.first;
		freed.count += other.count;
		table->gaps.items[i - 1] = table->gaps.items[--table->gaps.count];
		i = 0; /* the larger gap may touch one that was passed */
	}
	*array_add(&table->gaps) = freed;
}
