/* SPDX-License-Identifier: BSD-2-Clause */
/* samples_json - the parts of the JSON report on samples. */
#pragma once

#include "analyze/samples/samples.h"

#include <jansson.h>

/* All of the report but its entries. The caller owns it. */
json_t *samples_json_head(const struct recording *recording, const struct samples *samples);
