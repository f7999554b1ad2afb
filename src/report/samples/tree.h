/* SPDX-License-Identifier: BSD-2-Clause */
/* tree - a call tree as indented text. */
#pragma once

#include "report/report.h"

/* Smaller branches are left out, and counted. */
void samples_tree_print(FILE *out, const struct samples *samples, enum report_tree tree,
			double least, const struct report_options *options);
