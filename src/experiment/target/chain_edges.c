/* SPDX-License-Identifier: BSD-2-Clause */
/* chain_edges - finds the line's function in the chain. */
#include "experiment/target/chain_edges.h"

#include "experiment/target/entry.h"
#include "symbolize/python.h"

#include <string.h>

/* The index in the chain of the function that the line is of; the chain's count if none is. */
static size_t function_of_line(const struct symbols *symbols, const struct sampled_chain *chain)
{
	size_t i = 0;

	if (chain->line == SYMBOLS_NONE)
		return chain->count;
	const struct symbols_location *line = symbols_location(symbols, chain->line);
	for (; i < chain->count && line->function; i++) {
		const struct symbols_location *function =
			symbols_location(symbols, chain->functions[i]);
		if (function->object == line->object && function->function &&
		    !strcmp(function->function, line->function))
			return i;
	}
	return chain->count;
}

static bool is_entry(const struct symbols *symbols, const struct sampled_chain *chain, size_t index)
{
	return entry_is(symbols_location(symbols, chain->functions[index]));
}

/*
 * What stands around a function of the chain. A process stands around its outermost one; what
 * starts a program, a thread or a parallel region is the same function of a library in all
 * processes, and so is left out.
 */
static uint32_t outer_of(const struct symbols *symbols, const struct sampled_chain *chain,
			 size_t index)
{
	bool leaves_out = chain->process != SYMBOLS_NONE;

	if (leaves_out && is_entry(symbols, chain, index))
		return SYMBOLS_NONE;
	do
		index++;
	while (leaves_out && index < chain->count && is_entry(symbols, chain, index));
	return index < chain->count ? chain->functions[index] : chain->process;
}

/* The line is a call of another file's function, which is what stands beside the line's file. */
static void add_import(const struct symbols *symbols, const struct sampled_chain *chain,
		       double time_ns, struct call_edges *imports)
{
	const struct symbols_location *line = symbols_location(symbols, chain->line);

	if (line->kind != TARGET_FUNCTION)
		return;
	for (size_t i = 1; i < chain->count; i++)
		if (symbols_location(symbols, chain->functions[i])->object == line->object) {
			call_edges_add(imports, chain->line, chain->functions[i - 1], time_ns);
			return;
		}
}

void chain_edges_add(const struct symbols *symbols, const struct sampled_chain *chain,
		     double time_ns, struct call_edges *edges, struct call_edges *imports)
{
	size_t of_line = function_of_line(symbols, chain);
	bool is_script = of_line < chain->count &&
			 symbols_is_python(symbols, symbols_location(symbols, chain->line)->object);

	for (size_t i = 0; i < chain->count; i++) {
		uint32_t outer = outer_of(symbols, chain, i);
		if (i == of_line)
			call_edges_add(edges, chain->functions[i], chain->line, time_ns);
		if (outer != SYMBOLS_NONE)
			call_edges_add(edges, i + 1 == of_line && is_script ? chain->line : outer,
				       chain->functions[i], time_ns);
	}
	if (chain->line != SYMBOLS_NONE && of_line == chain->count)
		add_import(symbols, chain, time_ns, imports);
}
