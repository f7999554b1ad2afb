/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tails - what reports tell of the 99th percentile of spans: by how much it moves, or why nobody knows.
 */
#pragma once

#include "report/causal/verdict.h"

#include <jansson.h>
#include <stdio.h>

/* What the percentile does at VERDICT_SPEEDUP. False if that is not known. */
bool tail_latency_verdict(const struct target_verdict *verdict, struct target_verdict *tail);

struct report_options;
/* A line for each target and latency point whose spans were measured. */
void tail_latency_print(FILE *out, const struct target_verdicts *verdicts,
			const struct report_options *options);

/* null if the point's spans were not measured. */
json_t *tail_latency_json(const struct causal_target *target, const struct causal_effect *effect);
