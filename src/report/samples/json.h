/* SPDX-License-Identifier: BSD-2-Clause */
/* json - the JSON report on samples without its entries. */
#pragma once

#include "analyze/samples/samples.h"

#include <jansson.h>

/* The caller frees it. */
json_t *samples_json_head(const struct recording *recording, const struct samples *samples);
