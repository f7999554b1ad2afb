/* SPDX-License-Identifier: BSD-2-Clause */
/* unwind_table - appends an object's rows, and publishes them with the object's count. */
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
}

int unwind_table_add(struct unwind_table *table, uint32_t object,
		     const struct wire_unwind_row *rows, size_t count)
{
	if (object >= WIRE_OBJECTS_MOST || count > WIRE_UNWIND_ROWS_MOST - table->count)
		return -E2BIG;
	struct wire_unwind_object *entry = &table->objects[object];
	if (count)
		memcpy(table->rows + table->count, rows, count * sizeof(*rows));
	entry->first = (uint32_t)table->count;
	table->count += count;
	__atomic_store_n(&entry->count, (uint32_t)count, __ATOMIC_RELEASE);
	return 0;
}
