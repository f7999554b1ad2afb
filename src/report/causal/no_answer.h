/* SPDX-License-Identifier: BSD-2-Clause */
/* no_answer - why a recording gives no answer, and what would give one. */
#pragma once

#include "analyze/causal/causal.h"

/* Clean text; free it. For a recording without any effect of a target. */
char *no_answer_reason(const struct recording *recording, const struct causal *causal);
