/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * prometheus - samples as gauges: time by class, and by function for the largest ones.
 *
 * Names are labels: a program has few functions of importance, but not always the same ones.
 */
#include "report/formats.h"

#include "base/cleanup.h"
#include "report/prometheus.h"
#include "report/samples/names.h"

#define FUNCTIONS_MOST 20

static void put_classes(FILE *out, const struct samples *samples)
{
	static const char name[] = "lever_sampled_seconds";

	prometheus_begin(out, name, "Time of all threads by class: on CPU, or what they wait for.");
	for (unsigned class = 0; class < SAMPLE_CLASSES; class ++) {
		const char *const labels[] = {"class", sample_class_name(class), NULL};
		prometheus_put(out, name, labels, (double)samples->classes[class].weight_ns / 1e9);
	}
}

static void put_functions(FILE *out, const struct samples *samples, const char *name,
			  bool is_on_cpu)
{
	struct samples_rows rows = samples_group(samples, SAMPLES_BY_FUNCTION);
	size_t put = 0;

	for (size_t i = 0; i < rows.count && put < FUNCTIONS_MOST; i++) {
		const struct samples_row *row = &rows.items[i];
		const struct recording_frame *frame = row->first->user;
		bool fits = (row->first->stack_sample->class <= CLASS_KERNEL) == is_on_cpu;

		if (!fits)
			continue;
		AUTO(text) char *function = frame ? samples_function_name(frame) : NULL;
		AUTO(text)
		char *kernel =
			row->first->kernel ? samples_function_name(row->first->kernel) : NULL;
		const char *const labels[] = {
			"function", function,
			"kernel",   kernel,
			"class",    sample_class_name(row->first->stack_sample->class),
			"object",   frame ? frame->object : NULL,
			NULL};
		prometheus_put(out, name, labels, (double)row->sum.weight_ns / 1e9);
		put++;
	}
	samples_rows_clear(&rows);
}

void report_samples_prometheus(FILE *out, const struct report *report)
{
	struct run_totals totals = run_totals_of(report->recording);

	prometheus_put_run(out, &totals);
	put_classes(out, report->samples);
	prometheus_begin(out, "lever_function_cpu_seconds",
			 "Time on CPU of the functions with most of it.");
	put_functions(out, report->samples, "lever_function_cpu_seconds", true);
	prometheus_begin(out, "lever_function_waiting_seconds",
			 "Time off CPU of the functions with most of it.");
	put_functions(out, report->samples, "lever_function_waiting_seconds", false);
}
