/* SPDX-License-Identifier: BSD-2-Clause */
/* samples_sentences - what all formats say about two recordings of samples. */
#include "base/cleanup.h"
#include "base/memory.h"
#include "report/diff/diff_report.h"
#include "report/display.h"
#include "report/samples/names.h"

#include <math.h>

#define MUCH 2 /* from here on as a multiple: "14 times (11 to 20)" */

static char *multiple_text(const struct samples_change *change)
{
	int digits = change->change < 9 ? 1 : 0;

	return text_format("%.*f times (%.*f to %.*f)", digits, 1 + change->change, digits,
			   1 + change->low, digits, 1 + change->high);
}

char *diff_samples_change(const struct samples_change *change)
{
	bool is_less = change->change < 0;
	double sign = is_less ? -100 : 100;

	if (!change->is_sure)
		return text_copy("~");
	if (!(change->unit_ns[PROFILE_BEFORE] > 0))
		return text_copy("new");
	if (!(change->unit_ns[PROFILE_AFTER] > 0))
		return text_copy("gone");
	if (!isfinite(change->change))
		return text_copy(change->unit_ns[PROFILE_AFTER] > change->unit_ns[PROFILE_BEFORE] ?
					 "more" :
					 "less");
	if (change->change >= MUCH)
		return multiple_text(change);
	return display_minus(text_format("%.0f %% %s (%.0f to %.0f)", sign * change->change,
					 is_less ? "less" : "more",
					 sign * (is_less ? change->high : change->low),
					 sign * (is_less ? change->low : change->high)));
}

/* "on CPU 312 ms a run for 935 ms before, 67 % less (65 to 69)" */
static char *whole_text(const struct samples_pair *pair, const char *what,
			const struct samples_change *change)
{
	AUTO(text) char *before = display_duration(change->unit_ns[PROFILE_BEFORE]);
	AUTO(text) char *after = display_duration(change->unit_ns[PROFILE_AFTER]);
	AUTO(text) char *by = diff_samples_change(change);
	const char *told = change->is_sure ? by : "no sure change";

	return text_format("%s %s a %s for %s before, %s", what, after,
			   pair->is_per_second ? "second" : "run", before, told);
}

char *diff_samples_verdict(const struct samples_pair *pair)
{
	AUTO(text) char *on_cpu = whole_text(pair, "on CPU", &pair->on_cpu);
	AUTO(text)
	char *waiting = pair->waiting.is_sure ? whole_text(pair, "; waiting", &pair->waiting) :
						text_copy("");
	const struct samples_function *first = NULL;

	for (size_t i = 0; i < pair->count && !first; i++)
		first = pair->functions[i].change.is_sure ? &pair->functions[i] : NULL;
	if (!first)
		return text_format("%s%s; no function changed for sure", on_cpu, waiting);
	const struct samples_cost *cost = samples_function_either(first);
	AUTO(text) char *name = samples_function_name(cost->frame);
	AUTO(text) char *change = diff_samples_change(&first->change);
	return text_format("%s%s; most in %s%s: %s", on_cpu, waiting, name,
			   cost->is_waiting ? ", waiting" : "", change);
}

char *diff_samples_gate(const struct samples_pair *pair, double gate)
{
	switch (pair->gate) {
	case GATE_FAILED:
		return text_format("after takes more CPU time by more than %g %%", 100 * gate);
	case GATE_PASSED:
		return text_format("after does not take more CPU time by more than %g %%",
				   100 * gate);
	case GATE_UNSURE:
		return text_format("the data do not tell whether after takes more CPU time by more "
				   "than %g %%; record several runs into each file",
				   100 * gate);
	case GATE_NONE:
		break;
	}
	return NULL;
}
