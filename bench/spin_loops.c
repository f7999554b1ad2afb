/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spin_loops - the loops of ELF files that count as waiting: spin_loops FILE...
 *
 * Prints the offsets of each loop in the file, with its function, and sums.
 */
#include "symbolize/internal.h"
#include "symbolize/scope.h"
#include "symbolize/symbols.h"

#include <stdio.h>

/* Of the function at the offset; returns the offset after it. */
static uint64_t print_function(struct symbols *symbols, uint32_t object, uint64_t offset,
			       unsigned *functions, unsigned *spinning)
{
	struct ranges loops = {0}, helpers = {0};
	struct range function = {.start = offset, .end = offset + 1};

	if (symbols_spin_loops(symbols, object, offset, &function, &loops, &helpers))
		++*functions;
	ranges_merge(&loops);
	for (size_t i = 0; i < loops.count; i++)
		printf("  %s: %#llx-%#llx\n", symbols_function_at(symbols, object, offset),
		       (unsigned long long)loops.items[i].start,
		       (unsigned long long)loops.items[i].end);
	*spinning += loops.count > 0;
	ranges_clear(&loops);
	ranges_clear(&helpers);
	return function.end > offset ? function.end : offset + 1;
}

static void print_file(const char *path)
{
	struct scope *scope = scope_new();
	struct symbols *symbols = symbols_new(TARGET_FUNCTION, scope);
	struct error error = {0};
	unsigned functions = 0, spinning = 0;
	uint32_t id;

	if (symbols_add_object(symbols, path, NULL, true, &id, &error)) {
		printf("%s: %s\n", path, error.text);
	} else {
		const struct ranges *code = &symbols_open(symbols, id)->code;
		for (size_t i = 0; i < code->count; i++)
			for (uint64_t at = code->items[i].start; at < code->items[i].end;)
				at = print_function(symbols, id, at, &functions, &spinning);
		printf("%s: %u of %u functions have spin loops\n", path, spinning, functions);
	}
	symbols_free(symbols);
	scope_free(scope);
}

int main(int count, char **arguments)
{
	for (int i = 1; i < count; i++)
		print_file(arguments[i]);
	return 0;
}
