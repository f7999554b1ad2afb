/* SPDX-License-Identifier: BSD-2-Clause */
/* chain_edges - what calls what in a chain, and what an imported function leads to. */
#include "check.h"

#include "experiment/target/chain_edges.h"
#include "symbolize/python.h"

enum { PROGRAM, LIBRARY };
enum { MAIN, MAIN_LINE, IMPORT, UPDATE, BLOCK };

static const struct symbols_location locations[] = {
	[MAIN] = {.kind = TARGET_INCLUSIVE, .object = PROGRAM, .function = "main"},
	[MAIN_LINE] = {.kind = TARGET_LINE, .object = PROGRAM, .function = "main"},
	[IMPORT] = {.kind = TARGET_FUNCTION, .object = PROGRAM, .function = "digest"},
	[UPDATE] = {.kind = TARGET_INCLUSIVE, .object = LIBRARY, .function = "update"},
	[BLOCK] = {.kind = TARGET_INCLUSIVE, .object = LIBRARY, .function = "block"},
};

const struct symbols_location *symbols_location(const struct symbols *symbols, uint32_t location)
{
	(void)symbols;
	return &locations[location];
}

bool symbols_is_python(const struct symbols *symbols, uint32_t object)
{
	(void)symbols, (void)object;
	return false;
}

static double time_of(const struct call_edges *edges, uint32_t outer, uint32_t inner)
{
	for (const struct call_edge *edge = call_edges_first_inner(edges, outer); edge;
	     edge = call_edges_next_inner(edges, edge))
		if (edge->inner == inner)
			return edge->time_ns;
	return 0;
}

TEST("an imported function that ends in a jump leads to what stands beside its caller")
{
	static const uint32_t functions[] = {BLOCK, UPDATE, MAIN};
	const struct sampled_chain chain = {functions, 3, IMPORT, SYMBOLS_NONE};
	struct call_edges edges = {0}, imports = {0};

	chain_edges_add(NULL, &chain, 5, &edges, &imports);
	chain_edges_add(NULL, &chain, 2, &edges, &imports);
	CHECK(time_of(&imports, IMPORT, UPDATE) == 7);
	CHECK_EQUAL(imports.items.count, 1);
	CHECK(time_of(&edges, MAIN, UPDATE) == 7);
	CHECK(time_of(&edges, UPDATE, BLOCK) == 7);
	CHECK_EQUAL(edges.items.count, 2);
	call_edges_release(&edges);
	call_edges_release(&imports);
}

TEST("a line of a function in the chain is no import")
{
	static const uint32_t functions[] = {UPDATE, MAIN};
	const struct sampled_chain chain = {functions, 2, MAIN_LINE, SYMBOLS_NONE};
	struct call_edges edges = {0}, imports = {0};

	chain_edges_add(NULL, &chain, 5, &edges, &imports);
	CHECK_EQUAL(imports.items.count, 0);
	CHECK(time_of(&edges, MAIN, MAIN_LINE) == 5);
	call_edges_release(&edges);
	call_edges_release(&imports);
}
