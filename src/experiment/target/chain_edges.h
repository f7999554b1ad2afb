/* SPDX-License-Identifier: BSD-2-Clause */
/* chain_edges - who called whom in a sampled call chain. */
#pragma once

#include "experiment/target/call_edges.h"
#include "symbolize/symbols.h"

struct sampled_chain {
	const uint32_t *functions; /* inclusive locations, innermost first */
	size_t count;
	uint32_t line;    /* location that the sample counts for; SYMBOLS_NONE: none */
	uint32_t process; /* location of all processes of its name; SYMBOLS_NONE: none */
};

/*
 * A line stands inside its function; what a line of a script calls stands inside that line: the
 * interpreter's code tells its reader nothing. `imports`, apart: what a call of another file's
 * function leads to, as that function may end in a jump, and then stands in no chain.
 */
void chain_edges_add(const struct symbols *symbols, const struct sampled_chain *chain,
		     double time_ns, struct call_edges *edges, struct call_edges *imports);
