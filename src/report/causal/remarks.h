/* SPDX-License-Identifier: BSD-2-Clause */
/* remarks - the sure answers of a causal profile as sentences at lines, for editors and reviews. */
#pragma once

#include "report/causal/verdict.h"

struct remark {
	const struct target_verdict *verdict;
	const char *file; /* as in the debug information, relative where below this folder */
	unsigned line;
	char *sentence; /* clean, one line */
};

struct remarks {
	struct target_verdicts verdicts;
	struct remark *items; /* by rank, one for each target and line */
	size_t count;
};

/* Gains and contention only; targets without a line, as system calls, have no remark. */
struct remarks remarks_of(const struct causal *causal);
void remarks_release(struct remarks *remarks);
