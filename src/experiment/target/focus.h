/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * focus - --focus: how much of each location's sampled time passed inside of one function, by the
 * samples whose call chain is known.
 */
#pragma once

#include "symbolize/symbols.h"

#include "base/memory.h"

struct focus_location {
	uint64_t chained_ns, inside_ns;
	bool is_known, is_focus; /* is it the function? */
};

/* An empty one is all zeros: everything is inside. */
struct focus {
	const char *function; /* or a glob, borrowed; NULL: no focus */
	ARRAY(struct focus_location) locations;
	bool has_chain, is_inside; /* of the sample that is counted */
	bool has_been_inside;
};

void focus_release(struct focus *focus);
/* Of a sample with this call chain, the innermost first: how many of its functions are inside. */
size_t focus_begin(struct focus *focus, struct symbols *symbols, const uint32_t *functions,
		   size_t count);
/* A location of the sample. */
void focus_count(struct focus *focus, uint32_t location, uint64_t weight_ns);
/* The part of the location's time; 1 without a focus. */
double focus_part(const struct focus *focus, uint32_t location);
