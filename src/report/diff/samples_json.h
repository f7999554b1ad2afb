/* SPDX-License-Identifier: BSD-2-Clause */
/* samples_json - two recordings of samples as a tree of JSON, for the export and the page. */
#pragma once

#include "report/diff/diff_report.h"
#include "report/json.h"

/* As docs/samples-diff.schema.json says. The caller frees it. */
json_t *diff_samples_json_tree(const struct diff_report *report);
