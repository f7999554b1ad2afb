/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unsettled - if one target needed time to warm up, another one may need it, too.
 *
 * Unless its own window series exclude that, its interval is widened by the same part of its gain.
 */
#pragma once

#include "analyze/causal/causal.h"

void unsettled_widen(struct causal *causal, const struct recording *recording);
