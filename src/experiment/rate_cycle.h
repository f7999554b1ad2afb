/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rate_cycle - tells from a rate of progress whether a program works in cycles, such as batches
 * that are read, sorted and written, and when a cycle begins.
 *
 * The rate rises once a cycle. Windows from rise to rise hold whole cycles, so that they differ by
 * far less than windows that hold any part of one. Times are effective: without pauses.
 */
#pragma once

#include <stdbool.h>

#define RATE_CYCLE_STEPS 16
#define RATE_CYCLE_BLOCKS 64

struct rate_cycle_step {
	double ns, visits;
};

/* Of cells in a row. */
struct rate_cycle_block {
	double cells, sum;
};

struct rate_cycle {
	/* Cells of equal time without a speedup; pairs are cells that follow each other. */
	double cells, sum, squares, pairs, differences, paired_ns;
	unsigned rises;
	struct rate_cycle_block blocks[RATE_CYCLE_BLOCKS]; /* all cells, the last block fills */
	unsigned block_count, block_cells;                 /* that a block holds */
	struct rate_cycle_step cell;                       /* that fills */
	double last;  /* rate of the cell before; negative: there is none */
	bool was_low; /* a cell since the last break, and none was high since */

	/* At any speedup: the last steps, oldest first. */
	struct rate_cycle_step steps[RATE_CYCLE_STEPS];
	unsigned count;
	bool is_low;
};

/* What passed without a speedup, next to what was learned before, or after a break. */
void rate_cycle_learn(struct rate_cycle *cycle, double effective_ns, double visits);
void rate_cycle_break(struct rate_cycle *cycle);

/*
 * Whether the rate rises and falls: it differs by a lot from cell to cell, but neighbours are
 * alike, which chance does not make. A phase that begins at one time is no cycle. Needs some
 * seconds.
 */
bool rate_cycle_is_found(const struct rate_cycle *cycle);
/* The same by a part of what that needs: worth to be watched without breaks. */
bool rate_cycle_is_likely(const struct rate_cycle *cycle);
/* As much as that needs has passed, and it is not likely. */
bool rate_cycle_is_unlikely(const struct rate_cycle *cycle);
/* Standard deviation of the cells' rates over their mean; nan before there are any. */
double rate_cycle_deviation(const struct rate_cycle *cycle);
/* From one rise to the next, on average. */
double rate_cycle_length_ns(const struct rate_cycle *cycle);

/* What passed, at any speedup; returns whether the rate has risen just now. */
bool rate_cycle_follow(struct rate_cycle *cycle, double effective_ns, double visits);
