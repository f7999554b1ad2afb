/* SPDX-License-Identifier: BSD-2-Clause */
/* json - parts of comparisons as trees of JSON. The caller frees them. */
#pragma once

#include "report/diff/diff_report.h"
#include "report/json.h"

/* Two recordings of samples, as docs/samples-diff.schema.json says: for the export and the page. */
json_t *diff_samples_json_tree(const struct diff_report *report);
/* The gate and its verdict; null without one. */
json_t *diff_gate_json(const struct run_pairs_plan *plan, enum gate_verdict verdict);
