/* SPDX-License-Identifier: BSD-2-Clause */
/* warnings - what weakens the answers of a causal profile. */
#pragma once

#include "analyze/causal/causal.h"
#include "report/warnings.h"

/* The caller releases them. */
struct warnings causal_warnings(const struct recording *recording, const struct causal *causal);
