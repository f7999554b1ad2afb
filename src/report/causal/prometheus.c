/* SPDX-License-Identifier: BSD-2-Clause */
/* prometheus - the verdicts of a causal profile as gauges, with their intervals. */
#include "report/formats.h"

#include "base/cleanup.h"
#include "report/causal/verdict.h"
#include "report/prometheus.h"

enum bound { BOUND_GAIN, BOUND_LOW, BOUND_HIGH };

static double bound_of(const struct target_verdict *verdict, enum bound bound)
{
	return bound == BOUND_GAIN ? verdict->at.gain :
	       bound == BOUND_LOW  ? verdict->at.low :
				     verdict->at.high;
}

static void put_verdicts(FILE *out, const struct target_verdicts *verdicts, const char *name,
			 const char *help, enum bound bound)
{
	prometheus_begin(out, name, help);
	for (size_t i = 0; i < verdicts->count; i++) {
		const struct target_verdict *verdict = &verdicts->items[i];
		AUTO(text) char *speedup = text_format("%g", verdict->at.speedup);
		const char *const labels[] = {"target",   verdict->target->target->name,
					      "progress", verdict->effect->point->name,
					      "speedup",  speedup,
					      "verdict",  verdict_outcome_name(verdict->outcome),
					      NULL};

		prometheus_put(out, name, labels, bound_of(verdict, bound));
	}
}

void report_causal_prometheus(FILE *out, const struct report *report)
{
	struct run_totals totals = run_totals_of(report->recording);
	struct target_verdicts verdicts = verdicts_of(report->causal);

	prometheus_put_run(out, &totals);
	prometheus_begin(out, "lever_experiments", "Experiments that counted, controls included.");
	prometheus_put(out, "lever_experiments", NULL, report->causal->experiments);
	put_verdicts(out, &verdicts, "lever_program_speedup_ratio",
		     "How much faster the program gets if the target gets faster by `speedup`.",
		     BOUND_GAIN);
	put_verdicts(out, &verdicts, "lever_program_speedup_low_ratio",
		     "The lower end of its 95 % interval.", BOUND_LOW);
	put_verdicts(out, &verdicts, "lever_program_speedup_high_ratio",
		     "The upper end of its 95 % interval.", BOUND_HIGH);
	verdicts_release(&verdicts);
}
