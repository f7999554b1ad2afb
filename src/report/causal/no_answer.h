/* SPDX-License-Identifier: BSD-2-Clause */
/* nothing - why a recording gives no answer, and what would give one. */
#pragma once

#include "analyze/causal/causal.h"

/* Clean text; free it. Only for a recording of which no target has an effect. */
char *no_answer_reason(const struct recording *recording, const struct causal *causal);
