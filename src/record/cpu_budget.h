/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu_budget - whether a recording without end has CPU time left of its share of a core.
 *
 * What is not used is saved, and what is taken beyond it is owed, both up to a limit: so the start
 * of a recording has its names at once, and a busy hour is not paid for in the next one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct cpu_budget {
	double share;      /* of one core */
	double saved_ns;   /* < 0: owed */
	uint64_t asked_ns; /* when it was last asked; 0: never */
	uint64_t spent_ns; /* CPU time by then */
};

/* For a machine with so many cores: its samples grow with them. */
struct cpu_budget cpu_budget_for(unsigned cores);
/* `spent_ns`: CPU time taken so far; less than before: it is counted anew. */
bool cpu_budget_has_rest(struct cpu_budget *budget, uint64_t now_ns, uint64_t spent_ns);
