/* SPDX-License-Identifier: BSD-2-Clause */
/* report - runs the analysis of a report's kind. */
#include "report/report.h"

void report_analyze(struct report *report, enum run_kind kind, const struct samples_filter *filter)
{
	switch (kind) {
	case RUN_CAUSAL:
		report->causal = causal_new(report->recording);
		break;
	case RUN_SAMPLES:
		report->samples = samples_new(report->recording, filter);
		break;
	case RUN_TIMELINE:
		report->timeline = timeline_new(report->recording);
		break;
	case RUN_SCALE:
		report->scale = scale_new(report->recording);
		break;
	}
}

void report_release(struct report *report)
{
	causal_free(report->causal);
	samples_free(report->samples);
	timeline_free(report->timeline);
	scale_free(report->scale);
	*report = (struct report){0};
}
