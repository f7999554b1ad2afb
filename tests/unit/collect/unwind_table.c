/* SPDX-License-Identifier: BSD-2-Clause */
/* unwind_table - rows of dropped objects make room for others. */
#include "check.h"

#include "collect/unwind_table.h"

#include <errno.h>
#include <sys/mman.h>

static struct wire_unwind_object objects[WIRE_OBJECTS_MOST];

static struct unwind_table table_new(void)
{
	struct unwind_table table = {.objects = objects};

	memset(objects, 0, sizeof(objects));
	table.rows = mmap(NULL, WIRE_UNWIND_ROWS_MOST * sizeof(*table.rows), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return table;
}

static bool has_rows(const struct unwind_table *table, uint32_t object, size_t count, uint64_t mark)
{
	const struct wire_unwind_object *entry = &objects[object];

	for (size_t i = 0; i < entry->count; i++)
		if (table->rows[entry->first + i].start != mark)
			return false;
	return entry->count == count;
}

static int add(struct unwind_table *table, uint32_t object, size_t count, uint64_t mark)
{
	struct wire_unwind_row *rows = calloc(count + 1, sizeof(*rows));

	for (size_t i = 0; i < count; i++)
		rows[i].start = mark;
	int code = unwind_table_add(table, object, rows, count);
	free(rows);
	return code;
}

TEST("objects come and go for ever, and rows of none are overwritten")
{
	struct unwind_table table = table_new();

	/* With all eight there are at most nine gaps, and the largest has room. */
	for (uint64_t round = 1; round < 400; round++) {
		uint32_t object = (uint32_t)(round * 2654435761u >> 8) % 8;
		size_t count = round * 7919 % 60000;
		unwind_table_drop(&table, object);
		CHECK_EQUAL(add(&table, object, count, object), 0);
		for (uint32_t other = 0; other < 8; other++)
			CHECK(has_rows(&table, other, objects[other].count, other));
		CHECK_EQUAL(objects[object].count, count);
	}
	unwind_table_close(&table);
}

TEST("gaps beside each other are one")
{
	struct unwind_table table = table_new();
	size_t quarter = WIRE_UNWIND_ROWS_MOST / 4;

	for (uint32_t object = 1; object <= 4; object++)
		CHECK_EQUAL(add(&table, object, quarter, object), 0);
	CHECK_EQUAL(add(&table, 5, 1, 5), -E2BIG);
	unwind_table_drop(&table, 1);
	unwind_table_drop(&table, 3);
	CHECK_EQUAL(add(&table, 5, quarter + 1, 5), -E2BIG);
	unwind_table_drop(&table, 2);
	unwind_table_drop(&table, 2);
	CHECK_EQUAL(add(&table, 5, 3 * quarter, 5), 0);
	CHECK(has_rows(&table, 5, 3 * quarter, 5));
	CHECK(has_rows(&table, 4, quarter, 4));
	CHECK_EQUAL(add(&table, WIRE_OBJECTS_MOST, 1, 1), -E2BIG);
	unwind_table_close(&table);
}
