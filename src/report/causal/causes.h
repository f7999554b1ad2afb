/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * causes - the sure gains as a short tree: what stands inside a place is told below it.
 */
#pragma once

#include "report/causal/advice.h"

#define CAUSES_ROOTS_MOST 3
#define CAUSES_INSIDE_MOST 3 /* below each root */
#define CAUSES_MOST (CAUSES_ROOTS_MOST * (1 + CAUSES_INSIDE_MOST))

struct cause {
	const struct target_verdict *verdict; /* borrowed */
	unsigned depth;                       /* 0: a root */
};

struct causes {
	struct cause items[CAUSES_MOST]; /* each below the one that it stands in */
	unsigned count;
};

/* Roots and their parts in descending order of the lower bound. */
struct causes causes_of(const struct advice *advice);
