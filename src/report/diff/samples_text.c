/* SPDX-License-Identifier: BSD-2-Clause */
/* samples_text - two recordings of samples as text: the verdict, functions, what else differs. */
#include "base/cleanup.h"
#include "base/memory.h"
#include "report/diff/diff_report.h"
#include "report/display.h"
#include "report/samples/names.h"
#include "report/terminal.h"

#define FUNCTIONS_SHOWN 12
#define COLUMNS_BEFORE_NAME 51

static void print_duration(FILE *out, double duration_ns)
{
	AUTO(text) char *text = duration_ns > 0 ? display_duration(duration_ns) : text_copy("-");
	int blanks = 9 - (int)display_width(text);

	fprintf(out, "%*s%s  ", blanks > 0 ? blanks : 0, "", text);
}

static void print_function(FILE *out, const struct samples_function *function, size_t width)
{
	const struct samples_cost *cost = samples_function_either(function);
	AUTO(text) char *clean = samples_function_name(cost->frame);
	AUTO(text) char *name = display_fit(clean, width);
	AUTO(text) char *change = diff_samples_change(&function->change);

	print_duration(out, function->change.unit_ns[PROFILE_BEFORE]);
	print_duration(out, function->change.unit_ns[PROFILE_AFTER]);
	fprintf(out, "%-22s  %s  %s\n", change,
		samples_class_mark(cost->heaviest->stack_sample->class), name);
}

static void print_side(FILE *out, const struct diff_report *report, unsigned side,
		       const struct report_options *options)
{
	const struct recording *recording = report->samples->recordings[side];
	const struct recording_run *run = &recording->runs.items[recording->runs.count - 1];
	AUTO(text) char *path = display_clean(report->commands[side]);
	AUTO(text)
	char *command = run->command ? display_command(run->command) :
				       text_copy("processes that ran already");

	terminal_label(out, options, side ? "after" : "before");
	AUTO(text) char *fitted = diff_command_fit(command, path, options);
	fprintf(out, "%s: %s, %zu run%s\n", path, fitted, recording->runs.count,
		recording->runs.count == 1 ? "" : "s");
}

void diff_samples_text(FILE *out, const struct diff_report *report)
{
	struct report_options options = terminal_fit(&report->options);
	const struct samples_pair *pair = report->samples;
	size_t most = options.most ? options.most : FUNCTIONS_SHOWN;
	AUTO(text) char *verdict = diff_samples_verdict(pair);
	AUTO(text) char *gate = diff_samples_gate(pair, report->plan->gate);

	terminal_style(out, &options, "1");
	terminal_wrapped(out, verdict, 0, options.columns);
	terminal_style(out, &options, NULL);
	if (gate)
		terminal_wrapped(out, gate, 0, options.columns);
	fprintf(out, "\n%9s  %9s  %-22s       %s\n", "before", "after", "change",
		pair->is_per_second ? "function, own time a second" : "function, own time a run");
	for (size_t i = 0; i < pair->count && i < most; i++)
		print_function(out, &pair->functions[i], options.columns - COLUMNS_BEFORE_NAME);
	if (pair->count > most)
		fprintf(out, "%51s%zu more\n", "", pair->count - most);
	fputs("\n~ is no sure change, at a false discovery rate of 5 % over all functions. [.] and "
	      "[k] are\non CPU, in the program and in the kernel; other marks are waiting.\n\n",
	      out);
	print_side(out, report, PROFILE_BEFORE, &options);
	print_side(out, report, PROFILE_AFTER, &options);
	for (size_t i = 0; i < pair->notes.count; i++) {
		AUTO(text) char *note = display_clean(pair->notes.items[i]);
		terminal_label(out, &options, i ? "" : "note");
		terminal_wrapped(out, note, TERMINAL_INDENT, options.columns);
	}
}
