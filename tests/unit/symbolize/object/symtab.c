/* SPDX-License-Identifier: BSD-2-Clause */
/* symtab - the parts of a function that stands at several places. */
#include "symbolize/object/symtab.h"

#include "check.h"

static uint64_t no_limit(void *context, uint64_t start, bool has_size)
{
	(void)context;
	(void)start;
	(void)has_size;
	return UINT64_MAX;
}

static void add(struct symtab *symtab, uint64_t start, uint64_t end, uint32_t name, uint32_t file)
{
	*array_add(symtab) =
		(struct symtab_entry){.start = start, .end = end, .name = name, .file = file};
}

TEST("the intervals of a name and file are found, upwards, also those added later")
{
	struct symtab symtab = {0};
	uint64_t starts[8];
	size_t count = 0;

	for (uint32_t i = 0; i < 40; i++)
		add(&symtab, 100ull * i, 100ull * i + 50, i % 20, i % 2);
	symtab_index(&symtab, no_limit, NULL);
	struct symtab_entry wanted = {.name = 7, .file = 1};
	for (size_t i = symtab_next_interval(&symtab, &wanted, 0); i != SIZE_MAX && count < 8;
	     i = symtab_next_interval(&symtab, &wanted, i + 1))
		starts[count++] = symtab.intervals.items[i].start;
	CHECK(count == 2 && starts[0] == 700 && starts[1] == 2700);
	wanted.file = 0;
	CHECK(symtab_next_interval(&symtab, &wanted, 0) == SIZE_MAX);
	interval_map_clear(&symtab.intervals);
	add(&symtab, 5000, 5050, 7, 0);
	symtab_index(&symtab, no_limit, NULL);
	size_t last = symtab_next_interval(&symtab, &wanted, 0);
	CHECK(last != SIZE_MAX && symtab.intervals.items[last].start == 5000);
	symtab_clear(&symtab);
}
