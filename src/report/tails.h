/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tails - what reports tell of the 99th percentile of spans: by how much it moves, or why nobody knows.
 */
#pragma once

#include "report/answer.h"

#include <jansson.h>
#include <stdio.h>

/* What the percentile does at ANSWER_SPEEDUP. False if that is not known. */
bool tails_answer(const struct answer *answer, struct answer *tail);

struct report_options;
/* A line for each target and latency point whose spans were measured. */
void tails_print(FILE *out, const struct answers *answers, const struct report_options *options);

/* null if the point's spans were not measured. */
json_t *tails_json(const struct causal_target *target, const struct causal_effect *effect);
