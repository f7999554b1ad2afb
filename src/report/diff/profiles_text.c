/* SPDX-License-Identifier: BSD-2-Clause */
/* profiles_text - two profiles as text: the verdict, changed functions, and what else differs. */
#include "base/cleanup.h"
#include "base/memory.h"
#include "report/diff/diff_report.h"
#include "report/display.h"
#include "report/terminal.h"

#include <math.h>

#define FUNCTIONS_SHOWN 12

static void print_cost(FILE *out, const struct function_cost *cost)
{
	AUTO(text) char *text = cost ? display_duration(cost->per_visit_ns) : text_copy("-");
	int blanks = 9 - (int)display_width(text);

	fprintf(out, "%*s%s  ", blanks > 0 ? blanks : 0, "", text);
}

static int blanks(const char *text, size_t columns)
{
	size_t width = display_width(text);

	return width < columns ? (int)(columns - width) : 0;
}

static void print_function(FILE *out, const struct changed_function *function, size_t width)
{
	const struct function_cost *either = function->sides[PROFILE_BEFORE] ?
						     function->sides[PROFILE_BEFORE] :
						     function->sides[PROFILE_AFTER];
	AUTO(text) char *clean = display_clean(either->name);
	AUTO(text) char *name = display_fit(clean, width);
	AUTO(text)
	char *predicted =
		function->is_changed ? diff_gain_text(&function->predicted) : text_copy("");

	AUTO(text)
	char *change = function->is_changed ? display_gain(-function->speedup) : text_copy("~");

	print_cost(out, function->sides[PROFILE_BEFORE]);
	print_cost(out, function->sides[PROFILE_AFTER]);
	fprintf(out, "%*s%s  ", blanks(change, 8), "", change);
	fprintf(out, "%s%*s  %s\n", predicted, blanks(predicted, 24), "", name);
}

static void print_functions(FILE *out, const struct profile_pair *pair,
			    const struct report_options *options)
{
	size_t most = options->most ? options->most : FUNCTIONS_SHOWN;

	fprintf(out, "\n%9s  %9s  %8s  %-24s  %s\n", "before", "after", "change",
		"predicted for that", "function, cost of a visit");
	for (size_t i = 0; i < pair->count && i < most; i++)
		print_function(out, &pair->functions[i], options->columns - 58);
	if (pair->count > most)
		fprintf(out, "%60s%zu more\n", "", pair->count - most);
	fputc('\n', out);
}

static void print_side(FILE *out, const struct diff_report *report, unsigned side,
		       const struct report_options *options)
{
	const struct recording *recording = report->profiles->recordings[side];
	const struct recording_run *run = &recording->runs.items[recording->runs.count - 1];
	AUTO(text) char *path = display_clean(report->commands[side]);
	AUTO(text) char *command = display_command(run->command);
	AUTO(text) char *wall = display_duration((double)run->wall_ns);

	terminal_label(out, options, side ? "after" : "before");
	AUTO(text) char *fitted = diff_command_fit(command, path, options);
	fprintf(out, "%s: %s, %s\n", path, fitted, wall);
}

void diff_profiles_text(FILE *out, const struct diff_report *report)
{
	struct report_options options = terminal_fit(&report->options);
	const struct profile_pair *pair = report->profiles;
	AUTO(text) char *verdict = diff_profiles_verdict(pair);
	AUTO(text) char *gate = diff_profiles_gate(pair, report->plan->gate);
	AUTO(text) char *point = display_clean(pair->points[PROFILE_BEFORE]->name);

	terminal_style(out, &options, "1");
	terminal_wrapped(out, verdict, 0, options.columns);
	terminal_style(out, &options, NULL);
	if (gate)
		terminal_wrapped(out, gate, 0, options.columns);
	print_functions(out, pair, &options);
	print_side(out, report, PROFILE_BEFORE, &options);
	print_side(out, report, PROFILE_AFTER, &options);
	terminal_label(out, &options, "progress");
	fprintf(out, "%s\n", point);
	for (size_t i = 0; i < pair->notes.count; i++) {
		AUTO(text) char *note = display_clean(pair->notes.items[i]);
		terminal_label(out, &options, i ? "" : "note");
		terminal_wrapped(out, note, TERMINAL_INDENT, options.columns);
	}
	if (pair->is_void)
		fputs(DIFF_VOID "\n", out);
}
