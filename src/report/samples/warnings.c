/* SPDX-License-Identifier: BSD-2-Clause */
/* warnings - what weakens the figures of samples. */
#include "report/samples/warnings.h"

#include "base/cleanup.h"
#include "report/run_totals.h"

static void warn_of_chains(struct warnings *warnings, const struct run_totals *totals)
{
	/* Below 1 % no share changes visibly. */
	if (totals->lost * 100 > totals->samples)
		*array_add(warnings) = text_format(
			"shares are uncertain by %.1f %%: that many samples were lost because a "
			"buffer was full",
			100.0 * (double)totals->lost / (double)(totals->samples + totals->lost));
	/* Chains of samples that are lost then are counted, too. */
	uint64_t chains = totals->samples + totals->lost;
	if (totals->unwound_badly * 20 > chains)
		*array_add(warnings) = text_format(
			"%.0f %% of the call chains lack their outer functions: their code has no "
			"unwind tables, or they are too deep",
			100.0 * (double)totals->unwound_badly / (double)chains);
}

struct warnings samples_warnings(const struct recording *recording)
{
	struct warnings warnings = {0};
	struct run_totals totals = run_totals_of(recording);
	warnings_add_end(&warnings, &totals);
	warn_of_chains(&warnings, &totals);
	warnings_add_notes(&warnings, recording);
	return warnings;
}
