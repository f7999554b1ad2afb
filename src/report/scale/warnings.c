/* SPDX-License-Identifier: BSD-2-Clause */
/* warnings - the warnings of the analysis, and how the session ended. */
#include "report/scale/warnings.h"

#include "base/cleanup.h"
#include "report/run_totals.h"

struct warnings scale_warnings(const struct scale *scale)
{
	struct warnings warnings = {0};
	struct run_totals totals = run_totals_of(scale->recording);
	warnings_add_end(&warnings, &totals);
	for (size_t i = 0; i < scale->warnings.count; i++)
		*array_add(&warnings) = text_copy(scale->warnings.items[i]);
	warnings_add_notes(&warnings, scale->recording);
	return warnings;
}
