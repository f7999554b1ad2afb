/* SPDX-License-Identifier: BSD-2-Clause */
/* warnings - what is missing in a timeline. */
#pragma once

#include "analyze/timeline/spans.h"
#include "report/warnings.h"

/* The caller releases them. `totals` are of the timeline's run. */
struct warnings timeline_warnings(const struct timeline *timeline, const struct spans *spans,
				  const struct run_totals *totals);
