/* SPDX-License-Identifier: BSD-2-Clause */
/* pairs_sentences - what all formats say about two commands. */
#include "base/cleanup.h"
#include "base/memory.h"
#include "report/diff/diff_report.h"
#include "report/display.h"

#include <math.h>

const char *diff_pairs_verdict_name(const struct run_pairs_result *result)
{
	static const char *const names[] = {
		[RUN_UNSURE] = "unsure",
		[RUN_SLOWER] = "slower",
		[RUN_FASTER] = "faster",
		[RUN_NO_CHANGE] = "no change",
	};
	return names[result->verdict];
}

char *diff_pairs_change(const struct run_pairs_result *result)
{
	if (result->verdict == RUN_UNSURE || result->verdict == RUN_NO_CHANGE)
		return text_copy("~");
	return display_minus(text_format("%+.2f %%", 100 * (result->ratio - 1)));
}

static char *interval_text(const struct run_pairs_result *result)
{
	if (!isfinite(result->high))
		return text_copy("too few pairs for an interval");
	return display_minus(text_format("%g %% interval: %+.2f %% to %+.2f %%",
					 100 * (1 - RUN_PAIRS_LEVEL), 100 * (result->low - 1),
					 100 * (result->high - 1)));
}

/* The same of visits of a progress point. */
static char *visit_verdict(const struct diff_report *report, const char *interval)
{
	const struct run_pairs_result *result = report->pairs;
	AUTO(text) char *point = display_clean(report->point);
	double percent = 100 * fabs(result->ratio - 1);

	if (result->verdict == RUN_NO_CHANGE)
		return text_format("a visit of %s takes the same time in B and A to within %g %% "
				   "(%s)",
				   point, 100 * report->plan->smallest, interval);
	return text_format("a visit of %s takes %.2f %% %s in B than in A (%s)", point, percent,
			   result->verdict == RUN_SLOWER ? "longer" : "less time", interval);
}

char *diff_pairs_verdict(const struct diff_report *report)
{
	const struct run_pairs_result *result = report->pairs;
	AUTO(text) char *interval = interval_text(result);
	double percent = 100 * fabs(result->ratio - 1);

	if (report->point && result->verdict != RUN_UNSURE)
		return visit_verdict(report, interval);
	switch (result->verdict) {
	case RUN_SLOWER:
		return text_format("B takes %.2f %% longer than A (%s)", percent, interval);
	case RUN_FASTER:
		return text_format("B takes %.2f %% less time than A (%s)", percent, interval);
	case RUN_NO_CHANGE:
		return text_format("B and A take the same time to within %g %% (%s)",
				   100 * report->plan->smallest, interval);
	case RUN_UNSURE:
		break;
	}
	return text_format("no sure change (%s)", interval);
}

char *diff_pairs_gate(const struct diff_report *report)
{
	double percent = 100 * report->plan->gate;

	switch (report->pairs->gate) {
	case GATE_FAILED:
		return text_format("B is slower by more than %g %%", percent);
	case GATE_PASSED:
		return text_format("B is not slower by more than %g %%", percent);
	case GATE_UNSURE:
		return text_format("the data do not tell whether B is slower by more than %g %%; "
				   "allow more runs with --runs or --seconds",
				   percent);
	case GATE_NONE:
		break;
	}
	return NULL;
}

char *diff_pairs_ratio(const struct run_pairs_result *result)
{
	if (!isfinite(result->high))
		return text_format("%.4f, p = %.4f, n = %zu", result->ratio, result->p,
				   result->pairs);
	return text_format("%.4f (%.4f to %.4f), p = %.4f, n = %zu", result->ratio, result->low,
			   result->high, result->p, result->pairs);
}

char *diff_pairs_spread(const struct run_side_summary *side)
{
	return text_format("\xc2\xb1%.1f %%", 50 * (side->high - side->low) / side->median);
}
