/* SPDX-License-Identifier: BSD-2-Clause */
/* tail_latency - the 99th percentile of spans: how much it changes, or why that is unknown. */
#pragma once

#include "report/causal/verdict.h"

#include <jansson.h>
#include <stdio.h>

struct report_options;
/* A line for each target and latency point with measured spans. */
void tail_latency_print(FILE *out, const struct target_verdicts *verdicts,
			const struct report_options *options);

/* null if no spans were measured. */
json_t *tail_latency_json(const struct causal_target *target, const struct causal_effect *effect);
