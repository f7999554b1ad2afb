/* SPDX-License-Identifier: BSD-2-Clause */
/* profiles_sentences - what all formats say about two profiles. */
#include "base/cleanup.h"
#include "base/memory.h"
#include "report/diff/diff_report.h"
#include "report/display.h"
#include "report/terminal.h"

#include <math.h>

#define SIDE_END_COLUMNS 12 /* ": ", and the run's time or number */
#define COMMAND_COLUMNS_LEAST 24

const char *diff_profiles_verdict_name(const struct profile_pair *pair)
{
	static const char *const names[] = {
		[CAME_TRUE] = "came true",
		[FELL_SHORT] = "fell short",
		[BETTER_THAN_PREDICTED] = "better than predicted",
		[CANNOT_TELL] = "cannot tell yet",
	};
	return names[pair->verdict];
}

char *diff_gain_text(const struct gain_estimate *gain)
{
	if (!gain->is_known)
		return text_copy("unknown");
	return display_minus(text_format("%+.1f %% (%.1f to %.1f)", 100 * gain->gain,
					 100 * gain->low, 100 * gain->high));
}

char *diff_change_text(const struct changed_function *function)
{
	bool is_less = function->speedup > 0;
	double sign = is_less ? 100 : -100;
	double low = is_less ? function->low : function->high;
	double high = is_less ? function->high : function->low;

	return display_minus(text_format("%.0f %% %s a visit (%.0f to %.0f)",
					 sign * function->speedup, is_less ? "less" : "more",
					 sign * low, sign * high));
}

char *diff_profiles_verdict(const struct profile_pair *pair)
{
	AUTO(text) char *measured = diff_gain_text(&pair->measured);
	AUTO(text) char *predicted = diff_gain_text(&pair->predicted);

	if (!pair->changed)
		return text_format("no function became cheaper or dearer for sure; measured %s: %s",
				   measured, diff_profiles_verdict_name(pair));
	const struct changed_function *function = pair->main;
	for (size_t i = 0; i < pair->count && !function; i++)
		function = pair->functions[i].is_changed ? &pair->functions[i] : NULL;
	AUTO(text) char *name = display_clean(function->sides[PROFILE_BEFORE]->name);
	AUTO(text) char *change = diff_change_text(function);
	AUTO(text)
	char *more = pair->changed == 1 ? text_copy("") :
					  text_format(" (and %zu more changed)", pair->changed - 1);
	return text_format("%s costs %s%s; predicted for that %s, measured %s: %s", name, change,
			   more, predicted, measured, diff_profiles_verdict_name(pair));
}

char *diff_profiles_gate(const struct profile_pair *pair, double gate)
{
	switch (pair->gate) {
	case GATE_FAILED:
		return text_format("after is slower by more than %g %%", 100 * gate);
	case GATE_PASSED:
		return text_format("after is not slower by more than %g %%", 100 * gate);
	case GATE_UNSURE:
		return text_format("the data do not tell whether after is slower by more than "
				   "%g %%; record longer with --seconds",
				   100 * gate);
	case GATE_NONE:
		break;
	}
	return NULL;
}

char *diff_command_fit(const char *command, const char *path, const struct report_options *options)
{
	size_t used = TERMINAL_INDENT + display_width(path) + SIDE_END_COLUMNS;

	return display_fit(command, options->columns > used + COMMAND_COLUMNS_LEAST ?
					    options->columns - used :
					    COMMAND_COLUMNS_LEAST);
}
