/* SPDX-License-Identifier: BSD-2-Clause */
/* verdict_json - a verdict and a point of a curve as JSON, of means and of percentiles. */
#pragma once

#include "report/causal/verdict.h"

#include <jansson.h>

json_t *effect_point_json(const struct effect_point *point);
json_t *verdict_json(const struct target_verdict *verdict);
