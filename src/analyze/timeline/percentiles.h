/* SPDX-License-Identifier: BSD-2-Clause */
/* percentiles - the percentiles of durations that reports show. */
#pragma once

#include "stats/histogram.h"

struct percentiles {
	double p50_ns, p95_ns, p99_ns, max_ns;
};

/* All 0 if there is no duration. */
struct percentiles percentiles_of(struct histogram *histogram);
