/* SPDX-License-Identifier: BSD-2-Clause */
/* binary - an ELF file: headers, symbols, lines, inlined calls, probes, unwind rows, loops. */
#include "fuzz.h"

#include "symbolize/scope.h"
#include "symbolize/symbols.h"

#include <stdlib.h>

#define ADDRESSES 64

static void read_all(struct symbols *symbols, uint32_t object, size_t size)
{
	struct symbols_addresses addresses = {0};
	struct unwind_row *rows = NULL;
	const struct range *ranges;
	uint32_t location;

	for (size_t i = 0; i < ADDRESSES; i++) {
		struct range function, *found = &function;
		struct ranges loops = {0}, helpers = {0};
		symbols_location_at(symbols, object, size * i / ADDRESSES);
		symbols_function_at(symbols, object, size * i / ADDRESSES);
		symbols_spin_loops(symbols, object, size * i / ADDRESSES, found, &loops, &helpers);
		ranges_clear(&loops);
		ranges_clear(&helpers);
	}
	symbols_scope_ranges(symbols, object, &ranges);
	symbols_find(symbols, "work", &location, NULL);
	symbols_find(symbols, "main.c:7", &location, NULL);
	symbols_breakpoints(symbols, "main", SYMBOLS_NONE, &addresses, NULL);
	symbols_breakpoints(symbols, "main.c:12", SYMBOLS_NONE, &addresses, NULL);
	symbols_usdt(symbols, "app", "item", &addresses, NULL);
	array_free(&addresses);
	symbols_references(symbols, object, "printf");
	symbols_unwind_rows(symbols, object, &rows);
	free(rows);
	for (uint32_t i = 0; i < symbols_location_count(symbols); i++)
		symbols_location_ranges(symbols, i, &ranges);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct scope *scope = scope_new();
	struct symbols *symbols = symbols_new(size & 1 ? TARGET_LINE : TARGET_FUNCTION, scope);
	uint32_t object;

	if (!symbols_add_object(symbols, fuzz_file(bytes, size), NULL, true, &object, NULL))
		read_all(symbols, object, size);
	symbols_free(symbols);
	scope_free(scope);
	return 0;
}
