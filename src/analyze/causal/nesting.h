/* SPDX-License-Identifier: BSD-2-Clause */
/* nesting - which target stands inside which: callees and lines in functions, calls in callers. */
#pragma once

#include "analyze/causal/causal.h"

/* Sets `outer` of all targets, which must not move any more. */
void nesting_find(const struct recording *recording, struct causal *causal);
