/* SPDX-License-Identifier: BSD-2-Clause */
/* noise_sources - the budget of variance as sentences. */
#include "report/causal/noise_sources.h"

#include "base/cleanup.h"
#include "report/display.h"
#include "report/terminal.h"

#include <math.h>

#define HALF_MOST 1000.0 /* points: of a wider interval no more is told */
#define TARGETS_MOST 3
#define SHARE_LEAST 0.005

static const struct source {
	const char *name, *remedy;
} sources[BUDGET_PARTS] = {
	[BUDGET_UNITS] = {"units of work that differ within a window",
			  "a longer run (--seconds), or a progress point whose visits take equal "
			  "work"},
	[BUDGET_WINDOWS] = {"windows that differ by more than their units",
			    "a quieter machine, whose cores keep their speed, or a longer run "
			    "(--seconds)"},
	[BUDGET_SAMPLES] = {"the number of samples in the target",
			    "a longer run (--seconds), or this target alone (--target)"},
	[BUDGET_DISPLACED] = {"other programs on the cores", "an idle machine"},
	[BUDGET_TRANSIENTS] = {"queues that may still fill or empty",
			       "a longer run (--seconds), which has room for long series of "
			       "windows"},
	[BUDGET_PACING] = {"work that is paced by clocks, devices or clients",
			   "a load that keeps the program busy"},
	[BUDGET_METHOD] = {"the method itself", "nothing: a prediction is no surer than this"},
};

/* The parts, the largest first; to be freed. */
static char *parts_text(const struct budget *budget)
{
	double total = budget_total(budget);
	struct budget left = *budget;
	char *text = text_copy("");

	for (int i = 0; i < BUDGET_PARTS; i++) {
		enum budget_part most = budget_most(&left);
		double share = total > 0 ? left.variances[most] / total : 0;
		if (share < SHARE_LEAST)
			break;
		AUTO(text) char *before = text;
		text = text_format("%s%s%.0f %% %s", before, i ? ", " : "", 100 * share,
				   sources[most].name);
		left.variances[most] = 0;
	}
	return text;
}

static void print_one(FILE *out, const struct target_verdict *verdict,
		      const struct report_options *options)
{
	const struct causal_effect *effect = verdict->effect;
	size_t widest = budget_widest(effect);

	if (widest == effect->count)
		return;
	const struct effect_point *point = &effect->points[widest];
	const struct budget *budget = &effect->budgets[widest];
	AUTO(text) char *name = display_clean(verdict->target->target->name);
	AUTO(text) char *parts = parts_text(budget);
	double half = 50 * (point->high - point->low);
	AUTO(text)
	char *text = text_format("The interval of %s at %.0f %% is %s±%.1f points wide. Its "
				 "variance: %s. Narrower by: %s.",
				 name, 100 * point->speedup, half > HALF_MOST ? "more than " : "",
				 fmin(half, HALF_MOST), parts, sources[budget_most(budget)].remedy);

	terminal_wrapped(out, text, 0, options->columns);
}

void noise_sources_print(FILE *out, const struct target_verdicts *verdicts,
			 const struct report_options *options)
{
	unsigned printed = 0;

	for (size_t i = 0; i < verdicts->count && printed < TARGETS_MOST; i++) {
		if (!verdicts->items[i].is_first)
			continue;
		fputc('\n', out);
		print_one(out, &verdicts->items[i], options);
		printed++;
	}
}
