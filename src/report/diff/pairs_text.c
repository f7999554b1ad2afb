/* SPDX-License-Identifier: BSD-2-Clause */
/* pairs_text - two commands as text: the verdict, a row for each, and how it was found. */
#include "base/cleanup.h"
#include "base/memory.h"
#include "report/diff/diff_report.h"
#include "report/display.h"
#include "report/terminal.h"

#include <math.h>

/* Columns are counted, not bytes. */
static void print_cell(FILE *out, const char *text, int columns, bool is_right)
{
	int blanks = columns - (int)display_width(text);

	blanks = blanks > 0 ? blanks : 0;
	if (is_right)
		fprintf(out, "%*s%s ", blanks, "", text);
	else
		fprintf(out, "%s%*s ", text, blanks, "");
}

static void print_row(FILE *out, const char *const cells[6])
{
	static const int columns[] = {1, 9, 8, 20, 9};

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		print_cell(out, cells[i], columns[i], i == 1 || i == 2 || i == 4);
	fprintf(out, " %s\n", cells[5]);
}

static void print_side(FILE *out, const struct diff_report *report, unsigned side,
		       const struct report_options *options)
{
	const struct run_side_summary *summary = &report->pairs->sides[side];
	AUTO(text) char *median = display_duration(summary->median * 1e9);
	AUTO(text) char *least = display_duration(summary->least * 1e9);
	AUTO(text) char *most = display_duration(summary->most * 1e9);
	AUTO(text) char *spread = diff_pairs_spread(summary);
	AUTO(text) char *range = text_format(" %s \xe2\x80\xa6 %s", least, most);
	AUTO(text) char *change = diff_pairs_change(report->pairs);
	AUTO(text) char *command = display_clean(report->commands[side]);
	AUTO(text) char *fitted = display_fit(command, options->columns - 54);

	print_row(out, (const char *const[]){side ? "B" : "A", median, spread, range,
					     side ? change : "", fitted});
}

static void print_method(FILE *out, const struct diff_report *report,
			 const struct report_options *options)
{
	const struct run_pairs_result *result = report->pairs;

	if (report->point) {
		AUTO(text) char *point = display_clean(report->point);
		AUTO(text) char *before = display_rate(1 / result->sides[RUN_BEFORE].median);
		AUTO(text) char *after = display_rate(1 / result->sides[RUN_AFTER].median);
		terminal_label(out, options, "progress");
		fprintf(out, "%s: A %s a second, B %s; times are of a visit\n", point, before,
			after);
	}
	terminal_label(out, options, "pairs");
	fprintf(out, "%zu, looked at %zu time%s%s\n", result->pairs, result->looks,
		result->looks == 1 ? "" : "s",
		result->is_early ? "; ended early, as the result is sure" : "");
	terminal_label(out, options, "warm-up");
	fprintf(out, "%zu pair%s left out\n", result->warm_up, result->warm_up == 1 ? "" : "s");
	if (isfinite(result->position)) {
		terminal_label(out, options, "order");
		AUTO(text)
		char *position =
			display_minus(text_format("%+.2f %%", 100 * (result->position - 1)));
		fprintf(out, "the second run of a pair takes %s; this cancels\n", position);
	}
}

void diff_pairs_text(FILE *out, const struct diff_report *report)
{
	struct report_options options = terminal_fit(&report->options);
	AUTO(text) char *verdict = diff_pairs_verdict(report);
	AUTO(text) char *gate = diff_pairs_gate(report);
	AUTO(text) char *ratio = diff_pairs_ratio(report->pairs);

	terminal_style(out, &options, "1");
	terminal_wrapped(out, verdict, 0, options.columns);
	terminal_style(out, &options, NULL);
	if (gate)
		terminal_wrapped(out, gate, 0, options.columns);
	fputc('\n', out);
	print_row(out, (const char *const[]){"", "median", "spread", " least \xe2\x80\xa6 most",
					     "change", "command"});
	print_side(out, report, RUN_BEFORE, &options);
	print_side(out, report, RUN_AFTER, &options);
	fputc('\n', out);
	terminal_label(out, &options, "ratio");
	fprintf(out, "%s\n", ratio);
	print_method(out, report, &options);
	if (report->note) {
		terminal_label(out, &options, "warning");
		terminal_wrapped(out, report->note, TERMINAL_INDENT, options.columns);
	}
}
