/* SPDX-License-Identifier: BSD-2-Clause */
/* python_table - writes an interpreter, and then its object's entry. */
#include "collect/python_table.h"

#include <errno.h>

int python_table_add(struct python_table *table, uint32_t object, const struct wire_python *python)
{
	if (!table->pythons)
		return -ENOTSUP;
	if (table->count == WIRE_PYTHONS_MOST || object >= WIRE_OBJECTS_MOST)
		return -E2BIG;
	table->pythons[table->count++] = *python;
	__atomic_store_n(&table->of_object[object], (uint8_t)table->count, __ATOMIC_RELEASE);
	return 0;
}
