/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unit_choice - which of the counted places is a unit of the program's work.
 *
 * Pure functions on numbers. A good unit is passed at a steady and moderate rate, by the code that
 * takes most of the time: often enough for short windows, seldom enough that counting is cheap.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNIT_SLICES 12
#define UNITS_MOST 3

struct unit_candidate {
	double coverage; /* part of the sampled call chains that went through it */
	uint64_t calls[UNIT_SLICES];
	uint64_t slice_ns;
	uint32_t cost_ns;     /* of counting a call */
	bool is_too_frequent; /* counting was given up */
	/* unit_choose: */
	double rate; /* calls a second */
	double score;
};

/*
 * Rates all candidates, and writes the indexes of the best, best first, to `chosen`; returns their
 * number. Of those that are always passed together only the best is chosen; to count them all takes
 * a fortieth of a core at most.
 */
size_t unit_choose(struct unit_candidate *candidates, size_t count, size_t chosen[UNITS_MOST]);
